/*
 * api_tables.h - the HSA API tables as ROCr hands them to a tool, in C.
 *
 * ROCr's own declaration (hsa_api_trace.h) is C++ only and belongs to one version. These mirrors name the
 * slots that we use and assert their offsets; they hold for the tables of ROCr 5.2 to 7.2, and what is known
 * of those after:
 *  - the core table has the same 125 slots in all of them (its major id went from 1 to 2);
 *  - the AMD extension table got two slots (memory_async_copy_on_engine, memory_copy_engine_status) in front
 *    of agents_allow_access with ROCr 5.6, while its major id stayed 1 until 6.0: the layout follows from its
 *    size (51 slots at most before 5.6, 55 at least since). A table's minor_id is its size in bytes: a slot
 *    exists only if it ends within that.
 */
#ifndef HSA_PLUGIN_API_TABLES_H
#define HSA_PLUGIN_API_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ven_amd_loader.h>

/* Declared by ROCr for tools only (hsa_api_trace.h). The packet writer may be called once per callback: ROCr
 * before 6.0 loses count of its interceptors when it is called again. */
typedef void (*ls_packet_writer)(const void *packets, uint64_t n);
typedef void (*ls_packet_handler)(const void *packets, uint64_t n, uint64_t user_index, void *data,
                                  ls_packet_writer writer);
typedef void (*ls_queue_error)(hsa_status_t status, hsa_queue_t *source, void *data);
typedef hsa_status_t (*ls_queue_intercept_create)(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                                  ls_queue_error callback, void *data,
                                                  uint32_t private_segment_size, uint32_t group_segment_size,
                                                  hsa_queue_t **queue);
typedef hsa_status_t (*ls_queue_intercept_register)(hsa_queue_t *queue, ls_packet_handler callback,
                                                    void *data);

typedef void (*ls_slot)(void);

struct ls_table_version {
    uint32_t major_id;
    uint32_t minor_id; /* size of the table in bytes */
    uint32_t step_id;
    uint32_t reserved;
};

struct ls_core_table {
    struct ls_table_version version;
    ls_slot unused0[2];
    __typeof__(hsa_system_get_info) *system_get_info;
    ls_slot unused3[2];
    __typeof__(hsa_iterate_agents) *iterate_agents;
    __typeof__(hsa_agent_get_info) *agent_get_info;
    __typeof__(hsa_queue_create) *queue_create;
    ls_slot unused8;
    __typeof__(hsa_queue_destroy) *queue_destroy;
    ls_slot unused10[11];
    __typeof__(hsa_queue_add_write_index_scacq_screl) *queue_add_write_index_scacq_screl;
    __typeof__(hsa_queue_add_write_index_scacquire) *queue_add_write_index_scacquire;
    __typeof__(hsa_queue_add_write_index_relaxed) *queue_add_write_index_relaxed;
    __typeof__(hsa_queue_add_write_index_screlease) *queue_add_write_index_screlease;
    ls_slot unused25[13];
    __typeof__(hsa_signal_destroy) *signal_destroy;
    ls_slot unused39;
    __typeof__(hsa_signal_load_scacquire) *signal_load_scacquire;
    __typeof__(hsa_signal_store_relaxed) *signal_store_relaxed;
    __typeof__(hsa_signal_store_screlease) *signal_store_screlease;
    ls_slot unused43[24];
    __typeof__(hsa_signal_subtract_screlease) *signal_subtract_screlease;
    ls_slot unused68[16];
    __typeof__(hsa_executable_destroy) *executable_destroy;
    ls_slot unused85;
    __typeof__(hsa_executable_freeze) *executable_freeze;
    ls_slot unused87[6];
    __typeof__(hsa_executable_symbol_get_info) *executable_symbol_get_info;
    ls_slot unused94[4];
    __typeof__(hsa_system_get_major_extension_table) *system_get_major_extension_table;
    ls_slot unused99[10];
    __typeof__(hsa_isa_get_info_alt) *isa_get_info_alt;
    ls_slot unused110[10];
    __typeof__(hsa_executable_load_agent_code_object) *executable_load_agent_code_object;
    ls_slot unused121;
    __typeof__(hsa_executable_get_symbol_by_name) *executable_get_symbol_by_name;
    __typeof__(hsa_executable_iterate_agent_symbols) *executable_iterate_agent_symbols;
    ls_slot unused124;
};

/* The extension table up to the slot where the two layouts part. */
struct ls_amd_table {
    struct ls_table_version version;
    ls_slot unused0[2];
    __typeof__(hsa_amd_profiling_set_profiler_enabled) *profiling_set_profiler_enabled;
    __typeof__(hsa_amd_profiling_async_copy_enable) *profiling_async_copy_enable;
    __typeof__(hsa_amd_profiling_get_dispatch_time) *profiling_get_dispatch_time;
    __typeof__(hsa_amd_profiling_get_async_copy_time) *profiling_get_async_copy_time;
    ls_slot unused6;
    __typeof__(hsa_amd_signal_async_handler) *signal_async_handler;
    ls_slot unused8[2];
    __typeof__(hsa_amd_queue_cu_set_mask) *queue_cu_set_mask;
    __typeof__(hsa_amd_memory_pool_get_info) *memory_pool_get_info;
    __typeof__(hsa_amd_agent_iterate_memory_pools) *agent_iterate_memory_pools;
    __typeof__(hsa_amd_memory_pool_allocate) *memory_pool_allocate;
    __typeof__(hsa_amd_memory_pool_free) *memory_pool_free;
    __typeof__(hsa_amd_memory_async_copy) *memory_async_copy;
};

/* The rest of it, counted from agents_allow_access's predecessor: the same in both layouts. */
struct ls_amd_tail {
    __typeof__(hsa_amd_agent_memory_pool_get_info) *agent_memory_pool_get_info;
    __typeof__(hsa_amd_agents_allow_access) *agents_allow_access;
    ls_slot unused18[13];
    __typeof__(hsa_amd_signal_create) *signal_create;
    ls_slot unused32[3];
    ls_queue_intercept_create queue_intercept_create;
    ls_queue_intercept_register queue_intercept_register;
    __typeof__(hsa_amd_queue_set_priority) *queue_set_priority;
    __typeof__(hsa_amd_memory_async_copy_rect) *memory_async_copy_rect;
};

/* Functions that are newer than the oldest headers that we build with. */

/* Since ROCr 5.6, slot 16: memory_async_copy with the number of an SDMA engine. */
typedef hsa_status_t (*ls_copy_on_engine)(void *to, hsa_agent_t to_agent, const void *from,
                                          hsa_agent_t from_agent, size_t bytes, uint32_t n_waits,
                                          const hsa_signal_t *waits, hsa_signal_t done, uint32_t engine,
                                          bool force_blit);

/* What hsa_amd_queue_create (ROCr 10; HIP 10 makes its queues with it) is told of each queue; version 1. */
struct ls_queue_description {
    uint16_t version, flags; /* flags: where ring and queue structure lie */
    uint8_t engine;          /* 0: compute */
    uint8_t reserved0[3];
    uint32_t bytes; /* of the ring */
    hsa_amd_queue_priority_t priority;
    ls_queue_error callback;
    void *data;
    hsa_queue_t *queue; /* out */
    const uint32_t *cu_mask;
    hsa_queue_type32_t type;
    uint32_t private_segment_size;
    uint32_t cu_mask_bits;
    uint32_t reserved1[3];
    uint32_t traffic_class;
    uint8_t reserved2[20];
};
_Static_assert(offsetof(struct ls_queue_description, queue) == 32 &&
                   offsetof(struct ls_queue_description, traffic_class) == 72 &&
                   sizeof(struct ls_queue_description) == 96,
               "hsa_amd_queue_create_desc_t");
typedef hsa_status_t (*ls_amd_queue_create)(hsa_agent_t agent, struct ls_queue_description *queues,
                                            uint32_t n);
/* Before hsa_amd_queue_create, slot 76: hsa_amd_counted_queue_acquire. */
typedef hsa_status_t (*ls_counted_queue_acquire)(hsa_agent_t agent, hsa_queue_type_t type,
                                                 hsa_amd_queue_priority_t priority, ls_queue_error callback,
                                                 void *data, uint64_t flags, hsa_queue_t **queue);
#define LS_COUNTED_QUEUE_ACQUIRE 76u
/* A table from this step on has it; snapshots before put other functions there. */
#define LS_AMD_QUEUE_CREATE 86u
#define LS_AMD_QUEUE_CREATE_STEP 0x10u
#define LS_COPY_ON_ENGINE 16u
/* hsa_amd_memory_async_batch_copy, from this step of the table on (offset 640; ROCr after 7.2). */
#define LS_BATCH_COPY 78u
#define LS_BATCH_COPY_STEP 0xau

/* An operation of a batch (hsa_amd_memory_copy_op_t of ROCr's hsa_ext_amd.h). Without entries the fields hold
 * one copy; with them source, destination, destination's agent and size are lists, the source's agent is
 * not; a broadcast lists only destinations and their agents. */
enum ls_copy_op_type {
    LS_COPY_LINEAR,
    LS_COPY_BROADCAST,
    LS_COPY_SWAP,
    LS_COPY_INDIRECT_SOURCE,
    LS_COPY_INDIRECT_DESTINATION,
    LS_COPY_INDIRECT_BOTH,
    LS_COPY_OP_TYPES,
};
struct ls_copy_op {
    uint16_t version, type, n_entries, traffic_class;
    hsa_signal_t done;
    const void *from;
    hsa_agent_t from_agent;
    union {
        hsa_agent_t to_agent;
        const hsa_agent_t *to_agents;
    };
    const void *to;
    union {
        size_t bytes;
        const size_t *list_bytes;
    };
    size_t second_bytes;
    uint64_t conditions[8]; /* what it waits for and signals beside the completion signal */
};
_Static_assert(offsetof(struct ls_copy_op, done) == 8 && offsetof(struct ls_copy_op, from_agent) == 24 &&
                   offsetof(struct ls_copy_op, to_agent) == 32 && offsetof(struct ls_copy_op, bytes) == 48 &&
                   offsetof(struct ls_copy_op, conditions) == 64 && sizeof(struct ls_copy_op) == 128,
               "operation of a batch of copies");
typedef hsa_status_t (*ls_batch_copy)(const struct ls_copy_op *ops, uint32_t n_ops, uint32_t n_waits,
                                      const hsa_signal_t *waits);

struct ls_api_tables {
    struct ls_table_version version;
    struct ls_core_table *core;
    struct ls_amd_table *amd;
};

#define LS_SLOT(n) (sizeof(struct ls_table_version) + (n) * sizeof(ls_slot))
#define LS_AT(table, member, n)                                                                              \
    _Static_assert(offsetof(struct table, member) == LS_SLOT(n), #table " " #member)
LS_AT(ls_core_table, system_get_info, 2);
LS_AT(ls_core_table, iterate_agents, 5);
LS_AT(ls_core_table, queue_create, 7);
LS_AT(ls_core_table, queue_destroy, 9);
LS_AT(ls_core_table, queue_add_write_index_scacq_screl, 21);
LS_AT(ls_core_table, queue_add_write_index_screlease, 24);
LS_AT(ls_core_table, signal_destroy, 38);
LS_AT(ls_core_table, signal_load_scacquire, 40);
LS_AT(ls_core_table, signal_store_relaxed, 41);
LS_AT(ls_core_table, signal_store_screlease, 42);
LS_AT(ls_core_table, signal_subtract_screlease, 67);
LS_AT(ls_core_table, executable_destroy, 84);
LS_AT(ls_core_table, executable_freeze, 86);
LS_AT(ls_core_table, executable_symbol_get_info, 93);
LS_AT(ls_core_table, system_get_major_extension_table, 98);
LS_AT(ls_core_table, isa_get_info_alt, 109);
LS_AT(ls_core_table, executable_load_agent_code_object, 120);
LS_AT(ls_core_table, executable_get_symbol_by_name, 122);
LS_AT(ls_core_table, executable_iterate_agent_symbols, 123);
_Static_assert(sizeof(struct ls_core_table) == LS_SLOT(125), "core table");
LS_AT(ls_amd_table, profiling_set_profiler_enabled, 2);
LS_AT(ls_amd_table, profiling_async_copy_enable, 3);
LS_AT(ls_amd_table, profiling_get_dispatch_time, 4);
LS_AT(ls_amd_table, profiling_get_async_copy_time, 5);
LS_AT(ls_amd_table, signal_async_handler, 7);
LS_AT(ls_amd_table, queue_cu_set_mask, 10);
LS_AT(ls_amd_table, memory_pool_get_info, 11);
LS_AT(ls_amd_table, memory_pool_free, 14);
LS_AT(ls_amd_table, memory_async_copy, 15);
_Static_assert(sizeof(struct ls_amd_table) == LS_SLOT(16), "extension table");
/* Before ROCr 5.6 the tail starts at slot 16, since then at slot 18. */
#define LS_AMD_TAIL_OLD 16u
#define LS_AMD_TAIL_NEW 18u
#define LS_AMD_SLOTS_OLD_MAX 51u
#define LS_AMD_SLOTS_NEW_MIN 55u
/* hsa_amd_queue_cu_get_mask: the last slot of ROCr 5.2's table, behind three more in those until 5.5, which have 51. */
#define LS_AMD_SLOTS_FIRST 48u
#define LS_GET_MASK_FIRST 47u
#define LS_GET_MASK_OLD 50u
#define LS_GET_MASK_NEW 52u
#define LS_TAIL_AT(member, old)                                                                              \
    _Static_assert(offsetof(struct ls_amd_tail, member) == ((old) - LS_AMD_TAIL_OLD) * sizeof(ls_slot),      \
                   #member)
LS_TAIL_AT(agents_allow_access, 17);
LS_TAIL_AT(signal_create, 31);
LS_TAIL_AT(queue_intercept_create, 35);
LS_TAIL_AT(queue_intercept_register, 36);
LS_TAIL_AT(queue_set_priority, 37);
LS_TAIL_AT(memory_async_copy_rect, 38);

/* ROCr's functions as they were when we came (maybe another tool's wrappers: the chain is kept). */
struct ls_api {
    struct ls_core_table core;
    struct ls_amd_table amd;
    struct ls_amd_tail amd_tail;
    ls_copy_on_engine copy_on_engine;                         /* or NULL */
    ls_amd_queue_create amd_queue_create;                     /* or NULL */
    ls_counted_queue_acquire counted_queue_acquire;           /* or NULL */
    ls_batch_copy batch_copy;                                 /* or NULL */
    __typeof__(hsa_amd_queue_cu_get_mask) *queue_cu_get_mask; /* or NULL */
    hsa_ven_amd_loader_1_01_pfn_t loader;                     /* zero until ls_api_loader succeeded */
};

/* Checks versions and sizes of *live and copies what we use to *api. false with *why (static text) if the
 * tables are not of a kind that we know. */
bool ls_api_copy(struct ls_api *api, const struct ls_api_tables *live, const char **why);
/* Where in live tables, which ls_api_copy has accepted, the parts lie that differ between versions. */
struct ls_amd_tail *ls_api_live_tail(struct ls_amd_table *amd);
ls_copy_on_engine *ls_api_live_copy_on_engine(struct ls_amd_table *amd);               /* NULL: not there */
ls_amd_queue_create *ls_api_live_amd_queue_create(struct ls_amd_table *amd);           /* NULL: not there */
ls_counted_queue_acquire *ls_api_live_counted_queue_acquire(struct ls_amd_table *amd); /* NULL: not there */
ls_batch_copy *ls_api_live_batch_copy(struct ls_amd_table *amd);                       /* NULL: not there */
/* Fetches the AMD loader extension through api->core. */
bool ls_api_loader(struct ls_api *api);

#endif
