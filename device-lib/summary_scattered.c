/*
 * summary_scattered.c - summary mode, for what most accesses are whose lanes lie neither on a line nor in rows: one access
 * of a hardware instruction, aligned to its 1 to 16 bytes in global memory (8 of them to 4 only), to its 1 to 4, or 8, in LDS. What they cost is
 * counted as summary_irregular.h does for all accesses; they are told apart by bits of their addresses alone, and nothing
 * here is asked that the plan says of other accesses only. Everything else goes on as __ls_reduce.
 *
 * Which lanes are alike is told by those that differ: of two bits at once that takes an instruction less.
 */
#include "access.h"
#include "evidence.h"
#include "several.h"
#include "summary.h"
#include "summary_irregular.h"

/* Where the site has no pass, or one that is not simple. */
#define NO_PASS(all, pass, head)                                                                             \
    do {                                                                                                     \
        if ((pass).more)                                                                                     \
            TAIL_CALL(SEND_AT_ONCE(all)(wave, low, high, head));                                             \
        TAIL_CALL(__ls_reduce(wave, low, high, head));                                                       \
    } while (0)

/* Goes on as somebody else where the dispatch is not in summary mode, its host wants the access as evidence, or the site
 * is not simple. */
#define FIND_PASS(c, pass) FIND_PASS_OR(c, pass, __ls_reduce)
#define FIND_PASS_OR(c, pass, not_simple)                                                                    \
    do {                                                                                                     \
        wave_ptr w = (wave_ptr)uniform64(wave);                                                              \
        ctx_ptr ctx = ctx_of(w);                                                                             \
        c = way_to_counters_of(ctx);                                                                         \
        uint32_t site = readfirstlane(head);                                                                 \
        if (!c.summary)                                                                                      \
            TAIL_CALL(__ls_send(wave, low, high, head));                                                     \
        if (c.evidence && is_wanted(w, ctx, c.evidence, site))                                               \
            TAIL_CALL(__ls_evidence(wave, low, high, head));                                                 \
        if (!c.simple)                                                                                       \
            TAIL_CALL(not_simple(wave, low, high, head));                                                    \
        pass = simple_of(c, site);                                                                           \
    } while (0)

/* The lanes whose bit is another one; of lanes that are not active it says nothing. */
static HOT inline mask_t with_other_bit(uint32_t word, uint32_t bit)
{
    uint32_t all = everywhere(word, bit);
    mask_t both = twice(&all);
    return ballot(all != 0) ^ both;
}

/* Adds to `others` the lanes that have another bit among those from `from` on, up to `to`. */
static HOT inline mask_t with_others(mask_t others, uint32_t word, const uint32_t from, const uint32_t to)
{
    UNROLLED
    for (uint32_t bit = from; bit < to; bit++)
        others |= with_other_bit(word, bit);
    return others;
}

/* The same from bit `from` on, so many at a time. */
static HOT inline mask_t with_other_rest(mask_t others, uint32_t word, const uint32_t from,
                                         const uint32_t bits)
{
    word >>= from;
    KEEP_LOOP do
    {
        others = with_others(others, word, 0, bits);
        word >>= bits;
    }
    while (ballot(word != 0))
        ;
    return others;
}

/* The lanes of which the address unit makes quads; `lanes`: of the plan. */
static HOT inline mask_t of_quads(mask_t exec, UNUSED uint32_t lanes)
{
#if LS_GFX == 9 || LS_GFX == 94
    return exec; /* they have no other wavefronts than those of 64 lanes */
#else
    return exec & (lanes < LS_LANES ? (mask_t)0xffffffff : ALL_LANES);
#endif
}

/* Active lanes of which all bits are set. */
static HOT inline mask_t in_all(mask_t bits)
{
#if LS_LANES == 64
    return ballot(((uint32_t)bits & (uint32_t)(bits >> 32)) == ~0u);
#else
    return ballot(bits == ~0u);
#endif
}

/* Adds numbers to counters that follow one another: with all lanes active one lane each. */
static HOT inline void add_costs(const _Bool all, mask_t exec, GLOBAL uint64_t *counters, const uint32_t n,
                                 const uint32_t *number)
{
    if (all) {
        uint32_t own = number[0];
        VECTOR(own);
        UNROLLED
        for (uint32_t i = 1; i < n; i++)
            own = writelane(number[i], i, own);
        counters += bits_below(ALL_LANES);
        set_lowest_lanes(n);
        __hip_atomic_fetch_add(counters, own, __ATOMIC_RELAXED, AGENT);
        set_all_lanes();
        return;
    }
    /* Registers of lanes that are not active are the program's. */
    uint32_t first = first_lane_of(exec);
    OPAQUE(first); /* else more instructions than two find its bit */
    VECTOR(counters);
    set_lanes((mask_t)1 << first);
    UNROLLED
    for (uint32_t i = 0; i < n; i++)
        if (!__builtin_constant_p(number[i]) || number[i])
            add_cost(counters, (enum ls_cost)i, number[i], 1);
    set_lanes(exec);
}

/* `word`: a lane's address, with the bits flipped that the first lane's has. What is alike in all lanes before is no matter. */
static HOT inline struct lines scattered_lines(const _Bool all, mask_t exec, uint32_t word, uint32_t bytes,
                                               uint32_t lanes)
{
    uint32_t lane = bits_below(ALL_LANES);
    mask_t none = ALL_LANES << lane | ~exec, counted = of_quads(exec, lanes);
    mask_t beside = ~((mask_t)0xf << (lane & ~3u)); /* lanes of other quads */
    mask_t others = with_other_rest(none, word, 7, 4);
    struct lines sum = {.half_128 = COUNT(in_all(others))};
    others |= with_other_bit(word, 6);
    sum.of_64 = COUNT(in_all(others));
    sum.requests = (all ? 0 : (lanes >> 2) - quads(counted)) + COUNT(in_all(others | beside) & counted);
    others = with_others(others, word, 2, 6);
    if (bytes < 4)
        others = with_others(others, word, 0, 2);
    sum.bytes = COUNT(in_all(others)) * bytes;
    return sum;
}

/* Of pairs of dwords: a lane's bytes are those of a dword and of the one behind it. Which lanes differ is asked twice: `others`
 * differ in where they begin from where this lane does, `behind` from where its second dword is. */
struct pairs {
    mask_t others, behind;
};

static HOT inline struct pairs with_other_pairs(struct pairs p, uint32_t word, uint32_t next,
                                                const uint32_t from, const uint32_t to)
{
    UNROLLED
    for (uint32_t bit = from; bit < to; bit++) {
        uint32_t all = everywhere(word, bit), all_next = everywhere(next, bit);
        mask_t both = twice(&all), set = ballot(all != 0);
        p.others |= set ^ both;
        p.behind |= set ^ twice(&all_next);
    }
    return p;
}

/* Blocks in which lanes begin, and those in which second dwords lie and no lane begins; of lanes in `beside`, which are as if
 * they were elsewhere, nothing is asked. */
static HOT inline uint32_t blocks_of(struct pairs p, mask_t beside, mask_t of)
{
    mask_t alone = in_all(p.behind | beside) & of;
    uint32_t n = COUNT(in_all(p.others | beside) & of);
    return alone ? n + COUNT(in_all(p.others | beside | ~alone) & alone) : n;
}

static HOT inline struct lines scattered_pairs(mask_t exec, uint32_t low, uint32_t lanes)
{
    uint32_t lane = bits_below(ALL_LANES), origin = readfirstlane(low), word = low ^ origin,
             next = (low + 4) ^ origin;
    mask_t counted = of_quads(exec, lanes);
    struct pairs p = {ALL_LANES << lane | ~exec, ~exec};
    uint32_t rest = word >> 7, next_rest = next >> 7;
    KEEP_LOOP do
    {
        p = with_other_pairs(p, rest, next_rest, 0, 3);
        rest >>= 3;
        next_rest >>= 3;
    }
    while (ballot((rest | next_rest) != 0))
        ;
    struct lines sum = {.half_128 = blocks_of(p, 0, ALL_LANES)};
    p = with_other_pairs(p, word, next, 6, 7);
    sum.of_64 = blocks_of(p, 0, ALL_LANES);
    sum.requests = (lanes >> 2) - quads(counted) + blocks_of(p, ~((mask_t)0xf << (lane & ~3u)), counted);
    p = with_other_pairs(p, word, next, 2, 6);
    mask_t firsts = in_all(p.others);
    sum.bytes = 4 * (2 * COUNT(firsts) - COUNT(firsts & ~in_all(p.behind)));
    return sum;
}

static HOT inline GLOBAL uint64_t *counters_of(struct way_to_counters c, struct ls_plan_simple pass)
{
    return (GLOBAL uint64_t *)(c.summary + pass.counters);
}

static HOT inline void add_lines(const _Bool all, mask_t exec, GLOBAL uint64_t *counters, struct lines sum)
{
    const uint32_t number[LS_COSTS] = {1,
                                       COUNT(exec),
                                       sum.bytes,
                                       sum.of_64,
                                       sum.half_128,
                                       (sum.bytes + 63) / 64,
                                       (sum.bytes + 127) / 128,
                                       sum.requests};
    add_costs(all, exec, counters, LS_COSTS, number);
}

/* Lanes whose high words differ from the first lane's. */
static HOT inline mask_t elsewhere(uint64_t address)
{
    uint32_t top = (uint32_t)(address >> 32);
    return ballot(top != readfirstlane(top));
}

static HOT inline mask_t with_any(uint32_t low, uint32_t bits)
{
    return ballot((low & bits) != 0);
}

/* Lanes whose 8 bytes do not begin at a multiple of 4, or end behind the last address with this high word: the lowest bits
 * are compared as the topmost ones. */
static HOT inline mask_t no_pair(uint32_t low)
{
    uint32_t turned = low >> 2 | low << 30;
    return ballot(turned >= 0x3fffffff);
}

PROBE(__ls_scattered)
{
    struct way_to_counters c;
    struct ls_plan_simple pass;
    FIND_PASS(c, pass);
    uint64_t at = (low | (uint64_t)high << 32) + (uint64_t)(int64_t)pass.distance;
    uint32_t from = (uint32_t)at;
    if (with_any(from, pass.last) | elsewhere(at) | pass.last >> 4) {
        if (pass.last >> 4)
            NO_PASS(1, pass, head);
        TAIL_CALL(__ls_scattered_partial(wave, low, high, head));
    }
    add_lines(1, ALL_LANES, counters_of(c, pass),
              scattered_lines(1, ALL_LANES, from ^ readfirstlane(from), pass.last + 1, pass.more));
}

PROBE(__ls_scattered_partial)
{
    mask_t exec = active_lanes();
    struct way_to_counters c;
    struct ls_plan_simple pass;
    FIND_PASS(c, pass);
    uint64_t at = (low | (uint64_t)high << 32) + (uint64_t)(int64_t)pass.distance;
    uint32_t from = (uint32_t)at;
    if (pass.last >> 4)
        NO_PASS(0, pass, head);
    if (elsewhere(at))
        TAIL_CALL(__ls_reduce(wave, low, high, head));
    if (!with_any(from, pass.last)) {
        add_lines(0, exec, counters_of(c, pass),
                  scattered_lines(0, exec, from ^ readfirstlane(from), pass.last + 1, pass.more));
        return;
    }
    if ((pass.last ^ 7) | no_pair(from))
        TAIL_CALL(__ls_reduce(wave, low, high, head));
    add_lines(0, exec, counters_of(c, pass), scattered_pairs(exec, from, pass.more));
}

/* ---- two accesses that lie a distance apart that is the same in all lanes ---- */

/* With a distance of whole lines both cost the same, which is found out once. */
#define ALIKE(all)                                                                                           \
    do {                                                                                                     \
        mask_t exec = all ? ALL_LANES : active_lanes();                                                      \
        wave_ptr w = (wave_ptr)uniform64(wave);                                                              \
        ctx_ptr ctx = ctx_of(w);                                                                             \
        struct way_to_counters c = way_to_counters_of(ctx);                                                  \
        uint32_t one = readfirstlane(head) & HEAD_SITE,                                                      \
                 other = one + (byte_of(readfirstlane(sites), 1) & 0xff);                                    \
        if (!c.summary || !c.simple)                                                                         \
            return 1;                                                                                        \
        if (c.evidence && (is_wanted(w, ctx, c.evidence, one) || is_wanted(w, ctx, c.evidence, other)))      \
            return 1;                                                                                        \
        struct ls_plan_simple pass = simple_of(c, one), next = simple_of(c, other);                          \
        uint64_t at = ADDRESS(low, high) + (uint64_t)(int64_t)pass.distance;                                 \
        uint64_t apart = ADDRESS(low1, high1) + (uint64_t)(int64_t)next.distance - at,                       \
                 same = uniform64(apart);                                                                    \
        uint32_t from = (uint32_t)at, unlike = (uint32_t)same & (LS_SUMMARY_PERIOD - 1);                     \
        unlike |= (pass.last ^ next.last) | pass.last >> 4;                                                  \
        if (ballot(apart != same) | elsewhere(at) | unlike)                                                  \
            return 1;                                                                                        \
        struct lines sum;                                                                                    \
        if (!with_any(from, pass.last))                                                                      \
            sum = scattered_lines(all, exec, from ^ readfirstlane(from), pass.last + 1, pass.more);          \
        else if ((pass.last ^ 7) | no_pair(from))                                                            \
            return 1;                                                                                        \
        else                                                                                                 \
            sum = scattered_pairs(exec, from, pass.more);                                                    \
        add_lines(all, exec, counters_of(c, pass), sum);                                                     \
        add_lines(all, exec, counters_of(c, next), sum);                                                     \
        return 0;                                                                                            \
    } while (0)

SEVERAL(__ls_alike2_partial);
SEVERAL(__ls_alike2_partial)
{
    ALIKE(0);
}

/* As those of several.c, of two accesses in global memory; it tells them in summary mode only. */
SEVERAL(__ls_alike2);
SEVERAL(__ls_alike2)
{
    u32x2 halves = wave_of(wave);
    wave_ptr w = record_at(halves);
    if (is_silent(halves))
        return 0;
    struct held held = held_of(w);
    if (!has_less(held.cursor, LS_MESSAGE_MAX + DELTA_MAX))
        return 1;
    if (!has_less(held.cursor, 2) &&
        !(held.ctx->flags & LS_CTX_SUMMARY)) /* of summary mode it is what LS_CTX_FEW leaves */
        return 1;
    if (active_lanes() != ALL_LANES)
        TAIL_CALL(__ls_alike2_partial(wave, low, high, low1, high1, low2, high2, low3, high3, head, sites));
    uint64_t address = ADDRESS(low, high);
    if (!off_line(line_through_all(address), address, bits_below(ALL_LANES), 0))
        return 1;
    ALIKE(1);
}

/* ---- LDS: dwords in 32 banks, which serve lane groups of 32 lanes ---- */

uint32_t update_dpp(uint32_t old, uint32_t source, uint32_t control, uint32_t rows, uint32_t banks,
                    _Bool bounds) __asm("llvm.amdgcn.update.dpp.i32");

/* The larger one of a lane's number and that of the lane that DPP names; 0 where there is none. */
#define LARGER(n, control, rows)                                                                             \
    do {                                                                                                     \
        uint32_t other = update_dpp(0, n, control, rows, 0xf, 0);                                            \
        n = other > (n) ? other : (n);                                                                       \
    } while (0)

#if LS_GFX == 9 || LS_GFX == 94
/* The largest number of each half less 1, both together, with all lanes active: within rows of 16 lanes by shifts of 1, 2,
 * 4 and 8 lanes, then the rows of each half by a broadcast of the first one's last lane ("MI200 Instruction Set Architecture",
 * "DPP"). */
static HOT inline uint32_t most_of_all(uint32_t number)
{
    LARGER(number, 0x111, 0xf);
    LARGER(number, 0x112, 0xf);
    LARGER(number, 0x114, 0xf);
    LARGER(number, 0x118, 0xf);
    LARGER(number, 0x142, 0xa);
    return readlane(number, 31) + readlane(number, 63) - 2;
}
#endif

static HOT inline uint32_t most_of_groups(const _Bool all, mask_t exec, uint32_t number)
{
#if LS_GFX == 9 || LS_GFX == 94
    return all ? most_of_all(number) : largest_of_halves(exec, number);
#elif LS_LANES == 64
    return largest_of_halves(all ? ALL_LANES : exec, number);
#else
    return largest(all ? ALL_LANES : exec, number) - 1;
#endif
}

/* What the lane's group has of a mask. */
static HOT inline uint32_t of_own_group(mask_t m)
{
#if LS_LANES == 64
    return own_half(m);
#else
    return m;
#endif
}

static HOT inline struct lds_cycles scattered_cycles(const _Bool all, mask_t exec, uint32_t dword,
                                                     _Bool atomic)
{
    uint32_t word = dword ^ readfirstlane(dword), below = (1u << (bits_below(ALL_LANES) & 31)) - 1;
    mask_t other_bank = with_others(all ? 0 : ~exec, word, 0, 5);
    uint32_t mates = ~of_own_group(with_other_rest(other_bank, word, 5, 3)),
             in_bank = ~of_own_group(other_bank);
    mask_t firsts = ballot(!(mates & below)); /* of the lanes on one dword */
    struct lds_cycles sum = {0, 0};
    uint32_t dwords = (uint32_t)__builtin_popcount(in_bank & of_own_group(firsts));
    if (!atomic) {
        sum.conflict = most_of_groups(all, exec, dwords);
        return sum;
    }
    sum.conflict = most_of_groups(all, exec, dwords);
    sum.address = most_of_groups(all, exec, (uint32_t)__builtin_popcount(mates));
    return sum;
}

/* ---- units of 8 bytes, which lie in 16 banks of such and are served by lane groups of 16 lanes ---- */

/* Number of groups with a lane in the mask. */
static HOT inline uint32_t sixteens(mask_t m)
{
    m |= m >> 8;
    m |= m >> 4;
    m |= m >> 2;
    m |= m >> 1;
    return COUNT(m & (mask_t)0x0001000100010001);
}

/* The largest number of each group less 1, all together: with all lanes active by shifts within rows of 16 lanes (most_of_all). */
static HOT inline uint32_t most_of_sixteens(const _Bool all, mask_t exec, uint32_t number)
{
    if (all) {
        LARGER(number, 0x111, 0xf);
        LARGER(number, 0x112, 0xf);
        LARGER(number, 0x114, 0xf);
        LARGER(number, 0x118, 0xf);
        uint32_t sum = 0;
        UNROLLED
        for (uint32_t last = 15; last < LS_LANES; last += 16)
            sum += readlane(number, last) - 1;
        return sum;
    }
    uint32_t sum = 0, least = 0;
    mask_t more;
    KEEP_LOOP while ((more = ballot(number > ++least) & exec) != 0) sum += sixteens(more);
    return sum;
}

static HOT inline uint32_t of_own_sixteen(mask_t m)
{
    return of_own_group(m) >> (bits_below(ALL_LANES) & 16) & 0xffff;
}

static HOT inline struct lds_cycles scattered_units(const _Bool all, mask_t exec, uint32_t unit, _Bool atomic)
{
    uint32_t word = unit ^ readfirstlane(unit), below = (1u << (bits_below(ALL_LANES) & 15)) - 1;
    mask_t other_bank = with_others(all ? 0 : ~exec, word, 0, 4);
    uint32_t mates = of_own_sixteen(~with_other_rest(other_bank, word, 4, 3)),
             in_bank = of_own_sixteen(~other_bank);
    mask_t firsts = ballot(!(mates & below)); /* of the lanes on one unit */
    struct lds_cycles sum = {0, 0};
    sum.conflict =
        most_of_sixteens(all, exec, (uint32_t)__builtin_popcount(in_bank & of_own_sixteen(firsts)));
    if (atomic)
        sum.address = most_of_sixteens(all, exec, (uint32_t)__builtin_popcount(mates));
    return sum;
}

#define SCATTERED_LDS(all)                                                                                   \
    do {                                                                                                     \
        mask_t exec = all ? ALL_LANES : active_lanes();                                                      \
        struct way_to_counters c;                                                                            \
        struct ls_plan_simple pass;                                                                          \
        FIND_PASS(c, pass);                                                                                  \
        uint32_t at = low + (uint32_t)pass.distance, last = pass.last ^ LS_PLAN_SIMPLE_LDS;                  \
        if (with_any(at, last) | last >> 3) {                                                                \
            if (pass.last == LS_PLAN_NOT_SIMPLE)                                                             \
                NO_PASS(all, pass, head);                                                                    \
            TAIL_CALL(__ls_reduce(wave, low, high, head));                                                   \
        }                                                                                                    \
        struct lds_cycles sum = last >> 2 ? scattered_units(all, exec, at >> 3, pass.more)                   \
                                          : scattered_cycles(all, exec, at >> 2, pass.more);                 \
        const uint32_t number[LS_COSTS] = {1, COUNT(exec), 0, sum.conflict, sum.address};                    \
        add_costs(all, exec, counters_of(c, pass), LS_COST_ADDRESS + 1, number);                             \
    } while (0)

PROBE(__ls_scattered_lds)
{
    SCATTERED_LDS(1);
}

PROBE(__ls_scattered_lds_partial)
{
    SCATTERED_LDS(0);
}

/* ---- LDS, lanes missing: dwords on a line or in rows whose place in the banks the shape tells. Kernels with a condition for each
 * lane have more masks than there is room for, and no mask is needed to find out what they cost ---- */

/* How many lanes of a group of 32 share a bank, if all lanes are active: one, or two that lie 16 lanes apart; 0: another number. A
 * lane of dwords that all lanes read is the only one. */
static HOT inline uint32_t lanes_on_a_bank(int32_t stride)
{
    uint32_t dwords = (uint32_t)stride >> 2;
    return dwords & 1 || !dwords ? 1 : dwords & 2 ? 2 : 0;
}

/* The same of rows: they are the groups, or lie twice as far apart as their lanes would fill. */
static HOT inline uint32_t row_lanes_on_a_bank(struct rows r)
{
    if (r.shift == 5)
        return (uint32_t)r.stride >> 2 & 1;
    return r.stride == 4 && r.pitch == 8 << r.shift ? 2 : 0;
}

/* Groups with both lanes of a pair. */
static HOT inline uint32_t groups_with_pairs(mask_t exec)
{
    uint32_t low = (uint32_t)exec, pairs = plus_any(0, low & low >> 16);
#if LS_LANES == 64
    uint32_t high = (uint32_t)(exec >> 32);
    pairs = plus_any(pairs, high & high >> 16);
#endif
    return pairs;
}

/* `bits`: of the strides; `on_a_bank`: how many lanes are. */
#define REGULAR_LDS(other, base, bits, on_a_bank)                                                            \
    do {                                                                                                     \
        uint32_t sharing = ((bits) & 3) ? 0 : (on_a_bank);                                                   \
        struct way_to_counters c;                                                                            \
        struct ls_plan_simple pass;                                                                          \
        if (!sharing || readfirstlane(head) & HEAD_EXACT)                                                    \
            TAIL_CALL(other(wave, low, high, head));                                                         \
        FIND_PASS_OR(c, pass, other);                                                                        \
        if ((((uint32_t)(base) + (uint32_t)pass.distance) & 3) || pass.more ||                               \
            pass.last != (LS_PLAN_SIMPLE_LDS | 3))                                                           \
            TAIL_CALL(other(wave, low, high, head));                                                         \
        const uint32_t number[LS_COSTS] = {1, COUNT(exec), 0, sharing == 2 ? groups_with_pairs(exec) : 0};   \
        add_costs(0, exec, counters_of(c, pass), LS_COST_ADDRESS + 1, number);                               \
    } while (0)

PROBE(__ls_count_line_lds)
{
    mask_t exec = active_lanes();
    struct line l = line_through(exec, low);
    REGULAR_LDS(__ls_count_line_partial, l.base, (uint32_t)l.stride, lanes_on_a_bank(l.stride));
}

PROBE(__ls_count_rows_lds)
{
    mask_t exec = active_lanes();
    struct line l = line_through(exec, low);
    uint32_t lane = bits_below(ALL_LANES);
    struct rows r = rows_through(l, exec, off_line(l, low, lane, 1), low);
    uint32_t lanes = off_rows(r, low, lane, 1) ? 0 : row_lanes_on_a_bank(r);
    REGULAR_LDS(__ls_count_rows_partial, r.base, (uint32_t)(r.stride | r.pitch), lanes);
}
