/*
 * abi.h - the ioctl interface of the amdgpu KFD driver, as far as we serve it.
 *
 * Own declarations, because the structures of different runtimes differ in length: a handler sees a
 * zero-extended copy, and no more than the caller's length (_IOC_SIZE) is written back. Source: Linux
 * include/uapi/linux/kfd_ioctl.h, interface version 1.17.
 */
#ifndef SOFT_GPU_KFD_ABI_H
#define SOFT_GPU_KFD_ABI_H

#include <stddef.h>
#include <stdint.h>

#define KFD_IOCTL_TYPE 'K'
#define DRM_IOCTL_TYPE 'd'

enum kfd_nr {
    KFD_GET_VERSION = 0x01,
    KFD_CREATE_QUEUE = 0x02,
    KFD_DESTROY_QUEUE = 0x03,
    KFD_SET_MEMORY_POLICY = 0x04,
    KFD_GET_CLOCK_COUNTERS = 0x05,
    KFD_UPDATE_QUEUE = 0x07,
    KFD_CREATE_EVENT = 0x08,
    KFD_DESTROY_EVENT = 0x09,
    KFD_SET_EVENT = 0x0a,
    KFD_RESET_EVENT = 0x0b,
    KFD_WAIT_EVENTS = 0x0c,
    KFD_SET_SCRATCH_BACKING_VA = 0x11,
    KFD_GET_TILE_CONFIG = 0x12,
    KFD_SET_TRAP_HANDLER = 0x13,
    KFD_GET_PROCESS_APERTURES_NEW = 0x14,
    KFD_ACQUIRE_VM = 0x15,
    KFD_ALLOC_MEMORY = 0x16,
    KFD_FREE_MEMORY = 0x17,
    KFD_MAP_MEMORY = 0x18,
    KFD_UNMAP_MEMORY = 0x19,
    KFD_SET_CU_MASK = 0x1a,
    KFD_GET_DMABUF_INFO = 0x1c,
    KFD_IMPORT_DMABUF = 0x1d,
    KFD_ALLOC_QUEUE_GWS = 0x1e,
    KFD_SVM = 0x20,
    KFD_SET_XNACK_MODE = 0x21,
    KFD_AVAILABLE_MEMORY = 0x23,
    KFD_EXPORT_DMABUF = 0x24,
    KFD_RUNTIME_ENABLE = 0x25,
    KFD_IPC_IMPORT = 0x80, /* this and the next: amdgpu-dkms only, as the thunk knows them */
    KFD_IPC_EXPORT = 0x81,
    KFD_NR_END = 0x90,
};

struct kfd_get_version {
    uint32_t major, minor;
};
_Static_assert(sizeof(struct kfd_get_version) == 8, "");

enum kfd_queue_type {
    KFD_QUEUE_COMPUTE = 0,
    KFD_QUEUE_SDMA = 1,
    KFD_QUEUE_COMPUTE_AQL = 2,
    KFD_QUEUE_SDMA_XGMI = 3,
    KFD_QUEUE_SDMA_BY_ENGINE = 4,
};

struct kfd_create_queue {
    uint64_t ring_base, write_pointer, read_pointer, doorbell_offset;
    uint32_t ring_size, gpu_id, queue_type, percentage, priority, queue_id;
    uint64_t eop_buffer, eop_buffer_size, ctx_save_restore;
    uint32_t ctx_save_restore_size, ctl_stack_size;
    uint32_t sdma_engine_id, pad; /* ROCm 7 */
};
_Static_assert(sizeof(struct kfd_create_queue) == 96, "");
_Static_assert(offsetof(struct kfd_create_queue, sdma_engine_id) == 88, "end of the structure before ROCm 7");

struct kfd_update_queue {
    uint64_t ring_base;
    uint32_t queue_id, ring_size, percentage, priority;
};
_Static_assert(sizeof(struct kfd_update_queue) == 24, "");

struct kfd_set_cu_mask {
    uint32_t queue_id, bits; /* of the mask: a multiple of 32 */
    uint64_t mask;           /* uint32_t [bits / 32] */
};
_Static_assert(sizeof(struct kfd_set_cu_mask) == 16, "");

/* Also destroy_event, set_event, reset_event: one id. */
struct kfd_id {
    uint32_t id, pad;
};
_Static_assert(sizeof(struct kfd_id) == 8, "");

struct kfd_clock_counters {
    uint64_t gpu_clock, cpu_clock, system_clock, system_frequency;
    uint32_t gpu_id, pad;
};
_Static_assert(sizeof(struct kfd_clock_counters) == 40, "");

struct kfd_aperture {
    uint64_t lds_base, lds_limit, scratch_base, scratch_limit, gpuvm_base, gpuvm_limit;
    uint32_t gpu_id, pad;
};
_Static_assert(sizeof(struct kfd_aperture) == 56, "");

struct kfd_get_apertures {
    uint64_t apertures; /* struct kfd_aperture [num_of_nodes] */
    uint32_t num_of_nodes, pad;
};
_Static_assert(sizeof(struct kfd_get_apertures) == 16, "");

enum kfd_event_type {
    KFD_EVENT_SIGNAL = 0,
    KFD_EVENT_HW_EXCEPTION = 3,
    KFD_EVENT_DEBUG = 5,
    KFD_EVENT_MEMORY = 8,
};

struct kfd_create_event {
    uint64_t event_page_offset;
    uint32_t trigger_data, event_type, auto_reset, node_id, event_id, slot_index;
};
_Static_assert(sizeof(struct kfd_create_event) == 32, "");

struct kfd_memory_exception {
    uint32_t not_present, read_only, no_execute, imprecise;
    uint64_t va;
    uint32_t gpu_id, error_type;
};
_Static_assert(sizeof(struct kfd_memory_exception) == 32, "");

struct kfd_event_data {
    union {
        struct kfd_memory_exception memory;
        uint64_t last_event_age; /* signal events; interface 1.14 */
    };
    uint64_t extension;
    uint32_t event_id, pad;
};
_Static_assert(sizeof(struct kfd_event_data) == 48, "");
_Static_assert(offsetof(struct kfd_event_data, event_id) == 40, "");

enum kfd_wait_result {
    KFD_WAIT_COMPLETE = 0,
    KFD_WAIT_TIMEOUT = 1,
    KFD_WAIT_FAIL = 2,
};

struct kfd_wait_events {
    uint64_t events; /* struct kfd_event_data [num_events] */
    uint32_t num_events, wait_for_all, timeout, wait_result;
};
_Static_assert(sizeof(struct kfd_wait_events) == 24, "");

struct kfd_tile_config {
    uint64_t tile_config, macro_tile_config;
    uint32_t num_tile_configs, num_macro_tile_configs, gpu_id, gb_addr_config, num_banks, num_ranks;
};
_Static_assert(sizeof(struct kfd_tile_config) == 40, "");

struct kfd_va_gpu {
    uint64_t va;
    uint32_t gpu_id, pad;
};
_Static_assert(sizeof(struct kfd_va_gpu) == 16, "set_scratch_backing_va");

struct kfd_trap_handler {
    uint64_t tba, tma;
    uint32_t gpu_id, pad;
};
_Static_assert(sizeof(struct kfd_trap_handler) == 24, "");

#define KFD_MEM_VRAM (1u << 0)
#define KFD_MEM_GTT (1u << 1)
#define KFD_MEM_USERPTR (1u << 2)
#define KFD_MEM_DOORBELL (1u << 3)
#define KFD_MEM_MMIO_REMAP (1u << 4)
#define KFD_MEM_UNCACHED (1u << 25)
#define KFD_MEM_COHERENT (1u << 26)
#define KFD_MEM_EXECUTABLE (1u << 30)
#define KFD_MEM_WRITABLE (1u << 31)

struct kfd_alloc_memory {
    uint64_t va, size, handle, mmap_offset;
    uint32_t gpu_id, flags;
};
_Static_assert(sizeof(struct kfd_alloc_memory) == 40, "");

struct kfd_free_memory {
    uint64_t handle;
};

struct kfd_map_memory {
    uint64_t handle, device_ids; /* uint32_t [n_devices] */
    uint32_t n_devices, n_success;
};
_Static_assert(sizeof(struct kfd_map_memory) == 24, "");

struct kfd_queue_gws {
    uint32_t queue_id, num_gws, first_gws, pad;
};

struct kfd_xnack {
    int32_t enabled;
};

struct kfd_available_memory {
    uint64_t available;
    uint32_t gpu_id, pad;
};
_Static_assert(sizeof(struct kfd_available_memory) == 16, "");

struct kfd_ipc_export {
    uint64_t handle;
    uint32_t share_handle[4]; /* out */
    uint32_t gpu_id, flags;   /* the thunk's own allocation flags, for the importer */
};
_Static_assert(sizeof(struct kfd_ipc_export) == 32, "");

struct kfd_ipc_import {
    uint64_t handle; /* out */
    uint64_t va;
    uint64_t mmap_offset; /* out */
    uint32_t share_handle[4];
    uint32_t gpu_id, flags; /* out: flags */
};
_Static_assert(sizeof(struct kfd_ipc_import) == 48, "");

struct kfd_export_dmabuf {
    uint64_t handle;
    uint32_t flags, fd;
};
_Static_assert(sizeof(struct kfd_export_dmabuf) == 16, "");

struct kfd_dmabuf_info {
    uint64_t size, metadata_ptr;
    uint32_t metadata_size, gpu_id, flags; /* out, and size */
    uint32_t dmabuf_fd;
};
_Static_assert(sizeof(struct kfd_dmabuf_info) == 32, "");

struct kfd_import_dmabuf {
    uint64_t va, handle; /* handle: out */
    uint32_t gpu_id, dmabuf_fd;
};
_Static_assert(sizeof(struct kfd_import_dmabuf) == 24, "");

struct kfd_runtime_enable {
    uint64_t r_debug;
    uint32_t mode_mask, capabilities_mask;
};
_Static_assert(sizeof(struct kfd_runtime_enable) == 16, "");

enum kfd_svm_op {
    KFD_SVM_SET_ATTR = 0,
    KFD_SVM_GET_ATTR = 1,
};

enum kfd_svm_attribute_type {
    KFD_SVM_PREFERRED_LOC,
    KFD_SVM_PREFETCH_LOC,
    KFD_SVM_ACCESS,
    KFD_SVM_ACCESS_IN_PLACE,
    KFD_SVM_NO_ACCESS,
    KFD_SVM_SET_FLAGS,
    KFD_SVM_CLR_FLAGS,
    KFD_SVM_GRANULARITY,
};
#define KFD_SVM_FLAG_GPU_ALWAYS_MAPPED 0x40u
#define KFD_SVM_LOCATION_UNDEFINED 0xffffffffu

struct kfd_svm_attribute {
    uint32_t type, value;
};

struct kfd_svm {
    uint64_t start, size;
    uint32_t op, nattr;
    struct kfd_svm_attribute attr[];
};
_Static_assert(sizeof(struct kfd_svm) == 24, "");

#endif
