/*
 * code_decode.c - machine code to runs of micro-operations.
 *
 * Decoding is lazy per closure: everything that direct branches reach from a start address. Fix-ups of
 * forward branches happen before the closure is published, so a running wavefront never sees a change.
 * Micro-operations live in chunks that are never freed before the sg_code is.
 */
#include <stdlib.h>
#include <string.h>
#include "code_state.h"
#include "common/vector.h"

/* ---- Storage ---- */

static bool new_chunk(struct sg_code *c)
{
    struct sg_chunk *k = aligned_alloc(64, (sizeof *k + 63) / 64 * 64);
    if (!k)
        return false;
    k->next = c->chunks;
    c->chunks = k;
    c->chunk_used = 0;
    return true;
}

/* Room for one instruction and the link behind it; continues the current run in a new chunk when there is
 * none. */
bool sg_code_reserve(struct sg_code *c)
{
    if (c->chunks && c->chunk_used + MAX_UOPS_PER_INST + 1 < CHUNK_UOPS)
        return true;
    struct sg_jump *link = c->chunks ? (struct sg_jump *)(void *)&c->chunks->uops[c->chunk_used] : NULL;
    if (!new_chunk(c)) {
        c->out_of_memory = true;
        return false;
    }
    if (link)
        *link = (struct sg_jump){.fn = sg_h_jump, .target = c->chunks->uops};
    return true;
}

struct sg_known *sg_code_known(struct sg_code *c, uint64_t key)
{
    struct sg_known *k;
    HASH_FIND(hh, c->known, &key, sizeof key, k);
    return k;
}

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

void sg_code_add_work(struct sg_code *c, uint64_t key)
{
    if (LS_ROOM(c->work, c->n_work))
        c->work[c->n_work++] = key;
    else
        c->out_of_memory = true;
}

/* ---- Decoding ---- */

/* Reads up to four instruction words at pc. Returns how many are readable. */
unsigned sg_code_fetch(struct sg_code *c, uint64_t pc, uint32_t words[4])
{
    if (c->source.words) {
        size_t at = pc / 4, n = 0;
        while (n < 4 && at + n < c->source.dwords) {
            words[n] = c->source.words[at + n];
            n++;
        }
        return (unsigned)n;
    }
    unsigned n = 0;
    for (; n < 4; n++) {
        const struct sg_range *r = sg_tlb_range(&c->tlb, pc + 4 * n);
        if (!r || !(r->flags & SG_RANGE_EXEC) || r->hi - (pc + 4 * n) < 4)
            break;
        memcpy(&words[n], (const void *)(uintptr_t)(pc + 4 * n + (uint64_t)r->delta), 4);
    }
    return n;
}

static bool is_scalar(unsigned format)
{
    return format <= GCN_FMT_SMEM;
}

static bool is_valu(unsigned format)
{
    return (format >= GCN_FMT_VOP2 && format <= GCN_FMT_MAI) || format == GCN_FMT_VOP3PX;
}

static bool build(struct sg_builder *b, const struct gcn_inst *in)
{
    if (is_scalar(in->format))
        return sg_build_scalar(b, in);
    if (is_valu(in->format))
        return sg_build_valu(b, in);
    return sg_build_memory(b, in);
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

uint32_t sg_code_place(struct sg_code *c, uint64_t pc)
{
    const uint64_t start = pc & ~(SG_CODE_WINDOW_BYTES - 1);
    unsigned i = 0;
    while (i < c->n_windows && c->windows[i] != start)
        i++;
    if (i == SG_CODE_WINDOWS) {
        c->out_of_memory = true;
        return 0;
    }
    if (i == c->n_windows)
        c->windows[c->n_windows++] = start;
    return i << SG_CODE_WINDOW_BITS | (uint32_t)((pc - start) / 4);
}

static void replace_null_source(struct gcn_operand *o)
{
    enum { INLINE_ZERO = 128 };
    if (o->kind == GCN_OPND_SCALAR && o->index == SG_S_NULL)
        o->index = INLINE_ZERO;
}

static void replace_null_destination(struct gcn_operand *o)
{
    if (o->kind == GCN_OPND_SCALAR && o->index == SG_S_NULL)
        o->index = SG_S_NOWHERE;
}

/* NULL is a register like others for whoever builds: it reads 0, and what is written is lost. */
static void replace_null(struct gcn_inst *in)
{
    for (unsigned i = 0; i < in->n_src; i++)
        replace_null_source(&in->src[i]);
    replace_null_source(&in->soffset);
    replace_null_destination(&in->dst);
    replace_null_destination(&in->sdst);
}

/* Decodes the instruction at pc. Returns its size, 0 at the end of the run. */
static unsigned decode_one(struct sg_builder *b, uint64_t pc)
{
    struct sg_code *c = b->code;
    uint32_t words[4];
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
        if (c->target.gpu->family->encoding >= 10)
            replace_null(&in);
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
            struct sg_jump *link = (struct sg_jump *)(void *)sg_code_here(c);
            c->chunk_used++;
            *link = (struct sg_jump){.fn = sg_h_jump,
                                     .instructions = c->number - k->entry.number,
                                     .vectors = c->vectors - k->entry.vectors,
                                     .target = k->entry.uop,
                                     .pc = sg_code_place(c, pc)};
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

/* Decodes everything that direct branches reach from pc. NULL when out of memory. Lock held. */
struct sg_known *sg_code_decode(struct sg_code *c, uint64_t pc)
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
