/*
 * text.h - what the text of an instruction says of it, for GPUs that nothing here decodes, and for recordings, which keep
 * nothing else of a kernel's code.
 */
#ifndef GCN_TEXT_H
#define GCN_TEXT_H

#include <stdbool.h>

/* An atomic that gives back what was there: `_rtn` of LDS, the counters of ds_append and ds_consume; elsewhere the bit glc,
 * sc0 from gfx940 on, a hint from gfx12 on (LLVM, "User Guide for AMDGPU Backend", memory
 * models of each). */
bool gcn_text_returns(const char *text);

/* An atomic that stores only where memory holds what is expected. */
bool gcn_text_compares(const char *text);

/* Names of instructions, one or several ("2x global_load_dword"), that all access global memory as such, not by flat addresses. */
bool gcn_text_is_global(const char *names);

#endif
