/*
 * code_build.c - what builders call while an instruction becomes micro-operations (uop.h): emitting,
 * constants, temporaries, scalar sources, jumps.
 */
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "code_state.h"
#include "gcn/constants.h"

struct sg_uop sg_dummy_uop;

const struct ls_gpu *sg_builder_arch(const struct sg_builder *b)
{
    return b->code->target.gpu;
}

bool sg_builder_narrow(const struct sg_builder *b)
{
    return b->narrow;
}

bool sg_builder_delays(const struct sg_builder *b)
{
    return b->delays;
}

uint32_t sg_mask_place(const struct sg_builder *b, unsigned index)
{
    return index | (gcn_mask_dwords(b->code->target) == 2 ? index + 1 : SG_S_NOWHERE) << 16;
}

unsigned sg_builder_observers(const struct sg_builder *b)
{
    return b->code->observers;
}

struct sg_uop *sg_emit(struct sg_builder *b, sg_fn fn, unsigned d, unsigned a, unsigned bb, unsigned c)
{
    struct sg_code *code = b->code;
    if (b->emitted >= MAX_UOPS_PER_INST || code->out_of_memory) {
        code->out_of_memory = true;
        return &sg_dummy_uop;
    }
    struct sg_uop *u = sg_code_here(code);
    code->chunk_used++;
    b->emitted++;
    *u = (struct sg_uop){.fn = fn,
                         .d = (uint16_t)d,
                         .a = (uint16_t)a,
                         .b = (uint16_t)bb,
                         .c = (uint16_t)c,
                         .pc = sg_code_place(code, b->pc)};
    return u;
}

/* Index of `n` consecutive constant dwords (1 or 2), shared between equal ones. */
static unsigned constant(struct sg_builder *b, const uint32_t *value, unsigned n)
{
    struct sg_code *c = b->code;
    uint64_t hash = (value[0] + (uint64_t)(n > 1 ? value[1] : 0) * 0x100000001ull) * 0x9E3779B97F4A7C15ull;
    uint32_t *table = c->constant_hash[n - 1];
    unsigned used = atomic_load_explicit(&c->n_constants, memory_order_relaxed);
    for (size_t i = hash >> 47;; i = (i + 1) % CONST_SLOTS) {
        if (table[i] && !memcmp(&c->constants[table[i] - 1], value, n * sizeof *value))
            return SG_FIRST_CONST + table[i] - 1;
        if (table[i])
            continue;
        if (used + n > SG_MAX_CONSTS) {
            c->out_of_memory = true;
            return SG_FIRST_CONST;
        }
        memcpy(&c->constants[used], value, n * sizeof *value);
        table[i] = used + 1;
        atomic_store_explicit(&c->n_constants, used + n, memory_order_release);
        return SG_FIRST_CONST + used;
    }
}

unsigned sg_const32(struct sg_builder *b, uint32_t value)
{
    return constant(b, &value, 1);
}

unsigned sg_const64(struct sg_builder *b, uint64_t value)
{
    uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    return constant(b, words, 2);
}

/* The first of n more of `limit` temporaries; 0 when they do not suffice. */
static unsigned take_temporaries(struct sg_builder *b, unsigned *taken, unsigned n, unsigned limit)
{
    unsigned first = *taken;
    *taken += n;
    if (*taken <= limit)
        return first;
    b->code->out_of_memory = true;
    return 0;
}

unsigned sg_temp_rows(struct sg_builder *b, unsigned n)
{
    return SG_TEMP_ROW + take_temporaries(b, &b->temp_rows, n, SG_TEMP_ROWS);
}

unsigned sg_temp_scalars(struct sg_builder *b, unsigned n)
{
    return SG_TEMP_SCALAR + take_temporaries(b, &b->temp_scalars, n, SG_TEMP_SCALARS);
}

void sg_emit_exec_refresh(struct sg_builder *b)
{
    sg_emit(b, sg_h_exec_refresh, 0, 0, 0, 0)->imm = sg_builder_vectors(b);
}

/* vccz, execz and scc as a temporary of `dwords` dwords. */
static unsigned condition_source(struct sg_builder *b, unsigned code, unsigned dwords)
{
    if (code == SG_S_SCC && dwords == 1)
        return SG_S_SCC;
    unsigned t = sg_temp_scalars(b, 2);
    if (code == SG_S_SCC)
        sg_emit(b, sg_h_copy_scc, t, 0, 0, 0);
    else
        sg_emit(b, code == 251 ? sg_h_vccz : sg_h_execz, t, 0, 0, 0);
    return t;
}

unsigned sg_scalar_source(struct sg_builder *b, const struct gcn_operand *o)
{
    if (o->kind == GCN_OPND_LITERAL)
        return sg_const32(b, o->literal);
    if (o->index >= 235 && o->index <= 238) /* the low word of an aperture register */
        return SG_S_APERTURES + 2 * (o->index - 235u);
    if (o->index >= 251 && o->index <= 253)
        return condition_source(b, o->index, 1);
    return o->index;
}

unsigned sg_scalar_source64(struct sg_builder *b, const struct gcn_operand *o, bool is_float)
{
    if (o->kind == GCN_OPND_LITERAL)
        return sg_const64(b, is_float ? (uint64_t)o->literal << 32 : o->literal);
    unsigned i = o->index;
    if (i < GCN_INLINE_ZERO)
        return i;
    int32_t integer;
    if (gcn_inline_integer(i, &integer))
        return sg_const64(b, (uint64_t)(int64_t)integer);
    if (i >= 235 && i <= 238)
        return SG_S_APERTURES + 2 * (i - 235u);
    if (gcn_is_inline_float(
            i)) /* 64-bit integer operations see the double as well (LLVM: isInlinableLiteral64). */
        return sg_const64(b, sg_u64(gcn_inline_float(i)));
    return condition_source(b, i, 2);
}

void sg_emit_unimplemented(struct sg_builder *b, const struct gcn_inst *in)
{
    (void)in;
    sg_emit(b, sg_h_fault, SG_FAULT_UNIMPLEMENTED, 0, 0, 0);
}

int32_t sg_builder_number(const struct sg_builder *b)
{
    return b->code->number + 1;
}

int32_t sg_builder_vectors(const struct sg_builder *b)
{
    return b->code->vectors;
}

void sg_builder_end_run(struct sg_builder *b)
{
    b->end_run = true;
}

void sg_builder_set_indexed(struct sg_builder *b, bool on)
{
    b->indexed = on;
}

void sg_builder_also_decode(struct sg_builder *b, uint64_t pc)
{
    sg_code_add_work(b->code, pc);
}

void sg_builder_set_vskip(struct sg_builder *b, bool on)
{
    b->vskip = on;
}

struct sg_uop *sg_emit_jump(struct sg_builder *b, sg_fn fn, uint64_t pc)
{
    struct sg_code *c = b->code;
    struct sg_uop *u = sg_emit(b, fn, 0, 0, 0, 0);
    struct sg_fixup *f = malloc(sizeof *f);
    if (!f) {
        c->out_of_memory = true;
        return u;
    }
    uint64_t key = sg_key_of(b, pc);
    *f = (struct sg_fixup){c->fixups, (struct sg_jump *)(void *)u, key, sg_builder_number(b),
                           sg_builder_vectors(b)};
    c->fixups = f;
    sg_code_add_work(c, key);
    return u;
}
