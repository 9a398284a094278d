/*
 * ioctl.c - the KFD ioctls by number, and those that need no more than a few lines.
 *
 * The request's number alone decides: sizes differ between runtimes, and SVM puts the attribute count there.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "ioctl.h"
#include "soft-gpu/kfd/memory/memory.h"
#include "soft-gpu/kfd/queues/queue.h"

/* 15 is the lowest that ROCm 7's managed memory accepts; every runtime since 5.2 accepts it. */
#define INTERFACE_MAJOR 1u
#define INTERFACE_MINOR 15u

static int get_version(struct driver *d, void *arg)
{
    (void)d;
    *(struct kfd_get_version *)arg = (struct kfd_get_version){INTERFACE_MAJOR, INTERFACE_MINOR};
    return 0;
}

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static int get_clock_counters(struct driver *d, void *arg)
{
    struct kfd_clock_counters *a = arg;
    (void)d;
    a->gpu_clock = sg_ticks();
    a->cpu_clock = nanoseconds(CLOCK_MONOTONIC_RAW);
    a->system_clock = nanoseconds(CLOCK_BOOTTIME);
    a->system_frequency = 1000000000;
    return 0;
}

static int get_apertures(struct driver *d, void *arg)
{
    struct kfd_get_apertures *a = arg;
    struct kfd_aperture *out = (struct kfd_aperture *)(uintptr_t)a->apertures;
    if (a->num_of_nodes == 0) {
        a->num_of_nodes = d->gpus; /* the caller asks how many */
        return 0;
    }
    uint32_t n = a->num_of_nodes < d->gpus ? a->num_of_nodes : d->gpus;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (struct kfd_aperture){
            .lds_base = 1ull << 48,
            .lds_limit = (1ull << 48) | 0xffffffff,
            .scratch_base = 2ull << 48,
            .scratch_limit = (2ull << 48) | 0xffffffff,
            .gpuvm_base = 1ull << 20,
            .gpuvm_limit = (1ull << 47) - 1, /* as much as the host has: GPU addresses are host addresses */
            .gpu_id = gpu_id_of(i),
        };
    }
    a->num_of_nodes = n;
    return 0;
}

static int create_event(struct driver *d, void *arg)
{
    struct kfd_create_event *a = arg;
    int err = events_add(d->events, a->event_type, a->auto_reset != 0, &a->event_id);
    if (err)
        return err;
    a->trigger_data = a->event_id;
    a->slot_index = a->event_id < SIGNAL_EVENTS_MAX ? a->event_id : 0;
    /* Not zero for signal events: the runtime then computes the mailbox in the page that it allocated. */
    a->event_page_offset = a->event_id < SIGNAL_EVENTS_MAX ? 1 : 0;
    return 0;
}

static int destroy_event(struct driver *d, void *arg)
{
    return events_remove(d->events, ((struct kfd_id *)arg)->id);
}

/* The host stored a signal: a queue may have waited for it. */
static int set_event(struct driver *d, void *arg)
{
    int err = events_set(d->events, ((struct kfd_id *)arg)->id);
    for (unsigned i = 0; i < d->gpus; i++) {
        struct sg_cp *cp = __atomic_load_n(&d->gpu[i].cp, __ATOMIC_ACQUIRE);
        if (cp)
            sg_cp_kick(cp);
    }
    return err;
}

static int reset_event(struct driver *d, void *arg)
{
    return events_reset(d->events, ((struct kfd_id *)arg)->id);
}

static int wait_events(struct driver *d, void *arg)
{
    struct kfd_wait_events *a = arg;
    return events_wait(d->events, (struct kfd_event_data *)(uintptr_t)a->events, a->num_events,
                       a->wait_for_all != 0, a->timeout, &a->wait_result);
}

static int get_tile_config(struct driver *d, void *arg)
{
    struct kfd_tile_config *a = arg;
    a->num_tile_configs = a->num_macro_tile_configs = 0;
    a->gb_addr_config = d->config->arch->card->gb_addr_config; /* read by the image library only */
    a->num_banks = a->num_ranks = 0;
    return 0;
}

static int set_xnack(struct driver *d, void *arg)
{
    struct kfd_xnack *a = arg;
    (void)d;
    if (a->enabled > 0)
        return -EPERM; /* no retry faults: the agent is xnack- */
    a->enabled = 0;
    return 0;
}

static int alloc_gws(struct driver *d, void *arg)
{
    (void)d;
    ((struct kfd_queue_gws *)arg)->first_gws = 0;
    return 0;
}

static int runtime_enable(struct driver *d, void *arg)
{
    (void)d;
    ((struct kfd_runtime_enable *)arg)->capabilities_mask = 0;
    return 0;
}

/* Settings without a meaning for one address space, coherent memory and a trap handler that never runs. */
static int accept(struct driver *d, void *arg)
{
    (void)d;
    (void)arg;
    return 0;
}

#define ARG_MAX 128

static const struct {
    uint32_t size;
    int (*run)(struct driver *d, void *arg);
} table[KFD_NR_END] = {
    [KFD_GET_VERSION] = {sizeof(struct kfd_get_version), get_version},
    [KFD_CREATE_QUEUE] = {sizeof(struct kfd_create_queue), kfd_create_queue},
    [KFD_DESTROY_QUEUE] = {sizeof(struct kfd_id), kfd_destroy_queue},
    [KFD_SET_MEMORY_POLICY] = {0, accept},
    [KFD_GET_CLOCK_COUNTERS] = {sizeof(struct kfd_clock_counters), get_clock_counters},
    [KFD_UPDATE_QUEUE] = {sizeof(struct kfd_update_queue), kfd_update_queue},
    [KFD_CREATE_EVENT] = {sizeof(struct kfd_create_event), create_event},
    [KFD_DESTROY_EVENT] = {sizeof(struct kfd_id), destroy_event},
    [KFD_SET_EVENT] = {sizeof(struct kfd_id), set_event},
    [KFD_RESET_EVENT] = {sizeof(struct kfd_id), reset_event},
    [KFD_WAIT_EVENTS] = {sizeof(struct kfd_wait_events), wait_events},
    [KFD_SET_SCRATCH_BACKING_VA] = {0, accept},
    [KFD_GET_TILE_CONFIG] = {sizeof(struct kfd_tile_config), get_tile_config},
    [KFD_SET_TRAP_HANDLER] = {0, accept},
    [KFD_GET_PROCESS_APERTURES_NEW] = {sizeof(struct kfd_get_apertures), get_apertures},
    [KFD_ACQUIRE_VM] = {0, accept},
    [KFD_ALLOC_MEMORY] = {sizeof(struct kfd_alloc_memory), kfd_alloc_memory},
    [KFD_FREE_MEMORY] = {sizeof(struct kfd_free_memory), kfd_free_memory},
    [KFD_MAP_MEMORY] = {sizeof(struct kfd_map_memory), kfd_map_memory},
    [KFD_UNMAP_MEMORY] = {sizeof(struct kfd_map_memory), kfd_unmap_memory},
    [KFD_SET_CU_MASK] = {sizeof(struct kfd_set_cu_mask), kfd_set_cu_mask},
    [KFD_ALLOC_QUEUE_GWS] = {sizeof(struct kfd_queue_gws), alloc_gws},
    [KFD_SET_XNACK_MODE] = {sizeof(struct kfd_xnack), set_xnack},
    [KFD_AVAILABLE_MEMORY] = {sizeof(struct kfd_available_memory), kfd_available_memory},
    [KFD_GET_DMABUF_INFO] = {sizeof(struct kfd_dmabuf_info), kfd_dmabuf_info},
    [KFD_IMPORT_DMABUF] = {sizeof(struct kfd_import_dmabuf), kfd_import_dmabuf},
    [KFD_EXPORT_DMABUF] = {sizeof(struct kfd_export_dmabuf), kfd_export_dmabuf},
    [KFD_RUNTIME_ENABLE] = {sizeof(struct kfd_runtime_enable), runtime_enable},
    [KFD_IPC_IMPORT] = {sizeof(struct kfd_ipc_import), kfd_ipc_import},
    [KFD_IPC_EXPORT] = {sizeof(struct kfd_ipc_export), kfd_ipc_export},
};

int kfd_ioctl(unsigned long request, void *arg)
{
    struct driver *d = driver_get();
    unsigned nr = _IOC_NR(request);
    size_t given = _IOC_SIZE(request);
    _Alignas(8) uint8_t copy[ARG_MAX] = {0};
    if (!d)
        return -ENODEV;
    if (nr == KFD_SVM)
        return kfd_svm(d, arg, given);
    if (nr >= KFD_NR_END || !table[nr].run)
        return -EINVAL; /* as the kernel answers what it does not support */
    size_t n = given < table[nr].size ? given : table[nr].size;
    memcpy(copy, arg, n);
    int err = table[nr].run(d, copy);
    if (_IOC_DIR(request) & _IOC_READ)
        memcpy(arg, copy, n);
    return err;
}
