/*
 * join.h - source accesses against hardware instructions: what the original kernel's machine code does on a
 * site's line. Pure: no I/O, no global state.
 */
#ifndef JOIN_JOIN_H
#define JOIN_JOIN_H

#include "join/machine/isa.h"
#include "objects/site_groups.h"
#include "objects/sites.h"

/* Mnemonics, with counts, of the instructions that may carry out site `index` of module m, one of those of
 * `kernel`, as "2x ds_read2_b32, ds_read_b32"; malloc'd, NULL when there are none. *merged: 1 when the
 * hardware does it together with another site's access of the same line (ds_read2, ds_write2). */
char *ls_join_site(const struct ls_module *m, struct ls_site_list kernel, uint32_t index,
                   const struct ls_isa_listing *l, uint32_t *merged);

#endif
