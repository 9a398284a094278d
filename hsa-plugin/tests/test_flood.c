/*
 * test_flood MODULE_DIRECTORY MESSAGES - that many messages of one dispatch through a ring that is much too
 * small for them, decoding and a handler, and not one is lost or counted twice. Threads act as the
 * wavefronts, following lanescope/wire.h.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanescope/sites.h"
#include "host-handlers/pipeline/pipeline.h"
#include "hsa-plugin/transport/ring.h"
#include "messages/header.h"

enum { WAVES = 2, CHUNKS = 64, SHIFT = 12, SITES = 3 };

struct wave {
    struct ls_host_ring *ring;
    uint64_t messages;
    uint32_t id;
    bool over; /* atomic */
};

static uint32_t *take(struct ls_host_ring *r, uint32_t *number)
{
    uint32_t ticket = __atomic_fetch_add(&r->ring->free_head, 1, __ATOMIC_RELAXED);
    uint32_t *entry = &r->free[ticket & r->mask];
    while (!__atomic_load_n(entry, __ATOMIC_RELAXED) ||
           !(*number = __atomic_exchange_n(entry, 0, __ATOMIC_ACQ_REL)))
        sched_yield();
    return ls_ring_chunk(r, *number - 1);
}

/* Full chunks of stores, all lanes active: the address tells who sent what. */
static void *wavefront(void *arg)
{
    struct wave *w = arg;
    const unsigned fit = ((1u << SHIFT) - sizeof(struct ls_chunk)) / 16;
    for (uint64_t sent = 0, sequence = 0; sent < w->messages; sequence++) {
        uint32_t number, *chunk = take(w->ring, &number), *out = chunk + sizeof(struct ls_chunk) / 4;
        for (unsigned i = 0; i < fit && sent < w->messages; i++, sent++, out += 4) {
            uint64_t address = sent * 256;
            out[0] = LS_HEAD(sent % SITES, LS_KIND_STRIDED);
            out[1] = (uint32_t)address;
            out[2] = (uint32_t)(address >> 32);
            out[3] = 4;
        }
        struct ls_chunk *c = (struct ls_chunk *)chunk;
        c->slot = 1;
        c->number = w->id;
        c->order = (uint32_t)sequence << LS_ORDER_SHIFT;
        uint32_t ticket = __atomic_fetch_add(&w->ring->ring->done_head, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&w->ring->done[ticket & w->ring->mask], LS_DONE((uintptr_t)out, 0),
                         __ATOMIC_RELEASE);
    }
    __atomic_store_n(&w->over, true, __ATOMIC_RELEASE);
    return NULL;
}

/* What the handler reported. */
struct sums {
    const struct ls_metric_info *metrics;
    int64_t executions[SITES];
};

static void add(void *user, uint32_t site, uint32_t metric, int64_t value)
{
    struct sums *s = user;
    if (site < SITES && !strcmp(s->metrics[metric - 1].name, "Executions"))
        s->executions[site] += value;
}

static void drain(struct ls_host_ring *r, struct wave *waves, struct ls_work *work)
{
    for (;;) {
        uint32_t chunk;
        bool over = true;
        for (unsigned i = 0; i < WAVES; i++)
            over &= __atomic_load_n(&waves[i].over, __ATOMIC_ACQUIRE);
        while (ls_ring_take(r, &chunk)) {
            ls_header_end(ls_ring_chunk(r, chunk),
                          &(struct ls_ctx){.waves_per_workgroup = WAVES, .n_workgroups = {1, 1, 1}});
            ls_pipeline_chunk(work, ls_ring_chunk(r, chunk), (size_t)1 << SHIFT);
            ls_ring_give(r, chunk);
        }
        ls_ring_retry(r);
        if (over)
            return;
        sched_yield();
    }
}

static int64_t expected(uint64_t messages, unsigned site)
{
    uint64_t each = messages / WAVES, n = 0;
    for (unsigned i = 0; i < WAVES; i++)
        n += each / SITES + (site < each % SITES);
    return (int64_t)n;
}

int main(int argc, char **argv)
{
    char *error = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: test_flood MODULE_DIRECTORY MESSAGES\n");
        return 2;
    }
    uint64_t messages = strtoull(argv[2], NULL, 10);
    struct ls_pipeline *p = ls_pipeline_create(NULL, NULL);
    if (ls_pipeline_load(p, argv[1], "memory_coalescing", &error)) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    struct lanescope_site sites[SITES];
    for (unsigned i = 0; i < SITES; i++)
        sites[i] = (struct lanescope_site){.kind = LS_SITE_STORE,
                                           .space = 1,
                                           .align = 4,
                                           .bytes = 4,
                                           .flags = LS_SITE_OBSERVED,
                                           .instruction = "store"};
    struct lanescope_dispatch dispatch = {.size = sizeof dispatch,
                                          .id = 1,
                                          .kernel = "flood",
                                          .mangled = "flood",
                                          .arch = "gfx90a",
                                          .lanes = 64,
                                          .n_sites = SITES,
                                          .sites = sites};
    struct ls_host_ring ring;
    void *memory = aligned_alloc(4096, (ls_ring_bytes(CHUNKS, SHIFT) + 4095) & ~(size_t)4095);
    struct ls_work *work = ls_pipeline_begin(p, &dispatch, NULL);
    if (!memory || !work || ls_ring_init(&ring, memory, CHUNKS, SHIFT))
        return 1;
    struct wave waves[WAVES];
    pthread_t threads[WAVES];
    for (uint32_t i = 0; i < WAVES; i++) {
        waves[i] = (struct wave){&ring, messages / WAVES, i, false};
        pthread_create(&threads[i], NULL, wavefront, &waves[i]);
    }
    drain(&ring, waves, work);
    for (uint32_t i = 0; i < WAVES; i++)
        pthread_join(threads[i], NULL);
    struct sums sums = {0};
    struct ls_chunk_stats stats = {0};
    ls_pipeline_metrics(p, &sums.metrics);
    ls_pipeline_end(work, &(struct ls_result_sink){.user = &sums, .value = add}, &stats);
    int bad = stats.bad_chunks || stats.bad_messages || stats.messages != messages / WAVES * WAVES;
    for (unsigned i = 0; i < SITES; i++)
        bad |= sums.executions[i] != expected(messages, i);
    printf("%" PRIu64 " messages in %" PRIu64 " chunks, %" PRIu64 " bad; executions %" PRId64 " %" PRId64
           " %" PRId64 ": %s\n",
           stats.messages, stats.chunks, stats.bad_messages, sums.executions[0], sums.executions[1],
           sums.executions[2], bad ? "FAILED" : "PASSED");
    ls_pipeline_destroy(p);
    ls_ring_destroy(&ring);
    free(memory);
    return bad;
}
