#include "rocr.h"

#include <fcntl.h>
#include <unistd.h>

static hsa_status_t on_pool(hsa_amd_memory_pool_t pool, void *arg)
{
    struct rocr *r = arg;
    hsa_amd_segment_t segment;
    uint32_t flags;
    bool alloc;
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &alloc));
    if (segment != HSA_AMD_SEGMENT_GLOBAL || !alloc)
        return HSA_STATUS_SUCCESS;
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
        r->kernarg = pool;
    else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
        r->host = pool;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t on_gpu_pool(hsa_amd_memory_pool_t pool, void *arg)
{
    struct rocr *r = arg;
    uint32_t flags = 0;
    hsa_amd_segment_t segment;
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
    if (segment == HSA_AMD_SEGMENT_GLOBAL)
        HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED)
        r->vram = pool;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t on_agent(hsa_agent_t agent, void *arg)
{
    struct rocr *r = arg;
    hsa_device_type_t type;
    HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type == HSA_DEVICE_TYPE_CPU) {
        r->cpu = agent;
        HSA(hsa_amd_agent_iterate_memory_pools(agent, on_pool, r));
    } else if (r->gpus++ == 0) {
        r->gpu = agent;
        HSA(hsa_amd_agent_iterate_memory_pools(agent, on_gpu_pool, r));
    }
    return HSA_STATUS_SUCCESS;
}

void rocr_open(struct rocr *r)
{
    memset(r, 0, sizeof *r);
    HSA(hsa_init());
    HSA(hsa_iterate_agents(on_agent, r));
    CHECK(r->gpus && r->cpu.handle && r->vram.handle && r->host.handle && r->kernarg.handle);
}

void *rocr_alloc(struct rocr *r, hsa_amd_memory_pool_t pool, size_t size)
{
    void *p;
    hsa_agent_t both[2] = {r->cpu, r->gpu};
    HSA(hsa_amd_memory_pool_allocate(pool, size, 0, &p));
    HSA(hsa_amd_agents_allow_access(2, both, NULL, p));
    return p;
}

hsa_signal_t rocr_signal(int64_t value)
{
    hsa_signal_t s;
    HSA(hsa_signal_create(value, 0, NULL, &s));
    return s;
}

bool rocr_wait(hsa_signal_t s)
{
    uint64_t frequency;
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
    return hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_EQ, 0, 10 * frequency, HSA_WAIT_STATE_BLOCKED) ==
           0;
}

hsa_queue_t *rocr_queue(struct rocr *r, void (*error)(hsa_status_t, hsa_queue_t *, void *), void *data)
{
    hsa_queue_t *q;
    HSA(hsa_queue_create(r->gpu, 1024, HSA_QUEUE_TYPE_MULTI, error, data, UINT32_MAX, UINT32_MAX, &q));
    return q;
}

void rocr_submit(hsa_queue_t *q, const void *packet)
{
    uint64_t index = hsa_queue_add_write_index_screlease(q, 1);
    while (index - hsa_queue_load_read_index_scacquire(q) >= q->size)
        ;
    uint8_t *slot = (uint8_t *)q->base_address + index % q->size * 64;
    uint32_t header;
    memcpy(&header, packet, 4);
    memcpy(slot + 4, (const uint8_t *)packet + 4, 60);
    __atomic_store_n((uint32_t *)(void *)slot, header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(q->doorbell_signal, (hsa_signal_value_t)index);
}

void rocr_copy(struct rocr *r, void *dst, const void *src, size_t size)
{
    hsa_signal_t done = rocr_signal(1);
    HSA(hsa_amd_memory_async_copy(dst, r->gpu, src, r->gpu, size, 0, NULL, done));
    CHECK(rocr_wait(done));
    HSA(hsa_signal_destroy(done));
}

struct rocr_kernel rocr_kernel(struct rocr *r, const char *file, const char *name)
{
    struct rocr_kernel k;
    hsa_code_object_reader_t reader;
    hsa_executable_symbol_t symbol;
    char full[128];
    int fd = open(file, O_RDONLY);
    CHECK(fd >= 0);
    HSA(hsa_code_object_reader_create_from_file(fd, &reader));
    HSA(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                  &k.executable));
    HSA(hsa_executable_load_agent_code_object(k.executable, r->gpu, reader, NULL, NULL));
    HSA(hsa_executable_freeze(k.executable, NULL));
    snprintf(full, sizeof full, "%s.kd", name);
    HSA(hsa_executable_get_symbol_by_name(k.executable, full, &r->gpu, &symbol));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &k.object));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                       &k.private_bytes));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                       &k.group_bytes));
    close(fd);
    return k;
}

void rocr_launch(hsa_queue_t *q, const struct rocr_kernel *k, unsigned groups, void *kernarg,
                 hsa_signal_t done)
{
    hsa_kernel_dispatch_packet_t p = {
        .header = HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << HSA_PACKET_HEADER_BARRIER |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
        .setup = 1,
        .workgroup_size_x = 64,
        .workgroup_size_y = 1,
        .workgroup_size_z = 1,
        .grid_size_x = 64 * groups,
        .grid_size_y = 1,
        .grid_size_z = 1,
        .private_segment_size = k->private_bytes,
        .group_segment_size = k->group_bytes,
        .kernel_object = k->object,
        .kernarg_address = kernarg,
        .completion_signal = done,
    };
    rocr_submit(q, &p);
}
