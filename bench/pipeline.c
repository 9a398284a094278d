/*
 * bench/pipeline - messages per second through decoding and handlers, on one thread and on two: through both models'
 * handlers, and through those that `run` loads by default; with them also one dispatch that two threads share.
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
#include "host-handlers/pipeline/pipeline.h"

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
    struct ls_work *part; /* of a dispatch that threads share; NULL: it has a dispatch of its own */
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
    struct ls_work *work = w->part ? w->part : ls_pipeline_begin(w->pipeline, &w->mix->dispatch, NULL);
    for (unsigned r = 0; work && r < w->rounds; r++)
        for (unsigned c = 0; c < CHUNKS; c++)
            ls_pipeline_chunk(work, w->mix->chunks[c], CHUNK);
    if (work && !w->part)
        ls_pipeline_end(work, NULL, &w->stats);
    w->seconds = seconds() - start;
    return NULL;
}

static void check(const struct ls_chunk_stats *s)
{
    if (!s->bad_messages && !s->bad_chunks)
        return;
    fprintf(stderr, "bench: damaged messages\n");
    exit(1);
}

enum { THREADS_MOST = 8 };

/* Starts the threads and waits for them; the processor time of the busiest one. */
static double run_all(struct worker *w, unsigned threads)
{
    pthread_t thread[THREADS_MOST];
    double longest = 0;
    for (unsigned t = 0; t < threads; t++)
        pthread_create(&thread[t], NULL, work, &w[t]);
    for (unsigned t = 0; t < threads; t++) {
        pthread_join(thread[t], NULL);
        longest = w[t].seconds > longest ? w[t].seconds : longest;
    }
    return longest;
}

/* Messages of all threads, a dispatch each, by the processor time of the busiest one. */
static double rate(struct ls_pipeline *p, const struct mix *m, unsigned threads, unsigned rounds)
{
    struct worker w[THREADS_MOST];
    uint64_t messages = 0;
    for (unsigned t = 0; t < threads; t++)
        w[t] = (struct worker){.pipeline = p, .mix = m, .rounds = rounds};
    const double longest = run_all(w, threads);
    for (unsigned t = 0; t < threads; t++) {
        messages += w[t].stats.messages;
        check(&w[t].stats);
    }
    return (double)messages / longest;
}

/* The same of one dispatch that all threads share, with what merging takes. */
static double shared_rate(struct ls_pipeline *p, const struct mix *m, unsigned threads, unsigned rounds)
{
    struct worker w[THREADS_MOST];
    struct ls_chunk_stats stats;
    struct ls_work *all = ls_pipeline_begin(p, &m->dispatch, NULL);
    for (unsigned t = 0; t < threads; t++)
        w[t] = (struct worker){
            .pipeline = p, .mix = m, .rounds = rounds, .part = t ? ls_pipeline_part(all) : all};
    double longest = run_all(w, threads), start = seconds();
    for (unsigned t = 1; t < threads; t++)
        ls_pipeline_join(all, w[t].part);
    ls_pipeline_end(all, NULL, &stats);
    longest += seconds() - start;
    check(&stats);
    return (double)stats.messages / longest;
}

static struct ls_pipeline *load(const char *directory, const char *const *handlers)
{
    char *error = NULL;
    struct ls_pipeline *p = ls_pipeline_create(NULL, NULL);
    for (; p && *handlers; handlers++)
        if (ls_pipeline_load(p, directory, *handlers, &error)) {
            fprintf(stderr, "bench: %s\n", error);
            exit(1);
        }
    return p;
}

static bool tell(const char *what, double rate, double of, double bar, const char *unit)
{
    printf("  %-24s %8.2f million messages/s  %s %.2f  bar %.1f%s\n", what, rate * 1e-6, unit, rate / of,
           bar / of, rate >= bar ? "" : "  MISSED");
    return rate < bar;
}

/* False when all bars are met. */
static bool measure(const struct mix *m, const char *directory, const char *name, const char *const *handlers)
{
    struct ls_pipeline *p = load(directory, handlers);
    double one = 0, two = 0, shared = 0;
    if (!p)
        return true;
    rate(p, m, 1, 2);                   /* warm up */
    for (int i = 0; i < REPEATS; i++) { /* the best: what disturbs only makes slower */
        double r = rate(p, m, 1, ROUNDS), s = rate(p, m, 2, ROUNDS), t = shared_rate(p, m, 2, ROUNDS);
        one = r > one ? r : one;
        two = s > two ? s : two;
        shared = t > shared ? t : shared;
    }
    printf("decoding and %s, %.1f bytes a message, by processor time\n", name,
           (double)m->bytes / (double)m->messages);
    bool missed = tell("1 thread", one, peer, 10e6, "times the peer");
    missed |= tell("2 threads, 2 dispatches", two, one, 1.8 * one, "times one thread");
    missed |= tell("2 threads, 1 dispatch", shared, one, 1.8 * one, "times one thread");
    ls_pipeline_destroy(p);
    return missed;
}

int main(int argc, char **argv)
{
    static const char *const models[] = {"lds_bank_conflicts", "memory_coalescing", NULL};
    static const char *const usual[] = {"lds_bank_conflicts", "memory_coalescing", "advice", NULL};
    struct mix *m = aligned_alloc(64, (sizeof *m + 63) & ~(size_t)63);
    if (argc != 2 || !m) {
        fprintf(stderr, "usage: bench-pipeline DIRECTORY_OF_HANDLERS\n");
        return 2;
    }
    memset(m, 0, sizeof *m);
    fill(m);
    bool missed = measure(m, argv[1], "both models' handlers", models);
    missed |= measure(m, argv[1], "the default handlers", usual);
    free(m);
    return missed;
}
