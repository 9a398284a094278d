/* wide.c - see wide.h. */
#include "wide.h"

#include <string.h>

/* Functions of this file are compiled for a processor that callers have asked for. */
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)

/* Vectors stay in registers where loops over them are unrolled, in the function that has them. */
#define INLINE __attribute__((always_inline)) static inline
#define EACH(i, n) _Pragma("clang loop unroll(full)") for (unsigned i = 0; i < (n); i++)

typedef uint32_t v8 __attribute__((vector_size(32)));
typedef uint64_t v4 __attribute__((vector_size(32)));

/* ---- sorting 64 numbers ---- */

INLINE void exchange(v8 *a, v8 *b)
{
    const v8 low = __builtin_elementwise_min(*a, *b);
    *b = __builtin_elementwise_max(*a, *b);
    *a = low;
}

/* v[i] and v[i + distance], for eight of them. */
INLINE void exchange_all(v8 v[8], unsigned distance)
{
    EACH(i, 8)
    if (!(i & distance))
        exchange(&v[i], &v[i + distance]);
}

/* The eight numbers of each lane, by 19 exchanges. */
INLINE void sort_lanes(v8 v[8])
{
    exchange_all(v, 2);
    exchange_all(v, 4);
    exchange_all(v, 1);
    exchange(&v[2], &v[4]);
    exchange(&v[3], &v[5]);
    exchange(&v[1], &v[4]);
    exchange(&v[3], &v[6]);
    exchange(&v[1], &v[2]);
    exchange(&v[3], &v[4]);
    exchange(&v[5], &v[6]);
}

/* The same of numbers that first grow and then fall, or the other way round. */
INLINE void merge_lanes(v8 v[8])
{
    exchange_all(v, 4);
    exchange_all(v, 2);
    exchange_all(v, 1);
}

/* Numbers exchange with those of the lane that MOVED names in the lane's place; the smaller one goes to the lanes that UPPER takes
 * from its first argument. */
#define MOVED_2(x) __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6)
#define MOVED_4(x) __builtin_shufflevector(x, x, 3, 2, 1, 0, 7, 6, 5, 4)
#define MOVED_8(x) __builtin_shufflevector(x, x, 7, 6, 5, 4, 3, 2, 1, 0)
#define MOVED_BY_2(x) __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5)
#define UPPER_1(low, high) __builtin_shufflevector(low, high, 0, 9, 2, 11, 4, 13, 6, 15)
#define UPPER_2(low, high) __builtin_shufflevector(low, high, 0, 1, 10, 11, 4, 5, 14, 15)
#define UPPER_4(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3, 12, 13, 14, 15)
#define EXCHANGED(UPPER, a, b) UPPER(__builtin_elementwise_min(a, b), __builtin_elementwise_max(a, b))

/* Two sorted runs that lie in neighbouring lanes: number i of one meets number i from the end of the other one. */
#define MEET(MOVED, UPPER)                                                                                   \
    EACH(i, 4)                                                                                               \
    {                                                                                                        \
        const v8 a_ = v[i], b_ = v[7 - i], moved_a_ = MOVED(a_), moved_b_ = MOVED(b_);                       \
        v[i] = EXCHANGED(UPPER, a_, moved_b_);                                                               \
        v[7 - i] = EXCHANGED(UPPER, b_, moved_a_);                                                           \
    }
#define BETWEEN_LANES(MOVED, UPPER)                                                                          \
    EACH(i, 8)                                                                                               \
    {                                                                                                        \
        const v8 moved_ = MOVED(v[i]);                                                                       \
        v[i] = EXCHANGED(UPPER, v[i], moved_);                                                               \
    }

/* Lanes 0 to 3 and lanes 4 to 7 by themselves: a lane has its eight numbers in order from v[0] to v[7], and none is larger than
 * those of the next lane. */
INLINE void sort_halves(v8 v[8])
{
    sort_lanes(v);
    MEET(MOVED_2, UPPER_1)
    merge_lanes(v);
    MEET(MOVED_4, UPPER_2)
    BETWEEN_LANES(MOVED_2, UPPER_1)
    merge_lanes(v);
}

/* The same of all eight lanes. */
INLINE void sort(v8 v[8])
{
    sort_halves(v);
    MEET(MOVED_8, UPPER_4)
    BETWEEN_LANES(MOVED_BY_2, UPPER_2)
    BETWEEN_LANES(MOVED_2, UPPER_1)
    merge_lanes(v);
}

INLINE unsigned sum_of(v8 x)
{
    return x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}

/* ---- global memory ---- */

/* What is kept free before the first address and behind the last one, in 32 bits: for a line, and for a lane's bytes. */
enum { ROOM = 512 };

/* Four lanes' distances from `from`; of idle ones that of an active one, `own`. */
INLINE v4 distances_of(uint64_t exec, const uint64_t addr[4], uint64_t from, uint64_t own)
{
    const v4 lanes = {0, 1, 2, 3};
    v4 distance;
    memcpy(&distance, addr, sizeof distance);
    distance -= from;
    if (exec == ~0ull)
        return distance;
    const v4 active = 0 - (((v4){0} + exec) >> lanes & 1);
    return (active & distance) | (~active & own);
}

/* Distances of the addresses from one at the begin of a line. False: they do not fit. */
INLINE bool distances(uint64_t exec, const uint64_t addr[64], v8 out[8])
{
    const uint64_t first = addr[__builtin_ctzll(exec)], from = (first - (1ull << 31)) & ~127ull;
    v4 all = {0};
    EACH(i, 8)
    {
        const uint64_t active = exec == ~0ull ? exec : exec >> 8 * i;
        const v4 low = distances_of(active, addr + 8 * i, from, first - from),
                 high = distances_of(active == ~0ull ? active : active >> 4, addr + 8 * i + 4, from,
                                     first - from);
        all |= low | high;
        out[i] = __builtin_shufflevector((v8)low, (v8)high, 0, 2, 4, 6, 8, 10, 12, 14);
    }
    return !((all[0] | all[1] | all[2] | all[3]) >> 32);
}

/* Lanes whose block no lower lane of their quad has; idle ones have one each that nobody else has. */
INLINE unsigned first_of_quads(uint64_t exec, const v8 at[8])
{
    const v8 not_0 = {0, ~0u, ~0u, ~0u, 0, ~0u, ~0u, ~0u}, upper = {0, 0, ~0u, ~0u, 0, 0, ~0u, ~0u},
             last = {0, 0, 0, ~0u, 0, 0, 0, ~0u}, lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    v8 same = {0};
    EACH(i, 8)
    {
        v8 x = at[i] >> 6;
        const v8 active = 0 - (((uint32_t)(exec >> 8 * i) & 0xff) >> lanes & 1);
        x = (active & x) | (~active & ((1u << 31) + 8 * i + lanes));
        same += (not_0 & (v8)(x == __builtin_shufflevector(x, x, 0, 0, 1, 2, 4, 4, 5, 6))) |
                (upper & (v8)(x == __builtin_shufflevector(x, x, 0, 0, 0, 1, 4, 4, 4, 5))) |
                (last & (v8)(x == __builtin_shufflevector(x, x, 0, 0, 0, 0, 4, 4, 4, 4)));
    }
    return 64 + sum_of(same);
}

/* Of numbers in order, each beside the one before it. */
INLINE void count_sorted(const v8 v[8], unsigned bytes, struct ls_wide_cache *out)
{
    v8 n = {0}, lines_64 = {0}, lines_128 = {0};
    v8 before = __builtin_shufflevector(v[7], v[7], 0, 0, 1, 2, 3, 4, 5, 6);
    before[0] = v[0][0] - ROOM / 2; /* no line in common, nor bytes */
    EACH(i, 8)
    {
        const v8 last = v[i] + (bytes - 1), last_before = before + (bytes - 1);
        n += __builtin_elementwise_min(v[i] - before, (v8){0} + bytes);
        lines_64 += (last >> 6) - __builtin_elementwise_max(last_before >> 6, (v[i] >> 6) - 1);
        lines_128 += (last >> 7) - __builtin_elementwise_max(last_before >> 7, (v[i] >> 7) - 1);
        before = v[i];
    }
    out->bytes = sum_of(n);
    out->lines_64 = sum_of(lines_64);
    out->lines_128 = sum_of(lines_128);
}

INLINE bool cache_of(unsigned bytes, uint64_t exec, const uint64_t addr[64], struct ls_wide_cache *out)
{
    v8 v[8], straddles = {0};
    if (!distances(exec, addr, v))
        return false;
    EACH(i, 8)
    straddles |= (v[i] & 63) + (bytes - 1);
    out->straddles = sum_of(straddles >> 6);
    out->blocks = first_of_quads(exec, v) - (64 - (unsigned)__builtin_popcountll(exec));
    sort(v);
    if (v[0][0] < ROOM || v[7][7] > 0u - ROOM)
        return false;
    count_sorted(v, bytes, out);
    return true;
}

bool ls_wide_cache(unsigned bytes, uint64_t exec, const uint64_t addr[64], struct ls_wide_cache *out)
{
    return exec == ~0ull ? cache_of(bytes, ~0ull, addr, out) : cache_of(bytes, exec, addr, out);
}

/* ---- LDS ---- */

/* What orders lanes by bank and dword. Idle ones have banks that nobody else has. */
INLINE v8 key_of(v8 address, v8 active, v8 lanes)
{
    const v8 dword = address >> 2, key = (dword & 31) << 26 | dword >> 5;
    return (active & key) | (~active & ((32 + lanes) << 26));
}

/* Of each lane the largest of what is in the lanes below it in its half; 0: there are none. */
INLINE v8 largest_below(v8 x)
{
    const v8 none = {0};
    x = __builtin_shufflevector(x, none, 8, 0, 1, 2, 8, 4, 5, 6);
    x = __builtin_elementwise_max(x, __builtin_shufflevector(x, none, 8, 0, 1, 2, 8, 4, 5, 6));
    return __builtin_elementwise_max(x, __builtin_shufflevector(x, none, 8, 8, 0, 1, 8, 8, 4, 5));
}

/* The same of their sum. */
INLINE v8 sum_below(v8 x)
{
    const v8 none = {0};
    x = __builtin_shufflevector(x, none, 8, 0, 1, 2, 8, 4, 5, 6);
    x += __builtin_shufflevector(x, none, 8, 0, 1, 2, 8, 4, 5, 6);
    return x + __builtin_shufflevector(x, none, 8, 8, 0, 1, 8, 8, 4, 5);
}

INLINE void largest_of_halves(v8 x, unsigned out[2])
{
    x = __builtin_elementwise_max(x, __builtin_shufflevector(x, x, 2, 3, 2, 3, 6, 7, 6, 7));
    out[0] = x[0] > x[1] ? x[0] : x[1];
    out[1] = x[4] > x[5] ? x[4] : x[5];
}

/* Of keys in order in each half: the most distinct ones of a bank. Number n of them stands for how many distinct keys there are up to it; less
 * that of its bank's first one. */
INLINE void find_busiest(const v8 v[8], unsigned busiest[2])
{
    v8 rank[8], first[8], n = {0}, bank = {0}, most = {0};
    v8 before = __builtin_shufflevector(v[7], ~v[0], 8, 0, 1, 2, 12, 4, 5, 6);
    EACH(i, 8)
    {
        n -= (v8)(v[i] != before);
        rank[i] = n;
        before = v[i];
    }
    const v8 below = sum_below(n);
    before = __builtin_shufflevector(v[7], ~v[0], 8, 0, 1, 2, 12, 4, 5, 6);
    EACH(i, 8)
    {
        rank[i] += below;
        bank = __builtin_elementwise_max(bank, (v8)((v[i] >> 26) != (before >> 26)) & rank[i]);
        first[i] = bank;
        before = v[i];
    }
    const v8 bank_below = largest_below(bank);
    EACH(i, 8)
    most = __builtin_elementwise_max(most, rank[i] - __builtin_elementwise_max(first[i], bank_below));
    largest_of_halves(most + 1, busiest);
}

/* The most equal ones. */
INLINE void find_crowd(const v8 v[8], unsigned crowd[2])
{
    const v8 lanes = {0, 8, 16, 24, 0, 8, 16, 24};
    v8 start[8], last = {0}, most = {0};
    v8 before = __builtin_shufflevector(v[7], ~v[0], 8, 0, 1, 2, 12, 4, 5, 6);
    EACH(i, 8)
    {
        last = __builtin_elementwise_max(last, (v8)(v[i] != before) & (lanes + i));
        start[i] = last;
        before = v[i];
    }
    const v8 below = largest_below(last);
    EACH(i, 8)
    most = __builtin_elementwise_max(most, lanes + i - __builtin_elementwise_max(start[i], below));
    largest_of_halves(most + 1, crowd);
}

bool ls_wide_lds(unsigned bytes, bool is_atomic, uint64_t exec, const uint32_t addr[64], unsigned busiest[2],
                 unsigned crowd[2])
{
    const v8 lanes = {0, 1, 2, 3, 0, 1, 2, 3}, high = {0, 0, 0, 0, ~0u, ~0u, ~0u, ~0u};
    v8 v[8], further = {0};
    EACH(i, 8)
    {
        const v8 masks = (~high & (uint32_t)exec) | (high & (uint32_t)(exec >> 32)),
                 active = 0 - (masks >> (lanes + 4 * i) & 1);
        memcpy(&v[i], addr + 4 * i, 16);
        memcpy((char *)&v[i] + 16, addr + 32 + 4 * i, 16);
        further |= active & ((v[i] & 3) + (bytes - 1));
        v[i] = key_of(v[i], active, lanes + 4 * i);
    }
    if (sum_of(further >> 2))
        return false;
    sort_halves(v);
    find_busiest(v, busiest);
    crowd[0] = crowd[1] = 1;
    if (is_atomic)
        find_crowd(v, crowd);
    return true;
}

bool ls_wide_ends(const uint32_t *words, unsigned n, uint32_t flip, uint32_t *lowest, uint32_t *highest)
{
    v8 low, high;
    if (n < 8)
        return false;
    memcpy(&low, words + n - 8, sizeof low); /* the last ones, some of them a second time below */
    high = low ^= flip;
    for (unsigned i = 0; i + 8 < n; i += 8) {
        v8 x;
        memcpy(&x, words + i, sizeof x);
        x ^= flip;
        low = __builtin_elementwise_min(low, x);
        high = __builtin_elementwise_max(high, x);
    }
    *lowest = __builtin_reduce_min(low);
    *highest = __builtin_reduce_max(high);
    return true;
}

#pragma clang attribute pop
