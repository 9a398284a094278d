/*
 * stall.h - does a wavefront wait for ever? Finds loops whose registers repeat, or only count, and says what
 * such a loop depends on.
 *
 * A wavefront whose registers are the same at two arrivals at the same instruction goes round for ever,
 * unless something that it reads in between changes. So a repeating loop that reads nothing never ends, and
 * one that reads only LDS ends only through another wavefront of its work-group. What reads other memory may
 * wait for another work-group, for another kernel or for the host.
 */
#ifndef SOFT_GPU_ISA_STALL_H
#define SOFT_GPU_ISA_STALL_H

#include "soft-gpu/isa/wave/dispatch.h"

/* What a loop depends on, or changes, besides its registers. In this order: worse ones are greater. */
enum sg_depends {
    SG_DEPENDS_NOTHING,
    SG_DEPENDS_LDS,    /* reads LDS, and writes nothing */
    SG_DEPENDS_MEMORY, /* reads other memory, and writes nothing that it would not write again */
    SG_DEPENDS_ITSELF, /* may change what it reads: no waiting; and what was not understood */
};

/* A set of registers: SGPRs by number, SCC, rows of vector registers. */
enum { SG_REGISTER_SCC = 128, SG_REGISTER_ROWS = 129, SG_REGISTERS = SG_REGISTER_ROWS + 512 };
struct sg_registers {
    uint64_t bits[(SG_REGISTERS + 63) / 64];
};
static inline bool sg_registers_has(const struct sg_registers *r, unsigned i)
{
    return r->bits[i / 64] >> i % 64 & 1;
}
static inline void sg_registers_put(struct sg_registers *r, unsigned i, bool is_in)
{
    r->bits[i / 64] = (r->bits[i / 64] & ~(1ull << i % 64)) | (uint64_t)is_in << i % 64;
}

/* What is known of one wavefront that may wait. */
struct sg_repeat {
    bool counts;                  /* some registers change, */
    struct sg_registers changing; /* these, and nothing depends on them (stall_counts.h) */
    uint64_t hash;                /* of its registers where the loop begins */
    uint32_t stops; /* times that it returns to the scheduler in one round of the loop; 0: no loop is known */
    bool waits;     /* in a grid barrier: one stop, SG_STOP_WAIT */
    enum sg_depends depends;
    uint64_t pc; /* of the instruction that the loop depends on, else of its first */
};

enum sg_watch {
    SG_WATCH_REPEATS, /* it went round once, and its registers are what they were */
    SG_WATCH_CHANGES, /* it ran, and is ready to run on */
    SG_WATCH_STOPS,   /* *stop says how it returned to the scheduler; it is not a yield */
};

/* Runs the wavefront for a few times `limit` stops to see whether its registers repeat, but for those that
 * only count if `thorough`. When `r` knows a loop, one round is run to confirm it; a loop that is left is
 * forgotten. `k` says which rows are its own. */
enum sg_watch sg_watch(struct sg_wave *w, const struct sg_kernel *k, unsigned limit, bool thorough,
                       struct sg_repeat *r, enum sg_stop *stop);

/* Runs one more round of a known loop and compares every register that does not only count: true when nothing
 * has changed.
 * False also when memory is short, or the wavefront stopped;
 * then *stop is not SG_STOP_YIELD and must be dealt with. */
bool sg_watch_exactly(struct sg_wave *w, const struct sg_kernel *k, struct sg_repeat *r, enum sg_stop *stop);

/* True when no path of direct branches from here leads to the end of the kernel, to a trap or to code that
 * was not looked at (indirect jumps, more than 64 Ki instructions). */
bool sg_cannot_end(struct sg_wave *w);

/* Describes a wavefront that waits: place and instruction from r->pc. */
void sg_describe_stall(struct sg_wave *w, const struct sg_repeat *r, const char *message, struct sg_fault *f);

#endif
