/*
 * probes.c - what a probe sends and executes, by address pattern: kernels and their clones
 * (kernels/patterns.hip) on the software GPU, which counts wavefront instructions. Sizes: of all messages
 * over all accesses, without and with the chunks' headers. Instructions: clone less original, for two loop
 * counts, so that entry and exit cancel. A second table compares with summary mode, where the GPU reduces
 * irregular accesses itself: instructions of an access, and bytes of a dispatch.
 *
 *     bench-probes [CODE-OBJECT]
 *     bench-probes --requests GPU     only how many requests of the host's memory a message of a regular access takes
 */
#include "lanescope/handler.h"
#include "lanescope/sites.h"
#include "lanescope/wire.h"
#include "loader.h"
#include "log/log_reader.h"
#include "host-handlers/shared/plan.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNKS = 4096, CHUNK_SHIFT = 12, PEER_BYTES = 832, PEER_INSTRUCTIONS = 430, SITES = 64 };
enum { FEW = 100, MANY = 1100 }; /* accesses of a launch */
enum { ONCE = 130 };             /* instructions that a wavefront may have beside its accesses' */

struct world {
    struct sg_device *device;
    struct sg_object *object;
    char *out, *chunks;
    struct ls_ring *ring;
    struct ls_ctx *ctx;
    uint32_t *done, *free_list;
};

static int open_world(struct world *w, const char *path, const char *gpu, const char *log)
{
    const char *why = "";
    char text[256] = "";
    struct sg_engine_config config = {.arch = ls_gpu_find_emulated(gpu), .threads = 1, .access_log = log};
    w->device = sg_device_create(&config, &why);
    w->object = w->device ? sg_object_load(w->device, path, text, sizeof text) : NULL;
    if (!w->object)
        return fprintf(stderr, "%s: %s%s\n", path, why, text), -1;
    w->out = sg_device_alloc(w->device, 6ull << 30);
    w->ring = sg_device_alloc(w->device, sizeof *w->ring);
    w->ctx = sg_device_alloc(w->device, sizeof *w->ctx);
    w->chunks = sg_device_alloc(w->device, (size_t)CHUNKS << CHUNK_SHIFT);
    w->done = sg_device_alloc(w->device, CHUNKS * sizeof *w->done);
    w->free_list = sg_device_alloc(w->device, CHUNKS * sizeof *w->free_list);
    void *records = sg_device_alloc(w->device, sizeof(struct ls_wave));
    if (!w->out || !w->ring || !w->ctx || !w->chunks || !w->done || !w->free_list || !records)
        return fprintf(stderr, "out of memory\n"), -1;
    *w->ctx = (struct ls_ctx){.magic = LS_CTX_MAGIC,
                              .version = LS_WIRE_VERSION,
                              .flags = LS_CTX_HOLD,
                              .ring = (uintptr_t)w->ring,
                              .chunks = (uintptr_t)w->chunks,
                              .done = (uintptr_t)w->done,
                              .free = (uintptr_t)w->free_list,
                              .waves = (uintptr_t)records,
                              .chunk_bytes = 1 << CHUNK_SHIFT,
                              .list_mask = CHUNKS - 1,
                              .n_workgroups = {1, 1, 1},
                              .workgroup_size = {64, 1, 1},
                              .waves_per_workgroup = 1,
                              .dead_after = 1000};
    w->ctx->first_cursor = LS_FIRST_CURSOR(w->ctx->flags, w->ctx->chunks, w->ctx->chunk_bytes);
    return 0;
}

struct measured {
    uint64_t instructions, bytes, chunks;
};

/* One wavefront of the kernel, n accesses. */
static int launch(struct world *w, const char *name, int n, struct measured *out)
{
    struct {
        char *out;
        int n, pad;
        struct ls_ctx *ctx;
    } args = {w->out, n, 0, w->ctx};
    struct sg_launch l = {.kernel = name,
                          .grid = {64, 1, 1},
                          .workgroup = {64, 1, 1},
                          .arguments = &args,
                          .argument_bytes = sizeof args};
    struct sg_fault fault;
    uint64_t before, after, lanes;
    *w->ring = (struct ls_ring){.free_tail = CHUNKS};
    for (uint32_t i = 0; i < CHUNKS; i++) {
        w->free_list[i] = i + 1;
        w->done[i] = 0;
    }
    sg_engine_counters(sg_device_engine(w->device), &before, &lanes);
    if (sg_object_launch(w->device, w->object, &l, &fault))
        return fprintf(stderr, "%s: %s\n", name, fault.message), -1;
    sg_engine_counters(sg_device_engine(w->device), &after, &lanes);
    *out = (struct measured){.instructions = after - before, .chunks = w->ring->done_head};
    for (uint32_t i = 0; i < w->ring->done_head; i++)
        out->bytes += LS_DONE_OFFSET(w->done[i], w->ctx->chunks) % (1 << CHUNK_SHIFT) + 1;
    return w->ctx->dropped ? -1 : 0;
}

/* Instructions that the probe executes for an access, and the bytes of the launch with MANY of them. */
static int measure(struct world *w, const char *kernel, double *instructions, struct measured *bytes)
{
    struct measured few[2], many[2];
    char clone[64];
    snprintf(clone, sizeof clone, LS_CLONE_PREFIX "%s", kernel);
    if (launch(w, kernel, FEW, &few[0]) || launch(w, kernel, MANY, &many[0]) ||
        launch(w, clone, FEW, &few[1]) || launch(w, clone, MANY, &many[1]))
        return -1;
    *instructions = ((double)(many[1].instructions - few[1].instructions) -
                     (double)(many[0].instructions - few[0].instructions)) /
                    (MANY - FEW);
    *bytes = many[1];
    return 0;
}

/* What a wavefront executes once, whether it accesses anything or not. False: it is too much, or a launch failed. */
static bool once(struct world *w)
{
    struct measured original, clone;
    if (launch(w, "none", 0, &original) || launch(w, LS_CLONE_PREFIX "none", 0, &clone))
        return false;
    const unsigned n = (unsigned)(clone.instructions - original.instructions);
    printf("%-24s %41s | %12u %6u%s\n", "start and end", "", n, ONCE, n > ONCE ? "  OVER THE LIMIT" : "");
    return n <= ONCE;
}

/* A plan that takes every site for a store of that form, in the memory of the GPU. */
static int set_plan(struct world *w, uint8_t space, uint32_t bytes)
{
    struct lanescope_site sites[SITES];
    size_t size;
    for (unsigned i = 0; i < SITES; i++)
        sites[i] = (struct lanescope_site){
            .kind = LS_SITE_STORE, .space = space, .bytes = bytes, .flags = LS_SITE_OBSERVED};
    struct ls_plan *plan =
        ls_plan_make("gfx90a", 64, &(struct ls_plan_sites){.sites = sites, .numbers = {.n = SITES}}, &size);
    void *memory = plan ? sg_device_alloc(w->device, size) : NULL;
    void *summary = plan ? sg_device_alloc(w->device, LS_SUMMARY_BYTES(SITES, plan->n_passes, 1, 0)) : NULL;
    if (memory && summary) {
        memcpy(memory, plan, size);
        memset(summary, 0, LS_SUMMARY_BYTES(SITES, plan->n_passes, 1, 0));
        w->ctx->flags |= LS_CTX_SUMMARY;
        w->ctx->first_cursor = LS_FIRST_CURSOR(w->ctx->flags, w->ctx->chunks, w->ctx->chunk_bytes);
        w->ctx->plan = (uintptr_t)memory;
        w->ctx->simple = plan->simple;
        w->ctx->summary = (uintptr_t)summary;
        w->ctx->summary_sites = SITES;
        w->ctx->n_waves = 1;
    }
    free(plan);
    return memory && summary ? 0 : -1;
}

static int summary_table(struct world *w)
{
    static const struct {
        const char *kernel, *what;
        uint8_t space;
        uint32_t bytes;
    } cases[] = {
        {"strided", "strided, counted by shape", 1, 1}, {"irregular", "scatter, 1 B, 62 lines", 1, 1},
        {"dense", "swizzle, 1 B, 1 or 2 lines", 1, 1},  {"lds_swizzle", "LDS, swizzle, 4 B", 3, 4},
        {"lds_gather", "LDS, scatter, 4 B", 3, 4},      {"lds_gather_16", "LDS, scatter, 16 B", 3, 16},
        {"ring", "a ring of 1024 elements", 1, 1},
    };
    printf("\n%-28s %12s %12s %6s | %12s %9s %7s\n", "one wavefront, 64 lanes", "instructions", "summary",
           "ratio", "bytes", "summary", "ratio");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double streamed, reduced;
        struct measured a, b;
        w->ctx->flags &= ~(uint32_t)LS_CTX_SUMMARY;
        w->ctx->first_cursor = LS_FIRST_CURSOR(w->ctx->flags, w->ctx->chunks, w->ctx->chunk_bytes);
        w->ctx->summary = 0;
        if (measure(w, cases[i].kernel, &streamed, &a) || set_plan(w, cases[i].space, cases[i].bytes) ||
            measure(w, cases[i].kernel, &reduced, &b))
            return -1;
        printf("%-28s %12.1f %12.1f %5.1fx | %12llu %9llu %6.0fx\n", cases[i].what, streamed, reduced,
               reduced / streamed, (unsigned long long)a.bytes, (unsigned long long)b.bytes,
               (double)a.bytes / (double)b.bytes);
    }
    printf("bytes: of a launch with %d accesses; in summary mode they do not grow with their number\n", MANY);
    return 0;
}

/* Blocks of 64 bytes of chunks, without their headers, that a store touches: each is a request on the way to the host, or
 * two that the GPU has no reason to put together. */
static unsigned requests_of(const struct world *w, const struct sg_log_access *a, const uint64_t *address)
{
    uint64_t blocks[2 * SG_MAX_LANES];
    unsigned n = 0;
    for (unsigned lane = 0; a->kind == SG_ACCESS_STORE && lane < SG_MAX_LANES; lane++) {
        uint64_t offset = address[lane] - (uintptr_t)w->chunks;
        if (!(a->exec >> lane & 1) || offset >= (uint64_t)CHUNKS << CHUNK_SHIFT ||
            offset % (1 << CHUNK_SHIFT) < sizeof(struct ls_chunk))
            continue;
        for (uint64_t block = offset / 64; block <= (offset + a->access_bytes - 1) / 64; block++) {
            unsigned i = 0;
            while (i < n && blocks[i] != block)
                i++;
            if (i == n)
                blocks[n++] = block;
        }
    }
    return n;
}

/* Reads the log of a launch of MANY accesses, a message each. */
static int count_requests(const struct world *w, const char *log)
{
    const char *why;
    union sg_log_any any;
    uint64_t address[SG_MAX_LANES];
    struct sg_log_reader *r = sg_log_open(log, &why);
    unsigned requests = 0;
    int more = -1;
    while (r && (more = sg_log_next(r, &any, address)) > 0)
        if (any.record.type == SG_LOG_ACCESS)
            requests += requests_of(w, &any.access, address);
    if (r)
        sg_log_reader_close(r);
    if (more < 0)
        return fprintf(stderr, "%s: cannot be read\n", log), 2;
    printf("%.4f\n", (double)requests / MANY);
    return 0;
}

static int tell_requests(const char *gpu)
{
    char directory[] = "/tmp/bench-probes-XXXXXX", log[64], path[4096];
    struct world w = {0};
    struct measured unused;
    if (!mkdtemp(directory))
        return perror(directory), 2;
    snprintf(log, sizeof log, "%s/log", directory);
    snprintf(path, sizeof path, BENCH_PATTERNS_OF, gpu);
    if (open_world(&w, path, gpu, log))
        return 2;
    int failed = launch(&w, LS_CLONE_PREFIX "alone", MANY, &unused) ? 2 : 0;
    sg_device_destroy(w.device);
    failed = failed ? failed : count_requests(&w, log);
    unlink(log);
    rmdir(directory);
    return failed;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *kernel, *what;
        unsigned limit, instructions;
    } cases[] = {
        {"strided", "strided, all lanes", 16, 60},
        {"alone", "the same, one by one", 16, 60},
        {"partial", "strided, some lanes", 24, 0},
        {"irregular", "irregular within 4 GiB", 280, 0},
        {"irregular_partial", "the same, some lanes", 280, 0},
        {"any", "any", 536, 0},
        {"any_partial", "any, some lanes", 536, 0},
    };
    struct world w = {0};
    const char *path = argc > 1 ? argv[1] : BENCH_PATTERNS;
    int bad = 0;
    if (argc == 3 && !strcmp(argv[1], "--requests"))
        return tell_requests(argv[2]);
    if (open_world(&w, path, "gfx90a", NULL))
        return 2;
    printf("%-24s %20s %6s %13s | %12s %6s %5s %5s\n", "one access, 64 lanes", "bytes (with headers)",
           "limit", "peer (ratio)", "instructions", "limit", "peer", "ratio");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct measured many;
        double executed;
        if (measure(&w, cases[i].kernel, &executed, &many))
            return 2;
        double with = (double)many.bytes / MANY;
        double bytes = (double)(many.bytes - many.chunks * sizeof(struct ls_chunk)) / MANY;
        bool over = bytes > cases[i].limit || (cases[i].instructions && executed > cases[i].instructions);
        printf("%-24s %11.1f (%6.1f) %6u %6u (%4.1fx) | %12.1f %6.0u %5u %4.1fx%s\n", cases[i].what, bytes,
               with, cases[i].limit, PEER_BYTES, PEER_BYTES / bytes, executed, cases[i].instructions,
               PEER_INSTRUCTIONS, PEER_INSTRUCTIONS / executed, over ? "  OVER THE LIMIT" : "");
        bad += over;
    }
    bad += !once(&w);
    bad += summary_table(&w) != 0;
    sg_device_destroy(w.device);
    return bad != 0;
}
