/*
 * expand.h - accesses without messages of their own (struct ls_site_lead in lanescope/sites.h): made again from
 * the messages of the sites that lead them, in the order of the program.
 */
#ifndef MESSAGES_EXPAND_H
#define MESSAGES_EXPAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lanescope/handler.h"
#include "lanescope/sites.h"
#include "lanescope/wire.h"

/* Which sites lead which others, of a table that was checked. */
struct ls_leads {
    const struct ls_site_lead *lead;
    /* n_sites + 1: a site's own are first[site] to first[site + 1] - 1; NULL: there are none */
    const uint32_t *first;
};

/* What the messages of a dispatch leave unsaid of their sites. All 0: nothing. */
struct ls_unsaid {
    struct ls_leads leads;
    struct ls_site_numbers numbers;
    const struct ls_plan
        *plan; /* by which the GPU reduced accesses; NULL: none, or nothing of it is shared */
};

/* Number of followers of a site; *lead: the first of them. `leads` may be NULL. */
static inline uint32_t ls_followers(const struct ls_leads *leads, uint32_t site,
                                    const struct ls_site_lead **lead)
{
    if (!leads || !leads->first)
        return 0;
    *lead = leads->lead + leads->first[site];
    return leads->first[site + 1] - leads->first[site];
}

/* Number of the accesses that a pass stands for besides its own, as the plan has it; *first: the first of them. Of `pass` are
 * asked the site's number, offset, bytes and memory. `plan` may be NULL. */
uint32_t ls_expand_shared(const struct ls_plan *plan, const struct ls_plan_pass *pass,
                          const struct ls_plan_shared **first);

/* What each turn of a loop does, in messages that tell all turns (LS_HEAD_TURNS in lanescope/wire.h). */
struct ls_turns_one {
    struct lanescope_access access; /* of the first turn */
    uint64_t step, more;            /* distance from turn to turn; turns - 1 */
    bool moves;                     /* another base says each turn */
    uint32_t words[128];            /* of a turn, if not */
};

enum { LS_TURNS_GATHERED = 32 };
/* Of one loop, in the order of the program. Zeroed (n = 0) at the start. */
struct ls_turns_loop {
    struct ls_turns_one one[LS_TURNS_GATHERED];
    unsigned n;
    uint32_t number; /* of the loop */
};

/* Leaders of one basic block that wait for their followers' turn; more come out of turn. */
enum { EXPAND_WAITING = 64 };

struct ls_expand_one {
    struct lanescope_access access; /* the leader's */
    const struct ls_site_lead *next, *end;
};

/* Accesses of one wavefront, while its messages are read. Zeroed (n = 0) at the start. */
struct ls_expand {
    struct ls_expand_one waiting[EXPAND_WAITING];
    unsigned n;
};

/* A follower's address, where its leader has `address`: LDS has addresses of 32 bits, and sums of them wrap. */
uint64_t ls_expand_address(uint64_t address, int64_t distance, uint8_t space);

/* A follower's access, from its leader's. Words that had to be written anew are in `words`, which must live as
 * long as *out; true if there are any. */
bool ls_expand_access(const struct lanescope_access *leader, const struct ls_site_lead *lead,
                      const struct lanescope_site *sites, struct lanescope_access *out, uint32_t words[128]);

/* Adds what a message tells of a loop. False: another loop, or turn of one around it, begins, or there is no room: those
 * that are gathered come first. */
bool ls_turns_add(struct ls_turns_loop *t, uint32_t number, const struct lanescope_access *first,
                  uint64_t step, uint64_t more, const struct lanescope_site *sites);

/* The access of a turn. True: its words are those in *one, written anew for each turn. */
bool ls_turns_access(struct ls_turns_one *one, uint64_t turn, const struct lanescope_site *sites,
                     struct lanescope_access *out);

/* Call with each access that a message tells, after ls_expand_before. Followers of it will come. */
void ls_expand_behind(struct ls_expand *x, const struct ls_leads *leads,
                      const struct lanescope_access *access);

/* The next access that the program did before one of `site`, of those that are waited for; LANESCOPE_NO_SITE: of
 * all that are. False: there is none (any more). */
bool ls_expand_before(struct ls_expand *x, uint32_t site, struct lanescope_access *leader,
                      const struct ls_site_lead **lead);

#endif
