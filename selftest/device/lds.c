/*
 * lds.c - how long one way to access LDS takes when chosen lanes meet in a bank. A kernel for each way; one wavefront
 * measures all pairs of lanes one after the other, so that nothing else uses its LDS meanwhile.
 */
#include "device.h"

enum { OPERATIONS = 256 }; /* LDS_OPERATIONS of ../lds.h */

/* A lane that takes no part has this address. */
#define NO_ADDRESS (~0u)

static LDS __attribute__((loader_uninitialized)) u32 memory[1024];

static inline u64 clock(void)
{
    __builtin_amdgcn_s_waitcnt(0);
    return __builtin_readcyclecounter();
}

typedef u32 v2 __attribute__((ext_vector_type(2)));
typedef u32 v3 __attribute__((ext_vector_type(3)));
typedef u32 v4 __attribute__((ext_vector_type(4)));

/* `rounds[r * lanes + lane]` is the address of the lane in round r; cycles[r] the result, of the best of `tries`. */
#define MEASURE(name, body)                                                                                  \
    KERNEL lds_##name(const GLOBAL u32 *rounds, GLOBAL u64 *cycles, u32 n, u32 tries)                        \
    {                                                                                                        \
        u32 lane = __builtin_amdgcn_workitem_id_x(), lanes = __builtin_amdgcn_wavefrontsize();               \
        u32 base = (u32)(unsigned long)memory;                                                               \
        for (u32 r = 0; r < n; r++) {                                                                        \
            u32 at = rounds[r * lanes + lane];                                                               \
            if (at == NO_ADDRESS)                                                                            \
                continue;                                                                                    \
            at += base;                                                                                      \
            u64 best = ~0ull;                                                                                \
            for (u32 t = 0; t < tries; t++) {                                                                \
                u64 start = clock();                                                                         \
                body;                                                                                        \
                u64 took = clock() - start;                                                                  \
                best = took < best ? took : best;                                                            \
            }                                                                                                \
            cycles[r] = best;                                                                                \
        }                                                                                                    \
    }

#define REPEATED(text) ".rept 256\n\t" text "\n\t.endr"

#define READ(type, text)                                                                                     \
    type x;                                                                                                  \
    __asm__ volatile(REPEATED(text) : "=&v"(x) : "v"(at) : "memory")
#define WRITE(type, text)                                                                                    \
    type x = (type)lane;                                                                                     \
    __asm__ volatile(REPEATED(text) : : "v"(at), "v"(x) : "memory")

MEASURE(read_b32, READ(u32, "ds_read_b32 %0, %1"))
MEASURE(read_b64, READ(v2, "ds_read_b64 %0, %1"))
MEASURE(read_b96, READ(v3, "ds_read_b96 %0, %1"))
MEASURE(read_b128, READ(v4, "ds_read_b128 %0, %1"))
MEASURE(read2_b32, READ(v2, "ds_read2_b32 %0, %1 offset1:8"))
MEASURE(read2_b64, READ(v4, "ds_read2_b64 %0, %1 offset1:8"))
MEASURE(write_b32, WRITE(u32, "ds_write_b32 %0, %1"))
MEASURE(write_b64, WRITE(v2, "ds_write_b64 %0, %1"))
MEASURE(write_b96, WRITE(v3, "ds_write_b96 %0, %1"))
MEASURE(write_b128, WRITE(v4, "ds_write_b128 %0, %1"))
MEASURE(atomic_b32, WRITE(u32, "ds_add_u32 %0, %1"))
MEASURE(atomic_b64, WRITE(v2, "ds_add_u64 %0, %1"))
