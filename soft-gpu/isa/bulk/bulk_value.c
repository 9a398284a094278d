/*
 * bulk_value.c - ranges, fields and comparisons of affine functions of the work-item.
 */
#include "bulk_value.h"

struct range {
    __int128 least, most;
};

/* ---- One axis ---- */

/* Groups [g0, g1], items [i0, i1] of each. */
static void extend(struct range *r, const struct sg_exact *x, unsigned axis, const uint64_t g[2],
                   const uint64_t i[2])
{
    for (unsigned k = 0; k < 4; k++) {
        __int128 value = (__int128)x->per_group[axis] * (__int128)g[k / 2] +
                         (__int128)x->per_item[axis] * (__int128)i[k % 2];
        r->least = value < r->least ? value : r->least;
        r->most = value > r->most ? value : r->most;
    }
}

/* The share of one axis: the part of the first group, whole groups, the part of the last group. */
static struct range axis_range(const struct sg_exact *x, unsigned axis, struct sg_items in,
                               const uint32_t group[SG_AXES])
{
    const uint64_t size = group[axis];
    const uint64_t first = in.from[axis] / size, last = (in.to[axis] - 1) / size;
    const uint64_t begin = in.from[axis] % size, end = (in.to[axis] - 1) % size;
    struct range r = {(__int128)1 << 126, -((__int128)1 << 126)};
    if (first == last) {
        extend(&r, x, axis, (uint64_t[]){first, first}, (uint64_t[]){begin, end});
        return r;
    }
    extend(&r, x, axis, (uint64_t[]){first, first}, (uint64_t[]){begin, size - 1});
    extend(&r, x, axis, (uint64_t[]){last, last}, (uint64_t[]){0, end});
    if (first + 1 < last)
        extend(&r, x, axis, (uint64_t[]){first + 1, last - 1}, (uint64_t[]){0, size - 1});
    return r;
}

/* ---- Functions over the integers ---- */

static void find_range(struct sg_exact *x, struct sg_items in, const uint32_t group[SG_AXES])
{
    x->least = x->most = x->base;
    for (unsigned axis = 0; axis < SG_AXES; axis++) {
        struct range r = axis_range(x, axis, in, group);
        x->least += r.least;
        x->most += r.most;
    }
}

static bool shift_into(struct sg_exact *x, unsigned bits, bool is_signed)
{
    const __int128 modulus = (__int128)1 << bits, low = is_signed ? -(modulus / 2) : 0;
    __int128 turns = (x->least - low) / modulus;
    if ((x->least - low) % modulus < 0)
        turns--;
    x->base -= turns * modulus;
    x->least -= turns * modulus;
    x->most -= turns * modulus;
    return x->most < low + modulus;
}

bool sg_affine_exact(struct sg_affine x, struct sg_items in, const uint32_t group[SG_AXES], unsigned bits,
                     bool is_signed, struct sg_exact *out)
{
    for (unsigned narrow = 0; narrow < (bits == 32 ? 2 : 1); narrow++) {
        /* Only 32 bits of the slopes count: the shorter way round may not wrap. */
        *out = (struct sg_exact){.base = narrow ? (uint32_t)x.base : x.base};
        for (unsigned i = 0; i < SG_AXES; i++) {
            out->per_group[i] = narrow ? (int32_t)x.per_group[i] : x.per_group[i];
            out->per_item[i] = narrow ? (int32_t)x.per_item[i] : x.per_item[i];
        }
        find_range(out, in, group);
        if (shift_into(out, bits, is_signed))
            return true;
    }
    return false;
}

/* ---- Fields ---- */

/* What of x is no multiple of 2^shift, as a function of its own; *above becomes the rest, divided. */
static struct sg_exact low_part(const struct sg_exact *x, unsigned shift, struct sg_exact *above)
{
    const __int128 one = (__int128)1 << shift;
    struct sg_exact low = {.base = x->base & (one - 1)};
    *above = (struct sg_exact){.base = x->base >> shift};
    for (unsigned i = 0; i < SG_AXES; i++) {
        if (x->per_group[i] % one)
            low.per_group[i] = x->per_group[i];
        else
            above->per_group[i] = (int64_t)(x->per_group[i] / one);
        if (x->per_item[i] % one)
            low.per_item[i] = x->per_item[i];
        else
            above->per_item[i] = (int64_t)(x->per_item[i] / one);
    }
    return low;
}

bool sg_exact_field(const struct sg_exact *x, struct sg_items in, const uint32_t group[SG_AXES],
                    unsigned shift, unsigned width, struct sg_affine *out)
{
    struct sg_exact above, rest, low = low_part(x, shift, &above);
    find_range(&low, in, group);
    if (low.least < 0 || low.most >> shift)
        return false; /* it carries into the field */
    low = low_part(&above, width, &rest);
    find_range(&low, in, group);
    if (low.least < 0 || low.most >> width)
        return false;
    *out = sg_affine_const((uint64_t)low.base);
    for (unsigned i = 0; i < SG_AXES; i++) {
        out->per_group[i] = low.per_group[i];
        out->per_item[i] = low.per_item[i];
    }
    return true;
}

/* ---- Comparisons ---- */

/* The share of one axis at t. */
static __int128 value_at(const struct sg_exact *x, unsigned axis, uint64_t t, uint32_t size)
{
    return (__int128)x->per_group[axis] * (__int128)(t / size) +
           (__int128)x->per_item[axis] * (__int128)(t % size);
}

/* First place on the axis where the rising function is at least `bound`; in.to when there is none. */
static uint64_t first_at_least(const struct sg_exact *x, unsigned axis, __int128 bound, struct sg_items in,
                               uint32_t size)
{
    uint64_t low = in.from[axis], high = in.to[axis];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (x->base + value_at(x, axis, middle, size) >= bound)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool rises(const struct sg_exact *x, unsigned axis, struct sg_items in, uint32_t size)
{
    if (x->per_item[axis] < 0)
        return false;
    if (in.from[axis] / size == (in.to[axis] - 1) / size)
        return true;
    return (__int128)x->per_group[axis] >= (__int128)x->per_item[axis] * (size - 1);
}

static void negate(struct sg_exact *x)
{
    x->base = -x->base;
    for (unsigned i = 0; i < SG_AXES; i++) {
        x->per_group[i] = -x->per_group[i];
        x->per_item[i] = -x->per_item[i];
    }
}

/* x - y. False when a slope does not fit. */
static bool difference(const struct sg_exact *x, const struct sg_exact *y, struct sg_exact *d)
{
    *d = (struct sg_exact){.base = x->base - y->base};
    for (unsigned i = 0; i < SG_AXES; i++) {
        __int128 group = (__int128)x->per_group[i] - y->per_group[i];
        __int128 item = (__int128)x->per_item[i] - y->per_item[i];
        d->per_group[i] = (int64_t)group;
        d->per_item[i] = (int64_t)item;
        if (d->per_group[i] != group || d->per_item[i] != item || d->per_group[i] == INT64_MIN ||
            d->per_item[i] == INT64_MIN)
            return false;
    }
    return true;
}

/* Finds the axis that x depends on, 0 when there is none; the shares of axes on which it does not change go
 * to the base. False when there are several. */
static bool only_axis(struct sg_exact *x, struct sg_items in, const uint32_t group[SG_AXES], unsigned *axis)
{
    unsigned n = 0;
    *axis = 0;
    for (unsigned i = 0; i < SG_AXES; i++) {
        struct range r = axis_range(x, i, in, group);
        if (r.least != r.most) {
            *axis = i;
            n++;
            continue;
        }
        x->base += r.least;
        x->per_group[i] = x->per_item[i] = 0;
    }
    return n < 2;
}

/* The relation of x to 0 is the same for all of `in`; *all becomes it. */
static bool decided(const struct sg_exact *x, enum sg_relation relation, bool *all)
{
    const bool below = x->most < 0, above = x->least > 0, zero = x->least == 0 && x->most == 0;
    switch (relation) {
    case SG_LT:
        *all = below;
        return below || x->least >= 0;
    case SG_LE:
        *all = x->most <= 0;
        return *all || above;
    case SG_GE:
        *all = x->least >= 0;
        return *all || below;
    case SG_GT:
        *all = above;
        return above || x->most <= 0;
    default: /* SG_NE answers where they are equal */
        *all = zero;
        return zero || below || above;
    }
}

bool sg_exact_compare(const struct sg_exact *x, const struct sg_exact *y, enum sg_relation relation,
                      struct sg_items in, const uint32_t group[SG_AXES], struct sg_items *out)
{
    static const enum sg_relation mirrored[] = {SG_GT, SG_GE, SG_EQ, SG_LE, SG_LT, SG_NE};
    struct sg_exact d;
    unsigned axis;
    bool all;
    if (!difference(x, y, &d))
        return false;
    find_range(&d, in, group);
    if (decided(&d, relation, &all)) {
        *out = all ? in : (struct sg_items){{0}, {0}};
        return true;
    }
    if (!only_axis(&d, in, group, &axis))
        return false;
    if (!rises(&d, axis, in, group[axis])) {
        negate(&d);
        relation = mirrored[relation];
        if (!rises(&d, axis, in, group[axis]))
            return false;
    }
    const uint64_t zero = first_at_least(&d, axis, 0, in, group[axis]);
    const uint64_t above = first_at_least(&d, axis, 1, in, group[axis]);
    *out = in;
    if (relation == SG_LT)
        out->to[axis] = zero;
    else if (relation == SG_LE)
        out->to[axis] = above;
    else if (relation == SG_GE)
        out->from[axis] = zero;
    else if (relation == SG_GT)
        out->from[axis] = above;
    else {
        out->from[axis] = zero;
        out->to[axis] = above;
    }
    *out = sg_items_and(*out, in);
    return true;
}
