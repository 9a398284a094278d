/*
 * decode.c - machine code to runs of micro-operations.
 *
 * Decoding is lazy per closure: everything that direct branches reach from a start address. Fix-ups of
 * forward branches happen before the closure is published, so a running wavefront never sees a change.
 * Micro-operations live in chunks that are never freed before the sg_code is.
 */
#include <stdlib.h>
#include "decode.h"
#include "gcn/constants.h"
#include "decode_state.h"
#include "soft-gpu/isa/image/mem_image.h"
#include "soft-gpu/isa/matrix/valu_matrix.h"
#include "soft-gpu/isa/memory/mem_internal.h"
#include "soft-gpu/isa/scalar/scalar.h"

static struct sg_known *add_known(struct sg_code *c, uint64_t key)
{
    struct sg_known *k = malloc(sizeof *k);
    if (!k) {
        c->out_of_memory = true;
        return NULL;
    }
    k->entry = (struct sg_code_entry){key, sg_code_here(c), c->number, c->vectors};
    HASH_ADD(hh, c->known, entry.key, sizeof k->entry.key, k);
    return k;
}

static bool is_scalar(unsigned format)
{
    return format <= GCN_FMT_SMEM;
}

static bool is_valu(unsigned format)
{
    return (format >= GCN_FMT_VOP2 && format <= GCN_FMT_MAI) || format == GCN_FMT_VOP3PX ||
           format == GCN_FMT_VOPD;
}

static bool reads(const struct gcn_inst *in, const struct gcn_operand *written)
{
    for (unsigned i = 0; i < in->n_src; i++)
        if (in->src[i].kind == GCN_OPND_VGPR && in->src[i].index == written->index)
            return true;
    return false;
}

/* Two operations that both read their sources before either writes ("RDNA3 Instruction Set Architecture", section
 * VOPD): in an order in which that makes no difference, or, where each reads what the other writes, the second one's
 * result waits in a temporary row. */
static bool build_both(struct sg_builder *b, const struct gcn_inst *first)
{
    struct gcn_inst second;
    if (!gcn_second(b->code->target, first, &second))
        return false;
    const bool first_reads = reads(first, &second.dst), second_reads = reads(&second, &first->dst);
    if (!second_reads)
        return sg_build_valu(b, first) && sg_build_valu(b, &second);
    if (!first_reads)
        return sg_build_valu(b, &second) && sg_build_valu(b, first);
    struct gcn_inst move = {.op = GCN_OP_V_MOV_B32, .format = GCN_FMT_VOP1, .dst = second.dst, .n_src = 1};
    second.dst.index = (uint16_t)sg_temp_rows(b, 1);
    move.src[0] = second.dst;
    return sg_build_valu(b, &second) && sg_build_valu(b, first) && sg_build_valu(b, &move);
}

static bool build(struct sg_builder *b, const struct gcn_inst *in)
{
    if (is_scalar(in->format))
        return sg_build_scalar(b, in) || sg_build_scalar_float(b, in);
    if (in->format == GCN_FMT_VOPD)
        return build_both(b, in);
    if (is_valu(in->format))
        return sg_build_valu(b, in) || sg_build_mfma(b, in) || sg_build_wmma(b, in) ||
               sg_build_scaled(b, in) || sg_build_scalar_float(b, in);
    return in->format == GCN_FMT_MIMG ? sg_build_image(b, in) : sg_build_memory(b, in);
}

void sg_builder_start(struct sg_builder *b, uint64_t pc)
{
    b->pc = pc;
    b->temp_rows = b->temp_scalars = b->emitted = 0;
}

void sg_builder_build(struct sg_builder *b, const struct gcn_inst *in)
{
    struct sg_code *c = b->code;
    unsigned used = c->chunk_used;
    if (build(b, in))
        return;
    c->chunk_used = used;
    b->emitted = 0;
    sg_emit_unimplemented(b, in);
}

static void replace_null_source(struct gcn_operand *o)
{
    if (o->kind == GCN_OPND_SCALAR && o->index == SG_S_NULL)
        o->index = GCN_INLINE_ZERO;
}

static void replace_null_destination(struct gcn_operand *o)
{
    if (o->kind == GCN_OPND_SCALAR && o->index == SG_S_NULL)
        o->index = SG_S_NOWHERE;
}

/* NULL is a register like others for whoever builds: it reads 0, and what is written is lost. Where it is none, no
 * instruction that is decoded has it. */
static void replace_null(struct gcn_inst *in)
{
    for (unsigned i = 0; i < in->n_src; i++)
        replace_null_source(&in->src[i]);
    replace_null_source(&in->soffset);
    replace_null_destination(&in->dst);
    replace_null_destination(&in->sdst);
}

/* The upper half of the result has no reader. To find that out pays where its mask has none, either, as LLVM writes
 * multiplications for gfx10 and later. */
static bool is_narrow(struct sg_code *c, const struct gcn_inst *in)
{
    return (in->op == GCN_OP_V_MAD_U64_U32 || in->op == GCN_OP_V_MAD_I64_I32) &&
           in->sdst.index == SG_S_NOWHERE && in->dst.kind == GCN_OPND_VGPR &&
           sg_code_unread(c, in->pc + in->bytes, in->dst.index + 1u);
}

/* Decodes the instruction at pc. Returns its size, 0 at the end of the run. */
static unsigned decode_one(struct sg_builder *b, uint64_t pc)
{
    struct sg_code *c = b->code;
    uint32_t words[GCN_WORDS];
    struct gcn_inst in;
    sg_builder_start(b, pc);
    unsigned n = sg_code_fetch(c, pc, words);
    unsigned size = n ? gcn_decode(c->target, words, n, pc, &in) : 0;
    if (!size) {
        sg_emit(b, sg_h_fault, n ? SG_FAULT_ILLEGAL : SG_FAULT_PAGE, 0, 0, 0);
        b->end_run = true;
        size = 4;
    } else if (b->vskip && !is_scalar(in.format)) {
        /* not executed: no micro-operation */
    } else if (b->indexed && is_valu(in.format)) {
        sg_build_indexed(b, &in);
    } else {
        replace_null(&in);
        b->narrow = is_narrow(c, &in);
        b->delays = gcn_traits(in.op)->unit == GCN_UNIT_SLEEP && sg_code_delays(c, &in);
        sg_builder_build(b, &in);
    }
    c->number++;
    if (n && !is_scalar(in.format) && !b->vskip)
        c->vectors++;
    if (pc < c->lo)
        c->lo = pc;
    if (pc + size > c->hi)
        c->hi = pc + size;
    return size;
}

/* A jump to code that is there already. */
static void link_to(struct sg_code *c, const struct sg_known *k, uint64_t pc)
{
    struct sg_jump *link = (struct sg_jump *)(void *)sg_code_here(c);
    c->chunk_used++;
    *link = (struct sg_jump){.fn = sg_h_jump,
                             .instructions = c->number - k->entry.number,
                             .vectors = c->vectors - k->entry.vectors,
                             .target = k->entry.uop,
                             .pc = sg_code_place(c, pc)};
}

/* Decodes straight on from `key` until the run ends or meets code that is there already. */
static void decode_run(struct sg_code *c, uint64_t key)
{
    struct sg_builder b = {.code = c, .indexed = key & 1, .vskip = key & SG_KEY_VSKIP};
    uint64_t pc = key & ~3ull;
    struct sg_uop *unfused = NULL;
    while (!b.end_run && sg_code_reserve(c)) {
        if (!unfused)
            unfused = sg_code_here(c);
        struct sg_known *k = sg_code_known(c, key);
        if (k) {
            sg_code_fuse_last(c, unfused);
            link_to(c, k, pc);
            return;
        }
        if (!add_known(c, key))
            return;
        pc += decode_one(&b, pc);
        if (c->out_of_memory)
            return;
        unfused = sg_code_fuse(c, unfused);
        key = sg_key_of(&b, pc);
    }
    if (!c->out_of_memory)
        sg_code_fuse_last(c, unfused);
}

static void resolve_fixups(struct sg_code *c)
{
    while (c->fixups) {
        struct sg_fixup *f = c->fixups;
        c->fixups = f->next;
        struct sg_known *k = c->out_of_memory ? NULL : sg_code_known(c, f->key);
        if (k) {
            f->jump->target = k->entry.uop;
            f->jump->instructions = f->number - k->entry.number;
            f->jump->vectors = f->vectors - k->entry.vectors;
        }
        free(f);
    }
}

static struct sg_known *decode(struct sg_code *c, uint64_t pc)
{
    struct sg_known *k = sg_code_known(c, pc);
    if (k || c->out_of_memory)
        return k;
    sg_code_add_work(c, pc);
    while (c->n_work && !c->out_of_memory) {
        uint64_t key = c->work[--c->n_work];
        if (!sg_code_known(c, key))
            decode_run(c, key);
    }
    c->n_work = 0;
    resolve_fixups(c);
    return c->out_of_memory ? NULL : sg_code_known(c, pc);
}

struct sg_code *sg_code_create(struct gcn_target target, const struct sg_code_source *source, uint64_t entry,
                               unsigned observers)
{
    struct sg_code *c = sg_code_new(target, source, entry, observers, decode);
    if (c && !sg_code_find(c, entry)) {
        sg_code_release(c);
        return NULL;
    }
    return c;
}
