/*
 * summary_table.h - summary mode: accesses counted by their shape (struct ls_summary in lanescope/wire.h).
 */
#ifndef LS_SUMMARY_TABLE_H
#define LS_SUMMARY_TABLE_H

#include "summary_key.h"

/* ---- one lane runs this ---- */

#define NO_WORD (~0u)

/* Whether a word is `wanted`, or was 0 and is taken for it. `head`: of the site whose entry it begins; 0: a mask. */
static inline _Bool take_word(uint64_t at, uint64_t wanted, uint64_t tables, uint32_t head)
{
    GLOBAL uint64_t *word = (GLOBAL uint64_t *)at;
    VECTOR(word);
    uint64_t have = uniform64(LOAD(word, AGENT));
    OPAQUE(have);
    if (!have) {
        if (head)
            touch(tables, head);
        __hip_atomic_compare_exchange_strong(word, &have, wanted, __ATOMIC_RELAXED, __ATOMIC_RELAXED, AGENT);
        have = uniform64(have);
        OPAQUE(have);
    }
    return !have || have == wanted;
}

/* As LS_SUMMARY_PROBES, of a site that has found no room for a key: most that have an entry are found by these. */
#define FULL_PROBES 4

/* Finds the entry of a key among those of its site, or takes one for it: looks at LS_SUMMARY_PROBES of them, from the key's place
 * on, each second one. The entry's number; NO_WORD: no room. */
static inline uint32_t find_entry(uint64_t entries, uint64_t key, uint64_t tables, uint32_t head)
{
    uint32_t at = place_of_key(key), full = is_full(tables, head);
    for (uint32_t left = full ? FULL_PROBES : LS_SUMMARY_PROBES; left; left--, at += 2) {
        uint32_t number = at & (LS_SUMMARY_WAYS - 1);
        if (take_word(entries + number * (uint32_t)sizeof(struct ls_summary_entry), key, tables, head))
            return number;
    }
    if (!full)
        tell_full(tables, head);
    return NO_WORD;
}

/* Finds a mask that another one's place kept from its own, or puts it into the first free one. The lanes `some`, which were active
 * when the function was called that this is in, look at a mask each. One lane is active. */
static inline uint32_t seek_mask(uint64_t masks, uint64_t exec, mask_t some)
{
    const mask_t was = active_lanes();
    const uint32_t step = COUNT(some);
    uint32_t free;
    KEEP_LOOP do
    {
        free = NO_WORD;
        KEEP_LOOP for (uint32_t from = 0; from < LS_SUMMARY_MASKS; from += step)
        {
            uint32_t number = lanes_begin(some) + from,
                     at = (number & (LS_SUMMARY_MASKS - 1)) * (uint32_t)sizeof exec;
            uint64_t have = LOAD((GLOBAL uint64_t *)((GLOBAL char *)masks + at), AGENT);
            mask_t there = ballot(number - 1 < LS_SUMMARY_MASKS - 1), same = ballot(have == exec) & there,
                   none = ballot(!have) & there;
            set_lanes(was);
            if (same)
                return from + COUNT(some & (((mask_t)1 << FIRST_LANE(same)) - 1));
            if (none && free == NO_WORD)
                free = from + COUNT(some & (((mask_t)1 << FIRST_LANE(none)) - 1));
        }
    }
    while (free != NO_WORD && !take_word(masks + free * (uint32_t)sizeof exec, exec, 0, 0))
        ;
    return free;
}

/* Number of a mask; NO_WORD: no room. Number 0 is taken: a mask found there would be told as all lanes. `some`: of seek_mask. */
static inline uint32_t number_of_mask(uint64_t tables, mask_t exec, mask_t some)
{
    if (exec == ALL_LANES)
        return 0;
    uint64_t masks = tables + __builtin_offsetof(struct ls_summary, masks);
    uint32_t place = place_of_mask(exec);
    if (place && take_word(masks + place * (uint32_t)sizeof(uint64_t), exec, 0, 0))
        return place;
    uint32_t number = seek_mask(masks, exec, some);
    if (number == NO_WORD) {
        GLOBAL uint32_t *full = (GLOBAL uint32_t *)&((summary_ptr)tables)->masks_full;
        VECTOR(full);
        STORE(full, 1, AGENT);
    }
    return number;
}

/* Counts so many accesses whose key, exec mask included, is known; 0 when there is no room for it. */
static inline _Bool count_access(uint64_t tables, uint32_t head, uint64_t key, uint64_t times)
{
    uint64_t entries =
        tables + (head & HEAD_SITE) * (LS_SUMMARY_WAYS * (uint32_t)sizeof(struct ls_summary_entry));
    uint32_t found = find_entry(entries, key, tables, head);
    if (found == NO_WORD)
        return 0;
    GLOBAL struct ls_summary_entry *entry = (GLOBAL struct ls_summary_entry *)entries + found;
    VECTOR(entry);
    __hip_atomic_fetch_add(&entry->count, times, __ATOMIC_RELAXED, AGENT);
    return 1;
}

/* ---- the whole wavefront runs this ---- */

/* As find_entry, of a key in each of the lanes `some` of the active ones, which then have the offsets of their entries. 0: one
 * found no room. */
static inline _Bool find_own_entries(uint64_t tables, mask_t exec, mask_t some, uint32_t head, uint64_t key,
                                     uint32_t *offset)
{
    const uint32_t size = sizeof(struct ls_summary_entry),
                   of_site = (head & HEAD_SITE) * LS_SUMMARY_WAYS * size;
    uint32_t at = place_of_key(key) * size, full = is_full(tables, head), left = full ? 1 : LS_SUMMARY_PROBES;
    KEEP_LOOP do
    {
        GLOBAL uint64_t *word = (GLOBAL uint64_t *)((GLOBAL char *)tables + of_site + at);
        uint64_t have = LOAD(word, AGENT), none = 0;
        mask_t free = ballot(have == 0) & some;
        if (free) {
            set_lanes(free);
            touch(tables, head);
            __hip_atomic_compare_exchange_strong(word, &none, key, __ATOMIC_RELAXED, __ATOMIC_RELAXED, AGENT);
            set_lanes(exec);
            have = LOAD(word, AGENT);
        }
        *offset = of_site + at;
        if (!(ballot(have != key) & some))
            return 1;
        at = have == key ? at : (at + 2 * size) & (LS_SUMMARY_WAYS * size - 1);
    }
    while (--left)
        ;
    if (!full) {
        set_lanes((mask_t)1 << first_lane_of(exec));
        tell_full(tables, head);
        set_lanes(exec);
    }
    return 0;
}

/* Key of an access; 0: its shape has none. */
static HOT inline uint64_t shape_of(mask_t exec, uint64_t address, uint32_t head)
{
    struct line l = line_through(exec, address);
    mask_t off = ballot(address != line_at(l, bits_below(ALL_LANES)));
    if (!off)
        return whole_key(line_shape(l.stride), l.base, head);
    struct rows r = rows_through(l, exec, off, address);
    return have_rows_key(r, address) ? whole_key(rows_key(r), r.base, head) : 0;
}

/* Counts so many accesses of a key, without exec mask; 0 when it is none, or there is no room. */
static HOT inline _Bool count(ctx_ptr ctx, mask_t exec, uint32_t head, uint64_t key, uint64_t times)
{
    if (!key)
        return 0;
    mask_t lanes = first_lane_begin();
    uint32_t mask = number_of_mask(ctx->summary, exec, lanes);
    uint32_t counted =
        mask != NO_WORD && count_access(ctx->summary, head, key | (uint64_t)mask << KEY_MASK, times);
    counted = from_one_lane(counted);
    set_lanes(lanes);
    return counted;
}

#endif
