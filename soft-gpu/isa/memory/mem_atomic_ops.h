/*
 * mem_atomic_ops.h - what the atomic instructions compute, shared by memory and LDS. `a` and `b` are the data
 * operands in register order. The rules are those of AMD's machine-readable ISA (CDNA 4 pseudocode); of what gfx10
 * alone has, those of the "RDNA 2 Instruction Set Architecture", section "FLAT, Scratch and Global"; of gfx12's, those of
 * the "RDNA4 Instruction Set Architecture", chapter 16.
 */
#ifndef SOFT_GPU_ISA_MEM_ATOMIC_OPS_H
#define SOFT_GPU_ISA_MEM_ATOMIC_OPS_H

#include "soft-gpu/isa/code/bits.h"
#include "soft-gpu/isa/code/minmax.h"
#include "mem_lanes.h"

/* X(name, enumerator): operations that exist for 32 and 64 bits. */
#define SG_ATOMICS_COMMON(X)                                                                                 \
    X(swap, SG_ATOMIC_SWAP)                                                                                  \
    X(add, SG_ATOMIC_ADD)                                                                                    \
    X(sub, SG_ATOMIC_SUB)                                                                                    \
    X(smin, SG_ATOMIC_SMIN)                                                                                  \
    X(umin, SG_ATOMIC_UMIN)                                                                                  \
    X(smax, SG_ATOMIC_SMAX)                                                                                  \
    X(umax, SG_ATOMIC_UMAX)                                                                                  \
    X(and, SG_ATOMIC_AND)                                                                                    \
    X(or, SG_ATOMIC_OR)                                                                                      \
    X(xor, SG_ATOMIC_XOR)                                                                                    \
    X(inc, SG_ATOMIC_INC)                                                                                    \
    X(dec, SG_ATOMIC_DEC)                                                                                    \
    X(cmpswap, SG_ATOMIC_CMPSWAP)                                                                            \
    X(cmpswap_f, SG_ATOMIC_CMPSWAP_F)                                                                        \
    X(fadd, SG_ATOMIC_FADD)                                                                                  \
    X(fmin, SG_ATOMIC_FMIN)                                                                                  \
    X(fmax, SG_ATOMIC_FMAX)                                                                                  \
    X(min_num, SG_ATOMIC_MIN_NUM)                                                                            \
    X(max_num, SG_ATOMIC_MAX_NUM)
/* 32 bits only. */
#define SG_ATOMICS_32(X)                                                                                     \
    X(cond_sub, SG_ATOMIC_COND_SUB)                                                                          \
    X(csub, SG_ATOMIC_CSUB)                                                                                  \
    X(fadd_flush, SG_ATOMIC_FADD_FLUSH)                                                                      \
    X(pk_add_f16, SG_ATOMIC_PK_ADD_F16)                                                                      \
    X(pk_add_bf16, SG_ATOMIC_PK_ADD_BF16)
/* LDS only. */
#define SG_ATOMICS_LDS(X)                                                                                    \
    X(rsub, SG_ATOMIC_RSUB)                                                                                  \
    X(mskor, SG_ATOMIC_MSKOR)                                                                                \
    X(cmpst, SG_ATOMIC_CMPST)                                                                                \
    X(cmpst_f, SG_ATOMIC_CMPST_F)
#define SG_ATOMICS_LDS_32(X) X(wrap, SG_ATOMIC_WRAP)
#define SG_ATOMICS_LDS_64(X) X(condxchg32, SG_ATOMIC_CONDXCHG32)

#define SG_ATOMIC_ENUMERATOR(NAME, OP) OP,
enum sg_atomic_op {
    SG_ATOMICS_COMMON(SG_ATOMIC_ENUMERATOR) SG_ATOMICS_32(SG_ATOMIC_ENUMERATOR)
        SG_ATOMICS_LDS(SG_ATOMIC_ENUMERATOR) SG_ATOMICS_LDS_32(SG_ATOMIC_ENUMERATOR)
            SG_ATOMICS_LDS_64(SG_ATOMIC_ENUMERATOR) SG_ATOMICS,
};
#undef SG_ATOMIC_ENUMERATOR

extern const sg_fn sg_atomic_handlers[2][SG_ATOMICS]; /* [64 bits?][operation], GLOBAL..BUFFER modes */
extern const sg_fn sg_lds_atomic_handlers[2][SG_ATOMICS];

SG_INLINE uint16_t sg_add_f16(uint16_t x, uint16_t y)
{
    _Float16 a, b, r;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    r = a + b;
    memcpy(&x, &r, sizeof r);
    return x;
}

/* Both operands are exact in f32, and its 24 bits are enough for the second rounding to be harmless. */
SG_INLINE uint16_t sg_add_bf16(uint16_t x, uint16_t y)
{
    uint32_t r = sg_u32(sg_f32((uint32_t)x << 16) + sg_f32((uint32_t)y << 16));
    if ((r & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(r >> 16 | 0x40);
    return (uint16_t)((r + 0x7fff + (r >> 16 & 1)) >> 16);
}

SG_INLINE uint32_t sg_flush_f32(uint32_t x)
{
    return (x & 0x7f800000u) ? x : x & 0x80000000u;
}

/* The new value by the operations on integers, of each width alike: cases of a switch. */
#define SG_ATOMIC_ON_INTEGERS(SIGNED, old, a, b)                                                             \
    case SG_ATOMIC_SWAP:                                                                                     \
        return a;                                                                                            \
    case SG_ATOMIC_ADD:                                                                                      \
        return old + a;                                                                                      \
    case SG_ATOMIC_SUB:                                                                                      \
        return old - a;                                                                                      \
    case SG_ATOMIC_RSUB:                                                                                     \
        return a - old;                                                                                      \
    case SG_ATOMIC_SMIN:                                                                                     \
        return (SIGNED)a < (SIGNED)old ? a : old;                                                            \
    case SG_ATOMIC_UMIN:                                                                                     \
        return a < old ? a : old;                                                                            \
    case SG_ATOMIC_SMAX:                                                                                     \
        return (SIGNED)a > (SIGNED)old ? a : old;                                                            \
    case SG_ATOMIC_UMAX:                                                                                     \
        return a > old ? a : old;                                                                            \
    case SG_ATOMIC_AND:                                                                                      \
        return old & a;                                                                                      \
    case SG_ATOMIC_OR:                                                                                       \
        return old | a;                                                                                      \
    case SG_ATOMIC_XOR:                                                                                      \
        return old ^ a;                                                                                      \
    case SG_ATOMIC_INC:                                                                                      \
        return old >= a ? 0 : old + 1;                                                                       \
    case SG_ATOMIC_DEC:                                                                                      \
        return old == 0 || old > a ? a : old - 1;                                                            \
    case SG_ATOMIC_CMPSWAP:                                                                                  \
        return old == b ? a : old;                                                                           \
    case SG_ATOMIC_CMPST:                                                                                    \
        return old == a ? b : old;                                                                           \
    case SG_ATOMIC_MSKOR:                                                                                    \
        return (old & ~a) | b

/* The new value of a 32-bit word. */
SG_INLINE uint32_t sg_atomic_new32(enum sg_atomic_op op, uint32_t old, uint32_t a, uint32_t b)
{
    switch (op) {
        SG_ATOMIC_ON_INTEGERS(int32_t, old, a, b);
    case SG_ATOMIC_CMPSWAP_F:
        return sg_f32(old) == sg_f32(b) ? a : old;
    case SG_ATOMIC_CSUB:
        return old < a ? 0 : old - a;
    case SG_ATOMIC_COND_SUB:
        return old < a ? old : old - a;
    case SG_ATOMIC_MIN_NUM:
        return sg_min_num32(a, old);
    case SG_ATOMIC_MAX_NUM:
        return sg_max_num32(a, old);
    case SG_ATOMIC_CMPST_F:
        return sg_f32(old) == sg_f32(a) ? b : old;
    case SG_ATOMIC_WRAP:
        return old >= a ? old - a : old + b;
    case SG_ATOMIC_FADD:
        return sg_u32(sg_f32(old) + sg_f32(a));
    case SG_ATOMIC_FADD_FLUSH:
        return sg_flush_f32(sg_u32(sg_f32(sg_flush_f32(old)) + sg_f32(sg_flush_f32(a))));
    case SG_ATOMIC_FMIN:
        return sg_f32(a) < sg_f32(old) ? a : old;
    case SG_ATOMIC_FMAX:
        return sg_f32(a) > sg_f32(old) ? a : old;
    case SG_ATOMIC_PK_ADD_F16:
        return sg_add_f16((uint16_t)old, (uint16_t)a) |
               (uint32_t)sg_add_f16((uint16_t)(old >> 16), (uint16_t)(a >> 16)) << 16;
    case SG_ATOMIC_PK_ADD_BF16:
        return sg_add_bf16((uint16_t)old, (uint16_t)a) |
               (uint32_t)sg_add_bf16((uint16_t)(old >> 16), (uint16_t)(a >> 16)) << 16;
    default:
        __builtin_unreachable();
    }
}

SG_INLINE uint64_t sg_atomic_new64(enum sg_atomic_op op, uint64_t old, uint64_t a, uint64_t b)
{
    switch (op) {
        SG_ATOMIC_ON_INTEGERS(int64_t, old, a, b);
    case SG_ATOMIC_CMPSWAP_F:
        return sg_f64(old) == sg_f64(b) ? a : old;
    case SG_ATOMIC_CMPST_F:
        return sg_f64(old) == sg_f64(a) ? b : old;
    case SG_ATOMIC_FADD:
        return sg_u64(sg_f64(old) + sg_f64(a));
    case SG_ATOMIC_MIN_NUM:
        return sg_min_num64(a, old);
    case SG_ATOMIC_MAX_NUM:
        return sg_max_num64(a, old);
    case SG_ATOMIC_FMIN:
        return sg_f64(a) < sg_f64(old) ? a : old;
    case SG_ATOMIC_FMAX:
        return sg_f64(a) > sg_f64(old) ? a : old;
    case SG_ATOMIC_CONDXCHG32: { /* each dword whose data has bit 31 set takes the other 31 bits */
        uint64_t low = a & 0x80000000u ? a & 0x7fffffffu : old & 0xffffffffu;
        uint64_t high = a >> 63 ? a >> 32 & 0x7fffffffu : old >> 32;
        return low | high << 32;
    }
    default:
        __builtin_unreachable();
    }
}

/* The operation on memory that others see, as one host atomic; returns the old value. CMPSWAP compares with
 * b. */
#define SG_ATOMIC_RMW(BITS)                                                                                  \
    SG_INLINE uint##BITS##_t sg_atomic_rmw##BITS(uint##BITS##_t *p, enum sg_atomic_op op, uint##BITS##_t a,  \
                                                 uint##BITS##_t b)                                           \
    {                                                                                                        \
        switch (op) {                                                                                        \
        case SG_ATOMIC_SWAP:                                                                                 \
            return __atomic_exchange_n(p, a, __ATOMIC_SEQ_CST);                                              \
        case SG_ATOMIC_ADD:                                                                                  \
            return __atomic_fetch_add(p, a, __ATOMIC_SEQ_CST);                                               \
        case SG_ATOMIC_SUB:                                                                                  \
            return __atomic_fetch_sub(p, a, __ATOMIC_SEQ_CST);                                               \
        case SG_ATOMIC_AND:                                                                                  \
            return __atomic_fetch_and(p, a, __ATOMIC_SEQ_CST);                                               \
        case SG_ATOMIC_OR:                                                                                   \
            return __atomic_fetch_or(p, a, __ATOMIC_SEQ_CST);                                                \
        case SG_ATOMIC_XOR:                                                                                  \
            return __atomic_fetch_xor(p, a, __ATOMIC_SEQ_CST);                                               \
        case SG_ATOMIC_CMPSWAP:                                                                              \
            __atomic_compare_exchange_n(p, &b, a, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
            return b;                                                                                        \
        default:                                                                                             \
            break;                                                                                           \
        }                                                                                                    \
        uint##BITS##_t old = __atomic_load_n(p, __ATOMIC_SEQ_CST), value;                                    \
        do                                                                                                   \
            value = sg_atomic_new##BITS(op, old, a, b);                                                      \
        while (value != old &&                                                                               \
               !__atomic_compare_exchange_n(p, &old, value, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));      \
        return old;                                                                                          \
    }
SG_ATOMIC_RMW(32)
SG_ATOMIC_RMW(64)
#undef SG_ATOMIC_RMW

#endif
