/*
 * rows.h - which of several instructions in one row of the line table have the place that it tells. Pure: no I/O, no global
 * state.
 */
#ifndef JOIN_ROWS_H
#define JOIN_ROWS_H

struct ls_isa_listing;

/* Sets follows, other_way and behind_scratch of its instructions, whose blocks and registers are known. */
void ls_rows_find_followers(struct ls_isa_listing *l);

#endif
