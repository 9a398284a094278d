/*
 * valu_mfma.c - matrix instructions: v_mfma_* dense, v_smfmac_* with 4:2 sparse A, and gfx950's f8f6f4 family
 * with block scales. EXEC does not matter to them, and all GPUs that have them have wavefronts of 64 lanes.
 * Layouts and order of additions: valu_matrix.h, valu_matrix.c.
 *
 * CBSZ and ABID make block ABID of each group of 2^CBSZ blocks of A serve the whole group; BLGP exchanges
 * lanes of B; for f64 it negates A, B, C instead (MI300 ISA section 7.1). For v_smfmac CBSZ 0 lets ABID
 * choose the set of indices in the index register; for f8f6f4 CBSZ and BLGP are the formats of A and B.
 */
#include "valu_matrix.h"

/* Fields of the micro-operation:
 * d, a, b, c rows (c of constants: the scalar), imm the index into `shapes`. */
enum {
    FLAG_CBSZ = 0, /* 3 bits */
    FLAG_ABID = 3, /* 4 bits */
    FLAG_BLGP = 7, /* 3 bits */
    FLAG_CONSTANT_C = 1 << 10,
    FLAG_FLUSH = 1 << 11, /* CDNA2: denormals of narrow types and their results become 0; sums in a tree */
};
#define CBSZ_OF(u) ((u)->flags >> FLAG_CBSZ & 7)
#define ABID_OF(u) ((u)->flags >> FLAG_ABID & 15)
#define BLGP_OF(u) ((u)->flags >> FLAG_BLGP & 7)

#define MFMA(TYPE, NAME, M, N, K, BLOCKS, A, B, GROUP)                                                       \
    {GCN_OP_V_MFMA_##TYPE##_##NAME, M, N, K, BLOCKS, SG_EL_##A, SG_EL_##B, SG_MATRIX_DENSE, GROUP}
#define SPARSE(TYPE, NAME, M, N, K, A, B, GROUP)                                                             \
    {GCN_OP_V_SMFMAC_##TYPE##_##NAME, M, N, K, 1, SG_EL_##A, SG_EL_##B, SG_MATRIX_SPARSE, GROUP}
#define MINI(NAME, M, N, K, KIND) {GCN_OP_V_##NAME, M, N, K, 1, SG_EL_FP8, SG_EL_FP8, SG_MATRIX_##KIND, 32}
/* Groups: CDNA2 narrow types 4 (2 for the older bf16 forms); CDNA3 f16 and bf16 8, xf32 4, fp8 16. */
static const struct sg_matrix_shape shapes[] = {
    MFMA(F32, 32X32X1_2B_F32, 32, 32, 1, 2, F32, F32, 1),
    MFMA(F32, 16X16X1_4B_F32, 16, 16, 1, 4, F32, F32, 1),
    MFMA(F32, 4X4X1_16B_F32, 4, 4, 1, 16, F32, F32, 1),
    MFMA(F32, 32X32X2_F32, 32, 32, 2, 1, F32, F32, 1),
    MFMA(F32, 16X16X4_F32, 16, 16, 4, 1, F32, F32, 1),
    MFMA(F32, 16X16X8_XF32, 16, 16, 8, 1, XF32, XF32, 4),
    MFMA(F32, 32X32X4_XF32, 32, 32, 4, 1, XF32, XF32, 4),
    MFMA(F32, 32X32X4_2B_F16, 32, 32, 4, 2, F16, F16, 8),
    MFMA(F32, 16X16X4_4B_F16, 16, 16, 4, 4, F16, F16, 8),
    MFMA(F32, 4X4X4_16B_F16, 4, 4, 4, 16, F16, F16, 8),
    MFMA(F32, 32X32X8_F16, 32, 32, 8, 1, F16, F16, 8),
    MFMA(F32, 16X16X16_F16, 16, 16, 16, 1, F16, F16, 8),
    MFMA(F32, 16X16X32_F16, 16, 16, 32, 1, F16, F16, 8),
    MFMA(F32, 32X32X16_F16, 32, 32, 16, 1, F16, F16, 8),
    MFMA(F32, 32X32X2_2B_BF16, 32, 32, 2, 2, BF16, BF16, 2),
    MFMA(F32, 16X16X2_4B_BF16, 16, 16, 2, 4, BF16, BF16, 2),
    MFMA(F32, 4X4X2_16B_BF16, 4, 4, 2, 16, BF16, BF16, 2),
    MFMA(F32, 32X32X4_BF16, 32, 32, 4, 1, BF16, BF16, 2),
    MFMA(F32, 16X16X8_BF16, 16, 16, 8, 1, BF16, BF16, 2),
    MFMA(F32, 32X32X4_2B_BF16, 32, 32, 4, 2, BF16, BF16, 8),
    MFMA(F32, 16X16X4_4B_BF16, 16, 16, 4, 4, BF16, BF16, 8),
    MFMA(F32, 4X4X4_16B_BF16, 4, 4, 4, 16, BF16, BF16, 8),
    MFMA(F32, 32X32X8_BF16, 32, 32, 8, 1, BF16, BF16, 8),
    MFMA(F32, 16X16X16_BF16, 16, 16, 16, 1, BF16, BF16, 8),
    MFMA(F32, 16X16X32_BF16, 16, 16, 32, 1, BF16, BF16, 8),
    MFMA(F32, 32X32X16_BF16, 32, 32, 16, 1, BF16, BF16, 8),
    MFMA(F32, 16X16X32_BF8_BF8, 16, 16, 32, 1, BF8, BF8, 16),
    MFMA(F32, 16X16X32_BF8_FP8, 16, 16, 32, 1, BF8, FP8, 16),
    MFMA(F32, 16X16X32_FP8_BF8, 16, 16, 32, 1, FP8, BF8, 16),
    MFMA(F32, 16X16X32_FP8_FP8, 16, 16, 32, 1, FP8, FP8, 16),
    MFMA(F32, 32X32X16_BF8_BF8, 32, 32, 16, 1, BF8, BF8, 16),
    MFMA(F32, 32X32X16_BF8_FP8, 32, 32, 16, 1, BF8, FP8, 16),
    MFMA(F32, 32X32X16_FP8_BF8, 32, 32, 16, 1, FP8, BF8, 16),
    MFMA(F32, 32X32X16_FP8_FP8, 32, 32, 16, 1, FP8, FP8, 16),
    MFMA(I32, 32X32X4_2B_I8, 32, 32, 4, 2, I8, I8, 1),
    MFMA(I32, 16X16X4_4B_I8, 16, 16, 4, 4, I8, I8, 1),
    MFMA(I32, 4X4X4_16B_I8, 4, 4, 4, 16, I8, I8, 1),
    MFMA(I32, 32X32X8_I8, 32, 32, 8, 1, I8, I8, 1),
    MFMA(I32, 16X16X16_I8, 16, 16, 16, 1, I8, I8, 1),
    MFMA(I32, 32X32X16_I8, 32, 32, 16, 1, I8, I8, 1),
    MFMA(I32, 16X16X32_I8, 16, 16, 32, 1, I8, I8, 1),
    MFMA(I32, 16X16X64_I8, 16, 16, 64, 1, I8, I8, 1),
    MFMA(I32, 32X32X32_I8, 32, 32, 32, 1, I8, I8, 1),
    MFMA(F64, 16X16X4_F64, 16, 16, 4, 1, F64, F64, 1),
    MFMA(F64, 4X4X4_4B_F64, 4, 4, 4, 4, F64, F64, 1),
    MINI(MFMA_F32_16X16X128_F8F6F4, 16, 16, 128, F8F6F4),
    MINI(MFMA_F32_32X32X64_F8F6F4, 32, 32, 64, F8F6F4),
    MINI(MFMA_SCALE_F32_16X16X128_F8F6F4, 16, 16, 128, SCALED),
    MINI(MFMA_SCALE_F32_32X32X64_F8F6F4, 32, 32, 64, SCALED),
    SPARSE(F32, 16X16X32_F16, 16, 16, 32, F16, F16, 8),
    SPARSE(F32, 32X32X16_F16, 32, 32, 16, F16, F16, 8),
    SPARSE(F32, 16X16X32_BF16, 16, 16, 32, BF16, BF16, 8),
    SPARSE(F32, 32X32X16_BF16, 32, 32, 16, BF16, BF16, 8),
    SPARSE(F32, 16X16X64_F16, 16, 16, 64, F16, F16, 8),
    SPARSE(F32, 32X32X32_F16, 32, 32, 32, F16, F16, 8),
    SPARSE(F32, 16X16X64_BF16, 16, 16, 64, BF16, BF16, 8),
    SPARSE(F32, 32X32X32_BF16, 32, 32, 32, BF16, BF16, 8),
    SPARSE(I32, 16X16X64_I8, 16, 16, 64, I8, I8, 1),
    SPARSE(I32, 32X32X32_I8, 32, 32, 32, I8, I8, 1),
    SPARSE(I32, 16X16X128_I8, 16, 16, 128, I8, I8, 1),
    SPARSE(I32, 32X32X64_I8, 32, 32, 64, I8, I8, 1),
    SPARSE(F32, 16X16X64_BF8_BF8, 16, 16, 64, BF8, BF8, 16),
    SPARSE(F32, 16X16X64_BF8_FP8, 16, 16, 64, BF8, FP8, 16),
    SPARSE(F32, 16X16X64_FP8_BF8, 16, 16, 64, FP8, BF8, 16),
    SPARSE(F32, 16X16X64_FP8_FP8, 16, 16, 64, FP8, FP8, 16),
    SPARSE(F32, 32X32X32_BF8_BF8, 32, 32, 32, BF8, BF8, 16),
    SPARSE(F32, 32X32X32_BF8_FP8, 32, 32, 32, BF8, FP8, 16),
    SPARSE(F32, 32X32X32_FP8_BF8, 32, 32, 32, FP8, BF8, 16),
    SPARSE(F32, 32X32X32_FP8_FP8, 32, 32, 32, FP8, FP8, 16),
    SPARSE(F32, 16X16X128_BF8_BF8, 16, 16, 128, BF8, BF8, 16),
    SPARSE(F32, 16X16X128_BF8_FP8, 16, 16, 128, BF8, FP8, 16),
    SPARSE(F32, 16X16X128_FP8_BF8, 16, 16, 128, FP8, BF8, 16),
    SPARSE(F32, 16X16X128_FP8_FP8, 16, 16, 128, FP8, FP8, 16),
    SPARSE(F32, 32X32X64_BF8_BF8, 32, 32, 64, BF8, BF8, 16),
    SPARSE(F32, 32X32X64_BF8_FP8, 32, 32, 64, BF8, FP8, 16),
    SPARSE(F32, 32X32X64_FP8_BF8, 32, 32, 64, FP8, BF8, 16),
    SPARSE(F32, 32X32X64_FP8_FP8, 32, 32, 64, FP8, FP8, 16),
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static unsigned elements_per_lane(unsigned edge, unsigned k, unsigned blocks)
{
    unsigned e = edge * k * blocks / SG_MAX_LANES;
    return e ? e : 1;
}

static unsigned result_rows(const struct sg_matrix_shape *s)
{
    return s->m * s->n * s->blocks / SG_MAX_LANES * (s->a == SG_EL_F64 ? 2 : 1);
}

/* BLGP: lane that stands in for each lane of B (MI300 ISA section 7.1): 1 and 2 broadcast one half, 3 rotates
 * by 16, 4 to 7 broadcast one quarter. */
static const uint8_t *blgp_lanes(unsigned blgp, uint8_t lanes[SG_MAX_LANES])
{
    if (!blgp)
        return NULL;
    for (unsigned lane = 0; lane < SG_MAX_LANES; lane++)
        lanes[lane] = (uint8_t)(blgp == 3  ? (lane + 16) % 64
                                : blgp < 3 ? 32 * (blgp - 1) + lane % 32
                                           : 16 * (blgp - 4) + lane % 16);
    return lanes;
}

static enum sg_element for_target(unsigned el, bool ocp)
{
    if (!ocp && el == SG_EL_FP8)
        return SG_EL_FP8_FNUZ;
    if (!ocp && el == SG_EL_BF8)
        return SG_EL_BF8_FNUZ;
    return (enum sg_element)el;
}

static bool is_ocp(const struct sg_wave *w)
{
    return w->arch->fp8 == LS_FP8_OCP;
}

/* ---- f32 operands and results: one register each for A and B, which need no unpacking ---- */
static int mfma_f32_plain(SG_ARGS)
{
    (void)w;
    const bool constant = u->flags & FLAG_CONSTANT_C;
    const unsigned n = result_rows(&shapes[u->imm]);
    _Alignas(64) float copy[2][SG_MAX_LANES];
    struct sg_matrix_job job = {.shape = &shapes[u->imm],
                                .a = (const float *)v[u->a],
                                .b = (const float *)v[u->b],
                                .v = v,
                                .d = u->d,
                                .c = u->c,
                                .c_constant = constant,
                                .c_value = constant ? sg_f32(s[u->c]) : 0.0f};
    if (u->a - (unsigned)u->d < n) /* operands among the results */
        job.a = memcpy(copy[0], v[u->a], sizeof copy[0]);
    if (u->b - (unsigned)u->d < n)
        job.b = memcpy(copy[1], v[u->b], sizeof copy[1]);
    sg_matrix_multiply_f32(&job);
    SG_NEXT();
}

/* ---- f32 results, dense ---- */
static int mfma_f32(SG_ARGS)
{
    const struct sg_matrix_shape *shape = &shapes[u->imm];
    _Alignas(64) float a[SG_MATRIX_MAX], b[SG_MATRIX_MAX];
    uint8_t lanes[SG_MAX_LANES];
    const bool cdna2 = u->flags & FLAG_FLUSH, exact = w->exact_matrix, flush = cdna2 && !exact,
               ocp = is_ocp(w);
    const enum sg_element type_a = for_target(shape->a, ocp), type_b = for_target(shape->b, ocp);
    const unsigned ma = shape->m * shape->blocks, nb = shape->n * shape->blocks;
    sg_matrix_unpack(a, v, u->a, type_a, elements_per_lane(shape->m, shape->k, shape->blocks), ma, NULL,
                     flush);
    sg_matrix_unpack(b, v, u->b, type_b, elements_per_lane(shape->n, shape->k, shape->blocks), nb,
                     blgp_lanes(BLGP_OF(u), lanes), flush);
    struct sg_matrix_shape adjusted = *shape;
    if (cdna2 && adjusted.group == 8)
        adjusted.group = 4;
    const bool constant = u->flags & FLAG_CONSTANT_C;
    struct sg_matrix_job job = {.shape = &adjusted,
                                .a = a,
                                .b = b,
                                .v = v,
                                .d = u->d,
                                .c = u->c,
                                .c_constant = constant,
                                .c_value = constant ? sg_f32(s[u->c]) : 0.0f,
                                .cbsz = CBSZ_OF(u),
                                .abid = ABID_OF(u)};
    if (exact && adjusted.group > 1) {
        sg_matrix_multiply_exact(&job, type_a, type_b, cdna2);
    } else if (cdna2) {
        unsigned csr = sg_fp_enter(0, 0);
        sg_matrix_multiply(&job, true);
        sg_fp_leave(csr);
    } else {
        sg_matrix_multiply(&job, false);
    }
    SG_NEXT();
}

/* ---- i32 results ---- */
static void multiply_i32(const struct sg_matrix_shape *shape, const struct sg_uop *u, sg_rows v,
                         const uint32_t *s, const int32_t *a, const int32_t *b, unsigned cbsz, unsigned abid)
{
    const unsigned m = shape->m, n = shape->n, blocks = shape->blocks;
    for (unsigned block = 0; block < blocks; block++) {
        const unsigned from = cbsz ? (block & ~((1u << cbsz) - 1)) + abid : block;
        for (unsigned i = 0; i < m; i++) {
            unsigned reg, lane;
            sg_matrix_place(m, n, block, i, &reg, &lane);
            uint32_t acc[32];
            for (unsigned j = 0; j < n; j++)
                acc[j] = u->flags & FLAG_CONSTANT_C ? s[u->c] : v[u->c + reg][lane + j];
            for (unsigned k = 0; k < shape->k; k++) {
                const int32_t factor = a[k * m * blocks + from * m + i];
                const int32_t *row = b + k * n * blocks + block * n;
                for (unsigned j = 0; j < n; j++)
                    acc[j] += (uint32_t)(factor * row[j]);
            }
            memcpy(&v[u->d + reg][lane], acc, n * sizeof *acc);
        }
    }
}

static int mfma_i32(SG_ARGS)
{
    const struct sg_matrix_shape *shape = &shapes[u->imm];
    (void)w;
    _Alignas(64) int32_t a[SG_MATRIX_MAX], b[SG_MATRIX_MAX];
    uint8_t lanes[SG_MAX_LANES];
    sg_matrix_unpack_i8(a, v, u->a, elements_per_lane(shape->m, shape->k, shape->blocks),
                        shape->m * shape->blocks, NULL);
    sg_matrix_unpack_i8(b, v, u->b, elements_per_lane(shape->n, shape->k, shape->blocks),
                        shape->n * shape->blocks, blgp_lanes(BLGP_OF(u), lanes));
    multiply_i32(shape, u, v, s, a, b, CBSZ_OF(u), ABID_OF(u));
    SG_NEXT();
}

/* ---- f64: one element per lane; BLGP bits negate A, B, C. ---- */
static void load_pairs(double out[SG_MAX_LANES], sg_rows v, unsigned row, bool negate)
{
    const uint32_t *low = v[row], *high = v[row + 1];
    const uint32_t flip = negate ? 0x80000000 : 0;
    SG_EACH_LANE
    out[i] = sg_f64((uint64_t)(high[i] ^ flip) << 32 | low[i]);
}

static void store_pairs(sg_rows v, unsigned row, const double in[SG_MAX_LANES])
{
    uint32_t *low = v[row], *high = v[row + 1];
    SG_EACH_LANE
    {
        low[i] = (uint32_t)sg_u64(in[i]);
        high[i] = (uint32_t)(sg_u64(in[i]) >> 32);
    }
}

/* 16x16x4: register pair p holds rows 4p .. 4p+3, 16 lanes each. 4x4x4: lane 16i + 4*block + j. */
static int mfma_f64(SG_ARGS)
{
    const struct sg_matrix_shape *shape = &shapes[u->imm];
    (void)w;
    const bool large = shape->m == 16;
    const unsigned negate = BLGP_OF(u), cbsz = CBSZ_OF(u), pairs = large ? 4 : 1;
    _Alignas(64) double a[SG_MAX_LANES], b[SG_MAX_LANES], sum[4][SG_MAX_LANES];
    load_pairs(a, v, u->a, negate & 1);
    load_pairs(b, v, u->b, negate & 2);
    for (unsigned p = 0; p < pairs; p++) {
        if (u->flags & FLAG_CONSTANT_C) {
            const double c = sg_f64(sg_s64(s, u->c));
            for (unsigned lane = 0; lane < SG_MAX_LANES; lane++)
                sum[p][lane] = negate & 4 ? -c : c;
        } else {
            load_pairs(sum[p], v, u->c + 2 * p, negate & 4);
        }
        for (unsigned k = 0; k < 4; k++) {
            _Alignas(64) double factor[SG_MAX_LANES], other[SG_MAX_LANES];
            for (unsigned lane = 0; lane < SG_MAX_LANES; lane++) {
                const unsigned i = large ? 4 * p + lane / 16 : lane / 16, block = large ? 0 : lane / 4 % 4;
                const unsigned from = cbsz ? (block & ~((1u << cbsz) - 1)) + ABID_OF(u) : block;
                factor[lane] = large ? a[16 * k + i] : a[4 * (from + 4 * k) + i];
                other[lane] = large ? b[16 * k + lane % 16] : b[4 * (block + 4 * k) + lane % 4];
            }
            SG_EACH_LANE
            sum[p][i] = __builtin_fma(factor[i], other[i], sum[p][i]);
        }
    }
    for (unsigned p = 0; p < pairs; p++)
        store_pairs(v, u->d + 2 * p, sum[p]);
    SG_NEXT();
}

/* ---- Sparse A: of every 4 consecutive k two are stored; the index register tells which. ---- */

/* Lane M*g + i holds `half` elements of row i: number t belongs to k = 4*((g*half + t)/2) + its two index
 * bits. */
static void expand_sparse(uint32_t *dense, const uint32_t *packed, const uint32_t *index_row, unsigned m,
                          unsigned k, unsigned half, unsigned set)
{
    memset(dense, 0, (size_t)k * m * sizeof *dense);
    for (unsigned lane = 0; lane < SG_MAX_LANES; lane++) {
        const unsigned g = lane / m, i = lane % m;
        const uint32_t indices = index_row[lane] >> set;
        for (unsigned t = 0; t < half; t++) {
            const unsigned stored = g * half + t, at = 4 * (stored / 2) + (indices >> 2 * t & 3);
            dense[at * m + i] = packed[stored * m + i];
        }
    }
}

/* First bit of the set of indices: with CBSZ 0, ABID chooses among those that a register holds. */
static unsigned index_set(const struct sg_uop *u, unsigned half)
{
    const unsigned bits = 2 * half, sets = 32 / bits;
    return CBSZ_OF(u) ? 0 : ABID_OF(u) % sets * bits;
}

static int smfmac_f32(SG_ARGS)
{
    const struct sg_matrix_shape *shape = &shapes[u->imm];
    _Alignas(64) float packed[SG_MATRIX_MAX], a[SG_MATRIX_MAX], b[SG_MATRIX_MAX];
    const bool ocp = is_ocp(w);
    const unsigned half = shape->m * shape->k / 2 / SG_MAX_LANES;
    (void)s;
    sg_matrix_unpack(packed, v, u->a, for_target(shape->a, ocp), half, shape->m, NULL, false);
    expand_sparse((uint32_t *)a, (const uint32_t *)packed, v[u->c], shape->m, shape->k, half,
                  index_set(u, half));
    sg_matrix_unpack(b, v, u->b, for_target(shape->b, ocp), shape->n * shape->k / SG_MAX_LANES, shape->n,
                     NULL, false);
    struct sg_matrix_job job = {.shape = shape, .a = a, .b = b, .v = v, .d = u->d, .c = u->d};
    sg_matrix_multiply(&job, false);
    SG_NEXT();
}

static int smfmac_i32(SG_ARGS)
{
    const struct sg_matrix_shape *shape = &shapes[u->imm];
    (void)w;
    _Alignas(64) int32_t packed[SG_MATRIX_MAX], a[SG_MATRIX_MAX], b[SG_MATRIX_MAX];
    const unsigned half = shape->m * shape->k / 2 / SG_MAX_LANES;
    sg_matrix_unpack_i8(packed, v, u->a, half, shape->m, NULL);
    expand_sparse((uint32_t *)a, (const uint32_t *)packed, v[u->c], shape->m, shape->k, half,
                  index_set(u, half));
    sg_matrix_unpack_i8(b, v, u->b, shape->n * shape->k / SG_MAX_LANES, shape->n, NULL);
    struct sg_uop accumulate = *u;
    accumulate.c = u->d;
    multiply_i32(shape, &accumulate, v, s, a, b, 0, 0);
    SG_NEXT();
}

/* ---- f8f6f4: each lane holds 32 elements of its row or column: of fp4, 32 consecutive k; of wider formats,
 * 16 consecutive k of the first half and the 16 as far into the second ("Matrix Core Programming on AMD CDNA3
 * and CDNA4 architecture", figures 9 and 10; Triton's mxfp layouts). Lane group k/32 holds the scale of 32
 * consecutive k in either case. ---- */

/* Formats by CBSZ (A) and BLGP (B): fp8, bf8, fp6, bf6, fp4. */
static const uint8_t format_of[5] = {SG_EL_FP8, SG_EL_BF8, SG_EL_FP6, SG_EL_BF6, SG_EL_FP4};

/* x of the micro-operation: bits 15:0 the row of A's scales, 31:16 of B's; 0xffff: none. The byte of the
 * scale register stands in flags from FLAG_SCALE on: 2 bits for A, 2 for B. */
enum { FLAG_SCALE = 16, NO_SCALE = 0xffff };

/* E8M0: 2^(byte - 127), 255 is NaN. Element [k][i] belongs to lane width*(k/32) + i. */
static void apply_scale(float *matrix, const uint32_t *scales, unsigned byte, unsigned width, unsigned k)
{
    for (unsigned x = 0; x < k; x++)
        for (unsigned i = 0; i < width; i++) {
            const uint32_t e = scales[width * (x / 32) + i] >> 8 * byte & 255;
            const float factor = e == 255 ? sg_f32(0x7fc00000) : (float)sg_f64((uint64_t)(e + 896) << 52);
            matrix[x * width + i] *= factor;
        }
}

static void unpack_block_format(float *out, sg_rows v, unsigned row, enum sg_element el, unsigned width,
                                unsigned k)
{
    if (el == SG_EL_FP4) {
        sg_matrix_unpack(out, v, row, el, 32, width, NULL, false);
        return;
    }
    float lanes[SG_MATRIX_MAX]; /* 32 rows per group of lanes */
    sg_matrix_unpack(lanes, v, row, el, 32, width, NULL, false);
    for (unsigned x = 0; x < k; x++) {
        const unsigned half = x / (k / 2), group = x % (k / 2) / 16, from = 32 * group + 16 * half + x % 16;
        memcpy(out + (size_t)x * width, lanes + (size_t)from * width, width * sizeof *out);
    }
}

static int mfma_f8f6f4(SG_ARGS)
{
    const struct sg_matrix_shape *shape = &shapes[u->imm];
    (void)w;
    _Alignas(64) float a[SG_MATRIX_MAX], b[SG_MATRIX_MAX];
    unpack_block_format(a, v, u->a, (enum sg_element)format_of[CBSZ_OF(u)], shape->m, shape->k);
    unpack_block_format(b, v, u->b, (enum sg_element)format_of[BLGP_OF(u)], shape->n, shape->k);
    if ((u->x & 0xffff) != NO_SCALE)
        apply_scale(a, v[u->x & 0xffff], u->flags >> FLAG_SCALE & 3, shape->m, shape->k);
    if (u->x >> 16 != NO_SCALE)
        apply_scale(b, v[u->x >> 16], u->flags >> (FLAG_SCALE + 2) & 3, shape->n, shape->k);
    const bool constant = u->flags & FLAG_CONSTANT_C;
    struct sg_matrix_job job = {.shape = shape,
                                .a = a,
                                .b = b,
                                .v = v,
                                .d = u->d,
                                .c = u->c,
                                .c_constant = constant,
                                .c_value = constant ? sg_f32(s[u->c]) : 0.0f};
    sg_matrix_multiply(&job, false);
    SG_NEXT();
}

/* ---- Builders ---- */

static int copy_rows(SG_ARGS) /* imm rows from a to d, all lanes */
{
    (void)w;
    memmove(v[u->d], v[u->a], (size_t)u->imm * sizeof *v);
    SG_NEXT();
}

/* C as rows that the result can be written over while it is read: C itself when it is D or apart from it,
 * else a copy. A scalar C is a constant. */
static unsigned accumulator(struct sg_builder *b, const struct gcn_inst *in, const struct sg_matrix_shape *s,
                            uint32_t *flags)
{
    if (!sg_valu_is_row(&in->src[2])) {
        *flags |= FLAG_CONSTANT_C;
        return s->a == SG_EL_F64 ? sg_scalar_source64(b, &in->src[2], true)
                                 : sg_scalar_source(b, &in->src[2]);
    }
    const unsigned c = sg_row(&in->src[2]), d = sg_row(&in->dst), n = result_rows(s);
    if (c == d || c + n <= d || d + n <= c)
        return c;
    const unsigned copy = sg_temp_rows(b, n);
    sg_emit(b, copy_rows, copy, c, 0, 0)->imm = (int32_t)n;
    return copy;
}

static struct sg_uop *emit_matrix(struct sg_builder *b, const struct gcn_inst *in, sg_fn fn, unsigned c,
                                  unsigned shape, uint32_t flags)
{
    struct sg_uop *u = sg_emit(b, fn, sg_row(&in->dst), sg_row(&in->src[0]), sg_row(&in->src[1]), c);
    u->imm = (int32_t)shape;
    u->flags = flags | (uint32_t)in->cbsz << FLAG_CBSZ | (uint32_t)in->abid << FLAG_ABID |
               (uint32_t)in->blgp << FLAG_BLGP;
    return u;
}

static bool build_mfma(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    const struct sg_matrix_shape *s = &shapes[op->aux];
    const bool f64 = s->a == SG_EL_F64, narrow_lanes = s->a >= SG_EL_FP8 || s->a == SG_EL_XF32;
    if (!sg_valu_is_row(&in->src[0]) || !sg_valu_is_row(&in->src[1]))
        return false;
    /* Undefined combinations: more blocks shared than there are, BLGP where the hardware has none. */
    if ((1u << in->cbsz) > s->blocks || (in->cbsz && in->abid >> in->cbsz) || (narrow_lanes && in->blgp) ||
        (f64 && in->blgp && !sg_builder_arch(b)->f64_matrix_neg))
        return false;
    struct gcn_inst copy = *in;
    if (!in->cbsz)
        copy.abid = 0;
    uint32_t flags =
        sg_builder_arch(b)->matrix_flushes_f16 && (s->a == SG_EL_F16 || s->a == SG_EL_BF16) ? FLAG_FLUSH : 0;
    unsigned c = accumulator(b, in, s, &flags);
    const bool plain = s->a == SG_EL_F32 && s->n >= 16 && !in->cbsz && !in->blgp;
    emit_matrix(b, &copy,
                plain              ? mfma_f32_plain
                : f64              ? mfma_f64
                : s->a == SG_EL_I8 ? mfma_i32
                                   : mfma_f32,
                c, op->aux, flags);
    return true;
}

static bool build_smfmac(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    for (unsigned k = 0; k < 3; k++)
        if (!sg_valu_is_row(&in->src[k]))
            return false;
    if (in->blgp)
        return false;
    emit_matrix(b, in, shapes[op->aux].a == SG_EL_I8 ? smfmac_i32 : smfmac_f32, sg_row(&in->src[2]), op->aux,
                0);
    return true;
}

static bool build_f8f6f4(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    const struct sg_matrix_shape *s = &shapes[op->aux];
    const bool scaled = s->kind == SG_MATRIX_SCALED;
    if (!sg_valu_is_row(&in->src[0]) || !sg_valu_is_row(&in->src[1]) || in->cbsz > 4 || in->blgp > 4)
        return false;
    uint32_t scales = NO_SCALE | (uint32_t)NO_SCALE << 16, flags = 0;
    if (scaled) {
        struct gcn_inst plain = *in;
        plain.op_sel = 0;
        plain.src[0] = in->src[3];
        plain.src[1] = in->src[4];
        plain.abs = plain.neg = 0;
        unsigned row_a = sg_valu_source_row(b, &plain, 0, SG_T_B32);
        scales = row_a | sg_valu_source_row(b, &plain, 1, SG_T_B32) << 16;
        flags = (uint32_t)((in->op_sel & 1) | (in->op_sel_hi & 1) << 1 | (in->op_sel >> 1 & 1) << 2 |
                           (in->op_sel_hi >> 1 & 1) << 3)
                << FLAG_SCALE;
    }
    unsigned c = accumulator(b, in, s, &flags);
    emit_matrix(b, in, mfma_f8f6f4, c, op->aux, flags)->x = scales;
    return true;
}

bool sg_build_mfma(struct sg_builder *b, const struct gcn_inst *in)
{
    static bool (*const build[])(struct sg_builder *, const struct gcn_inst *, const struct sg_valu_op *) = {
        build_mfma, build_smfmac, build_f8f6f4, build_f8f6f4};
    unsigned i = 0;
    while (i < N_SHAPES && shapes[i].op != in->op)
        i++;
    if (i == N_SHAPES)
        return false;
    const struct sg_valu_op op = {.op = in->op, .aux = (uint8_t)i, .build = build[shapes[i].kind]};
    return sg_valu_build(b, in, &op);
}
