/* agent.c - see agent.h. */
#include "agent.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/hsa_link.h"
#include "gpus/gpus.h"
#include "hsa-plugin/log.h"

enum { KERNARG_STEP = 512, MASK_WORDS = 32 };
/* Wave records of all dispatches in flight. A program may have thousands of dispatches in flight; then it
 * waits for the first ones to complete, instead of for the device's memory to run out. */
static const uint64_t waves_least = 512ull << 20;
enum { WAVES_SHARE = 6 }; /* the part of the device's memory that they may have, if it is more */
/* A summary takes a KiB per site, another one with evidence. */
enum { SUMMARY_SITES_MAX = 1 << 16 };
_Static_assert((SUMMARY_SITES_MAX + 1ull) * sizeof(struct ls_evidence) <= UINT32_MAX,
               "probes have offsets of 32 bits");
enum { BUSY_NAP_NS = 50000, BUSY_NAPS = 100000 };

static struct ls_agent *agents;
static size_t n_agents;
/* Fine-grained memory for kernel arguments of each CPU that has such. */
static struct host_pool {
    hsa_agent_t cpu;
    hsa_amd_memory_pool_t pool;
} *host_pools;
static size_t n_host_pools;

struct pool_search {
    const struct ls_api *api;
    bool host, found;
    hsa_amd_memory_pool_t pool;
};

static hsa_status_t look_at_pool(hsa_amd_memory_pool_t pool, void *data)
{
    struct pool_search *s = data;
    hsa_amd_segment_t segment;
    uint32_t flags = 0;
    bool alloc = false;
    __typeof__(hsa_amd_memory_pool_get_info) *info = s->api->amd.memory_pool_get_info;
    if (info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment) != HSA_STATUS_SUCCESS ||
        segment != HSA_AMD_SEGMENT_GLOBAL ||
        info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &alloc) != HSA_STATUS_SUCCESS || !alloc ||
        info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags) != HSA_STATUS_SUCCESS)
        return HSA_STATUS_SUCCESS;
    uint32_t wanted =
        s->host ? HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT | HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED
                : HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
    if ((flags & wanted) != wanted)
        return HSA_STATUS_SUCCESS;
    s->pool = pool;
    s->found = true;
    return HSA_STATUS_INFO_BREAK;
}

/* The agent's name is "gfx90a"; the ISA's adds the features that the disassembler needs. */
static void read_names(const struct ls_api *api, struct ls_agent *a)
{
    hsa_agent_info_t product = (hsa_agent_info_t)HSA_AMD_AGENT_INFO_PRODUCT_NAME;
    uint32_t length = 0;
    hsa_isa_t isa;
    api->core.agent_get_info(a->hsa, HSA_AGENT_INFO_NAME, a->arch);
    api->core.agent_get_info(a->hsa, product, a->name);
    if (api->core.agent_get_info(a->hsa, HSA_AGENT_INFO_ISA, &isa) != HSA_STATUS_SUCCESS ||
        api->core.isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length) != HSA_STATUS_SUCCESS ||
        length >= sizeof a->isa ||
        api->core.isa_get_info_alt(isa, HSA_ISA_INFO_NAME, a->isa) != HSA_STATUS_SUCCESS)
        a->isa[0] = 0;
    /* Features (":sramecc+:xnack-") do not change what instructions mean; comgr 2.4 misreads them. */
    a->isa[strcspn(a->isa, ":")] = 0;
}

uint64_t ls_agent_waves_limit(uint64_t memory)
{
    return memory / WAVES_SHARE > waves_least ? memory / WAVES_SHARE : waves_least;
}

static void add_gpu(const struct ls_api *api, hsa_agent_t hsa)
{
    struct ls_agent *a = &agents[n_agents];
    struct pool_search s = {.api = api};
    api->amd.agent_iterate_memory_pools(hsa, look_at_pool, &s);
    if (!s.found) {
        ls_log(LS_LOG_WARNING, "a GPU without allocatable memory is left out");
        return;
    }
    a->hsa = hsa;
    ls_arena_init(&a->device, s.pool, hsa, false);
    read_names(api, a);
    a->dies = ls_gpu_counts_by_die(ls_gpu_family_of(a->arch)) ? LS_DIES : 1;
    api->core.agent_get_info(hsa, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &a->compute_units);
    api->core.agent_get_info(hsa, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU, &a->waves_per_cu);
    api->core.agent_get_info(hsa, HSA_AGENT_INFO_WAVEFRONT_SIZE, &a->lanes);
    size_t bytes = 0;
    api->amd.memory_pool_get_info(s.pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &bytes);
    a->waves_limit = ls_agent_waves_limit(bytes);
    pthread_mutex_init(&a->lock, NULL);
    pthread_mutex_init(&a->slab_lock, NULL);
    n_agents++;
}

static hsa_status_t look_at_agent(hsa_agent_t hsa, void *data)
{
    const struct ls_api *api = data;
    hsa_device_type_t type;
    if (api->core.agent_get_info(hsa, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS)
        return HSA_STATUS_SUCCESS;
    if (type == HSA_DEVICE_TYPE_GPU)
        add_gpu(api, hsa);
    if (type == HSA_DEVICE_TYPE_CPU) {
        struct pool_search s = {.api = api, .host = true};
        api->amd.agent_iterate_memory_pools(hsa, look_at_pool, &s);
        if (s.found) {
            host_pools[n_host_pools].cpu = hsa;
            host_pools[n_host_pools++].pool = s.pool;
        }
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t count_agent(hsa_agent_t hsa, void *data)
{
    (void)hsa;
    ++*(size_t *)data;
    return HSA_STATUS_SUCCESS;
}

/* Memory of the GPU's own socket: each chunk and each poll would cross to the other one, else. */
static size_t nearest_host_pool(const struct ls_api *api, hsa_agent_t gpu)
{
    enum { NEAREST_CPU = 0xA113 }; /* HSA_AMD_AGENT_INFO_NEAREST_CPU, since ROCr 5.7 (hsa_ext_amd.h) */
    hsa_agent_t cpu = {0};
    if (api->core.agent_get_info(gpu, (hsa_agent_info_t)NEAREST_CPU, &cpu) == HSA_STATUS_SUCCESS)
        for (size_t i = 0; i < n_host_pools; i++)
            if (host_pools[i].cpu.handle == cpu.handle)
                return i;
    return 0;
}

int ls_agents_find(const struct ls_api *api, const char **why)
{
    if (agents)
        return 0;
    size_t all = 0; /* of both kinds; there are always some, as the host is one */
    api->core.iterate_agents(count_agent, &all);
    agents = calloc(all, sizeof *agents);
    host_pools = calloc(all, sizeof *host_pools);
    if (!agents || !host_pools) {
        free(agents);
        free(host_pools);
        agents = NULL;
        host_pools = NULL;
        *why = "out of memory";
        return -1;
    }
    api->core.iterate_agents(look_at_agent, (void *)(uintptr_t)api);
    if (n_agents && !n_host_pools) {
        *why = "the runtime has no fine-grained host memory for kernel arguments";
        return -1;
    }
    for (size_t i = 0; i < n_agents; i++) {
        struct ls_agent *a = &agents[i];
        const size_t nearest = nearest_host_pool(api, a->hsa);
        ls_arena_init(&a->host, host_pools[nearest].pool, a->hsa, true);
        ls_copier_init(&a->copier, a->hsa, host_pools[nearest].cpu, &a->host, &a->device);
    }
    return 0;
}

struct ls_agent *ls_agent_of(hsa_agent_t hsa)
{
    for (size_t i = 0; i < n_agents; i++)
        if (agents[i].hsa.handle == hsa.handle)
            return &agents[i];
    return NULL;
}

size_t ls_agents(struct ls_agent **list)
{
    *list = agents;
    return n_agents;
}

uint64_t ls_agents_damaged(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n_agents; i++)
        sum += __atomic_load_n(&agents[i].ring.damaged, __ATOMIC_RELAXED);
    return sum;
}

/* Holding needs more chunks than wavefronts that can hold one; twice as many keep the host out of the way. */
static uint32_t chunks_to_hold(const struct ls_agent *a)
{
    return 2 * a->compute_units * a->waves_per_cu;
}

/* Tickets and entries are read-modify-writes in memory of the host. */
static const char *unusable_link(const struct ls_link *link)
{
    if (link->atomics_32 && link->atomics_64)
        return NULL;
    return "the link between GPU and host has no atomic operations (in a virtual machine, pass PCIe atomics "
           "through)";
}

static const char *make_ring(const struct ls_api *api, struct ls_agent *a, const struct ls_config *c)
{
    enum { DEFAULT_CHUNKS = 8192 };
    struct ls_link link;
    /* Where no link is told of, GPU and host may share a memory that the L2 keeps. */
    const bool write_back =
        !ls_link_of(api->amd_tail.agent_memory_pool_get_info, a->hsa, a->host.pool, &link) ||
        c->ring_write_back;
    const char *unusable = unusable_link(&link);
    if (unusable)
        return unusable;
    uint32_t hold = chunks_to_hold(a);
    uint64_t n = c->ring_bytes >> c->chunk_shift;
    if (!c->ring_bytes)
        n = hold > DEFAULT_CHUNKS ? hold : DEFAULT_CHUNKS;
    if (n < 1)
        n = 1;
    if (n > 1ull << 32 >> c->chunk_shift) /* entries of the done list tell no more apart */
        n = 1ull << 32 >> c->chunk_shift;
    a->ring_memory = ls_arena_get(api, &a->host, ls_ring_bytes((uint32_t)n, c->chunk_shift));
    if (!a->ring_memory)
        return "out of memory: no room for the ring (a smaller --ring-size may help)";
    if (ls_ring_init(&a->ring, a->ring_memory, (uint32_t)n, c->chunk_shift) != 0) {
        ls_arena_put(api, &a->host, a->ring_memory);
        a->ring_memory = NULL;
        return "out of memory: no room for the ring's bookkeeping";
    }
    a->ctx_flags = (hold && n >= hold ? LS_CTX_HOLD : 0u) | (c->drop_on_full ? LS_CTX_DROP : 0u) |
                   (write_back ? LS_CTX_WRITE_BACK : 0u);
    ls_log(LS_LOG_DEBUG, "%s: ring of %u chunks of %u bytes%s", a->arch, (unsigned)n, 1u << c->chunk_shift,
           a->ctx_flags & LS_CTX_HOLD ? ", wavefronts hold theirs" : "");
    return NULL;
}

const char *ls_agent_ring(const struct ls_api *api, struct ls_agent *a, const struct ls_config *c)
{
    pthread_mutex_lock(&a->lock);
    if (!a->ring_tried) {
        a->ring_failed = make_ring(api, a, c);
        a->ring_tried = true;
    }
    const char *failed = a->ring_failed;
    pthread_mutex_unlock(&a->lock);
    return failed;
}

/* Under lock. The array is made at full length once, so that the drainer reads it without a lock. */
static struct ls_slot *new_slot(const struct ls_api *api, struct ls_agent *a)
{
    if (!a->slots)
        a->slots = calloc(LS_SLOTS_MAX, sizeof *a->slots);
    struct ls_slot *s = a->slots && a->n_slots < LS_SLOTS_MAX ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    /* GPU-only: the runtime makes no interrupt event for it (there are 4096 for all), we poll. */
    if (api->amd_tail.signal_create(1, 0, NULL, HSA_AMD_SIGNAL_AMD_GPU_ONLY, &s->signal) !=
        HSA_STATUS_SUCCESS) {
        free(s);
        return NULL;
    }
    pthread_mutex_init(&s->lock, NULL);
    s->agent = a;
    s->index = a->n_slots;
    a->slots[a->n_slots] = s;
    __atomic_store_n(&a->n_slots, a->n_slots + 1, __ATOMIC_RELEASE);
    return s;
}

struct ls_slot *ls_slot_get(const struct ls_api *api, struct ls_agent *a)
{
    pthread_mutex_lock(&a->lock);
    if (!a->free_slots)
        a->free_slots = atomic_exchange(&a->released, NULL);
    struct ls_slot *s = a->free_slots;
    if (s)
        a->free_slots = s->next;
    else
        s = new_slot(api, a);
    pthread_mutex_unlock(&a->lock);
    if (s) {
        s->next = NULL;
        api->core.signal_store_relaxed(s->signal, 1);
    }
    return s;
}

static bool grow_kernarg(const struct ls_api *api, struct ls_slot *s, uint32_t bytes)
{
    if (s->ctx && bytes <= s->kernarg_bytes)
        return true;
    uint32_t rounded = (bytes + KERNARG_STEP - 1) / KERNARG_STEP * KERNARG_STEP;
    /* Contexts and arguments in one block: the contexts first, which keeps the arguments 64-byte aligned. */
    _Static_assert(sizeof(struct ls_ctx) % 64 == 0, "alignment of the argument block");
    const size_t contexts = s->agent->dies * sizeof(struct ls_ctx);
    void *p = ls_arena_get(api, &s->agent->host, contexts + rounded);
    if (!p)
        return false;
    ls_arena_put(api, &s->agent->host, s->ctx);
    s->ctx = p;
    s->kernarg = (char *)p + contexts;
    s->kernarg_bytes = rounded;
    return true;
}

static uint64_t rounded_waves(uint64_t bytes)
{
    const uint64_t step = 2ull << 20;
    uint64_t rounded = 4096;
    if (bytes > step)
        return (bytes + step - 1) / step * step;
    while (rounded < bytes)
        rounded <<= 1;
    return rounded;
}

/* Under lock: what free slots keep. */
static void trim_waves(const struct ls_api *api, struct ls_agent *a)
{
    struct ls_slot *released = atomic_exchange(&a->released, NULL);
    while (released) {
        struct ls_slot *next = released->next;
        released->next = a->free_slots;
        a->free_slots = released;
        released = next;
    }
    for (struct ls_slot *s = a->free_slots; s; s = s->next) {
        if (s->summary && !s->summary_shared) {
            ls_arena_put(api, &a->device, s->summary);
            a->waves_bytes -= s->summary_bytes;
            s->summary = NULL;
            s->summary_bytes = 0;
        }
        if (s->waves) {
            ls_arena_put(api, &a->device, s->waves);
            a->waves_bytes -= s->waves_bytes;
            s->waves = NULL;
            s->waves_bytes = 0;
        }
    }
}

/* Whether so many bytes more may be allocated now; counts them in if so. */
static bool reserve_waves(const struct ls_api *api, struct ls_agent *a, uint64_t bytes)
{
    pthread_mutex_lock(&a->lock);
    if (a->waves_bytes && a->waves_bytes + bytes > a->waves_limit)
        trim_waves(api, a);
    bool ok = !a->waves_bytes || a->waves_bytes + bytes <= a->waves_limit;
    if (ok)
        a->waves_bytes += bytes;
    pthread_mutex_unlock(&a->lock);
    return ok;
}

static void unreserve_waves(struct ls_agent *a, uint64_t bytes)
{
    pthread_mutex_lock(&a->lock);
    a->waves_bytes -= bytes;
    pthread_mutex_unlock(&a->lock);
}

static const char *grow_waves(const struct ls_api *api, struct ls_slot *s, uint64_t bytes)
{
    struct ls_agent *a = s->agent;
    struct timespec nap = {0, BUSY_NAP_NS};
    if (bytes <= s->waves_bytes)
        return NULL;
    if (s->waves) {
        ls_arena_put(api, &a->device, s->waves);
        unreserve_waves(a, s->waves_bytes);
        s->waves = NULL;
        s->waves_bytes = 0;
    }
    bytes = rounded_waves(bytes);
    for (int i = 0; !reserve_waves(api, a, bytes); i++) {
        if (i == BUSY_NAPS) /* five seconds: the ones in flight may be waiting for this thread */
            return "too many wavefronts in flight at once";
        nanosleep(&nap, NULL);
    }
    s->waves = ls_arena_get(api, &a->device, bytes);
    if (!s->waves) {
        unreserve_waves(a, bytes);
        return "out of memory: no room for the dispatch's wave records";
    }
    s->waves_bytes = bytes;
    return NULL;
}

/* Small counters of many slots, zeroed at once: it takes the GPU as long as those of one. */
struct ls_slab {
    struct ls_slab *next;
    char *memory;
    uint64_t used;
};
enum { SLAB_BYTES = 1 << 20, SLAB_PIECE_MAX = SLAB_BYTES / 16 };

static struct ls_slab *new_slab(const struct ls_api *api, struct ls_agent *a)
{
    struct ls_slab *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->memory = ls_arena_get(api, &a->device, SLAB_BYTES);
    if (b->memory && ls_copier_zero(api, &a->copier, b->memory, SLAB_BYTES, true))
        return b;
    free(b);
    return NULL;
}

/* Zeroed memory that its slot keeps; NULL: there is none. */
static void *piece_of_slab(const struct ls_api *api, struct ls_agent *a, uint64_t bytes)
{
    void *piece = NULL;
    pthread_mutex_lock(&a->slab_lock);
    if (!a->slabs || a->slabs->used + bytes > SLAB_BYTES) {
        struct ls_slab *b = reserve_waves(api, a, SLAB_BYTES) ? new_slab(api, a) : NULL;
        if (b) {
            b->next = a->slabs;
            a->slabs = b;
        }
    }
    if (a->slabs && a->slabs->used + bytes <= SLAB_BYTES) {
        piece = a->slabs->memory + a->slabs->used;
        a->slabs->used += bytes;
    }
    pthread_mutex_unlock(&a->slab_lock);
    return piece;
}

/* Under no lock: nobody else has the slot. */
static void drop_summary(const struct ls_api *api, struct ls_slot *s)
{
    if (s->summary && !s->summary_shared) {
        ls_arena_put(api, &s->agent->device, s->summary);
        unreserve_waves(s->agent, s->summary_bytes);
    }
    s->summary = NULL;
    s->summary_bytes = 0;
    s->summary_used = false;
}

/* The dispatch zeroes the counters when it sends them. */
static bool clean_summary(const struct ls_api *api, struct ls_slot *s)
{
    if (!s->summary_used)
        return true;
    s->summary_fresh =
        ls_copier_zero(api, &s->agent->copier, s->summary, s->summary_bytes, !s->summary_shared);
    if (!s->summary_fresh) {
        if (!s->summary_shared)
            unreserve_waves(s->agent, s->summary_bytes);
        s->summary = NULL;
        s->summary_bytes = 0;
    }
    s->summary_used = false;
    return s->summary_fresh;
}

static void *summary_alone(const struct ls_api *api, struct ls_agent *a, uint64_t bytes)
{
    if (!reserve_waves(api, a, bytes))
        return NULL;
    void *p = ls_arena_get(api, &a->device, bytes);
    if (p && ls_copier_zero(api, &a->copier, p, bytes, true))
        return p;
    unreserve_waves(a, bytes);
    return NULL;
}

bool ls_slot_summary(const struct ls_api *api, struct ls_slot *s, uint32_t sites, uint32_t passes,
                     bool evidence)
{
    struct ls_agent *a = s->agent;
    uint64_t bytes = rounded_waves(LS_SUMMARY_BYTES(sites, passes, a->dies, evidence));
    s->summary_fresh = false;
    if (bytes <= s->summary_bytes)
        return clean_summary(api, s);
    if (sites > SUMMARY_SITES_MAX)
        return false;
    const bool shared = bytes <= SLAB_PIECE_MAX;
    void *p = shared ? piece_of_slab(api, a, bytes) : summary_alone(api, a, bytes);
    if (!p)
        return false;
    drop_summary(api, s);
    s->summary = p;
    s->summary_bytes = bytes;
    s->summary_shared = shared;
    s->summary_fresh = true;
    return true;
}

uint32_t ls_agent_units(const struct ls_api *api, const struct ls_agent *a, const hsa_queue_t *queue)
{
    uint32_t mask[MASK_WORDS] = {0}, n = 0;
    if (!api->queue_cu_get_mask || a->compute_units > 32 * MASK_WORDS ||
        api->queue_cu_get_mask(queue, 32 * MASK_WORDS, mask) != HSA_STATUS_SUCCESS)
        return a->compute_units;
    for (uint32_t i = 0; i < a->compute_units; i++)
        n += mask[i / 32] >> i % 32 & 1;
    return n ? n : a->compute_units; /* nobody has set one */
}

const char *ls_slot_buffers(const struct ls_api *api, struct ls_slot *s, uint32_t kernarg_bytes,
                            uint64_t waves_bytes)
{
    if (!grow_kernarg(api, s, kernarg_bytes))
        return "out of memory: no room for the dispatch's arguments";
    return grow_waves(api, s, waves_bytes);
}

void ls_slot_put(struct ls_slot *s)
{
    struct ls_agent *a = s->agent;
    memset(&s->use, 0, sizeof s->use);
    s->next = atomic_load(&a->released);
    while (!atomic_compare_exchange_weak(&a->released, &s->next, s))
        continue;
}

struct ls_slot *ls_slot_of(struct ls_agent *a, uint32_t index)
{
    return a->slots && index < __atomic_load_n(&a->n_slots, __ATOMIC_ACQUIRE) ? a->slots[index] : NULL;
}

void ls_agents_release(const struct ls_api *api)
{
    for (size_t i = 0; i < n_agents; i++) {
        struct ls_agent *a = &agents[i];
        for (uint32_t k = 0; k < a->n_slots; k++) {
            struct ls_slot *s = a->slots[k];
            if (s->use.queue) /* still in flight: the GPU may write to it */
                continue;
            api->core.signal_destroy(s->signal);
            ls_arena_put(api, &a->host, s->ctx);
            ls_arena_put(api, &a->device, s->waves);
            if (!s->summary_shared)
                ls_arena_put(api, &a->device, s->summary);
        }
        ls_copier_release(api, &a->copier);
        ls_ring_destroy(&a->ring);
    }
}
