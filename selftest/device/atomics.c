/*
 * atomics.c - whether atomic operations of the GPU reach the memory that they are meant for.
 */
#include "device.h"

/* Each lane adds 1 to the word and puts a bit into the mask: to memory of the host over the link. */
KERNEL atomics_system(GLOBAL u64 *sum, GLOBAL u64 *bits, u32 turns)
{
    u32 lane = __builtin_amdgcn_workitem_id_x();
    for (u32 k = 0; k < turns; k++)
        __scoped_atomic_fetch_add(sum, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
    __scoped_atomic_fetch_or(bits, 1ull << (lane & 63), __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

/* The same in memory of the device. */
KERNEL atomics_device(GLOBAL u64 *sum, GLOBAL u64 *bits, u32 turns)
{
    u32 lane = __builtin_amdgcn_workitem_id_x();
    for (u32 k = 0; k < turns; k++)
        __scoped_atomic_fetch_add(sum, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_fetch_or(bits, 1ull << (lane & 63), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/* Waits until the host writes `go`, then answers: the host sees stores of a running kernel, and the kernel the
 * host's. Gives up after `turns`. */
KERNEL atomics_answer(GLOBAL u32 *go, GLOBAL u32 *answer, u32 turns)
{
    __scoped_atomic_store_n(answer, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
    for (u32 k = 0; k < turns; k++) {
        if (__scoped_atomic_load_n(go, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM)) {
            __scoped_atomic_store_n(answer, 2, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
            return;
        }
        __builtin_amdgcn_s_sleep(8);
    }
    __scoped_atomic_store_n(answer, 3, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
}
