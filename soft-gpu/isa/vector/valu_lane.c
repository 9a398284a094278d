/*
 * valu_lane.c - operations across lanes or by lane number: readlane, writelane, readfirstlane, mbcnt, swaps.
 * Semantics: MI200 ISA chapter 12; gfx950's v_permlane*_swap: MI350 ISA; v_permlane16 and v_permlanex16: RDNA2
 * ISA; v_swap_b16, v_permlane64: RDNA3 ISA; v_permlane16_var: RDNA4 ISA.
 */
#include "valu.h"

typedef uint32_t u32;
typedef uint64_t u64;

/* ---- Between a lane and a scalar; EXEC does not matter. ---- */
static int readlane(SG_ARGS)
{
    s[u->d] = v[u->a][s[u->b] & (w->lanes - 1)];
    SG_NEXT();
}
/* src0 may be written as a scalar only by hand; the value is then that scalar. */
static int writelane(SG_ARGS)
{
    v[u->d][s[u->b] & (w->lanes - 1)] = s[u->a];
    SG_NEXT();
}
static int readfirstlane(SG_ARGS)
{
    unsigned lane = w->exec ? (unsigned)__builtin_ctzll(w->exec) : 0;
    s[u->d] = v[u->a][lane];
    SG_NEXT();
}

static bool build_readlane(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    const bool first = op->op == GCN_OP_V_READFIRSTLANE_B32;
    if (!sg_valu_is_row(&in->src[0]) || in->dst.kind != GCN_OPND_SCALAR ||
        (!first && sg_valu_is_row(&in->src[1])))
        return false;
    unsigned select = first ? 0 : sg_scalar_source(b, &in->src[1]);
    sg_emit(b, first ? readfirstlane : readlane, in->dst.index, sg_row(&in->src[0]), select, 0);
    if (sg_valu_is_exec(&in->dst))
        sg_emit_exec_refresh(b);
    return true;
}

static bool build_writelane(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    (void)op;
    if (sg_valu_is_row(&in->src[0]) || sg_valu_is_row(&in->src[1]))
        return false;
    unsigned value = sg_scalar_source(b, &in->src[0]), select = sg_scalar_source(b, &in->src[1]);
    sg_emit(b, writelane, sg_row(&in->dst), value, select, 0);
    return true;
}

/* ---- mbcnt: ones of a below this lane, plus b. ---- */
#define BELOW_LO (i < 32 ? (1u << (i & 31)) - 1 : ~0u)
#define BELOW_HI (i < 32 ? 0 : (1u << (i & 31)) - 1)
#define op_mbcnt_lo(a, b) ((u32)__builtin_popcount((a) & BELOW_LO) + (b))
#define op_mbcnt_hi(a, b) ((u32)__builtin_popcount((a) & BELOW_HI) + (b))
#define MBCNT(NAME)                                                                                          \
    SG_HANDLER2(NAME##_vv, op_##NAME, 32, V32, V32, NONE)                                                    \
    SG_HANDLER2(NAME##_sv, op_##NAME, 32, S32, V32, NONE)                                                    \
    SG_HANDLER2(NAME##_vs, op_##NAME, 32, V32, S32, NONE)                                                    \
    SG_HANDLER2(NAME##_ss, op_##NAME, 32, S32, S32, NONE)                                                    \
    static const sg_fn NAME##_fns[8] = {NAME##_vv, NAME##_sv, NAME##_vs, NAME##_ss};
MBCNT(mbcnt_lo)
MBCNT(mbcnt_hi)

/* ---- Swaps of two rows ---- */
static int swap_b32(SG_ARGS)
{
    uint32_t *d = v[u->d], *a = v[u->a];
    const uint32_t *m = w->xm;
    SG_EACH_LANE
    {
        u32 x = d[i], y = a[i];
        d[i] = sg_blend(m[i], y, x);
        a[i] = sg_blend(m[i], x, y);
    }
    SG_NEXT();
}

/* The half of row d at bit x exchanges with that of row a at bit imm. */
static int swap_b16(SG_ARGS)
{
    uint32_t *d = v[u->d], *a = v[u->a];
    const uint32_t *m = w->xm, to = u->x, from = (uint32_t)u->imm;
    SG_EACH_LANE
    {
        const u32 x = d[i] >> to & 0xffff, y = a[i] >> from & 0xffff;
        d[i] = sg_blend(m[i], (d[i] & ~(0xffffu << to)) | y << to, d[i]);
        a[i] = sg_blend(m[i], (a[i] & ~(0xffffu << from)) | x << from, a[i]);
    }
    SG_NEXT();
}

/* The halves of the wavefront exchange, whether the lanes that are read are active or not; nothing with 32 lanes. */
static int permlane64(SG_ARGS)
{
    uint32_t *d = v[u->d], *m = w->xm, from[SG_MAX_LANES];
    if (w->lanes < SG_MAX_LANES)
        SG_NEXT();
    for (unsigned i = 0; i < SG_MAX_LANES; i++)
        from[i] = v[u->a][i ^ 32];
    SG_EACH_LANE
    d[i] = sg_blend(m[i], from[i], d[i]);
    SG_NEXT();
}

static bool build_permlane64(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    (void)op;
    if (!sg_valu_is_row(&in->src[0]))
        return false;
    sg_emit(b, permlane64, sg_row(&in->dst), sg_row(&in->src[0]), 0, 0);
    return true;
}

/* Lane `imm` further on in row d exchanges with the lane of row a, for lanes whose bit `imm` is clear. A lane
 * takes part like in DPP: an inactive partner is readable with flags bit 0 (fi), gives 0 with bit 1
 * (bound_ctrl), and else leaves the lane as it is. */
static int permlane_swap(SG_ARGS)
{
    uint32_t *d = v[u->d], *a = v[u->a];
    const unsigned distance = (unsigned)u->imm;
    const u64 exec = w->exec;
    const bool fetch = u->flags & 1, zero = u->flags & 2;
    for (unsigned lane = 0; lane < SG_MAX_LANES; lane++) {
        if (lane & distance)
            continue;
        const unsigned other = lane + distance;
        const bool low = exec >> lane & 1, high = exec >> other & 1;
        const u32 x = a[lane], y = d[other];
        if (low && (high || fetch || zero))
            a[lane] = high || fetch ? y : 0;
        if (high && (low || fetch || zero))
            d[other] = low || fetch ? x : 0;
    }
    SG_NEXT();
}

static bool build_swap(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    if (!sg_valu_is_row(&in->src[0]))
        return false;
    const unsigned d = sg_row(&in->dst), a = sg_row(&in->src[0]);
    if (op->op == GCN_OP_V_SWAP_B32) {
        sg_emit(b, swap_b32, d, a, 0, 0);
        return true;
    }
    if (op->op == GCN_OP_V_SWAP_B16) {
        struct sg_uop *half = sg_emit(b, swap_b16, d, a, 0, 0);
        half->imm = in->op_sel & 1 ? 16 : 0;
        half->x = in->op_sel & 8 ? 16 : 0;
        return true;
    }
    struct sg_uop *u = sg_emit(b, permlane_swap, d, a, 0, 0);
    u->imm = op->op == GCN_OP_V_PERMLANE16_SWAP_B32 ? 16 : 32;
    u->flags = in->op_sel & 3u;
    return true;
}

/* Each lane of a row of 16 takes the value of the lane whose number, 4 bits for each of 16 lanes, the scalars a and b
 * hold: of its own row, or with x of the other row of the pair. An inactive lane is readable with flags bit 0 (fi), gives
 * 0 with bit 1 (bound_ctrl), and else leaves the reader as it is. */
static int permlane16(SG_ARGS)
{
    uint32_t *d = v[u->d], from[SG_MAX_LANES];
    const u64 numbers = s[u->b] | (u64)s[u->c] << 32, exec = w->exec;
    memcpy(from, v[u->a], sizeof from);
    for (u64 m = exec; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        const unsigned other = ((lane & ~15u) ^ u->x) + (unsigned)(numbers >> 4 * (lane & 15) & 15);
        if (exec >> other & 1 || u->flags & 1)
            d[lane] = from[other];
        else if (u->flags & 2)
            d[lane] = 0;
    }
    SG_NEXT();
}

/* The same with a number in each lane of row b (gfx12). */
static int permlane16_var(SG_ARGS)
{
    uint32_t *d = v[u->d], from[SG_MAX_LANES], number[SG_MAX_LANES];
    memcpy(from, v[u->a], sizeof from);
    memcpy(number, v[u->b], sizeof number);
    for (u64 m = w->exec; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        const unsigned other = ((lane & ~15u) ^ u->x) + (number[lane] & 15);
        if (w->exec >> other & 1 || u->flags & 1)
            d[lane] = from[other];
        else if (u->flags & 2)
            d[lane] = 0;
    }
    SG_NEXT();
}

static bool build_permlane16_var(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    if (!sg_valu_is_row(&in->src[0]) || !sg_valu_is_row(&in->src[1]))
        return false;
    const unsigned from = sg_row(&in->src[0]), numbers = sg_row(&in->src[1]);
    struct sg_uop *u = sg_emit(b, permlane16_var, sg_row(&in->dst), from, numbers, 0);
    u->x = op->op == GCN_OP_V_PERMLANEX16_VAR_B32 ? 16 : 0;
    u->flags = in->op_sel & 3u;
    return true;
}

static bool build_permlane16(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    if (!sg_valu_is_row(&in->src[0]) || sg_valu_is_row(&in->src[1]) || sg_valu_is_row(&in->src[2]))
        return false;
    const unsigned low = sg_scalar_source(b, &in->src[1]), high = sg_scalar_source(b, &in->src[2]);
    struct sg_uop *u = sg_emit(b, permlane16, sg_row(&in->dst), sg_row(&in->src[0]), low, high);
    u->x = op->op == GCN_OP_V_PERMLANEX16_B32 ? 16 : 0;
    u->flags = in->op_sel & 3u;
    return true;
}

/* ---- Registers by a number in M0: "AMD RDNA 2 Instruction Set Architecture", V_MOVRELS_B32 and kin. ---- */

enum { MOVREL_SOURCE = 1, MOVREL_DESTINATION = 2, MOVREL_BOTH = 3, MOVREL_LAST = 255 };

static int movrel_b32(SG_ARGS)
{
    const uint32_t m0 = s[SG_S_M0];
    const bool source = u->flags & MOVREL_SOURCE, destination = u->flags & MOVREL_DESTINATION;
    const uint32_t from = u->a + (source ? m0 : 0), to = u->d + (destination ? m0 : 0);
    if ((source && from > MOVREL_LAST) || (destination && to > MOVREL_LAST))
        return sg_fault_at(w, u, SG_FAULT_ILLEGAL, 0, 0, false,
                           "vector register number plus M0 is out of range");
    const uint32_t *a = v[from], *m = w->xm;
    uint32_t *d = v[to];
    SG_EACH_LANE
    d[i] = sg_blend(m[i], a[i], d[i]);
    SG_NEXT();
}

static bool build_movrel(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    const bool source = op->aux & MOVREL_SOURCE;
    if (in->has_dpp || in->has_sdwa || (source && !sg_valu_is_row(&in->src[0])))
        return false;
    const unsigned from = source ? sg_row(&in->src[0]) : sg_valu_source_row(b, in, 0, SG_T_B32);
    sg_emit(b, movrel_b32, sg_row(&in->dst), from, 0, 0)->flags = op->aux;
    return true;
}

/* v_nop; v_clrexcp, as exceptions are not modelled. */
static bool build_nothing(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    (void)b;
    (void)in;
    (void)op;
    return true;
}

#define BUILT(NAME, BUILD) {.op = GCN_OP_V_##NAME, .build = BUILD}

const struct sg_valu_op sg_valu_lane_ops[] = {
    BUILT(READLANE_B32, build_readlane),
    BUILT(READFIRSTLANE_B32, build_readlane),
    BUILT(WRITELANE_B32, build_writelane),
    {.op = GCN_OP_V_MBCNT_LO_U32_B32, .dst = SG_T_B32, .src = {SG_T_B32, SG_T_B32}, .fns = mbcnt_lo_fns},
    {.op = GCN_OP_V_MBCNT_HI_U32_B32, .dst = SG_T_B32, .src = {SG_T_B32, SG_T_B32}, .fns = mbcnt_hi_fns},
    BUILT(SWAP_B32, build_swap),
    BUILT(SWAP_B16, build_swap),
    BUILT(PERMLANE16_B32, build_permlane16),
    BUILT(PERMLANEX16_B32, build_permlane16),
    BUILT(PERMLANE16_VAR_B32, build_permlane16_var),
    BUILT(PERMLANEX16_VAR_B32, build_permlane16_var),
    BUILT(PERMLANE64_B32, build_permlane64),
    BUILT(PERMLANE16_SWAP_B32, build_swap),
    BUILT(PERMLANE32_SWAP_B32, build_swap),
    {.op = GCN_OP_V_MOVRELS_B32, .aux = MOVREL_SOURCE, .build = build_movrel},
    {.op = GCN_OP_V_MOVRELD_B32, .aux = MOVREL_DESTINATION, .build = build_movrel},
    {.op = GCN_OP_V_MOVRELSD_B32, .aux = MOVREL_BOTH, .build = build_movrel},
    BUILT(NOP, build_nothing),
    BUILT(PIPEFLUSH, build_nothing),
    BUILT(CLREXCP, build_nothing),
    {0},
};
