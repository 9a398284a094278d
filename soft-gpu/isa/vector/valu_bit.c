/*
 * valu_bit.c - moves, logic, shifts, bit fields, byte permutes. Semantics: MI200 ISA chapter 12.
 */
#include "valu.h"

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;

#define op_mov_b32(a) (a)
#define op_mov_b64(a) (a)
#define op_not_b32(a) (~(a))
SG_FAMILY1(mov_b64, 64, 64, NONE)
SG_HANDLER1(mov_b32_v, op_mov_b32, 32, V32, NONE)
SG_HANDLER1(mov_b32_s, op_mov_b32, 32, S32, NONE)
static const sg_fn mov_b32_fns[8] = {mov_b32_v, mov_b32_s};
SG_FAMILY1(not_b32, 32, 32, NONE)

static inline u32 op_bfrev_b32(u32 a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
}
/* Position of the first one from the top; -1 when there is none. */
static inline u32 op_ffbh_u32(u32 a)
{
    return a ? (u32)__builtin_clz(a) : ~0u;
}
static inline u32 op_ffbl_b32(u32 a)
{
    return a ? (u32)__builtin_ctz(a) : ~0u;
}
/* First bit from the top that differs from the sign. */
static inline u32 op_ffbh_i32(u32 a)
{
    u32 x = a ^ (u32)((i32)a >> 31);
    return x ? (u32)__builtin_clz(x) : ~0u;
}
/* One step of the generator behind stochastic rounding (gfx950). */
#define op_prng_b32(a) ((a) << 1 ^ ((a) >> 31 ? 197u : 0u))
static inline u32 saturate_u8(i32 x)
{
    return (u32)(x < 0 ? 0 : x > 255 ? 255 : x);
}
static inline u32 saturate_i8(i32 x)
{
    return (u32)(x < -128 ? -128 : x > 127 ? 127 : x) & 0xff;
}
#define op_sat_pk_u8_i16(a) (saturate_u8((int16_t)(a)) | saturate_u8((int16_t)((a) >> 16)) << 8)
/* Which of four shader engines draw in a rectangle of tiles, a bit each; tile (x, y) is drawn by engine
 * {x[0] ^ y[1], y[0] ^ x[1]}. Operand: first x and y, last x and y, two bits each. The CDNA guides do not
 * describe the instruction;
 * "Vega" ISA, V_SCREEN_PARTITION_4SE_B32, gives this rule and a table, which agree. */
static u32 op_screen_partition_4se_b32(u32 a)
{
    u32 engines = 0;
    for (u32 x = a >> 6 & 3, i = 0; i <= ((a >> 2) - (a >> 6) & 3); i++, x = (x + 1) & 3)
        for (u32 y = a >> 4 & 3, k = 0; k <= (a - (a >> 4) & 3); k++, y = (y + 1) & 3)
            engines |= 1u << (((x ^ y >> 1) & 1) << 1 | ((y ^ x >> 1) & 1));
    return engines;
}
SG_FAMILY1(screen_partition_4se_b32, 32, 32, NONE)
SG_FAMILY1(bfrev_b32, 32, 32, NONE)
SG_FAMILY1(ffbh_u32, 32, 32, NONE)
SG_FAMILY1(ffbl_b32, 32, 32, NONE)
SG_FAMILY1(ffbh_i32, 32, 32, NONE)
SG_FAMILY1(prng_b32, 32, 32, NONE)
SG_FAMILY1(sat_pk_u8_i16, 32, 32, NONE)

#define op_and_b32(a, b) ((a) & (b))
#define op_or_b32(a, b) ((a) | (b))
#define op_xor_b32(a, b) ((a) ^ (b))
#define op_xnor_b32(a, b) (~((a) ^ (b)))
#define op_lshrrev_b32(a, b) ((b) >> ((a) & 31))
#define op_ashrrev_i32(a, b) ((u32)((i32)(b) >> ((a) & 31)))
#define op_lshlrev_b32(a, b) ((b) << ((a) & 31))
#define op_lshrrev_b16(a, b) (((b) & 0xffff) >> ((a) & 15))
#define op_ashrrev_i16(a, b) ((u32)((int16_t)(b) >> ((a) & 15)) & 0xffff)
#define op_lshlrev_b16(a, b) ((b) << ((a) & 15) & 0xffff)
#define op_lshrrev_b64(a, b) ((b) >> ((a) & 63))
#define op_ashrrev_i64(a, b) ((u64)((int64_t)(b) >> ((a) & 63)))
#define op_lshlrev_b64(a, b) ((b) << ((a) & 63))
#define op_bfm_b32(a, b) (((1u << ((a) & 31)) - 1) << ((b) & 31))
#define op_bcnt_u32_b32(a, b) ((u32)__builtin_popcount(a) + (b))
SG_FAMILY2(and_b32, 32, 32, 32, NONE)
SG_FAMILY2(or_b32, 32, 32, 32, NONE)
SG_FAMILY2(xor_b32, 32, 32, 32, NONE)
SG_FAMILY2(xnor_b32, 32, 32, 32, NONE)
SG_FAMILY2(lshrrev_b32, 32, 32, 32, NONE)
SG_FAMILY2(ashrrev_i32, 32, 32, 32, NONE)
SG_FAMILY2(lshlrev_b32, 32, 32, 32, NONE)
SG_FAMILY2(lshrrev_b16, 32, 32, 32, NONE)
SG_FAMILY2(ashrrev_i16, 32, 32, 32, NONE)
SG_FAMILY2(lshlrev_b16, 32, 32, 32, NONE)
SG_FAMILY2(lshrrev_b64, 64, 32, 64, NONE)
SG_FAMILY2(ashrrev_i64, 64, 32, 64, NONE)
/* By the same number in all lanes, as addresses are scaled: on the words instead of pairs of them. */
#define SHIFT64_HANDLER(NAME, LANES)                                                                         \
    SG_WIDE static int NAME(SG_ARGS)                                                                         \
    {                                                                                                        \
        SG_ROW_MODE(NONE) SG_LOAD_V64(b) const unsigned n = s[u->a] & 63;                                    \
        if (n < 32) {                                                                                        \
            SG_ROW_LOOP_OF(LANES, 64, NONE,                                                                  \
                           (uint64_t)(b1_[i] << n | b0_[i] >> 1 >> (31 - n)) << 32 | (b0_[i] << n))          \
        }                                                                                                    \
        SG_ROW_LOOP_OF(LANES, 64, NONE, (uint64_t)(b0_[i] << (n - 32)) << 32)                                \
    }
SHIFT64_HANDLER(lshlrev_b64_sv, SG_MAX_LANES)
SHIFT64_HANDLER(lshlrev_b64_sv_low, SG_HALF_LANES)
SG_LOW(lshlrev_b64_sv)
SG_HANDLER2(lshlrev_b64_vv, op_lshlrev_b64, 64, V32, V64, NONE)
SG_HANDLER2(lshlrev_b64_vs, op_lshlrev_b64, 64, V32, S64, NONE)
static const sg_fn lshlrev_b64_fns[8] = {lshlrev_b64_vv, lshlrev_b64_sv, lshlrev_b64_vs};
SG_FAMILY2(bfm_b32, 32, 32, 32, NONE)
SG_FAMILY2(bcnt_u32_b32, 32, 32, 32, NONE)

#define op_bfe_u32(a, b, c) ((a) >> ((b) & 31) & ((1u << ((c) & 31)) - 1))
/* Sign-extended from the field's top bit; a field of no bits is 0. */
static inline u32 op_bfe_i32(u32 a, u32 b, u32 c)
{
    u32 width = c & 31, left = (32 - width) & 31;
    u32 field = (u32)((i32)a >> (b & 31));
    u32 r = (u32)((i32)(field << left) >> left);
    return width ? r : 0;
}
#define op_bfi_b32(a, b, c) (((a) & (b)) | (~(a) & (c)))
#define op_alignbit_b32(a, b, c) ((u32)(((u64)(a) << 32 | (b)) >> ((c) & 31)))
#define op_alignbyte_b32(a, b, c) ((u32)(((u64)(a) << 32 | (b)) >> 8 * ((c) & 3)))
#define op_lshl_or_b32(a, b, c) ((a) << ((b) & 31) | (c))
#define op_and_or_b32(a, b, c) (((a) & (b)) | (c))
#define op_or3_b32(a, b, c) ((a) | (b) | (c))
#define op_xor3_b32(a, b, c) ((a) ^ (b) ^ (c))
SG_FAMILY3_FAST(bfe_u32, 32, 32, 32, 32, NONE)
SG_FAMILY3(bfe_i32, 32, 32, 32, 32, NONE)
SG_FAMILY3_FAST(bfi_b32, 32, 32, 32, 32, NONE)
SG_FAMILY3_FAST(alignbit_b32, 32, 32, 32, 32, NONE)
SG_FAMILY3(alignbyte_b32, 32, 32, 32, 32, NONE)
SG_FAMILY3_FAST(lshl_or_b32, 32, 32, 32, 32, NONE)
SG_FAMILY3_FAST(and_or_b32, 32, 32, 32, 32, NONE)
SG_FAMILY3(or3_b32, 32, 32, 32, 32, NONE)
SG_FAMILY3(xor3_b32, 32, 32, 32, 32, NONE)

/* v_perm_b32: each byte of c selects: 0..7 a byte of {a, b} (b low), 8..11 the sign of byte 1, 3, 5 or 7
 * spread, 12 zero, above all ones. With the byte shuffle of the host, whose index counts within 16 bytes, so
 * the position of the dword is added. */
static inline __m256i permuted(__m256i a, __m256i b, __m256i c)
{
    const __m256i dword = _mm256_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0, 0, 4,
                                           4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
    const __m256i three = _mm256_set1_epi8(3), one = _mm256_set1_epi8(1);
    const __m256i plain_at = _mm256_or_si256(_mm256_and_si256(c, three), dword);
    /* Bit 2 of the selector, moved to the top of each byte, picks a; the sign forms use bit 1. */
    const __m256i plain = _mm256_blendv_epi8(_mm256_shuffle_epi8(b, plain_at),
                                             _mm256_shuffle_epi8(a, plain_at), _mm256_slli_epi16(c, 5));
    const __m256i odd = _mm256_or_si256(_mm256_slli_epi16(_mm256_and_si256(c, one), 1), one);
    const __m256i sign_at = _mm256_or_si256(odd, dword);
    const __m256i sign = _mm256_blendv_epi8(_mm256_shuffle_epi8(b, sign_at), _mm256_shuffle_epi8(a, sign_at),
                                            _mm256_slli_epi16(c, 6));
    const __m256i spread = _mm256_cmpgt_epi8(_mm256_setzero_si256(), sign);
    /* Selectors are unsigned; max(c, k) == c says c >= k. */
    const __m256i is_sign = _mm256_cmpeq_epi8(_mm256_max_epu8(c, _mm256_set1_epi8(8)), c);
    const __m256i is_constant = _mm256_cmpeq_epi8(_mm256_max_epu8(c, _mm256_set1_epi8(12)), c);
    const __m256i ones = _mm256_cmpeq_epi8(_mm256_max_epu8(c, _mm256_set1_epi8(13)), c);
    return _mm256_blendv_epi8(_mm256_blendv_epi8(plain, spread, is_sign), ones, is_constant);
}

static int perm_b32(SG_ARGS)
{
    const __m256i *a = (const __m256i *)v[u->a], *b = (const __m256i *)v[u->b], *c = (const __m256i *)v[u->c];
    const __m256i *m = (const __m256i *)w->xm;
    __m256i *d = (__m256i *)v[u->d];
    (void)s;
    for (unsigned x = 0; x < SG_MAX_LANES / 8; x++)
        d[x] = _mm256_blendv_epi8(d[x], permuted(a[x], b[x], c[x]), m[x]);
    SG_NEXT();
}
static const sg_fn perm_b32_fns[8] = {perm_b32};

#define op_ashr_pk_i8_i32(a, b, c)                                                                           \
    (saturate_i8((i32)(a) >> ((c) & 31)) | saturate_i8((i32)(b) >> ((c) & 31)) << 8)
#define op_ashr_pk_u8_i32(a, b, c)                                                                           \
    (saturate_u8((i32)(a) >> ((c) & 31)) | saturate_u8((i32)(b) >> ((c) & 31)) << 8)
SG_FAMILY3(ashr_pk_i8_i32, 32, 32, 32, 32, NONE)
SG_FAMILY3(ashr_pk_u8_i32, 32, 32, 32, 32, NONE)

/* v_bitop3 (gfx950): any function of three bits. The table stands in the modifier fields: omod, abs, neg from
 * the top (MI350 ISA, V_BITOP3_B32); bit 4a+2b+c of it is the result for source bits a, b, c. */
#define op_bitop3(a, b, c)                                                                                   \
    ((t0 & ~(a) & ~(b) & ~(c)) | (t1 & ~(a) & ~(b) & (c)) | (t2 & ~(a) & (b) & ~(c)) |                       \
     (t3 & ~(a) & (b) & (c)) | (t4 & (a) & ~(b) & ~(c)) | (t5 & (a) & ~(b) & (c)) |                          \
     (t6 & (a) & (b) & ~(c)) | (t7 & (a) & (b) & (c)))

static int bitop3(SG_ARGS)
{
    const u32 t0 = -(u->flags & 1), t1 = -(u->flags >> 1 & 1), t2 = -(u->flags >> 2 & 1),
              t3 = -(u->flags >> 3 & 1), t4 = -(u->flags >> 4 & 1), t5 = -(u->flags >> 5 & 1),
              t6 = -(u->flags >> 6 & 1), t7 = -(u->flags >> 7 & 1);
    SG_LOAD_V32(a)
    SG_LOAD_V32(b)
    SG_LOAD_V32(c)
    const u32 width = u->x;
    SG_ROW_MODE(NONE) SG_ROW_LOOP(32, NONE, op_bitop3(a0_[i], b0_[i], c0_[i]) & width)
}

static bool build_bitop3(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    const enum sg_vtype type = op->dst;
    const unsigned table = (unsigned)(in->omod & 3) << 6 | (in->abs & 7u) << 3 | (in->neg & 7u);
    unsigned row[3];
    for (unsigned k = 0; k < 3; k++)
        row[k] = sg_valu_source_row(b, in, k, type);
    const bool half = type == SG_T_B16;
    unsigned d = half ? sg_temp_rows(b, 1) : sg_row(&in->dst);
    struct sg_uop *u = sg_emit(b, bitop3, d, row[0], row[1], row[2]);
    u->flags = table;
    u->x = half ? 0xffff : ~0u;
    if (half)
        sg_valu_insert_half(b, sg_row(&in->dst), d, in->op_sel & 8);
    return true;
}

#define OP1(NAME, FNS) {.op = GCN_OP_V_##NAME, .dst = SG_T_B32, .src = {SG_T_B32}, .fns = FNS##_fns}
#define OP2(NAME, FNS) {.op = GCN_OP_V_##NAME, .dst = SG_T_B32, .src = {SG_T_B32, SG_T_B32}, .fns = FNS##_fns}
#define OP3(NAME, FNS)                                                                                       \
    {.op = GCN_OP_V_##NAME, .dst = SG_T_B32, .src = {SG_T_B32, SG_T_B32, SG_T_B32}, .fns = FNS##_fns}
/* Of 16-bit results the lower half of the row counts. */
#define HALF1(NAME, FNS) {.op = GCN_OP_V_##NAME, .dst = SG_T_B16, .src = {SG_T_B16}, .fns = FNS##_fns}
#define HALF2(NAME, FNS)                                                                                     \
    {.op = GCN_OP_V_##NAME, .dst = SG_T_B16, .src = {SG_T_B16, SG_T_B16}, .fns = FNS##_fns}
#define SHIFT64(NAME, FNS)                                                                                   \
    {.op = GCN_OP_V_##NAME, .dst = SG_T_B64, .src = {SG_T_B32, SG_T_B64}, .fns = FNS##_fns}
#define PACK8(NAME, FNS)                                                                                     \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_B16,                                                                                        \
     .src = {SG_T_B32, SG_T_B32, SG_T_B32},                                                                  \
     .fns = FNS##_fns,                                                                                       \
     .flags = SG_VOP_KEEP_HIGH}

const struct sg_valu_op sg_valu_bit_ops[] = {
    OP1(MOV_B32, mov_b32),
    OP1(ACCVGPR_READ_B32, mov_b32),
    OP1(ACCVGPR_WRITE_B32, mov_b32),
    OP1(ACCVGPR_MOV_B32, mov_b32),
    {.op = GCN_OP_V_MOV_B64, .dst = SG_T_B64, .src = {SG_T_B64}, .fns = mov_b64_fns},
    OP1(NOT_B32, not_b32),
    HALF1(MOV_B16, mov_b32),
    HALF1(NOT_B16, not_b32),
    HALF2(AND_B16, and_b32),
    HALF2(OR_B16, or_b32),
    HALF2(XOR_B16, xor_b32),
    OP1(BFREV_B32, bfrev_b32),
    OP1(SCREEN_PARTITION_4SE_B32, screen_partition_4se_b32),
    OP1(FFBH_U32, ffbh_u32),
    OP1(FFBL_B32, ffbl_b32),
    OP1(FFBH_I32, ffbh_i32),
    OP1(PRNG_B32, prng_b32),
    {.op = GCN_OP_V_SAT_PK_U8_I16, .dst = SG_T_B16, .src = {SG_T_B32}, .fns = sat_pk_u8_i16_fns},
    OP2(AND_B32, and_b32),
    OP2(OR_B32, or_b32),
    OP2(XOR_B32, xor_b32),
    OP2(XNOR_B32, xnor_b32),
    OP2(LSHRREV_B32, lshrrev_b32),
    OP2(ASHRREV_I32, ashrrev_i32),
    OP2(LSHLREV_B32, lshlrev_b32),
    HALF2(LSHRREV_B16, lshrrev_b16),
    HALF2(ASHRREV_I16, ashrrev_i16),
    HALF2(LSHLREV_B16, lshlrev_b16),
    SHIFT64(LSHRREV_B64, lshrrev_b64),
    SHIFT64(ASHRREV_I64, ashrrev_i64),
    SHIFT64(LSHLREV_B64, lshlrev_b64),
    OP2(BFM_B32, bfm_b32),
    OP2(BCNT_U32_B32, bcnt_u32_b32),
    OP3(BFE_U32, bfe_u32),
    OP3(BFE_I32, bfe_i32),
    OP3(BFI_B32, bfi_b32),
    OP3(ALIGNBIT_B32, alignbit_b32),
    OP3(ALIGNBYTE_B32, alignbyte_b32),
    OP3(LSHL_OR_B32, lshl_or_b32),
    OP3(AND_OR_B32, and_or_b32),
    OP3(OR3_B32, or3_b32),
    OP3(XOR3_B32, xor3_b32),
    OP3(PERM_B32, perm_b32),
    PACK8(ASHR_PK_I8_I32, ashr_pk_i8_i32),
    PACK8(ASHR_PK_U8_I32, ashr_pk_u8_i32),
    {.op = GCN_OP_V_BITOP3_B32, .dst = SG_T_B32, .build = build_bitop3},
    {.op = GCN_OP_V_BITOP3_B16, .dst = SG_T_B16, .build = build_bitop3},
    {0},
};
