/* lds_part.c - the lane groups of this GPU's LDS, from timing (lds.h), on the GPU. */
#include "lds.h"
#include "parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TRIES = 5 };

struct timer {
    struct gpu *gpu;
    hsa_queue_t *queue;
    hsa_executable_t code;
};

/* lds_clock on the GPU: one wavefront does all rounds. */
static int time_on_gpu(void *who, const struct lds_way *way, const uint32_t *rounds, unsigned n,
                       uint64_t *cycles)
{
    struct timer *t = who;
    struct gpu *g = t->gpu;
    char name[32];
    struct gpu_kernel k;
    size_t bytes = (size_t)n * g->lanes * sizeof *rounds;
    uint32_t *in = gpu_alloc(g, g->host, bytes);
    uint64_t *out = gpu_alloc(g, g->host, n * sizeof *out);
    struct {
        const uint32_t *rounds;
        uint64_t *cycles;
        uint32_t n, tries;
    } *arguments = gpu_alloc(g, g->kernarg, sizeof *arguments);
    struct gpu_launch l = {.grid = {g->lanes}, .group = {(uint16_t)g->lanes}, .kernarg = arguments};
    snprintf(name, sizeof name, "lds_%s", way->name);
    bool ok = in && out && arguments && gpu_find(g, t->code, name, &k);
    if (ok) {
        memcpy(in, rounds, bytes);
        memset(out, 0, n * sizeof *out);
        arguments->rounds = in;
        arguments->cycles = out;
        arguments->n = n;
        arguments->tries = TRIES;
        ok = gpu_run(g, t->queue, &k, &l);
    }
    if (ok)
        memcpy(cycles, out, n * sizeof *cycles);
    gpu_free(in);
    gpu_free(out);
    gpu_free(arguments);
    return ok ? 0 : -EIO;
}

static json_t *row(const struct lds_way *way, const struct lds_found *f)
{
    json_t *groups = json_array();
    for (unsigned i = 0; i < f->groups.n; i++)
        json_array_append_new(groups, json_sprintf("%016llx", (unsigned long long)f->groups.groups[i]));
    return json_pack("{s:s, s:s, s:i, s:b, s:s, s:I, s:I, s:i, s:i, s:o}", "way", way->name, "what",
                     way->what, "bytes", way->bytes, "others_read", f->others_read, "verdict",
                     lds_verdict_text(f->groups.verdict), "fast_cycles", (json_int_t)f->groups.fast,
                     "slow_cycles", (json_int_t)f->groups.slow, "wrong_pairs", (int)f->groups.wrong, "banks",
                     (int)f->banks, "groups", groups);
}

void part_lds(struct gpu *g, json_t *part)
{
    struct timer t = {.gpu = g};
    struct lds_found f;
    json_t *rows = json_array();
    json_object_set_new(part, "operations", json_integer(LDS_OPERATIONS));
    json_object_set_new(part, "rows", rows);
    if (!load_code(g, CODE_PLAIN, &t.code) || !(t.queue = gpu_queue(g))) {
        problem(part, "%s", g->problem);
        return;
    }
    for (unsigned i = 0; i < n_lds_ways; i++) {
        if (lds_measure(time_on_gpu, &t, g->lanes, &lds_ways[i], &f)) {
            problem(part, "%s: %s", lds_ways[i].name, g->problem);
            break;
        }
        json_array_append_new(rows, row(&lds_ways[i], &f));
    }
    hsa_queue_destroy(t.queue);
}
