/*
 * mem_whole.h - accesses of 8, 12 and 16 bytes to memory that other engine threads and the host use at the
 * same time: one access of the host each, so that nobody sees a part of it. Libraries depend on it (rocPRIM's
 * look-back scans keep a flag and its value in 16 bytes).
 *
 * Aligned vector accesses of 16 bytes are atomic on every processor with AVX (Intel SDM volume 3, 9.1.1
 * "Guaranteed Atomic Operations"; AMD APM volume 2, 7.3.2 "Access Atomicity"), and the engine needs AVX2
 * (sg_engine_create), so no other way is needed. 12 bytes are one access when they lie in an aligned block of
 * 16: a load takes the block, a store replaces its part by compare-and-exchange. What crosses such a block,
 * or 8 bytes that are not aligned, is more than one transaction for a GPU as well.
 */
#ifndef SOFT_GPU_ISA_MEM_WHOLE_H
#define SOFT_GPU_ISA_MEM_WHOLE_H

#include <stdint.h>
#include <string.h>

#define SG_WHOLE static inline __attribute__((always_inline))

typedef uint32_t sg_v4 __attribute__((vector_size(16)));
typedef uint32_t sg_v4u __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint32_t sg_v4p __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t sg_w64 __attribute__((aligned(1), may_alias));
typedef uint32_t sg_w32 __attribute__((aligned(1), may_alias));

/* Volatile, lest the compiler take a vector to pieces whose elements are used one by one. */
SG_WHOLE sg_v4 sg_whole_load128(const void *p)
{
    return *(const volatile sg_v4p *)p;
}

SG_WHOLE void sg_whole_store128(void *p, sg_v4 x)
{
    *(volatile sg_v4p *)p = x;
}

/* Two dwords in the low half. */
SG_WHOLE sg_v4 sg_whole_load64(const void *p)
{
    const uint64_t x = *(const volatile sg_w64 *)p;
    return (sg_v4){(uint32_t)x, (uint32_t)(x >> 32)};
}

SG_WHOLE void sg_whole_store64(void *p, sg_v4 x)
{
    *(volatile sg_w64 *)p = x[0] | (uint64_t)x[1] << 32;
}

SG_WHOLE bool sg_in_block(const void *p)
{
    return ((uintptr_t)p & 15) <= 4;
}

/* Three dwords; the fourth is undefined. Reads nothing beyond the aligned block of 16, so no other page. */
SG_WHOLE sg_v4 sg_whole_load96(const void *p)
{
    const unsigned at = (uintptr_t)p & 15;
    if (at == 0)
        return sg_whole_load128(p);
    if (at == 4) {
        const sg_v4 x = sg_whole_load128((const uint8_t *)p - 4);
        return (sg_v4){x[1], x[2], x[3]};
    }
    sg_v4 x = sg_whole_load64(p);
    x[2] = *(const volatile sg_w32 *)((const uint8_t *)p + 8);
    return x;
}

/* Out of line: code for something rare that would stand in many handlers. */
void sg_whole_store96(void *p, sg_v4 x);

/* n: 2 to 4 dwords. */
SG_WHOLE sg_v4 sg_whole_load(const void *p, unsigned n)
{
    return n == 2 ? sg_whole_load64(p) : n == 3 ? sg_whole_load96(p) : sg_whole_load128(p);
}

SG_WHOLE void sg_whole_store(void *p, sg_v4 x, unsigned n)
{
    if (n == 2)
        sg_whole_store64(p, x);
    else if (n == 3)
        sg_whole_store96(p, x);
    else
        sg_whole_store128(p, x);
}

#endif
