/*
 * build_mem_image.c - MIMG instructions.
 */
#include "soft-gpu/isa/memory/build_mem_ops.h"
#include "mem_image.h"

struct image_op {
    sg_fn fn;
    uint32_t flags;
    bool stores, atomic;
};

static const struct {
    uint16_t op; /* enum gcn_op */
    struct image_op does;
} ops[] = {
    {GCN_OP_IMAGE_LOAD, {sg_image_load, 0, false, false}},
    {GCN_OP_IMAGE_LOAD_MIP, {sg_image_load, SG_IMG_MIP, false, false}},
    {GCN_OP_IMAGE_LOAD_PCK, {sg_image_load, SG_IMG_RAW, false, false}},
    {GCN_OP_IMAGE_LOAD_PCK_SGN, {sg_image_load, SG_IMG_RAW | SG_IMG_SIGNED, false, false}},
    {GCN_OP_IMAGE_LOAD_MIP_PCK, {sg_image_load, SG_IMG_MIP | SG_IMG_RAW, false, false}},
    {GCN_OP_IMAGE_LOAD_MIP_PCK_SGN, {sg_image_load, SG_IMG_MIP | SG_IMG_RAW | SG_IMG_SIGNED, false, false}},
    {GCN_OP_IMAGE_STORE, {sg_image_store, 0, true, false}},
    {GCN_OP_IMAGE_STORE_MIP, {sg_image_store, SG_IMG_MIP, true, false}},
    {GCN_OP_IMAGE_STORE_PCK, {sg_image_store, SG_IMG_RAW, true, false}},
    {GCN_OP_IMAGE_STORE_MIP_PCK, {sg_image_store, SG_IMG_MIP | SG_IMG_RAW, true, false}},
    {GCN_OP_IMAGE_GET_RESINFO, {sg_image_resinfo, 0, false, false}},
    /* With one mip level, which one is asked for makes no difference. */
    {GCN_OP_IMAGE_SAMPLE, {sg_image_sample, 0, false, false}},
    {GCN_OP_IMAGE_SAMPLE_L, {sg_image_sample, 0, false, false}},
    {GCN_OP_IMAGE_SAMPLE_LZ, {sg_image_sample, 0, false, false}},
    {GCN_OP_IMAGE_SAMPLE_B, {sg_image_sample, 0, false, false}},
    {GCN_OP_IMAGE_SAMPLE_CL, {sg_image_sample, 0, false, false}},
    {GCN_OP_IMAGE_SAMPLE_B_CL, {sg_image_sample, 0, false, false}},
    {GCN_OP_IMAGE_SAMPLE_D, {sg_image_sample, 0, false, false}},
    {GCN_OP_IMAGE_SAMPLE_D_G16, {sg_image_sample, 0, false, false}},
    {GCN_OP_IMAGE_SAMPLE_D_CL, {sg_image_sample, 0, false, false}},
    {GCN_OP_IMAGE_SAMPLE_D_CL_G16, {sg_image_sample, 0, false, false}},
    {GCN_OP_IMAGE_GATHER4, {sg_image_gather, 0, false, false}},
    {GCN_OP_IMAGE_GATHER4_L, {sg_image_gather, 0, false, false}},
    {GCN_OP_IMAGE_GATHER4_LZ, {sg_image_gather, 0, false, false}},
    {GCN_OP_IMAGE_GATHER4_B, {sg_image_gather, 0, false, false}},
    {GCN_OP_IMAGE_GATHER4_CL, {sg_image_gather, 0, false, false}},
    {GCN_OP_IMAGE_GATHER4_B_CL, {sg_image_gather, 0, false, false}},
    {GCN_OP_IMAGE_ATOMIC_SWAP, {sg_image_atomic, SG_ATOMIC_SWAP << SG_IMG_OP_SHIFT, false, true}},
    {GCN_OP_IMAGE_ATOMIC_CMPSWAP, {sg_image_atomic, SG_ATOMIC_CMPSWAP << SG_IMG_OP_SHIFT, false, true}},
    {GCN_OP_IMAGE_ATOMIC_ADD, {sg_image_atomic, SG_ATOMIC_ADD << SG_IMG_OP_SHIFT, false, true}},
    {GCN_OP_IMAGE_ATOMIC_SUB, {sg_image_atomic, SG_ATOMIC_SUB << SG_IMG_OP_SHIFT, false, true}},
    {GCN_OP_IMAGE_ATOMIC_SMIN, {sg_image_atomic, SG_ATOMIC_SMIN << SG_IMG_OP_SHIFT, false, true}},
    {GCN_OP_IMAGE_ATOMIC_UMIN, {sg_image_atomic, SG_ATOMIC_UMIN << SG_IMG_OP_SHIFT, false, true}},
    {GCN_OP_IMAGE_ATOMIC_SMAX, {sg_image_atomic, SG_ATOMIC_SMAX << SG_IMG_OP_SHIFT, false, true}},
    {GCN_OP_IMAGE_ATOMIC_UMAX, {sg_image_atomic, SG_ATOMIC_UMAX << SG_IMG_OP_SHIFT, false, true}},
    {GCN_OP_IMAGE_ATOMIC_AND, {sg_image_atomic, SG_ATOMIC_AND << SG_IMG_OP_SHIFT, false, true}},
    {GCN_OP_IMAGE_ATOMIC_OR, {sg_image_atomic, SG_ATOMIC_OR << SG_IMG_OP_SHIFT, false, true}},
    {GCN_OP_IMAGE_ATOMIC_XOR, {sg_image_atomic, SG_ATOMIC_XOR << SG_IMG_OP_SHIFT, false, true}},
    {GCN_OP_IMAGE_ATOMIC_INC, {sg_image_atomic, SG_ATOMIC_INC << SG_IMG_OP_SHIFT, false, true}},
    {GCN_OP_IMAGE_ATOMIC_DEC, {sg_image_atomic, SG_ATOMIC_DEC << SG_IMG_OP_SHIFT, false, true}},
};

static bool classify(unsigned op, struct image_op *out)
{
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (ops[i].op == op) {
            *out = ops[i].does;
            return true;
        }
    return false;
}

/* First row of the coordinates; where the instruction names registers one by one, they are copied into rows that follow each
 * other. What stands before them, bias and gradients, chooses mip levels. */
static unsigned address_row(struct sg_builder *b, const struct gcn_inst *in)
{
    if (!in->n_runs)
        return sg_row(&in->addr);
    const unsigned first = gcn_image_leading(in);
    if (in->n_runs == 1)
        return in->run[0].first + first;
    const unsigned rows = sg_temp_rows(b, gcn_image_address(in) - first);
    for (unsigned i = 0, at = 0; i < in->n_runs; i++)
        for (unsigned k = 0; k < in->run[i].count; k++, at++)
            if (at >= first)
                sg_emit(b, sg_row_copy, rows + at - first, in->run[i].first + k, 0, 0);
    return rows;
}

/* What the handlers know: no cubes, no multisampled images, which ROCr does not make; addresses of which the words name all. */
static bool is_usual(const struct gcn_inst *in)
{
    unsigned named = 0;
    for (unsigned i = 0; i < in->n_runs; i++)
        named += in->run[i].count;
    if (in->flags & (GCN_INST_TFE | GCN_INST_R128))
        return false;
    return !in->n_runs ||
           (named == gcn_image_address(in) && in->dim != GCN_DIM_CUBE && in->dim < GCN_DIM_2D_MSAA);
}

bool sg_build_image(struct sg_builder *b, const struct gcn_inst *in)
{
    struct image_op op;
    if (!classify(in->op, &op) || !is_usual(in))
        return false;
    sg_emit_settle(b);
    unsigned data = sg_row(op.stores || op.atomic ? &in->data[0] : &in->dst);
    const unsigned address = address_row(b, in);
    struct sg_uop *u = sg_emit(b, op.fn, data, address, data, in->saddr.index);
    u->x = in->soffset.kind == GCN_OPND_NONE ? 0 : in->soffset.index;
    u->imm = in->simm16;
    u->flags = op.flags | (in->flags & GCN_INST_D16 ? SG_IMG_D16 : 0) |
               (in->flags & GCN_INST_A16 ? SG_IMG_A16 : 0) | (in->flags & GCN_INST_UNRM ? SG_IMG_UNRM : 0) |
               (in->flags & GCN_INST_DA ? SG_IMG_DA : 0) | (in->flags & GCN_INST_LWE ? SG_IMG_LWE : 0) |
               (in->n_runs ? SG_IMG_BY_DIM | (uint32_t)in->dim << SG_IMG_DIM_SHIFT : 0) |
               (op.atomic && in->glc ? SG_IMG_RETURN : 0) | (sg_builder_logging(b) ? SG_IMG_LOG : 0) |
               (sg_builder_observers(b) & SG_OBSERVE_GLOBAL ? SG_IMG_CHECK : 0);
    sg_emit_settle(b);
    return true;
}
