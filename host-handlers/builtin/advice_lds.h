/*
 * advice_lds.h - inside the search for a better layout of an array in LDS: what its parts share.
 *
 *   advice_lds.c         which sites use one array, what their accesses cost, rows of the table
 *   advice_layouts.c     which layouts are tried, and what the recorded accesses cost in them
 *   advice_contention.c  atomics whose lanes wait for each other
 */
#ifndef HOST_HANDLERS_ADVICE_LDS_H
#define HOST_HANDLERS_ADVICE_LDS_H

#include "advice.h"
#include "host-handlers/models/layout_model.h"

/* Cycles of recorded accesses. */
struct cycles {
    uint64_t conflicts; /* lost to bank conflicts */
    uint64_t address;   /* in which lanes of atomics wait for each other */
    uint64_t all;       /* with these and those of the accesses themselves */
};

static inline void add_cycles(struct cycles *to, struct cycles c, uint64_t times)
{
    to->conflicts += times * c.conflicts;
    to->address += times * c.address;
    to->all += times * c.all;
}

/* Costs of access shapes, by site and addresses relative to the dword of the first lane: a shift of all
 * addresses by whole dwords only renames the banks. */
struct memo {
    uint64_t exec;
    uint32_t site, bytes;
    struct cycles cycles;
    uint32_t addr[64]; /* of active lanes, the others 0 */
};

struct search {
    struct advice *a;
    struct memo *memo;
    uint32_t *site; /* the array's */
    uint32_t n;
    const struct lanescope_variable *variable; /* that the array is; NULL: not known */
    uint64_t origin;
    uint64_t end;
    uint32_t align;        /* the widest access of the array in bytes: padding must keep it aligned */
    uint32_t narrow;       /* the narrowest one, at least a dword */
    uint32_t narrowest;    /* of the source's accesses, in bytes */
    uint32_t element;      /* bytes of what the source counts rows in */
    bool merged;           /* the compiler made some accesses of several in the source */
    uint64_t parts;        /* of accesses that may still be replayed, so that the search comes to an end */
    bool cut;              /* there were more */
    struct cycles *before; /* per site of the dispatch, of recorded accesses */
    struct cycles total;   /* of the array */
};

/* Ways to change a layout, by what one writes in the source. */
enum kind {
    PAD,   /* rows are longer */
    GROW,  /* structures are longer */
    XOR,   /* columns are XORed by the row */
    SPLIT, /* an array for each field of a structure */
    KINDS
};

struct candidate {
    enum kind kind;
    /* of the variable that grows, from 0; 0: rows are the data's, the source counts them */
    unsigned dimension;
    struct ls_layout layout;
    struct cycles total;
    struct cycles *site; /* of the search's n */
};

enum { CANDIDATES = 32 };
struct candidates {
    unsigned n;
    struct candidate of[CANDIDATES];
};

struct cycles advice_access_cycles(struct search *s, uint32_t site, uint64_t exec, uint32_t bytes,
                                   const uint64_t addr[64]);
/* LDS offsets; those of flat accesses are the low half of the aperture's addresses. */
void advice_lds_addresses(const struct sample_pattern *p, uint64_t addr[64]);
/* Distances of neighbouring lanes in the site's conflicting accesses, weighted by conflict cycles. */
void advice_lds_steps(struct search *s, uint32_t site, struct ls_steps *steps);

/* Fills `found` with one layout for each change of the source; free with advice_free_candidates. */
void advice_find_layouts(struct search *s, struct candidates *found);
void advice_free_candidates(struct candidates *found);

/* What the recorded accesses of an atomic's site would cost otherwise. */
struct contention {
    struct cycles aggregated; /* one lane for each address, which adds the sum of its lanes */
    uint32_t copies;          /* of the array, chosen by lane % copies; 0: no room for them, or no use */
    uint32_t copy_pitch;      /* bytes from one to the next */
    struct cycles copied;
};
struct contention advice_contention(struct search *s, uint32_t site);

#endif
