#include "gpu.h"
#include "lanescope/defaults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_WHEN_LATE = 2, QUEUE_PACKETS = 256, SOFTWARE_PATIENCE = 40 };

static bool failed(struct gpu *g, const char *what, hsa_status_t status)
{
    const char *text = NULL;
    if (hsa_status_string(status, &text) != HSA_STATUS_SUCCESS)
        text = "unknown error";
    snprintf(g->problem, sizeof g->problem, "%s: %s", what, text);
    return false;
}

static bool told(struct gpu *g, const char *what)
{
    snprintf(g->problem, sizeof g->problem, "%s", what);
    return false;
}

/* ---- agents and pools ---- */

static hsa_status_t look_at_pool(hsa_amd_memory_pool_t pool, void *data)
{
    hsa_amd_memory_pool_t *pools = data; /* coarse-grained, fine-grained, for kernel arguments */
    hsa_amd_segment_t segment;
    uint32_t flags = 0;
    bool usable = false;
    if (hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment) !=
            HSA_STATUS_SUCCESS ||
        segment != HSA_AMD_SEGMENT_GLOBAL ||
        hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &usable) !=
            HSA_STATUS_SUCCESS ||
        !usable ||
        hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags) !=
            HSA_STATUS_SUCCESS)
        return HSA_STATUS_SUCCESS;
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
        pools[2] = pool;
    else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
        pools[1] = pool;
    else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED)
        pools[0] = pool;
    return HSA_STATUS_SUCCESS;
}

struct search {
    struct gpu *gpu;
    unsigned index, seen;
};

static hsa_status_t look_at_agent(hsa_agent_t agent, void *data)
{
    struct search *s = data;
    hsa_device_type_t type;
    if (hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS)
        return HSA_STATUS_SUCCESS;
    if (type == HSA_DEVICE_TYPE_CPU && !s->gpu->cpu.handle)
        s->gpu->cpu = agent;
    else if (type == HSA_DEVICE_TYPE_GPU && s->seen++ == s->index)
        s->gpu->agent = agent;
    return HSA_STATUS_SUCCESS;
}

static bool find_pools(struct gpu *g)
{
    hsa_amd_memory_pool_t cpu[3] = {{0}}, gpu[3] = {{0}};
    hsa_amd_agent_iterate_memory_pools(g->cpu, look_at_pool, cpu);
    hsa_amd_agent_iterate_memory_pools(g->agent, look_at_pool, gpu);
    g->device = gpu[0];
    g->host = cpu[1];
    g->kernarg = cpu[2].handle ? cpu[2] : cpu[1];
    return (g->device.handle && g->host.handle) ||
           told(g, "the GPU or the CPU has no memory that can be allocated");
}

bool gpu_open(struct gpu *g, unsigned index)
{
    struct search s = {g, index, 0};
    memset(g, 0, sizeof *g);
    hsa_status_t status = hsa_init();
    if (status != HSA_STATUS_SUCCESS)
        return failed(g, "ROCr cannot be started", status);
    hsa_iterate_agents(look_at_agent, &s);
    if (!g->agent.handle || !g->cpu.handle)
        return told(g, s.seen ? "there is no GPU of that number" : "ROCr shows no GPU");
    hsa_agent_get_info(g->agent, HSA_AGENT_INFO_NAME, g->name);
    hsa_agent_get_info(g->agent, HSA_AGENT_INFO_WAVEFRONT_SIZE, &g->lanes);
    hsa_agent_get_info(g->agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &g->units);
    hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &g->frequency);
    /* `lanescope run` sets it. The software GPU has the processors that others leave it. */
    const char *kind = getenv("LANESCOPE_GPU");
    g->measures = !ls_is_software_gpu(kind);
    g->patience = g->measures ? 1 : SOFTWARE_PATIENCE;
    return find_pools(g);
}

void gpu_close(struct gpu *g)
{
    (void)g;
    hsa_shut_down();
}

double gpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- memory ---- */

void *gpu_alloc(struct gpu *g, hsa_amd_memory_pool_t pool, size_t bytes)
{
    void *memory = NULL;
    hsa_agent_t both[2] = {g->cpu, g->agent};
    hsa_status_t status = hsa_amd_memory_pool_allocate(pool, bytes, 0, &memory);
    if (status != HSA_STATUS_SUCCESS) {
        failed(g, "memory cannot be allocated", status);
        return NULL;
    }
    status = hsa_amd_agents_allow_access(2, both, NULL, memory);
    if (status == HSA_STATUS_SUCCESS)
        return memory;
    failed(g, "memory cannot be shared by CPU and GPU", status);
    hsa_amd_memory_pool_free(memory);
    return NULL;
}

void gpu_free(void *memory)
{
    if (memory)
        hsa_amd_memory_pool_free(memory);
}

bool gpu_copy(struct gpu *g, void *to, const void *from, size_t bytes)
{
    hsa_signal_t done;
    hsa_status_t status = hsa_signal_create(1, 0, NULL, &done);
    if (status != HSA_STATUS_SUCCESS)
        return failed(g, "no signal for a copy", status);
    status = hsa_amd_memory_async_copy(to, g->agent, from, g->agent, bytes, 0, NULL, done);
    bool ok = status == HSA_STATUS_SUCCESS ? gpu_wait(g, done, GPU_SECONDS) : failed(g, "copy", status);
    hsa_signal_destroy(done);
    return ok;
}

/* ---- code ---- */

bool gpu_load(struct gpu *g, const void *code, size_t bytes, hsa_executable_t *out)
{
    hsa_code_object_reader_t reader;
    hsa_status_t status = hsa_code_object_reader_create_from_memory(code, bytes, &reader);
    if (status != HSA_STATUS_SUCCESS)
        return failed(g, "the test's code object cannot be read", status);
    status = hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, out);
    if (status == HSA_STATUS_SUCCESS)
        status = hsa_executable_load_agent_code_object(*out, g->agent, reader, NULL, NULL);
    if (status == HSA_STATUS_SUCCESS)
        status = hsa_executable_freeze(*out, NULL);
    return status == HSA_STATUS_SUCCESS || failed(g, "the test's code object cannot be loaded", status);
}

bool gpu_find(struct gpu *g, hsa_executable_t code, const char *name, struct gpu_kernel *out)
{
    char full[96];
    hsa_executable_symbol_t symbol;
    snprintf(full, sizeof full, "%s.kd", name);
    hsa_status_t status = hsa_executable_get_symbol_by_name(code, full, &g->agent, &symbol);
    if (status != HSA_STATUS_SUCCESS)
        return failed(g, name, status);
    hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &out->object);
    hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                   &out->private_bytes);
    hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                   &out->group_bytes);
    return true;
}

/* ---- launches ---- */

/* Of ROCr 5.7 and later (hsa_ext_amd.h), for headers that are older. */
enum { INFO_XCCS = 0xA111 };

uint32_t gpu_xccs(const struct gpu *g)
{
    uint32_t n = 0;
    return hsa_agent_get_info(g->agent, (hsa_agent_info_t)INFO_XCCS, &n) == HSA_STATUS_SUCCESS ? n : 0;
}

static hsa_queue_t *create_queue(struct gpu *g, hsa_queue_type32_t type)
{
    hsa_queue_t *q = NULL;
    hsa_status_t status =
        hsa_queue_create(g->agent, QUEUE_PACKETS, type, NULL, NULL, UINT32_MAX, UINT32_MAX, &q);
    if (status != HSA_STATUS_SUCCESS)
        failed(g, "no queue", status);
    return status == HSA_STATUS_SUCCESS ? q : NULL;
}

hsa_queue_t *gpu_queue(struct gpu *g)
{
    return create_queue(g, HSA_QUEUE_TYPE_MULTI);
}

bool gpu_is_cooperative(const struct gpu *g)
{
    bool is = false;
    return hsa_agent_get_info(g->agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES, &is) ==
               HSA_STATUS_SUCCESS &&
           is;
}

hsa_queue_t *gpu_cooperative_queue(struct gpu *g)
{
    return create_queue(g, HSA_QUEUE_TYPE_COOPERATIVE);
}

static uint32_t at_least_one(uint32_t n)
{
    return n ? n : 1;
}

void gpu_submit(hsa_queue_t *q, const struct gpu_kernel *k, const struct gpu_launch *l, hsa_signal_t done)
{
    hsa_kernel_dispatch_packet_t p = {
        .header = HSA_PACKET_TYPE_KERNEL_DISPATCH |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
        .setup = 3,
        .workgroup_size_x = (uint16_t)at_least_one(l->group[0]),
        .workgroup_size_y = (uint16_t)at_least_one(l->group[1]),
        .workgroup_size_z = (uint16_t)at_least_one(l->group[2]),
        .grid_size_x = at_least_one(l->grid[0]),
        .grid_size_y = at_least_one(l->grid[1]),
        .grid_size_z = at_least_one(l->grid[2]),
        .private_segment_size = k->private_bytes,
        .group_segment_size = k->group_bytes + l->dynamic_lds,
        .kernel_object = k->object,
        .kernarg_address = l->kernarg,
        .completion_signal = done,
    };
    uint64_t index = hsa_queue_add_write_index_screlease(q, 1);
    while (index - hsa_queue_load_read_index_scacquire(q) >= q->size)
        ;
    uint8_t *slot = (uint8_t *)q->base_address + index % q->size * sizeof p;
    uint32_t header;
    memcpy(&header, &p, sizeof header);
    memcpy(slot + sizeof header, (const uint8_t *)&p + sizeof header, sizeof p - sizeof header);
    __atomic_store_n((uint32_t *)(void *)slot, header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(q->doorbell_signal, (hsa_signal_value_t)index);
}

bool gpu_wait(struct gpu *g, hsa_signal_t done, unsigned seconds)
{
    if (g->late && seconds > WAIT_WHEN_LATE)
        seconds = WAIT_WHEN_LATE;
    if (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0,
                                  (uint64_t)seconds * g->patience * g->frequency,
                                  HSA_WAIT_STATE_BLOCKED) == 0)
        return true;
    g->late = true;
    snprintf(g->problem, sizeof g->problem, "no answer from the GPU for %u s", seconds * g->patience);
    return false;
}

bool gpu_run(struct gpu *g, hsa_queue_t *q, const struct gpu_kernel *k, const struct gpu_launch *l)
{
    hsa_signal_t done;
    hsa_status_t status = hsa_signal_create(1, 0, NULL, &done);
    if (status != HSA_STATUS_SUCCESS)
        return failed(g, "no signal for a launch", status);
    gpu_submit(q, k, l, done);
    bool ok = gpu_wait(g, done, GPU_SECONDS);
    if (ok)
        hsa_signal_destroy(done);
    return ok;
}
