/*
 * A work-group of four wavefronts of 32, two on each compute unit of a work-group processor in WGP mode: all load a word, the first
 * one stores it, and all load it again behind a barrier. In WGP mode the other unit's L0 has to be invalidated in between.
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
