/*
 * coalescing.c - how long accesses of one wavefront to lines that its L1 has take, by the distance of its lanes. They are
 * written in assembly: 64 instructions one behind the other, and then the wait for all of them.
 */
#include "device.h"

typedef u32 v4 __attribute__((ext_vector_type(4)));

/* Lane n accesses what lies n times the stride behind `memory`; the cycles are those of the best of `tries`. */
#define ACCESSES(name, type, text)                                                                           \
    KERNEL coalescing_##name(GLOBAL char *memory, GLOBAL u64 *cycles, u32 stride, u32 tries)                 \
    {                                                                                                        \
        u32 lane = __builtin_amdgcn_workitem_id_x();                                                         \
        GLOBAL char *at = memory + lane * stride;                                                            \
        u64 best = ~0ull;                                                                                    \
        type x = 0;                                                                                          \
        for (u32 t = 0; t < tries; t++) {                                                                    \
            u64 start = __builtin_readcyclecounter();                                                        \
            __asm__ volatile(".rept 64\n\t" text "\n\t.endr\n\t" WAIT : "+&v"(x) : "v"(at) : "memory");      \
            u64 took = __builtin_readcyclecounter() - start;                                                 \
            best = took < best ? took : best;                                                                \
        }                                                                                                    \
        if (!lane)                                                                                           \
            *cycles = best;                                                                                  \
    }

/* GPUs before gfx9 have no instructions of global memory alone. RDNA counts stores apart from loads, and gfx12 has a wait
 * for each kind. */
#if defined(__GFX8__)
#define READ_4 "flat_load_dword %0, %1"
#define READ_16 "flat_load_dwordx4 %0, %1"
#define WRITE_4 "flat_store_dword %1, %0"
#elif defined(__GFX11__) || defined(__GFX12__)
#define READ_4 "global_load_b32 %0, %1, off"
#define READ_16 "global_load_b128 %0, %1, off"
#define WRITE_4 "global_store_b32 %1, %0, off"
#else
#define READ_4 "global_load_dword %0, %1, off"
#define READ_16 "global_load_dwordx4 %0, %1, off"
#define WRITE_4 "global_store_dword %1, %0, off"
#endif

#if defined(__GFX12__)
#define WAIT "s_wait_loadcnt 0\n\ts_wait_storecnt 0"
#elif defined(__GFX10__) || defined(__GFX11__)
#define WAIT "s_waitcnt vmcnt(0)\n\ts_waitcnt_vscnt null, 0"
#else
#define WAIT "s_waitcnt vmcnt(0) lgkmcnt(0)"
#endif

ACCESSES(read_b32, u32, READ_4)
ACCESSES(read_b128, v4, READ_16)
ACCESSES(write_b32, u32, WRITE_4)
