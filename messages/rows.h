/*
 * rows.h - accesses in rows (LS_KIND_ROWS in lanescope/wire.h), as handlers see them: distances from the base, made
 * once for all accesses in a chunk with the same rows.
 */
#ifndef MESSAGES_ROWS_H
#define MESSAGES_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/* address(lane) = base + column * stride + row * pitch, in rows of 1 << shift lanes. */
struct ls_rows {
    uint64_t exec;          /* active lanes; 0: no rows */
    uint32_t stride, pitch; /* signed numbers of bytes */
    uint32_t shift;         /* 1 to 5 */
};

struct ls_rows_words {
    struct ls_rows rows;
    uint8_t pattern;     /* LANESCOPE_DELTA; LANESCOPE_RAW if a distance has more than 32 bits */
    uint32_t words[128]; /* distances; of LANESCOPE_RAW nothing */
};

enum { LS_ROWS_MADE = 128 }; /* more than leaders that wait (EXPAND_WAITING) */
struct ls_rows_made {
    unsigned last; /* the one found last */
    unsigned n;    /* those behind have never been made */
    struct ls_rows_words of[LS_ROWS_MADE];
};

void ls_rows_forget(struct ls_rows_made *made);
bool ls_rows_valid(const struct ls_rows *rows);
/* The words of these rows, made if they are new; those of LANESCOPE_RAW are new each time, for ls_rows_raw to fill.
 * NULL: no room. */
struct ls_rows_words *ls_rows_find(struct ls_rows_made *made, const struct ls_rows *rows);
/* Whether all distances have 32 bits. */
bool ls_rows_fit(const struct ls_rows *rows);
/* The distance of each active lane from the base, in 32 bits. */
void ls_rows_distances(const struct ls_rows *rows, uint32_t words[64]);
/* The words of LANESCOPE_RAW: low halves of the active lanes' addresses, then high halves. */
void ls_rows_raw(const struct ls_rows *rows, uint64_t base, uint32_t words[128]);

#endif
