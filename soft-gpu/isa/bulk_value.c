/*
 * bulk_value.c - ranges and comparisons of affine functions of the work-item.
 */
#include "bulk_value.h"

/* Groups [g0, g1], items [i0, i1] of each. */
static void extend(struct sg_exact *x, uint64_t g0, uint64_t g1, uint64_t i0, uint64_t i1)
{
    __int128 g[2] = {(__int128)x->per_group * (__int128)g0, (__int128)x->per_group * (__int128)g1};
    __int128 i[2] = {(__int128)x->per_item * (__int128)i0, (__int128)x->per_item * (__int128)i1};
    __int128 least = x->base + (g[0] < g[1] ? g[0] : g[1]) + (i[0] < i[1] ? i[0] : i[1]);
    __int128 most = x->base + (g[0] < g[1] ? g[1] : g[0]) + (i[0] < i[1] ? i[1] : i[0]);
    if (least < x->least)
        x->least = least;
    if (most > x->most)
        x->most = most;
}

/* The part of the first group, whole groups, the part of the last group. */
static void find_range(struct sg_exact *x, struct sg_items in, uint32_t group_size)
{
    const uint64_t first = in.from / group_size, last = (in.to - 1) / group_size;
    const uint64_t begin = in.from % group_size, end = (in.to - 1) % group_size;
    x->least = (__int128)1 << 126;
    x->most = -x->least;
    if (first == last) {
        extend(x, first, first, begin, end);
        return;
    }
    extend(x, first, first, begin, group_size - 1);
    extend(x, last, last, 0, end);
    if (first + 1 < last)
        extend(x, first + 1, last - 1, 0, group_size - 1);
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

bool sg_affine_exact(struct sg_affine x, struct sg_items in, uint32_t group_size, unsigned bits,
                     bool is_signed, struct sg_exact *out)
{
    *out = (struct sg_exact){.base = x.base, .per_group = x.per_group, .per_item = x.per_item};
    find_range(out, in, group_size);
    if (shift_into(out, bits, is_signed))
        return true;
    if (bits != 32)
        return false;
    /* Only 32 bits of the slopes count: the shorter way round may not wrap. */
    *out = (struct sg_exact){
        .base = (uint32_t)x.base, .per_group = (int32_t)x.per_group, .per_item = (int32_t)x.per_item};
    find_range(out, in, group_size);
    return shift_into(out, bits, is_signed);
}

static __int128 value_at(const struct sg_exact *x, uint64_t t, uint32_t group_size)
{
    return x->base + (__int128)x->per_group * (__int128)(t / group_size) +
           (__int128)x->per_item * (__int128)(t % group_size);
}

/* First item of `in` where the rising function is at least `bound`; in.to when there is none. */
static uint64_t first_at_least(const struct sg_exact *x, __int128 bound, struct sg_items in,
                               uint32_t group_size)
{
    uint64_t low = in.from, high = in.to;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (value_at(x, middle, group_size) >= bound)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool rises(const struct sg_exact *x, struct sg_items in, uint32_t group_size)
{
    if (x->per_item < 0)
        return false;
    if (in.from / group_size == (in.to - 1) / group_size)
        return true;
    return (__int128)x->per_group >= (__int128)x->per_item * (group_size - 1);
}

bool sg_exact_compare(const struct sg_exact *x, const struct sg_exact *y, enum sg_relation relation,
                      struct sg_items in, uint32_t group_size, struct sg_items *out)
{
    static const enum sg_relation mirrored[] = {SG_GT, SG_GE, SG_EQ, SG_LE, SG_LT, SG_NE};
    __int128 group = (__int128)x->per_group - y->per_group, item = (__int128)x->per_item - y->per_item;
    struct sg_exact d = {x->base - y->base, (int64_t)group, (int64_t)item, 0, 0};
    if (d.per_group != group || d.per_item != item || d.per_group == INT64_MIN || d.per_item == INT64_MIN)
        return false;
    if (!rises(&d, in, group_size)) {
        d = (struct sg_exact){-d.base, -d.per_group, -d.per_item, 0, 0};
        relation = mirrored[relation];
        if (!rises(&d, in, group_size))
            return false;
    }
    uint64_t zero = first_at_least(&d, 0, in, group_size), above = first_at_least(&d, 1, in, group_size);
    switch (relation) {
    case SG_LT:
        *out = (struct sg_items){in.from, zero};
        break;
    case SG_LE:
        *out = (struct sg_items){in.from, above};
        break;
    case SG_EQ:
    case SG_NE:
        *out = (struct sg_items){zero, above};
        break;
    case SG_GE:
        *out = (struct sg_items){zero, in.to};
        break;
    case SG_GT:
        *out = (struct sg_items){above, in.to};
        break;
    }
    *out = sg_items_and(*out, in);
    return true;
}
