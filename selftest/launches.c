/*
 * launches.c - launches out of the ordinary: grids whose last work-groups are partial in three dimensions, dynamic LDS,
 * scratch, compute unit masks, priorities, cooperative queues. The results must be right, and accesses are counted where they can be.
 */
#include "expect.h"
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* A kind of launch; false with a problem in `g` when it cannot be tried. */
struct matrix_row {
    const char *name;
    bool (*run)(struct gpu *g, hsa_executable_t code, hsa_queue_t *q, json_t *part, json_t *expect);
};

static uint32_t ceil_div(uint32_t n, uint32_t d)
{
    return (n + d - 1) / d;
}

/* Wavefronts of a launch whose work-groups may be partial at the ends. */
static uint32_t count_waves(const struct gpu_launch *l, uint32_t lanes)
{
    uint32_t waves = 0;
    for (uint32_t z = 0; z < l->grid[2]; z += l->group[2])
        for (uint32_t y = 0; y < l->grid[1]; y += l->group[1])
            for (uint32_t x = 0; x < l->grid[0]; x += l->group[0]) {
                uint32_t w = l->grid[0] - x < l->group[0] ? l->grid[0] - x : l->group[0];
                uint32_t h = l->grid[1] - y < l->group[1] ? l->grid[1] - y : l->group[1];
                uint32_t d = l->grid[2] - z < l->group[2] ? l->grid[2] - z : l->group[2];
                waves += ceil_div(w * h * d, lanes);
            }
    return waves;
}

/* The kernel's arguments lie in this pool. Behind the large BAR stores may be under way until something there was read. */
static bool store_from(struct gpu *g, hsa_amd_memory_pool_t pool, hsa_executable_t code, hsa_queue_t *q,
                       struct gpu_launch *l, json_t *part, json_t *expect, const char *name)
{
    enum { STORES = 5, WRAP = 2 };
    struct gpu_kernel k;
    uint32_t items = l->grid[0] * l->grid[1] * l->grid[2];
    struct work_arguments *a = gpu_alloc(g, pool, sizeof *a);
    uint32_t *out = gpu_alloc(g, g->host, sizeof *out * items * WRAP);
    bool ok = a && out && gpu_find(g, code, "work_stores", &k);
    if (ok) {
        *a = (struct work_arguments){out, items, STORES, WRAP};
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        (void)*(volatile uint32_t *)&a->wrap;
        l->kernarg = a;
        json_array_append_new(expect, expect_stores(a, count_waves(l, g->lanes)));
        ok = gpu_run(g, q, &k, l);
        if (ok && !stores_are_right(a))
            problem(part, "%s: the kernel's results are wrong", name);
    }
    if (!g->late) {
        gpu_free(a);
        gpu_free(out);
    }
    return ok;
}

static bool store(struct gpu *g, hsa_executable_t code, hsa_queue_t *q, struct gpu_launch *l, json_t *part,
                  json_t *expect, const char *name)
{
    return store_from(g, g->kernarg, code, q, l, part, expect, name);
}

static bool plain(struct gpu *g, hsa_executable_t code, hsa_queue_t *q, json_t *part, json_t *expect)
{
    struct gpu_launch l = {.grid = {1024, 1, 1}, .group = {256, 1, 1}};
    return store(g, code, q, &l, part, expect, "plain");
}

static bool partial_groups(struct gpu *g, hsa_executable_t code, hsa_queue_t *q, json_t *part, json_t *expect)
{
    struct gpu_launch l = {.grid = {37, 11, 5}, .group = {16, 4, 2}};
    return store(g, code, q, &l, part, expect, "partial work-groups");
}

/* Every second compute unit of the first 32. */
static bool masked_units(struct gpu *g, hsa_executable_t code, hsa_queue_t *q, json_t *part, json_t *expect)
{
    uint32_t mask[32], words = ceil_div(g->units, 32);
    (void)q;
    hsa_queue_t *own = words <= 32 ? gpu_queue(g) : NULL;
    if (!own)
        return false;
    memset(mask, 0, sizeof mask);
    mask[0] = 0x55555555;
    struct gpu_launch l = {.grid = {4096, 1, 1}, .group = {256, 1, 1}};
    bool ok = true;
    if (hsa_amd_queue_cu_set_mask(own, words * 32, mask) == HSA_STATUS_SUCCESS)
        ok = store(g, code, own, &l, part, expect, "compute unit mask");
    if (!g->late)
        hsa_queue_destroy(own);
    return ok;
}

static bool high_priority(struct gpu *g, hsa_executable_t code, hsa_queue_t *q, json_t *part, json_t *expect)
{
    (void)q;
    hsa_queue_t *own = gpu_queue(g);
    if (!own)
        return false;
    struct gpu_launch l = {.grid = {4096, 1, 1}, .group = {64, 1, 1}};
    bool ok = true;
    if (hsa_amd_queue_set_priority(own, HSA_AMD_QUEUE_PRIORITY_HIGH) == HSA_STATUS_SUCCESS)
        ok = store(g, code, own, &l, part, expect, "high priority");
    if (!g->late)
        hsa_queue_destroy(own);
    return ok;
}

static bool cooperative(struct gpu *g, hsa_executable_t code, hsa_queue_t *q, json_t *part, json_t *expect)
{
    (void)q;
    if (!gpu_is_cooperative(g))
        return true;
    hsa_queue_t *own = gpu_cooperative_queue(g);
    if (!own)
        return false;
    struct gpu_launch l = {.grid = {2048, 1, 1}, .group = {256, 1, 1}};
    bool ok = store(g, code, own, &l, part, expect, "cooperative launch");
    if (!g->late)
        hsa_queue_destroy(own);
    return ok;
}

/* HIP may put arguments there (HIP_FORCE_DEV_KERNARG). Without a large BAR the host cannot write them. */
static bool device_arguments(struct gpu *g, hsa_executable_t code, hsa_queue_t *q, json_t *part,
                             json_t *expect)
{
    hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    struct gpu_launch l = {.grid = {1024, 1, 1}, .group = {256, 1, 1}};
    hsa_amd_agent_memory_pool_get_info(g->cpu, g->device, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access);
    return access == HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED ||
           store_from(g, g->device, code, q, &l, part, expect, "arguments in device memory");
}

/* A kernel of two pointers' worth of arguments that writes out[0..items). */
static bool run_checked(struct gpu *g, hsa_executable_t code, hsa_queue_t *q, const char *kernel,
                        uint32_t items, uint32_t dynamic_lds, uint32_t extra, uint32_t **result)
{
    struct gpu_kernel k;
    struct {
        uint32_t *out;
        uint32_t items, extra;
    } *a = gpu_alloc(g, g->kernarg, sizeof *a);
    uint32_t *out = gpu_alloc(g, g->host, sizeof *out * items);
    struct gpu_launch l = {.grid = {items}, .group = {256}, .dynamic_lds = dynamic_lds, .kernarg = a};
    bool ok = a && out && gpu_find(g, code, kernel, &k);
    if (ok) {
        a->out = out;
        a->items = items;
        a->extra = extra;
        ok = gpu_run(g, q, &k, &l);
    }
    if (ok)
        *result = out;
    if (!g->late)
        gpu_free(a);
    if (!ok && !g->late)
        gpu_free(out);
    return ok;
}

static bool dynamic_lds(struct gpu *g, hsa_executable_t code, hsa_queue_t *q, json_t *part, json_t *expect)
{
    enum { ITEMS = 1024, GROUP = 256 };
    uint32_t *out;
    (void)expect;
    if (!run_checked(g, code, q, "work_dynamic_lds", ITEMS, 4 * GROUP, 0, &out))
        return false;
    for (uint32_t i = 0; i < ITEMS; i++)
        if (out[i] != i / GROUP * GROUP + (i + 1) % GROUP) {
            problem(part, "dynamic LDS: the kernel's results are wrong");
            break;
        }
    gpu_free(out);
    return true;
}

static bool scratch(struct gpu *g, hsa_executable_t code, hsa_queue_t *q, json_t *part, json_t *expect)
{
    enum { ITEMS = 1024, MASK = 63 };
    uint32_t *out;
    (void)expect;
    if (!run_checked(g, code, q, "work_scratch", ITEMS, 0, MASK, &out))
        return false;
    for (uint32_t i = 0; i < ITEMS; i++)
        if (out[i] != i + (i & MASK)) {
            problem(part, "scratch: the kernel's results are wrong");
            break;
        }
    gpu_free(out);
    return true;
}

static const struct matrix_row matrix[] = {
    {"plain", plain},
    {"partial work-groups", partial_groups},
    {"compute unit mask", masked_units},
    {"high priority", high_priority},
    {"cooperative launch", cooperative},
    {"arguments in device memory", device_arguments},
    {"dynamic LDS", dynamic_lds},
    {"scratch", scratch},
};

void part_launches(struct gpu *g, json_t *part)
{
    hsa_executable_t code;
    hsa_queue_t *q = NULL;
    json_t *expect = json_array(), *tried = json_array();
    json_object_set_new(part, "expect", expect);
    json_object_set_new(part, "launches", tried);
    if (!load_code(g, CODE_PROBED, &code) || !(q = gpu_queue(g))) {
        problem(part, "%s", g->problem);
        return;
    }
    for (unsigned i = 0; q && i < sizeof matrix / sizeof *matrix; i++) {
        g->problem[0] = 0;
        json_array_append_new(tried, json_string(matrix[i].name));
        part_at(matrix[i].name);
        if (matrix[i].run(g, code, q, part, expect))
            continue;
        problem(part, "%s: %s", matrix[i].name, g->problem);
        if (g->late)
            q = gpu_queue(g); /* on the old one the next would wait for this one */
    }
    if (q && !g->late)
        hsa_queue_destroy(q);
}
