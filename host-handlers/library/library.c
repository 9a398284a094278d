/* library.c - the models behind a stable C interface that checks what it is given. See lanescope/models.h. */
#include "lanescope/models.h"

#include <stdbool.h>
#include <string.h>
#include "gpus/gpus.h"
#include "host-handlers/models/coalescing_model.h"
#include "host-handlers/models/lds_model.h"

enum { QUAD = 4, DWORD = 4 };

/* Widths that vector memory instructions have. */
static bool is_width(enum lanescope_model_access access, unsigned bytes)
{
    if (access == LANESCOPE_MODEL_ATOMIC)
        return bytes == 4 || bytes == 8;
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 12 || bytes == 16;
}

static int check_lanes(const struct ls_gpu *gpu, uint64_t lanes, size_t n)
{
    if (n > gpu->family->lanes || (gpu->family->lanes < 64 && lanes >> gpu->family->lanes))
        return LANESCOPE_MODEL_LANES;
    if (!lanes || (n < 64 && lanes >> n))
        return LANESCOPE_MODEL_NO_LANE;
    return 0;
}

/* What both functions are given but for the addresses. */
static int check(const struct ls_gpu *gpu, bool has_model, enum lanescope_model_access access, unsigned bytes,
                 uint64_t lanes, size_t n)
{
    if (!gpu)
        return LANESCOPE_MODEL_NO_GPU;
    if (!has_model)
        return LANESCOPE_MODEL_NO_MODEL;
    if ((unsigned)access > LANESCOPE_MODEL_ATOMIC)
        return LANESCOPE_MODEL_ACCESS;
    if (!is_width(access, bytes))
        return LANESCOPE_MODEL_WIDTH;
    return check_lanes(gpu, lanes, n);
}

/* LDS takes dwords at any multiple of 4 bytes, also of wider accesses; atomics at multiples of their width. */
static int check_lds(const struct ls_gpu *gpu, enum lanescope_model_access access, unsigned bytes,
                     uint32_t address)
{
    const unsigned align = bytes <= DWORD || access == LANESCOPE_MODEL_ATOMIC ? bytes : DWORD;
    if (address % align)
        return LANESCOPE_MODEL_ALIGNMENT;
    return address > gpu->family->lds_bytes - bytes ? LANESCOPE_MODEL_RANGE : 0;
}

static int check_global(enum lanescope_model_access access, unsigned bytes, uint64_t address)
{
    if (access == LANESCOPE_MODEL_ATOMIC && address % bytes)
        return LANESCOPE_MODEL_ALIGNMENT;
    return address > UINT64_MAX - bytes ? LANESCOPE_MODEL_RANGE : 0;
}

/* Copies as much of an answer as the caller has room for; `size` stays the caller's. */
static void answer(void *to, const void *from, size_t size)
{
    size_t room;
    memcpy(&room, to, sizeof room);
    size = room < size ? room : size;
    memcpy((char *)to + sizeof room, (const char *)from + sizeof room, size - sizeof room);
}

int lanescope_lds_cost(const char *name, enum lanescope_model_access access, unsigned bytes, uint64_t lanes,
                       const uint32_t *addresses, size_t n, struct lanescope_lds_cost *cost)
{
    const struct ls_gpu *gpu = ls_gpu_find(name);
    uint32_t at[64] = {0};
    if (!name || !addresses || !cost || cost->size < sizeof cost->size)
        return LANESCOPE_MODEL_ARGUMENT;
    int error = check(gpu, gpu && gpu->lds, access, bytes, lanes, n);
    if (error)
        return error;
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        if ((error = check_lds(gpu, access, bytes, addresses[lane])))
            return error;
        at[lane] = addresses[lane];
    }
    const bool write = access == LANESCOPE_MODEL_WRITE;
    const struct ls_lds_phases *p = ls_lds_phases(gpu, write, bytes);
    const struct ls_lds_cost c =
        ls_lds_access(gpu, write, access == LANESCOPE_MODEL_ATOMIC, bytes, lanes, at);
    const struct lanescope_lds_cost out = {.cycles = c.index_cycles,
                                           .conflict_cycles = c.conflict_cycles,
                                           .address_conflict_cycles = c.address_conflict,
                                           .phases = p->n,
                                           .banks = p->banks,
                                           .basis = p->measured ? LANESCOPE_MODEL_MEASURED
                                                                : LANESCOPE_MODEL_ASSUMED};
    answer(cost, &out, sizeof out);
    return 0;
}

int lanescope_global_cost(const char *name, enum lanescope_model_access access, unsigned bytes,
                          uint64_t lanes, const uint64_t *addresses, size_t n,
                          struct lanescope_global_cost *cost)
{
    const struct ls_gpu *gpu = ls_gpu_find(name);
    uint64_t at[64] = {0};
    if (!name || !addresses || !cost || cost->size < sizeof cost->size)
        return LANESCOPE_MODEL_ARGUMENT;
    int error = check(gpu, gpu && gpu->l1_line, access, bytes, lanes, n);
    if (error)
        return error;
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        if ((error = check_global(access, bytes, addresses[lane])))
            return error;
        at[lane] = addresses[lane];
    }
    const struct ls_cache_cost c = ls_cache_access(gpu, bytes, lanes, at);
    const unsigned fewest = gpu->family->lanes / QUAD;
    const struct lanescope_global_cost out = {
        .bytes = c.bytes,
        .l1_lines = c.l1_lines,
        .l1_lines_needed = c.l1_needed,
        .l2_lines = c.l2_lines,
        .l2_lines_needed = c.l2_needed,
        .requests = c.requests,
        .requests_fewest = fewest,
        .l1_line = gpu->l1_line,
        .l2_line = gpu->l2_line,
        .lines_basis = gpu->lines_assumed ? LANESCOPE_MODEL_ASSUMED : LANESCOPE_MODEL_DOCUMENTED,
        /* The panel's definition; which lanes make a request is inferred from its range (coalescing_model.h). */
        .requests_basis = LANESCOPE_MODEL_ASSUMED,
        .coalescing = 100.0 * fewest / c.requests};
    answer(cost, &out, sizeof out);
    return 0;
}

const char *lanescope_models_gpu(size_t i)
{
    const struct ls_gpu *gpu;
    for (size_t at = 0; (gpu = ls_gpu_at(at)); at++)
        if ((gpu->lds || gpu->l1_line) && !i--)
            return gpu->name;
    return NULL;
}

unsigned lanescope_models_lanes(const char *gpu)
{
    const struct ls_gpu *g = ls_gpu_find(gpu);
    return g ? g->family->lanes : 0;
}

const char *lanescope_models_error(int error)
{
    static const char *const texts[] = {
        "no error",
        "no GPU of that name is known; lanescope_models_gpu lists those that are",
        "it is not known how that GPU serves such accesses; lanescope_models_gpu lists the GPUs with models",
        "the access is none of read, write and atomic",
        "no instruction has that width: give 1, 2, 4, 8, 12 or 16 bytes, of atomics 4 or 8",
        "more lanes than a wavefront of that GPU has; lanescope_models_lanes tells how many",
        "no lane is active, or an active lane has no address",
        "an address is not aligned: LDS needs multiples of the width up to 4, atomics of their whole width",
        "an access ends beyond LDS, or beyond the address space",
        "a pointer is NULL, or `size` is not that of the structure",
    };
    const int n = sizeof texts / sizeof *texts;
    return error <= 0 && error > -n ? texts[-error] : "unknown error";
}

const char *lanescope_models_version(void)
{
    return LANESCOPE_VERSION;
}
