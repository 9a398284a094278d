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

#define ATOMIC_CASE(NAME, OP)                                                                                \
    case GCN_OP_IMAGE_##NAME:                                                                                \
        *out = (struct image_op){sg_image_atomic, (uint32_t)(OP) << SG_IMG_OP_SHIFT, false, true};           \
        return true;

static bool classify(unsigned op, struct image_op *out)
{
    switch (op) {
    case GCN_OP_IMAGE_LOAD:
        *out = (struct image_op){sg_image_load, 0, false, false};
        return true;
    case GCN_OP_IMAGE_LOAD_MIP:
        *out = (struct image_op){sg_image_load, SG_IMG_MIP, false, false};
        return true;
    case GCN_OP_IMAGE_LOAD_PCK:
        *out = (struct image_op){sg_image_load, SG_IMG_RAW, false, false};
        return true;
    case GCN_OP_IMAGE_LOAD_PCK_SGN:
        *out = (struct image_op){sg_image_load, SG_IMG_RAW | SG_IMG_SIGNED, false, false};
        return true;
    case GCN_OP_IMAGE_LOAD_MIP_PCK:
        *out = (struct image_op){sg_image_load, SG_IMG_MIP | SG_IMG_RAW, false, false};
        return true;
    case GCN_OP_IMAGE_LOAD_MIP_PCK_SGN:
        *out = (struct image_op){sg_image_load, SG_IMG_MIP | SG_IMG_RAW | SG_IMG_SIGNED, false, false};
        return true;
    case GCN_OP_IMAGE_STORE:
        *out = (struct image_op){sg_image_store, 0, true, false};
        return true;
    case GCN_OP_IMAGE_STORE_MIP:
        *out = (struct image_op){sg_image_store, SG_IMG_MIP, true, false};
        return true;
    case GCN_OP_IMAGE_STORE_PCK:
        *out = (struct image_op){sg_image_store, SG_IMG_RAW, true, false};
        return true;
    case GCN_OP_IMAGE_STORE_MIP_PCK:
        *out = (struct image_op){sg_image_store, SG_IMG_MIP | SG_IMG_RAW, true, false};
        return true;
    case GCN_OP_IMAGE_GET_RESINFO:
        *out = (struct image_op){sg_image_resinfo, 0, false, false};
        return true;
    case GCN_OP_IMAGE_SAMPLE: /* with one mip level, which one is asked for makes no difference */
    case GCN_OP_IMAGE_SAMPLE_L:
    case GCN_OP_IMAGE_SAMPLE_LZ:
    case GCN_OP_IMAGE_SAMPLE_B:
    case GCN_OP_IMAGE_SAMPLE_CL:
    case GCN_OP_IMAGE_SAMPLE_B_CL:
    case GCN_OP_IMAGE_SAMPLE_D:
    case GCN_OP_IMAGE_SAMPLE_D_G16:
    case GCN_OP_IMAGE_SAMPLE_D_CL:
    case GCN_OP_IMAGE_SAMPLE_D_CL_G16:
        *out = (struct image_op){sg_image_sample, 0, false, false};
        return true;
    case GCN_OP_IMAGE_GATHER4:
    case GCN_OP_IMAGE_GATHER4_L:
    case GCN_OP_IMAGE_GATHER4_LZ:
    case GCN_OP_IMAGE_GATHER4_B:
    case GCN_OP_IMAGE_GATHER4_CL:
    case GCN_OP_IMAGE_GATHER4_B_CL:
        *out = (struct image_op){sg_image_gather, 0, false, false};
        return true;
        ATOMIC_CASE(ATOMIC_SWAP, SG_ATOMIC_SWAP)
        ATOMIC_CASE(ATOMIC_CMPSWAP, SG_ATOMIC_CMPSWAP)
        ATOMIC_CASE(ATOMIC_ADD, SG_ATOMIC_ADD)
        ATOMIC_CASE(ATOMIC_SUB, SG_ATOMIC_SUB)
        ATOMIC_CASE(ATOMIC_SMIN, SG_ATOMIC_SMIN)
        ATOMIC_CASE(ATOMIC_UMIN, SG_ATOMIC_UMIN)
        ATOMIC_CASE(ATOMIC_SMAX, SG_ATOMIC_SMAX)
        ATOMIC_CASE(ATOMIC_UMAX, SG_ATOMIC_UMAX)
        ATOMIC_CASE(ATOMIC_AND, SG_ATOMIC_AND)
        ATOMIC_CASE(ATOMIC_OR, SG_ATOMIC_OR)
        ATOMIC_CASE(ATOMIC_XOR, SG_ATOMIC_XOR)
        ATOMIC_CASE(ATOMIC_INC, SG_ATOMIC_INC)
        ATOMIC_CASE(ATOMIC_DEC, SG_ATOMIC_DEC)
    default:
        return false;
    }
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
