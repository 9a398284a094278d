/*
 * layout_model.h - where the bytes of a two-dimensional array go when its rows get another pitch or its
 * columns are swizzled, as pure functions of addresses; and how far neighbouring lanes are apart.
 */
#ifndef HOST_HANDLERS_LAYOUT_MODEL_H
#define HOST_HANDLERS_LAYOUT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* Rows of `pitch` bytes from `origin` on become rows of `to` bytes. With `unit` not 0 the columns are
 * swizzled instead: the row's column number, in units of so many bytes, is XORed with the row's number; pitch
 * / unit must be a power of two. With `rows` not 0 each column, `unit` bytes wide, becomes an array of its
 * own with so many elements, and these arrays stand one after the other: a structure of arrays. */
struct ls_layout {
    uint64_t origin;
    uint32_t pitch, to, unit, rows;
};

/* Writes where each active lane's `bytes` bytes at from[lane] go. False when an access does not stay in one
 * row (or unit), which means that the array has no such rows. Addresses must not be below the origin. */
bool ls_layout_map(const struct ls_layout *l, unsigned bytes, uint64_t exec, const uint64_t from[64],
                   uint64_t to[64]);

/* Differences between the addresses of neighbouring active lanes, by how often they occur. */
enum { LS_STEPS = 16 };
struct ls_steps {
    unsigned n;
    uint64_t pairs; /* all of them, also those that found no room below */
    struct {
        int64_t step;
        uint64_t count;
    } of[LS_STEPS];
};

/* Adds those of one access, `weight` times. */
void ls_steps_add(struct ls_steps *s, uint64_t exec, const uint64_t addr[64], uint64_t weight);
/* Index of the most frequent one, -1 when there is none. */
int ls_steps_most(const struct ls_steps *s);

#endif
