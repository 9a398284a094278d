/*
 * stall_code.h - machine code as stall.c looks at it. A stop is a backward jump, an indirect jump or an
 * s_sleep: where a wavefront with a budget of 0 returns to the scheduler. Between two stops code only goes
 * forward.
 */
#ifndef SOFT_GPU_ISA_STALL_CODE_H
#define SOFT_GPU_ISA_STALL_CODE_H

#include "gcn/gcn.h"
#include "stall.h"

enum { SG_SPAN = 4096 }; /* dwords of code that one look may cover */

enum sg_mark { SG_REACHED = 1, SG_LEADS = 2 };

/* What can run on the way from one stop to the next. Arrays: per dword behind `from`. */
struct sg_look {
    uint64_t from;            /* the instruction behind one stop */
    uint8_t mark[SG_SPAN];    /* enum sg_mark: both for what lies on the way */
    uint8_t size[SG_SPAN];    /* dwords of the instruction there */
    uint8_t depends[SG_SPAN]; /* enum sg_depends */
    uint16_t branch[SG_SPAN]; /* dword that a forward branch goes to; 0: none */
    bool falls[SG_SPAN];      /* goes on with the next instruction */
    bool is_time[SG_SPAN];    /* all that it depends on is time */
};

/* Free with free(). NULL when out of memory or not understood. */
struct sg_look *sg_look_between(struct sg_wave *w, uint64_t from, uint64_t stop);

/* What the way from an instruction to the next stop, at `stop`, depends on; *pc becomes the first such
 * instruction. Without `time_counts` reading the time is nothing: what it gives is not used. */
enum sg_depends sg_depends_between(struct sg_wave *w, uint64_t from, uint64_t stop, bool time_counts,
                                   uint64_t *pc);

bool sg_decode_at(struct sg_wave *w, uint64_t pc, struct gcn_inst *in);
/* Gives another number each time, whatever else happens. */
bool sg_reads_time(const struct gcn_inst *in);

#endif
