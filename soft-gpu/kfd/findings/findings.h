/*
 * findings.h - what the check for races found in this process: by source lines, on stderr when it is new, and
 * in a file for `lanescope run` (docs/check.md describes it).
 */
#ifndef SOFT_GPU_KFD_FINDINGS_H
#define SOFT_GPU_KFD_FINDINGS_H

#include "soft-gpu/isa/engine.h"

/* Takes a finding of GPU `gpu`; `base`: for global memory the start of the allocation that holds the address.
 * With report->finding NULL the dispatch has ended, and what is new is printed. Any thread. */
void findings_take(unsigned gpu, const struct sg_check_report *report, uint64_t base);
/* [va, va+size) was unmapped: other code may stand there later. */
void findings_code_gone(uint64_t va, uint64_t size);
/* Writes the file for the last time, with the final counts. At the end of the process. */
void findings_finish(void);
/* In a forked child: nothing was found yet. */
void findings_forget(void);

#endif
