/*
 * ls_pass_loops.h - probes in front of loops, which tell accesses of all turns (docs/internals/site-table.md, "Turns").
 */
#ifndef LS_PASS_LOOPS_H
#define LS_PASS_LOOPS_H

#include "ls_pass.h"

/* An access that a loop makes on each of its turns. The first three are the caller's; the others are computed in front of the
 * loop by ls_tell_turns. */
struct ls_told {
    struct ls_turns *turns; /* of ls_turns_of */
    uint32_t number;        /* of the site, in messages */
    bool lds;
    LLVMValueRef wave;    /* for the probe there */
    LLVMValueRef inside;  /* for one in the loop; NULL: it needs none (ls_waves) */
    LLVMValueRef address; /* i64, on the first turn */
    LLVMValueRef other;   /* i64, on every second turn (ls_alternates); NULL: the same way as the others */
    LLVMValueRef step;    /* i64, of the index, or of the address */
    LLVMValueRef more;    /* i64, number of turns - 1 */
    LLVMValueRef index;   /* i32, on the first turn; NULL: it has none that may wrap */
    bool is_signed;       /* the index is */
};

/* Computes what the probe gets, by the builder, which is left in front of the loop's end. `wave`: the function's. */
void ls_tell_turns(struct ls_module *m, LLVMBuilderRef b, LLVMValueRef wave, struct ls_told *t);
/* Inserts the probe of one access where the builder stands. */
void ls_probe_turns(struct ls_module *m, LLVMBuilderRef b, const struct ls_told *t);
/* The same of 2 to LS_SEVERAL accesses of one loop, with ascending sites. Returns its result: not 0 where it tells nothing, and each needs
 * a probe of its own. */
LLVMValueRef ls_probe_loop(struct ls_module *m, LLVMBuilderRef b, struct ls_told *const *t, unsigned n);

#endif
