/*
 * bulk_value.h - numbers as functions of the work-item, for bulk_eval.c. Pure functions.
 *
 * A work-item is a point of the grid: t[0], t[1], t[2] count work-items along its axes x, y and z. On axis a
 * it is item t[a] % G[a] of group t[a] / G[a]. A set of work-items is a box.
 */
#ifndef SOFT_GPU_ISA_BULK_VALUE_H
#define SOFT_GPU_ISA_BULK_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum { SG_AXES = 3 };

/* base + sum over the axes of per_group * (t / G) + per_item * (t % G), modulo 2^64. */
struct sg_affine {
    uint64_t base;
    int64_t per_group[SG_AXES], per_item[SG_AXES];
};

/* [from, to) on each axis; empty ones are all zero. */
struct sg_items {
    uint64_t from[SG_AXES], to[SG_AXES];
};

static inline bool sg_items_empty(struct sg_items a)
{
    return a.from[0] >= a.to[0] || a.from[1] >= a.to[1] || a.from[2] >= a.to[2];
}
static inline struct sg_items sg_items_and(struct sg_items a, struct sg_items b)
{
    for (unsigned i = 0; i < SG_AXES; i++) {
        a.from[i] = a.from[i] > b.from[i] ? a.from[i] : b.from[i];
        a.to[i] = a.to[i] < b.to[i] ? a.to[i] : b.to[i];
    }
    return sg_items_empty(a) ? (struct sg_items){{0}, {0}} : a;
}
/* On axis i. */
static inline bool sg_items_same_side(struct sg_items a, struct sg_items b, unsigned i)
{
    return a.from[i] == b.from[i] && a.to[i] == b.to[i];
}
static inline bool sg_items_equal(struct sg_items a, struct sg_items b)
{
    return sg_items_same_side(a, b, 0) && sg_items_same_side(a, b, 1) && sg_items_same_side(a, b, 2);
}
/* a is a part of b. */
static inline bool sg_items_within(struct sg_items a, struct sg_items b)
{
    return sg_items_empty(a) || sg_items_equal(sg_items_and(a, b), a);
}
/* Both differ on one axis at most; *axis becomes it, or 0. */
static inline bool sg_items_aligned(struct sg_items a, struct sg_items b, unsigned *axis)
{
    unsigned n = 0;
    *axis = 0;
    for (unsigned i = 0; i < SG_AXES; i++)
        if (!sg_items_same_side(a, b, i)) {
            *axis = i;
            n++;
        }
    return n < 2;
}
/* The least box around both. */
static inline struct sg_items sg_items_around(struct sg_items a, struct sg_items b)
{
    for (unsigned i = 0; i < SG_AXES; i++) {
        a.from[i] = a.from[i] < b.from[i] ? a.from[i] : b.from[i];
        a.to[i] = a.to[i] > b.to[i] ? a.to[i] : b.to[i];
    }
    return a;
}
/* How many. */
static inline uint64_t sg_items_number(struct sg_items a)
{
    if (sg_items_empty(a))
        return 0;
    return (a.to[0] - a.from[0]) * (a.to[1] - a.from[1]) * (a.to[2] - a.from[2]);
}

static inline struct sg_affine sg_affine_const(uint64_t value)
{
    return (struct sg_affine){.base = value};
}
static inline bool sg_affine_same_slope(struct sg_affine x, struct sg_affine y)
{
    for (unsigned i = 0; i < SG_AXES; i++)
        if (x.per_group[i] != y.per_group[i] || x.per_item[i] != y.per_item[i])
            return false;
    return true;
}
static inline bool sg_affine_is_const(struct sg_affine x)
{
    return sg_affine_same_slope(x, sg_affine_const(0));
}
static inline struct sg_affine sg_affine_add(struct sg_affine x, struct sg_affine y)
{
    x.base += y.base;
    for (unsigned i = 0; i < SG_AXES; i++) {
        x.per_group[i] = (int64_t)((uint64_t)x.per_group[i] + (uint64_t)y.per_group[i]);
        x.per_item[i] = (int64_t)((uint64_t)x.per_item[i] + (uint64_t)y.per_item[i]);
    }
    return x;
}
static inline struct sg_affine sg_affine_scale(struct sg_affine x, uint64_t by)
{
    x.base *= by;
    for (unsigned i = 0; i < SG_AXES; i++) {
        x.per_group[i] = (int64_t)((uint64_t)x.per_group[i] * by);
        x.per_item[i] = (int64_t)((uint64_t)x.per_item[i] * by);
    }
    return x;
}
/* `group`: G of each axis. */
static inline uint64_t sg_affine_at(struct sg_affine x, const uint64_t t[SG_AXES],
                                    const uint32_t group[SG_AXES])
{
    for (unsigned i = 0; i < SG_AXES; i++)
        x.base += (uint64_t)x.per_group[i] * (t[i] / group[i]) + (uint64_t)x.per_item[i] * (t[i] % group[i]);
    return x.base;
}

/* An affine function over the integers: the value is the sum itself, without the modulo. */
struct sg_exact {
    __int128 base;
    int64_t per_group[SG_AXES], per_item[SG_AXES];
    __int128 least, most; /* over the items it was made for */
};
/* The integer function whose values lie in [0, 2^bits) - or [-2^(bits-1), 2^(bits-1)) - and equal x modulo
 * 2^bits on all of `in`, which is not empty. False when x wraps there. */
bool sg_affine_exact(struct sg_affine x, struct sg_items in, const uint32_t group[SG_AXES], unsigned bits,
                     bool is_signed, struct sg_exact *out);

/* Bits [shift, shift + width) of an exact function that is not negative, as a function. False when they are
 * none. */
bool sg_exact_field(const struct sg_exact *x, struct sg_items in, const uint32_t group[SG_AXES],
                    unsigned shift, unsigned width, struct sg_affine *out);

enum sg_relation { SG_LT, SG_LE, SG_EQ, SG_GE, SG_GT, SG_NE };
/* Items of `in` for which x relates to y, as one box; for SG_NE those where they are equal. False when they
 * are not one box, or the difference depends on more than one axis. */
bool sg_exact_compare(const struct sg_exact *x, const struct sg_exact *y, enum sg_relation relation,
                      struct sg_items in, const uint32_t group[SG_AXES], struct sg_items *out);

#endif
