/*
 * valu_float64.c - f64 arithmetic, minimum and maximum, rounding. A double lives in two rows. Semantics:
 * MI200 ISA chapter 12.
 */
#include "valu_float.h"

typedef uint64_t u64;

/* ---- The frequent ones by hand: eight lanes at a time, low and high dwords interleaved within 128 bits.
 * That makes doubles in an odd order, which does not matter to lane-wise arithmetic, and the same shuffle
 * undoes it. */
struct f64x8 {
    __m256d p, q;
};

static inline struct f64x8 rows_at(const uint32_t *low, const uint32_t *high, uint32_t mask, uint32_t flip)
{
    const __m256i l = _mm256_loadu_si256((const __m256i *)low);
    __m256i h = _mm256_loadu_si256((const __m256i *)high);
    h = _mm256_xor_si256(_mm256_and_si256(h, _mm256_set1_epi32((int)mask)), _mm256_set1_epi32((int)flip));
    return (struct f64x8){_mm256_castsi256_pd(_mm256_unpacklo_epi32(l, h)),
                          _mm256_castsi256_pd(_mm256_unpackhi_epi32(l, h))};
}
static inline struct f64x8 splat_f64(u64 bits)
{
    const __m256d x = _mm256_set1_pd(sg_f64(bits));
    return (struct f64x8){x, x};
}
static inline void put_rows(struct f64x8 x, uint32_t *low, uint32_t *high, const uint32_t *mask)
{
    const __m256 p = _mm256_castpd_ps(x.p), q = _mm256_castpd_ps(x.q);
    __m256 l = _mm256_shuffle_ps(p, q, 0x88), h = _mm256_shuffle_ps(p, q, 0xdd);
    if (mask) {
        const __m256 m = _mm256_loadu_ps((const float *)mask);
        l = _mm256_blendv_ps(_mm256_loadu_ps((const float *)low), l, m);
        h = _mm256_blendv_ps(_mm256_loadu_ps((const float *)high), h, m);
    }
    _mm256_storeu_ps((float *)low, l);
    _mm256_storeu_ps((float *)high, h);
}

#define F64_AT_V64(n) rows_at(n##0_ + i, n##1_ + i, ~0u, 0)
#define F64_AT_M64(n) rows_at(n##0_ + i, n##1_ + i, n##and_, n##xor_)
#define F64_AT_S64(n) splat_f64(n##0_)
#define F64_LOOP(LANES, MASK, LOAD, EXPR)                                                                    \
    for (unsigned i = 0; i < LANES; i += 8) {                                                                \
        LOAD;                                                                                                \
        struct f64x8 r;                                                                                      \
        EXPR(r, p);                                                                                          \
        EXPR(r, q);                                                                                          \
        put_rows(r, d0_ + i, d1_ + i, MASK);                                                                 \
    }
#define F64_BODY(LANES, LOAD, EXPR)                                                                          \
    SG_DST_64 if (sg_all_active(w, LANES))                                                                   \
        F64_LOOP(LANES, NULL, LOAD, EXPR) else F64_LOOP(LANES, w->xm + i, LOAD, EXPR) SG_FP_64_END           \
        SG_NEXT();
#define F64_LOAD2(KA, KB)                                                                                    \
    const struct f64x8 x = F64_AT_##KA(a);                                                                   \
    const struct f64x8 y = F64_AT_##KB(b)
#define F64_LOAD3(KA, KB, KC)                                                                                \
    F64_LOAD2(KA, KB);                                                                                       \
    const struct f64x8 z = F64_AT_##KC(c)
#define F64_HANDLER2(NAME, EXPR, KA, KB)                                                                     \
    F64_HANDLER2_OF(NAME, SG_MAX_LANES, EXPR, KA, KB)                                                        \
    F64_HANDLER2_OF(NAME##_low, SG_HALF_LANES, EXPR, KA, KB) SG_LOW(NAME)
#define F64_HANDLER2_OF(NAME, LANES, EXPR, KA, KB)                                                           \
    SG_WIDE static int NAME(SG_ARGS)                                                                         \
    {                                                                                                        \
        SG_ROW_MODE(64) SG_LOAD_##KA(a) SG_LOAD_##KB(b) F64_BODY(LANES, F64_LOAD2(KA, KB), EXPR)             \
    }
#define F64_HANDLER3(NAME, EXPR, KA, KB, KC)                                                                 \
    F64_HANDLER3_OF(NAME, SG_MAX_LANES, EXPR, KA, KB, KC)                                                    \
    F64_HANDLER3_OF(NAME##_low, SG_HALF_LANES, EXPR, KA, KB, KC) SG_LOW(NAME)
#define F64_HANDLER3_OF(NAME, LANES, EXPR, KA, KB, KC)                                                       \
    SG_WIDE static int NAME(SG_ARGS)                                                                         \
    {                                                                                                        \
        SG_ROW_MODE(64)                                                                                      \
        SG_LOAD_##KA(a) SG_LOAD_##KB(b) SG_LOAD_##KC(c) F64_BODY(LANES, F64_LOAD3(KA, KB, KC), EXPR)         \
    }
#define F64_FAMILY2(NAME, EXPR)                                                                              \
    F64_HANDLER2(NAME##_vv, EXPR, V64, V64)                                                                  \
    F64_HANDLER2(NAME##_sv, EXPR, S64, V64)                                                                  \
    F64_HANDLER2(NAME##_vs, EXPR, V64, S64)                                                                  \
    F64_HANDLER2(NAME##_mm, EXPR, M64, M64)                                                                  \
    F64_HANDLER2(NAME##_sm, EXPR, S64, M64)                                                                  \
    F64_HANDLER2(NAME##_ms, EXPR, M64, S64)                                                                  \
    static const sg_fn NAME##_fns[8] = {NAME##_vv, NAME##_sv, NAME##_vs};                                    \
    static const sg_fn NAME##_modifier_fns[8] = {NAME##_mm, NAME##_sm, NAME##_ms};

#define ADD(r, h) r.h = _mm256_add_pd(x.h, y.h)
#define MUL(r, h) r.h = _mm256_mul_pd(x.h, y.h)
#define FMA(r, h) r.h = _mm256_fmadd_pd(x.h, y.h, z.h)
F64_FAMILY2(add_f64, ADD)
F64_FAMILY2(mul_f64, MUL)
F64_HANDLER3(fma_f64_vvv, FMA, V64, V64, V64)
F64_HANDLER3(fma_f64_svv, FMA, S64, V64, V64)
F64_HANDLER3(fma_f64_vsv, FMA, V64, S64, V64)
F64_HANDLER3(fma_f64_vvs, FMA, V64, V64, S64)
F64_HANDLER3(fma_f64_vss, FMA, V64, S64, S64)
F64_HANDLER3(fma_f64_mmm, FMA, M64, M64, M64)
F64_HANDLER3(fma_f64_smm, FMA, S64, M64, M64)
F64_HANDLER3(fma_f64_msm, FMA, M64, S64, M64)
F64_HANDLER3(fma_f64_mms, FMA, M64, M64, S64)
static const sg_fn fma_f64_fns[8] = {fma_f64_vvv, fma_f64_svv, fma_f64_vsv, NULL,
                                     fma_f64_vvs, NULL,        fma_f64_vss};
static const sg_fn fma_f64_modifier_fns[8] = {fma_f64_mmm, fma_f64_smm, fma_f64_msm, NULL, fma_f64_mms};

#define op_min_f64(a, b) sg_min64(a, b, mode &SG_MODE_IEEE)
#define op_max_f64(a, b) sg_max64(a, b, mode &SG_MODE_IEEE)
SG_FAMILY2(min_f64, 64, 64, 64, NONE)
SG_FAMILY2(max_f64, 64, 64, 64, NONE)

#define op_trunc_f64(a) sg_u64(__builtin_trunc(sg_f64(a)))
#define op_ceil_f64(a) sg_u64(__builtin_ceil(sg_f64(a)))
#define op_floor_f64(a) sg_u64(__builtin_floor(sg_f64(a)))
#define op_rndne_f64(a) sg_u64(__builtin_roundeven(sg_f64(a)))
/* Below 1 by definition, as v_fract_f32. */
static inline u64 op_fract_f64(u64 a)
{
    double x = sg_f64(a), r = x - __builtin_floor(x);
    return sg_u64(r >= 1.0 ? 0x1.fffffffffffffp-1 : r);
}
SG_FAMILY1(trunc_f64, 64, 64, 64)
SG_FAMILY1(ceil_f64, 64, 64, 64)
SG_FAMILY1(floor_f64, 64, 64, 64)
SG_FAMILY1(rndne_f64, 64, 64, 64)
SG_FAMILY1(fract_f64, 64, 64, 64)

#define OP1(NAME, FNS) {.op = GCN_OP_V_##NAME, .dst = SG_T_F64, .src = {SG_T_F64}, .fns = FNS##_fns}
#define OP2(NAME, FNS) {.op = GCN_OP_V_##NAME, .dst = SG_T_F64, .src = {SG_T_F64, SG_T_F64}, .fns = FNS##_fns}
#define OP2M(NAME, FNS)                                                                                      \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_F64,                                                                                        \
     .src = {SG_T_F64, SG_T_F64},                                                                            \
     .fns = FNS##_fns,                                                                                       \
     .modifier_fns = FNS##_modifier_fns}
#define OP3M(NAME, FNS)                                                                                      \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_F64,                                                                                        \
     .src = {SG_T_F64, SG_T_F64, SG_T_F64},                                                                  \
     .fns = FNS##_fns,                                                                                       \
     .modifier_fns = FNS##_modifier_fns}

const struct sg_valu_op sg_valu_float64_ops[] = {
    OP2M(ADD_F64, add_f64),    OP2M(MUL_F64, mul_f64),    OP2(MIN_F64, min_f64),     OP2(MAX_F64, max_f64),
    OP3M(FMA_F64, fma_f64),    OP3M(FMAC_F64, fma_f64),   OP1(TRUNC_F64, trunc_f64), OP1(CEIL_F64, ceil_f64),
    OP1(FLOOR_F64, floor_f64), OP1(RNDNE_F64, rndne_f64), OP1(FRACT_F64, fract_f64), {0},
};
