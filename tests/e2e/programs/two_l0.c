/*
 * A work-group of four wavefronts of 32, two on each compute unit of a work-group processor in WGP mode: all load a word, the first
 * one stores it, and all load it again behind a barrier. In WGP mode the other unit's L0 has to be invalidated in between.
 * And work-groups that do so with each other: there the L1 behind the L0 must not answer either.
 */
#define KERNEL __attribute__((amdgpu_kernel, visibility("protected"), used)) void
#define GLOBAL __attribute__((address_space(1)))

#if defined(__GFX12__)
#define BARRIER "s_barrier_signal -1\n\ts_barrier_wait -1"
#else
#define BARRIER "s_barrier"
#endif

static inline void barrier(void)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __asm__ volatile(BARRIER ::: "memory");
}

#define TWO_LOADS(name, behind, load)                                                                        \
    KERNEL name(GLOBAL int *data, GLOBAL int *before, GLOBAL int *after)                                     \
    {                                                                                                        \
        unsigned item = __builtin_amdgcn_workitem_id_x();                                                    \
        GLOBAL int *word = &data[item % 32];                                                                 \
        before[item] = *word;                                                                                \
        barrier();                                                                                           \
        if (item < 32)                                                                                       \
            *word = 7;                                                                                       \
        barrier();                                                                                           \
        behind;                                                                                              \
        after[item] = load;                                                                                  \
    }

TWO_LOADS(no_acquire, , *word)
TWO_LOADS(acquire, __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"), *word)
TWO_LOADS(atomic, , __scoped_atomic_load_n(word, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP))

/* All lanes on the GPU have come here for the `round`th time; atomic operations with a result are past all caches. */
static inline void meet(GLOBAL int *arrived, int round)
{
    int all = round * (int)__builtin_amdgcn_grid_size_x();
    __scoped_atomic_fetch_add(arrived, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
    while (__scoped_atomic_fetch_add(arrived, 0, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) < all)
        __builtin_amdgcn_s_sleep(1);
}

#define OF_ANOTHER_GROUP(name, scope)                                                                        \
    KERNEL name(GLOBAL int *data, GLOBAL int *before, GLOBAL int *after)                                     \
    {                                                                                                        \
        unsigned group = __builtin_amdgcn_workgroup_id_x();                                                  \
        unsigned item = group * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();      \
        GLOBAL int *word = &data[32 + __builtin_amdgcn_workitem_id_x()];                                     \
        before[item] = *word;                                                                                \
        meet(data, 1);                                                                                       \
        if (group == 0)                                                                                      \
            __scoped_atomic_store_n(word, 7, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);                       \
        meet(data, 2);                                                                                       \
        after[item] = __scoped_atomic_load_n(word, __ATOMIC_RELAXED, scope);                                 \
    }

OF_ANOTHER_GROUP(another_group, __MEMORY_SCOPE_WRKGRP)
OF_ANOTHER_GROUP(another_group_device, __MEMORY_SCOPE_DEVICE)
