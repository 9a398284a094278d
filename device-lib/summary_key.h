/*
 * summary_key.h - summary mode: the keys under which accesses are counted, and where a table's words are looked for
 * first (struct ls_summary in lanescope/wire.h).
 */
#ifndef LS_SUMMARY_KEY_H
#define LS_SUMMARY_KEY_H

#include "line.h"

typedef GLOBAL struct ls_summary *summary_ptr;

#define KEY_MASK 58 /* first bit of each field */
#define KEY_ROWS 55
#define KEY_PHASE 48
#define KEY_STRIDE 32
#define KEY_LINE (1ull << KEY_ROWS)

_Static_assert(LS_SUMMARY_STEP_MAX == 1 << 26, "of rows' steps one bit less than 27 remains");
_Static_assert(LS_SUMMARY_WAYS == 64 && LS_SUMMARY_MASKS == 64, "places have 6 bits");

/* The topmost bits of a product depend on all bits of the factor. These factors come from a search: the lowest 1 to 8 lanes, the
 * highest ones, and all but these, as at the borders of tiles, the lanes of a reduction (the lowest 1, 2, 4, 8, 16, 32), and every 2nd,
 * 4th, 8th, 16th and 32nd lane have places of their own. */
static HOT inline uint32_t place_of_mask(uint64_t mask)
{
#if LS_LANES == 64
    return ((uint32_t)mask ^ (uint32_t)(mask >> 32) * 59) * 0x9b904d87u >> 26;
#else
    return (uint32_t)mask * 0xd818b7a9u >> 26;
#endif
}

/* Keys that differ in where they begin only, the usual case, have places of their own, if it is by two bytes or more: half of it is
 * added to the topmost bits. The lowest bit of what it is added to says whether lanes are missing, so that the many keys of a picture's
 * edges mostly leave places to those of its middle, which are frequent (find_entry goes on by two). The numbers of masks
 * count by four there: by eight their places meet. */
static HOT inline uint32_t place_of_key(uint64_t key)
{
    uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32), mask = high >> (KEY_MASK - 32);
    uint32_t mixed = (low ^ high << 16 ^ high >> (KEY_ROWS + 1 - 32)) * 0x9e3779b9u;
    mixed = (mixed & ~(1u << 26)) | (mask ? 1u : 0) << 26;
    return (mixed + (high << (26 - (KEY_PHASE + 1 - 32)))) >> 26;
}

/* Where in the tables a key's entry is. There are few enough sites for offsets of 32 bits. */
static HOT inline uint32_t offset_of(uint32_t head, uint64_t key)
{
    return ((head & HEAD_SITE) * LS_SUMMARY_WAYS | place_of_key(key)) *
           (uint32_t)sizeof(struct ls_summary_entry);
}

static HOT inline uint64_t entry_of(uint64_t tables, uint32_t head, uint64_t key)
{
    return tables + offset_of(head, key);
}

/* Where the site's word is among the bits that sites have in `struct ls_summary`: `member`, of so many bits. */
static HOT inline uint32_t word_of_site(uint32_t member, uint32_t bits, uint32_t head)
{
    return member + (head & (bits - 1)) / 32 * (uint32_t)sizeof(uint32_t);
}

/* Sets the site's bit in such a word; one lane is enough. */
static HOT inline void set_bit_of_site(uint64_t tables, uint32_t word, uint32_t head)
{
    VECTOR(word);
    __hip_atomic_fetch_or((GLOBAL uint32_t *)((GLOBAL char *)tables + word), 1u << (head & 31),
                          __ATOMIC_RELAXED, AGENT);
}

#define TOUCHED_OF(head)                                                                                     \
    word_of_site((uint32_t)__builtin_offsetof(struct ls_summary, touched), LS_SUMMARY_TOUCHED, head)
#define FULL_OF(head)                                                                                        \
    word_of_site((uint32_t)__builtin_offsetof(struct ls_summary, full), LS_SUMMARY_FULL, head)

/* Says that the site takes an entry, or tries to. The dispatch's end looks at the entries of such sites only. */
static HOT inline void touch(uint64_t tables, uint32_t head)
{
    set_bit_of_site(tables, TOUCHED_OF(head), head);
}

/* Says that the site has found no room for an entry. */
static HOT inline void tell_full(uint64_t tables, uint32_t head)
{
    set_bit_of_site(tables, FULL_OF(head), head);
}

/* Not 0: it has, as the scalar unit sees it. */
static HOT inline uint32_t is_full(uint64_t tables, uint32_t head)
{
    return *(const CONSTANT uint32_t *)(tables + FULL_OF(head)) & 1u << (head & 31);
}

static HOT inline uint32_t are_masks_full(uint64_t tables)
{
    return *(const CONSTANT uint32_t *)(tables + __builtin_offsetof(struct ls_summary, masks_full));
}

/* Not 0: no key can tell the rows. */
static HOT inline uint32_t far_rows(struct rows r)
{
    return (uint32_t)(r.stride + 0x8000) >> 16 | (uint32_t)(r.pitch + LS_SUMMARY_STEP_MAX - 1) >> 27 |
           (r.shift - 1) >> 31;
}

/* Whether an access is one in rows that a key can tell. */
static HOT inline _Bool have_rows_key(struct rows r, uint64_t address)
{
    return !far_rows(r) && !ballot(address != rows_at(r, bits_below(ALL_LANES)));
}

/* What of their key tells the rows' shape. */
static HOT inline uint64_t rows_key(struct rows r)
{
    uint32_t high = (7 - r.shift) << (KEY_ROWS - 32) | (uint16_t)r.stride;
    return (uint64_t)high << 32 | (uint32_t)r.pitch;
}

/* The same of a line. */
static HOT inline uint64_t line_shape(int32_t stride)
{
    return KEY_LINE | (uint32_t)stride;
}

/* Key of an access with all lanes. `shape`: line_shape or rows_key. */
static HOT inline uint64_t whole_key(uint64_t shape, uint64_t base, uint32_t head)
{
    uint64_t period = head & HEAD_LDS ? LS_SUMMARY_PERIOD_LDS : LS_SUMMARY_PERIOD;
    return shape | (base & (period - 1)) << KEY_PHASE;
}

/* That key when the access is made `by` bytes further on. */
static HOT inline uint64_t moved_key(uint64_t key, uint32_t by, uint32_t head)
{
    uint32_t period = head & HEAD_LDS ? LS_SUMMARY_PERIOD_LDS : LS_SUMMARY_PERIOD;
    uint64_t phase = ((uint32_t)(key >> KEY_PHASE) + by) & (period - 1);
    return (key & ~((uint64_t)(LS_SUMMARY_PERIOD - 1) << KEY_PHASE)) | phase << KEY_PHASE;
}

#endif
