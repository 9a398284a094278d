/*
 * summary_table.h - summary mode: accesses counted by their shape (struct ls_summary in lanescope/wire.h).
 */
#ifndef LS_SUMMARY_TABLE_H
#define LS_SUMMARY_TABLE_H

#include "summary_key.h"

/* ---- one lane runs this ---- */

#define NO_WORD (~0u)

/* Finds `wanted` in a table of words that are 0 until somebody takes them, or takes one for it. Looks from place `at`
 * on at LS_SUMMARY_PROBES of `size` (a power of two) words, `step` words apart. The word's number; NO_WORD: no
 * room. With more than one word each they are the entries of the site of `head` in `tables`. */
static inline uint32_t find_word(uint64_t table, const uint32_t size, const uint32_t step, uint32_t at,
                                 uint64_t wanted, uint64_t tables, uint32_t head)
{
    for (uint32_t left = LS_SUMMARY_PROBES;;) {
        uint32_t number = at & (size - 1);
        GLOBAL uint64_t *word = (GLOBAL uint64_t *)(table + number * step * (uint32_t)sizeof *word);
        VECTOR(word);
        uint64_t have = uniform64(LOAD(word, AGENT));
        OPAQUE(have);
        if (!have) {
            if (step > 1)
                touch(tables, head);
            __hip_atomic_compare_exchange_strong(word, &have, wanted, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                                 AGENT);
            have = uniform64(have);
            OPAQUE(have);
            if (!have)
                return number;
        }
        if (have == wanted)
            return number;
        at++;
        if (!--left)
            return NO_WORD;
    }
}

/* Number of a mask; NO_WORD: no room. */
static inline uint32_t number_of_mask(uint64_t tables, mask_t exec)
{
    if (exec == ALL_LANES)
        return 0;
    uint32_t number = find_word(tables + __builtin_offsetof(struct ls_summary, masks), LS_SUMMARY_MASKS, 1,
                                place_of_mask(exec), exec, 0, 0);
    return number ? number : NO_WORD; /* number 0 is taken; a mask found there would be told as all lanes */
}

/* Counts so many accesses whose key, exec mask included, is known; 0 when there is no room for it. */
static inline _Bool count_access(uint64_t tables, uint32_t head, uint64_t key, uint64_t times)
{
    uint64_t entries =
        tables + (head & HEAD_SITE) * (LS_SUMMARY_WAYS * (uint32_t)sizeof(struct ls_summary_entry));
    uint32_t found = find_word(entries, LS_SUMMARY_WAYS, 2, place_of_key(key), key, tables, head);
    if (found == NO_WORD)
        return 0;
    GLOBAL struct ls_summary_entry *entry = (GLOBAL struct ls_summary_entry *)entries + found;
    VECTOR(entry);
    __hip_atomic_fetch_add(&entry->count, times, __ATOMIC_RELAXED, AGENT);
    return 1;
}

/* ---- the whole wavefront runs this ---- */

/* Key of an access; 0: its shape has none. */
static HOT inline uint64_t shape_of(mask_t exec, uint64_t address, uint32_t head)
{
    struct line l = line_through(exec, address);
    mask_t off = ballot(address != line_at(l, bits_below(ALL_LANES)));
    if (!off)
        return whole_key((uint32_t)l.stride, l.base, head);
    struct rows r = rows_through(l, exec, off, address);
    return have_rows_key(r, address) ? whole_key(rows_key(r), r.base, head) : 0;
}

/* Counts so many accesses of a key, without exec mask; 0 when it is none, or there is no room. */
static HOT inline _Bool count(ctx_ptr ctx, mask_t exec, uint32_t head, uint64_t key, uint64_t times)
{
    if (!key)
        return 0;
    mask_t lanes = first_lane_begin();
    uint32_t mask = number_of_mask(ctx->summary, exec);
    uint32_t counted =
        mask != NO_WORD && count_access(ctx->summary, head, key | (uint64_t)mask << KEY_MASK, times);
    counted = from_one_lane(counted);
    set_lanes(lanes);
    return counted;
}

#endif
