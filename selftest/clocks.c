/*
 * clocks.c - whether the clocks of wavefronts, of launches and of the host fit together: the timeline of a recording
 * shows all three.
 */
#include "figures.h"
#include "parts.h"
#include "lanescope/realtime.h"

#include <string.h>
#include <time.h>

enum { LAUNCHES = 8, LOOKS = 1 << 20, PAUSE = 2000 };
enum { MOST_GROUPS = 256, APART_MS = 60, SOFTWARE_GROUPS = 16, WORST_US = 1000 };
static const double TOLERANCE = 0.01;

struct meeting_arguments {
    uint32_t *arrived;
    struct meeting *out;
    uint32_t turns, pause;
};

struct runner {
    struct gpu *gpu;
    struct gpu_kernel kernel;
    hsa_queue_t *queue;
    struct meeting *out;
    uint32_t *arrived;
    struct meeting_arguments *arguments;
};

/* The host's time around a launch, and the launch's as the runtime tells it, in ns. */
struct times {
    uint64_t before, start, end, after;
};

/* Of the runtime's time. */
static uint64_t ns_of(const struct gpu *g, uint64_t time)
{
    return (uint64_t)((double)time * 1e9 / (double)g->frequency);
}

static uint64_t host_now(const struct gpu *g)
{
    uint64_t t = 0;
    hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &t);
    return ns_of(g, t);
}

static bool run(const struct runner *r, uint32_t groups, struct times *t)
{
    struct gpu *g = r->gpu;
    hsa_signal_t done;
    hsa_amd_profiling_dispatch_time_t told = {0};
    struct gpu_launch l = {.grid = {groups * g->lanes}, .group = {g->lanes}, .kernarg = r->arguments};
    memset(r->out, 0, sizeof *r->out * MOST_GROUPS);
    *r->arrived = 0;
    *r->arguments = (struct meeting_arguments){r->arrived, r->out, LOOKS, PAUSE};
    if (hsa_signal_create(1, 0, NULL, &done) != HSA_STATUS_SUCCESS)
        return false;
    t->before = host_now(g);
    gpu_submit(r->queue, &r->kernel, &l, done);
    if (!gpu_wait(g, done, GPU_SECONDS))
        return false; /* it may still run, and store */
    t->after = host_now(g);
    hsa_amd_profiling_get_dispatch_time(g->agent, done, &told);
    t->start = ns_of(g, told.start);
    t->end = ns_of(g, told.end);
    hsa_signal_destroy(done);
    return true;
}

/* A launch begins when it was submitted or later, and ends before the host knows. */
static bool launches_lie_right(const struct runner *r, json_t *part)
{
    int64_t behind = INT64_MAX, ahead = INT64_MAX;
    struct times t;
    for (unsigned i = 0; i < LAUNCHES; i++) {
        if (!run(r, 1, &t))
            return false;
        int64_t b = (int64_t)(t.start - t.before), a = (int64_t)(t.after - t.end);
        behind = b < behind ? b : behind;
        ahead = a < ahead ? a : ahead;
    }
    if (behind < -1000 * WORST_US || ahead < -1000 * WORST_US)
        problem(
            part,
            "launches seem to begin %.0f us before they are submitted, or end %.0f us after the host knows",
            -1e-3 * (double)behind, -1e-3 * (double)ahead);
    if (r->gpu->measures) {
        add_figure(part, "launches begin after they are submitted, at least", 1e-3 * (double)behind, "us");
        add_figure(part, "launches end before the host knows, at least", 1e-3 * (double)ahead, "us");
    }
    return true;
}

static bool ticks_are_right(const struct runner *r, json_t *part)
{
    struct clock_read read[2];
    struct timespec pause = {0, APART_MS * 1000000};
    double least, most;
    for (unsigned i = 0; i < 2; i++) {
        struct times t;
        if (i)
            nanosleep(&pause, NULL);
        if (!run(r, 1, &t))
            return false;
        read[i] = (struct clock_read){r->out[0].ticks[0], t.before, t.after};
    }
    clock_rate(&read[0], &read[1], &least, &most);
    if (least > LS_REALTIME_MHZ * (1 + TOLERANCE) || most < LS_REALTIME_MHZ * (1 - TOLERANCE))
        problem(part,
                "the clock of wavefronts runs at %.2f to %.2f MHz instead of %d: their times would be wrong",
                least, most, LS_REALTIME_MHZ);
    if (r->gpu->measures)
        add_figure(part, "clock of wavefronts", (least + most) / 2, "MHz");
    return true;
}

static bool dies_agree(const struct runner *r, json_t *part)
{
    struct times t;
    const struct gpu *g = r->gpu;
    const uint32_t all = g->measures ? g->units : SOFTWARE_GROUPS;
    const uint32_t groups = all < MOST_GROUPS ? all : MOST_GROUPS;
    uint32_t alone = 0;
    if (!run(r, groups, &t))
        return false;
    for (uint32_t i = 0; i < groups; i++)
        alone += !r->out[i].met;
    if (alone)
        problem(part, "%u of %u wavefronts did not see the others arrive", alone, groups);
    if (!g->measures || alone)
        return true;
    add_figure(part, "counter of cycles", cycles_per_tick(r->out, groups) * LS_REALTIME_MHZ, "MHz");
    if (gpu_xccs(g) > 1)
        add_figure(part, "clocks of the dies apart, at most",
                   (double)ticks_apart(r->out, groups) * LS_REALTIME_NS, "ns");
    return true;
}

void part_clocks(struct gpu *g, json_t *part)
{
    hsa_executable_t code;
    struct runner r = {.gpu = g};
    bool ok = load_code(g, CODE_PLAIN, &code) && gpu_find(g, code, "clocks_meet", &r.kernel) &&
              (r.queue = gpu_queue(g)) && (r.out = gpu_alloc(g, g->host, sizeof *r.out * MOST_GROUPS)) &&
              (r.arrived = gpu_alloc(g, g->host, 64)) &&
              (r.arguments = gpu_alloc(g, g->kernarg, sizeof *r.arguments));
    if (ok)
        hsa_amd_profiling_set_profiler_enabled(r.queue, 1);
    ok = ok && launches_lie_right(&r, part) && ticks_are_right(&r, part) && dies_agree(&r, part);
    if (!ok)
        problem(part, "%s", g->problem);
    else
        hsa_queue_destroy(r.queue);
}
