/*
 * ring.c - kernels with probes whose accesses can be counted beforehand. `lanescope selftest` observes this part with
 * rings of several sizes, and holds what the handler `selftest` got (handler.c) against what is expected here.
 */
#include "expect.h"
#include "common/plural.h"
#include "figures.h"
#include "parts.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 256, GROUPS = 24, SLOW_GROUPS = 1, WRAP = 4, QUEUES = 3 };

/* One message, a few, a chunk full of them, many chunks. Where each message has to wait for the host, only the first two
 * are sent, by a few wavefronts. */
static const uint32_t stores_of[] = {1, 3, 218, 1000};
enum { N_STORES = sizeof stores_of / sizeof stores_of[0], N_SLOW = 2 };

/* One launch that is under way. */
struct flight {
    struct work_arguments *arguments;
    uint32_t *out;
    hsa_signal_t done;
    hsa_queue_t *queue;
    uint32_t stores, groups;
};

/* Work-groups are dealt out to the dies in turns. */
static void add_xccs(const struct gpu *g, json_t *want, uint32_t groups)
{
    const uint32_t xccs = gpu_xccs(g);
    if (xccs)
        json_object_set_new(want, "xccs", json_integer(xccs < groups ? xccs : groups));
}

static bool start(struct gpu *g, const struct gpu_kernel *k, struct flight *f, json_t *expect)
{
    uint32_t items = GROUP * f->groups;
    f->out = gpu_alloc(g, g->host, sizeof *f->out * items * WRAP);
    f->arguments = gpu_alloc(g, g->kernarg, sizeof *f->arguments);
    if (!f->out || !f->arguments || hsa_signal_create(1, 0, NULL, &f->done) != HSA_STATUS_SUCCESS)
        return false;
    memset(f->out, 0xff, sizeof *f->out * items * WRAP);
    *f->arguments = (struct work_arguments){f->out, items, f->stores, WRAP};
    json_t *want = expect_stores(f->arguments, items / g->lanes);
    add_xccs(g, want, f->groups);
    json_array_append_new(expect, want);
    struct gpu_launch l = {.grid = {items}, .group = {GROUP}, .kernarg = f->arguments};
    gpu_submit(f->queue, k, &l, f->done);
    return true;
}

static void finish(struct gpu *g, struct flight *f, json_t *part)
{
    if (!f->done.handle)
        return;
    if (!gpu_wait(g, f->done, GPU_SECONDS)) {
        problem(part, "%u %s of each work-item: %s", f->stores, ls_word(f->stores, "store", "stores"),
                g->problem);
        return; /* it may still run, and store */
    }
    if (!stores_are_right(f->arguments))
        problem(part, "%u %s of each work-item: the kernel's results are wrong", f->stores,
                ls_word(f->stores, "store", "stores"));
    hsa_signal_destroy(f->done);
    gpu_free(f->out);
    gpu_free(f->arguments);
}

static void send(struct gpu *g, json_t *part, unsigned n_stores, uint32_t groups)
{
    hsa_executable_t code;
    struct gpu_kernel k;
    hsa_queue_t *queues[QUEUES] = {NULL};
    struct flight flights[N_STORES * QUEUES];
    json_t *expect = json_array();
    bool ok = load_code(g, CODE_PROBED, &code) && gpu_find(g, code, "work_stores", &k);
    memset(flights, 0, sizeof flights);
    json_object_set_new(part, "expect", expect);
    for (unsigned q = 0; ok && q < QUEUES; q++)
        ok = (queues[q] = gpu_queue(g));
    for (unsigned i = 0; ok && i < n_stores * QUEUES; i++) {
        flights[i].queue = queues[i % QUEUES];
        flights[i].stores = stores_of[i / QUEUES];
        flights[i].groups = groups;
        ok = start(g, &k, &flights[i], expect);
    }
    if (!ok)
        problem(part, "%s", g->problem);
    for (unsigned i = 0; i < n_stores * QUEUES; i++)
        finish(g, &flights[i], part);
    for (unsigned q = 0; q < QUEUES && !g->late; q++)
        if (queues[q])
            hsa_queue_destroy(queues[q]);
}

/* ---- one launch that fills the GPU ---- */

/* On hardware more stores until a launch takes long enough to tell how fast all of the way is: GPU, link, threads of the
 * host, handler. */
enum { FAST_GROUPS_PER_UNIT = 2, FAST_STORES = 500, MOST_ACCESSES = 1 << 27 };
static const double FAST_SECONDS = 0.3;

static bool send_one(struct gpu *g, const struct gpu_kernel *k, struct flight *f, json_t *part,
                     double *seconds)
{
    double begin = gpu_now();
    if (!start(g, k, f, json_object_get(part, "expect")))
        return false;
    finish(g, f, part);
    *seconds = gpu_now() - begin;
    return true;
}

void part_fast_ring(struct gpu *g, json_t *part)
{
    hsa_executable_t code;
    struct gpu_kernel k;
    struct flight f = {.groups = g->measures ? g->units * FAST_GROUPS_PER_UNIT : SLOW_GROUPS};
    const double waves = (double)f.groups * GROUP / g->lanes;
    double seconds = 0;
    json_object_set_new(part, "expect", json_array());
    bool ok =
        load_code(g, CODE_PROBED, &code) && gpu_find(g, code, "work_stores", &k) && (f.queue = gpu_queue(g));
    for (f.stores = FAST_STORES; ok; f.stores *= 2) {
        ok = send_one(g, &k, &f, part, &seconds);
        if (!g->measures || g->late || seconds >= FAST_SECONDS || waves * f.stores >= MOST_ACCESSES)
            break;
    }
    if (!ok)
        problem(part, "%s", g->problem);
    if (ok && g->measures && !g->late)
        add_figure(part, "accesses of one launch, each told to a handler", waves * f.stores / seconds * 1e-6,
                   "million/s");
    if (ok && !g->late)
        hsa_queue_destroy(f.queue);
}

void part_ring(struct gpu *g, json_t *part)
{
    send(g, part, N_STORES, GROUPS);
}

void part_slow_ring(struct gpu *g, json_t *part)
{
    send(g, part, N_SLOW, SLOW_GROUPS);
}
