/*
 * bulk_plan.h - what bulk_eval.c finds out about a dispatch, bulk_check.c checks and bulk_run.c executes.
 */
#ifndef SOFT_GPU_ISA_BULK_PLAN_H
#define SOFT_GPU_ISA_BULK_PLAN_H

#include "bulk.h"
#include "bulk_value.h"

enum { SG_BULK_PATTERN = 32 };

/* A store of `bytes` bytes at `to` by each of `items`: a pattern, or what stood at `from`. */
struct sg_bulk_store {
    struct sg_items items;
    struct sg_affine to, from;
    uint32_t bytes;
    bool is_fill;
    uint8_t pattern[SG_BULK_PATTERN];
    uint64_t pc;
};

/* A load of `bytes` bytes at `at` by each of `items`. */
struct sg_bulk_load {
    struct sg_items items;
    struct sg_affine at;
    uint32_t bytes;
};

struct sg_range_read {
    uint64_t lo, hi;
};

enum {
    SG_BULK_STORES = 8192,
    SG_BULK_READS = 256, /* ranges of memory whose contents decided something */
    SG_BULK_LEFT = 16,   /* intervals of work-groups left to the interpreter */
};

struct sg_bulk {
    uint32_t group[SG_AXES];  /* work-items of a work-group */
    uint32_t lanes;           /* of a wavefront */
    uint32_t wave[SG_AXES];   /* of a wavefront: all lanes of it, in the shape that they have in the grid */
    uint64_t groups[SG_AXES]; /* of the grid */
    uint64_t n_groups;
    struct sg_items grid;
    struct sg_bulk_store *stores;
    struct sg_bulk_load *loads;
    unsigned n_stores, n_loads;
    struct sg_range_read read[SG_BULK_READS];
    unsigned n_reads;
    struct sg_items left[SG_BULK_LEFT]; /* in work-groups */
    unsigned n_left;
    uint64_t n_inst, n_lane_ops;
    uint64_t groups_per_run;
};

/* Runs the kernel for the whole grid and fills the plan. False: out of memory, or nothing to gain. */
bool sg_bulk_evaluate(struct sg_bulk *p, const struct ls_gpu *arch, struct sg_tlb *tlb,
                      const struct sg_kernel *k, const struct sg_user_sgprs *user);

/* True when the stores may be done in any order: bulk_check.c. */
bool sg_bulk_is_sound(const struct sg_bulk *p, struct sg_tlb *tlb);

#endif
