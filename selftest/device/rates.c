/*
 * rates.c - how fast stores and atomic operations of all wavefronts go, as the ring uses them. A work-group is one
 * wavefront.
 */
#include "device.h"

typedef u32 v4 __attribute__((ext_vector_type(4)));

enum { CHUNK = 256 }; /* RATES_CHUNK of ../rates.h: what a wavefront stores to, times 16 bytes */

/* Each wavefront fills its chunk from begin to end, `rounds` times, by instructions of `lanes` lanes with 16 bytes each:
 * 4 lanes are the line of 64 bytes that messages leave in. `lanes` divides CHUNK. */
KERNEL rates_store(GLOBAL v4 *out, u32 lanes, u32 rounds)
{
    u32 lane = __builtin_amdgcn_workitem_id_x();
    GLOBAL v4 *chunk = out + __builtin_amdgcn_workgroup_id_x() * CHUNK;
    if (lane >= lanes)
        return;
    for (u32 r = 1; r <= rounds; r++)
#pragma clang loop unroll(disable)
        for (u32 at = 0; at < CHUNK; at += lanes)
            *(volatile GLOBAL v4 *)&chunk[at + lane] = r;
}

/* One lane of each wavefront takes `turns` tickets one after the other: all from one counter, or (apart = 8) from one
 * that has a line of 64 bytes to itself. A ticket that nobody has taken tells the host that something is wrong. */
#define TICKETS(name, scope)                                                                                 \
    KERNEL rates_##name(GLOBAL u64 *counters, u32 apart, u32 turns)                                          \
    {                                                                                                        \
        GLOBAL u64 *counter = counters + __builtin_amdgcn_workgroup_id_x() * apart;                          \
        u64 last = 0;                                                                                        \
        if (__builtin_amdgcn_workitem_id_x())                                                                \
            return;                                                                                          \
        for (u32 k = 0; k < turns; k++) {                                                                    \
            u64 ticket = __scoped_atomic_fetch_add(counter, 1, __ATOMIC_RELAXED, scope);                     \
            if (ticket < last)                                                                               \
                __scoped_atomic_fetch_add(counter, 1ull << 32, __ATOMIC_RELAXED, scope);                     \
            last = ticket;                                                                                   \
        }                                                                                                    \
    }

TICKETS(tickets_host, __MEMORY_SCOPE_SYSTEM)
TICKETS(tickets_device, __MEMORY_SCOPE_DEVICE)
