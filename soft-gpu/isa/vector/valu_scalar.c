/*
 * valu_scalar.c - scalar floating point (gfx1150 and later): s_add_f32 and its like are the vector instruction of the same
 * name on one lane, MODE included ("RDNA3.5 Instruction Set Architecture", SOP1, SOP2, SOPC). So they are built from it:
 * all lanes are switched on, the operation makes a temporary row or mask from scalars, lane 0 of it is the result, and EXEC
 * comes back. What 16-bit results leave in the upper half of the register is not documented; here it becomes 0.
 */
#include "valu.h"

struct equal {
    uint16_t scalar, vector; /* enum gcn_op */
    bool half;               /* the result has 16 bits */
    bool upper;              /* the source is the upper half */
};

#define SAME(NAME)                                                                                           \
    {.scalar = GCN_OP_S_##NAME##_F32, .vector = GCN_OP_V_##NAME##_F32},                                      \
    {                                                                                                        \
        .scalar = GCN_OP_S_##NAME##_F16, .vector = GCN_OP_V_##NAME##_F16, .half = true                       \
    }
/* gfx12's v_s_exp_f32 and its like: scalar operands, vector arithmetic. */
#define LANE(NAME)                                                                                           \
    {.scalar = GCN_OP_V_S_##NAME##_F32, .vector = GCN_OP_V_##NAME##_F32},                                    \
    {                                                                                                        \
        .scalar = GCN_OP_V_S_##NAME##_F16, .vector = GCN_OP_V_##NAME##_F16, .half = true                     \
    }
#define COMPARE(NAME)                                                                                        \
    {.scalar = GCN_OP_S_CMP_##NAME##_F32, .vector = GCN_OP_V_CMP_##NAME##_F32},                              \
    {                                                                                                        \
        .scalar = GCN_OP_S_CMP_##NAME##_F16, .vector = GCN_OP_V_CMP_##NAME##_F16                             \
    }
#define CONVERT(NAME) {.scalar = GCN_OP_S_CVT_##NAME, .vector = GCN_OP_V_CVT_##NAME}
static const struct equal equals[] = {
    SAME(ADD),
    SAME(SUB),
    SAME(MIN),
    SAME(MAX),
    SAME(MIN_NUM),
    SAME(MAX_NUM),
    SAME(MINIMUM),
    SAME(MAXIMUM),
    LANE(EXP),
    LANE(LOG),
    LANE(RCP),
    LANE(RSQ),
    LANE(SQRT),
    SAME(MUL),
    SAME(CEIL),
    SAME(FLOOR),
    SAME(TRUNC),
    SAME(RNDNE),
    {.scalar = GCN_OP_S_FMAC_F32, .vector = GCN_OP_V_FMA_F32},
    {.scalar = GCN_OP_S_FMAMK_F32, .vector = GCN_OP_V_FMA_F32},
    {.scalar = GCN_OP_S_FMAAK_F32, .vector = GCN_OP_V_FMA_F32},
    {.scalar = GCN_OP_S_FMAC_F16, .vector = GCN_OP_V_FMA_F16, .half = true},
    CONVERT(F32_I32),
    CONVERT(F32_U32),
    CONVERT(I32_F32),
    CONVERT(U32_F32),
    CONVERT(F32_F16),
    {.scalar = GCN_OP_S_CVT_F16_F32, .vector = GCN_OP_V_CVT_F16_F32, .half = true},
    {.scalar = GCN_OP_S_CVT_HI_F32_F16, .vector = GCN_OP_V_CVT_F32_F16, .upper = true},
    {.scalar = GCN_OP_S_CVT_PK_RTZ_F16_F32, .vector = GCN_OP_V_CVT_PKRTZ_F16_F32},
    COMPARE(LT),
    COMPARE(EQ),
    COMPARE(LE),
    COMPARE(GT),
    COMPARE(LG),
    COMPARE(GE),
    COMPARE(O),
    COMPARE(U),
    COMPARE(NGE),
    COMPARE(NLG),
    COMPARE(NGT),
    COMPARE(NLE),
    COMPARE(NEQ),
    COMPARE(NLT),
};

static int every_lane(SG_ARGS) /* until sg_valu_dpp_end */
{
    (void)v, (void)s;
    w->exec = ~0ull;
    memset(w->xm, 255, sizeof w->xm);
    SG_NEXT();
}

static int from_lane_0(SG_ARGS) /* scalar d = row a in lane 0, & flags */
{
    s[u->d] = v[u->a][0] & u->flags;
    SG_NEXT();
}

static int scc_of_lane_0(SG_ARGS) /* SCC = bit 0 of scalar a */
{
    s[SG_S_SCC] = s[u->a] & 1;
    SG_NEXT();
}

static const struct equal *equal_of(unsigned op)
{
    for (unsigned i = 0; i < sizeof equals / sizeof equals[0]; i++)
        if (equals[i].scalar == op)
            return &equals[i];
    return NULL;
}

bool sg_build_scalar_float(struct sg_builder *b, const struct gcn_inst *in)
{
    const struct equal *e = equal_of(in->op);
    if (!e)
        return false;
    struct gcn_inst lanes = *in;
    const bool compare = in->format == GCN_FMT_SOPC;
    const unsigned result = compare ? sg_temp_scalars(b, 2) : sg_temp_rows(b, 1);
    const struct gcn_operand to = {
        .kind = compare ? GCN_OPND_SCALAR : GCN_OPND_VGPR, .dwords = 1, .index = (uint16_t)result};
    lanes.op = e->vector;
    lanes.format = GCN_FMT_VOP3;
    lanes.op_sel = e->upper | (in->format == GCN_FMT_VOP3 ? in->op_sel & 1 : 0);
    *(compare ? &lanes.sdst : &lanes.dst) = to;
    sg_emit(b, every_lane, 0, 0, 0, 0);
    if (!sg_build_valu(b, &lanes))
        return false;
    sg_emit(b, sg_valu_dpp_end, 0, 0, 0, 0);
    if (compare)
        sg_emit(b, scc_of_lane_0, 0, result, 0, 0);
    else
        sg_emit(b, from_lane_0, in->dst.index, result, 0, 0)->flags = e->half ? 0xffff : ~0u;
    if (!compare && sg_valu_is_exec(&in->dst))
        sg_emit_exec_refresh(b);
    return true;
}
