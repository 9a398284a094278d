/*
 * build_mem.c - entry of the memory builders, and what they share. DS instructions are built in
 * build_mem_ds.c, FLAT, GLOBAL and SCRATCH in build_mem_vmem.c, MUBUF and MTBUF in build_mem_buffer.c.
 */
#include "mem_format.h"

void sg_emit_mem(struct sg_builder *b, sg_fn fn, const struct sg_mem_uop *m)
{
    struct sg_uop *u = sg_emit(b, fn, m->d, m->a, m->b, m->c);
    u->imm = m->imm;
    u->flags = m->flags;
    u->x = m->x;
}

static enum sg_mem_mode mode_of(const struct sg_mem_uop *m)
{
    return (enum sg_mem_mode)(m->flags & SG_MF_MODE);
}

static bool may_be_lds(enum sg_mem_mode mode)
{
    return mode == SG_MODE_LDS || mode == SG_MODE_LDS_TID || mode == SG_MODE_FLAT;
}

void sg_emit_observers(struct sg_builder *b, const struct sg_mem_uop *m, enum sg_access_kind kind,
                       unsigned bytes, unsigned part)
{
    const unsigned observers = sg_builder_observers(b);
    if (!observers)
        return;
    struct sg_mem_uop observer = *m;
    observer.flags &= (1u << SG_MF_EXTRA_SHIFT) - 1;
    observer.flags |= m->flags & 0xffu << GCN_FMT_TYPED_SHIFT; /* the format, where the access has one */
    observer.flags |=
        (uint32_t)kind << SG_LOG_KIND_SHIFT | bytes << SG_LOG_BYTES_SHIFT | part << SG_LOG_PART_SHIFT;
    if (kind == SG_ACCESS_STORE && bytes && !m->data_later)
        observer.flags |= SG_LOG_DATA;
    if (observers & SG_OBSERVE_LOG)
        sg_emit_mem(b, sg_uop_log, &observer);
    if (observers & SG_OBSERVE_GLOBAL)
        observer.flags |= SG_LOG_GLOBAL | (m->sync ? SG_LOG_SYNC : 0);
    if (observers & SG_OBSERVE_CHECK && (may_be_lds(mode_of(m)) || observers & SG_OBSERVE_GLOBAL))
        sg_emit_mem(b, sg_uop_check, &observer);
}

struct sg_mem_uop sg_lds_tid_uop(struct sg_builder *b, int32_t imm, unsigned row, unsigned lane_bytes,
                                 enum sg_mem_elem e)
{
    /* M0[15:0] is the LDS base; targets with more LDS need more bits of it. */
    uint32_t mask = sg_builder_arch(b)->family->lds_bytes > 65536 ? 0x3ffff : 0xffff;
    return (struct sg_mem_uop){.d = row,
                               .a = lane_bytes,
                               .b = row,
                               .imm = imm,
                               .flags = SG_MODE_LDS_TID | (uint32_t)e << SG_MF_ELEM_SHIFT,
                               .x = mask};
}

bool sg_build_memory(struct sg_builder *b, const struct gcn_inst *in)
{
    switch (in->format) {
    case GCN_FMT_DS:
        return sg_build_ds(b, in);
    case GCN_FMT_FLAT:
    case GCN_FMT_GLOBAL:
    case GCN_FMT_SCRATCH:
        return sg_build_vmem(b, in);
    case GCN_FMT_MUBUF:
    case GCN_FMT_MTBUF:
        return sg_build_buffer(b, in);
    default:
        return false;
    }
}
