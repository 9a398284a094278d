/*
 * build_mem_buffer.c - MUBUF and MTBUF instructions.
 */
#include "build_mem_ops.h"
#include "mem_component.h"
#include "mem_format.h"
#include "mem_weak.h"

static bool classify(unsigned op, struct sg_mem_op *out)
{
    switch (op) {
#define LOAD_CASE(NAME, ELEM)                                                                                \
    case GCN_OP_BUFFER_##NAME:                                                                               \
        *out = (struct sg_mem_op){SG_DO_LOAD, ELEM, false};                                                  \
        return true;
#define STORE_CASE(NAME, ELEM)                                                                               \
    case GCN_OP_BUFFER_##NAME:                                                                               \
        *out = (struct sg_mem_op){SG_DO_STORE, ELEM, false};                                                 \
        return true;
#define ATOMIC_CASE_32(NAME, OP)                                                                             \
    case GCN_OP_BUFFER_##NAME:                                                                               \
        *out = (struct sg_mem_op){SG_DO_ATOMIC, OP, false};                                                  \
        return true;
#define ATOMIC_CASE_64(NAME, OP)                                                                             \
    case GCN_OP_BUFFER_##NAME:                                                                               \
        *out = (struct sg_mem_op){SG_DO_ATOMIC, OP, true};                                                   \
        return true;
        SG_LOAD_OPS(LOAD_CASE)
        SG_STORE_OPS(STORE_CASE)
        SG_ATOMIC_OPS_32(ATOMIC_CASE_32)
        SG_ATOMIC_OPS_64(ATOMIC_CASE_64)
    default:
        return false;
    }
}

static bool is_cache_control(unsigned op)
{
    switch (op) {
    case GCN_OP_BUFFER_GL0_INV:
    case GCN_OP_BUFFER_GL1_INV:
    case GCN_OP_BUFFER_WBL2:
    case GCN_OP_BUFFER_INV:
    case GCN_OP_BUFFER_INVL2:
    case GCN_OP_BUFFER_WBINVL1:
    case GCN_OP_BUFFER_WBINVL1_VOL:
        return true;
    default:
        return false;
    }
}

static struct sg_mem_uop address_of(struct sg_builder *b, const struct gcn_inst *in)
{
    struct sg_mem_uop m = {.a = in->addr.kind == GCN_OPND_NONE ? 0 : sg_row(&in->addr),
                           .c = in->saddr.index,
                           .imm = in->offset,
                           .flags = SG_MODE_BUFFER};
    m.x = in->soffset.kind == GCN_OPND_NONE ? sg_const32(b, 0) : sg_scalar_source(b, &in->soffset);
    m.flags |= (in->offen ? SG_MF_OFFEN : 0) | (in->idxen ? SG_MF_IDXEN : 0);
    return m;
}

/* Formatted loads and stores. `components` is 0 for any other instruction. */
struct formatted {
    unsigned components;
    bool store, d16, high;
};

static struct formatted formatted_op(unsigned op)
{
    switch (op) {
#define FORMAT_CASES(SUFFIX, N)                                                                              \
    case GCN_OP_BUFFER_LOAD_FORMAT_##SUFFIX:                                                                 \
    case GCN_OP_TBUFFER_LOAD_FORMAT_##SUFFIX:                                                                \
        return (struct formatted){N, false, false, false};                                                   \
    case GCN_OP_BUFFER_STORE_FORMAT_##SUFFIX:                                                                \
    case GCN_OP_TBUFFER_STORE_FORMAT_##SUFFIX:                                                               \
        return (struct formatted){N, true, false, false};                                                    \
    case GCN_OP_BUFFER_LOAD_FORMAT_D16_##SUFFIX:                                                             \
    case GCN_OP_TBUFFER_LOAD_FORMAT_D16_##SUFFIX:                                                            \
        return (struct formatted){N, false, true, false};                                                    \
    case GCN_OP_BUFFER_STORE_FORMAT_D16_##SUFFIX:                                                            \
    case GCN_OP_TBUFFER_STORE_FORMAT_D16_##SUFFIX:                                                           \
        return (struct formatted){N, true, true, false};
        FORMAT_CASES(X, 1)
        FORMAT_CASES(XY, 2)
        FORMAT_CASES(XYZ, 3)
        FORMAT_CASES(XYZW, 4)
    case GCN_OP_BUFFER_LOAD_FORMAT_D16_HI_X:
        return (struct formatted){1, false, true, true};
    case GCN_OP_BUFFER_STORE_FORMAT_D16_HI_X:
        return (struct formatted){1, true, true, true};
    default:
        return (struct formatted){0, false, false, false};
    }
}

/* The format that MTBUF names itself. False: gfx10 and gfx11 have none of that number. */
static bool typed_format(const struct ls_gpu *gpu, const struct gcn_inst *in, uint32_t *typed)
{
    unsigned data, num;
    *typed = GCN_FMT_TYPED | (uint32_t)in->simm16;
    if (gpu->family->buffers == LS_BUFFER_GFX9)
        return true;
    if (!sg_format_of_code(gpu, (unsigned)in->simm16, &data, &num))
        return !in->simm16; /* 0 is the invalid format, which reads 0 */
    *typed = GCN_FMT_TYPED | data | num << 4;
    return true;
}

static bool build_formatted(struct sg_builder *b, const struct gcn_inst *in, struct formatted f)
{
    uint32_t typed = 0;
    if (in->lds || (in->format == GCN_FMT_MTBUF && !typed_format(sg_builder_arch(b), in, &typed)))
        return false;
    struct sg_mem_uop m = address_of(b, in);
    m.flags |= (f.components - 1) << GCN_FMT_COUNT_SHIFT | (f.d16 ? GCN_FMT_D16 : 0) |
               (f.high ? GCN_FMT_HIGH : 0) | typed << GCN_FMT_TYPED_SHIFT;
    if (f.store)
        m.b = sg_row(&in->data[0]);
    else
        m.d = sg_row(&in->dst);
    sg_emit_observers(b, &m, f.store ? SG_ACCESS_STORE : SG_ACCESS_LOAD, 0, 0);
    sg_emit_settle(b);
    sg_emit_mem(b, f.store ? sg_format_store : sg_format_load, &m);
    sg_emit_settle(b);
    return true;
}

/* LDS to memory: the dword at M0 + offset + lane * 4. */
static void store_from_lds(struct sg_builder *b, const struct gcn_inst *in)
{
    struct sg_mem_uop m = address_of(b, in);
    unsigned row = sg_temp_rows(b, 1);
    struct sg_mem_uop get = sg_lds_tid_uop(b, in->offset, row, 4, SG_ELEM_B32);
    get.x &= ~3u; /* whole dwords */
    m.b = row;
    m.data_later = true;
    sg_emit_observers(b, &get, SG_ACCESS_LOAD, 4, 0);
    sg_emit_observers(b, &m, SG_ACCESS_STORE, 4, 1);
    sg_emit_mem(b, sg_lds_tid_load, &get);
    sg_emit_store(b, in, sg_buffer_stores[SG_ELEM_B32], &m);
}

bool sg_build_buffer(struct sg_builder *b, const struct gcn_inst *in)
{
    struct sg_mem_op op;
    if (in->flags & GCN_INST_TFE)
        return false;
    if (is_cache_control(in->op)) { /* nothing to do in one coherent memory */
        sg_emit_cache_control(b, in);
        return true;
    }
    if (in->op == GCN_OP_BUFFER_STORE_LDS_DWORD) {
        store_from_lds(b, in);
        return true;
    }
    struct formatted f = formatted_op(in->op);
    if (f.components)
        return build_formatted(b, in, f);
    if (!classify(in->op, &op) || (in->lds && op.action != SG_DO_LOAD))
        return false;
    if (in->lds)
        op.action = SG_DO_TO_LDS;
    struct sg_mem_uop m = address_of(b, in);
    return sg_emit_vector_access(b, in, &op, &m);
}
