/*
 * summary_common.c - summary mode, the common path: an access of a shape whose entry stands, or can stand,
 * where it is looked for first. Everything else goes on as another function.
 *
 * Entries are read by the scalar unit, those of turns (turns.c) through the vector cache. Neither cache sees what other wavefronts
 * write, so it may still hold the 0 that an entry had, which taking it, or __ls_count, finds out; once taken, an entry's key stays
 * while the dispatch runs. What an earlier dispatch left in them is gone: the packets of clones acquire, which empties
 * them (hsa-plugin/code/launch.c).
 */
#include "access.h"
#include "evidence.h"
#include "summary.h"
#include "summary_key.h"

/* Goes on as somebody else when the dispatch is not in summary mode, or its host wants the access as evidence. Evidence
 * is wanted in summary mode only. Each of the ways on is another function: exits that are the same become one, behind a
 * condition that costs more than the branches. */
#define LEAVE_UNLESS_COUNTED(w, ctx, site, tables, sent, kept)                                               \
    do {                                                                                                     \
        u32x4 both = *(const CONSTANT u32x4 *)&ctx->evidence;                                                \
        uint64_t evidence = both[0] | (uint64_t)both[1] << 32;                                               \
        tables = both[2] | (uint64_t)both[3] << 32;                                                          \
        if (!tables)                                                                                         \
            TAIL_CALL(sent);                                                                                 \
        if (evidence && is_wanted(w, ctx, evidence, site))                                                   \
            TAIL_CALL(kept);                                                                                 \
    } while (0)

/* A word of the tables as the vector unit reaches it. */
static HOT inline GLOBAL uint64_t *word_at(uint64_t tables, uint32_t offset)
{
    VECTOR(offset);
    return (GLOBAL uint64_t *)((GLOBAL char *)tables + offset);
}

static HOT inline void one_lane(const _Bool all, uint32_t first)
{
    if (all)
        set_first_lane();
    else
        set_lanes((mask_t)1 << first);
}

static HOT inline void all_again(const _Bool all, mask_t exec)
{
    if (all)
        set_all_lanes();
    else
        set_lanes(exec);
}

/* Adds one to the counter of an entry; lane `first` does. */
static HOT inline void add_one(uint64_t tables, uint32_t entry, const _Bool all, uint32_t first, mask_t exec)
{
    one_lane(all, first);
    __hip_atomic_fetch_add(word_at(tables, entry) + 1, 1, __ATOMIC_RELAXED, AGENT);
    all_again(all, exec);
}

/* Puts a word where the scalar unit has seen none; what stood there. `head`: of the site whose entry it begins; 0: a mask. */
static HOT inline uint64_t put(const _Bool all, uint32_t first, mask_t exec, uint64_t tables, uint32_t place,
                               uint64_t word, uint32_t head)
{
    uint64_t have = 0;
    one_lane(all, first);
    if (head)
        touch(tables, head);
    __hip_atomic_compare_exchange_strong(word_at(tables, place), &have, word, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED, AGENT);
    have = uniform64(have);
    all_again(all, exec);
    OPAQUE(have);
    return have;
}

/* Goes on as __ls_count unless a word of the tables is what is wanted, or nobody had taken its place. `crowded`: there is no other
 * place either. */
#define HOLD(all, first, exec, tables, place, wanted, site, crowded)                                         \
    do {                                                                                                     \
        uint64_t have = seen((tables) + (place));                                                            \
        OPAQUE(have);                                                                                        \
        if (__builtin_expect(have != (wanted), 0)) {                                                         \
            if (!have)                                                                                       \
                have = put(all, first, exec, tables, place, wanted, site);                                   \
            if (have && have != (wanted)) {                                                                  \
                if (crowded)                                                                                 \
                    TAIL_CALL(__ls_count_crowded(wave, low, high, head));                                    \
                TAIL_CALL(__ls_count(wave, low, high, head));                                                \
            }                                                                                                \
        }                                                                                                    \
    } while (0)

/* Counts the access of this key, or goes on as __ls_count. */
#define COUNT_KEY(all, tables, exec, l, site, key)                                                           \
    do {                                                                                                     \
        uint64_t wanted = (key);                                                                             \
        if (!all) {                                                                                          \
            uint32_t place = place_of_mask(exec);                                                            \
            if (!place)                                                                                      \
                TAIL_CALL(__ls_count(wave, low, high, head));                                                \
            HOLD(all, l.first, exec, tables,                                                                 \
                 (uint32_t)__builtin_offsetof(struct ls_summary, masks) + place * 8, exec, 0,                \
                 are_masks_full(tables));                                                                    \
            wanted |= (uint64_t)place << KEY_MASK;                                                           \
        }                                                                                                    \
        uint32_t entry = offset_of(site, wanted);                                                            \
        HOLD(all, l.first, exec, tables, entry, wanted, site, 0);                                            \
        add_one(tables, entry, all, l.first, exec);                                                          \
    } while (0)

#define COUNT_LINE(all)                                                                                      \
    do {                                                                                                     \
        uint64_t address = low | (uint64_t)high << 32;                                                       \
        mask_t exec = all ? ALL_LANES : active_lanes();                                                      \
        wave_ptr w = (wave_ptr)uniform64(wave);                                                              \
        ctx_ptr ctx = ctx_of(w);                                                                             \
        uint64_t tables;                                                                                     \
        uint32_t site = readfirstlane(head);                                                                 \
        if (site & HEAD_EXACT)                                                                               \
            TAIL_CALL(__ls_slow(wave, low, high, head));                                                     \
        LEAVE_UNLESS_COUNTED(w, ctx, site, tables, __ls_send(wave, low, high, head),                         \
                             __ls_evidence(wave, low, high, head));                                          \
        struct line l = all ? line_through_all(address) : line_through(exec, address);                       \
        COUNT_KEY(all, tables, exec, l, site, whole_key(line_shape(l.stride), l.base, site));                \
    } while (0)

PROBE(__ls_count_line)
{
    COUNT_LINE(1);
}

PROBE(__ls_count_line_partial)
{
    COUNT_LINE(0);
}

#define COUNT_ROWS(all)                                                                                      \
    do {                                                                                                     \
        uint64_t address = low | (uint64_t)high << 32;                                                       \
        mask_t exec = all ? ALL_LANES : active_lanes();                                                      \
        wave_ptr w = (wave_ptr)uniform64(wave);                                                              \
        ctx_ptr ctx = ctx_of(w);                                                                             \
        uint64_t tables;                                                                                     \
        uint32_t site = readfirstlane(head);                                                                 \
        if (site & HEAD_EXACT)                                                                               \
            TAIL_CALL(__ls_slow(wave, low, high, head));                                                     \
        LEAVE_UNLESS_COUNTED(w, ctx, site, tables, __ls_send(wave, low, high, head),                         \
                             __ls_evidence(wave, low, high, head));                                          \
        struct line l = all ? line_through_all(address) : line_through(exec, address);                       \
        mask_t off = ballot(address != line_at(l, bits_below(ALL_LANES)));                                   \
        struct rows r = all ? rows_through_all(l, off, address) : rows_through(l, exec, off, address);       \
        if (!have_rows_key(r, address)) {                                                                    \
            if (site & HEAD_LDS)                                                                             \
                TAIL_CALL(SCATTERED(all, 1)(wave, low, high, head));                                         \
            TAIL_CALL(SCATTERED(all, 0)(wave, low, high, head));                                             \
        }                                                                                                    \
        COUNT_KEY(all, tables, exec, l, site, whole_key(rows_key(r), r.base, site));                         \
    } while (0)

PROBE(__ls_count_rows)
{
    COUNT_ROWS(1);
}

PROBE(__ls_count_rows_partial)
{
    COUNT_ROWS(0);
}
