/*
 * counters.c - accesses whose hardware counters follow from their addresses: each pattern is one launch of one wavefront
 * whose lane n accesses n times the stride, LDS_OPERATIONS times. rocprofv3 counts them from outside; the rows say in
 * which order they ran (cli/selftest/counted.c).
 */
#include "lds.h"
#include "lds_run.h"
#include "parts.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LANES = 64, MEMORY = 4096 }; /* bytes of each launch; device/lds.c has as many */

/* A stride reaches no further than the memory: (lanes - 1) * stride + bytes <= MEMORY. */
struct pattern {
    const char *space, *way, *what; /* the kernel is SPACE_WAY */
    uint8_t bytes, stride;
};

static const struct pattern patterns[] = {
    {"lds", "read_b32", "read", 4, 4},       {"lds", "read_b32", "read", 4, 8},
    {"lds", "read_b32", "read", 4, 32},      {"lds", "read_b32", "read", 4, 64},
    {"lds", "read_b64", "read", 8, 8},       {"lds", "read_b64", "read", 8, 16},
    {"lds", "read_b64", "read", 8, 64},      {"lds", "read_b128", "read", 16, 16},
    {"lds", "read_b128", "read", 16, 32},    {"lds", "read_b128", "read", 16, 64},
    {"lds", "write_b32", "write", 4, 4},     {"lds", "write_b32", "write", 4, 64},
    {"lds", "write_b64", "write", 8, 16},    {"lds", "write_b128", "write", 16, 16},
    {"lds", "write_b128", "write", 16, 64},  {"lds", "atomic_b32", "atomic", 4, 4},
    {"global", "read_b32", "read", 4, 4},    {"global", "read_b32", "read", 4, 64},
    {"global", "read_b128", "read", 16, 16}, {"global", "write_b32", "write", 4, 64},
};
enum { N_PATTERNS = sizeof patterns / sizeof *patterns };

static bool run_lds(const struct lds_runner *r, const struct pattern *p)
{
    uint32_t round[MAX_LANES];
    uint64_t cycles;
    for (uint32_t lane = 0; lane < r->gpu->lanes; lane++)
        round[lane] = lane * p->stride;
    return lds_run(r, p->way, round, 1, &cycles);
}

static bool run_global(const struct lds_runner *r, const struct pattern *p)
{
    struct gpu *g = r->gpu;
    struct gpu_kernel k;
    char name[32];
    struct {
        void *memory;
        uint32_t stride;
    } *arguments = gpu_alloc(g, g->kernarg, sizeof *arguments);
    void *memory = gpu_alloc(g, g->device, MEMORY); /* begins at a page, so at a cache line */
    struct gpu_launch l = {.grid = {g->lanes}, .group = {g->lanes}, .kernarg = arguments};
    snprintf(name, sizeof name, "global_%s", p->way);
    bool ok = arguments && memory && gpu_find(g, r->code, name, &k);
    if (ok) {
        arguments->memory = memory;
        arguments->stride = p->stride;
        ok = gpu_run(g, r->queue, &k, &l);
    }
    gpu_free(arguments);
    gpu_free(memory);
    return ok;
}

static json_t *row(const struct pattern *p)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:i}", "space", p->space, "way", p->way, "what", p->what, "bytes",
                     p->bytes, "stride", p->stride);
}

void part_counters(struct gpu *g, json_t *part)
{
    struct lds_runner r = {.gpu = g, .tries = 1};
    json_t *rows = json_array();
    json_object_set_new(part, "operations", json_integer(LDS_OPERATIONS));
    json_object_set_new(part, "rows", rows);
    if (g->lanes > MAX_LANES) {
        problem(part, "wavefronts of %u lanes", g->lanes);
        return;
    }
    if (!load_code(g, CODE_PLAIN, &r.code) || !(r.queue = gpu_queue(g))) {
        problem(part, "%s", g->problem);
        return;
    }
    for (unsigned i = 0; i < N_PATTERNS; i++) {
        const struct pattern *p = &patterns[i];
        if (!(!strcmp(p->space, "lds") ? run_lds(&r, p) : run_global(&r, p))) {
            problem(part, "%s_%s: %s", p->space, p->way, g->problem);
            break;
        }
        json_array_append_new(rows, row(p));
    }
    hsa_queue_destroy(r.queue);
}
