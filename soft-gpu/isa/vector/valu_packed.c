/*
 * valu_packed.c - VOP3P: two 16-bit results in one word, v_pk_*_f32 on row pairs, v_fma_mix. Semantics: MI200
 * ISA chapter 12, VOP3P.
 *
 * 16 bits: a source whose halves are exchanged, doubled or negated is first normalised into a temporary row.
 * f32: each half of a v_pk_*_f32 is an f32 operation of its own and is built as one.
 */
#include "valu_float.h"

typedef uint32_t u32;
typedef int32_t i32;

/* ---- 16-bit pairs ---- */
#define LO16(x) ((x) & 0xffff)
#define HI16(x) ((x) >> 16)
#define PACK(lo, hi) (((lo) & 0xffff) | (u32)(hi) << 16)
#define PAIR2(F, a, b) PACK(F(LO16(a), LO16(b)), F(HI16(a), HI16(b)))
#define PAIR3(F, a, b, c) PACK(F(LO16(a), LO16(b), LO16(c)), F(HI16(a), HI16(b), HI16(c)))
#define S16(x) ((i32)(int16_t)(x))

static inline u32 sat_u16(i32 x)
{
    return (u32)(x < 0 ? 0 : x > 0xffff ? 0xffff : x);
}
static inline u32 sat_i16(i32 x)
{
    return (u32)(x < -32768 ? -32768 : x > 32767 ? 32767 : x);
}
#define add(a, b) ((a) + (b))
#define sub(a, b) ((a) - (b))
#define mul(a, b) ((a) * (b))
#define mad(a, b, c) ((a) * (b) + (c))
#define lshl(a, b) ((b) << ((a) & 15))
#define lshr(a, b) ((b) >> ((a) & 15))
#define ashr(a, b) ((u32)(S16(b) >> ((a) & 15)))
#define min_i(a, b) (S16(a) < S16(b) ? (a) : (b))
#define max_i(a, b) (S16(a) >= S16(b) ? (a) : (b))
#define min_u(a, b) ((a) < (b) ? (a) : (b))
#define max_u(a, b) ((a) >= (b) ? (a) : (b))
#define add_sat_u(a, b) sat_u16((i32)((a) + (b)))
#define sub_sat_u(a, b) sat_u16((i32)((a) - (b)))
#define mul_sat_u(a, b) ((a) * (b) > 0xffff ? 0xffff : (a) * (b))
#define add_sat_i(a, b) sat_i16(S16(a) + S16(b))
#define sub_sat_i(a, b) sat_i16(S16(a) - S16(b))
#define mad_sat_u(a, b, c) ((uint64_t)(a) * (b) + (c) > 0xffff ? 0xffff : (a) * (b) + (c))
#define mad_sat_i(a, b, c) sat_i16(S16(a) * S16(b) + S16(c))
#define op_pk_add(a, b) PAIR2(add, a, b)
#define op_pk_sub(a, b) PAIR2(sub, a, b)
#define op_pk_mul_lo(a, b) PAIR2(mul, a, b)
#define op_pk_mad(a, b, c) PAIR3(mad, a, b, c)
#define op_pk_lshl(a, b) PAIR2(lshl, a, b)
#define op_pk_lshr(a, b) PAIR2(lshr, a, b)
#define op_pk_ashr(a, b) PAIR2(ashr, a, b)
#define op_pk_min_i(a, b) PAIR2(min_i, a, b)
#define op_pk_max_i(a, b) PAIR2(max_i, a, b)
#define op_pk_min_u(a, b) PAIR2(min_u, a, b)
#define op_pk_max_u(a, b) PAIR2(max_u, a, b)
#define op_pk_add_sat_u(a, b) PAIR2(add_sat_u, a, b)
#define op_pk_sub_sat_u(a, b) PAIR2(sub_sat_u, a, b)
#define op_pk_mul_sat_u(a, b) PAIR2(mul_sat_u, a, b)
#define op_pk_add_sat_i(a, b) PAIR2(add_sat_i, a, b)
#define op_pk_sub_sat_i(a, b) PAIR2(sub_sat_i, a, b)
#define op_pk_mad_sat_u(a, b, c) PAIR3(mad_sat_u, a, b, c)
#define op_pk_mad_sat_i(a, b, c) PAIR3(mad_sat_i, a, b, c)
#define PACKED2(NAME, FP) SG_HANDLER2(NAME, op_##NAME, 32, V32, V32, FP)
#define PACKED3(NAME, FP) SG_HANDLER3(NAME, op_##NAME, 32, V32, V32, V32, FP)
PACKED2(pk_add, NONE)
PACKED2(pk_sub, NONE)
PACKED2(pk_mul_lo, NONE)
PACKED3(pk_mad, NONE)
PACKED2(pk_lshl, NONE)
PACKED2(pk_lshr, NONE)
PACKED2(pk_ashr, NONE)
PACKED2(pk_min_i, NONE)
PACKED2(pk_max_i, NONE)
PACKED2(pk_min_u, NONE)
PACKED2(pk_max_u, NONE)
PACKED2(pk_add_sat_u, NONE)
PACKED2(pk_sub_sat_u, NONE)
PACKED2(pk_mul_sat_u, NONE)
PACKED2(pk_add_sat_i, NONE)
PACKED2(pk_sub_sat_i, NONE)
PACKED3(pk_mad_sat_u, NONE)
PACKED3(pk_mad_sat_i, NONE)

#define IEEE (mode & SG_MODE_IEEE)
#define add_h(a, b) SG_F16_OUT(SG_F16_IN(a) + SG_F16_IN(b))
#define mul_h(a, b) SG_F16_OUT(SG_F16_IN(a) * SG_F16_IN(b))
#define fma_h(a, b, c) SG_F16_OUT(sg_fma16_sum(SG_F16_IN(a), SG_F16_IN(b), SG_F16_IN(c)))
#define min_h(a, b) sg_min16(a, b, IEEE)
#define max_h(a, b) sg_max16(a, b, IEEE)
#define minimum3_h(a, b, c) sg_minimum16(sg_minimum16(a, b), c)
#define maximum3_h(a, b, c) sg_maximum16(sg_maximum16(a, b), c)
#define op_pk_add_f16(a, b) PAIR2(add_h, a, b)
#define op_pk_mul_f16(a, b) PAIR2(mul_h, a, b)
#define op_pk_fma_f16(a, b, c) PAIR3(fma_h, a, b, c)
#define op_pk_min_f16(a, b) PAIR2(min_h, a, b)
#define op_pk_max_f16(a, b) PAIR2(max_h, a, b)
#define op_pk_min_num_f16(a, b) PAIR2(sg_min_num16, a, b)
#define op_pk_max_num_f16(a, b) PAIR2(sg_max_num16, a, b)
#define op_pk_minimum_f16(a, b) PAIR2(sg_ieee_minimum16, a, b)
#define op_pk_maximum_f16(a, b) PAIR2(sg_ieee_maximum16, a, b)
#define op_pk_minimum3_f16(a, b, c) PAIR3(minimum3_h, a, b, c)
#define op_pk_maximum3_f16(a, b, c) PAIR3(maximum3_h, a, b, c)
PACKED2(pk_add_f16, 16)
PACKED2(pk_mul_f16, 16)
PACKED3(pk_fma_f16, 16)
PACKED2(pk_min_f16, NONE)
PACKED2(pk_max_f16, NONE)
PACKED2(pk_min_num_f16, NONE)
PACKED2(pk_max_num_f16, NONE)
PACKED2(pk_minimum_f16, NONE)
PACKED2(pk_maximum_f16, NONE)
PACKED3(pk_minimum3_f16, NONE)
PACKED3(pk_maximum3_f16, NONE)

unsigned sg_valu_packed_row(struct sg_builder *b, const struct gcn_inst *in, unsigned k, bool is_float)
{
    const struct gcn_operand *o = &in->src[k];
    unsigned row;
    if (sg_valu_is_row(o)) {
        row = sg_row(o);
    } else {
        row = sg_temp_rows(b, 1);
        sg_emit(b, sg_valu_splat32, row, sg_valu_scalar(b, o, is_float ? SG_T_F16 : SG_T_B32), 0, 0);
    }
    if (in->format != GCN_FMT_VOP3P)
        return row;
    const unsigned low = in->op_sel >> k & 1, high = in->op_sel_hi >> k & 1;
    const u32 flip = is_float ? (in->neg >> k & 1u) << 15 | (in->neg_hi >> k & 1u) << 31 : 0;
    if (low == 0 && high == 1 && !flip)
        return row;
    unsigned d = sg_temp_rows(b, 1);
    struct sg_uop *u = sg_emit(b, sg_valu_halves, d, row, 0, 0);
    u->imm = (i32)(low | high << 1);
    u->x = flip;
    return d;
}

/* One row per handler: aux 1 = float. */
static bool build_packed(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    const bool is_float = op->aux;
    if (in->clamp && !is_float && !op->clamp_fn)
        return false;
    unsigned row[3] = {0};
    for (unsigned k = 0; k < 3 && op->src[k]; k++)
        row[k] = sg_valu_packed_row(b, in, k, is_float);
    const unsigned d = sg_row(&in->dst);
    sg_emit(b, in->clamp && !is_float ? op->clamp_fn : op->fns[0], d, row[0], row[1], row[2]);
    if (in->clamp && is_float)
        sg_emit(b, sg_valu_clamp_pk16, d, 0, 0, 0);
    return true;
}

/* ---- v_pk_*_f32, v_pk_mov_b32 ---- */

/* Half `half` of operand o: the register or constant that holds that dword. An inline constant of a 64-bit
 * operand is sign-extended if an integer; of a float only the low dword exists. */
static struct gcn_operand dword_of(const struct gcn_operand *o, unsigned half)
{
    struct gcn_operand r = *o;
    r.dwords = 1;
    if (!half)
        return r;
    if (sg_valu_is_row(o) || (o->kind == GCN_OPND_SCALAR && o->index < 128))
        r.index++;
    else
        r = (struct gcn_operand){
            .kind = GCN_OPND_SCALAR,
            .dwords = 1,
            .index = o->kind == GCN_OPND_SCALAR && o->index > 192 && o->index <= 208 ? 193 : 128};
    return r;
}

/* The f32 instruction that computes one half. */
static struct gcn_inst half_inst(const struct gcn_inst *in, const struct sg_valu_op *op, unsigned half)
{
    struct gcn_inst r = *in;
    const unsigned select = half ? in->op_sel_hi : in->op_sel;
    r.dst = dword_of(&in->dst, half);
    for (unsigned k = 0; k < 3 && op->src[k]; k++)
        r.src[k] = dword_of(&in->src[k], select >> k & 1);
    r.neg = half ? in->neg_hi : in->neg;
    r.abs = r.op_sel = r.op_sel_hi = r.neg_hi = 0;
    if (op->op == GCN_OP_V_MOV_B32) { /* the high half moves src1 by op_sel[1] */
        r.src[0] = dword_of(&in->src[half], in->op_sel >> half & 1);
        r.neg = 0;
    }
    return r;
}

static bool reads_row(const struct gcn_inst *in, const struct sg_valu_op *op, const struct gcn_operand *row)
{
    for (unsigned k = 0; k < 3 && op->src[k]; k++)
        if (sg_valu_is_row(&in->src[k]) && sg_row(&in->src[k]) == sg_row(row))
            return true;
    return false;
}

static const struct sg_valu_op *find(const struct sg_valu_op *table, unsigned op)
{
    while (table->op != op)
        table++;
    return table;
}

/* Both halves read before either is written: in an order that allows it, or with the low half parked in a
 * temporary row. */
static bool build_pair(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *half)
{
    struct gcn_inst low = half_inst(in, half, 0), high = half_inst(in, half, 1);
    if (!reads_row(&high, half, &low.dst))
        return sg_valu_build_plain(b, &low, half) && sg_valu_build_plain(b, &high, half);
    if (!reads_row(&low, half, &high.dst))
        return sg_valu_build_plain(b, &high, half) && sg_valu_build_plain(b, &low, half);
    const struct gcn_operand place = low.dst;
    low.dst = (struct gcn_operand){.kind = GCN_OPND_VGPR, .dwords = 1, .index = (uint16_t)sg_temp_rows(b, 1)};
    struct gcn_inst move = {.op = GCN_OP_V_MOV_B32, .dst = place, .src = {low.dst}, .n_src = 1};
    return sg_valu_build_plain(b, &low, half) && sg_valu_build_plain(b, &high, half) &&
           sg_valu_build_plain(b, &move, find(sg_valu_bit_ops, GCN_OP_V_MOV_B32));
}

static bool build_pk_f32(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    switch (op->op) {
    case GCN_OP_V_PK_FMA_F32:
        return build_pair(b, in, find(sg_valu_float32_ops, GCN_OP_V_FMA_F32));
    case GCN_OP_V_PK_MUL_F32:
        return build_pair(b, in, find(sg_valu_float32_ops, GCN_OP_V_MUL_F32));
    case GCN_OP_V_PK_ADD_F32:
        return build_pair(b, in, find(sg_valu_float32_ops, GCN_OP_V_ADD_F32));
    case GCN_OP_V_PK_MOV_B32:
        return build_pair(b, in, find(sg_valu_bit_ops, GCN_OP_V_MOV_B32));
    }
    return false;
}

/* ---- v_fma_mix: sources f32, or f16 where op_sel_hi says so ---- */
#define op_widen(a) sg_u32(SG_F16_IN((a) >> shift))
static int widen(SG_ARGS) /* row d = f32 of half imm/16 of row a, all lanes */
{
    uint32_t *d = v[u->d];
    const uint32_t *a = v[u->a];
    const u32 shift = (u32)u->imm, mode = w->mode, flush_in = mode & 0x40 ? 0 : 0x3ff;
    SG_EACH_LANE
    d[i] = op_widen(a[i]);
    SG_NEXT();
}
#define op_narrow(a) SG_F16_OUT(sg_f32(a))
SG_HANDLER1(narrow, op_narrow, 32, V32, 16)

static bool build_mix(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    struct gcn_inst fma = *in;
    for (unsigned k = 0; k < 3; k++) {
        if (!(in->op_sel_hi >> k & 1))
            continue;
        unsigned row;
        if (sg_valu_is_row(&in->src[k])) {
            row = sg_row(&in->src[k]);
        } else {
            row = sg_temp_rows(b, 1);
            sg_emit(b, sg_valu_splat32, row, sg_valu_scalar(b, &in->src[k], SG_T_F16), 0, 0);
        }
        unsigned d = sg_temp_rows(b, 1);
        sg_emit(b, widen, d, row, 0, 0)->imm = in->op_sel >> k & 1 ? 16 : 0;
        fma.src[k] = (struct gcn_operand){.kind = GCN_OPND_VGPR, .dwords = 1, .index = (uint16_t)d};
    }
    fma.abs = in->neg_hi;
    fma.op_sel = fma.op_sel_hi = fma.neg_hi = 0;
    const struct sg_valu_op *plain = find(sg_valu_float32_ops, GCN_OP_V_FMA_F32);
    if (op->op == GCN_OP_V_FMA_MIX_F32)
        return sg_valu_build_plain(b, &fma, plain);
    const unsigned wide = sg_temp_rows(b, 2), half = wide + 1;
    fma.dst = (struct gcn_operand){.kind = GCN_OPND_VGPR, .dwords = 1, .index = (uint16_t)wide};
    fma.clamp = false;
    if (!sg_valu_build_plain(b, &fma, plain))
        return false;
    sg_emit(b, narrow, half, wide, 0, 0);
    if (in->clamp)
        sg_emit(b, sg_valu_clamp16, half, 0, 0, 0);
    struct sg_uop *u = sg_emit(b, sg_valu_insert, sg_row(&in->dst), half, 0, 0);
    u->imm = 16;
    u->x = op->op == GCN_OP_V_FMA_MIXHI_F16 ? 16 : 0;
    u->flags = 2;
    return true;
}

#define ONE_FN(FN) ((const sg_fn[8]){FN})
#define PK2(NAME, FN, SAT, FLOAT)                                                                            \
    {.op = GCN_OP_V_PK_##NAME,                                                                               \
     .dst = SG_T_B32,                                                                                        \
     .src = {SG_T_B32, SG_T_B32},                                                                            \
     .fns = ONE_FN(FN),                                                                                      \
     .clamp_fn = SAT,                                                                                        \
     .aux = FLOAT,                                                                                           \
     .build = build_packed}
#define PK3(NAME, FN, SAT, FLOAT)                                                                            \
    {.op = GCN_OP_V_PK_##NAME,                                                                               \
     .dst = SG_T_B32,                                                                                        \
     .src = {SG_T_B32, SG_T_B32, SG_T_B32},                                                                  \
     .fns = ONE_FN(FN),                                                                                      \
     .clamp_fn = SAT,                                                                                        \
     .aux = FLOAT,                                                                                           \
     .build = build_packed}
#define BUILT(NAME, BUILD) {.op = GCN_OP_V_##NAME, .build = BUILD}

const struct sg_valu_op sg_valu_packed_ops[] = {
    PK3(MAD_I16, pk_mad, pk_mad_sat_i, 0),
    PK3(MAD_U16, pk_mad, pk_mad_sat_u, 0),
    PK2(MUL_LO_U16, pk_mul_lo, pk_mul_sat_u, 0),
    PK2(ADD_I16, pk_add, pk_add_sat_i, 0),
    PK2(SUB_I16, pk_sub, pk_sub_sat_i, 0),
    PK2(ADD_U16, pk_add, pk_add_sat_u, 0),
    PK2(SUB_U16, pk_sub, pk_sub_sat_u, 0),
    PK2(LSHLREV_B16, pk_lshl, NULL, 0),
    PK2(LSHRREV_B16, pk_lshr, NULL, 0),
    PK2(ASHRREV_I16, pk_ashr, NULL, 0),
    PK2(MAX_I16, pk_max_i, NULL, 0),
    PK2(MIN_I16, pk_min_i, NULL, 0),
    PK2(MAX_U16, pk_max_u, NULL, 0),
    PK2(MIN_U16, pk_min_u, NULL, 0),
    PK3(FMA_F16, pk_fma_f16, NULL, 1),
    PK3(FMAC_F16, pk_fma_f16, NULL, 1),
    PK2(ADD_F16, pk_add_f16, NULL, 1),
    PK2(MUL_F16, pk_mul_f16, NULL, 1),
    PK2(MIN_F16, pk_min_f16, NULL, 1),
    PK2(MAX_F16, pk_max_f16, NULL, 1),
    PK2(MIN_NUM_F16, pk_min_num_f16, NULL, 1), /* gfx12 */
    PK2(MAX_NUM_F16, pk_max_num_f16, NULL, 1),
    PK2(MINIMUM_F16, pk_minimum_f16, NULL, 1),
    PK2(MAXIMUM_F16, pk_maximum_f16, NULL, 1),
    PK3(MINIMUM3_F16, pk_minimum3_f16, NULL, 1),
    PK3(MAXIMUM3_F16, pk_maximum3_f16, NULL, 1),
    BUILT(PK_FMA_F32, build_pk_f32),
    BUILT(PK_MUL_F32, build_pk_f32),
    BUILT(PK_ADD_F32, build_pk_f32),
    BUILT(PK_MOV_B32, build_pk_f32),
    BUILT(FMA_MIX_F32, build_mix),
    BUILT(FMA_MIXLO_F16, build_mix),
    BUILT(FMA_MIXHI_F16, build_mix),
    {0},
};
