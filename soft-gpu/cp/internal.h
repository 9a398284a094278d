/*
 * internal.h - data of the command processor that its files share.
 */
#ifndef SOFT_GPU_CP_INTERNAL_H
#define SOFT_GPU_CP_INTERNAL_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include "cp.h"
#include "doorbell.h"

/* Kernels of one queue that may be in the engine at once. */
#define AQL_SLOTS 128u
/* Bytes that one step may copy before the next queue gets its turn: well under a millisecond. */
#define COPY_BUDGET (1u << 20)

enum slot_state {
    SLOT_FREE,
    SLOT_BUSY,
    SLOT_DONE, /* complete, but an older packet is not: the read index may not pass it yet */
};

/* One launched AQL packet. */
struct aql_slot {
    struct sg_queue *queue;
    uint64_t index; /* packet index */
    enum slot_state state;
    uint64_t start; /* ticks */
    uint64_t kernel_object;
    bool scratch_once; /* give the scratch memory back after this packet */
};

/* A native copy or fill in progress, `done` of `bytes` finished. */
struct copy_job {
    uint64_t dst, src;
    uint64_t bytes, done;
    uint32_t pattern; /* fills */
    bool is_fill;
};

enum aql_phase {
    AQL_READY,
    AQL_WAIT_SCRATCH, /* ROCr was asked for scratch memory */
    AQL_WAIT_RECLAIM, /* ROCr was told to take scratch memory back */
    AQL_COPY,         /* a blit kernel, done natively */
};

/* What a step found. */
enum step_result {
    STEP_IDLE,    /* nothing to do; a doorbell or an engine completion brings news */
    STEP_POLLING, /* blocked on memory that the host may change without telling */
    STEP_PROGRESS,
};

struct sg_queue {
    struct sg_queue *next;
    struct sg_cp *cp;
    struct sg_queue_desc desc;
    uint8_t *ring;
    _Atomic uint64_t *read_pointer;
    _Atomic uint64_t *write_pointer;
    bool suspended;
    bool masked; /* kernels run on `units` only */
    uint32_t units[SG_UNIT_WORDS];
    bool halted; /* a fault stopped it for good */

    /* AQL. `retire` guards slots, `retired`, `dead`, `fault*` and all writes to the application's queue. */
    pthread_mutex_t retire;
    uint8_t *amd_queue;       /* host address of the amd_queue_t */
    uint64_t launch;          /* next packet to launch (thread of the command processor only) */
    _Atomic uint64_t retired; /* first packet that is not complete */
    enum aql_phase phase;
    struct copy_job copy;
    struct aql_slot *copy_slot;
    bool scratch_asked; /* for the packet at `launch` */
    uint32_t pm4_at;    /* dwords done of the indirect buffer of the packet at `launch` */
    struct aql_slot slot[AQL_SLOTS];
    bool dead;              /* removed: touch nothing of the application's */
    unsigned in_engine;     /* kernels that will still call back */
    _Atomic bool reclaim;   /* a use-once scratch dispatch has ended */
    _Atomic bool has_fault; /* fault and fault_slot are valid */
    struct sg_fault fault;
    uint64_t fault_packet, fault_kernel;

    /* SDMA */
    uint64_t sdma_read; /* byte counter */
    uint64_t sdma_done; /* bytes (linear) or rows (rect) finished of the packet at sdma_read */
};

#define CODE_RANGES 64

struct sg_cp {
    struct sg_cp_config config;
    pthread_t thread;
    bool thread_runs;
    pthread_mutex_t lock;      /* queue list; held while queues are stepped */
    _Atomic unsigned visitors; /* ioctl threads that want the lock */
    struct sg_queue *queues;
    _Atomic bool stop;

    struct sg_tlb tlb; /* of the command processor's thread */
    struct doorbell_watch doorbells;
    int wake_fd; /* eventfd */
    _Atomic bool sleeping;
    _Atomic bool polling; /* while sleeping: some queue waits for memory */

    /* Ranges that hold code of dispatched kernels: writes there invalidate decoded code. */
    struct sg_range code[CODE_RANGES];
    unsigned codes;
};

/* aql.c */
enum step_result aql_step(struct sg_cp *cp, struct sg_queue *q);
int aql_open(struct sg_cp *cp, struct sg_queue *q);

/* sdma.c */
enum step_result sdma_step(struct sg_cp *cp, struct sg_queue *q);

/* cp.c */
void cp_raise(struct sg_cp *cp, struct sg_queue *q, const struct sg_fault *fault, uint64_t kernel_object,
              uint64_t packet_index);
void cp_note_code(struct sg_cp *cp, uint64_t va);
void cp_wrote(struct sg_cp *cp, uint64_t va, uint64_t size);
void queue_free(struct sg_queue *q);
void cp_after_kernel(struct sg_cp *cp, struct sg_queue *q);

/* Host address of [va, va+size), NULL when not mapped.
 * For any thread; `cp->tlb` is for the own thread only. */
void *cp_host(struct sg_cp *cp, uint64_t va, uint64_t size);

#endif
