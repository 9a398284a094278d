/* alone.c - see alone.h. */
#include "alone.h"
#include "common/hash.h"
#include "common/vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calls.h"
#include "functions.h"
#include "gcn/gcn.h"
#include "lanescope/handler.h"
#include "lanescope/wire.h"
#include "lines.h"
#include "objects/elf_image.h"
#include "scratch.h"

/* One instruction of a function. */
struct place {
    struct ls_alone *a;
    const char *function;
    const struct lanescope_instruction *at;
    const struct gcn_traits *traits;
    struct gcn_inst in;
    bool scratch; /* a buffer instruction on the stack */
};

static const char *keep(struct ls_alone *a, const char *text)
{
    char *copy = strdup(text ? text : "");
    if (!copy || !LS_ROOM(a->texts, a->n_texts)) {
        free(copy);
        return NULL;
    }
    return a->texts[a->n_texts++] = copy;
}

/* ---- what a site is ---- */

static uint8_t kind_of(const struct place *p)
{
    if (p->traits->unit == GCN_UNIT_IMAGE)
        return LS_SITE_IMAGE;
    if (p->traits->flags & GCN_WHOLE_WAVE)
        return LS_SITE_OTHER;
    if (p->traits->access == GCN_ACCESS_ATOMIC)
        return p->traits->flags & GCN_COMPARES ? LS_SITE_CMPXCHG : LS_SITE_RMW;
    return p->traits->access == GCN_ACCESS_STORE ? LS_SITE_STORE : LS_SITE_LOAD;
}

static uint8_t space_of(const struct place *p)
{
    switch (p->scratch ? GCN_UNIT_SCRATCH : p->traits->unit) {
    case GCN_UNIT_LDS:
        return LANESCOPE_SPACE_LDS;
    case GCN_UNIT_FLAT:
        return LANESCOPE_SPACE_FLAT;
    case GCN_UNIT_SMEM:
        return LANESCOPE_SPACE_CONSTANT;
    case GCN_UNIT_SCRATCH:
        return LANESCOPE_SPACE_PRIVATE;
    case GCN_UNIT_BUFFER:
        return LANESCOPE_SPACE_BUFFER;
    default:
        return LANESCOPE_SPACE_GLOBAL;
    }
}

/* Why no accesses of it are sent; LS_REASON_NONE: they are, or the kind says it. */
static uint32_t reason_of(const struct place *p)
{
    switch (space_of(p)) {
    case LANESCOPE_SPACE_CONSTANT:
        return LS_REASON_SCALAR;
    case LANESCOPE_SPACE_PRIVATE:
        return LS_REASON_PRIVATE;
    default:
        return p->traits->unit == GCN_UNIT_IMAGE ? LS_REASON_IMAGE : LS_REASON_NONE;
    }
}

static bool to_lds(const struct place *p)
{
    return p->traits->flags & GCN_TO_LDS || (p->traits->unit == GCN_UNIT_BUFFER && p->in.lds);
}

/* ---- sites ---- */

static bool grow(struct ls_alone *a)
{
    struct ls_module *m = &a->module;
    return LS_ROOM(m->sites, m->n_sites) && LS_ROOM(m->functions, m->n_sites) &&
           LS_ROOM(m->frames, m->n_sites) && LS_ROOM(a->raw, m->n_sites) && LS_ROOM(a->isa, m->n_sites) &&
           LS_ROOM(a->offsets, m->n_sites);
}

/* Bytes of a lane's access; 0: the instruction does not say. A byte or a half that is loaded to LDS is written there as a dword
 * ("AMD CDNA4 ISA", 9.1.9 and 10.3). */
static uint32_t bytes_of(const struct place *p, uint8_t kind)
{
    const uint32_t bytes = p->traits->bytes;
    return kind == LS_SITE_LDS_DMA_WRITE && bytes && bytes < 4 ? 4 : bytes;
}

/* A site of the instruction. What points into arrays that grow is set when all are there. */
static bool add_site(const struct place *p, uint8_t kind, uint8_t space, bool observed)
{
    struct ls_alone *a = p->a;
    struct ls_module *m = &a->module;
    const uint32_t i = m->n_sites, flags = observed ? LS_SITE_OBSERVED : 0, bytes = bytes_of(p, kind);
    const bool atomic = p->traits->access == GCN_ACCESS_ATOMIC;
    const char *text = keep(a, p->at->text), *file = keep(a, p->at->file);
    if (!text || !file || !grow(a))
        return false;
    m->sites[i] = (struct lanescope_site){.kind = kind,
                                          .space = space,
                                          .bytes = bytes,
                                          .flags = flags | (atomic ? LS_SITE_ATOMIC : 0),
                                          .instruction = text};
    a->raw[i] = (struct ls_site){.kind = kind,
                                 .space = space,
                                 .frame = p->at->line ? i : LS_NONE,
                                 .kernel = LS_NONE,
                                 .bytes = bytes,
                                 .flags = m->sites[i].flags,
                                 .reason = reason_of(p)};
    m->functions[i] = p->function;
    m->frames[i] = (struct lanescope_frame){file, p->at->line, p->at->column, p->function};
    a->offsets[i] = p->at->offset;
    a->isa[i] = (struct lanescope_isa){.form = !observed          ? LANESCOPE_ISA_SCALAR
                                               : p->traits->bytes ? LANESCOPE_ISA_VECTOR
                                                                  : LANESCOPE_ISA_UNKNOWN,
                                       .n_passes = observed && p->traits->bytes};
    m->n_sites++;
    return true;
}

/* The instruction's word, and its sites; false when out of memory. */
static bool add_access(const struct place *p, uint32_t *word)
{
    const uint8_t kind = kind_of(p), space = space_of(p);
    const bool pair = p->traits->flags & GCN_PAIR;
    const bool observed = !reason_of(p) && kind != LS_SITE_OTHER;
    const uint32_t first = p->a->module.n_sites;
    if (observed)
        *word = (first + 1) | (p->traits->bytes ? 0 : LS_CODE_LENGTH) | (pair || to_lds(p) ? LS_CODE_TWO : 0);
    if (!to_lds(p))
        return add_site(p, kind, space, observed) && (!pair || add_site(p, kind, space, observed));
    if (kind == LS_SITE_STORE)
        return add_site(p, LS_SITE_STORE, space, observed) &&
               add_site(p, LS_SITE_LOAD, LANESCOPE_SPACE_LDS, observed);
    return add_site(p, LS_SITE_LDS_DMA_READ, space, observed) &&
           add_site(p, LS_SITE_LDS_DMA_WRITE, LANESCOPE_SPACE_LDS, observed);
}

/* ---- functions ---- */

static bool decode_at(struct gcn_target target, const struct ls_elf_code *code, uint64_t offset,
                      struct gcn_inst *in)
{
    uint32_t words[GCN_WORDS];
    const uint64_t left = code->size - offset;
    const unsigned n = (unsigned)((left < sizeof words ? left : sizeof words) / 4);
    memcpy(words, code->code + offset, 4 * n);
    return gcn_decode(target, words, n, code->address + offset, in) != 0;
}

struct reading {
    struct ls_isa *x;
    struct ls_alone *a;
    struct gcn_target target;
    const char *target_name;
    uint64_t *called; /* addresses that calls go to */
    size_t n_called;
    bool anywhere; /* there are calls of which nobody knows where they go */
    const char *why;
};

/* Where the instruction goes; at the first call through a pointer, a site that says so. False: out of memory. */
static bool follow(struct reading *r, const struct place *p, struct ls_calls *calls, bool kernel)
{
    uint64_t to;
    switch (ls_calls_next(calls, r->target, &p->in, kernel, &to)) {
    case LS_CALL_TO:
        if (!LS_ROOM(r->called, r->n_called))
            return false;
        r->called[r->n_called++] = to;
        return true;
    case LS_CALL_ANYWHERE:
        if (r->anywhere)
            return true;
        r->anywhere = true;
        return add_site(p, LS_SITE_CALL, LANESCOPE_SPACE_FLAT, false);
    default:
        return true;
    }
}

/* One bit for each 4 bytes of the code: something jumps there. NULL: out of memory. */
static uint8_t *find_labels(const struct ls_elf_code *code, const struct lanescope_instruction *list,
                            uint32_t n)
{
    uint8_t *labels = calloc(code->size / 32 + 1, 1);
    for (uint32_t i = 0; labels && i < n; i++)
        if (list[i].target >= 0 && (uint64_t)list[i].target < code->size)
            labels[list[i].target / 32] |= (uint8_t)(1u << (list[i].target / 4 % 8));
    return labels;
}

static bool add_list(struct reading *r, const struct ls_elf_code *code, bool kernel, const char *name,
                     const struct lanescope_instruction *list, uint32_t n, uint32_t *words)
{
    struct ls_scratch scratch = ls_scratch_begin(kernel, ls_scratch_has_instructions(r->target_name));
    struct ls_calls calls = {.carry = false};
    struct place p = {.a = r->a, .function = keep(r->a, name)};
    uint8_t *labels = find_labels(code, list, n);
    bool ok = p.function && labels;
    for (uint32_t i = 0; ok && i < n; i++) {
        p.at = &list[i];
        if (!decode_at(r->target, code, p.at->offset, &p.in))
            continue;
        const struct ls_op op = ls_op_decoded(r->target, &p.in, (int64_t)p.at->offset);
        p.scratch = ls_scratch_next(&scratch, &op);
        p.traits = gcn_traits(p.in.op);
        if (labels[p.at->offset / 32] >> (p.at->offset / 4 % 8) & 1)
            ls_calls_label(&calls);
        ok = follow(r, &p, &calls, kernel);
        if (p.traits->access != GCN_ACCESS_NONE && !(p.traits->flags & (GCN_GWS | GCN_CACHES)))
            ok = ok && add_access(&p, &words[p.at->offset / 4]);
    }
    free(labels);
    return ok;
}

static bool add_function(struct reading *r, const char *name, const struct ls_elf_code *code, bool kernel)
{
    struct ls_alone *a = r->a;
    const uint32_t n_words = (uint32_t)((code->size + 3) / 4);
    struct lanescope_instruction *list;
    uint32_t n;
    if (ls_isa_code_at(r->x, name, code, &list, &n, &r->why) != 0)
        return false;
    bool ok = LS_RESERVE(a->words, a->n_words + n_words + 1) && LS_ROOM(a->ranges, a->n_ranges);
    if (ok) {
        uint32_t *words = a->words + a->n_words;
        memset(words, 0, n_words * sizeof *words);
        ok = add_list(r, code, kernel, name, list, n, words);
        a->ranges[a->n_ranges++] = (struct ls_alone_range){code->address, n_words, (uint32_t)a->n_words};
        a->n_words += n_words;
    }
    ls_isa_code_free(list, n);
    if (!ok)
        r->why = "out of memory";
    return ok;
}

/* Unless it is there already: a second list of the same code would never be looked at. */
static bool add_other(struct reading *r, struct ls_function *f)
{
    const struct ls_alone_range *kernel = r->a->ranges;
    if (!f || f->taken)
        return true;
    f->taken = true;
    const uint64_t before = f->code.address - kernel->address, size = 4ull * kernel->n;
    return (before < size && f->code.size <= size - before) || add_function(r, f->name, &f->code, false);
}

/* Functions that may be called, of which each may call further ones. */
static bool add_others(struct reading *r)
{
    struct ls_functions f;
    if (!r->n_called && !r->anywhere)
        return true;
    bool ok = ls_functions_read(ls_isa_names(r->x), &f);
    if (!ok)
        r->why = "out of memory";
    for (size_t i = 0; ok && i < r->n_called; i++)
        ok = add_other(r, ls_function_at(&f, r->called[i]));
    for (size_t i = 0; ok && r->anywhere && i < f.n; i++)
        ok = add_other(r, &f.items[i]);
    ls_functions_free(&f);
    return ok;
}

/* ---- the table ---- */

/* Pointers into arrays that have stopped growing. */
static bool finish(struct ls_alone *a)
{
    struct ls_module *m = &a->module;
    a->passes = calloc(m->n_sites + 1u, sizeof *a->passes);
    m->origins = calloc(m->n_sites + 1u, 1);
    if (!a->passes || !m->origins)
        return false;
    m->raw = a->raw;
    for (uint32_t i = 0; i < m->n_sites; i++) {
        const bool second = i && a->offsets[i] == a->offsets[i - 1] &&
                            m->functions[i] == m->functions[i - 1] &&
                            m->sites[i].space == m->sites[i - 1].space;
        a->passes[i] = (struct lanescope_pass){second ? i - 1 : i, 0, (uint8_t)m->sites[i].bytes, !second};
        if (a->isa[i].n_passes)
            a->isa[i].passes = &a->passes[i];
        if (a->raw[i].frame == LS_NONE)
            continue;
        m->sites[i].frames = &m->frames[i];
        m->sites[i].n_frames = 1;
    }
    return true;
}

static bool read_all(struct reading *r, const char *kernel)
{
    struct ls_elf_code code;
    struct ls_module *m = &r->a->module;
    r->why = "the code object has no symbol of that kernel's code";
    if (!ls_elf_names_function(ls_isa_names(r->x), kernel, &code) || !add_function(r, kernel, &code, true))
        return false;
    struct ls_place place;
    if (ls_lines_definition(ls_isa_lines(r->x), code.address, &place)) {
        r->a->file = place.file;
        r->a->line = place.line;
    }
    m->hash = ls_hash(ls_hash(LS_HASH_BEGIN, kernel, strlen(kernel)), code.code, code.size);
    if (!add_others(r))
        return false;
    r->why = "out of memory";
    return finish(r->a);
}

struct ls_alone *ls_alone_read(struct ls_isa *x, const char *kernel, const char *gpu, const char **why)
{
    struct reading r = {.x = x, .a = calloc(1, sizeof(struct ls_alone)), .target_name = gpu};
    bool ok = false;
    *why = "instructions of this GPU cannot be decoded";
    if (r.a && gcn_target_find(gpu, &r.target)) {
        ok = read_all(&r, kernel);
        *why = ok ? NULL : r.why;
    }
    free(r.called);
    if (ok)
        return r.a;
    ls_alone_free(r.a);
    return NULL;
}

void ls_alone_free(struct ls_alone *a)
{
    for (size_t i = 0; a && i < a->n_texts; i++)
        free(a->texts[i]);
    if (!a)
        return;
    free(a->texts);
    free(a->module.sites);
    free(a->module.functions);
    free(a->module.frames);
    free(a->module.origins);
    free(a->raw);
    free(a->isa);
    free(a->passes);
    free(a->offsets);
    free(a->words);
    free(a->ranges);
    free(a);
}
