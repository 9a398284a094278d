/*
 * build_mem_vmem.c - FLAT, GLOBAL and SCRATCH instructions.
 */
#include "build_mem_ops.h"
#include "mem_weak.h"

static bool classify(unsigned op, struct sg_mem_op *out)
{
    switch (op) {
#define LOAD_CASE(NAME, ELEM)                                                                                \
    case GCN_OP_FLAT_##NAME:                                                                                 \
    case GCN_OP_GLOBAL_##NAME:                                                                               \
    case GCN_OP_SCRATCH_##NAME:                                                                              \
        *out = (struct sg_mem_op){SG_DO_LOAD, ELEM, false};                                                  \
        return true;
#define STORE_CASE(NAME, ELEM)                                                                               \
    case GCN_OP_FLAT_##NAME:                                                                                 \
    case GCN_OP_GLOBAL_##NAME:                                                                               \
    case GCN_OP_SCRATCH_##NAME:                                                                              \
        *out = (struct sg_mem_op){SG_DO_STORE, ELEM, false};                                                 \
        return true;
#define ATOMIC_CASE(NAME, OP, WIDE)                                                                          \
    case GCN_OP_FLAT_##NAME:                                                                                 \
    case GCN_OP_GLOBAL_##NAME:                                                                               \
        *out = (struct sg_mem_op){SG_DO_ATOMIC, OP, WIDE};                                                   \
        return true;
#define ATOMIC_CASE_32(NAME, OP) ATOMIC_CASE(NAME, OP, false)
#define ATOMIC_CASE_64(NAME, OP) ATOMIC_CASE(NAME, OP, true)
#define TO_LDS_CASE(NAME, ELEM)                                                                              \
    case GCN_OP_GLOBAL_LOAD_LDS_##NAME:                                                                      \
    case GCN_OP_SCRATCH_LOAD_LDS_##NAME:                                                                     \
        *out = (struct sg_mem_op){SG_DO_TO_LDS, ELEM, false};                                                \
        return true;
        SG_LOAD_OPS(LOAD_CASE)
        SG_STORE_OPS(STORE_CASE)
        SG_ATOMIC_OPS_32(ATOMIC_CASE_32)
        SG_ATOMIC_OPS_64(ATOMIC_CASE_64)
        TO_LDS_CASE(UBYTE, SG_ELEM_U8)
        TO_LDS_CASE(SBYTE, SG_ELEM_S8)
        TO_LDS_CASE(USHORT, SG_ELEM_U16)
        TO_LDS_CASE(SSHORT, SG_ELEM_S16)
        TO_LDS_CASE(DWORD, SG_ELEM_B32)
    case GCN_OP_GLOBAL_LOAD_LDS_DWORDX3:
        *out = (struct sg_mem_op){SG_DO_TO_LDS, SG_ELEM_B96, false};
        return true;
    case GCN_OP_GLOBAL_LOAD_LDS_DWORDX4:
        *out = (struct sg_mem_op){SG_DO_TO_LDS, SG_ELEM_B128, false};
        return true;
    default:
        return false;
    }
}

/* Handler of a load or store, or NULL. */
static sg_fn access_handler(enum sg_mem_mode mode, unsigned elem, bool store)
{
    switch (mode) {
    case SG_MODE_FLAT:
        return (store ? sg_flat_stores : sg_flat_loads)[elem];
    case SG_MODE_GLOBAL:
        return (store ? sg_global_stores : sg_global_loads)[elem];
    case SG_MODE_SADDR:
        return (store ? sg_saddr_stores : sg_saddr_loads)[elem];
    case SG_MODE_SCRATCH:
        return (store ? sg_scratch_stores : sg_scratch_loads)[elem];
    case SG_MODE_BUFFER:
        return (store ? sg_buffer_stores : sg_buffer_loads)[elem];
    case SG_MODE_LDS:
        return (store ? sg_lds_stores : sg_lds_loads)[elem];
    default:
        return NULL;
    }
}

static bool emit_atomic(struct sg_builder *b, const struct gcn_inst *in, const struct sg_mem_op *op,
                        struct sg_mem_uop *m)
{
    unsigned what = op->what;
    if (what == SG_ATOMIC_FADD && !op->wide && sg_builder_arch(b)->atomic_add_flushes_f32)
        what = SG_ATOMIC_FADD_FLUSH;
    sg_fn fn = sg_atomic_handlers[op->wide][what];
    if (!fn)
        return false;
    m->b = sg_row(&in->data[0]);
    if (in->glc) {
        m->d = sg_row(&in->dst);
        m->flags |= SG_MF_RETURN;
    }
    sg_emit_observers(b, m, SG_ACCESS_ATOMIC, op->wide ? 8 : 4, 0);
    sg_emit_atomic(b, fn, m, what, op->wide);
    return true;
}

/* Memory to LDS: an ordinary load into temporary rows, then a store to M0 + offset + lane * 4. Elements below
 * a dword are extended and stored as dwords; lanes of three and four dwords lie 16 bytes apart ("AMD CDNA4
 * ISA", 9.1.9 and 10.3). */
static bool emit_to_lds(struct sg_builder *b, const struct gcn_inst *in, const struct sg_mem_op *op,
                        struct sg_mem_uop *m)
{
    enum sg_mem_mode mode = (enum sg_mem_mode)(m->flags & SG_MF_MODE);
    sg_fn load = access_handler(mode, op->what, false);
    if (!load)
        return false;
    const unsigned bytes = sg_elem_bytes((enum sg_mem_elem)op->what), dwords = bytes < 4 ? 1 : bytes / 4;
    unsigned row = sg_temp_rows(b, dwords);
    struct sg_mem_uop put = sg_lds_tid_uop(b, in->offset, row, dwords > 1 ? 16 : 4,
                                           bytes < 4 ? SG_ELEM_B32 : (enum sg_mem_elem)op->what);
    put.data_later = true;
    put.x &= ~3u; /* M0[17:2] */
    m->d = row;
    m->flags |= op->what << SG_MF_ELEM_SHIFT;
    sg_emit_observers(b, m, SG_ACCESS_LOAD, bytes, 0);
    sg_emit_observers(b, &put, SG_ACCESS_STORE, 4 * dwords, 1);
    sg_emit_load(b, in, load, m);
    sg_emit_mem(b, sg_lds_tid_store, &put);
    return true;
}

bool sg_emit_vector_access(struct sg_builder *b, const struct gcn_inst *in, const struct sg_mem_op *op,
                           struct sg_mem_uop *m)
{
    if (op->action == SG_DO_ATOMIC)
        return emit_atomic(b, in, op, m);
    if (op->action == SG_DO_TO_LDS)
        return emit_to_lds(b, in, op, m);
    const bool store = op->action == SG_DO_STORE;
    /* Cache bits of volatile and atomic accesses (LLVM AMDGPUUsage, memory model of gfx90a and gfx942).
     * Streaming ones of gfx90a set glc, too, together with slc. */
    m->sync = (in->glc && !in->slc) || in->scc_bit;
    sg_fn fn = access_handler((enum sg_mem_mode)(m->flags & SG_MF_MODE), op->what, store);
    if (!fn)
        return false;
    if (store)
        m->b = sg_row(&in->data[0]);
    else
        m->d = sg_row(&in->dst);
    m->flags |= op->what << SG_MF_ELEM_SHIFT;
    sg_emit_observers(b, m, store ? SG_ACCESS_STORE : SG_ACCESS_LOAD,
                      sg_elem_bytes((enum sg_mem_elem)op->what), 0);
    (store ? sg_emit_store : sg_emit_load)(b, in, fn, m);
    return true;
}

/* The address of a global access. */
static void global_address(struct sg_builder *b, const struct gcn_inst *in, struct sg_mem_uop *m)
{
    if (in->saddr.kind == GCN_OPND_NONE) {
        m->flags = SG_MODE_GLOBAL;
    } else {
        m->flags = SG_MODE_SADDR;
        m->c = sg_scalar_source64(b, &in->saddr, false);
    }
}

static void emit_transposed(struct sg_builder *b, const struct gcn_inst *in)
{
    struct sg_mem_uop m = {
        .d = sg_row(&in->dst), .a = sg_row(&in->addr), .imm = in->offset, .x = gcn_traits(in->op)->bytes};
    global_address(b, in, &m);
    m.flags |= SG_MF_LOW_LANES;
    sg_emit_settle(b);
    sg_emit_observers(b, &m, SG_ACCESS_LOAD, m.x, 0);
    sg_emit_mem(b, sg_global_load_tr, &m);
    sg_emit_settle(b);
}

bool sg_build_vmem(struct sg_builder *b, const struct gcn_inst *in)
{
    struct sg_mem_op op;
    if (in->op == GCN_OP_GLOBAL_LOAD_TR_B128 || in->op == GCN_OP_GLOBAL_LOAD_TR_B64) {
        emit_transposed(b, in);
        return true;
    }
    if (gcn_has(in->op, GCN_CACHES)) {
        sg_emit_cache_control(b, in);
        return true;
    }
    if (!classify(in->op, &op))
        return false;
    const bool no_vaddr = in->addr.kind == GCN_OPND_NONE, no_saddr = in->saddr.kind == GCN_OPND_NONE;
    struct sg_mem_uop m = {.a = no_vaddr ? 0 : sg_row(&in->addr), .imm = in->offset};
    if (in->format == GCN_FMT_FLAT) {
        m.flags = SG_MODE_FLAT;
    } else if (in->format == GCN_FMT_SCRATCH) {
        m.flags = SG_MODE_SCRATCH | (no_vaddr ? SG_MF_NO_VADDR : 0);
        m.c = no_saddr ? sg_const32(b, 0) : sg_scalar_source(b, &in->saddr);
    } else {
        global_address(b, in, &m);
    }
    return sg_emit_vector_access(b, in, &op, &m);
}
