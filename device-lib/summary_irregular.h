/*
 * summary_irregular.h - summary mode, for accesses that no small key describes: the wavefront computes what
 * the hardware does for its lanes' addresses and adds that to the counters of the site's passes (struct
 * ls_plan in lanescope/wire.h).
 *
 * The results are those of the host's models, host-handlers/models/lds_model.c and coalescing_model.c, which
 * tell where the knowledge of the hardware comes from. All active lanes run all of this; which of them an
 * access has, and which are still to be looked at, are scalar masks. So nothing here needs an array, nor
 * lanes that are switched off.
 */
#ifndef LS_SUMMARY_IRREGULAR_H
#define LS_SUMMARY_IRREGULAR_H

#include "message.h"

typedef const CONSTANT struct ls_plan *plan_ptr;
typedef const CONSTANT struct ls_plan_pass *pass_ptr;

static HOT inline plan_ptr plan_of(ctx_ptr ctx)
{
    return (plan_ptr)ctx->plan;
}

/* A site's word of the plan; 0: its accesses go out as messages. */
static HOT inline uint32_t word_of_plan(plan_ptr plan, uint32_t head)
{
    uint32_t offset =
        (head & HEAD_SITE) * (uint32_t)sizeof(uint32_t) + (uint32_t)(sizeof *plan - sizeof(uint32_t));
    return *(const CONSTANT uint32_t *)((uint64_t)plan + offset);
}

/* The same where there may be no plan. */
static HOT inline uint32_t planned(ctx_ptr ctx, uint32_t head)
{
    plan_ptr plan = plan_of(ctx);
    return plan ? word_of_plan(plan, head) : 0;
}

typedef uint32_t u32x4_at_4 __attribute__((ext_vector_type(4), aligned(4)));

static HOT inline struct ls_plan_simple simple_of(struct way_to_counters c, uint32_t head)
{
    uint32_t offset = c.simple + (head & HEAD_SITE) * (uint32_t)sizeof(struct ls_plan_simple);
    u32x4 words = *(const CONSTANT u32x4_at_4 *)(c.plan + offset);
    return __builtin_bit_cast(struct ls_plan_simple, words);
}

/* `summary`: of the die. */
static HOT inline GLOBAL uint64_t *cost_counters(ctx_ptr ctx, uint64_t summary, uint32_t pass)
{
    return (GLOBAL uint64_t *)(summary + LS_SUMMARY_COSTS(ctx->summary_sites)) + pass * LS_COSTS;
}

/* A pass of the plan, read by dwords: the scalar unit reads nothing smaller. `length` is the distance where there
 * are no pieces. */
struct pass {
    uint32_t offset, bytes, memory, group, groups, banks, atomic, walk, length;
};

static inline struct pass read_pass(pass_ptr p)
{
    const CONSTANT uint32_t *word = (const CONSTANT uint32_t *)p;
    return (struct pass){.offset = word[1] & 0xffff,
                         .bytes = word[1] >> 16 & 0xff,
                         .memory = word[1] >> 24,
                         .group = word[2] & 0xffff,
                         .groups = word[2] >> 16 & 0xff,
                         .banks = word[2] >> 24,
                         .atomic = word[3] & 1,
                         .walk = word[3] >> 8 & 0xff,
                         .length = word[4]};
}

/*
 * Most accesses are aligned to their 1, 2, 4, 8 or 16 bytes. Which lanes want the same unit of that size, the same
 * bank or the same line is then a matter of equal bits of the address: a ballot for each bit that is not the same in
 * all lanes tells all lanes at once who differs. `word` is the address with those of one lane's bits flipped, so that
 * bits that are the same in all lanes are 0, and distinct addresses, banks and lines stay distinct.
 */

/* A word of 0 or ~0 as two of them. Hidden, as the compiler else looks at it by other instructions, and at each half
 * again. */
static HOT inline mask_t twice(uint32_t *all)
{
    __asm__("" : "+v"(*all));
#if LS_LANES == 64
    return *all | (mask_t)*all << 32;
#else
    return *all;
#endif
}

/* A bit in all places. */
static HOT inline uint32_t everywhere(uint32_t word, uint32_t bit)
{
    return (uint32_t)((int32_t)(word << (31 - bit)) >> 31);
}

/* Of `mates` those lanes whose bit is the same. */
static HOT inline mask_t with_same_bit(mask_t mates, uint32_t word, uint32_t bit)
{
    uint32_t all = everywhere(word, bit);
    mask_t both = twice(&all);
    return mates & (ballot(all == 0) ^ both);
}

/* Of `mates` those lanes that have the same bits `from` to `to` - 1. */
static inline mask_t with_same_bits(mask_t mates, uint32_t word, uint32_t from, uint32_t to)
{
    KEEP_LOOP for (; from < to; from++) mates = with_same_bit(mates, word, from);
    return mates;
}

/* The same from bit `from` on. */
static inline mask_t with_same_rest(mask_t mates, uint32_t word, uint32_t from)
{
    word >>= from;
    KEEP_LOOP do
    {
        UNROLLED
        for (uint32_t bit = 0; bit < 4; bit++)
            mates = with_same_bit(mates, word, bit);
        word >>= 4;
    }
    while (ballot(word != 0))
        ;
    return mates;
}

/* Number of different sets of mates. */
static HOT inline uint32_t distinct(mask_t lanes, mask_t mates)
{
    return COUNT(ballot(!(mates & (((mask_t)1 << bits_below(ALL_LANES)) - 1))) & lanes);
}

/* The largest of the lanes' numbers, which are at least 1. */
static inline uint32_t largest(mask_t lanes, uint32_t number)
{
    uint32_t step = 1;
    KEEP_LOOP while (ballot(number >= 2 * step) & lanes) step *= 2;
    uint32_t most = step;
    KEEP_LOOP while (step >>= 1) most += ballot(number >= most + step) & lanes ? step : 0;
    return most;
}

/* Adds one if the word is not 0; the compiler would do so by vector instructions. */
static HOT inline uint32_t plus_any(uint32_t sum, uint32_t word)
{
    __asm__("s_cmp_lg_u32 %1, 0\n\ts_addc_u32 %0, %0, 0" : "+s"(sum) : "s"(word) : "scc");
    return sum;
}

#if LS_LANES == 64
/* The word of the half of the wavefront that the lane is in. */
static HOT inline uint32_t own_half(mask_t m)
{
    return bits_below(ALL_LANES) < 32 ? (uint32_t)m : (uint32_t)(m >> 32);
}

/* The largest of the lanes' numbers less 1, of both halves of the wavefront together; mostly they are small. */
static inline uint32_t largest_of_halves(mask_t lanes, uint32_t number)
{
    if (ballot(number > 8) & lanes) {
        mask_t low = lanes & 0xffffffff, high = lanes ^ low;
        return (low ? largest(low, number) - 1 : 0) + (high ? largest(high, number) - 1 : 0);
    }
    uint32_t sum = 0, least = 0;
    mask_t more;
    KEEP_LOOP do
    {
        more = ballot(number > ++least) & lanes;
        sum = plus_any(plus_any(sum, (uint32_t)more), (uint32_t)(more >> 32));
    }
    while (more)
        ;
    return sum;
}
#endif

/* Whether lanes' accesses are such units. */
static HOT inline _Bool is_aligned(mask_t lanes, uint32_t low, uint32_t bytes)
{
    return !(bytes & (bytes - 1)) && !(ballot((low & (bytes - 1)) != 0) & lanes);
}

/* Cycles of one lane group: those of the busiest bank. Each lane of `group` touches `n` dwords from `first`
 * on, at most one of them in a bank. *crowd, 0 when nobody asks: the lanes on the dword that most of them want, at least 1. A bank with no more lanes than were found
 * elsewhere need not be looked at more closely. */
static inline uint32_t group_cycles(mask_t group, uint32_t first, uint32_t n, uint32_t banks, uint32_t *crowd)
{
    uint32_t busiest = 1, most = *crowd, enough = 1;
    KEEP_LOOP for (uint32_t bank = 0; bank < banks; bank++)
    {
        uint32_t place = (bank - first) & (banks - 1), dword = first + place, distinct = 0;
        mask_t in = ballot(place < n) & group;
        if (COUNT(in) <= enough)
            continue;
        KEEP_LOOP while (in)
        {
            mask_t same = ballot(dword == readlane(dword, FIRST_LANE(in))) & in;
            uint32_t lanes = COUNT(same);
            in ^= same;
            distinct++;
            most = most && lanes > most ? lanes : most;
        }
        busiest = distinct > busiest ? distinct : busiest;
        enough = most && most < busiest ? most : busiest;
    }
    *crowd = most;
    return busiest;
}

/* Index cycles are not counted: they are those of the conflicts and one for each lane group of an execution. */
struct lds_cycles {
    uint32_t conflict, address;
};

/* Aligned accesses, to units that lie in `banks` banks as large as they are. */
static inline struct lds_cycles lds_by_bits(struct pass pass, const CONSTANT uint64_t *groups, mask_t lanes,
                                            uint32_t unit, uint32_t banks)
{
    uint32_t word = unit ^ readlane(unit, FIRST_LANE(lanes)), low = (uint32_t)__builtin_ctz(banks), from = 0;
    mask_t in_bank = lanes;
    if (low >= 5) {
        UNROLLED
        for (; from < 5; from++)
            in_bank = with_same_bit(in_bank, word, from);
    }
    in_bank = with_same_bits(in_bank, word, from, low);
    mask_t same = with_same_rest(in_bank, word, low);
    struct lds_cycles sum = {0, 0};
#if LS_LANES == 64
    if (pass.groups == 2 && groups[0] == 0xffffffff) { /* the halves of the wavefront */
        uint32_t mates = own_half(same), lane = bits_below(ALL_LANES);
        mask_t first = ballot(!(mates & ((1u << (lane & 31)) - 1))) & lanes; /* of the lanes on one unit */
        sum.conflict =
            largest_of_halves(lanes, (uint32_t)__builtin_popcount(own_half(in_bank) & own_half(first)));
        if (pass.atomic)
            sum.address = largest_of_halves(lanes, (uint32_t)__builtin_popcount(mates));
        return sum;
    }
#endif
    mask_t before = same & (((mask_t)1 << bits_below(ALL_LANES)) - 1);
    KEEP_LOOP for (uint32_t i = 0; i < pass.groups; i++)
    {
        mask_t group = (mask_t)groups[i] & lanes;
        if (!group)
            continue;
        mask_t firsts = ballot(!(before & group)) & group; /* of the lanes on one unit */
        sum.conflict += largest(group, COUNT(in_bank & firsts)) - 1;
        if (pass.atomic)
            sum.address += largest(group, COUNT(same & group)) - 1;
    }
    return sum;
}

/* What ls_lds_access (lds_model.c) computes. */
static inline struct lds_cycles lds_cycles(plan_ptr plan, struct pass pass, uint32_t bytes, mask_t lanes,
                                           uint32_t at)
{
    uint32_t first = at >> 2, last = (at + bytes - 1) >> 2;
    uint32_t n = last >= first ? last - first + 1 : 0;
    VECTOR(n);
    const CONSTANT uint64_t *groups = (const CONSTANT uint64_t *)((uint64_t)plan + plan->groups) + pass.group;
    struct lds_cycles sum = {0, 0};
    if (is_aligned(lanes, at, bytes)) {
        uint32_t shift = bytes > 4 ? (uint32_t)__builtin_ctz(bytes) : 2;
        return lds_by_bits(pass, groups, lanes, at >> shift, pass.banks >> (shift - 2));
    }
    KEEP_LOOP for (uint32_t i = 0; i < pass.groups; i++)
    {
        uint32_t busiest = 1, crowd = pass.atomic;
        mask_t group = lanes & (mask_t)groups[i];
        if (group)
            busiest = group_cycles(group, first, n, pass.banks, &crowd);
        sum.conflict += busiest - 1;
        sum.address += crowd - pass.atomic;
    }
    return sum;
}

/* Number of quads of lanes, 0..3, 4..7 and so on, with a lane in the mask. */
static HOT inline uint32_t quads(mask_t m)
{
    m |= m >> 1;
    m |= m >> 2;
    return COUNT(m & (mask_t)0x1111111111111111);
}

struct lines {
    uint32_t bytes, of_64, half_128, requests;
};

/* Distinct bytes of one 64-byte block that the lanes touch, each of them from byte `from` to byte `to`. */
static inline uint32_t bytes_of_block(mask_t lanes, uint32_t from, uint32_t to)
{
    uint32_t range = from | to << 8;
    uint64_t touched = 0;
    KEEP_LOOP while (lanes)
    {
        uint32_t r = readlane(range, FIRST_LANE(lanes)), begin = r & 63;
        touched |= ~0ull >> (63 - (r >> 8) + begin) << begin;
        lanes &= ~ballot(range == r);
    }
    return (uint32_t)__builtin_popcountll(touched);
}

/* Aligned accesses of 1 << shift bytes whose addresses have the same high word; `low`: their low words. */
static inline struct lines lines_by_bits(plan_ptr plan, mask_t lanes, uint32_t low, uint32_t shift)
{
    uint32_t word = low ^ readlane(low, FIRST_LANE(lanes)), lane = bits_below(ALL_LANES);
    mask_t counted = lanes & (plan->lanes < LS_LANES ? (mask_t)0xffffffff : ALL_LANES);
    mask_t quad = ((mask_t)0xf << (lane & ~3u)) & (((mask_t)1 << lane) - 1); /* lanes before this one in it */
    mask_t same = with_same_rest(lanes, word, 7);
    struct lines sum = {.half_128 = 2 * distinct(lanes, same)};
    same = with_same_bit(same, word, 6);
    sum.of_64 = distinct(lanes, same);
    sum.requests = (plan->lanes >> 2) - quads(counted) + COUNT(ballot(!(same & quad)) & counted);
    same = with_same_bits(with_same_bit(with_same_bit(same, word, 5), word, 4), word, shift, 4);
    sum.bytes = distinct(lanes, same) << shift;
    return sum;
}

/* Takes out of *same the lanes whose bit is not this one's, and out of *next those whose bit is not that of another word
 * of this one's. */
static HOT inline void look_at_bit(uint32_t word, uint32_t other, uint32_t bit, mask_t *same, mask_t *next)
{
    uint32_t all = everywhere(word, bit), all_other = everywhere(other, bit);
    mask_t both = twice(&all), clear = ballot(all == 0);
    *same &= clear ^ both;
    *next &= clear ^ twice(&all_other);
}

/* What lanes' dwords have in common, when no lane has more of them than lie in a block of 64 bytes: a lane's begin in its
 * block, and the last ones of `over` lie in the next one. */
struct overlap {
    mask_t lanes, over;
    uint32_t cover;         /* bit i: the lane has dword i, counted from the begin of its block */
    mask_t same, same_pair; /* lanes with the same block, with the same two blocks of 128 bytes */
    mask_t next, next_pair; /* lanes whose block, or two blocks, are those of the lane's last dwords */
};

static inline struct overlap overlap_of(mask_t lanes, uint32_t low, uint32_t bytes)
{
    uint32_t block = low >> 6, origin = readlane(block, FIRST_LANE(lanes));
    uint32_t word = block ^ origin, after = (block + 1) ^ origin, bit = word & 1, bit_after = after & 1;
    struct overlap o = {.lanes = lanes, .cover = ((1u << (bytes >> 2)) - 1) << (low >> 2 & 15)};
    o.over = ballot(o.cover >> 16 != 0) & lanes;
    o.same_pair = o.next_pair = lanes;
    word >>= 1;
    after >>= 1;
    KEEP_LOOP do
    {
        UNROLLED
        for (uint32_t i = 0; i < 3; i++)
            look_at_bit(word, after, i, &o.same_pair, &o.next_pair);
        word >>= 3;
        after >>= 3;
    }
    while (ballot(word | after))
        ;
    o.same = o.same_pair;
    o.next = o.next_pair;
    look_at_bit(bit, bit_after, 0, &o.same, &o.next);
    return o;
}

/* Different blocks, or pairs of blocks, of those lanes that none of `mates` has; `same`: lanes that have the same one. */
static HOT inline uint32_t distinct_others(mask_t lanes, mask_t same, mask_t mates)
{
    mask_t others = ballot(!mates) & lanes;
    return COUNT(ballot(!(same & others & (((mask_t)1 << bits_below(ALL_LANES)) - 1))) & others);
}

/* Different dwords of all lanes, two in each: twice the first ones, less those that are a second one, too. */
static inline uint32_t distinct_pairs(struct overlap o, uint32_t low)
{
    mask_t same = o.same, next = (low >> 2 & 15) == 15 ? o.next : o.same;
    uint32_t dword = low >> 2, after = dword + 1;
    UNROLLED
    for (uint32_t i = 0; i < 4; i++)
        look_at_bit(dword, after, i, &same, &next);
    mask_t first = ballot(!(same & (((mask_t)1 << bits_below(ALL_LANES)) - 1))) & o.lanes;
    return 2 * COUNT(first) - COUNT(first & ballot(next != 0));
}

/* Different dwords of all lanes. */
static inline uint32_t distinct_dwords(struct overlap o)
{
    mask_t before = o.same & (((mask_t)1 << bits_below(ALL_LANES)) - 1);
    uint32_t cover = o.cover, n = 0;
    KEEP_LOOP for (uint32_t i = 0; i < 16; i++, cover >>= 1)
    {
        mask_t in = ballot(cover & 1) & o.lanes, over = ballot(cover >> 16 & 1) & o.over;
        n += COUNT(ballot(!(before & in)) & in);
        if (over)
            n += distinct_others(over, o.same, o.next & in);
    }
    return n;
}

/* Accesses of whole dwords at addresses that are multiples of 4, all up to their ends with the same high word. */
static inline struct lines lines_by_dwords(plan_ptr plan, mask_t lanes, uint32_t low, uint32_t bytes)
{
    struct overlap o = overlap_of(lanes, low, bytes);
    uint32_t lane = bits_below(ALL_LANES);
    mask_t counted = lanes & (plan->lanes < LS_LANES ? (mask_t)0xffffffff : ALL_LANES);
    mask_t quad = (mask_t)0xf << (lane & ~3u), before = ((mask_t)1 << lane) - 1;
    struct lines sum = {.bytes = 4 * (bytes == 8 ? distinct_pairs(o, low) : distinct_dwords(o))};
    sum.of_64 = distinct(lanes, o.same) + distinct_others(o.over, o.same, o.next);
    sum.half_128 = 2 * (distinct(lanes, o.same_pair) +
                        distinct_others(ballot(low & 64) & o.over, o.same_pair, o.next_pair));
    sum.requests = (plan->lanes >> 2) - quads(counted) + COUNT(ballot(!(o.same & quad & before)) & counted) +
                   COUNT(ballot(!(o.next & quad) && !(o.same & o.over & quad & before)) & o.over & counted);
    return sum;
}

/* What ls_cache_access (coalescing_model.c) computes. A lane's bytes lie in at most two blocks of 64. */
static inline struct lines lines_of(plan_ptr plan, mask_t lanes, uint64_t address, uint32_t bytes)
{
    uint32_t top = (uint32_t)(address >> 32);
    if (is_aligned(lanes, (uint32_t)address, bytes) &&
        !(ballot(top != readlane(top, FIRST_LANE(lanes))) & lanes))
        return lines_by_bits(plan, lanes, (uint32_t)address, (uint32_t)__builtin_ctz(bytes));
    uint64_t end = address + bytes - 1, low = address >> 6, high = end >> 6;
    uint32_t first_top = readlane(top, FIRST_LANE(lanes));
    if (!(bytes & 3) &&
        !(ballot((address & 3) || top != first_top || (uint32_t)(end >> 32) != first_top) & lanes))
        return lines_by_dwords(plan, lanes, (uint32_t)address, bytes);
    mask_t in_low = lanes, in_high = ballot(low != high) & lanes;
    mask_t counted = plan->lanes < LS_LANES ? (mask_t)0xffffffff : ALL_LANES;
    struct lines sum = {0, 0, 0, 0};
    sum.requests = (plan->lanes >> 2) - quads(lanes & counted);
    _Bool straddles = in_high != 0;
    uint32_t from = (uint32_t)address & 63, to = (uint32_t)end & 63;
    uint64_t next = low; /* block that a lane still has to tell */
    KEEP_LOOP while (in_low | in_high)
    {
        uint64_t block = readlane64(next, FIRST_LANE(in_low | in_high));
        mask_t in = ballot(low == block) & lanes, twin = ballot(low == (block ^ 1)) & lanes;
        uint32_t begin = from, last = to;
        in_low &= ~in;
        if (straddles) {
            mask_t ends = ballot(high == block) & lanes;
            twin |= ballot(high == (block ^ 1)) & lanes;
            in_high &= ~ends;
            in |= ends;
            next = low == block ? high : next;
            begin = low == block ? from : 0;
            last = high == block ? to : 63;
        }
        sum.of_64++;
        sum.half_128 += twin ? 1 : 2;
        if (in & (in - 1)) {
            sum.requests += quads(in & counted);
            sum.bytes += bytes_of_block(in, begin, last);
        } else {
            sum.requests += COUNT(in & counted);
            sum.bytes += readlane(last - begin, FIRST_LANE(in)) + 1;
        }
    }
    return sum;
}

/* What of a pass is done at once: so many bytes at the lane's address + `at`, as many `times`. */
struct piece {
    uint32_t at, bytes;
    uint64_t times;
};

static HOT inline void add_cost(GLOBAL uint64_t *counters, enum ls_cost which, uint32_t value, uint64_t times)
{
    __hip_atomic_fetch_add(counters + which, value * times, __ATOMIC_RELAXED, AGENT);
}

/* `exec`: the active lanes; the first of them counts. */
static inline void reduce_piece(plan_ptr plan, struct pass pass, struct piece piece,
                                GLOBAL uint64_t *counters, mask_t exec, mask_t lanes, uint64_t address)
{
    address += piece.at;
    VECTOR(counters);
    struct lds_cycles cycles = {0, 0};
    struct lines c = {0, 0, 0, 0};
    if (pass.memory & LS_PLAN_LDS)
        cycles = lds_cycles(plan, pass, piece.bytes, lanes, (uint32_t)address);
    else
        c = lines_of(plan, lanes, address, piece.bytes);
    set_lanes((mask_t)1 << FIRST_LANE(exec));
    add_cost(counters, LS_COST_EXECUTIONS, 1, piece.times);
    add_cost(counters, LS_COST_LANES, COUNT(lanes), piece.times);
    if (pass.memory & LS_PLAN_LDS) {
        add_cost(counters, LS_COST_CONFLICT, cycles.conflict, piece.times);
        if (pass.atomic)
            add_cost(counters, LS_COST_ADDRESS, cycles.address, piece.times);
    } else {
        add_cost(counters, LS_COST_BYTES, c.bytes, piece.times);
        add_cost(counters, LS_COST_LINES_64, c.of_64, piece.times);
        add_cost(counters, LS_COST_LINES_128, c.half_128 / 2, piece.times);
        add_cost(counters, LS_COST_NEEDED_64, (c.bytes + 63) / 64, piece.times);
        add_cost(counters, LS_COST_NEEDED_128, (c.bytes + 127) / 128, piece.times);
        add_cost(counters, LS_COST_REQUESTS, c.requests, piece.times);
    }
    set_lanes(exec);
}

/* Lanes whose flat address lies in LDS, or in global memory: as lanescope/sdk/aperture.h tells them apart. */
static inline mask_t lanes_in(mask_t lanes, uint64_t address, _Bool lds)
{
    uint32_t high = (uint32_t)(address >> 32);
    return lanes & (lds ? ballot(high == 1u << 16) : ~ballot(high == 1u << 16 || high == 2u << 16));
}

static HOT inline struct pass pass_number(plan_ptr plan, uint32_t i)
{
    return read_pass((pass_ptr)((uint64_t)plan + plan->passes) + i);
}

/* The lanes of an access that the pass is about. */
static HOT inline mask_t lanes_of(struct pass pass, mask_t exec, uint64_t address)
{
    return pass.memory & LS_PLAN_FLAT ? lanes_in(exec, address, pass.memory & LS_PLAN_LDS) : exec;
}

/* Reduces an access of a site whose word of the plan is `site`, and that costs the same so many times. */
static inline void reduce(ctx_ptr ctx, mask_t exec, uint64_t address, uint32_t site, uint64_t times)
{
    plan_ptr plan = plan_of(ctx);
    uint32_t i = LS_PLAN_FIRST(site), end = i + LS_PLAN_NUMBER(site);
    KEEP_LOOP for (; i < end; i++)
    {
        struct pass pass = pass_number(plan, i);
        struct piece whole = {.at = pass.offset, .bytes = pass.bytes, .times = times};
        uint64_t at = address + (uint64_t)(int64_t)(int32_t)pass.length; /* a follower's distance */
        mask_t lanes = lanes_of(pass, exec, at);
        if (lanes)
            reduce_piece(plan, pass, whole, cost_counters(ctx, ctx->summary, i), exec, lanes, at);
    }
}

/* ---- the end of a dispatch ---- */

/* What a pass of LDS accesses has in LS_COST_INDEX; 0: another one. */
static inline uint64_t index_cycles(struct pass pass, GLOBAL uint64_t *counters)
{
    if (!(pass.memory & LS_PLAN_LDS))
        return 0;
    return LOAD(counters + LS_COST_CONFLICT, AGENT) +
           pass.groups * LOAD(counters + LS_COST_EXECUTIONS, AGENT);
}

static HOT inline void emit_cost(wave_ptr w, ctx_ptr ctx, uint64_t summary, uint32_t rank, uint32_t lanes,
                                 uint32_t pass)
{
    uint64_t cursor = open_message(w, ctx, rank);
    if (!cursor)
        return;
    plan_ptr plan = plan_of(ctx);
    pass_ptr p = (pass_ptr)((uint64_t)plan + plan->passes) + pass;
    GLOBAL uint64_t *out = (GLOBAL uint64_t *)CURSOR_ADDRESS(cursor),
                    *counters = cost_counters(ctx, summary, pass);
    if (rank == 0)
        *(GLOBAL u32x4 *)out =
            (u32x4){LS_HEAD(p->site, LS_KIND_COST), ((const CONSTANT uint32_t *)p)[1], 0, 0};
    uint64_t index = index_cycles(read_pass(p), counters);
    KEEP_LOOP for (uint32_t i = rank; i < LS_COSTS; i += lanes)
    {
        out[2 + i] = LOAD(counters + i, AGENT) + (i == LS_COST_INDEX ? index : 0);
        STORE(counters + i, 0, AGENT);
    }
    close_message(w, ctx, cursor, 16 + LS_COSTS * 8, rank);
}

/* Sends the counters of all passes that were executed on a die and zeroes them. */
static HOT inline void send_costs(wave_ptr w, ctx_ptr ctx, uint64_t summary, mask_t exec)
{
    plan_ptr plan = plan_of(ctx);
    uint32_t rank = bits_below(exec), lanes = COUNT(exec), n = plan ? plan->n_passes : 0;
    KEEP_LOOP for (uint32_t first = 0; first < n; first += lanes)
    {
        uint32_t i = first + rank;
        _Bool any = i < n && LOAD(cost_counters(ctx, summary, i) + LS_COST_EXECUTIONS, AGENT);
        KEEP_LOOP for (mask_t found = ballot(any); found; found &= found - 1)
            emit_cost(w, ctx, summary, rank, lanes, readlane(i, FIRST_LANE(found)));
    }
}

#endif
