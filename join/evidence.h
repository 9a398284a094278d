/*
 * evidence.h - what the first accesses of each site were: enough to tell which sites lie a constant distance
 * apart, as the parts of one hardware instruction must. Pure: no I/O, no global state.
 */
#ifndef JOIN_EVIDENCE_H
#define JOIN_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lanescope/handler.h"
#include "messages/expand.h"

/* A site's first access in the first wavefront that executed it. */
struct ls_seen {
    uint64_t dispatch; /* 0: never seen */
    uint64_t group;    /* work-group and wavefront: the lowest one that executed the site */
    uint32_t wave;
    uint32_t sequence; /* of the chunk that holds the access below */
    uint64_t exec;
    uint64_t addr[64]; /* of the active lanes */
    uint64_t count;    /* executions by that wavefront */
    uint64_t masks;    /* sum over them that depends on their active lanes */
    bool by_gpu;       /* the GPU found out all of this; `count` is 0, `masks` depends on it, too */
};

/* Adds the accesses in a chunk of dispatch number `dispatch` to seen[n_sites]; `unsaid` may be NULL. Newer dispatches replace older
 * ones. Returns the number of sites that had never been seen. */
size_t ls_evidence_add(struct ls_seen *seen, const struct lanescope_site *sites, uint32_t n_sites,
                       const struct ls_unsaid *unsaid, uint64_t dispatch, const void *chunk, size_t size);
/* Whether two sites were always executed together, their addresses a constant distance apart: addr(b) =
 * addr(a) + *distance. */
bool ls_evidence_related(const struct ls_seen *a, const struct ls_seen *b, int64_t *distance);
/* All active lanes used one address. */
bool ls_evidence_uniform(const struct ls_seen *s);

#endif
