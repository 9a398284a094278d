/*
 * match.h - the join of one module: each site's instructions in the original's machine code (docs/internals/join.md).
 * Works function by function, first by what the code alone tells, then again with the first observed
 * accesses. No I/O, no global state; the caller serialises calls.
 */
#ifndef JOIN_MATCH_H
#define JOIN_MATCH_H

#include "evidence.h"
#include "join/machine/isa.h"
#include "objects/site_groups.h"
#include "objects/sites.h"

struct ls_match;

enum ls_match_state {
    LS_MATCH_NONE,   /* not joined: its numbers are estimates */
    LS_MATCH_EXACT,  /* alone */
    LS_MATCH_SHARED, /* one instruction serves it together with others */
    LS_MATCH_SCALAR,
    LS_MATCH_ABSENT, /* the original has no instruction for it */
};
/* Why a site is not joined. */
enum ls_match_why {
    LS_MATCH_UNCLEAR, /* no instructions, or several possibilities */
    LS_MATCH_MOVED,   /* the compiler moved its instructions into other loops, or out of them */
    LS_MATCH_LONG,    /* the search was given up, see match_work.c */
};

/* The module must outlive the result. NULL when out of memory. */
struct ls_match *ls_match_create(const struct ls_module *m);
void ls_match_destroy(struct ls_match *x);
/* Takes over the memory instructions of original function `name` (as in m->functions); *l is emptied. The number that
 * the function has from now on; LS_NONE: out of memory. */
uint32_t ls_match_listing(struct ls_match *x, const char *name, struct ls_isa_listing *l);
/* Joins what is not settled yet. Call after the last listing, and after each ls_match_learn. */
void ls_match_solve(struct ls_match *x);
/* Whether observed accesses of that kernel (number in the module) could still change something. */
bool ls_match_wants(const struct ls_match *x, uint32_t kernel);
/* Widths of the instructions that may turn out to do the site's access, or a part of it; bit n: n bytes. 0
 * when the code alone decides which they are, or nothing ever will. */
uint32_t ls_match_widths(const struct ls_match *x, uint32_t site);
/* Learns from a chunk of a dispatch (numbered from 1) of the module's sites. */
void ls_match_learn(struct ls_match *x, const struct ls_unsaid *unsaid, uint64_t dispatch, const void *chunk,
                    size_t size);

/* Whether something was joined anew since the last call. */
bool ls_match_changed(struct ls_match *x);
/* For handlers: n_sites elements, stays as it is until ls_match_destroy. NULL when out of memory. */
const struct lanescope_isa *ls_match_isa(struct ls_match *x);
enum ls_match_state ls_match_state(const struct ls_match *x, uint32_t site);
/* The site that counts memory instruction number `instruction` of a function's listing; LS_NONE: no site. `function`:
 * of ls_match_listing, perhaps LS_NONE. */
uint32_t ls_match_site(const struct ls_match *x, uint32_t function, size_t instruction);
/* Whether the executions that are counted on the site tell those of each instruction that it counts: all of
 * these are executed equally often, and no other site may have them instead. */
bool ls_match_tells(const struct ls_match *x, uint32_t site);
/* The instruction that stands for the site; NULL when it has none. */
const struct ls_isa_instruction *ls_match_instruction(const struct ls_match *x, uint32_t site);
/* The same in words; static text. */
const char *ls_match_why_text(enum ls_match_why why);
enum ls_match_why ls_match_why(const struct ls_match *x, uint32_t site);
/* A site that was seen to execute and is not joined. */
bool ls_match_estimated(const struct ls_match *x, uint32_t site);
/* Of a site that an instruction serves together with others: the one that counts it, which may be itself;
 * else LS_NONE. */
uint32_t ls_match_counted_at(const struct ls_match *x, uint32_t site);
/* Whether one of the site's instructions is a compare and swap. */
bool ls_match_swaps(const struct ls_match *x, uint32_t site);
/* Mnemonics of the site's instructions, malloc'd; NULL: none known. */
char *ls_match_text(const struct ls_match *x, uint32_t site);

#endif
