/*
 * valu_dot.c - dot products within a lane (v_dot2, v_dot4, v_dot8 and their accumulating VOP2 forms).
 * Semantics: MI200 and MI350 ISA chapter 12: f16 and bf16 products are exact in f32, the sums round one after
 * the other in the order of the text; integers wrap, or saturate with clamp.
 */
#include "valu_float.h"
#include "valu_minifloat.h"

typedef uint32_t u32;
typedef int32_t i32;
typedef int64_t i64;

#define F16_LO(x) sg_f32_of_f16(x)
#define F16_HI(x) sg_f32_of_f16((x) >> 16)
#define BF16_LO(x) sg_f32((x) << 16)
#define BF16_HI(x) sg_f32((x) & 0xffff0000)

static inline u32 op_dot2_f32_f16(u32 a, u32 b, u32 c)
{
    float sum = sg_f32(c) + F16_LO(a) * F16_LO(b);
    return sg_u32(sum + F16_HI(a) * F16_HI(b));
}
static inline u32 op_dot2_f32_bf16(u32 a, u32 b, u32 c)
{
    float sum = BF16_LO(a) * BF16_LO(b) + BF16_HI(a) * BF16_HI(b);
    return sg_u32(sum + sg_f32(c));
}
static inline u32 op_dot2c_f32_bf16(u32 a, u32 b, u32 c)
{
    float sum = sg_f32(c) + BF16_LO(a) * BF16_LO(b);
    return sg_u32(sum + BF16_HI(a) * BF16_HI(b));
}
SG_HANDLER3(dot2_f32_f16, op_dot2_f32_f16, 32, V32, V32, V32, 32)
SG_HANDLER3(dot2_f32_bf16, op_dot2_f32_bf16, 32, V32, V32, V32, 32)
SG_HANDLER3(dot2c_f32_bf16, op_dot2c_f32_bf16, 32, V32, V32, V32, 32)

/* gfx11, with 16-bit results ("RDNA3 Instruction Set Architecture", V_DOT2_F16_F16, V_DOT2_BF16_BF16): the addend first,
 * and each sum is one of the result's type; the products are not rounded by themselves. */
static inline u32 bf16_of(float f)
{
    const u32 bits = sg_u32(f);
    return f != f ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
static inline u32 op_dot2_f16_f16(u32 a, u32 b, u32 c)
{
    const u32 sum = sg_f16_of_f32(F16_LO(c) + F16_LO(a) * F16_LO(b));
    return sg_f16_of_f32(F16_LO(sum) + F16_HI(a) * F16_HI(b));
}
static inline u32 op_dot2_bf16_bf16(u32 a, u32 b, u32 c)
{
    const u32 sum = bf16_of(BF16_LO(c) + BF16_LO(a) * BF16_LO(b));
    return bf16_of(BF16_LO(sum) + BF16_HI(a) * BF16_HI(b));
}
SG_HANDLER3(dot2_f16_f16, op_dot2_f16_f16, 32, V32, V32, V32, NONE)
SG_HANDLER3(dot2_bf16_bf16, op_dot2_bf16_bf16, 32, V32, V32, V32, NONE)

/* gfx12: four products of 8-bit floats, one after the other onto the addend ("RDNA4 Instruction Set Architecture",
 * V_DOT4_F32_FP8_BF8). */
#define DOT4_FLOAT(NAME, A, B)                                                                               \
    static inline u32 op_##NAME(u32 a, u32 b, u32 c)                                                         \
    {                                                                                                        \
        float sum = sg_f32(c);                                                                               \
        for (unsigned k = 0; k < 4; k++)                                                                     \
            sum +=                                                                                           \
                (float)sg_mini_decode(&A, a >> 8 * k & 255) * (float)sg_mini_decode(&B, b >> 8 * k & 255);   \
        return sg_u32(sum);                                                                                  \
    }                                                                                                        \
    SG_HANDLER3(NAME, op_##NAME, 32, V32, V32, V32, 32)
DOT4_FLOAT(dot4_f32_fp8_fp8, sg_mini_fp8_ocp, sg_mini_fp8_ocp)
DOT4_FLOAT(dot4_f32_fp8_bf8, sg_mini_fp8_ocp, sg_mini_bf8_ocp)
DOT4_FLOAT(dot4_f32_bf8_fp8, sg_mini_bf8_ocp, sg_mini_fp8_ocp)
DOT4_FLOAT(dot4_f32_bf8_bf8, sg_mini_bf8_ocp, sg_mini_bf8_ocp)

/* Element k of width W bits, signed or not. */
#define SIGNED(x, W, k) ((i64)((i32)((x) << (32 - (W) * ((k) + 1))) >> (32 - (W))))
#define UNSIGNED(x, W, k) ((i64)((x) << (32 - (W) * ((k) + 1)) >> (32 - (W))))
#define TERM(EXT, W, k) EXT(a, W, k) * EXT(b, W, k)
#define TWO(EXT, W, k) (TERM(EXT, W, k) + TERM(EXT, W, (k) + 1))
#define FOUR(EXT, W, k) (TWO(EXT, W, k) + TWO(EXT, W, (k) + 2))
#define EIGHT(EXT, W, k) (FOUR(EXT, W, k) + FOUR(EXT, W, (k) + 4))

static inline u32 sat_i32(i64 x)
{
    return (u32)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (i32)x);
}
static inline u32 sat_u32(i64 x)
{
    return x > UINT32_MAX ? UINT32_MAX : (u32)x;
}
#define DOT(NAME, SUM, ADDEND, SAT)                                                                          \
    static inline u32 op_##NAME(u32 a, u32 b, u32 c)                                                         \
    {                                                                                                        \
        return (u32)(SUM) + c;                                                                               \
    }                                                                                                        \
    static inline u32 op_##NAME##_sat(u32 a, u32 b, u32 c)                                                   \
    {                                                                                                        \
        return SAT(SUM + (i64)(ADDEND)c);                                                                    \
    }                                                                                                        \
    SG_HANDLER3(NAME, op_##NAME, 32, V32, V32, V32, NONE)                                                    \
    SG_HANDLER3(NAME##_sat, op_##NAME##_sat, 32, V32, V32, V32, NONE)
DOT(dot2_i32_i16, TWO(SIGNED, 16, 0), i32, sat_i32)
DOT(dot2_u32_u16, TWO(UNSIGNED, 16, 0), u32, sat_u32)
DOT(dot4_i32_i8, FOUR(SIGNED, 8, 0), i32, sat_i32)
DOT(dot4_u32_u8, FOUR(UNSIGNED, 8, 0), u32, sat_u32)
DOT(dot8_i32_i4, EIGHT(SIGNED, 4, 0), i32, sat_i32)
DOT(dot8_u32_u4, EIGHT(UNSIGNED, 4, 0), u32, sat_u32)

/* gfx11: which of the operands are signed stands in the instruction ("RDNA3 Instruction Set Architecture",
 * V_DOT4_I32_IU8, V_DOT8_I32_IU4: NEG). The sum is exact before it is clamped, or wraps. */
static inline i64 element(u32 x, unsigned width, unsigned k, bool is_signed)
{
    const u32 top = x << (32 - width * (k + 1));
    return is_signed ? (i64)((i32)top >> (32 - width)) : (i64)(top >> (32 - width));
}

static int dot_mixed(SG_ARGS)
{
    const unsigned width = (unsigned)u->imm;
    const bool a_signed = u->flags & 1, b_signed = u->flags & 2;
    const u32 *a = v[u->a], *b = v[u->b], *c = v[u->c], *m = w->xm;
    u32 *d = v[u->d];
    (void)s;
    SG_EACH_LANE
    {
        i64 sum = (i32)c[i];
        for (unsigned k = 0; k < 32 / width; k++)
            sum += element(a[i], width, k, a_signed) * element(b[i], width, k, b_signed);
        d[i] = sg_blend(m[i], u->x ? sat_i32(sum) : (u32)sum, d[i]);
    }
    SG_NEXT();
}

static bool build_dot_mixed(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    unsigned row[3];
    for (unsigned k = 0; k < 3; k++)
        row[k] = sg_valu_source_row(b, in, k, SG_T_B32);
    struct sg_uop *u = sg_emit(b, dot_mixed, sg_row(&in->dst), row[0], row[1], row[2]);
    u->imm = op->aux;
    u->flags = in->neg & 3;
    u->x = in->clamp;
    return true;
}

enum { AUX_WHOLE, AUX_HALVES, AUX_FLOAT_HALVES };

static bool build_dot(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    const bool is_float = op->dst == SG_T_F32;
    if (in->clamp && !is_float && !op->clamp_fn)
        return false;
    unsigned row[3];
    for (unsigned k = 0; k < 2; k++)
        row[k] = op->aux == AUX_WHOLE ? sg_valu_source_row(b, in, k, SG_T_B32)
                                      : sg_valu_packed_row(b, in, k, op->aux == AUX_FLOAT_HALVES);
    struct gcn_inst addend = *in;
    addend.op_sel = addend.abs = 0;
    row[2] = sg_valu_source_row(b, &addend, 2, (enum sg_vtype)op->dst);
    const unsigned d = sg_row(&in->dst);
    const bool first = op->op == GCN_OP_V_DOT2_F32_BF16 && sg_builder_arch(b)->family->dot2_adds_first;
    const sg_fn fn = first ? dot2c_f32_bf16 : op->fns[0];
    sg_emit(b, in->clamp && !is_float ? op->clamp_fn : fn, d, row[0], row[1], row[2]);
    if (is_float)
        sg_valu_finish(b, in, SG_T_F32, d);
    return true;
}

/* The first two operands are pairs, the third and the result one half of a register; abs and neg act on both of a pair. */
static bool build_dot_half(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    static const uint32_t mask[] = {~0u, 0x7fff7fff}, flip[] = {0, 0x80008000};
    if (in->clamp)
        return false;
    unsigned row[3];
    struct gcn_inst raw = *in;
    raw.op_sel = in->op_sel & 4;
    raw.abs = raw.neg = 0; /* dealt with below, for both halves of a pair */
    for (unsigned k = 0; k < 3; k++) {
        const bool is_row = sg_valu_is_row(&in->src[k]);
        const unsigned from =
            sg_valu_source_row(b, &raw, k, is_row && k < 2 ? SG_T_B32 : (enum sg_vtype)op->dst);
        row[k] = sg_temp_rows(b, 1);
        struct sg_uop *u = sg_emit(b, sg_valu_bits32, row[k], from, 0, 0);
        u->flags = mask[in->abs >> k & 1];
        u->x = flip[in->neg >> k & 1];
    }
    const unsigned d = sg_temp_rows(b, 1);
    sg_emit(b, op->fns[0], d, row[0], row[1], row[2]);
    sg_valu_insert_half(b, sg_row(&in->dst), d, in->op_sel & 8);
    return true;
}

#define ENTRY(NAME, T, FN, SAT, AUX)                                                                         \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_##T,                                                                                        \
     .fns = (const sg_fn[8]){FN},                                                                            \
     .clamp_fn = SAT,                                                                                        \
     .aux = AUX,                                                                                             \
     .build = build_dot}

const struct sg_valu_op sg_valu_dot_ops[] = {
    ENTRY(DOT2_F32_F16, F32, dot2_f32_f16, NULL, AUX_FLOAT_HALVES),
    ENTRY(DOT2C_F32_F16, F32, dot2_f32_f16, NULL, AUX_FLOAT_HALVES),
    ENTRY(DOT2_F32_BF16, F32, dot2_f32_bf16, NULL, AUX_FLOAT_HALVES),
    ENTRY(DOT2C_F32_BF16, F32, dot2c_f32_bf16, NULL, AUX_FLOAT_HALVES),
    ENTRY(DOT4_F32_FP8_FP8, F32, dot4_f32_fp8_fp8, NULL, AUX_WHOLE),
    ENTRY(DOT4_F32_FP8_BF8, F32, dot4_f32_fp8_bf8, NULL, AUX_WHOLE),
    ENTRY(DOT4_F32_BF8_FP8, F32, dot4_f32_bf8_fp8, NULL, AUX_WHOLE),
    ENTRY(DOT4_F32_BF8_BF8, F32, dot4_f32_bf8_bf8, NULL, AUX_WHOLE),
    ENTRY(DOT2_I32_I16, B32, dot2_i32_i16, dot2_i32_i16_sat, AUX_HALVES),
    ENTRY(DOT2C_I32_I16, B32, dot2_i32_i16, dot2_i32_i16_sat, AUX_HALVES),
    ENTRY(DOT2_U32_U16, B32, dot2_u32_u16, dot2_u32_u16_sat, AUX_HALVES),
    ENTRY(DOT4_I32_I8, B32, dot4_i32_i8, dot4_i32_i8_sat, AUX_WHOLE),
    ENTRY(DOT4C_I32_I8, B32, dot4_i32_i8, dot4_i32_i8_sat, AUX_WHOLE),
    ENTRY(DOT4_U32_U8, B32, dot4_u32_u8, dot4_u32_u8_sat, AUX_WHOLE),
    ENTRY(DOT8_I32_I4, B32, dot8_i32_i4, dot8_i32_i4_sat, AUX_WHOLE),
    ENTRY(DOT8C_I32_I4, B32, dot8_i32_i4, dot8_i32_i4_sat, AUX_WHOLE),
    ENTRY(DOT8_U32_U4, B32, dot8_u32_u4, dot8_u32_u4_sat, AUX_WHOLE),
    {.op = GCN_OP_V_DOT2_F16_F16,
     .dst = SG_T_F16,
     .fns = (const sg_fn[8]){dot2_f16_f16},
     .build = build_dot_half},
    {.op = GCN_OP_V_DOT2_BF16_BF16,
     .dst = SG_T_BF16,
     .fns = (const sg_fn[8]){dot2_bf16_bf16},
     .build = build_dot_half},
    {.op = GCN_OP_V_DOT4_I32_IU8, .dst = SG_T_B32, .aux = 8, .build = build_dot_mixed},
    {.op = GCN_OP_V_DOT8_I32_IU4, .dst = SG_T_B32, .aux = 4, .build = build_dot_mixed},
    {0},
};
