/*
 * messages_host.h - the host's side of a ring, as the test of messages plays it: takes what is done, decodes it by code of its own,
 * and gives the chunks back.
 */
#ifndef TESTS_MESSAGES_HOST_H
#define TESTS_MESSAGES_HOST_H

#include "lanescope/sites.h"
#include "lanescope/wire.h"

#include <stdbool.h>
#include <stddef.h>

enum { LANES = 64 };

/* One access of one wavefront: what both sides are brought to. */
struct access {
    uint64_t workgroup, exec;
    uint32_t wave, bytes;
    uint64_t address[LANES];
};
struct accesses {
    struct access *v;
    size_t n, cap;
};

/* A new one, all 0. Ends the test when memory is out. */
struct access *messages_push(struct accesses *a);

struct host {
    struct ls_ring *ring;
    struct ls_ctx *ctx;
    uint32_t *done, *free_list;
    char *chunks;
    uint32_t n_chunks, mask, tail, put;
    const struct ls_site *sites;
    struct ls_site_numbers numbers;
    uint32_t waves_per_group, last, chunks_seen, lengths, closed, uniform, rows, turns;
    uint32_t counts, summaries; /* messages that tell several accesses; chunks behind which all is told */
    uint64_t counted, dropped;
    uint32_t n_groups[3];
    struct accesses got;
    const char *error;
    bool stop, drain;
    bool left; /* a dispatch in summary mode did not leave its counters zero */
};

/* Takes one chunk; false: none is done. */
bool messages_drain(struct host *h);
/* A thread that does so until h->stop; user: the host. */
void *messages_drain_thread(void *user);

#endif
