/*
 * indexed.c - M0-relative vector instructions (s_set_gpr_idx_on, MI200 ISA "VGPR Indexing").
 */
#include <stdlib.h>
#include <string.h>
#include "decode_state.h"

static bool offset_vgpr(struct gcn_operand *o, unsigned offset)
{
    if (o->kind == GCN_OPND_VGPR)
        o->index = (uint16_t)(o->index + offset);
    return o->index + o->dwords <= 256 || o->kind != GCN_OPND_VGPR;
}

/* Builds the version of x for `offset` and the enabled operands: bit 0..2 src0..src2, bit 3 dst. */
static const struct sg_uop *build_variant(struct sg_code *c, struct sg_indexed *x, unsigned offset,
                                          unsigned enable)
{
    struct sg_builder b = {.code = c};
    struct gcn_inst in = x->inst;
    bool fits = true;
    for (unsigned i = 0; i < 3; i++)
        if (enable >> i & 1)
            fits &= offset_vgpr(&in.src[i], offset);
    if (enable & 8)
        fits &= offset_vgpr(&in.dst, offset);
    /* A run of its own: the chunk's current end is not part of any other. */
    if (!sg_code_reserve(c))
        return NULL;
    struct sg_uop *first = sg_code_here(c);
    sg_builder_start(&b, in.pc);
    if (fits)
        sg_builder_build(&b, &in);
    else
        sg_emit(&b, sg_h_fault, SG_FAULT_ILLEGAL, 0, 0, 0);
    struct sg_jump *back = (struct sg_jump *)(void *)sg_code_here(c);
    c->chunk_used++;
    *back = (struct sg_jump){.fn = sg_h_jump, .target = x->follow, .pc = sg_code_place(c, in.pc)};
    return c->out_of_memory ? NULL : first;
}

static int h_indexed(SG_ARGS)
{
    struct sg_indexed *x;
    memcpy(&x, &u->imm, sizeof x);
    unsigned key = (s[SG_S_M0] & 255) | (s[SG_S_M0] >> 12 & 15) << 8;
    if (!(key & 255) || !(key >> 8))
        key = 0;
    const struct sg_uop *target = atomic_load_explicit(&x->variant[key], memory_order_acquire);
    if (!target) {
        struct sg_code *c = (struct sg_code *)(uintptr_t)w->code;
        pthread_mutex_lock(&c->lock);
        target = atomic_load(&x->variant[key]);
        if (!target && (target = build_variant(c, x, key & 255, key >> 8)))
            atomic_store_explicit(&x->variant[key], target, memory_order_release);
        pthread_mutex_unlock(&c->lock);
        if (!target)
            return sg_fault_at(w, u, SG_FAULT_RESOURCES, 0, 0, false, "out of memory while decoding");
    }
    SG_GOTO(target);
}

void sg_build_indexed(struct sg_builder *b, const struct gcn_inst *in)
{
    struct sg_code *c = b->code;
    struct sg_indexed *x = calloc(1, sizeof *x);
    if (!x) {
        c->out_of_memory = true;
        return;
    }
    x->inst = *in;
    x->next = c->indexed;
    c->indexed = x;
    struct sg_uop *u = sg_emit(b, h_indexed, 0, 0, 0, 0);
    if (u == &sg_dummy_uop)
        return;
    memcpy(&u->imm, &x, sizeof x);
    /* Version 0 stands behind the dispatching micro-operation, which continues there or behind it. */
    struct sg_uop *version = sg_code_here(c);
    sg_builder_build(b, in);
    atomic_store(&x->variant[0], version);
    x->follow = sg_code_here(c);
    u->x = (uint32_t)(sg_code_here(c) - version);
}
