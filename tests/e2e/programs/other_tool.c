/* Another vendor's tool in the same process, loaded by ROCr as ours is: it makes intercepted queues, counts
 * the kernel dispatches that pass, and hands the packets on. Slots and layouts are those of ROCr 5.2
 * (hsa_api_trace.h). */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <hsa/hsa.h>

typedef void (*slot)(void);
typedef void (*packet_writer)(const void *packets, uint64_t n);
typedef void (*packet_handler)(const void *packets, uint64_t n, uint64_t user, void *data,
                               packet_writer writer);

struct table {
    uint32_t version[4];
    slot slots[];
};
struct tables {
    uint32_t version[4];
    struct table *core, *amd;
};
enum { CORE_QUEUE_CREATE = 7, AMD_INTERCEPT_CREATE = 35, AMD_INTERCEPT_REGISTER = 36 };

static __typeof__(hsa_queue_create) *queue_create;
static hsa_status_t (*intercept_create)(hsa_agent_t, uint32_t, hsa_queue_type32_t,
                                        void (*)(hsa_status_t, hsa_queue_t *, void *), void *, uint32_t,
                                        uint32_t, hsa_queue_t **);
static hsa_status_t (*intercept_register)(hsa_queue_t *, packet_handler, void *);
static unsigned dispatches;

static void on_packets(const void *packets, uint64_t n, uint64_t user, void *data, packet_writer writer)
{
    (void)user, (void)data;
    for (uint64_t i = 0; i < n; i++) {
        uint16_t header = *(const uint16_t *)((const char *)packets + 64 * i);
        if ((header & 0xff) == HSA_PACKET_TYPE_KERNEL_DISPATCH)
            __atomic_fetch_add(&dispatches, 1, __ATOMIC_RELAXED);
    }
    writer(packets, n);
}

static hsa_status_t create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                           void (*error)(hsa_status_t, hsa_queue_t *, void *), void *data,
                           uint32_t private_bytes, uint32_t group_bytes, hsa_queue_t **queue)
{
    hsa_status_t rc = intercept_create(agent, size, type, error, data, private_bytes, group_bytes, queue);
    return rc == HSA_STATUS_SUCCESS ? intercept_register(*queue, on_packets, NULL) : rc;
}

static void tell(void)
{
    fprintf(stderr, "other tool: %u dispatches\n", dispatches);
}

__attribute__((visibility("default"))) bool OnLoad(void *api, uint64_t version, uint64_t failed,
                                                   const char *const *names)
{
    struct tables *t = api;
    (void)version, (void)failed, (void)names;
    queue_create = (__typeof__(queue_create))t->core->slots[CORE_QUEUE_CREATE];
    intercept_create = (__typeof__(intercept_create))t->amd->slots[AMD_INTERCEPT_CREATE];
    intercept_register = (__typeof__(intercept_register))t->amd->slots[AMD_INTERCEPT_REGISTER];
    t->core->slots[CORE_QUEUE_CREATE] = (slot)create;
    atexit(tell);
    return true;
}

__attribute__((visibility("default"))) void OnUnload(void)
{
}
