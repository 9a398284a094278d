/*
 * code.c - turns a kernel's machine code into micro-operations and finds them again by address.
 *
 * Decoding is lazy per closure: everything that direct branches reach from a start address. Fix-ups of
 * forward branches happen before the closure is published, so a running wavefront never sees a change.
 * Micro-operations live in chunks that are never freed before the sg_code is.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "code.h"

enum {
    CHUNK_UOPS = 2048,
    MAX_UOPS_PER_INST = 512,
    CONST_SLOTS = 1 << 17, /* hash table over at most SG_MAX_CONSTS values */
};

struct chunk {
    struct chunk *next;
    struct sg_uop uops[CHUNK_UOPS];
};

/* Decoded instructions by key: pc, with bit 0 set for code decoded in M0-relative mode, bit 1 for code whose
 * vector instructions are skipped. */
struct known {
    struct sg_code_entry entry;
    UT_hash_handle hh;
};

/* A jump whose target was not decoded yet when the jump was. */
struct fixup {
    struct fixup *next;
    struct sg_jump *jump;
    uint64_t key;
    int32_t number, vectors; /* behind the jump */
};

/* Open-addressing table of the entries that indirect jumps asked for; read without the lock. */
struct indirect {
    struct indirect *older;
    size_t mask, used;
    _Atomic(const struct sg_code_entry *) slot[];
};

/* One instruction in M0-relative mode: the versions built so far, by M0[7:0] and the four enable bits. */
struct indexed {
    struct indexed *next;
    struct sg_inst inst;
    const struct sg_uop *follow; /* the instruction behind it */
    _Atomic(const struct sg_uop *) variant[256 * 16];
};

struct sg_code {
    const struct sg_arch *arch;
    struct sg_code_source source;
    uint64_t base;
    uint64_t serial;    /* never reused, unlike the address of this struct */
    unsigned observers; /* enum sg_observers bits */
    atomic_uint references;

    pthread_mutex_t lock; /* everything below except where noted */
    struct sg_tlb tlb;
    uint64_t lo, hi; /* extent of the decoded instructions */
    struct chunk *chunks;
    unsigned chunk_used;
    struct known *known;
    struct fixup *fixups;
    struct indexed *indexed;
    uint64_t *work; /* keys still to be decoded */
    size_t n_work, work_capacity;
    int32_t number, vectors; /* instructions numbered so far */
    bool out_of_memory;
    _Atomic(struct indirect *) indirect; /* read without the lock */

    uint32_t *constants;        /* SG_MAX_CONSTS dwords of address space, never moves */
    atomic_uint n_constants;    /* read without the lock */
    uint32_t *constant_hash[2]; /* index + 1 of 32-bit and 64-bit constants */
};

struct sg_builder {
    struct sg_code *code;
    uint64_t pc; /* of the instruction being built */
    unsigned temp_rows, temp_scalars;
    bool end_run, indexed, vskip;
    unsigned emitted; /* for this instruction */
};

static struct sg_uop dummy;
static atomic_ullong next_serial = 1;

/* ---- Storage ---- */

static bool new_chunk(struct sg_code *c)
{
    struct chunk *k = aligned_alloc(64, (sizeof *k + 63) / 64 * 64);
    if (!k)
        return false;
    k->next = c->chunks;
    c->chunks = k;
    c->chunk_used = 0;
    return true;
}

/* Room for one instruction and the link behind it; continues the current run in a new chunk when there is
 * none. */
static bool reserve(struct sg_code *c)
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

static struct sg_uop *here(struct sg_code *c)
{
    return &c->chunks->uops[c->chunk_used];
}

static struct known *find_known(struct sg_code *c, uint64_t key)
{
    struct known *k;
    HASH_FIND(hh, c->known, &key, sizeof key, k);
    return k;
}

static struct known *add_known(struct sg_code *c, uint64_t key)
{
    struct known *k = malloc(sizeof *k);
    if (!k) {
        c->out_of_memory = true;
        return NULL;
    }
    k->entry = (struct sg_code_entry){key, here(c), c->number, c->vectors};
    HASH_ADD(hh, c->known, entry.key, sizeof k->entry.key, k);
    return k;
}

static void add_work(struct sg_code *c, uint64_t key)
{
    if (c->n_work == c->work_capacity) {
        size_t capacity = c->work_capacity ? 2 * c->work_capacity : 64;
        uint64_t *work = realloc(c->work, capacity * sizeof *work);
        if (!work) {
            c->out_of_memory = true;
            return;
        }
        c->work = work;
        c->work_capacity = capacity;
    }
    c->work[c->n_work++] = key;
}

/* ---- Builder interface (uop.h) ---- */

const struct sg_arch *sg_builder_arch(const struct sg_builder *b)
{
    return b->code->arch;
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
        return &dummy;
    }
    struct sg_uop *u = here(code);
    code->chunk_used++;
    b->emitted++;
    *u = (struct sg_uop){.fn = fn,
                         .d = (uint16_t)d,
                         .a = (uint16_t)a,
                         .b = (uint16_t)bb,
                         .c = (uint16_t)c,
                         .pc = (uint32_t)(b->pc - code->base)};
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

unsigned sg_temp_rows(struct sg_builder *b, unsigned n)
{
    unsigned first = b->temp_rows;
    b->temp_rows += n;
    if (b->temp_rows > SG_TEMP_ROWS) {
        b->code->out_of_memory = true;
        return SG_TEMP_ROW;
    }
    return SG_TEMP_ROW + first;
}

unsigned sg_temp_scalars(struct sg_builder *b, unsigned n)
{
    unsigned first = b->temp_scalars;
    b->temp_scalars += n;
    if (b->temp_scalars > SG_TEMP_SCALARS) {
        b->code->out_of_memory = true;
        return SG_TEMP_SCALAR;
    }
    return SG_TEMP_SCALAR + first;
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

unsigned sg_scalar_source(struct sg_builder *b, const struct sg_operand *o)
{
    if (o->kind == SG_OPND_LITERAL)
        return sg_const32(b, o->literal);
    if (o->index >= 235 && o->index <= 238) /* the low word of an aperture register */
        return SG_S_APERTURES + 2 * (o->index - 235u);
    if (o->index >= 251 && o->index <= 253)
        return condition_source(b, o->index, 1);
    return o->index;
}

/* 1/(2*pi) and the small powers of two of the inline float constants 240..248. */
static double inline_float(unsigned code)
{
    static const double value[9] = {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 0.15915494309189532};
    return value[code - 240];
}

unsigned sg_scalar_source64(struct sg_builder *b, const struct sg_operand *o, bool is_float)
{
    if (o->kind == SG_OPND_LITERAL)
        return sg_const64(b, is_float ? (uint64_t)o->literal << 32 : o->literal);
    unsigned i = o->index;
    if (i < 128)
        return i;
    if (i <= 192)
        return sg_const64(b, i - 128u);
    if (i <= 208)
        return sg_const64(b, (uint64_t)(192 - (int64_t)i));
    if (i >= 235 && i <= 238)
        return SG_S_APERTURES + 2 * (i - 235u);
    if (i >= 240 && i <= 248) {
        /* 64-bit integer operations see the double as well (LLVM: isInlinableLiteral64). */
        double d = inline_float(i);
        uint64_t bits;
        memcpy(&bits, &d, sizeof bits);
        return sg_const64(b, bits);
    }
    return condition_source(b, i, 2);
}

void sg_emit_unimplemented(struct sg_builder *b, const struct sg_inst *in)
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
    add_work(b->code, pc);
}

void sg_builder_set_vskip(struct sg_builder *b, bool on)
{
    b->vskip = on;
}

static uint64_t key_of(const struct sg_builder *b, uint64_t pc)
{
    return pc | (b->indexed ? 1 : 0) | (b->vskip ? SG_KEY_VSKIP : 0);
}

struct sg_uop *sg_emit_jump(struct sg_builder *b, sg_fn fn, uint64_t pc)
{
    struct sg_code *c = b->code;
    struct sg_uop *u = sg_emit(b, fn, 0, 0, 0, 0);
    struct fixup *f = malloc(sizeof *f);
    if (!f) {
        c->out_of_memory = true;
        return u;
    }
    uint64_t key = key_of(b, pc);
    *f = (struct fixup){c->fixups, (struct sg_jump *)(void *)u, key, sg_builder_number(b),
                        sg_builder_vectors(b)};
    c->fixups = f;
    add_work(c, key);
    return u;
}

/* ---- Decoding ---- */

/* Reads up to four instruction words at pc. Returns how many are readable. */
static unsigned fetch(struct sg_code *c, uint64_t pc, uint32_t words[4])
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
    return format <= SG_FMT_SMEM;
}

static bool is_valu(unsigned format)
{
    return (format >= SG_FMT_VOP2 && format <= SG_FMT_MAI) || format == SG_FMT_VOP3PX;
}

static bool build(struct sg_builder *b, const struct sg_inst *in)
{
    if (is_scalar(in->format))
        return sg_build_scalar(b, in);
    if (is_valu(in->format))
        return sg_build_valu(b, in);
    return sg_build_memory(b, in);
}

static void start_instruction(struct sg_builder *b, uint64_t pc)
{
    b->pc = pc;
    b->temp_rows = b->temp_scalars = b->emitted = 0;
}

static void build_or_fault(struct sg_builder *b, const struct sg_inst *in)
{
    struct sg_code *c = b->code;
    unsigned used = c->chunk_used;
    if (build(b, in))
        return;
    c->chunk_used = used;
    b->emitted = 0;
    sg_emit_unimplemented(b, in);
}

/* A vector instruction in M0-relative mode. Its version for index 0 is built at once so that all its
 * constants exist before a wavefront can run it. */
static void build_indexed(struct sg_builder *b, const struct sg_inst *in);

/* Decodes the instruction at pc. Returns its size, 0 at the end of the run. */
static unsigned decode_one(struct sg_builder *b, uint64_t pc)
{
    struct sg_code *c = b->code;
    uint32_t words[4];
    struct sg_inst in;
    start_instruction(b, pc);
    unsigned n = fetch(c, pc, words);
    unsigned size = n ? sg_decode(c->arch, words, n, pc, &in) : 0;
    if (!size) {
        sg_emit(b, sg_h_fault, n ? SG_FAULT_ILLEGAL : SG_FAULT_PAGE, 0, 0, 0);
        b->end_run = true;
        size = 4;
    } else if (b->vskip && !is_scalar(in.format)) {
        /* not executed: no micro-operation */
    } else if (b->indexed && is_valu(in.format)) {
        build_indexed(b, &in);
    } else {
        build_or_fault(b, &in);
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

/* ---- Pairs (uop.h) ---- */

enum { PAIR_SLOTS = 256 };
static const struct sg_pair *pair_slot[PAIR_SLOTS];
static pthread_once_t pair_once = PTHREAD_ONCE_INIT;

static size_t pair_hash(sg_fn first, sg_fn second)
{
    return (((uintptr_t)first * 0x9E3779B97F4A7C15ull ^ (uintptr_t)second) * 0x9E3779B97F4A7C15ull) >> 56;
}

static void fill_pairs(void)
{
    static const struct sg_pair *const tables[] = {sg_valu_carry_pairs, sg_scalar_pairs};
    for (unsigned t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const struct sg_pair *p = tables[t]; p->first; p++) {
            size_t i = pair_hash(p->first, p->second);
            while (pair_slot[i])
                i = (i + 1) % PAIR_SLOTS;
            pair_slot[i] = p;
        }
}

static const struct sg_pair *find_pair(sg_fn first, sg_fn second)
{
    for (size_t i = pair_hash(first, second); pair_slot[i]; i = (i + 1) % PAIR_SLOTS)
        if (pair_slot[i]->first == first && pair_slot[i]->second == second)
            return pair_slot[i];
    return NULL;
}

/* Fuses pairs whose first one is at `from` or later, and returns where to go on when more has been emitted.
 * Micro-operations that are there are complete, except that jumps do not know their targets yet; no wavefront
 * can reach them before they do. */
static struct sg_uop *fuse(struct sg_code *c, struct sg_uop *from)
{
    struct sg_uop *begin = c->chunks->uops, *end = here(c);
    if (from < begin || from >= end) /* the run went on in a new chunk */
        from = begin;
    for (; from + 1 < end; from++) {
        const struct sg_pair *p = find_pair(from->fn, from[1].fn);
        if (p && p->fits(from, from + 1))
            from->fn = p->fused;
    }
    return from;
}

/* Decodes straight on from `key` until the run ends or meets code that is there already. */
static void decode_run(struct sg_code *c, uint64_t key)
{
    struct sg_builder b = {.code = c, .indexed = key & 1, .vskip = key & SG_KEY_VSKIP};
    uint64_t pc = key & ~3ull;
    struct sg_uop *unfused = NULL;
    pthread_once(&pair_once, fill_pairs);
    while (!b.end_run && reserve(c)) {
        if (!unfused)
            unfused = here(c);
        struct known *k = find_known(c, key);
        if (k) {
            struct sg_jump *link = (struct sg_jump *)(void *)here(c);
            c->chunk_used++;
            *link = (struct sg_jump){.fn = sg_h_jump,
                                     .instructions = c->number - k->entry.number,
                                     .vectors = c->vectors - k->entry.vectors,
                                     .target = k->entry.uop,
                                     .pc = (uint32_t)(pc - c->base)};
            return;
        }
        if (!add_known(c, key))
            return;
        pc += decode_one(&b, pc);
        if (c->out_of_memory)
            return;
        unfused = fuse(c, unfused);
        key = key_of(&b, pc);
    }
}

static void resolve_fixups(struct sg_code *c)
{
    while (c->fixups) {
        struct fixup *f = c->fixups;
        c->fixups = f->next;
        struct known *k = c->out_of_memory ? NULL : find_known(c, f->key);
        if (k) {
            f->jump->target = k->entry.uop;
            f->jump->instructions = f->number - k->entry.number;
            f->jump->vectors = f->vectors - k->entry.vectors;
        }
        free(f);
    }
}

/* Decodes everything that direct branches reach from pc. NULL when out of memory. Lock held. */
static struct known *decode_closure(struct sg_code *c, uint64_t pc)
{
    struct known *k = find_known(c, pc);
    if (k || c->out_of_memory)
        return k;
    add_work(c, pc);
    while (c->n_work && !c->out_of_memory) {
        uint64_t key = c->work[--c->n_work];
        if (!find_known(c, key))
            decode_run(c, key);
    }
    c->n_work = 0;
    resolve_fixups(c);
    return c->out_of_memory ? NULL : find_known(c, pc);
}

/* ---- M0-relative vector instructions (s_set_gpr_idx_on, MI200 ISA "VGPR Indexing") ---- */

static void build_indexed(struct sg_builder *b, const struct sg_inst *in)
{
    struct sg_code *c = b->code;
    struct indexed *x = calloc(1, sizeof *x);
    if (!x) {
        c->out_of_memory = true;
        return;
    }
    x->inst = *in;
    x->next = c->indexed;
    c->indexed = x;
    struct sg_uop *u = sg_emit(b, sg_h_indexed, 0, 0, 0, 0);
    if (u == &dummy)
        return;
    memcpy(&u->imm, &x, sizeof x);
    /* Version 0 stands behind the dispatching micro-operation, which continues there or behind it. */
    struct sg_uop *version = here(c);
    build_or_fault(b, in);
    atomic_store(&x->variant[0], version);
    x->follow = here(c);
    u->x = (uint32_t)(here(c) - version);
}

static bool offset_vgpr(struct sg_operand *o, unsigned offset)
{
    if (o->kind == SG_OPND_VGPR)
        o->index = (uint16_t)(o->index + offset);
    return o->index + o->dwords <= 256 || o->kind != SG_OPND_VGPR;
}

/* Builds the version of x for `offset` and the enabled operands: bit 0..2 src0..src2, bit 3 dst. */
static const struct sg_uop *build_variant(struct sg_code *c, struct indexed *x, unsigned offset,
                                          unsigned enable)
{
    struct sg_builder b = {.code = c};
    struct sg_inst in = x->inst;
    bool fits = true;
    for (unsigned i = 0; i < 3; i++)
        if (enable >> i & 1)
            fits &= offset_vgpr(&in.src[i], offset);
    if (enable & 8)
        fits &= offset_vgpr(&in.dst, offset);
    /* A run of its own: the chunk's current end is not part of any other. */
    if (!reserve(c))
        return NULL;
    struct sg_uop *first = here(c);
    start_instruction(&b, in.pc);
    if (fits)
        build_or_fault(&b, &in);
    else
        sg_emit(&b, sg_h_fault, SG_FAULT_ILLEGAL, 0, 0, 0);
    struct sg_jump *back = (struct sg_jump *)(void *)here(c);
    c->chunk_used++;
    *back = (struct sg_jump){.fn = sg_h_jump, .target = x->follow, .pc = (uint32_t)(in.pc - c->base)};
    return c->out_of_memory ? NULL : first;
}

int sg_h_indexed(SG_ARGS)
{
    struct indexed *x;
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

/* ---- Indirect entries ---- */

static const struct sg_code_entry *find_indirect(const struct indirect *t, uint64_t pc)
{
    if (!t)
        return NULL;
    for (size_t i = (pc >> 2) * 0x9E3779B1u & t->mask;; i = (i + 1) & t->mask) {
        const struct sg_code_entry *e = atomic_load_explicit(&t->slot[i], memory_order_acquire);
        if (!e || e->key == pc)
            return e;
    }
}

static void put_indirect(struct indirect *t, const struct sg_code_entry *e)
{
    size_t i = (e->key >> 2) * 0x9E3779B1u & t->mask;
    while (atomic_load_explicit(&t->slot[i], memory_order_relaxed))
        i = (i + 1) & t->mask;
    atomic_store_explicit(&t->slot[i], e, memory_order_release);
    t->used++;
}

/* Publishes e. Outgrown tables stay until the end, because readers may still be in them. */
static bool add_indirect(struct sg_code *c, const struct sg_code_entry *e)
{
    struct indirect *t = atomic_load(&c->indirect);
    if (t && 2 * t->used < t->mask) {
        put_indirect(t, e);
        return true;
    }
    size_t slots = t ? 2 * (t->mask + 1) : 64;
    struct indirect *n = calloc(1, sizeof *n + slots * sizeof n->slot[0]);
    if (!n)
        return false;
    n->mask = slots - 1;
    n->older = t;
    for (size_t i = 0; t && i <= t->mask; i++) {
        const struct sg_code_entry *old = atomic_load(&t->slot[i]);
        if (old)
            put_indirect(n, old);
    }
    put_indirect(n, e);
    atomic_store_explicit(&c->indirect, n, memory_order_release);
    return true;
}

const struct sg_code_entry *sg_code_find(struct sg_code *c, uint64_t pc)
{
    const struct sg_code_entry *e =
        find_indirect(atomic_load_explicit(&c->indirect, memory_order_acquire), pc);
    if (e)
        return e;
    pthread_mutex_lock(&c->lock);
    e = find_indirect(atomic_load(&c->indirect), pc);
    if (!e) {
        struct known *k = decode_closure(c, pc);
        if (k && add_indirect(c, &k->entry))
            e = &k->entry;
    }
    pthread_mutex_unlock(&c->lock);
    return e;
}

/* ---- Life ---- */

uint64_t sg_code_base(const struct sg_code *c)
{
    return c->base;
}

static void code_free(struct sg_code *c)
{
    struct known *k, *tmp;
    HASH_ITER(hh, c->known, k, tmp)
    {
        HASH_DEL(c->known, k);
        free(k);
    }
    for (struct chunk *p = c->chunks, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    for (struct indexed *p = c->indexed, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    for (struct indirect *p = atomic_load(&c->indirect), *next; p; p = next) {
        next = p->older;
        free(p);
    }
    free(c->constants);
    free(c->constant_hash[0]);
    free(c->constant_hash[1]);
    free(c->work);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

struct sg_code *sg_code_create(const struct sg_arch *arch, const struct sg_code_source *source,
                               uint64_t entry, unsigned observers)
{
    struct sg_code *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->arch = arch;
    c->source = *source;
    c->base = entry;
    c->observers = observers;
    c->serial = atomic_fetch_add(&next_serial, 1);
    c->lo = UINT64_MAX;
    atomic_init(&c->references, 1);
    pthread_mutex_init(&c->lock, NULL);
    if (source->mem)
        sg_tlb_init(&c->tlb, source->mem);
    /* Large and mostly untouched: the pages of calloc appear when they are used. */
    c->constants = calloc(SG_MAX_CONSTS + 2, sizeof *c->constants);
    c->constant_hash[0] = calloc(CONST_SLOTS, sizeof(uint32_t));
    c->constant_hash[1] = calloc(CONST_SLOTS, sizeof(uint32_t));
    if (!c->constants || !c->constant_hash[0] || !c->constant_hash[1] || !sg_code_find(c, entry)) {
        code_free(c);
        return NULL;
    }
    return c;
}

void sg_code_retain(struct sg_code *c)
{
    atomic_fetch_add(&c->references, 1);
}

void sg_code_release(struct sg_code *c)
{
    if (c && atomic_fetch_sub(&c->references, 1) == 1)
        code_free(c);
}

bool sg_code_overlaps(struct sg_code *c, uint64_t va, uint64_t size)
{
    uint64_t end = va + size < va ? UINT64_MAX : va + size;
    pthread_mutex_lock(&c->lock);
    bool overlaps = c->lo < end && va < c->hi;
    pthread_mutex_unlock(&c->lock);
    return overlaps;
}

bool sg_code_load_constants(struct sg_code *c, struct sg_wave *w)
{
    unsigned n = atomic_load_explicit(&c->n_constants, memory_order_acquire);
    if (w->code_serial != c->serial) {
        w->code_serial = c->serial;
        w->constants_loaded = 0;
    }
    if (SG_FIRST_CONST + n > w->s_size) {
        uint32_t size = (SG_FIRST_CONST + n + 255u) / 256 * 256;
        uint32_t *s = realloc(w->s, size * sizeof *s);
        if (!s)
            return false;
        w->s = s;
        w->s_size = size;
    }
    memcpy(w->s + SG_FIRST_CONST + w->constants_loaded, c->constants + w->constants_loaded,
           (n - w->constants_loaded) * sizeof *w->s);
    w->constants_loaded = n;
    return true;
}

bool sg_code_is_indexed(struct sg_code *c)
{
    pthread_mutex_lock(&c->lock);
    bool is = c->indexed != NULL;
    pthread_mutex_unlock(&c->lock);
    return is;
}

unsigned sg_code_words(struct sg_code *c, uint64_t pc, uint32_t words[4])
{
    pthread_mutex_lock(&c->lock);
    unsigned n = fetch(c, pc, words);
    pthread_mutex_unlock(&c->lock);
    return n;
}

void sg_code_count_to(struct sg_code *c, struct sg_wave *w, uint64_t pc)
{
    pthread_mutex_lock(&c->lock);
    struct known *k = find_known(c, pc);
    for (unsigned mode = 1; !k && mode < 4; mode++)
        k = find_known(c, pc | mode);
    if (k) {
        w->n_inst += (uint64_t)(int64_t)k->entry.number;
        sg_count_lanes(w, k->entry.vectors);
    }
    pthread_mutex_unlock(&c->lock);
}
