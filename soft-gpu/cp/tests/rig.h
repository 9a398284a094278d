/*
 * rig.h - a command processor with queues in plain host memory, for the unit tests.
 */
#ifndef SOFT_GPU_CP_TESTS_RIG_H
#define SOFT_GPU_CP_TESTS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <cmocka.h>

#include "../cp.h"
#include "fake_engine.h"

#define ARENA_BYTES (64u << 20)
#define RING_PACKETS 256u
#define SDMA_RING_BYTES 4096u

/* amd_signal_t and amd_queue_t by offset, as documented in ROCr's headers. */
struct test_signal {
    int64_t kind;
    _Atomic int64_t value;
    uint64_t mailbox;
    uint32_t event_id, pad;
    uint64_t start, end, rest[2];
};

struct test_queue {
    uint8_t *amd_queue; /* 256 bytes */
    uint8_t *ring;
    struct test_signal *inactive;
    _Atomic uint64_t *write_index, *read_index;
    uint64_t doorbell;
    uint32_t id;
};

struct test_sdma {
    uint32_t *ring;
    _Atomic uint64_t *write_pointer, *read_pointer;
    uint64_t doorbell;
    uint64_t at; /* byte position of the next packet */
};

struct rig {
    struct sg_mem *mem;
    struct sg_engine *engine;
    struct sg_cp *cp;
    uint8_t *arena;
    size_t used;
    uint8_t *kernel; /* a descriptor with harmless code behind it */
};

/* What the operations recorded. */
extern _Atomic unsigned events_seen[64];
extern _Atomic uint64_t fault_va;
extern _Atomic unsigned faults, reports;

void rig_open(struct rig *r); /* as gfx90a */
void rig_open_as(struct rig *r, const char *gpu);
void rig_close(struct rig *r);
void *rig_alloc(struct rig *r, size_t size);
struct test_signal *rig_signal(struct rig *r, int64_t value, uint32_t event_id);
void rig_queue(struct rig *r, struct test_queue *q, uint32_t id);
void rig_sdma(struct rig *r, struct test_sdma *s, uint32_t id);
/* Writes a packet at the write index; the header last. */
void aql_put(struct test_queue *q, const void *packet64);
void sdma_put(struct test_sdma *s, const uint32_t *dwords, unsigned n);

static inline void sleep_us(unsigned us)
{
    struct timespec t = {us / 1000000, (long)(us % 1000000) * 1000};
    nanosleep(&t, NULL);
}

/* Waits up to ten seconds for a condition. */
#define EVENTUALLY(condition)                                                                                \
    do {                                                                                                     \
        unsigned tries_ = 0;                                                                                 \
        while (!(condition) && tries_++ < 100000)                                                            \
            sleep_us(100);                                                                                   \
        assert_true(condition);                                                                              \
    } while (0)

/* Time in which a wrong command processor would have acted. */
#define GRACE_US 20000

#endif
