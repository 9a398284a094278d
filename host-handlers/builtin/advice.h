/*
 * advice.h - inside the advice handler: what it keeps of a dispatch, and the two searches that run at its
 * end.
 */
#ifndef HOST_HANDLERS_ADVICE_H
#define HOST_HANDLERS_ADVICE_H

#include <stdbool.h>

#include "lanescope/handler.h"
#include "lanescope/sdk/rows.h"
#include "host-handlers/models/coalescing_model.h"
#include "host-handlers/models/layout_model.h"
#include "host-handlers/models/lds_model.h"
#include "advice_sample.h"

/* Accesses as the source has them. Samples hold what instructions do, which may serve several of these. */
struct advice_field {
    uint64_t lowest; /* address; ~0: no access */
    int64_t step;    /* distance of neighbouring lanes in the first access of several lanes; 0: none, or no
                        single one */
    uint64_t first;  /* the lowest address of that access */
    bool seen;       /* such an access was there */
    bool
        moves; /* accesses lie at different places in what is a step long: it is a row of a matrix, and no structure */
};

/* Lanes of the instructions that stand for a site's access. */
struct advice_lanes {
    uint64_t executions, active;
    uint64_t empty; /* lanes that are no work-items */
};

/* What an access of a site is to the handler, found once. */
enum advice_memory { ADVICE_NO_MEMORY, ADVICE_LDS, ADVICE_GLOBAL, ADVICE_BY_ADDRESS };
struct advice_way {
    uint32_t of;           /* site + 1; 0: of none */
    bool none;             /* no access that it has advice for */
    struct sample *sample; /* of the only pass of each access; NULL: there are more, or none came so far */
    struct advice_lanes *lanes; /* NULL: they do not count */
    struct advice_field *field; /* NULL: not in global memory */
    uint64_t above,
        kept; /* what makes the sample's base of an address: it keeps some bits, and has others besides */
    uint64_t bytes;
    uint32_t offset;
};

struct advice {
    const struct lanescope_host *host;
    const struct lanescope_dispatch *dispatch;
    const struct ls_gpu *lds_gpu;   /* NULL: no model, no advice */
    const struct ls_gpu *cache_gpu; /* likewise */
    struct advice_field *field;     /* per site: what the source accesses of global memory */
    struct advice_lanes *lanes;     /* per site */
    struct advice_way *way;         /* places: recent.h */
    uint32_t places;
    struct sample *lds[0]; /* per site, then as many of global memory; NULL: no such access */
};

static inline struct sample **advice_lds(struct advice *a)
{
    return a->lds;
}

static inline struct sample **advice_global(struct advice *a)
{
    return a->lds + a->dispatch->n_sites;
}

/* Global addresses are kept modulo this, the largest cache line, on top of a base that leaves room below. */
#define ADVICE_PERIOD 128u
#define ADVICE_BASE (1ull << 40)

/* A distance of neighbouring lanes explains an access when so many of 100 pairs have it: 75 lets a wavefront
 * walk four rows of 16 lanes. */
#define ADVICE_EXPLAINS 75u

/* Which lanes are neighbours: those next to each other; active ones, with idle ones between them or without; or these, with the
 * idle ones counted. */
enum advice_neighbours { ADVICE_ADJACENT, ADVICE_ACTIVE, ADVICE_COUNTED };

/* Adds distances of neighbouring active lanes: the lanes between them are idle and do not count. */
void advice_add_steps(struct ls_steps *s, uint64_t exec, const uint64_t addr[64], uint64_t weight);
/* The same for what one lane is from the next one, when those between are counted, too: a distance over idle
 * lanes is divided by their number. Where that cannot be, it counts as the largest distance there is. */
void advice_add_lane_steps(struct ls_steps *s, uint64_t exec, const uint64_t addr[64], uint64_t weight);
/* The distance that explains the steps; 0: none does. */
int64_t advice_step(const struct ls_steps *s);

/* Where a distance holds, of what is in a sample. */
struct advice_reach {
    uint64_t executions;  /* that it explains */
    uint64_t pairs, with; /* of neighbouring lanes in these; and those of them that are that far apart */
    uint64_t bytes;       /* per lane of the narrowest of these accesses; 0: there are none */
};
/* A row: lanes of one row of the work-group, when rows fill a wavefront; else all of a wavefront's lanes. The last lane of a row and the first
 * one of the next are no neighbours. */
unsigned advice_row(const struct lanescope_dispatch *d);
/* step 0: it holds nowhere. */
struct advice_reach advice_reach(const struct sample *s, int64_t step, enum advice_neighbours which,
                                 unsigned row);
/* Writes the members step_pairs, pairs and row. */
void advice_put_pairs(struct lanescope_json *json, const struct advice_reach *r, unsigned row);

/* Store rows in the tables "lds", "global" and "lanes" (docs/handlers/advice.md). */
void advice_write_lds(struct advice *a, struct lanescope_results *r);
void advice_write_global(struct advice *a, struct lanescope_results *r);
void advice_write_lanes(struct advice *a, struct lanescope_results *r);

#endif
