/*
 * report.h - a dispatch of a kernel without probes that is observed all the same: the messages that probes would
 * send (lanescope/wire.h), sent by the software GPU for each memory instruction that it executes. What stands in
 * the access log and what is reported come out of the same micro-operation.
 *
 * A wavefront fills chunks of its own, so workers share nothing but the ring's counters.
 */
#ifndef SOFT_GPU_ISA_REPORT_H
#define SOFT_GPU_ISA_REPORT_H

#include "soft-gpu/isa/code/uop.h"

struct sg_report;
/* Of the dispatch whose packet names the context at GPU address `ctx`. NULL when there is none: nobody observes
 * the dispatch. Free with sg_report_close. */
struct sg_report *sg_report_open(struct sg_tlb *t, uint64_t ctx);
/* When all wavefronts have ended. */
void sg_report_close(struct sg_report *r);
/* A wavefront starts, its place and registers filled; r may be NULL. */
void sg_report_begin(struct sg_wave *w, const struct sg_report *r);
/* An access, as of sg_log_access, when w->report.to is set. Addresses are those of the instruction: of flat ones
 * those in apertures, too, whatever memory the lanes mean, in one access. `second`: of the two accesses of an
 * instruction, or what a load to LDS writes. `scratch`: of a buffer on the stack. */
void sg_report_access(struct sg_wave *w, const struct sg_uop *u, bool second, bool scratch, unsigned bytes,
                      uint64_t exec, const uint64_t addr[SG_MAX_LANES]);
/* It has ended, or its dispatch was stopped; does nothing the second time. */
void sg_report_end(struct sg_wave *w);

#endif
