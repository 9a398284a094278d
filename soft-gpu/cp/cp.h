/*
 * cp.h - the command processor of one emulated GPU: it reads the application's AQL and SDMA queues, hands
 * kernels to the ISA engine, copies memory, and completes signals.
 *
 * One thread serves all queues of a GPU. Each queue is a state machine that never waits inside a step, so a
 * queue that is blocked on a dependency does not delay the others. Kernels run in the engine's threads and
 * complete from there.
 *
 * All addresses are GPU virtual addresses of the map given at creation.
 */
#ifndef SOFT_GPU_CP_CP_H
#define SOFT_GPU_CP_CP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../isa/engine.h"
#include "../mem/mem.h"

struct sg_cp;

/* What stopped a queue. */
struct sg_cp_fault {
    const struct sg_fault *fault; /* never NULL */
    uint64_t kernel_object;       /* 0: not a kernel dispatch */
    uint32_t queue_id;
    uint64_t packet_index;
};

/* Services of the driver. Called from the command processor's thread and from engine threads; must not call
 * back into sg_cp except sg_cp_kick. */
struct sg_cp_ops {
    /* Interrupt: set KFD event `event_id`. */
    void (*set_event)(void *user, uint32_t event_id);
    /* Page fault: report it through every memory exception event. */
    void (*memory_fault)(void *user, uint64_t va, bool is_write);
    /* Explain a fault to the person at the terminal.
     * Called once per stopped queue, before ROCr hears of it. */
    void (*report)(void *user, const struct sg_cp_fault *fault);
    /* The GPU's counter, as sg_ticks has it. */
    uint64_t (*ticks)(void *user);
};

struct sg_cp_config {
    struct sg_mem *mem;
    struct sg_engine *engine;
    const struct ls_gpu *arch;
    const struct sg_cp_ops *ops;
    void *user;
};

enum sg_queue_kind {
    SG_QUEUE_AQL,
    SG_QUEUE_SDMA,
};

struct sg_queue_desc {
    enum sg_queue_kind kind;
    uint32_t id;
    uint64_t ring;
    uint32_t ring_bytes;
    uint64_t read_pointer;  /* AQL: &amd_queue_t.read_dispatch_id */
    uint64_t write_pointer; /* AQL: &amd_queue_t.write_dispatch_id */
    const void *doorbell;   /* host address of this queue's 64-bit doorbell in our own mapping */
};

/* NULL when out of memory. No thread runs before the first queue. */
struct sg_cp *sg_cp_create(const struct sg_cp_config *config);
/* Stops the thread; the application's memory is not touched any more when it returns. Kernels still in the
 * engine may call back later: destroy the engine before the object is freed with sg_cp_free. */
void sg_cp_stop(struct sg_cp *cp);
void sg_cp_free(struct sg_cp *cp);

/* 0, -EFAULT when an address is not mapped, -EINVAL for a ring that is not a power of two, -ENOMEM. */
int sg_cp_add_queue(struct sg_cp *cp, const struct sg_queue_desc *desc);
/* New ring (0: unchanged); `active` false suspends. 0 or -EINVAL. */
int sg_cp_update_queue(struct sg_cp *cp, uint32_t id, uint64_t ring, uint32_t ring_bytes, bool active);
/* Kernels that are launched from now on run on the compute units of which `mask` (`words`) has the bit. 0 or
 * -EINVAL. */
int sg_cp_set_units(struct sg_cp *cp, uint32_t id, const uint32_t *mask, size_t words);
/* When it returns, ring, pointers and signals of this queue are not touched any more; kernels of it that
 * still run end unreported. 0 or -EINVAL. */
int sg_cp_remove_queue(struct sg_cp *cp, uint32_t id);

/* Something that a packet may wait for has changed (an event was set by the host). */
void sg_cp_kick(struct sg_cp *cp);
/* The application's own mapping of the doorbell page, watched while all queues are idle. NULL: gone. */
void sg_cp_watch_doorbells(struct sg_cp *cp, void *page, size_t bytes);
/* [va, va+size) was unmapped: code in it is forgotten. */
void sg_cp_memory_gone(struct sg_cp *cp, uint64_t va, uint64_t size);

#endif
