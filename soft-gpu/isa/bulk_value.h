/*
 * bulk_value.h - numbers as functions of the work-item, for bulk_eval.c. Pure functions.
 *
 * Work-items of a one-dimensional grid are numbered 0..; work-item t is item t % G of group t / G. A set of
 * work-items is an interval of t.
 */
#ifndef SOFT_GPU_ISA_BULK_VALUE_H
#define SOFT_GPU_ISA_BULK_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* base + per_group * (t / G) + per_item * (t % G), modulo 2^64. */
struct sg_affine {
    uint64_t base;
    int64_t per_group, per_item;
};

/* [from, to); empty ones are {0, 0}. */
struct sg_items {
    uint64_t from, to;
};

static inline bool sg_items_empty(struct sg_items a)
{
    return a.from >= a.to;
}
static inline struct sg_items sg_items_and(struct sg_items a, struct sg_items b)
{
    struct sg_items r = {a.from > b.from ? a.from : b.from, a.to < b.to ? a.to : b.to};
    return sg_items_empty(r) ? (struct sg_items){0, 0} : r;
}
static inline bool sg_items_equal(struct sg_items a, struct sg_items b)
{
    return a.from == b.from && a.to == b.to;
}
/* a is a part of b. */
static inline bool sg_items_within(struct sg_items a, struct sg_items b)
{
    return sg_items_empty(a) || (a.from >= b.from && a.to <= b.to);
}

static inline struct sg_affine sg_affine_const(uint64_t value)
{
    return (struct sg_affine){value, 0, 0};
}
static inline bool sg_affine_is_const(struct sg_affine x)
{
    return !x.per_group && !x.per_item;
}
static inline bool sg_affine_same_slope(struct sg_affine x, struct sg_affine y)
{
    return x.per_group == y.per_group && x.per_item == y.per_item;
}
static inline struct sg_affine sg_affine_add(struct sg_affine x, struct sg_affine y)
{
    return (struct sg_affine){x.base + y.base, (int64_t)((uint64_t)x.per_group + (uint64_t)y.per_group),
                              (int64_t)((uint64_t)x.per_item + (uint64_t)y.per_item)};
}
static inline struct sg_affine sg_affine_scale(struct sg_affine x, uint64_t by)
{
    return (struct sg_affine){x.base * by, (int64_t)((uint64_t)x.per_group * by),
                              (int64_t)((uint64_t)x.per_item * by)};
}
static inline uint64_t sg_affine_at(struct sg_affine x, uint64_t t, uint32_t group_size)
{
    return x.base + (uint64_t)x.per_group * (t / group_size) + (uint64_t)x.per_item * (t % group_size);
}

/* An affine function over the integers: the value is shift + x without the modulo. */
struct sg_exact {
    __int128 base;
    int64_t per_group, per_item;
    __int128 least, most; /* over the items it was made for */
};
/* The integer function whose values lie in [0, 2^bits) - or [-2^(bits-1), 2^(bits-1)) - and equal x modulo
 * 2^bits on all of `in`, which is not empty. False when x wraps there. */
bool sg_affine_exact(struct sg_affine x, struct sg_items in, uint32_t group_size, unsigned bits,
                     bool is_signed, struct sg_exact *out);

enum sg_relation { SG_LT, SG_LE, SG_EQ, SG_GE, SG_GT, SG_NE };
/* Items of `in` for which x relates to y, as one interval; for SG_NE those where they are equal. False when
 * they are not one interval. */
bool sg_exact_compare(const struct sg_exact *x, const struct sg_exact *y, enum sg_relation relation,
                      struct sg_items in, uint32_t group_size, struct sg_items *out);

#endif
