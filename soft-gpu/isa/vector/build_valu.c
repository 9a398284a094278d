/*
 * build_valu.c - decoded vector ALU instruction to micro-operations: finds the descriptor of the mnemonic and
 * does what is common to all: DPP, SDWA, source modifiers, operand kinds, destination halves, clamp and omod.
 *
 * DPP: a micro-operation permutes src0 into temporary rows and narrows EXEC to the lanes that may write; the
 * operation follows, then EXEC is restored. SDWA: sources are extracted into temporary rows, the result is
 * built in another and inserted. Both rewrite a copy of the instruction, so the operations never hear of
 * them.
 */
#include <pthread.h>
#include "valu.h"
#include "gcn/constants.h"

/* ---- Descriptor lookup ---- */

static const struct sg_valu_op *by_op[GCN_OP_COUNT];
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

static void fill_index(void)
{
    static const struct sg_valu_op *const tables[] = {
        sg_valu_integer_ops,   sg_valu_bit_ops,     sg_valu_float32_ops,
        sg_valu_float64_ops,   sg_valu_float16_ops, sg_valu_compare_ops,
        sg_valu_convert_ops,   sg_valu_lane_ops,    sg_valu_transcendental_ops,
        sg_valu_division_ops,  sg_valu_carry_ops,   sg_valu_packed_ops,
        sg_valu_dot_ops,       sg_valu_sad_ops,     sg_valu_exponent_ops,
        sg_valu_float_num_ops,
    };
    for (unsigned t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const struct sg_valu_op *op = tables[t]; op->op; op++)
            by_op[op->op] = op;
}

/* ---- Sources ---- */

bool sg_valu_is_exec(const struct gcn_operand *o)
{
    return o->kind == GCN_OPND_SCALAR && (o->index == SG_S_EXEC || o->index == SG_S_EXEC + 1);
}

static bool is_wide(enum sg_vtype type)
{
    return type == SG_T_B64 || type == SG_T_F64;
}

static bool is_half(enum sg_vtype type)
{
    return type == SG_T_F16 || type == SG_T_B16 || type == SG_T_BF16;
}

static bool is_float(enum sg_vtype type)
{
    return type == SG_T_F32 || type == SG_T_F64 || type == SG_T_F16;
}

unsigned sg_valu_scalar(struct sg_builder *b, const struct gcn_operand *o, enum sg_vtype type)
{
    if (is_wide(type))
        return sg_scalar_source64(b, o, type == SG_T_F64);
    if (type == SG_T_BF16 && o->kind == GCN_OPND_SCALAR && gcn_is_inline_float(o->index))
        return sg_const32(b, sg_u32((float)gcn_inline_float(o->index)) >> 16);
    if (is_half(type) && o->kind == GCN_OPND_SCALAR && gcn_is_inline_float(o->index))
        return sg_const32(b, _cvtss_sh((float)gcn_inline_float(o->index), _MM_FROUND_TO_NEAREST_INT));
    return sg_scalar_source(b, o);
}

/* Appends the micro-operation that turns `from` into a temporary with (value >> shift & mask) ^ flip; for 64
 * bits mask and flip act on the high dword. */
static struct sg_valu_source modified(struct sg_builder *b, struct sg_valu_source from, bool wide,
                                      unsigned shift, uint32_t mask, uint32_t flip)
{
    static const sg_fn fns[2][2] = {{sg_valu_bits32, sg_valu_scalar_bits32},
                                    {sg_valu_bits64, sg_valu_scalar_bits64}};
    unsigned n = wide ? 2 : 1;
    unsigned d = from.scalar ? sg_temp_scalars(b, n) : sg_temp_rows(b, n);
    struct sg_uop *u = sg_emit(b, fns[wide][from.scalar], d, from.index, 0, 0);
    u->imm = (int32_t)shift;
    u->flags = mask;
    u->x = flip;
    return (struct sg_valu_source){.scalar = from.scalar, .index = (uint16_t)d};
}

/* Source k with op_sel applied, and abs and neg as well unless `raw`. */
static struct sg_valu_source source(struct sg_builder *b, const struct gcn_inst *in, unsigned k,
                                    enum sg_vtype type, bool raw)
{
    const struct gcn_operand *o = &in->src[k];
    struct sg_valu_source src = {.scalar = !sg_valu_is_row(o)};
    src.index = (uint16_t)(src.scalar ? sg_valu_scalar(b, o, type) : sg_row(o));
    const unsigned shift = is_half(type) && (in->op_sel >> k & 1) ? 16 : 0;
    const uint32_t sign = type == SG_T_F16 ? 0x8000 : 0x80000000;
    const bool modify = is_float(type) && (!raw || src.scalar);
    const uint32_t mask = modify && (in->abs >> k & 1) ? ~sign : ~0u;
    const uint32_t flip = modify && (in->neg >> k & 1) ? sign : 0;
    if (shift || mask != ~0u || flip)
        return modified(b, src, is_wide(type), shift, mask, flip);
    return src;
}

struct sg_valu_source sg_valu_source(struct sg_builder *b, const struct gcn_inst *in, unsigned k,
                                     enum sg_vtype type)
{
    return source(b, in, k, type, false);
}

static unsigned splat(struct sg_builder *b, unsigned scalar, bool wide)
{
    unsigned d = sg_temp_rows(b, wide ? 2 : 1);
    sg_emit(b, wide ? sg_valu_splat64 : sg_valu_splat32, d, scalar, 0, 0);
    return d;
}

unsigned sg_valu_source_row(struct sg_builder *b, const struct gcn_inst *in, unsigned k, enum sg_vtype type)
{
    struct sg_valu_source src = source(b, in, k, type, false);
    return src.scalar ? splat(b, src.index, is_wide(type)) : src.index;
}

/* ---- Results ---- */

void sg_valu_finish(struct sg_builder *b, const struct gcn_inst *in, enum sg_vtype type, unsigned d)
{
    if (in->omod) {
        sg_fn fn = type == SG_T_F64 ? sg_valu_omod64 : type == SG_T_F16 ? sg_valu_omod16 : sg_valu_omod32;
        sg_emit(b, fn, d, 0, 0, 0)->imm = in->omod;
    }
    if (in->clamp) {
        sg_fn fn = type == SG_T_F64 ? sg_valu_clamp64 : type == SG_T_F16 ? sg_valu_clamp16 : sg_valu_clamp32;
        sg_emit(b, fn, d, 0, 0, 0);
    }
}

static void insert(struct sg_builder *b, unsigned d, unsigned from, unsigned width, unsigned bit,
                   unsigned unused)
{
    struct sg_uop *u = sg_emit(b, sg_valu_insert, d, from, 0, 0);
    u->imm = (int32_t)width;
    u->x = bit;
    u->flags = unused;
}

void sg_valu_insert_half(struct sg_builder *b, unsigned d, unsigned from, bool high)
{
    enum { HALF = 16, PRESERVE = 2 };
    insert(b, d, from, HALF, high ? HALF : 0, PRESERVE);
}

/* ---- Operations without special needs ---- */

static unsigned source_count(const struct sg_valu_op *op)
{
    unsigned n = 0;
    while (n < 3 && op->src[n] != SG_T_NONE)
        n++;
    return n;
}

/* abs and neg bits of the row sources of float type. */
static uint32_t row_modifiers(const struct gcn_inst *in, const struct sg_valu_op *op, unsigned n)
{
    uint32_t bits = 0;
    for (unsigned k = 0; k < n; k++)
        if (sg_valu_is_row(&in->src[k]) && is_float(op->src[k]))
            bits |= (in->neg >> k & 1u) << k | (in->abs >> k & 1u) << (k + 3);
    return bits;
}

bool sg_valu_build_plain(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    const unsigned n = source_count(op);
    const bool saturate = in->clamp && !is_float(op->dst) && !(op->flags & SG_VOP_CLAMP_IGNORED);
    if (saturate && !op->clamp_fn)
        return false;
    uint32_t modifiers = op->modifier_fns && !saturate ? row_modifiers(in, op, n) : 0;
    const sg_fn *fns = modifiers ? op->modifier_fns : op->fns;

    struct sg_valu_source src[3] = {0};
    unsigned kinds = 0;
    for (unsigned k = 0; k < n; k++) {
        src[k] = source(b, in, k, op->src[k], modifiers != 0);
        kinds |= (unsigned)src[k].scalar << k;
    }
    for (unsigned k = 0; k < n && (saturate ? kinds != 0 : !fns[kinds]); k++)
        if (src[k].scalar) {
            src[k].index = (uint16_t)splat(b, src[k].index, is_wide(op->src[k]));
            kinds &= ~(1u << k);
        }

    const bool high = is_half(op->dst) && (in->op_sel & 8);
    const bool merge =
        high || (op->flags & SG_VOP_KEEP_HIGH) || (is_half(op->dst) && sg_builder_arch(b)->keeps_high_half);
    const unsigned row = sg_row(&in->dst), d = merge ? sg_temp_rows(b, 1) : row;
    sg_emit(b, saturate ? op->clamp_fn : fns[kinds], d, src[0].index, src[1].index, src[2].index)->flags =
        modifiers;
    if (is_float(op->dst))
        sg_valu_finish(b, in, op->dst, d);
    if (merge)
        sg_valu_insert_half(b, row, d, high);
    return true;
}

/* ---- DPP and SDWA ---- */

static void lower_dpp(struct sg_builder *b, struct gcn_inst *in)
{
    unsigned rows = in->src[0].dwords ? in->src[0].dwords : 1;
    unsigned d = sg_temp_rows(b, rows);
    struct sg_uop *u = sg_emit(b, in->dpp.eight ? sg_valu_dpp8 : sg_valu_dpp, d, sg_row(&in->src[0]), 0, 0);
    u->imm = (int32_t)rows;
    u->flags = in->dpp.fetch_inactive ? SG_DPP_FETCH_INACTIVE : 0;
    u->x = in->dpp.eight ? in->dpp.lanes
                         : in->dpp.ctrl | (uint32_t)in->dpp.row_mask << 16 |
                               (uint32_t)in->dpp.bank_mask << 20 | (uint32_t)in->dpp.bound_ctrl << 24;
    in->src[0].kind = GCN_OPND_VGPR;
    in->src[0].index = (uint16_t)d;
}

static unsigned select_width(unsigned select)
{
    return select <= GCN_SDWA_BYTE3 ? 8 : select <= GCN_SDWA_WORD1 ? 16 : 32;
}

static unsigned select_bit(unsigned select)
{
    return select <= GCN_SDWA_BYTE3   ? 8 * select
           : select <= GCN_SDWA_WORD1 ? 16 * (select - GCN_SDWA_WORD0)
                                      : 0;
}

static void lower_sdwa_source(struct sg_builder *b, struct gcn_inst *in, unsigned k)
{
    struct gcn_operand *o = &in->src[k];
    const unsigned select = in->sdwa.src_sel[k];
    if (o->kind == GCN_OPND_NONE || select == GCN_SDWA_DWORD)
        return;
    unsigned from = sg_valu_is_row(o) ? sg_row(o) : splat(b, sg_scalar_source(b, o), false);
    unsigned d = sg_temp_rows(b, 1);
    struct sg_uop *u = sg_emit(b, sg_valu_extract, d, from, 0, 0);
    u->imm = (int32_t)select_width(select);
    u->x = select_bit(select);
    u->flags = in->sdwa.sext[k];
    o->kind = GCN_OPND_VGPR;
    o->index = (uint16_t)d;
}

/* Ends what lower_* and build began: the result goes from the temporary into its place. */
static void finish_sdwa(struct sg_builder *b, const struct gcn_inst *original, const struct gcn_inst *in)
{
    const unsigned select = original->sdwa.dst_sel;
    if (in->dst.index != original->dst.index)
        insert(b, sg_row(&original->dst), in->dst.index, select_width(select), select_bit(select),
               original->sdwa.dst_unused);
}

/* What is certain to be refused must be refused before anything is appended. */
static bool plausible(const struct gcn_inst *in, const struct sg_valu_op *op)
{
    if (in->has_dpp && (in->dpp.ctrl >= 0x170 || !sg_valu_is_row(&in->src[0])))
        return false;
    if (in->has_sdwa && in->dst.kind == GCN_OPND_VGPR && in->dst.dwords > 1 &&
        in->sdwa.dst_sel != GCN_SDWA_DWORD)
        return false;
    if (!op->build && in->clamp && !is_float(op->dst) && !(op->flags & SG_VOP_CLAMP_IGNORED) && !op->clamp_fn)
        return false;
    return true;
}

bool sg_valu_build(struct sg_builder *b, const struct gcn_inst *original, const struct sg_valu_op *op)
{
    if (!op || !plausible(original, op))
        return false;
    struct gcn_inst in = *original;
    if (in.has_dpp)
        lower_dpp(b, &in);
    if (in.has_sdwa) {
        lower_sdwa_source(b, &in, 0);
        lower_sdwa_source(b, &in, 1);
        if (in.sdwa.dst_sel != GCN_SDWA_DWORD && in.dst.kind == GCN_OPND_VGPR)
            in.dst.index = (uint16_t)sg_temp_rows(b, 1);
    }
    if (!(op->build ? op->build : sg_valu_build_plain)(b, &in, op))
        return false;
    if (in.has_sdwa)
        finish_sdwa(b, original, &in);
    if (in.has_dpp && !in.dpp.eight)
        sg_emit(b, sg_valu_dpp_end, 0, 0, 0, 0);
    return true;
}

bool sg_build_valu(struct sg_builder *b, const struct gcn_inst *in)
{
    pthread_once(&index_once, fill_index);
    return in->op < GCN_OP_COUNT && sg_valu_build(b, in, by_op[in->op]);
}
