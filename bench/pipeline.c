/*
 * bench/pipeline - messages per second through decoding, the handlers lds_bank_conflicts and
 * memory_coalescing, and those that further arguments name, on one thread and on two.
 *
 * The peer's figure is that of AMD Research's Omniprobe, from its source and a run of its host code on a
 * machine of this class: 0.215 to 0.236 million messages a second. Its messages are 832 bytes for 64 active
 * lanes; ours carry the same accesses. Mix: 12 of 16 accesses strided with all lanes active (8 global, 4
 * LDS), 2 strided with some, 1 irregular within 4 GiB, 1 LDS gather.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lanescope/sites.h"
#include "pipeline.h"

enum { SITES = 16, CHUNK = 4096, CHUNKS = 256, ROUNDS = 100, REPEATS = 3 };
static const double peer = 0.22e6;

struct mix {
    struct lanescope_site sites[SITES];
    struct lanescope_dispatch dispatch;
    uint64_t messages; /* in all chunks */
    uint64_t bytes;
    unsigned char chunks[CHUNKS][CHUNK] __attribute__((aligned(64)));
};

static uint32_t *put_head(uint32_t *w, unsigned site, unsigned kind, uint64_t base, uint32_t word3,
                          uint64_t exec)
{
    *w++ = LS_HEAD(site, kind) | (exec != ~0ull ? LS_HEAD_PARTIAL : 0);
    *w++ = (uint32_t)base;
    *w++ = (uint32_t)(base >> 32);
    *w++ = word3;
    if (exec != ~0ull) {
        *w++ = (uint32_t)exec;
        *w++ = (uint32_t)(exec >> 32);
    }
    return w;
}

/* One message of site `site` that belongs to loop iteration `i`. */
static uint32_t *put(uint32_t *w, unsigned site, unsigned i)
{
    uint64_t base = 0x7f0000000000ull + site * 0x1000000ull + i * 256ull;
    if (site < 8)
        return put_head(w, site, LS_KIND_STRIDED, base, 4u << site % 4, ~0ull);
    if (site < 12)
        return put_head(w, site, LS_KIND_STRIDED, i % 64 * 4, 4u << site % 4, ~0ull);
    if (site < 14)
        return put_head(w, site, LS_KIND_STRIDED, base, 4, ~0ull >> (1 + i % 60));
    w = put_head(w, site, LS_KIND_DELTA, site == 14 ? base : 0, 64, ~0ull);
    for (unsigned lane = 0; lane < 64; lane++)
        *w++ = site == 14 ? (lane * 2654435761u + i * 97) >> 8 & ~3u : (lane * 37 + i) % 4096 * 4;
    return w;
}

static void fill(struct mix *m)
{
    unsigned next = 0;
    for (unsigned s = 0; s < SITES; s++)
        m->sites[s] = (struct lanescope_site){.kind = s % 3 ? LS_SITE_LOAD : LS_SITE_STORE,
                                              .space = s >= 8 && s < 12 ? 3
                                                       : s == 15        ? 3
                                                                        : 1,
                                              .bytes = 4,
                                              .align = 4,
                                              .instruction = ""};
    m->dispatch = (struct lanescope_dispatch){.size = sizeof m->dispatch,
                                              .id = 1,
                                              .kernel = "bench",
                                              .mangled = "bench",
                                              .arch = "gfx90a",
                                              .lanes = 64,
                                              .n_sites = SITES,
                                              .sites = m->sites};
    for (unsigned c = 0; c < CHUNKS; c++) {
        struct ls_chunk *h = (struct ls_chunk *)m->chunks[c];
        *h = (struct ls_chunk){.magic = LS_CHUNK_MAGIC, .lanes = 64, .wave = c % 4};
        uint32_t *w = (uint32_t *)(h + 1);
        while ((char *)w - (char *)h + LS_MESSAGE_MAX <= CHUNK) {
            w = put(w, next % SITES, next / SITES);
            next++;
            m->messages++;
        }
        h->bytes = (uint32_t)((char *)w - (char *)h);
        m->bytes += h->bytes;
    }
}

struct worker {
    struct ls_pipeline *pipeline;
    const struct mix *mix;
    unsigned rounds;
    double seconds; /* of the processor: other programs on the machine do not count */
    struct ls_chunk_stats stats;
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    double start = seconds();
    struct ls_work *work = ls_pipeline_begin(w->pipeline, &w->mix->dispatch);
    for (unsigned r = 0; work && r < w->rounds; r++)
        for (unsigned c = 0; c < CHUNKS; c++)
            ls_pipeline_chunk(work, w->mix->chunks[c], CHUNK);
    if (work)
        ls_pipeline_end(work, NULL, &w->stats);
    w->seconds = seconds() - start;
    return NULL;
}

/* Messages of all threads by the processor time of the busiest one. */
static double rate(struct ls_pipeline *p, const struct mix *m, unsigned threads, unsigned rounds)
{
    pthread_t thread[8];
    struct worker w[8];
    double longest = 0;
    uint64_t messages = 0;
    for (unsigned t = 0; t < threads; t++) {
        w[t] = (struct worker){.pipeline = p, .mix = m, .rounds = rounds};
        pthread_create(&thread[t], NULL, work, &w[t]);
    }
    for (unsigned t = 0; t < threads; t++) {
        pthread_join(thread[t], NULL);
        messages += w[t].stats.messages;
        longest = w[t].seconds > longest ? w[t].seconds : longest;
        if (w[t].stats.bad_messages || w[t].stats.bad_chunks) {
            fprintf(stderr, "bench: damaged messages\n");
            exit(1);
        }
    }
    return (double)messages / longest;
}

int main(int argc, char **argv)
{
    char *error = NULL;
    struct mix *m = aligned_alloc(64, (sizeof *m + 63) & ~(size_t)63);
    struct ls_pipeline *p = ls_pipeline_create(NULL, NULL);
    if (argc < 2 || !m || !p) {
        fprintf(stderr, "usage: bench-pipeline DIRECTORY_OF_HANDLERS [HANDLER...]\n");
        return 2;
    }
    memset(m, 0, sizeof *m);
    fill(m);
    if (ls_pipeline_load(p, argv[1], "lds_bank_conflicts", &error) ||
        ls_pipeline_load(p, argv[1], "memory_coalescing", &error)) {
        fprintf(stderr, "bench: %s\n", error);
        return 1;
    }
    for (int i = 2; i < argc; i++)
        if (ls_pipeline_load(p, argv[1], argv[i], &error)) {
            fprintf(stderr, "bench: %s\n", error);
            return 1;
        }
    rate(p, m, 1, 2); /* warm up */
    double one = 0, two = 0;
    for (int i = 0; i < REPEATS; i++) { /* the best: what disturbs only makes slower */
        double r = rate(p, m, 1, ROUNDS), s = rate(p, m, 2, ROUNDS);
        one = r > one ? r : one;
        two = s > two ? s : two;
    }
    bool more = argc > 2; /* bars are for the default models */
    printf("decoding, both models' handlers and %d more, %.1f bytes a message, by processor time\n", argc - 2,
           (double)m->bytes / (double)m->messages);
    printf("  1 thread   %8.2f million messages/s  peer %.2f  ratio %.0f  bar 10%s\n", one * 1e-6,
           peer * 1e-6, one / peer, more || one >= 10e6 ? "" : "  MISSED");
    printf("  2 threads  %8.2f million messages/s  scaling %.2f  bar 1.8%s\n", two * 1e-6, two / one,
           more || two >= 1.8 * one ? "" : "  MISSED");
    ls_pipeline_destroy(p);
    free(m);
    return !more && (one < 10e6 || two < 1.8 * one);
}
