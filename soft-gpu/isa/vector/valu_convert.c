/*
 * valu_convert.c - conversions between integers and floats of all sizes, packing, fp8 and bf8. Semantics:
 * MI200 and MI300 ISA chapter 12. Float to integer truncates, saturates, and turns NaN into 0; integer to
 * float and narrowing round as MODE says.
 */
#include "valu_float.h"
#include "valu_minifloat.h"

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;

/* ---- 32-bit integers and f32 ---- */
static inline u32 i32_of_f32(float x)
{
    float inside = x < -0x1p31f ? -0x1p31f : x < 0x1p31f ? x : 0.0f; /* NaN too */
    return x >= 0x1p31f ? 0x7fffffff : (u32)(i32)inside;
}
static inline u32 u32_of_f32(float x)
{
    float positive = x > 0.0f ? x : 0.0f; /* NaN too */
    float high = positive >= 0x1p31f ? 0x1p31f : 0.0f;
    float inside = positive < 0x1p32f ? positive - high : 0.0f;
    u32 r = (u32)(i32)inside + (high != 0.0f ? 0x80000000 : 0);
    return positive >= 0x1p32f ? ~0u : r;
}
#define op_cvt_f32_i32(a) sg_u32((float)(i32)(a))
#define op_cvt_f32_u32(a) sg_u32((float)(a))
#define op_cvt_i32_f32(a) i32_of_f32(sg_f32(a))
#define op_cvt_u32_f32(a) u32_of_f32(sg_f32(a))
#define op_cvt_rpi_i32_f32(a) i32_of_f32(__builtin_floorf(sg_f32(a) + 0.5f))
#define op_cvt_flr_i32_f32(a) i32_of_f32(__builtin_floorf(sg_f32(a)))
#define op_cvt_off_f32_i4(a) sg_u32((float)((i32)((a) << 28) >> 28) * 0.0625f)
#define op_cvt_f32_ubyte0(a) sg_u32((float)((a) & 255))
#define op_cvt_f32_ubyte1(a) sg_u32((float)((a) >> 8 & 255))
#define op_cvt_f32_ubyte2(a) sg_u32((float)((a) >> 16 & 255))
#define op_cvt_f32_ubyte3(a) sg_u32((float)((a) >> 24))
SG_FAMILY1(cvt_f32_i32, 32, 32, 32)
SG_FAMILY1(cvt_f32_u32, 32, 32, 32)
SG_FAMILY1(cvt_i32_f32, 32, 32, NONE)
SG_FAMILY1(cvt_u32_f32, 32, 32, NONE)
SG_FAMILY1(cvt_rpi_i32_f32, 32, 32, 32)
SG_FAMILY1(cvt_flr_i32_f32, 32, 32, NONE)
SG_FAMILY1(cvt_off_f32_i4, 32, 32, NONE)
SG_FAMILY1(cvt_f32_ubyte0, 32, 32, NONE)
SG_FAMILY1(cvt_f32_ubyte1, 32, 32, NONE)
SG_FAMILY1(cvt_f32_ubyte2, 32, 32, NONE)
SG_FAMILY1(cvt_f32_ubyte3, 32, 32, NONE)

/* ---- f64 ---- */
static inline u32 i32_of_f64(double x)
{
    double inside = x < -0x1p31 ? -0x1p31 : x < 0x1p31 ? x : 0.0;
    return x >= 0x1p31 ? 0x7fffffff : (u32)(i32)inside;
}
static inline u32 u32_of_f64(double x)
{
    double inside = x > 0.0 && x < 0x1p32 ? x : 0.0;
    return x >= 0x1p32 ? ~0u : (u32)(int64_t)inside;
}
#define op_cvt_i32_f64(a) i32_of_f64(sg_f64(a))
#define op_cvt_u32_f64(a) u32_of_f64(sg_f64(a))
#define op_cvt_f64_i32(a) sg_u64((double)(i32)(a))
#define op_cvt_f64_u32(a) sg_u64((double)(a))
#define op_cvt_f32_f64(a) sg_u32((float)sg_f64(a))
#define op_cvt_f64_f32(a) sg_u64((double)sg_f32(a))
SG_FAMILY1(cvt_i32_f64, 32, 64, NONE)
SG_FAMILY1(cvt_u32_f64, 32, 64, NONE)
SG_FAMILY1(cvt_f64_i32, 64, 32, NONE)
SG_FAMILY1(cvt_f64_u32, 64, 32, NONE)
SG_FAMILY1(cvt_f32_f64, 32, 64, 32)
SG_FAMILY1(cvt_f64_f32, 64, 32, 32)

/* ---- f16 and bf16 ---- */
static inline u32 i16_of_f32(float x)
{
    i32 r = (i32)i32_of_f32(x);
    return (u32)(r > 32767 ? 32767 : r < -32768 ? -32768 : r) & 0xffff;
}
static inline u32 u16_of_f32(float x)
{
    u32 r = u32_of_f32(x);
    return r > 0xffff ? 0xffff : r;
}
#define op_cvt_f16_f32(a) SG_F16_OUT(sg_f32(a))
#define op_cvt_f32_f16(a) sg_u32(SG_F16_IN(a))
#define op_cvt_f16_u16(a) SG_F16_OUT((float)(i32)((a) & 0xffff))
#define op_cvt_f16_i16(a) SG_F16_OUT((float)(int16_t)(a))
#define op_cvt_u16_f16(a) u16_of_f32(sg_f32_of_f16(a))
#define op_cvt_i16_f16(a) i16_of_f32(sg_f32_of_f16(a))
#define op_cvt_f32_bf16(a) ((a) << 16)
SG_FAMILY1(cvt_f16_f32, 32, 32, 16)
SG_FAMILY1(cvt_f32_f16, 32, 32, 16)
SG_FAMILY1(cvt_f16_u16, 32, 32, 16)
SG_FAMILY1(cvt_f16_i16, 32, 32, 16)
SG_FAMILY1(cvt_u16_f16, 32, 32, NONE)
SG_FAMILY1(cvt_i16_f16, 32, 32, NONE)
#define op_cvt_i32_i16(a) ((u32)(int16_t)(a))
#define op_cvt_u32_u16(a) ((a) & 0xffff)
SG_FAMILY1(cvt_f32_bf16, 32, 32, NONE)
SG_FAMILY1(cvt_i32_i16, 32, 32, NONE)
SG_FAMILY1(cvt_u32_u16, 32, 32, NONE)

/* To nearest even, whatever MODE says. NaNs become quiet. */
static inline u32 bf16_of_f32(u32 a)
{
    u32 rounded = (a + 0x7fff + (a >> 16 & 1)) >> 16;
    return sg_nan32(a) ? a >> 16 | 0x40 : rounded;
}
static inline u32 f16_nearest(u32 a)
{
    return (uint16_t)_cvtss_sh(sg_f32(a), _MM_FROUND_TO_NEAREST_INT);
}
static inline u32 f16_toward_zero(u32 a)
{
    return (uint16_t)_cvtss_sh(sg_f32(a), _MM_FROUND_TO_ZERO);
}
#define op_cvt_pk_f16_f32(a, b) (f16_nearest(a) | f16_nearest(b) << 16)
#define op_cvt_pk_bf16_f32(a, b) (bf16_of_f32(a) | bf16_of_f32(b) << 16)
#define op_cvt_pkrtz_f16_f32(a, b) (f16_toward_zero(a) | f16_toward_zero(b) << 16)
#define op_cvt_pk_i16_f32(a, b) (i16_of_f32(sg_f32(a)) | i16_of_f32(sg_f32(b)) << 16)
#define op_cvt_pk_u16_f32(a, b) (u16_of_f32(sg_f32(a)) | u16_of_f32(sg_f32(b)) << 16)
#define op_pack_b32_f16(a, b) (((a) & 0xffff) | (b) << 16)
SG_FAMILY2(cvt_pk_f16_f32, 32, 32, 32, NONE)
SG_FAMILY2(cvt_pk_bf16_f32, 32, 32, 32, NONE)
SG_FAMILY2(cvt_pkrtz_f16_f32, 32, 32, 32, NONE)
SG_FAMILY2(cvt_pk_i16_f32, 32, 32, 32, NONE)
SG_FAMILY2(cvt_pk_u16_f32, 32, 32, 32, NONE)
SG_FAMILY2(pack_b32_f16, 32, 32, 32, NONE)

/* ---- Normalised integers ---- */
static inline u32 snorm16(float x)
{
    double clamped = x < -1.0f ? -1.0 : x > 1.0f ? 1.0 : x == x ? (double)x : 0.0;
    return (u32)(i32)__builtin_roundeven(clamped * 32767.0) & 0xffff;
}
static inline u32 unorm16(float x)
{
    double clamped = x > 1.0f ? 1.0 : x > 0.0f ? (double)x : 0.0;
    return (u32)(i32)__builtin_roundeven(clamped * 65535.0);
}
#define op_cvt_norm_i16_f16(a) snorm16(sg_f32_of_f16(a))
#define op_cvt_norm_u16_f16(a) unorm16(sg_f32_of_f16(a))
#define op_cvt_pknorm_i16_f32(a, b) (snorm16(sg_f32(a)) | snorm16(sg_f32(b)) << 16)
#define op_cvt_pknorm_u16_f32(a, b) (unorm16(sg_f32(a)) | unorm16(sg_f32(b)) << 16)
#define op_cvt_pknorm_i16_f16(a, b) (op_cvt_norm_i16_f16(a) | op_cvt_norm_i16_f16(b) << 16)
#define op_cvt_pknorm_u16_f16(a, b) (op_cvt_norm_u16_f16(a) | op_cvt_norm_u16_f16(b) << 16)
SG_FAMILY1(cvt_norm_i16_f16, 32, 32, NONE)
SG_FAMILY1(cvt_norm_u16_f16, 32, 32, NONE)
SG_FAMILY2(cvt_pknorm_i16_f32, 32, 32, 32, NONE)
SG_FAMILY2(cvt_pknorm_u16_f32, 32, 32, 32, NONE)
SG_FAMILY2(cvt_pknorm_i16_f16, 32, 32, 32, NONE)
SG_FAMILY2(cvt_pknorm_u16_f16, 32, 32, 32, NONE)

static inline u32 clamp_u16(u32 a)
{
    return a > 0xffff ? 0xffff : a;
}
static inline u32 clamp_i16(u32 a)
{
    i32 x = (i32)a;
    return (u32)(x > 32767 ? 32767 : x < -32768 ? -32768 : x) & 0xffff;
}
#define op_cvt_pk_u16_u32(a, b) (clamp_u16(a) | clamp_u16(b) << 16)
#define op_cvt_pk_i16_i32(a, b) (clamp_i16(a) | clamp_i16(b) << 16)
SG_FAMILY2(cvt_pk_u16_u32, 32, 32, 32, NONE)
SG_FAMILY2(cvt_pk_i16_i32, 32, 32, 32, NONE)

/* Byte (b & 3) of c replaced by the saturated float. */
static inline u32 op_cvt_pk_u8_f32(u32 a, u32 b, u32 c)
{
    u32 value = u32_of_f32(sg_f32(a)), at = 8 * (b & 3);
    value = value > 255 ? 255 : value;
    return (c & ~(255u << at)) | value << at;
}
SG_FAMILY3(cvt_pk_u8_f32, 32, 32, 32, 32, NONE)

static bool build_pkaccum(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    struct gcn_inst copy = *in;
    copy.src[2] = in->dst;
    return sg_valu_build_plain(b, &copy, op);
}

/* ---- fp8 and bf8 ---- */
enum { MODE_FP16_OVFL = 1 << 23 }; /* saturate instead of NaN or infinity */

#define op_cvt_f32_fp8_ocp(a) sg_u32(sg_mini_decode(&sg_mini_fp8_ocp, (a) & 255))
#define op_cvt_f32_bf8_ocp(a) sg_u32(sg_mini_decode(&sg_mini_bf8_ocp, (a) & 255))
#define op_cvt_f32_fp8_fnuz(a) sg_u32(sg_mini_decode(&sg_mini_fp8_fnuz, (a) & 255))
#define op_cvt_f32_bf8_fnuz(a) sg_u32(sg_mini_decode(&sg_mini_bf8_fnuz, (a) & 255))
#define PAIR(OP, a) (OP(a) | (u64)OP((a) >> 8) << 32)
#define op_cvt_pk_f32_fp8_ocp(a) PAIR(op_cvt_f32_fp8_ocp, a)
#define op_cvt_pk_f32_bf8_ocp(a) PAIR(op_cvt_f32_bf8_ocp, a)
#define op_cvt_pk_f32_fp8_fnuz(a) PAIR(op_cvt_f32_fp8_fnuz, a)
#define op_cvt_pk_f32_bf8_fnuz(a) PAIR(op_cvt_f32_bf8_fnuz, a)
#define NEAREST(F, a) sg_mini_encode(&F, sg_f32(a), -1.0, mode &MODE_FP16_OVFL)
#define op_cvt_pk_fp8_ocp(a, b) (NEAREST(sg_mini_fp8_ocp, a) | NEAREST(sg_mini_fp8_ocp, b) << 8)
#define op_cvt_pk_bf8_ocp(a, b) (NEAREST(sg_mini_bf8_ocp, a) | NEAREST(sg_mini_bf8_ocp, b) << 8)
#define op_cvt_pk_fp8_fnuz(a, b) (NEAREST(sg_mini_fp8_fnuz, a) | NEAREST(sg_mini_fp8_fnuz, b) << 8)
#define op_cvt_pk_bf8_fnuz(a, b) (NEAREST(sg_mini_bf8_fnuz, a) | NEAREST(sg_mini_bf8_fnuz, b) << 8)
/* The top bits of b are added below the last place kept: 20 of them for fp8, 21 for bf8. */
#define STOCHASTIC(F, a, b)                                                                                  \
    sg_mini_encode(&F, sg_f32(a), ((b) >> (9 + F.mantissa)) * sg_mini_power(F.mantissa - 23),                \
                   mode & MODE_FP16_OVFL)
#define op_cvt_sr_fp8_ocp(a, b) STOCHASTIC(sg_mini_fp8_ocp, a, b)
#define op_cvt_sr_bf8_ocp(a, b) STOCHASTIC(sg_mini_bf8_ocp, a, b)
#define op_cvt_sr_fp8_fnuz(a, b) STOCHASTIC(sg_mini_fp8_fnuz, a, b)
#define op_cvt_sr_bf8_fnuz(a, b) STOCHASTIC(sg_mini_bf8_fnuz, a, b)
#define FORMAT_FAMILIES(KIND)                                                                                \
    SG_FAMILY1(cvt_f32_fp8_##KIND, 32, 32, NONE)                                                             \
    SG_FAMILY1(cvt_f32_bf8_##KIND, 32, 32, NONE)                                                             \
    SG_FAMILY1(cvt_pk_f32_fp8_##KIND, 64, 32, NONE)                                                          \
    SG_FAMILY1(cvt_pk_f32_bf8_##KIND, 64, 32, NONE)                                                          \
    SG_FAMILY2(cvt_pk_fp8_##KIND, 32, 32, 32, NONE)                                                          \
    SG_FAMILY2(cvt_pk_bf8_##KIND, 32, 32, 32, NONE)                                                          \
    SG_FAMILY2(cvt_sr_fp8_##KIND, 32, 32, 32, NONE)                                                          \
    SG_FAMILY2(cvt_sr_bf8_##KIND, 32, 32, 32, NONE)
FORMAT_FAMILIES(ocp)
FORMAT_FAMILIES(fnuz)

/* Stochastic rounding to f16 and bf16 (gfx950): random bits added below the last place, then truncation. */
static inline u32 op_cvt_sr_bf16_f32(u32 a, u32 b)
{
    u32 exponent = a & 0x7f800000;
    return exponent == 0x7f800000 ? (sg_nan32(a) ? a >> 16 | 0x40 : a >> 16) : (a + (b >> 16)) >> 16;
}
static inline u32 op_cvt_sr_f16_f32(u32 a, u32 b)
{
    float x = sg_f32(a), magnitude = __builtin_fabsf(x);
    i32 exponent = (i32)(a >> 23 & 255) - 127;
    exponent = exponent < -14 ? -14 : exponent;
    if (!(magnitude < 65536.0f))
        return f16_nearest(a);
    double q = (double)magnitude * sg_mini_power(10 - exponent) + (double)(b >> 19) * 0x1p-13;
    u32 code = ((u32)(exponent + 14) << 10) + (u32)q;
    return (code > 0x7c00 ? 0x7c00 : code) | (a >> 16 & 0x8000);
}
SG_FAMILY2(cvt_sr_f16_f32, 32, 32, 32, NONE)
SG_FAMILY2(cvt_sr_bf16_f32, 32, 32, 32, NONE)

static bool is_ocp(const struct sg_builder *b)
{
    return sg_builder_arch(b)->fp8 == LS_FP8_OCP;
}

/* Two descriptors in a row: OCP, then FNUZ. */
struct format_pair {
    uint16_t op;
    uint8_t dst, source_count;
    uint8_t insert; /* 0, or the bits that replace a part of the destination, chosen by op_sel */
    const sg_fn *ocp, *fnuz;
};

static const struct format_pair format_pairs[] = {
    {GCN_OP_V_CVT_F32_FP8, SG_T_F32, 1, 0, cvt_f32_fp8_ocp_fns, cvt_f32_fp8_fnuz_fns},
    {GCN_OP_V_CVT_F32_BF8, SG_T_F32, 1, 0, cvt_f32_bf8_ocp_fns, cvt_f32_bf8_fnuz_fns},
    {GCN_OP_V_CVT_PK_F32_FP8, SG_T_B64, 1, 0, cvt_pk_f32_fp8_ocp_fns, cvt_pk_f32_fp8_fnuz_fns},
    {GCN_OP_V_CVT_PK_F32_BF8, SG_T_B64, 1, 0, cvt_pk_f32_bf8_ocp_fns, cvt_pk_f32_bf8_fnuz_fns},
    {GCN_OP_V_CVT_PK_FP8_F32, SG_T_B32, 2, 16, cvt_pk_fp8_ocp_fns, cvt_pk_fp8_fnuz_fns},
    {GCN_OP_V_CVT_PK_BF8_F32, SG_T_B32, 2, 16, cvt_pk_bf8_ocp_fns, cvt_pk_bf8_fnuz_fns},
    {GCN_OP_V_CVT_SR_FP8_F32, SG_T_B32, 3, 8, cvt_sr_fp8_ocp_fns, cvt_sr_fp8_fnuz_fns},
    {GCN_OP_V_CVT_SR_BF8_F32, SG_T_B32, 3, 8, cvt_sr_bf8_ocp_fns, cvt_sr_bf8_fnuz_fns},
    {GCN_OP_V_CVT_SR_F16_F32, SG_T_B32, 3, 16, cvt_sr_f16_f32_fns, cvt_sr_f16_f32_fns},
    {GCN_OP_V_CVT_SR_BF16_F32, SG_T_B32, 3, 16, cvt_sr_bf16_f32_fns, cvt_sr_bf16_f32_fns},
};

/* gfx12: OPSEL[0] says which half is converted as a pair; of single ones OPSEL[1:0] says which byte, with its bits in the other
 * order ("RDNA4 Instruction Set Architecture", V_CVT_F32_FP8, V_CVT_PK_F32_FP8). */
static void take_part(struct sg_builder *b, struct gcn_inst *in, bool pair)
{
    const unsigned low = in->op_sel & 1u, high = in->op_sel >> 1 & 1u;
    in->op_sel = 0;
    if (!low && (pair || !high))
        return;
    const unsigned from = sg_valu_source_row(b, in, 0, SG_T_B32), row = sg_temp_rows(b, 1);
    struct sg_uop *u = sg_emit(b, sg_valu_bits32, row, from, 0, 0);
    u->imm = pair ? 16 : (int32_t)(8 * (low << 1 | high));
    u->flags = ~0u;
    in->src[0] = (struct gcn_operand){.kind = GCN_OPND_VGPR, .dwords = 1, .index = (uint16_t)row};
}

/* source_count: 1 = bits, 2 = two floats, 3 = a float and random bits. */
static bool build_format(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    const struct format_pair *p = &format_pairs[op->aux];
    struct sg_valu_op plain = {
        .op = op->op,
        .dst = p->dst,
        .src = {p->source_count == 1 ? SG_T_B32 : SG_T_F32, p->source_count == 1   ? SG_T_NONE
                                                            : p->source_count == 2 ? SG_T_F32
                                                                                   : SG_T_B32},
        .flags = SG_VOP_CLAMP_IGNORED,
        .fns = is_ocp(b) ? p->ocp : p->fnuz};
    struct gcn_inst copy = *in;
    if (!p->insert) {
        take_part(b, &copy, p->dst == SG_T_B64);
        return sg_valu_build_plain(b, &copy, &plain);
    }
    copy.dst =
        (struct gcn_operand){.kind = GCN_OPND_VGPR, .dwords = 1, .index = (uint16_t)sg_temp_rows(b, 1)};
    copy.op_sel = 0;
    if (!sg_valu_build_plain(b, &copy, &plain))
        return false;
    struct sg_uop *u = sg_emit(b, sg_valu_insert, sg_row(&in->dst), copy.dst.index, 0, 0);
    u->imm = p->insert;
    u->x = p->insert == 16 ? (in->op_sel & 8 ? 16 : 0) : 8 * (in->op_sel >> 2 & 3u);
    u->flags = 2;
    return true;
}

#define OP1(NAME, DT, ST, FNS)                                                                               \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_##DT,                                                                                       \
     .src = {SG_T_##ST},                                                                                     \
     .fns = FNS##_fns,                                                                                       \
     .flags = SG_VOP_CLAMP_IGNORED}
#define OP2(NAME, DT, ST, FNS)                                                                               \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_##DT,                                                                                       \
     .src = {SG_T_##ST, SG_T_##ST},                                                                          \
     .fns = FNS##_fns,                                                                                       \
     .flags = SG_VOP_CLAMP_IGNORED}
#define FORMAT(NAME, INDEX) {.op = GCN_OP_V_##NAME, .aux = INDEX, .build = build_format}

const struct sg_valu_op sg_valu_convert_ops[] = {
    OP1(CVT_F32_I32, F32, B32, cvt_f32_i32),
    OP1(CVT_F32_U32, F32, B32, cvt_f32_u32),
    OP1(CVT_I32_F32, B32, F32, cvt_i32_f32),
    OP1(CVT_U32_F32, B32, F32, cvt_u32_f32),
    OP1(CVT_RPI_I32_F32, B32, F32, cvt_rpi_i32_f32),
    OP1(CVT_FLR_I32_F32, B32, F32, cvt_flr_i32_f32),
    OP1(CVT_OFF_F32_I4, F32, B32, cvt_off_f32_i4),
    OP1(CVT_F32_UBYTE0, F32, B32, cvt_f32_ubyte0),
    OP1(CVT_F32_UBYTE1, F32, B32, cvt_f32_ubyte1),
    OP1(CVT_F32_UBYTE2, F32, B32, cvt_f32_ubyte2),
    OP1(CVT_F32_UBYTE3, F32, B32, cvt_f32_ubyte3),
    OP1(CVT_I32_F64, B32, F64, cvt_i32_f64),
    OP1(CVT_U32_F64, B32, F64, cvt_u32_f64),
    OP1(CVT_F64_I32, F64, B32, cvt_f64_i32),
    OP1(CVT_F64_U32, F64, B32, cvt_f64_u32),
    OP1(CVT_F32_F64, F32, F64, cvt_f32_f64),
    OP1(CVT_F64_F32, F64, F32, cvt_f64_f32),
    OP1(CVT_F16_F32, F16, F32, cvt_f16_f32),
    OP1(CVT_F32_F16, F32, F16, cvt_f32_f16),
    OP1(CVT_F16_U16, F16, B16, cvt_f16_u16),
    OP1(CVT_F16_I16, F16, B16, cvt_f16_i16),
    OP1(CVT_U16_F16, B16, F16, cvt_u16_f16),
    OP1(CVT_I16_F16, B16, F16, cvt_i16_f16),
    OP1(CVT_F32_BF16, F32, B16, cvt_f32_bf16),
    OP1(CVT_NORM_I16_F16, B16, F16, cvt_norm_i16_f16),
    OP1(CVT_NORM_U16_F16, B16, F16, cvt_norm_u16_f16),
    OP1(CVT_I32_I16, B32, B16, cvt_i32_i16), /* gfx11 */
    OP1(CVT_U32_U16, B32, B16, cvt_u32_u16),
    OP2(CVT_PK_I16_F32, B32, F32, cvt_pk_i16_f32),
    OP2(CVT_PK_U16_F32, B32, F32, cvt_pk_u16_f32),
    OP2(CVT_PK_F16_F32, B32, F32, cvt_pk_f16_f32),
    OP2(CVT_PK_BF16_F32, B32, F32, cvt_pk_bf16_f32),
    OP2(CVT_PKRTZ_F16_F32, B32, F32, cvt_pkrtz_f16_f32),
    OP2(PACK_B32_F16, B32, F16, pack_b32_f16),
    OP2(CVT_PKNORM_I16_F32, B32, F32, cvt_pknorm_i16_f32),
    OP2(CVT_PKNORM_U16_F32, B32, F32, cvt_pknorm_u16_f32),
    OP2(CVT_PKNORM_I16_F16, B32, F16, cvt_pknorm_i16_f16),
    OP2(CVT_PKNORM_U16_F16, B32, F16, cvt_pknorm_u16_f16),
    OP2(CVT_PK_U16_U32, B32, B32, cvt_pk_u16_u32),
    OP2(CVT_PK_I16_I32, B32, B32, cvt_pk_i16_i32),
    {.op = GCN_OP_V_CVT_PK_U8_F32,
     .dst = SG_T_B32,
     .src = {SG_T_F32, SG_T_B32, SG_T_B32},
     .fns = cvt_pk_u8_f32_fns,
     .flags = SG_VOP_CLAMP_IGNORED},
    {.op = GCN_OP_V_CVT_PKACCUM_U8_F32,
     .dst = SG_T_B32,
     .src = {SG_T_F32, SG_T_B32, SG_T_B32},
     .fns = cvt_pk_u8_f32_fns,
     .flags = SG_VOP_CLAMP_IGNORED,
     .build = build_pkaccum},
    FORMAT(CVT_F32_FP8, 0),
    FORMAT(CVT_F32_BF8, 1),
    FORMAT(CVT_PK_F32_FP8, 2),
    FORMAT(CVT_PK_F32_BF8, 3),
    FORMAT(CVT_PK_FP8_F32, 4),
    FORMAT(CVT_PK_BF8_F32, 5),
    FORMAT(CVT_SR_FP8_F32, 6),
    FORMAT(CVT_SR_BF8_F32, 7),
    FORMAT(CVT_SR_F16_F32, 8),
    FORMAT(CVT_SR_BF16_F32, 9),
    {0},
};
