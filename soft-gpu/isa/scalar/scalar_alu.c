/*
 * scalar_alu.c - register-to-register scalar operations: SOP1, SOP2, SOPC and SOPK.
 *
 * One line per operation: result type, source types, result, and the new SCC. Sources that an operation lacks
 * are read and ignored. The rules are those of the instruction descriptions in "AMD Instinct MI300 ISA",
 * chapter 12.
 */
#include "scalar.h"

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;

static inline u32 get_u32(const u32 *s, unsigned i)
{
    return s[i];
}
static inline i32 get_i32(const u32 *s, unsigned i)
{
    return (i32)s[i];
}
static inline u64 get_u64(const u32 *s, unsigned i)
{
    return sg_s64(s, i);
}
static inline i64 get_i64(const u32 *s, unsigned i)
{
    return (i64)sg_s64(s, i);
}
static inline void put_u32(u32 *s, unsigned i, u32 value)
{
    s[i] = value;
}
static inline void put_u64(u32 *s, unsigned i, u64 value)
{
    sg_set_s64(s, i, value);
}

/* Width field of s_bfe: 32 or 64 and more take everything. */
static inline u32 low_mask32(unsigned width)
{
    return width >= 32 ? ~0u : (1u << width) - 1;
}
static inline u64 low_mask64(unsigned width)
{
    return width >= 64 ? ~0ull : (1ull << width) - 1;
}
static inline i32 sign_from(u32 value, unsigned width)
{
    return !width ? 0 : width >= 32 ? (i32)value : (i32)(value << (32 - width)) >> (32 - width);
}
static inline i64 sign_from64(u64 value, unsigned width)
{
    return !width ? 0 : width >= 64 ? (i64)value : (i64)(value << (64 - width)) >> (64 - width);
}
static inline u32 reverse32(u32 x)
{
    return __builtin_bitreverse32(x);
}
static inline u64 reverse64(u64 x)
{
    return __builtin_bitreverse64(x);
}
/* Number of the first set bit from the low end or the high end; -1 when there is none. */
static inline u32 first_low(u64 x)
{
    return x ? (u32)__builtin_ctzll(x) : ~0u;
}
static inline u32 first_high32(u32 x)
{
    return x ? (u32)__builtin_clz(x) : ~0u;
}
static inline u32 first_high64(u64 x)
{
    return x ? (u32)__builtin_clzll(x) : ~0u;
}
/* A bit per group of four bits that has any bit set; spread: over the whole group. */
static inline u64 any_of_four(u64 x)
{
    x |= x >> 1;
    x |= x >> 2;
    return x & 0x1111111111111111ull;
}
static inline u64 quad_mask(u64 x)
{
    u64 r = 0;
    x = any_of_four(x);
    for (unsigned i = 0; i < 16; i++)
        r |= (x >> (4 * i) & 1) << i;
    return r;
}
static inline u64 replicate_bits(u32 x)
{
    u64 r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (u64)(x >> i & 1) * 3 << (2 * i);
    return r;
}

#define D32 s[u->d]
#define D64 sg_s64(s, u->d)
#define NZ (d != 0)
#define KEEP scc

/* clang-format off */
#define OPERATIONS(X) \
    X(S_ADD_U32,   u32, u32, u32, a + b, d < a) \
    X(S_SUB_U32,   u32, u32, u32, a - b, b > a) \
    X(S_ADD_I32,   u32, u32, u32, a + b, (~(a ^ b) & (a ^ d)) >> 31) \
    X(S_SUB_I32,   u32, u32, u32, a - b, ((a ^ b) & (a ^ d)) >> 31) \
    X(S_ADDC_U32,  u32, u32, u32, a + b + scc, ((u64)a + b + scc) >> 32) \
    X(S_SUBB_U32,  u32, u32, u32, a - b - scc, (u64)b + scc > a) \
    X(S_ADD_NC_U64, u64, u64, u64, a + b, KEEP) \
    X(S_SUB_NC_U64, u64, u64, u64, a - b, KEEP) \
    X(S_MUL_U64,   u64, u64, u64, a * b, KEEP) \
    X(S_MIN_I32,   u32, i32, i32, (u32)(a < b ? a : b), a < b) \
    X(S_MIN_U32,   u32, u32, u32, a < b ? a : b, a < b) \
    X(S_MAX_I32,   u32, i32, i32, (u32)(a >= b ? a : b), a >= b) \
    X(S_MAX_U32,   u32, u32, u32, a >= b ? a : b, a >= b) \
    X(S_CSELECT_B32, u32, u32, u32, scc ? a : b, KEEP) \
    X(S_CSELECT_B64, u64, u64, u64, scc ? a : b, KEEP) \
    X(S_AND_B32,   u32, u32, u32, a & b, NZ) \
    X(S_AND_B64,   u64, u64, u64, a & b, NZ) \
    X(S_OR_B32,    u32, u32, u32, a | b, NZ) \
    X(S_OR_B64,    u64, u64, u64, a | b, NZ) \
    X(S_XOR_B32,   u32, u32, u32, a ^ b, NZ) \
    X(S_XOR_B64,   u64, u64, u64, a ^ b, NZ) \
    X(S_ANDN2_B32, u32, u32, u32, a & ~b, NZ) \
    X(S_ANDN2_B64, u64, u64, u64, a & ~b, NZ) \
    X(S_ORN2_B32,  u32, u32, u32, a | ~b, NZ) \
    X(S_ORN2_B64,  u64, u64, u64, a | ~b, NZ) \
    X(S_NAND_B32,  u32, u32, u32, ~(a & b), NZ) \
    X(S_NAND_B64,  u64, u64, u64, ~(a & b), NZ) \
    X(S_NOR_B32,   u32, u32, u32, ~(a | b), NZ) \
    X(S_NOR_B64,   u64, u64, u64, ~(a | b), NZ) \
    X(S_XNOR_B32,  u32, u32, u32, ~(a ^ b), NZ) \
    X(S_XNOR_B64,  u64, u64, u64, ~(a ^ b), NZ) \
    X(S_LSHL_B32,  u32, u32, u32, a << (b & 31), NZ) \
    X(S_LSHL_B64,  u64, u64, u32, a << (b & 63), NZ) \
    X(S_LSHR_B32,  u32, u32, u32, a >> (b & 31), NZ) \
    X(S_LSHR_B64,  u64, u64, u32, a >> (b & 63), NZ) \
    X(S_ASHR_I32,  u32, i32, u32, (u32)(a >> (b & 31)), NZ) \
    X(S_ASHR_I64,  u64, i64, u32, (u64)(a >> (b & 63)), NZ) \
    X(S_BFM_B32,   u32, u32, u32, ((1u << (a & 31)) - 1) << (b & 31), KEEP) \
    X(S_BFM_B64,   u64, u32, u32, ((1ull << (a & 63)) - 1) << (b & 63), KEEP) \
    X(S_MUL_I32,   u32, u32, u32, a * b, KEEP) \
    X(S_BFE_U32,   u32, u32, u32, a >> (b & 31) & low_mask32(b >> 16 & 127), NZ) \
    X(S_BFE_I32,   u32, i32, u32, (u32)sign_from((u32)(a >> (b & 31)), b >> 16 & 127), NZ) \
    X(S_BFE_U64,   u64, u64, u32, a >> (b & 63) & low_mask64(b >> 16 & 127), NZ) \
    X(S_BFE_I64,   u64, i64, u32, (u64)sign_from64((u64)(a >> (b & 63)), b >> 16 & 127), NZ) \
    X(S_ABSDIFF_I32, u32, u32, u32, (i32)(a - b) < 0 ? b - a : a - b, NZ) \
    X(S_MUL_HI_U32, u32, u32, u32, (u32)((u64)a * b >> 32), KEEP) \
    X(S_MUL_HI_I32, u32, i32, i32, (u32)((i64)a * b >> 32), KEEP) \
    X(S_LSHL1_ADD_U32, u32, u32, u32, (a << 1) + b, (((u64)a << 1) + b) >> 32 != 0) \
    X(S_LSHL2_ADD_U32, u32, u32, u32, (a << 2) + b, (((u64)a << 2) + b) >> 32 != 0) \
    X(S_LSHL3_ADD_U32, u32, u32, u32, (a << 3) + b, (((u64)a << 3) + b) >> 32 != 0) \
    X(S_LSHL4_ADD_U32, u32, u32, u32, (a << 4) + b, (((u64)a << 4) + b) >> 32 != 0) \
    X(S_PACK_LL_B32_B16, u32, u32, u32, (a & 0xffff) | b << 16, KEEP) \
    X(S_PACK_LH_B32_B16, u32, u32, u32, (a & 0xffff) | (b & 0xffff0000), KEEP) \
    X(S_PACK_HL_B32_B16, u32, u32, u32, a >> 16 | b << 16, KEEP) \
    X(S_PACK_HH_B32_B16, u32, u32, u32, a >> 16 | (b & 0xffff0000), KEEP) \
    X(S_MOV_B32,   u32, u32, u32, a, KEEP) \
    X(S_MOV_B64,   u64, u64, u32, a, KEEP) \
    X(S_CMOV_B32,  u32, u32, u32, scc ? a : D32, KEEP) \
    X(S_CMOV_B64,  u64, u64, u32, scc ? a : D64, KEEP) \
    X(S_NOT_B32,   u32, u32, u32, ~a, NZ) \
    X(S_NOT_B64,   u64, u64, u32, ~a, NZ) \
    X(S_WQM_B32,   u32, u32, u32, (u32)(any_of_four(a) * 15), NZ) \
    X(S_WQM_B64,   u64, u64, u32, any_of_four(a) * 15, NZ) \
    X(S_BREV_B32,  u32, u32, u32, reverse32(a), KEEP) \
    X(S_BREV_B64,  u64, u64, u32, reverse64(a), KEEP) \
    X(S_BCNT0_I32_B32, u32, u32, u32, 32u - (u32)__builtin_popcount(a), NZ) \
    X(S_BCNT0_I32_B64, u32, u64, u32, 64u - (u32)__builtin_popcountll(a), NZ) \
    X(S_BCNT1_I32_B32, u32, u32, u32, (u32)__builtin_popcount(a), NZ) \
    X(S_BCNT1_I32_B64, u32, u64, u32, (u32)__builtin_popcountll(a), NZ) \
    X(S_FF0_I32_B32, u32, u32, u32, first_low((u32)~a), KEEP) \
    X(S_FF0_I32_B64, u32, u64, u32, first_low(~a), KEEP) \
    X(S_FF1_I32_B32, u32, u32, u32, first_low(a), KEEP) \
    X(S_FF1_I32_B64, u32, u64, u32, first_low(a), KEEP) \
    X(S_FLBIT_I32_B32, u32, u32, u32, first_high32(a), KEEP) \
    X(S_FLBIT_I32_B64, u32, u64, u32, first_high64(a), KEEP) \
    X(S_FLBIT_I32,     u32, i32, u32, first_high32((u32)(a ^ a >> 31)), KEEP) \
    X(S_FLBIT_I32_I64, u32, i64, u32, first_high64((u64)(a ^ a >> 63)), KEEP) \
    X(S_SEXT_I32_I8,  u32, u32, u32, (u32)(i32)(int8_t)a, KEEP) \
    X(S_SEXT_I32_I16, u32, u32, u32, (u32)(i32)(int16_t)a, KEEP) \
    X(S_BITSET0_B32, u32, u32, u32, D32 & ~(1u << (a & 31)), KEEP) \
    X(S_BITSET0_B64, u64, u32, u32, D64 & ~(1ull << (a & 63)), KEEP) \
    X(S_BITSET1_B32, u32, u32, u32, D32 | 1u << (a & 31), KEEP) \
    X(S_BITSET1_B64, u64, u32, u32, D64 | 1ull << (a & 63), KEEP) \
    X(S_QUADMASK_B32, u32, u32, u32, (u32)quad_mask(a), NZ) \
    X(S_QUADMASK_B64, u64, u64, u32, quad_mask(a), NZ) \
    X(S_ABS_I32,   u32, u32, u32, (i32)a < 0 ? 0u - a : a, NZ) \
    X(S_BITREPLICATE_B64_B32, u64, u32, u32, replicate_bits(a), KEEP) \
    X(S_MOVK_I32,  u32, u32, u32, a, KEEP) \
    X(S_CMOVK_I32, u32, u32, u32, scc ? a : D32, KEEP) \
    X(S_ADDK_I32,  u32, u32, u32, a + b, (~(a ^ b) & (a ^ d)) >> 31) \
    X(S_MULK_I32,  u32, u32, u32, a * b, KEEP) \
    X(S_GETPC_B64, u64, u64, u32, a, KEEP)

#define COMPARES(X) \
    X(S_CMP_EQ_I32, i32, i32, a == b) \
    X(S_CMP_LG_I32, i32, i32, a != b) \
    X(S_CMP_GT_I32, i32, i32, a > b) \
    X(S_CMP_GE_I32, i32, i32, a >= b) \
    X(S_CMP_LT_I32, i32, i32, a < b) \
    X(S_CMP_LE_I32, i32, i32, a <= b) \
    X(S_CMP_EQ_U32, u32, u32, a == b) \
    X(S_CMP_LG_U32, u32, u32, a != b) \
    X(S_CMP_GT_U32, u32, u32, a > b) \
    X(S_CMP_GE_U32, u32, u32, a >= b) \
    X(S_CMP_LT_U32, u32, u32, a < b) \
    X(S_CMP_LE_U32, u32, u32, a <= b) \
    X(S_BITCMP0_B32, u32, u32, !(a >> (b & 31) & 1)) \
    X(S_BITCMP1_B32, u32, u32, a >> (b & 31) & 1) \
    X(S_BITCMP0_B64, u64, u32, !(a >> (b & 63) & 1)) \
    X(S_BITCMP1_B64, u64, u32, (u32)(a >> (b & 63) & 1)) \
    X(S_CMP_EQ_U64, u64, u64, a == b) \
    X(S_CMP_LG_U64, u64, u64, a != b) \
    X(S_CMPK_EQ_I32, i32, i32, a == b) \
    X(S_CMPK_LG_I32, i32, i32, a != b) \
    X(S_CMPK_GT_I32, i32, i32, a > b) \
    X(S_CMPK_GE_I32, i32, i32, a >= b) \
    X(S_CMPK_LT_I32, i32, i32, a < b) \
    X(S_CMPK_LE_I32, i32, i32, a <= b) \
    X(S_CMPK_EQ_U32, u32, u32, a == b) \
    X(S_CMPK_LG_U32, u32, u32, a != b) \
    X(S_CMPK_GT_U32, u32, u32, a > b) \
    X(S_CMPK_GE_U32, u32, u32, a >= b) \
    X(S_CMPK_LT_U32, u32, u32, a < b) \
    X(S_CMPK_LE_U32, u32, u32, a <= b)
/* clang-format on */

#define HANDLER(NAME, TD, TA, TB, EXPR, SCC)                                                                 \
    static int h_##NAME(SG_ARGS)                                                                             \
    {                                                                                                        \
        TA a = get_##TA(s, u->a);                                                                            \
        TB b = get_##TB(s, u->b);                                                                            \
        u32 scc = s[SG_S_SCC];                                                                               \
        (void)a, (void)b, (void)scc;                                                                         \
        TD d = (EXPR);                                                                                       \
        put_##TD(s, u->d, d);                                                                                \
        s[SG_S_SCC] = (u32)(SCC);                                                                            \
        SG_NEXT();                                                                                           \
    }
#define COMPARE(NAME, TA, TB, EXPR)                                                                          \
    static int h_##NAME(SG_ARGS)                                                                             \
    {                                                                                                        \
        TA a = get_##TA(s, u->a);                                                                            \
        TB b = get_##TB(s, u->b);                                                                            \
        s[SG_S_SCC] = (EXPR);                                                                                \
        SG_NEXT();                                                                                           \
    }
OPERATIONS(HANDLER)
COMPARES(COMPARE)

#define ROW(NAME, ...) [GCN_OP_##NAME] = h_##NAME,
const sg_fn sg_scalar_alu[GCN_OP_COUNT] = {OPERATIONS(ROW) COMPARES(ROW)};
