/* bases.c - see bases.h. */
#include "bases.h"

#include "bits.h"

#include <stdbool.h>
#include <string.h>
#include "common/hash.h"
#include "lanescope/handler.h"

/* Number of what is in a register: 0 and up: what it began with; then each write has one, and a copy that of
 * its source. */
static uint32_t contents(const struct ls_bases *b, int file, unsigned i)
{
    uint32_t written = b->contents[file][i];
    return written ? written + 3 * LS_REGISTERS : (uint32_t)file * LS_REGISTERS + i;
}

static struct ls_value value_in(const struct ls_bases *b, int file, unsigned i)
{
    return (struct ls_value){contents(b, file, i) - 3 * LS_REGISTERS, b->shift[file][i]};
}

/* Of registers with a purpose of their own (vcc, m0) nobody knows when they change. */
static bool is_followed(struct ls_registers r)
{
    return r.file >= 0 && (r.file != LS_FILE_SCALAR || r.first + r.n <= LS_REGISTER_VCC);
}

static struct ls_wide_value pair_in(const struct ls_bases *b, struct ls_registers r)
{
    return (struct ls_wide_value){value_in(b, r.file, r.first), value_in(b, r.file, r.first + 1)};
}

/* Adds the contents of these registers to the numbers. Of an LDS address, which is one register, constants are
 * known, and of one of 64 bits; of others a sum of 32 bits is a part, so that it matters whether it goes over. */
static void add_registers(const struct ls_bases *b, const struct ls_op *op, struct ls_registers r,
                          uint64_t *number, struct ls_base *base)
{
    bool lds = op->form.class == LS_ISA_LDS, wide = !lds && r.n == 2 && op->memory.file < 0;
    int32_t more = 0;
    for (unsigned k = 0; k < r.n; k++) {
        uint32_t what = contents(b, r.file, r.first + k);
        int32_t shift = b->shift[r.file][r.first + k];
        *number = ls_hash_word(ls_hash_word(*number, what), (uint32_t)shift);
        if (!wide)
            base->root = ls_hash_word(ls_hash_word(base->root, what), lds ? 0 : (uint32_t)shift);
        more = lds ? shift : 0;
    }
    if (wide)
        base->root = ls_hash_word(base->root, ls_wide_root(&b->wide, pair_in(b, r), &more));
    base->shift = (int32_t)((uint32_t)base->shift + (uint32_t)more);
}

/* A number that stands for zero, so that the shift is the value. */
static const uint32_t ZERO = 0xc0000000u;

/* The number of what an operation makes of two values. */
static uint32_t result_of(unsigned operation, struct ls_value a, struct ls_value b)
{
    uint32_t h = ls_hash_word(0x811c9dc5u, operation);
    bool swap =
        operation != LS_OP_SHIFT_LEFT && (a.number > b.number || (a.number == b.number && a.shift > b.shift));
    struct ls_value first = swap ? b : a, second = swap ? a : b;
    h = ls_hash_word(ls_hash_word(h, first.number), (uint32_t)first.shift);
    h = ls_hash_word(ls_hash_word(h, second.number), (uint32_t)second.shift);
    return 0x80000000u | (h & 0x3fffffffu);
}

/* Sums are those of the hardware, of 32 bits. */
static struct ls_value sum_of(struct ls_value a, struct ls_value b)
{
    int32_t shift = (int32_t)((uint32_t)a.shift + (uint32_t)b.shift);
    if (!a.number || !b.number)
        return (struct ls_value){0, 0};
    if (a.number == ZERO || b.number == ZERO)
        return (struct ls_value){a.number == ZERO ? b.number : a.number, shift};
    a.shift = b.shift = 0;
    return (struct ls_value){result_of(LS_OP_ADD, a, b), shift};
}

/* The lower half of the address, without the instruction's own offset. Of buffers the description has a part of it. */
static void add_low(const struct ls_bases *b, const struct ls_op *op, struct ls_base *base)
{
    struct ls_value sum = {ZERO, 0};
    for (unsigned i = 0; i < op->n_address && !op->form.buffer; i++) {
        const struct ls_operand *o = &op->address[i];
        sum =
            sum_of(sum, o->constant ? (struct ls_value){ZERO, o->value} : value_in(b, o->r.file, o->r.first));
    }
    if (sum.number == ZERO || !sum.number)
        return;
    base->low = ls_hash_word(ls_hash_word(LS_HASH_BEGIN, b->clobbers), sum.number) | 1;
    base->low_shift = sum.shift;
}

static struct ls_base base_of(const struct ls_bases *b, const struct ls_op *op)
{
    uint64_t h = ls_hash_word(ls_hash_word(LS_HASH_BEGIN, b->clobbers), op->buffer_mode);
    struct ls_base base = {.root = h, .shift = 0};
    bool any = false;
    for (unsigned i = 0; i < op->n_address; i++) {
        const struct ls_operand *o = &op->address[i];
        if (o->constant) {
            h = ls_hash_word(h, (uint32_t)o->value);
            base.root = ls_hash_word(base.root, (uint32_t)o->value);
            continue;
        }
        if (!is_followed(o->r))
            return (struct ls_base){.shift = 0};
        add_registers(b, op, o->r, &h, &base);
        any = true;
    }
    base.number = any ? h | 1 : 0;
    base.root = any ? base.root | 1 : 0;
    add_low(b, op, &base);
    return base;
}

static void note_write(struct ls_bases *b, unsigned vector)
{
    b->when[vector] = b->moment;
    b->lasts[vector] = false;
}

static void count_write(struct ls_bases *b, struct ls_registers r)
{
    for (unsigned k = 0; r.file >= 0 && k < r.n; k++) {
        b->contents[r.file][r.first + k] = ++b->writes;
        b->shift[r.file][r.first + k] = 0;
        b->zero[r.file][r.first + k] = 0;
        b->derived[r.file][r.first + k] = false;
        if (r.file == LS_FILE_SCALAR)
            b->changed[r.first + k] = true;
        if (r.file == LS_FILE_VECTOR)
            note_write(b, r.first + k);
    }
}

void ls_bases_expect(struct ls_bases *b, const struct ls_op *op, uint32_t block)
{
    for (unsigned i = 0; i < op->n_written; i++)
        for (unsigned k = 0; op->written[i].file == LS_FILE_VECTOR && k < op->written[i].n; k++) {
            uint32_t *in = &b->block[op->written[i].first + k];
            *in = *in && *in != block ? LS_BASES_SEVERAL : block;
        }
}

/* What an operand of 32 bits holds. */
static struct ls_value value_of(const struct ls_bases *b, const struct ls_operand *o)
{
    if (o->constant)
        return (struct ls_value){ZERO, o->value};
    if (!is_followed(o->r) || o->r.n != 1)
        return (struct ls_value){0, 0};
    return value_in(b, o->r.file, o->r.first);
}

static struct ls_value difference_of(struct ls_value a, struct ls_value b)
{
    if (b.number == ZERO)
        return sum_of(a, (struct ls_value){ZERO, (int32_t)(0u - (uint32_t)b.shift)});
    struct ls_value negative = {
        result_of(LS_OP_SUBTRACT, (struct ls_value){b.number, 0}, (struct ls_value){ZERO, 0}),
        (int32_t)(0u - (uint32_t)b.shift)};
    return sum_of(a, negative);
}

/* Bits that may be 1 in the sources. */
static void bits_of_sources(const struct ls_bases *b, const struct ls_op *op, uint32_t *may)
{
    for (unsigned i = 0; i < LS_OP_SOURCES; i++) {
        const struct ls_operand *o = &op->source[i];
        may[i] = UINT32_MAX;
        if (i < op->n_sources && o->constant)
            may[i] = (uint32_t)o->value;
        else if (i < op->n_sources && is_followed(o->r) && o->r.n == 1)
            may[i] = ~b->zero[o->r.file][o->r.first];
    }
}

/* An "or" of values that have no bit in common is their sum. may: bits of the sources. */
static struct ls_value or_of(const struct ls_op *op, const struct ls_value *v, const uint32_t *may)
{
    if (op->kind == LS_OP_VECTOR_OR)
        return may[0] & may[1] ? (struct ls_value){0, 0} : sum_of(v[0], v[1]);
    if (ls_bits_shifted(op, may) & may[2])
        return (struct ls_value){0, 0};
    return sum_of((struct ls_value){result_of(LS_OP_SHIFT_LEFT, v[0], v[1]), 0}, v[2]);
}

/* What the instruction computes, if that is followed: operations of which LLVM makes addresses. */
static struct ls_value computed(const struct ls_bases *b, const struct ls_op *op, const uint32_t *may)
{
    struct ls_value v[LS_OP_SOURCES] = {{0, 0}};
    for (unsigned i = 0; i < op->n_sources; i++) {
        v[i] = value_of(b, &op->source[i]);
        if (!v[i].number)
            return (struct ls_value){0, 0};
    }
    switch (op->kind) {
    case LS_OP_MOVE:
        return v[0];
    case LS_OP_ADD:
    case LS_OP_ADD_OUT:
    case LS_OP_SCALAR_ADD:
        return sum_of(v[0], v[1]);
    case LS_OP_SUBTRACT:
        return difference_of(v[0], v[1]);
    case LS_OP_MULTIPLY_U24:
    case LS_OP_MULTIPLY_I24:
    case LS_OP_MULTIPLY:
    case LS_OP_SHIFT_LEFT:
        v[0] = (struct ls_value){result_of(op->kind, v[0], v[1]), 0};
        return op->n_sources > 2 ? sum_of(v[0], v[2]) : v[0];
    case LS_OP_VECTOR_OR:
    case LS_OP_SHIFT_LEFT_OR:
        return or_of(op, v, may);
    default:
        return (struct ls_value){0, 0};
    }
}

/* A register whose contents others tell: LLVM without optimisation copies addresses; with it, it puts
 * constants that an instruction's offset has no room for into registers. */
static bool derive(struct ls_bases *b, const struct ls_op *op, const uint32_t *may)
{
    struct ls_registers to = op->to, from = op->source[0].r;
    struct ls_value v[2] = {{0, 0}, {0, 0}};
    if (op->kind == LS_OP_OTHER || !is_followed(to))
        return false;
    if (to.n == 1)
        v[0] = computed(b, op, may);
    for (unsigned k = 0; op->kind == LS_OP_MOVE && to.n == 2 && is_followed(from) && from.n == 2 && k < 2;
         k++)
        v[k] = value_in(b, from.file, from.first + k);
    if (op->kind == LS_OP_MOVE && to.n == 2 && op->source[0].constant && op->source[0].value >= 0) {
        v[0] = (struct ls_value){ZERO, op->source[0].value};
        v[1] = (struct ls_value){ZERO, 0}; /* of negative ones, documents do not agree on the upper half */
    }
    if (!v[0].number)
        return false;
    for (unsigned k = 0; k < to.n; k++) {
        b->contents[to.file][to.first + k] = v[k].number;
        b->shift[to.file][to.first + k] = v[k].shift;
        b->zero[to.file][to.first + k] = 0;
        b->derived[to.file][to.first + k] = true;
        if (to.file == LS_FILE_SCALAR)
            b->changed[to.first + k] = true;
        if (to.file == LS_FILE_VECTOR)
            note_write(b, to.first + k);
    }
    return true;
}

/* Registers of a kernel that begin with work-item numbers (AMDGPUUsage, "Initial Kernel Execution State"). */
enum { VECTOR_INPUTS = 3 };

/* Whether one block of the kernel alone writes a vector register, at last at that moment. */
static bool is_written_at(const struct ls_bases *b, unsigned i, uint32_t moment)
{
    return b->expected && i >= VECTOR_INPUTS && b->block[i] && b->block[i] != LS_BASES_SEVERAL &&
           b->when[i] == moment;
}

/* A vector register with that value itself, which it got at the same moment, or has had all the time. */
static bool is_kept(const struct ls_bases *b, uint32_t number, uint32_t moment)
{
    for (unsigned i = 0; i < LS_REGISTERS; i++)
        if (!b->derived[LS_FILE_VECTOR][i] && contents(b, LS_FILE_VECTOR, i) == number &&
            ((b->expected && !b->block[i]) || is_written_at(b, i, moment)))
            return true;
    return false;
}

/* Vector registers that were computed from one value at one moment, and that no other block writes, lie as far
 * apart wherever a program uses them: a lane that comes there has computed all of them, or none. LLVM does so
 * with addresses before a loop. Between two such moments one of two registers may be older. */
static void keep_derived(struct ls_bases *b)
{
    for (unsigned i = 0; i < LS_REGISTERS; i++) {
        const uint32_t number = contents(b, LS_FILE_VECTOR, i), moment = b->when[i];
        if (!b->derived[LS_FILE_VECTOR][i] || b->lasts[i] || !is_written_at(b, i, moment))
            continue;
        const uint32_t now = is_kept(b, number, moment) ? b->contents[LS_FILE_VECTOR][i] : ++b->writes;
        for (unsigned k = i; k < LS_REGISTERS; k++)
            if (b->derived[LS_FILE_VECTOR][k] && !b->lasts[k] && is_written_at(b, k, moment) &&
                contents(b, LS_FILE_VECTOR, k) == number) {
                b->contents[LS_FILE_VECTOR][k] = now;
                b->lasts[k] = true;
            }
    }
}

/* What was computed in registers of that file is from now on nothing but what they hold. */
static void forget_derived(struct ls_bases *b, int file)
{
    if (file == LS_FILE_VECTOR)
        keep_derived(b);
    for (unsigned i = 0; i < LS_REGISTERS; i++) {
        if (file == LS_FILE_VECTOR && b->lasts[i])
            continue;
        if (b->derived[file][i]) {
            b->contents[file][i] = ++b->writes;
            b->shift[file][i] = 0;
        }
        b->derived[file][i] = false;
    }
    b->moment++;
}

/* ---- sums of 64 bits, see wide.h ---- */

/* A sum of a constant and something else: that. */
static bool is_sum(struct ls_value a, struct ls_value b, struct ls_value *from, uint32_t *added)
{
    struct ls_value constant = a.number == ZERO ? a : b;
    *from = a.number == ZERO ? b : a;
    *added = (uint32_t)constant.shift;
    return constant.number == ZERO && from->number && from->number != ZERO;
}

static void mark_derived(struct ls_bases *b, struct ls_registers r)
{
    for (unsigned k = 0; k < r.n; k++)
        b->derived[r.file][r.first + k] = true;
}

static void low_half(struct ls_bases *b, const struct ls_op *op, struct ls_registers carry,
                     const struct ls_value *v)
{
    struct ls_wide_carry c = {.in = carry, .to = op->to, .low = value_in(b, op->to.file, op->to.first)};
    if (carry.file >= 0 && is_sum(v[0], v[1], &c.from, &c.added))
        ls_wide_carry(&b->wide, c);
}

static void high_half(struct ls_bases *b, const struct ls_op *op, struct ls_wide_carry c,
                      const struct ls_value *v)
{
    struct ls_value from, low = c.in.n ? value_in(b, c.to.file, c.to.first) : c.low;
    uint32_t added;
    if (!c.in.n || low.number != c.low.number || low.shift != c.low.shift ||
        !is_sum(v[0], v[1], &from, &added) || ls_registers_meet(c.to, op->to))
        return;
    ls_wide_learn(&b->wide, (struct ls_wide_value){c.low, value_in(b, op->to.file, op->to.first)},
                  (struct ls_wide_value){c.from, from}, (int64_t)((uint64_t)added << 32 | c.added));
    mark_derived(b, c.to);
    mark_derived(b, op->to);
}

/* What an operand of 64 bits holds. */
static struct ls_wide_value wide_value_of(const struct ls_bases *b, const struct ls_operand *o)
{
    if (o->constant) /* with sign: the instruction that is followed takes no literal */
        return (struct ls_wide_value){{ZERO, o->value}, {ZERO, o->value < 0 ? -1 : 0}};
    if (!is_followed(o->r) || o->r.n != 2)
        return (struct ls_wide_value){{0, 0}, {0, 0}};
    return pair_in(b, o->r);
}

static void both_halves(struct ls_bases *b, const struct ls_op *op, struct ls_wide_value x,
                        struct ls_wide_value y)
{
    bool first = x.low.number == ZERO && x.high.number == ZERO;
    struct ls_wide_value constant = first ? x : y, from = first ? y : x;
    if (constant.low.number != ZERO || constant.high.number != ZERO || !from.low.number || !from.high.number)
        return;
    uint64_t added = (uint64_t)(uint32_t)constant.high.shift << 32 | (uint32_t)constant.low.shift;
    ls_wide_learn(&b->wide, pair_in(b, op->to), from, (int64_t)added);
    mark_derived(b, op->to);
}

struct sources { /* of an instruction, before it writes */
    struct ls_value v[2];
    struct ls_wide_value w[2];
    struct ls_wide_carry carried;
};

static struct sources sources_of(const struct ls_bases *b, const struct ls_op *op)
{
    struct sources s = {.carried.in.n = 0};
    bool scalar = op->kind == LS_OP_SCALAR_ADD_CARRY, wide = op->kind == LS_OP_SHIFT_LEFT_64;
    bool adds =
        scalar || op->kind == LS_OP_SCALAR_ADD || op->kind == LS_OP_ADD_OUT || op->kind == LS_OP_ADD_CARRY;
    for (unsigned k = 0; adds && k < 2; k++)
        s.v[k] = value_of(b, &op->source[k]);
    for (unsigned k = 0; wide && k < 2; k++)
        s.w[k] = wide_value_of(b, &op->source[2 * k]);
    if (scalar || op->kind == LS_OP_ADD_CARRY)
        s.carried = ls_wide_carried(&b->wide, scalar ? ls_wide_scc() : op->source[2].r);
    return s;
}

/* After the instruction's registers are written. */
static void follow_sum(struct ls_bases *b, const struct ls_op *op, const struct sources *s)
{
    if (!is_followed(op->to))
        return;
    if (op->to.n == 1 && op->kind == LS_OP_ADD_OUT)
        low_half(b, op, op->carry, s->v);
    else if (op->to.n == 1 && op->kind == LS_OP_SCALAR_ADD)
        low_half(b, op, ls_wide_scc(), s->v);
    else if (op->to.n == 1 && (op->kind == LS_OP_ADD_CARRY || op->kind == LS_OP_SCALAR_ADD_CARRY))
        high_half(b, op, s->carried, s->v);
    else if (op->to.n == 2 && op->kind == LS_OP_SHIFT_LEFT_64 && op->source[1].constant &&
             !op->source[1].value)
        both_halves(b, op, s->w[0], s->w[1]);
}

/* Whether SCC stays as it is: of scalar arithmetic nobody asks which of it does that. */
static bool keeps_scc(const struct ls_op *op)
{
    return op->code_class != LANESCOPE_CLASS_SALU && op->code_class != LANESCOPE_CLASS_OTHER &&
           op->code_class != LANESCOPE_CLASS_BRANCH;
}

void ls_bases_block(struct ls_bases *b)
{
    ls_wide_forget(&b->wide);
    memset(b->zero, 0, sizeof b->zero);
    for (int file = 0; file < LS_FILES; file++)
        forget_derived(b, file);
}

bool ls_bases_input(const struct ls_bases *b, const struct ls_op *op, unsigned end)
{
    struct ls_registers r = op->memory;
    if (b->clobbers || op->form.class != LS_ISA_SCALAR || r.file != LS_FILE_SCALAR || r.first + r.n > end)
        return false;
    for (unsigned k = 0; k < r.n; k++)
        if (b->changed[r.first + k])
            return false;
    return true;
}

struct ls_base ls_bases_next(struct ls_bases *b, const struct ls_op *op)
{
    struct ls_base base = op->n_address ? base_of(b, op) : (struct ls_base){.shift = 0};
    const struct sources sources = sources_of(b, op);
    uint32_t may[LS_OP_SOURCES];
    if (op->flags & LS_OP_CLOBBERS)
        b->clobbers++;
    if (op->flags & LS_OP_CLOBBERS || op->exec != LS_EXEC_SAME) {
        ls_wide_forget(&b->wide);
        memset(b->zero, 0, sizeof b->zero);
    }
    if (op->exec != LS_EXEC_SAME) /* lanes that are switched on now have computed nothing */
        forget_derived(b, LS_FILE_VECTOR), forget_derived(b, LS_FILE_ACCUMULATION);
    if (!keeps_scc(op))
        ls_wide_written(&b->wide, ls_wide_scc());
    bits_of_sources(b, op, may);
    const bool derived = derive(b, op, may);
    for (unsigned i = 0; i < op->n_written; i++)
        if (!derived || !ls_registers_meet(op->written[i], op->to))
            count_write(b, op->written[i]);
    for (unsigned i = 0; i < op->n_written; i++)
        ls_wide_written(&b->wide, op->written[i]);
    follow_sum(b, op, &sources);
    if (is_followed(op->to) && op->to.n == 1)
        b->zero[op->to.file][op->to.first] = ~ls_bits_computed(op, may);
    return base;
}
