/*
 * valu_carry.c - operations with a lane mask in a scalar pair: additions and subtractions with carry,
 * v_cndmask, v_mad_u64_u32 and v_mad_i64_i32. Semantics: MI200 ISA chapter 12. Inactive lanes get a 0 in a
 * mask written.
 *
 * Fields of the micro-operations: d, a, b as usual, c the mask read (or the 64-bit addend), imm the pair
 * written.
 */
#include "valu.h"

typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

/* Result r of lane i from x, y and the incoming bit, and its carry in the top bit of a word: there the inputs
 * of the top position and its sum tell. */
#define ADD_RESULT(x, y, in) ((x) + (y) + (in))
#define ADD_CARRY(x, y, r) (((x) & (y)) | (((x) | (y)) & ~(r)))
#define SUB_RESULT(x, y, in) ((x) - (y) - (in))
#define SUB_CARRY(x, y, r) ((~(x) & (y)) | ((~(x) | (y)) & (r)))
#define SUBREV_RESULT(x, y, in) SUB_RESULT(y, x, in)
#define SUBREV_CARRY(x, y, r) SUB_CARRY(y, x, r)
#define NO_CARRY_IN
#define CARRY_IN                                                                                             \
    _Alignas(64) u32 carry_in[SG_LANES];                                                                     \
    sg_spread_bits(sg_s64(s, u->c), carry_in);
#define NO_CARRY_BIT 0
#define CARRY_BIT (carry_in[i] & 1)

/* flags 1: clamp, which makes a carry saturate the result: to all ones for ADD, to 0 for SUB. */
#define CARRY_HANDLER(NAME, KIND, KA, KB, LOAD_IN, BIT, SATURATED)                                           \
    static int NAME(SG_ARGS)                                                                                 \
    {                                                                                                        \
        SG_LOAD_##KA(a) SG_LOAD_##KB(b) SG_DST_32 LOAD_IN _Alignas(64) u32 out[SG_LANES];                    \
        const u32 *m = w->xm;                                                                                \
        const u32 clamp = u->flags & 1 ? ~0u : 0;                                                            \
        SG_EACH_LANE                                                                                         \
        {                                                                                                    \
            const u32 x = SG_AT_##KA(a), y = SG_AT_##KB(b), r = KIND##_RESULT(x, y, BIT);                    \
            out[i] = KIND##_CARRY(x, y, r);                                                                  \
            const u32 saturate = (u32)((int32_t)out[i] >> 31) & clamp;                                       \
            d0_[i] = sg_blend(m[i], sg_blend(saturate, SATURATED, r), d0_[i]);                               \
        }                                                                                                    \
        sg_set_s64(s, (unsigned)u->imm, sg_top_bits(out) & w->exec);                                         \
        SG_NEXT();                                                                                           \
    }
#define CARRY_FAMILY(NAME, KIND, LOAD_IN, BIT, SATURATED)                                                    \
    CARRY_HANDLER(NAME##_vv, KIND, V32, V32, LOAD_IN, BIT, SATURATED)                                        \
    CARRY_HANDLER(NAME##_sv, KIND, S32, V32, LOAD_IN, BIT, SATURATED)                                        \
    CARRY_HANDLER(NAME##_vs, KIND, V32, S32, LOAD_IN, BIT, SATURATED)                                        \
    static const sg_fn NAME##_fns[8] = {NAME##_vv, NAME##_sv, NAME##_vs};
CARRY_FAMILY(add_co, ADD, NO_CARRY_IN, NO_CARRY_BIT, ~0u)
CARRY_FAMILY(sub_co, SUB, NO_CARRY_IN, NO_CARRY_BIT, 0u)
CARRY_FAMILY(subrev_co, SUBREV, NO_CARRY_IN, NO_CARRY_BIT, 0u)
CARRY_FAMILY(addc_co, ADD, CARRY_IN, CARRY_BIT, ~0u)
CARRY_FAMILY(subb_co, SUB, CARRY_IN, CARRY_BIT, 0u)
CARRY_FAMILY(subbrev_co, SUBREV, CARRY_IN, CARRY_BIT, 0u)

/* ---- v_cndmask ---- */
#define CNDMASK_HANDLER(NAME, KA, KB)                                                                        \
    static int NAME(SG_ARGS)                                                                                 \
    {                                                                                                        \
        SG_LOAD_##KA(a) SG_LOAD_##KB(b) _Alignas(64) u32 select[SG_LANES];                                   \
        sg_spread_bits(sg_s64(s, u->c), select);                                                             \
        SG_ROW_MODE(NONE) SG_ROW_LOOP(32, NONE, sg_blend(select[i], SG_AT_##KB(b), SG_AT_##KA(a)))           \
    }
CNDMASK_HANDLER(cndmask_vv, V32, V32)
CNDMASK_HANDLER(cndmask_sv, S32, V32)
CNDMASK_HANDLER(cndmask_vs, V32, S32)
CNDMASK_HANDLER(cndmask_ss, S32, S32)
static const sg_fn cndmask_fns[8] = {cndmask_vv, cndmask_sv, cndmask_vs, cndmask_ss};

/* ---- 32 x 32 + 64 bits. The mask gets bit 64 of the exact result. ---- */
#define UNSIGNED_PRODUCT(x, y) ((u64)(x) * (y))
#define SIGNED_PRODUCT(x, y) ((u64)((i64)(int32_t)(x) * (int32_t)(y)))
#define UNSIGNED_TOP(p, c, r) ((u32)(ADD_CARRY(p, c, r) >> 32))
#define SIGNED_TOP(p, c, r) ((u32)(((p) ^ (c) ^ ADD_CARRY(p, c, r)) >> 32))
#define MAD64_HANDLER(NAME, SIGN, KA, KB, KC)                                                                \
    static int NAME(SG_ARGS)                                                                                 \
    {                                                                                                        \
        SG_LOAD_##KA(a) SG_LOAD_##KB(b) SG_LOAD_##KC(c) SG_DST_64 _Alignas(64) u32 out[SG_LANES];            \
        const u32 *m = w->xm;                                                                                \
        SG_EACH_LANE                                                                                         \
        {                                                                                                    \
            const u64 p = SIGN##_PRODUCT(SG_AT_##KA(a), SG_AT_##KB(b)), addend = SG_AT_##KC(c);              \
            const u64 sum = p + addend;                                                                      \
            out[i] = SIGN##_TOP(p, addend, sum);                                                             \
            SG_MASKED_PUT_64(sum);                                                                           \
        }                                                                                                    \
        sg_set_s64(s, (unsigned)u->imm, sg_top_bits(out) & w->exec);                                         \
        SG_NEXT();                                                                                           \
    }
#define MAD64_FAMILY(NAME, SIGN)                                                                             \
    MAD64_HANDLER(NAME##_vvv, SIGN, V32, V32, V64)                                                           \
    MAD64_HANDLER(NAME##_svv, SIGN, S32, V32, V64)                                                           \
    MAD64_HANDLER(NAME##_vsv, SIGN, V32, S32, V64)                                                           \
    MAD64_HANDLER(NAME##_vvs, SIGN, V32, V32, S64)                                                           \
    MAD64_HANDLER(NAME##_svs, SIGN, S32, V32, S64)                                                           \
    MAD64_HANDLER(NAME##_vss, SIGN, V32, S32, S64)                                                           \
    static const sg_fn NAME##_fns[8] = {NAME##_vvv, NAME##_svv, NAME##_vsv, NULL,                            \
                                        NAME##_vvs, NAME##_svs, NAME##_vss};
MAD64_FAMILY(mad_u64_u32, UNSIGNED)
MAD64_FAMILY(mad_i64_i32, SIGNED)

/* ---- Builders ---- */

/* Sources 0 and 1; a scalar is spread over a row where the handler table has no such variant (with `extra`
 * kind bits of the third source). */
static unsigned two_sources(struct sg_builder *b, const struct sg_inst *in, enum sg_vtype type,
                            const sg_fn *fns, unsigned extra, unsigned index[2])
{
    unsigned kinds = extra;
    for (unsigned k = 0; k < 2; k++) {
        struct sg_valu_source src = sg_valu_source(b, in, k, type);
        kinds |= (unsigned)src.scalar << k;
        index[k] = src.index;
    }
    for (unsigned k = 0; k < 2 && !fns[kinds]; k++)
        if (kinds >> k & 1) {
            unsigned row = sg_temp_rows(b, 1);
            sg_emit(b, sg_valu_splat32, row, index[k], 0, 0);
            index[k] = row;
            kinds &= ~(1u << k);
        }
    return kinds;
}

static bool build_carry(struct sg_builder *b, const struct sg_inst *in, const struct sg_valu_op *op)
{
    const bool takes_carry = op->aux;
    if (takes_carry && sg_valu_is_row(&in->src[2]))
        return false;
    unsigned index[2], kinds = two_sources(b, in, SG_T_B32, op->fns, 0, index);
    unsigned carry = takes_carry ? sg_scalar_source64(b, &in->src[2], false) : 0;
    struct sg_uop *u = sg_emit(b, op->fns[kinds], sg_valu_row(&in->dst), index[0], index[1], carry);
    u->imm = in->sdst.index;
    u->flags = in->clamp;
    if (sg_valu_is_exec(&in->sdst))
        sg_emit_exec_refresh(b);
    return true;
}

static bool build_cndmask(struct sg_builder *b, const struct sg_inst *in, const struct sg_valu_op *op)
{
    if (sg_valu_is_row(&in->src[2]))
        return false;
    unsigned index[2], kinds = two_sources(b, in, SG_T_F32, op->fns, 0, index);
    unsigned select = sg_scalar_source64(b, &in->src[2], false);
    sg_emit(b, op->fns[kinds], sg_valu_row(&in->dst), index[0], index[1], select);
    return true;
}

static bool build_mad64(struct sg_builder *b, const struct sg_inst *in, const struct sg_valu_op *op)
{
    if (in->clamp)
        return false;
    struct sg_valu_source addend = sg_valu_source(b, in, 2, SG_T_B64);
    unsigned index[2], kinds = two_sources(b, in, SG_T_B32, op->fns, addend.scalar ? 4 : 0, index);
    sg_emit(b, op->fns[kinds], sg_valu_row(&in->dst), index[0], index[1], addend.index)->imm = in->sdst.index;
    if (sg_valu_is_exec(&in->sdst))
        sg_emit_exec_refresh(b);
    return true;
}

#define ENTRY(NAME, FNS, BUILD, AUX) {.op = SG_OP_V_##NAME, .fns = FNS##_fns, .aux = AUX, .build = BUILD}

const struct sg_valu_op sg_valu_carry_ops[] = {
    ENTRY(ADD_CO_U32, add_co, build_carry, 0),       ENTRY(SUB_CO_U32, sub_co, build_carry, 0),
    ENTRY(SUBREV_CO_U32, subrev_co, build_carry, 0), ENTRY(ADDC_CO_U32, addc_co, build_carry, 1),
    ENTRY(SUBB_CO_U32, subb_co, build_carry, 1),     ENTRY(SUBBREV_CO_U32, subbrev_co, build_carry, 1),
    ENTRY(CNDMASK_B32, cndmask, build_cndmask, 0),   ENTRY(MAD_U64_U32, mad_u64_u32, build_mad64, 0),
    ENTRY(MAD_I64_I32, mad_i64_i32, build_mad64, 0), {0},
};
