/*
 * patterns.c - one wavefront, one way to access global memory, chosen strides: what counters of vL1D say of it follows
 * from the addresses alone. Only GPUs of the gfx9 family have these counters.
 */
#include "device.h"

#ifdef __GFX9__

typedef u32 v4 __attribute__((ext_vector_type(4)));

/* Lane n accesses what lies n times the stride behind `memory`, 256 times (LDS_OPERATIONS of ../lds.h). */
#define PATTERN(name, type, constraint, text)                                                                \
    KERNEL global_##name(GLOBAL char *memory, u32 stride)                                                    \
    {                                                                                                        \
        GLOBAL char *at = memory + __builtin_amdgcn_workitem_id_x() * stride;                                \
        type x = 0;                                                                                          \
        __asm__ volatile(".rept 256\n\t" text "\n\t.endr\n\ts_waitcnt vmcnt(0)"                              \
                         : constraint(x)                                                                     \
                         : "v"(at)                                                                           \
                         : "memory");                                                                        \
    }

PATTERN(read_b32, u32, "+&v", "global_load_dword %0, %1, off")
PATTERN(read_b128, v4, "+&v", "global_load_dwordx4 %0, %1, off")
PATTERN(write_b32, u32, "+&v", "global_store_dword %1, %0, off")

#endif
