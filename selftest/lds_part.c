/* lds_part.c - the lane groups of this GPU's LDS, from timing (lds.h), on the GPU. */
#include "lds.h"
#include "lds_run.h"
#include "parts.h"

#include <errno.h>

enum { TRIES = 5 };

/* lds_clock on the GPU: one wavefront does all rounds. */
static int time_on_gpu(void *who, const struct lds_way *way, const uint32_t *rounds, unsigned n,
                       uint64_t *cycles)
{
    return lds_run(who, way->name, rounds, n, cycles) ? 0 : -EIO;
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
    struct lds_runner t = {.gpu = g, .tries = TRIES};
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
