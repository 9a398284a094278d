/*
 * wide.h - addresses of 64 bits that lie a constant apart. They are computed in two halves,
 *
 *     v_add_co_u32 v4, vcc, s0, v2         s0: 0x1080
 *     v_addc_co_u32 v5, vcc, 0, v3, vcc
 *
 * so that it takes both to know the sum: v[4:5] holds 0x1080 more than v[2:3]. Pure: no I/O, no global state.
 */
#ifndef JOIN_WIDE_H
#define JOIN_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include "join/machine/op/op.h"

/* What 32 bits hold: what `number` stands for, and `shift` more. */
struct ls_value {
    uint32_t number; /* 0: not known */
    int32_t shift;
};
struct ls_wide_value {
    struct ls_value low, high;
};

enum { LS_WIDE_KNOWN = 64, LS_WIDE_CARRIES = 4 };
struct ls_wide {
    struct {
        struct ls_wide_value sum; /* these two halves are, as one number, */
        uint64_t root;            /* what this stands for, */
        int32_t shift;            /* and so much more */
    } known[LS_WIDE_KNOWN];       /* the oldest is replaced */
    struct ls_wide_carry {
        struct ls_registers in;    /* the mask of lanes, or SCC; n 0: none */
        struct ls_registers to;    /* the register that the low half is in */
        struct ls_value from, low; /* the low half before, and after */
        uint32_t added;
    } carries[LS_WIDE_CARRIES];
    unsigned next_known, next_carry;
};

/* SCC, which no operand names. */
static inline struct ls_registers ls_wide_scc(void)
{
    return (struct ls_registers){LS_FILE_SCALAR, 253, 1};
}

/* A number for what two halves hold, and how much more than that they hold. */
uint64_t ls_wide_root(const struct ls_wide *w, struct ls_wide_value v, int32_t *shift);
/* `sum` is `from` and `added`. */
void ls_wide_learn(struct ls_wide *w, struct ls_wide_value sum, struct ls_wide_value from, int64_t added);

/* A low half was added to, and carries out. */
void ls_wide_carry(struct ls_wide *w, struct ls_wide_carry c);
/* The one that carried out to these registers, as long as they are not written; n of `in` 0: none. */
struct ls_wide_carry ls_wide_carried(const struct ls_wide *w, struct ls_registers in);
void ls_wide_written(struct ls_wide *w, struct ls_registers r);
/* Nothing is known of carries any more: other ways come together, or other lanes become active. */
void ls_wide_forget(struct ls_wide *w);

#endif
