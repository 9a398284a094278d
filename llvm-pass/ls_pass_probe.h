/*
 * ls_pass_probe.h - what a clone gets probes for: found by ls_pass_find.c, inserted by ls_pass_probe.c.
 */
#ifndef LS_PASS_PROBE_H
#define LS_PASS_PROBE_H

#include "ls_pass.h"
#include "ls_pass_loops.h"

typedef VEC(LLVMValueRef) value_vec;

struct probe {
    struct ls_access access;
    uint32_t site;
    unsigned stretch;    /* of its block: instructions in a row that may share probes have one number */
    unsigned leads;      /* sites that its probe stands for, too */
    bool shares;         /* its site may lead or follow */
    bool led;            /* it has none of its own */
    struct ls_told told; /* of a loop whose turns its probe tells at once; turns NULL: none */
    unsigned several; /* number of accesses that its probe tells, if that is more than this one; 0 as well */
    unsigned first;   /* of in->probes from 1 on, the one whose probe tells this access; 0: its own */
    bool shapes;      /* with several: each has its own stride from lane to lane */
    bool scattered;   /* with several: their lanes' addresses seem to be */
    bool branches;    /* with several: in several blocks, whose conditions are to hold in all lanes */
    LLVMBasicBlockRef block; /* of the clone before probes were inserted */
    bool at_start;           /* nothing in front of it in its block separates it from what is before that */
    LLVMValueRef fork;       /* the branch that alone decides about its block (ls_branch_over); NULL: none */
    LLVMValueRef condition;  /* with a fork: when lanes execute the block; if `negated`, when they do not */
    bool negated;
    LLVMValueRef left; /* with several, in front of a loop: whether each needs a probe of its own */
};

/* Where a block of the original begins in the clone (ls_pass_blocks.c). */
struct block {
    LLVMValueRef mark;
    uint32_t site; /* LS_NONE: it gets no probe */
};

struct inserter {
    struct ls_module *m;
    struct ls_clone *c;
    LLVMBuilderRef b;
    VEC(struct probe) probes;
    VEC(struct block) blocks;  /* in the order of the original's, mark NULL where there is none */
    uint32_t calibration, end; /* sites of a kernel with block probes */
    unsigned stretch;          /* see struct probe */
    unsigned at_start;         /* what that was at the beginning of the block */
    struct ls_loops *loops;    /* of the clone */
    bool optimised;            /* code generation of the function is */
    value_vec calls;           /* of the user, to be redirected to clones */
    value_vec inserted;        /* calls of the device library that are to be inlined */
};

/* In front of which instruction the probe stands that tells several accesses, of several blocks or of one. */
LLVMValueRef ls_place_of_several(const struct probe *first, bool branches);

/* Lists all accesses of the function in the site table. Of a clone, which must be unchanged, also those that get
 * probes, and the calls that are to be redirected; `uniformity`: ls_uniformity of it, NULL of a function that gets
 * no clone. */
void ls_find_sites(struct inserter *in, LLVMValueRef function, void *uniformity);

/* Lists the blocks of a clone that get probes, and marks those of its original. */
void ls_find_blocks(struct inserter *in, LLVMValueRef function);

#endif
