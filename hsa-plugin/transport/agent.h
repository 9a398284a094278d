/*
 * agent.h - GPU agents: their facts, their memory, their ring and their pool of dispatch slots.
 *
 * A slot is everything that one dispatch in flight needs: completion signal, context, kernel argument block
 * and wave records. Slots are reused, and their buffers only grow, so that a steady stream of dispatches
 * allocates nothing.
 */
#ifndef HSA_PLUGIN_AGENT_H
#define HSA_PLUGIN_AGENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/stream.h"
#include "hsa-plugin/runtime/api_tables.h"
#include "arena.h"
#include "hsa-plugin/config.h"
#include "lanescope/handler.h"
#include "ring.h"
#include "copier.h"

struct ls_kernel;
struct ls_slab;
struct ls_queue;
struct ls_work;
struct ls_held;
struct ls_reduction;

enum { LS_PARTS_MAX = 8 };

/* The part of a wavefront: its number, `n_parts` of them. Of a chunk's header, which may be anything. */
static inline unsigned ls_part_of(const struct ls_chunk *h, unsigned n_parts)
{
    uint64_t x = h->wave;
    for (unsigned i = 0; n_parts > 1 && i < 3; i++)
        x = (x ^ h->workgroup[i]) * 0x9e3779b97f4a7c15ull;
    return n_parts > 1 ? (unsigned)((x >> 32) * n_parts >> 32) : 0;
}

/* What is known of the dispatch that holds a slot; all zero while the slot is free. Without a kernel it is a
 * marker packet of ours that tells how far the queue has got. */
struct ls_slot_use {
    struct ls_kernel *kernel;
    struct ls_queue *queue;
    uint64_t number; /* of the dispatch, process-wide from 1 */
    uint32_t grid[3], workgroup[3];
    uint32_t lds_bytes, scratch_bytes;
    uint64_t submit;                      /* ns of CLOCK_BOOTTIME; when it was given to its queue */
    int64_t thread;                       /* the system's number of the thread that did */
    struct ls_stream stream;              /* that it worked for */
    const char *not_observed;             /* static text; NULL: observed */
    uint64_t app_signal;                  /* handle, 0: none */
    uint64_t told_messages[LS_PARTS_MAX]; /* of each part's, to whoever waits for the run */
    uint32_t done_head;                   /* tickets of the done list when it completed */
    uint64_t dropped, unlisted;           /* as in struct ls_ctx */
    uint64_t position;                    /* packets of its queue up to this one */
    bool aborted;                         /* never completed */
    atomic_bool over;                     /* the GPU is done with it */
    bool closed;                          /* the drainer's: what still comes is nobody's */
    atomic_uint pending;                  /* chunks on their way through the workers, and 1 until `closed` */
    unsigned n_parts;                     /* threads that share its chunks, at least 1 */
    uint64_t n_waves;                     /* 0 unless it is observed */
    _Atomic(struct ls_work *) work[LS_PARTS_MAX]; /* of each part; NULL: nothing has come for it */
    struct ls_held *held, **held_tail; /* chunks kept until the join with the machine code is known */
    size_t held_bytes;
    struct ls_reduction *reduction; /* with summary: how irregular accesses are reduced; or NULL */
    bool summary;                   /* counts on the GPU; its last chunk says that all came */
    atomic_bool summary_seen;       /* it did */
    const struct lanescope_allocation *allocations; /* when it was submitted, if a handler asks for them */
    uint32_t n_allocations;
    void *allocations_owner; /* whose they are */
    bool ended;              /* recorded; what an aborted dispatch still sends is nobody's */
    struct lanescope_dispatch info;
};

struct ls_slot {
    pthread_mutex_t lock; /* of what its parts share before each has its work */
    struct ls_agent *agent;
    uint32_t index; /* in agent->slots */
    hsa_signal_t signal;
    struct ls_ctx *ctx; /* of each of agent->dies, host memory that the GPU reads */
    void *kernarg;
    uint32_t kernarg_bytes;
    void *waves; /* device memory */
    uint64_t waves_bytes;
    void *summary; /* device memory, all zero between dispatches; NULL until summary mode needs it */
    uint64_t summary_bytes;
    bool summary_shared;  /* a piece of a slab */
    bool summary_fresh;   /* zeroed for this dispatch, by the copy engine */
    bool summary_used;    /* its counters may not be zero: the dispatch did not send them */
    struct ls_slot *next; /* in whichever list holds it */
    struct ls_slot_use use;
};

enum { LS_SLOTS_MAX = 1 << 16 };

struct ls_agent {
    hsa_agent_t hsa;
    char arch[64];  /* "gfx90a" */
    char isa[128];  /* "amdgcn-amd-amdhsa--gfx90a" */
    char name[128]; /* marketing name */
    uint32_t compute_units, waves_per_cu, lanes;
    uint32_t dies;                /* that count for themselves in summary mode: 1 or LS_DIES */
    struct ls_arena device, host; /* its own memory; fine-grained host memory that it reads and writes */
    struct ls_copier copier;
    int64_t db_id;

    bool ring_tried;
    const char *ring_failed; /* static text: why there is no ring */
    atomic_bool ring_told;   /* the user has read it */
    struct ls_host_ring ring;
    void *ring_memory;
    uint32_t ctx_flags; /* LS_CTX_HOLD, LS_CTX_DROP as they hold for the whole agent */

    pthread_mutex_t lock; /* slots, free list, ring creation; never held across a wait */
    struct ls_slot **slots;
    uint32_t n_slots;
    struct ls_slot *free_slots;
    uint64_t waves_bytes, waves_limit;  /* of all slots' wave records and counters */
    pthread_mutex_t slab_lock;          /* of the next; taken before `lock` */
    struct ls_slab *slabs;              /* zeroed memory for counters, newest first */
    _Atomic(struct ls_slot *) released; /* pushed by workers without a lock */
};

/* Finds the agents (once). 0, or -1 with *why. */
int ls_agents_find(const struct ls_api *api, const char **why);
struct ls_agent *ls_agent_of(hsa_agent_t hsa); /* NULL: not a GPU */
size_t ls_agents(struct ls_agent **list);
/* What came damaged through the rings of all: struct ls_host_ring.damaged. */
uint64_t ls_agents_damaged(void);

/* How many of its compute units may run what a queue holds. */
uint32_t ls_agent_units(const struct ls_api *api, const struct ls_agent *a, const hsa_queue_t *queue);

/* How much of so many bytes of device memory the records of all dispatches in flight may take. A launch that finds no
 * room waits, with ROCr's lock of its queue, for others to end: so there has to be room for several large ones. */
uint64_t ls_agent_waves_limit(uint64_t memory);

/* Makes the agent's ring if there is none yet. NULL, or why it could not be made (static text). */
const char *ls_agent_ring(const struct ls_api *api, struct ls_agent *a, const struct ls_config *c);

/* A slot with its signal set to 1 and nothing else filled in; NULL when out of memory. */
struct ls_slot *ls_slot_get(const struct ls_api *api, struct ls_agent *a);
/* Gives it buffers of at least these sizes and a context. May wait for dispatches in flight to give theirs
 * back. NULL, or why not (static text). */
const char *ls_slot_buffers(const struct ls_api *api, struct ls_slot *s, uint32_t kernarg_bytes,
                            uint64_t waves_bytes);
/* Gives it zeroed memory for the counters of that many sites and passes, and for evidence. false: not
 * possible, its dispatch streams. */
bool ls_slot_summary(const struct ls_api *api, struct ls_slot *s, uint32_t sites, uint32_t passes,
                     bool evidence);
/* Back to the pool; from any thread, takes no lock. */
void ls_slot_put(struct ls_slot *s);
/* The slot of a chunk's header, or NULL. For the drainer. */
struct ls_slot *ls_slot_of(struct ls_agent *a, uint32_t index);

/* Frees what belongs to the runtime, before it goes away (OnUnload). */
void ls_agents_release(const struct ls_api *api);

#endif
