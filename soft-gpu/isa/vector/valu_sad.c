/*
 * valu_sad.c - sums of absolute differences, v_lerp_u8: byte arithmetic for video. Semantics: MI200 ISA
 * chapter 12.
 */
#include "valu.h"

typedef uint32_t u32;
typedef uint64_t u64;

static inline u32 difference(u32 a, u32 b)
{
    return a > b ? a - b : b - a;
}
#define BYTE(x, k) ((x) >> 8 * (k) & 0xff)
static inline u32 sad_u8(u32 a, u32 b)
{
    return difference(BYTE(a, 0), BYTE(b, 0)) + difference(BYTE(a, 1), BYTE(b, 1)) +
           difference(BYTE(a, 2), BYTE(b, 2)) + difference(BYTE(a, 3), BYTE(b, 3));
}
/* Bytes where the reference b is 0 do not count. */
static inline u32 masked_difference(u32 a, u32 b)
{
    return b ? difference(a, b) : 0;
}
static inline u32 msad_u8(u32 a, u32 b)
{
    return masked_difference(BYTE(a, 0), BYTE(b, 0)) + masked_difference(BYTE(a, 1), BYTE(b, 1)) +
           masked_difference(BYTE(a, 2), BYTE(b, 2)) + masked_difference(BYTE(a, 3), BYTE(b, 3));
}
static inline u32 sad_u16(u32 a, u32 b)
{
    return difference(a & 0xffff, b & 0xffff) + difference(a >> 16, b >> 16);
}
static inline u32 saturated(u64 x)
{
    return x > UINT32_MAX ? UINT32_MAX : (u32)x;
}
#define LERP(k) ((BYTE(a, k) + BYTE(b, k) + (c >> 8 * (k) & 1)) >> 1 << 8 * (k))
static inline u32 op_lerp_u8(u32 a, u32 b, u32 c)
{
    return LERP(0) | LERP(1) | LERP(2) | LERP(3);
}
SG_FAMILY3(lerp_u8, 32, 32, 32, 32, NONE)

/* A sum added to c, wrapping or (clamp) saturating. */
#define SUM(NAME, VALUE)                                                                                     \
    static inline u32 op_##NAME(u32 a, u32 b, u32 c)                                                         \
    {                                                                                                        \
        return (VALUE) + c;                                                                                  \
    }                                                                                                        \
    static inline u32 op_##NAME##_sat(u32 a, u32 b, u32 c)                                                   \
    {                                                                                                        \
        return saturated((u64)(VALUE) + c);                                                                  \
    }                                                                                                        \
    SG_FAMILY3(NAME, 32, 32, 32, 32, NONE)                                                                   \
    SG_HANDLER3(NAME##_sat, op_##NAME##_sat, 32, V32, V32, V32, NONE)
SUM(sad_u8, sad_u8(a, b))
SUM(sad_hi_u8, sad_u8(a, b) << 16)
SUM(sad_u16, sad_u16(a, b))
SUM(sad_u32, difference(a, b))
SUM(msad_u8, msad_u8(a, b))

/* Four sums at byte offsets 0..3 of the 64-bit source. aux/flags: 1 = masked. x: 1 = 32-bit sums in four
 * rows. */
static int quad_sad(SG_ARGS)
{
    const uint32_t *a0 = v[u->a], *a1 = v[u->a + 1], *b = v[u->b], *m = w->xm;
    const bool masked = u->flags, clamp = u->imm, wide = u->x;
    for (unsigned i = 0; i < SG_MAX_LANES; i++) {
        if (!m[i])
            continue;
        const u64 window = (u64)a1[i] << 32 | a0[i];
        const u32 reference = b[i];
        u32 sum[4];
        for (unsigned k = 0; k < 4; k++) {
            const u32 bytes = (u32)(window >> 8 * k);
            const u32 addend = wide ? v[u->c + k][i] : v[u->c + k / 2][i] >> 16 * (k & 1) & 0xffff;
            const u64 total = (u64)(masked ? msad_u8(bytes, reference) : sad_u8(bytes, reference)) + addend;
            sum[k] = wide ? (clamp ? saturated(total) : (u32)total)
                          : (u32)(clamp && total > 0xffff ? 0xffff : total & 0xffff);
        }
        for (unsigned k = 0; k < 4; k++) {
            if (wide)
                v[u->d + k][i] = sum[k];
            else if (k & 1)
                v[u->d + k / 2][i] = sum[k] << 16 | sum[k - 1];
        }
    }
    SG_NEXT();
}

static bool build_quad_sad(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    const bool wide = op->op == GCN_OP_V_MQSAD_U32_U8;
    unsigned c;
    if (!wide)
        c = sg_valu_source_row(b, in, 2, SG_T_B64);
    else if (sg_valu_is_row(&in->src[2]))
        c = sg_row(&in->src[2]);
    else
        return false;
    unsigned a = sg_valu_source_row(b, in, 0, SG_T_B64), r = sg_valu_source_row(b, in, 1, SG_T_B32);
    struct sg_uop *u = sg_emit(b, quad_sad, sg_row(&in->dst), a, r, c);
    u->flags = op->op != GCN_OP_V_QSAD_PK_U16_U8;
    u->imm = in->clamp;
    u->x = wide;
    return true;
}

#define OP3(NAME, FNS, SAT)                                                                                  \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_B32,                                                                                        \
     .src = {SG_T_B32, SG_T_B32, SG_T_B32},                                                                  \
     .fns = FNS##_fns,                                                                                       \
     .clamp_fn = SAT}

const struct sg_valu_op sg_valu_sad_ops[] = {
    OP3(LERP_U8, lerp_u8, NULL),
    OP3(SAD_U8, sad_u8, sad_u8_sat),
    OP3(SAD_HI_U8, sad_hi_u8, sad_hi_u8_sat),
    OP3(SAD_U16, sad_u16, sad_u16_sat),
    OP3(SAD_U32, sad_u32, sad_u32_sat),
    OP3(MSAD_U8, msad_u8, msad_u8_sat),
    {.op = GCN_OP_V_QSAD_PK_U16_U8, .build = build_quad_sad},
    {.op = GCN_OP_V_MQSAD_PK_U16_U8, .build = build_quad_sad},
    {.op = GCN_OP_V_MQSAD_U32_U8, .build = build_quad_sad},
    {0},
};
