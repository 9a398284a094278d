/*
 * rates.c - how fast wavefronts store to memory of the host and take tickets, which is what the rings do. Whether all of it
 * arrives is tested on every GPU; how fast it was is said of hardware alone.
 */
#include "figures.h"
#include "parts.h"

#include <string.h>

/* RATES_CHUNK: CHUNK of device/rates.c. LEAST_SECONDS: a launch shorter than that is measured again with more turns. */
enum { RATES_CHUNK = 256, BYTES = 16, SOFTWARE_WAVES = 4, WAVES_PER_UNIT = 8, MOST_WAVES = 4096, TURNS = 16 };
static const double LEAST_SECONDS = 0.03;
static const uint32_t MOST_TURNS = 1u << 20;

struct runner {
    struct gpu *gpu;
    hsa_executable_t code;
    hsa_queue_t *queue;
    uint32_t waves;
};

/* The arguments of both kinds of kernels: lanes or distance of counters, and how often. */
struct arguments {
    void *memory;
    uint32_t how, turns;
};

/* Runs the kernel until a launch takes long enough, on hardware. *turns: of the last launch; *all: of all together. */
static bool time_launch(const struct runner *r, const char *kernel, void *memory, uint32_t how,
                        uint32_t *turns, uint64_t *all, double *seconds)
{
    struct gpu *g = r->gpu;
    struct gpu_kernel k;
    struct arguments *a = gpu_alloc(g, g->kernarg, sizeof *a);
    struct gpu_launch l = {.grid = {r->waves * g->lanes}, .group = {g->lanes}, .kernarg = a};
    bool ok = a && gpu_find(g, r->code, kernel, &k);
    *all = 0;
    for (*turns = TURNS; ok; *turns *= 4) {
        *a = (struct arguments){memory, how, *turns};
        double start = gpu_now();
        ok = gpu_run(g, r->queue, &k, &l);
        *seconds = gpu_now() - start;
        *all += *turns;
        if (!g->measures || *seconds >= LEAST_SECONDS || *turns >= MOST_TURNS)
            break;
    }
    if (ok)
        gpu_free(a);
    return ok;
}

/* ---- stores ---- */

static const struct {
    const char *name;
    uint32_t lanes; /* 0: all */
} store_ways[] = {
    {"stores to the host, 16 bytes each", 1},
    {"stores to the host, 64 bytes each", 4},
    {"stores to the host, whole wavefronts", 0},
};
enum { N_STORE_WAYS = sizeof store_ways / sizeof *store_ways };

/* The last round is in each word. */
static bool stored(const uint32_t *memory, size_t words, uint32_t last)
{
    for (size_t i = 0; i < words; i++)
        if (memory[i] != last)
            return false;
    return true;
}

static bool stores(const struct runner *r, json_t *part)
{
    struct gpu *g = r->gpu;
    size_t bytes = (size_t)r->waves * RATES_CHUNK * BYTES;
    uint32_t *memory = gpu_alloc(g, g->kernarg, bytes), turns;
    uint64_t all;
    double seconds;
    bool ok = memory;
    for (unsigned i = 0; ok && i < N_STORE_WAYS; i++) {
        memset(memory, 0, bytes);
        part_at(store_ways[i].name);
        ok = time_launch(r, "rates_store", memory, store_ways[i].lanes ? store_ways[i].lanes : g->lanes,
                         &turns, &all, &seconds);
        if (ok && !stored(memory, bytes / sizeof *memory, turns))
            problem(part, "%s: not all of them arrived", store_ways[i].name);
        if (ok && g->measures)
            add_figure(part, store_ways[i].name, (double)bytes * turns / seconds * 1e-9, "GB/s");
    }
    if (ok)
        gpu_free(memory);
    return ok;
}

/* ---- tickets ---- */

enum { LINE_WORDS = 8 };

static const struct {
    const char *name, *kernel;
    bool in_device;
    uint32_t apart;
} ticket_ways[] = {
    {"tickets of the host, one counter for all", "rates_tickets_host", false, 0},
    {"tickets of the host, a counter each", "rates_tickets_host", false, LINE_WORDS},
    {"tickets of the device, one counter for all", "rates_tickets_device", true, 0},
    {"tickets of the device, a counter each", "rates_tickets_device", true, LINE_WORDS},
};
enum { N_TICKET_WAYS = sizeof ticket_ways / sizeof *ticket_ways };

/* One counter has the tickets of all wavefronts; or each has those of its own. */
static bool counted(const uint64_t *counters, uint32_t waves, uint32_t apart, uint64_t each)
{
    for (uint32_t w = 0; w < waves; w++)
        if (counters[(size_t)w * apart] != (apart ? each : each * waves))
            return false;
    return true;
}

static bool tickets_of(const struct runner *r, json_t *part, unsigned way, uint64_t *host, uint64_t *device,
                       size_t bytes)
{
    struct gpu *g = r->gpu;
    const bool in_device = ticket_ways[way].in_device;
    uint32_t turns, apart = ticket_ways[way].apart;
    uint64_t all;
    double seconds;
    memset(host, 0, bytes);
    part_at(ticket_ways[way].name);
    if ((in_device && !gpu_copy(g, device, host, bytes)) ||
        !time_launch(r, ticket_ways[way].kernel, in_device ? device : host, apart, &turns, &all, &seconds) ||
        (in_device && !gpu_copy(g, host, device, bytes)))
        return false;
    if (!counted(host, r->waves, apart, all))
        problem(part, "%s: not all of them were counted, or not in their order", ticket_ways[way].name);
    if (g->measures)
        add_figure(part, ticket_ways[way].name, (double)r->waves * turns / seconds * 1e-6, "million/s");
    return true;
}

static bool tickets(const struct runner *r, json_t *part)
{
    struct gpu *g = r->gpu;
    size_t bytes = (size_t)r->waves * LINE_WORDS * sizeof(uint64_t);
    uint64_t *host = gpu_alloc(g, g->kernarg, bytes), *device = gpu_alloc(g, g->device, bytes);
    bool ok = host && device;
    for (unsigned i = 0; ok && i < N_TICKET_WAYS; i++)
        ok = tickets_of(r, part, i, host, device, bytes);
    if (ok) {
        gpu_free(host);
        gpu_free(device);
    }
    return ok;
}

static uint32_t count_waves(const struct gpu *g)
{
    uint32_t waves = g->measures ? g->units * WAVES_PER_UNIT : SOFTWARE_WAVES;
    return waves < MOST_WAVES ? waves : MOST_WAVES;
}

void part_rates(struct gpu *g, json_t *part)
{
    struct runner r = {.gpu = g, .waves = count_waves(g)};
    bool ok = load_code(g, CODE_PLAIN, &r.code) && (r.queue = gpu_queue(g)) && stores(&r, part) &&
              tickets(&r, part);
    if (!ok)
        problem(part, "%s", g->problem);
    if (ok)
        hsa_queue_destroy(r.queue);
}
