/*
 * coalescing.c - how long accesses of global memory take by the distance of their lanes, without a profiler's counters. What
 * it means is told by whoever reads the file (cli/selftest/figures_page.c); on the software GPU time tells nothing.
 */
#include "figures.h"
#include "parts.h"

#include <stdio.h>
#include <string.h>

/* Each instruction reaches (lanes - 1) * stride + bytes at most. OPERATIONS: .rept of device/coalescing.c. */
enum { MEMORY = 64 * 128, OPERATIONS = 64, TRIES = 8 };

static const struct way {
    const char *name, *what;
    uint8_t bytes, stride;
} ways[] = {
    {"read_b32", "read", 4, 0},    {"read_b32", "read", 4, 4},     {"read_b32", "read", 4, 8},
    {"read_b32", "read", 4, 16},   {"read_b32", "read", 4, 32},    {"read_b32", "read", 4, 64},
    {"read_b32", "read", 4, 128},  {"read_b128", "read", 16, 16},  {"read_b128", "read", 16, 32},
    {"read_b128", "read", 16, 64}, {"read_b128", "read", 16, 128}, {"write_b32", "write", 4, 4},
    {"write_b32", "write", 4, 64},
};
enum { N_WAYS = sizeof ways / sizeof *ways };

struct arguments {
    void *memory;
    uint64_t *cycles;
    uint32_t stride, tries;
};

static bool run(struct gpu *g, hsa_executable_t code, hsa_queue_t *q, const struct way *w,
                struct arguments *a)
{
    struct gpu_kernel k;
    char kernel[32];
    struct gpu_launch l = {.grid = {g->lanes}, .group = {g->lanes}, .kernarg = a};
    snprintf(kernel, sizeof kernel, "coalescing_%s", w->name);
    a->stride = w->stride;
    a->tries = TRIES;
    *a->cycles = 0;
    return gpu_find(g, code, kernel, &k) && gpu_run(g, q, &k, &l);
}

static void add_row(const struct gpu *g, json_t *part, const struct way *w, uint64_t cycles)
{
    char name[64];
    if (!g->measures)
        return;
    snprintf(name, sizeof name, "%s, %u bytes apart", w->name, w->stride);
    json_t *figure = add_figure(part, name, (double)cycles / OPERATIONS, "cycles");
    json_object_set_new(figure, "what", json_string(w->what));
    json_object_set_new(figure, "bytes", json_integer(w->bytes));
    json_object_set_new(figure, "stride", json_integer(w->stride));
}

void part_coalescing(struct gpu *g, json_t *part)
{
    hsa_executable_t code;
    hsa_queue_t *q = NULL;
    struct arguments *a = gpu_alloc(g, g->kernarg, sizeof *a);
    bool ok = a && (a->memory = gpu_alloc(g, g->device, MEMORY)) &&
              (a->cycles = gpu_alloc(g, g->host, sizeof *a->cycles)) && load_code(g, CODE_PLAIN, &code) &&
              (q = gpu_queue(g));
    for (unsigned i = 0; ok && i < N_WAYS; i++) {
        part_at(ways[i].name);
        ok = run(g, code, q, &ways[i], a);
        if (ok)
            add_row(g, part, &ways[i], *a->cycles);
    }
    if (!ok)
        problem(part, "%s", g->problem);
    else
        hsa_queue_destroy(q);
}
