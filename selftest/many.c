/*
 * many.c - a thousand small launches one behind the other, without waiting in between: slots, chunks and signals of the
 * profiler are used again and again.
 */
#include "expect.h"
#include "figures.h"
#include "parts.h"

#include <stdio.h>
#include <string.h>

/* Kernel arguments stand 64 bytes apart. */
enum { LAUNCHES = 1000, APART = 64 };

static struct work_arguments *arguments_of(uint8_t *all, unsigned launch)
{
    return (struct work_arguments *)(void *)(all + (size_t)launch * APART);
}

/* One wavefront each, which stores one word for each lane. */
static uint64_t prepare(const struct gpu *g, uint8_t *arguments, uint32_t *out)
{
    uint64_t sum = 0;
    memset(out, 0xff, sizeof *out * g->lanes * LAUNCHES);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        struct work_arguments *a = arguments_of(arguments, i);
        *a = (struct work_arguments){out + (size_t)i * g->lanes, g->lanes, 1, 1};
        sum += sum_of_addresses(a);
    }
    return sum;
}

static void check(uint8_t *arguments, json_t *part)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < LAUNCHES; i++)
        wrong += !stores_are_right(arguments_of(arguments, i));
    if (wrong)
        problem(part, "the results of %u of %u launches are wrong", wrong, (unsigned)LAUNCHES);
}

/* False with a problem in `g`; then memory and queue are left to what may still run. */
static bool launch_all(struct gpu *g, const struct gpu_kernel *k, hsa_queue_t *q, uint8_t *arguments,
                       json_t *part)
{
    hsa_signal_t done;
    if (hsa_signal_create(LAUNCHES, 0, NULL, &done) != HSA_STATUS_SUCCESS)
        return false;
    double begin = gpu_now();
    for (unsigned i = 0; i < LAUNCHES; i++) {
        struct gpu_launch l = {
            .grid = {g->lanes}, .group = {g->lanes}, .kernarg = arguments_of(arguments, i)};
        gpu_submit(q, k, &l, done);
    }
    if (!gpu_wait(g, done, GPU_SECONDS))
        return false;
    if (g->measures)
        add_figure(part, "launches observed, one behind the other", LAUNCHES / (gpu_now() - begin) * 1e-3,
                   "thousand/s");
    hsa_signal_destroy(done);
    check(arguments, part);
    return true;
}

void part_many_launches(struct gpu *g, json_t *part)
{
    hsa_executable_t code;
    struct gpu_kernel k;
    hsa_queue_t *q = NULL;
    uint8_t *arguments = gpu_alloc(g, g->kernarg, (size_t)LAUNCHES * APART);
    uint32_t *out = gpu_alloc(g, g->host, sizeof *out * g->lanes * LAUNCHES);
    bool ok = arguments && out && load_code(g, CODE_PROBED, &code) && gpu_find(g, code, "work_stores", &k) &&
              (q = gpu_queue(g));
    if (ok) {
        uint64_t sum = prepare(g, arguments, out);
        json_object_set_new(part, "expect",
                            json_pack("[{s:i, s:i, s:I, s:i, s:o}]", "launches", LAUNCHES, "accesses",
                                      LAUNCHES, "lanes", (json_int_t)g->lanes * LAUNCHES, "waves", LAUNCHES,
                                      "sum", json_sprintf("%016llx", (unsigned long long)sum)));
        ok = launch_all(g, &k, q, arguments, part);
    }
    if (!ok)
        problem(part, "%s", g->problem);
    else
        hsa_queue_destroy(q);
}
