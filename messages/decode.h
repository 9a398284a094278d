/*
 * decode.h - takes one chunk apart (lanescope/wire.h) into the elements that handlers see.
 */
#ifndef MESSAGES_DECODE_H
#define MESSAGES_DECODE_H

#include <stddef.h>
#include <stdint.h>
#include "lanescope/handler.h"
#include "lanescope/wire.h"
#include "expand.h"

enum { DECODE_BATCH = 256 };

/* LS_KIND_EVIDENCE: a site's first access in the wavefront `wave` of the dispatch, and the sum over all of
 * them there. */
struct decode_evidence {
    uint32_t site, wave, sum;
    uint64_t exec;
    uint64_t addr[64]; /* of the active lanes */
};

/* Receives what a chunk holds, in order, in batches of at most DECODE_BATCH.
 * Pointers live during the call. */
struct decode_sink {
    void *user;
    void (*accesses)(void *user, const struct lanescope_access *a, size_t n);
    void (*repeated)(void *user, const struct lanescope_access *a, uint64_t count);
    void (*reduced)(void *user, const struct lanescope_reduced *r);
    void (*evidence)(void *user, const struct decode_evidence *e); /* NULL: not wanted */
    void (*events)(void *user, const struct lanescope_event *e, size_t n);
    /* A call through a pointer led to a function without probes, in so many lanes altogether. May be NULL. */
    void (*call)(void *user, uint32_t site, uint64_t executions, uint64_t lanes);
};

struct ls_chunk_stats {
    uint64_t chunks, bytes, messages, bad_chunks, bad_messages;
};

/* Decodes `chunk` (capacity `size` bytes) of a dispatch with these sites; unsaid: NULL allowed. A message of a site that leads others
 * gives accesses of these, too. Accesses come in the order of the program, as far as their
 * messages stand in one chunk. Counts into *stats; a damaged message ends the chunk: what follows cannot be found
 * any more, and counts as one bad message. */
void ls_decode_chunk(const void *chunk, size_t size, const struct lanescope_site *sites, uint32_t n_sites,
                     const struct ls_unsaid *unsaid, const struct decode_sink *sink,
                     struct ls_chunk_stats *stats);

#endif
