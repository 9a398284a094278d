/* match.c - see match.h. */
#include "match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cover.h"

enum { MAX_PASSES = 64 };
/* Keys, from strict to loose: the number that the compiler plugin gave the access; that of the first access
 * merged into it; place and inlined calls; place; line; the whole function. */
enum level { TAG, MERGED, PLACE_AND_CALLS, PLACE, LINE, FUNCTION, LEVELS };

enum direction { LOADS, STORES, ATOMICS, DIRECTIONS };

struct join {
    enum ls_match_state state;
    enum ls_match_why why; /* of LS_MATCH_NONE */
    bool settled;          /* the code alone decides */
    uint8_t n;
    struct lanescope_pass *passes;
    uint32_t *instructions; /* of each pass, in the function's listing */
    uint32_t first;         /* instruction that stands for the site; LS_NONE */
    uint32_t alike; /* not 0: several sites and instructions, and it is not known which belongs to which */
    bool copied;    /* code generation repeated its instructions */
};

struct function {
    const char *name;
    struct ls_isa_listing listing;
    bool *taken;    /* while the function is joined */
    uint32_t *site; /* that counts the instruction; LS_NONE */
};

/* Everything that is handed out stays until the end. */
struct keep {
    void *memory;
    struct keep *next;
};

struct ls_match {
    const struct ls_module *m;
    struct join *join;     /* n_sites */
    struct ls_seen *seen;  /* n_sites */
    uint32_t *function_of; /* n_sites: index into functions, LS_NONE */
    struct function *functions;
    uint32_t n_functions;
    struct keep *kept;
    const struct lanescope_isa *isa; /* NULL: changed since */
    bool changed;
};

static void *keep(struct ls_match *x, size_t n, size_t size)
{
    struct keep *k = malloc(sizeof *k);
    void *p = k ? calloc(n ? n : 1, size) : NULL;
    if (!p) {
        free(k);
        return NULL;
    }
    *k = (struct keep){p, x->kept};
    x->kept = k;
    return p;
}

struct ls_match *ls_match_create(const struct ls_module *m)
{
    struct ls_match *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->m = m;
    x->join = calloc(m->n_sites + 1u, sizeof *x->join);
    x->seen = calloc(m->n_sites + 1u, sizeof *x->seen);
    x->function_of = calloc(m->n_sites + 1u, sizeof *x->function_of);
    if (!x->join || !x->seen || !x->function_of) {
        ls_match_destroy(x);
        return NULL;
    }
    for (uint32_t i = 0; i < m->n_sites; i++)
        x->function_of[i] = x->join[i].first = LS_NONE;
    return x;
}

void ls_match_destroy(struct ls_match *x)
{
    for (uint32_t f = 0; f < x->n_functions; f++) {
        ls_isa_listing_free(&x->functions[f].listing);
        free(x->functions[f].taken);
        free(x->functions[f].site);
    }
    while (x->kept) {
        struct keep *next = x->kept->next;
        free(x->kept->memory);
        free(x->kept);
        x->kept = next;
    }
    free(x->functions);
    free(x->join);
    free(x->seen);
    free(x->function_of);
    free(x);
}

void ls_match_listing(struct ls_match *x, const char *name, struct ls_isa_listing *l)
{
    struct function *grown = realloc(x->functions, (x->n_functions + 1) * sizeof *grown);
    if (!grown)
        return;
    x->functions = grown;
    struct function *f = &grown[x->n_functions];
    *f = (struct function){
        .name = name, .taken = calloc(l->n + 1, sizeof(bool)), .site = calloc(l->n + 1, sizeof(uint32_t))};
    if (!f->taken || !f->site) {
        free(f->taken);
        free(f->site);
        return;
    }
    for (uint32_t i = 0; i < x->m->n_sites; i++)
        if (!strcmp(x->m->functions[i], name))
            x->function_of[i] = x->n_functions;
    f->listing = *l;
    memset(l, 0, sizeof *l);
    x->n_functions++;
}

/* ---- which sites and instructions may belong together ---- */

static enum direction direction_of_site(uint8_t kind)
{
    switch (kind) {
    case LS_SITE_LOAD:
    case LS_SITE_COPY_READ:
        return LOADS;
    case LS_SITE_STORE:
    case LS_SITE_COPY_WRITE:
        return STORES;
    case LS_SITE_RMW:
    case LS_SITE_CMPXCHG:
        return ATOMICS;
    default:
        return DIRECTIONS;
    }
}

static enum direction direction_of(const struct ls_isa_form *f)
{
    return f->atomic ? ATOMICS : f->store ? STORES : LOADS;
}

static bool joinable(const struct ls_match *x, uint32_t i)
{
    const struct lanescope_site *s = &x->m->sites[i];
    return (s->flags & LS_SITE_OBSERVED) && s->space != 5 && direction_of_site(s->kind) != DIRECTIONS;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

struct key {
    const char *file; /* base name, "" when unknown: the line table and the site table may spell directories
                         differently */
    uint32_t line, column;
    const char *calls;    /* "" when there are none */
    uint32_t tag, merged; /* of an instruction: the same */
};

/* a: of a site. */
static bool same_key(const struct key *a, const struct key *b, enum level level)
{
    if (level == FUNCTION)
        return true;
    if (level == MERGED)
        return a->merged && a->merged == b->merged;
    if (a->line != b->line || strcmp(a->file, b->file))
        return false;
    if (level == LINE)
        return true;
    if (level == TAG)
        return a->tag && a->tag == b->tag;
    return a->column == b->column && (level == PLACE || !strcmp(a->calls, b->calls));
}

static struct key key_of_instruction(const struct ls_isa_instruction *i)
{
    return (struct key){i->file ? base_name(i->file) : "", i->line, i->column,
                        i->calls ? i->calls : "",          i->tag,  i->tag};
}

static uint32_t tag_of(const struct ls_match *x, uint32_t site)
{
    return x->m->places ? x->m->places[site].tag : 0;
}

/* `text` holds the calls. */
static struct key key_of_site(const struct ls_match *x, uint32_t site, char *text, size_t room)
{
    const struct lanescope_site *s = &x->m->sites[site];
    size_t n = 0;
    text[0] = 0;
    for (uint32_t k = 1; k < s->n_frames && n < room; k++)
        n += (size_t)snprintf(text + n, room - n, "%u:%u|", s->frames[k].line, s->frames[k].column);
    if (!s->n_frames)
        return (struct key){"", 0, 0, text, 0, 0};
    return (struct key){base_name(s->frames[0].file),
                        s->frames[0].line,
                        s->frames[0].column,
                        text,
                        tag_of(x, site),
                        x->m->places ? x->m->places[site].merged : 0};
}

/* ---- one attempt: a set of sites and a set of instructions ---- */

struct pool {
    struct ls_cover_site *sites;
    uint32_t *site; /* numbers in the module */
    uint32_t n_sites;
    struct ls_cover_instruction *instructions;
    uint32_t *instruction; /* numbers in the listing */
    uint32_t n_instructions;
    enum level level;
    bool scalar; /* there are scalar loads too */
};

static void free_pool(struct pool *p)
{
    free(p->sites);
    free(p->site);
    free(p->instructions);
    free(p->instruction);
}

static bool make_pool(struct pool *p, enum level level, uint32_t n_sites, size_t n_instructions)
{
    *p = (struct pool){.level = level,
                       .sites = calloc(n_sites + 1u, sizeof *p->sites),
                       .site = calloc(n_sites + 1u, sizeof *p->site),
                       .instructions = calloc(n_instructions + 1, sizeof *p->instructions),
                       .instruction = calloc(n_instructions + 1, sizeof *p->instruction)};
    return p->sites && p->site && p->instructions && p->instruction;
}

static void add_instruction(struct pool *p, uint32_t number, const struct ls_isa_instruction *i)
{
    struct ls_isa_form f = i->form;
    if (f.pair && f.delta < 0) {
        f.at += f.delta;
        f.delta = -f.delta;
    }
    /* by immediate offset: parts of one access then come in its order */
    uint32_t k = p->n_instructions++;
    for (; k > 0 && p->instructions[k - 1].form.at > f.at; k--) {
        p->instructions[k] = p->instructions[k - 1];
        p->instruction[k] = p->instruction[k - 1];
    }
    p->instructions[k] = (struct ls_cover_instruction){
        .form = f, .line = i->line, .block = i->block, .tag = i->tag, .base = i->base};
    p->instruction[k] = number;
}

static void add_site(struct pool *p, const struct ls_match *x, uint32_t number)
{
    const struct lanescope_site *s = &x->m->sites[number];
    const struct ls_seen *seen = &x->seen[number];
    uint32_t bytes = s->bytes;
    bool uniform = s->kind == LS_SITE_LOAD && s->space != 3 && (s->flags & LS_SITE_UNIFORM);
    p->sites[p->n_sites] =
        (struct ls_cover_site){.bytes = bytes,
                               .space = s->space,
                               .line = s->n_frames ? s->frames[0].line : 0,
                               .tag = tag_of(x, number),
                               .may_scalar = uniform && (!seen->dispatch || ls_evidence_uniform(seen))};
    p->site[p->n_sites++] = number;
}

/* An earlier site of the pool that k always lies *distance from: the compiler knows it, or (`evidence`) the
 * first accesses tell. LS_NONE: none. */
static uint32_t relative_of(const struct ls_match *x, const struct pool *p, uint32_t k, bool evidence,
                            int64_t *distance)
{
    const struct ls_site_place *all = x->m->places;
    const struct ls_seen *seen = &x->seen[p->site[k]];
    for (uint32_t h = 0; all && h < k; h++) {
        const struct ls_site_place *a = &all[p->site[h]], *b = &all[p->site[k]];
        if (p->sites[h].may_scalar != p->sites[k].may_scalar || !a->group || a->group != b->group ||
            a->variable != b->variable)
            continue;
        *distance = (int64_t)b->distance - a->distance;
        return h;
    }
    for (uint32_t h = 0; evidence && h < k && seen->dispatch; h++)
        if (p->sites[h].may_scalar == p->sites[k].may_scalar &&
            ls_evidence_related(&x->seen[p->site[h]], seen, distance))
            return h;
    return LS_NONE;
}

/* Families: accesses at constant distances. Uniform loads come last, so that the instructions left for them
 * tell how many of them are scalar. */
static void find_families(struct pool *p, const struct ls_match *x, bool evidence)
{
    for (uint32_t k = 0; k < p->n_sites; k++) {
        struct ls_cover_site *s = &p->sites[k];
        const struct ls_seen *seen = &x->seen[p->site[k]];
        const struct lanescope_site *site = &x->m->sites[p->site[k]];
        bool uniform = site->kind == LS_SITE_LOAD && site->space != 3 && (site->flags & LS_SITE_UNIFORM);
        int64_t distance;
        s->group = x->m->places ? x->m->places[p->site[k]].group : 0;
        s->wild = evidence && !seen->dispatch && s->group && x->m->places[p->site[k]].variable;
        s->may_scalar = uniform && (!evidence || !seen->dispatch || ls_evidence_uniform(seen));
        uint32_t h = relative_of(x, p, k, evidence, &distance);
        s->family = h != LS_NONE ? p->sites[h].family : (s->may_scalar ? p->n_sites : 0) + k;
        s->addr = h != LS_NONE                 ? p->sites[h].addr + distance
                  : evidence && seen->dispatch ? (int64_t)seen->addr[__builtin_ctzll(seen->exec)]
                                               : 0;
    }
}

/* More instructions than accesses: copies, which stand in different blocks. */
static bool only_copies(const struct pool *p)
{
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        uint32_t here = 0;
        for (uint32_t k = 0; k < p->n_instructions; k++)
            here += p->instructions[i].block == p->instructions[k].block;
        if (here > p->n_sites)
            return false;
    }
    return p->n_instructions % p->n_sites == 0;
}

/* All accesses and all instructions have one form: whatever block an instruction is in, and however often the
 * back end repeated it, each access is one instruction. */
static bool all_alike(const struct pool *p)
{
    if (!p->n_sites || p->n_instructions < p->n_sites)
        return false;
    for (uint32_t k = 0; k < p->n_sites; k++)
        if (p->sites[k].bytes != p->sites[0].bytes || p->sites[k].space != p->sites[0].space ||
            p->sites[k].may_scalar)
            return false;
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        const struct ls_isa_form *f = &p->instructions[i].form;
        if (f->pair || f->bytes != p->sites[0].bytes || f->class != p->instructions[0].form.class ||
            (p->sites[0].space != 0 && (f->class == LS_ISA_LDS) != (p->sites[0].space == 3)))
            return false;
    }
    return p->n_instructions == p->n_sites || only_copies(p);
}

/* ---- results ---- */

static bool add_pass(struct ls_match *x, uint32_t site, uint32_t instruction, struct lanescope_pass pass)
{
    struct join *j = &x->join[site];
    if (!j->passes) {
        j->passes = keep(x, MAX_PASSES, sizeof *j->passes);
        j->instructions = keep(x, MAX_PASSES, sizeof *j->instructions);
    }
    if (!j->passes || !j->instructions || j->n == MAX_PASSES)
        return false;
    j->instructions[j->n] = instruction;
    j->passes[j->n++] = pass;
    return true;
}

static void forget(struct join *j)
{
    *j = (struct join){.first = LS_NONE};
}

static void refuse(struct join *j, enum ls_match_why why)
{
    forget(j);
    j->why = why;
}

/* Brings an instruction that stands in the site's surroundings to the site's place in the pool. Which of them
 * does which access does not matter, if all are joined. */
static void choose_alike(const struct ls_match *x, struct pool *p, const struct function *f, uint32_t k)
{
    const struct ls_site_place *at = x->m->places ? &x->m->places[p->site[k]] : NULL;
    for (uint32_t i = k; at && i < p->n_instructions; i++) {
        const struct ls_isa_instruction *n = &f->listing.items[p->instruction[i]];
        if (n->loops != at->loops || (n->together == 0) != (at->together == 1))
            continue;
        uint32_t number = p->instruction[i];
        struct ls_cover_instruction instruction = p->instructions[i];
        p->instruction[i] = p->instruction[k];
        p->instructions[i] = p->instructions[k];
        p->instruction[k] = number;
        p->instructions[k] = instruction;
        return;
    }
}

static void keep_alike(struct ls_match *x, struct pool *p)
{
    const struct function *f = &x->functions[x->function_of[p->site[0]]];
    for (uint32_t k = 0; k < p->n_sites; k++) {
        struct join *j = &x->join[p->site[k]];
        choose_alike(x, p, f, k);
        forget(j);
        j->settled = p->level <= MERGED || p->n_sites == p->n_instructions;
        j->first = p->instruction[k];
        j->alike = p->n_sites > 1 ? p->site[0] + 1 : 0;
        if (add_pass(x, p->site[k], p->instruction[k],
                     (struct lanescope_pass){p->site[k], 0, (uint8_t)p->sites[k].bytes, 1}))
            j->state = LS_MATCH_EXACT;
    }
}

/* Sites whose bytes the instruction's part touches, beginning at one site; calls mark on each. */
static void mark_shared(struct ls_match *x, const struct pool *p, const struct ls_cover_instruction *i,
                        unsigned part, bool *shared)
{
    const struct ls_cover_site *s = &p->sites[i->site[part]];
    int64_t from = s->addr + i->offset[part], to = from + i->form.bytes;
    if (i->offset[part] + i->form.bytes <= s->bytes)
        return;
    (void)x;
    for (uint32_t k = 0; k < p->n_sites; k++)
        if (p->sites[k].family == s->family && p->sites[k].addr < to &&
            p->sites[k].addr + (int64_t)p->sites[k].bytes > from)
            shared[k] = true;
}

/* The site that an instruction's numbers go to: one on its own line, if it serves such a site. */
static uint32_t stands_for(const struct pool *p, const struct ls_cover_instruction *i)
{
    uint32_t first = i->site[0];
    if (p->sites[first].line == i->line)
        return first;
    if (p->sites[i->site[1]].line == i->line)
        return i->site[1];
    for (unsigned part = 0; part <= i->form.pair; part++) {
        const struct ls_cover_site *s = &p->sites[i->site[part]];
        int64_t from = s->addr + i->offset[part], to = from + i->form.bytes;
        for (uint32_t k = 0; k < p->n_sites; k++)
            if (p->sites[k].family == s->family && p->sites[k].addr >= from && p->sites[k].addr < to &&
                p->sites[k].line == i->line)
                return k;
    }
    /* a part of a wide access that code generation made of several: all parts have the place of one */
    for (uint32_t k = 0; i->tag && k < p->n_sites; k++)
        if (p->sites[k].tag == i->tag && p->sites[k].family == p->sites[first].family)
            return k;
    return first;
}

static void keep_cover(struct ls_match *x, const struct pool *p)
{
    bool *shared = calloc(p->n_sites + 1u, sizeof *shared), ok = shared != NULL;
    for (uint32_t k = 0; k < p->n_sites; k++) {
        forget(&x->join[p->site[k]]);
        if (p->sites[k].scalar)
            x->join[p->site[k]].state = LS_MATCH_SCALAR;
    }
    for (uint32_t n = 0; ok && n < p->n_instructions; n++) {
        const struct ls_cover_instruction *i = &p->instructions[n];
        uint32_t lead = stands_for(p, i);
        for (unsigned part = 0; part <= i->form.pair; part++) {
            struct lanescope_pass pass = {p->site[lead], (uint16_t)i->offset[part], (uint8_t)i->form.bytes,
                                          part == 0};
            ok &= add_pass(x, p->site[i->site[part]], p->instruction[n], pass);
            mark_shared(x, p, i, part, shared);
        }
        if (i->form.pair && i->site[0] != i->site[1])
            shared[i->site[0]] = shared[i->site[1]] = true;
        if (x->join[p->site[lead]].first == LS_NONE)
            x->join[p->site[lead]].first = p->instruction[n];
    }
    for (uint32_t k = 0; k < p->n_sites; k++) {
        struct join *j = &x->join[p->site[k]];
        if (!ok)
            forget(j);
        else if (j->state != LS_MATCH_SCALAR)
            j->state = shared[k] ? LS_MATCH_SHARED : LS_MATCH_EXACT;
    }
    free(shared);
}

/* ---- the levels ---- */

static uint32_t bytes_of(const struct pool *p)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < p->n_instructions; i++)
        bytes += p->instructions[i].form.bytes * (p->instructions[i].form.pair ? 2 : 1);
    return bytes;
}

/* With what the compiler knows (and the `evidence` of first accesses). */
static bool find_cover(const struct ls_match *x, struct pool *p, bool evidence)
{
    uint32_t bytes = 0;
    bool scalars = false;
    find_families(p, x, evidence);
    for (uint32_t k = 0; k < p->n_sites; k++) {
        bytes += p->sites[k].bytes;
        scalars |= p->sites[k].may_scalar;
    }
    if (!evidence && (!x->m->places || (scalars && p->n_instructions && bytes != bytes_of(p))))
        return false;
    return ls_cover(p->sites, p->n_sites, p->instructions, p->n_instructions);
}

/* Instructions of the pool, among the first n, that look like instruction i. */
static uint32_t count_like(const struct pool *p, uint32_t i, uint32_t n)
{
    const struct ls_isa_form *f = &p->instructions[i].form;
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct ls_isa_form *g = &p->instructions[k].form;
        count += g->class == f->class && g->pair == f->pair && g->bytes == f->bytes && g->at == f->at &&
                 g->delta == f->delta;
    }
    return count;
}

/* Whether another instruction that looks like i stands in the same block: no copy, then. */
static bool shares_block(const struct pool *p, uint32_t i)
{
    for (uint32_t k = 0; k < p->n_instructions; k++)
        if (k != i && p->instructions[k].block == p->instructions[i].block &&
            p->instructions[k].form.at == p->instructions[i].form.at &&
            p->instructions[k].form.bytes == p->instructions[i].form.bytes)
            return true;
    return false;
}

/* Code generation repeats whole blocks, so each instruction of an access is there equally often. Moves all
 * but one copy of each behind the pool's end. */
static void put_copies_aside(struct pool *p)
{
    uint32_t bytes = bytes_of(p), n = p->n_instructions, kept = 0;
    uint32_t copies = p->n_sites == 1 && p->sites[0].bytes ? bytes / p->sites[0].bytes : 1;
    if (copies < 2 || bytes % p->sites[0].bytes)
        return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t like = count_like(p, i, n);
        if (like != copies || shares_block(p, i))
            return;
        p->instructions[i].used = count_like(p, i, i) > 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct ls_cover_instruction k = p->instructions[i];
        uint32_t number = p->instruction[i];
        if (k.used)
            continue;
        p->instructions[i] = p->instructions[kept];
        p->instruction[i] = p->instruction[kept];
        p->instructions[kept] = k;
        p->instruction[kept++] = number;
    }
    p->n_instructions = kept;
}

/* The numbers of the compiler plugin name the instructions of a site: one access each, no evidence needed. */
static bool try_tagged(struct ls_match *x, struct pool *p)
{
    if (p->scalar && !p->n_instructions) {
        for (uint32_t k = 0; k < p->n_sites; k++) {
            struct join *j = &x->join[p->site[k]];
            forget(j);
            j->settled = true;
            j->state = LS_MATCH_SCALAR;
        }
        return true;
    }
    if (p->scalar || p->n_sites != 1)
        return false;
    p->sites[0].family = 0;
    p->sites[0].addr = 0;
    p->sites[0].may_scalar = p->sites[0].wild = false;
    put_copies_aside(p);
    if (all_alike(p)) {
        keep_alike(x, p);
        return true;
    }
    if (!ls_cover(p->sites, p->n_sites, p->instructions, p->n_instructions))
        return false;
    keep_cover(x, p);
    x->join[p->site[0]].settled = true;
    return true;
}

/* What is left has no instruction at all. */
static bool try_absent(struct ls_match *x, const struct function *f, const struct pool *p)
{
    if (p->n_instructions)
        return false;
    for (uint32_t k = 0; k < p->n_sites; k++) {
        uint32_t tag = p->sites[k].tag;
        bool found = !tag;
        for (size_t i = 0; i < f->listing.n && !found; i++)
            found = f->listing.items[i].tag == tag;
        if (found)
            continue;
        forget(&x->join[p->site[k]]);
        x->join[p->site[k]].state = p->sites[k].may_scalar ? LS_MATCH_SCALAR : LS_MATCH_ABSENT;
        x->join[p->site[k]].settled = x->m->places != NULL;
    }
    return true;
}

/* The site that counts the pool's instruction: copies are counted with the one that stands for them. */
static uint32_t counted_on(const struct ls_match *x, const struct pool *p, uint32_t instruction)
{
    for (uint32_t k = 0; k < p->n_sites; k++) {
        const struct join *j = &x->join[p->site[k]];
        for (unsigned n = 0; n < j->n; n++)
            if (j->instructions[n] == instruction)
                return j->passes[n].site;
    }
    return p->n_sites ? p->site[0] : LS_NONE;
}

/* In a pool of a whole function lines must tell that an instruction serves the right access. */
static bool lines_agree(const struct ls_match *x, const struct function *f, const struct pool *p)
{
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        const struct ls_isa_instruction *n = &f->listing.items[p->instruction[i]];
        bool agree = !n->line;
        for (uint32_t k = 0; n->tag && k < p->n_sites; k++) /* the cover keeps to tags */
            agree |= p->sites[k].tag == n->tag;
        for (uint32_t k = 0; k < p->n_sites && !agree; k++) {
            const struct join *j = &x->join[p->site[k]];
            for (unsigned q = 0; q < j->n && !agree; q++)
                agree = j->instructions[q] == p->instruction[i] &&
                        (!p->sites[k].line || p->sites[k].line == n->line ||
                         j->passes[q].bytes > p->sites[k].bytes);
        }
        if (!agree)
            return false;
    }
    return true;
}

static bool try_pool(struct ls_match *x, struct function *f, struct pool *p)
{
    uint32_t n = p->n_instructions;
    if (p->level <= MERGED) {
        if (!try_tagged(x, p))
            return false;
    } else if (all_alike(p)) {
        keep_alike(x, p);
    } else {
        bool certain = find_cover(x, p, false);
        if (certain || find_cover(x, p, true))
            keep_cover(x, p);
        else if (p->level != FUNCTION || !try_absent(x, f, p))
            return false;
        for (uint32_t k = 0; certain && k < p->n_sites; k++)
            x->join[p->site[k]].settled = true;
    }
    if (p->level == FUNCTION && !lines_agree(x, f, p)) {
        for (uint32_t k = 0; k < p->n_sites; k++)
            forget(&x->join[p->site[k]]);
        return false;
    }
    for (uint32_t k = 0; k < p->n_sites; k++)
        x->join[p->site[k]].copied = p->n_instructions < n || (all_alike(p) && n > p->n_sites);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = p->instruction[i];
        f->taken[number] = true;
        f->site[number] = counted_on(x, p, number);
    }
    return true;
}

/* Whether the instructions that were found run as often as the access: both stand in equally many loops. */
static bool in_its_loops(const struct ls_match *x, const struct function *f, uint32_t site)
{
    const struct join *j = &x->join[site];
    for (unsigned k = 0; x->m->places && k < j->n; k++)
        if (f->listing.items[j->instructions[k]].loops != x->m->places[site].loops)
            return false;
    return true;
}

/* Takes the join of a site back, and of those that share an instruction with it, or may have its own. */
static void take_back(struct ls_match *x, struct function *f, uint32_t site, enum ls_match_why why)
{
    struct join old = x->join[site];
    refuse(&x->join[site], why);
    for (unsigned k = 0; k < old.n; k++) {
        f->site[old.instructions[k]] = LS_NONE;
        for (uint32_t i = 0; i < x->m->n_sites; i++)
            for (unsigned n = 0;
                 x->join[i].n && x->function_of[i] == x->function_of[site] && n < x->join[i].n; n++)
                if (x->join[i].instructions[n] == old.instructions[k])
                    take_back(x, f, i, why);
    }
    for (uint32_t i = 0; old.alike && i < x->m->n_sites; i++)
        if (x->join[i].alike == old.alike)
            take_back(x, f, i, why);
}

static bool joined_here(const struct ls_match *x, const struct function *f, uint32_t site)
{
    return x->function_of[site] != LS_NONE && &x->functions[x->function_of[site]] == f && x->join[site].n &&
           x->join[site].state != LS_MATCH_NONE;
}

static void check_loops(struct ls_match *x, struct function *f)
{
    for (uint32_t i = 0; i < x->m->n_sites; i++)
        if (joined_here(x, f, i) && !in_its_loops(x, f, i))
            take_back(x, f, i, LS_MATCH_MOVED);
}

/* A place in the code before and after code generation: numbers of what is executed together with it. */
struct placed {
    uint32_t site, before, after;
    bool moved;
};

/* Whether more of the others than not are executed together with it on one side only. What is executed as
 * often as the function must be so on both sides. */
static bool is_moved(const struct placed *all, uint32_t n, uint32_t i)
{
    uint32_t with = 0, against = 0;
    for (uint32_t k = 0; k < n && !all[i].moved; k++) {
        if (all[k].moved)
            continue;
        bool before = all[k].before == all[i].before, after = all[k].after == all[i].after;
        with += k != i && before && after;
        against += before != after;
    }
    return all[i].moved || against > with;
}

/* Whether code generation moved an access into a condition, or out of one: then its instructions are executed
 * less or more often than the access. */
static void check_conditions(struct ls_match *x, struct function *f)
{
    struct placed *all = x->m->places ? calloc(x->m->n_sites + 1u, sizeof *all) : NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; all && i < x->m->n_sites; i++) {
        const struct join *j = &x->join[i];
        if (!joined_here(x, f, i) || j->copied || !x->m->places[i].together)
            continue;
        struct placed p = {i, x->m->places[i].together, f->listing.items[j->instructions[0]].together, false};
        p.moved = (p.before == 1) != (p.after == 0); /* executed as often as the function */
        for (unsigned k = 1; k < j->n; k++)
            p.moved |= f->listing.items[j->instructions[k]].together != p.after;
        all[n++] = p;
    }
    for (uint32_t i = 0; i < n; i++)
        if (is_moved(all, n, i))
            take_back(x, f, all[i].site, LS_MATCH_MOVED);
    free(all);
}

/* Private arrays that code generation put into LDS: nothing observes them, but their instructions are known.
 */
static void name_private(struct ls_match *x, struct function *f)
{
    for (uint32_t i = 0; i < x->m->n_sites; i++) {
        uint32_t tag = tag_of(x, i);
        if (x->m->sites[i].space != 5 || !tag || x->function_of[i] == LS_NONE ||
            &x->functions[x->function_of[i]] != f)
            continue;
        for (uint32_t n = 0; n < f->listing.n; n++) {
            if (f->listing.items[n].tag != tag || f->listing.items[n].form.class == LS_ISA_SCALAR)
                continue;
            f->taken[n] = true;
            f->site[n] = i;
            x->join[i].first = n;
        }
    }
}

/* Of a site whose address space decides it; LS_ISA_NONE for flat ones. */
static enum ls_isa_class class_of_site(const struct lanescope_site *s)
{
    return s->space == 3 ? LS_ISA_LDS : s->space ? LS_ISA_VECTOR : LS_ISA_NONE;
}

/* Takes all open sites and instructions with that key; of one class, or LS_ISA_NONE: of all. */
static void fill_pool(struct pool *p, const struct ls_match *x, uint32_t function, enum direction d,
                      const bool *open, const struct key *key, enum level level, enum ls_isa_class class)
{
    const struct function *f = &x->functions[function];
    for (uint32_t i = 0; i < x->m->n_sites; i++) {
        char calls[1024];
        struct key k;
        if (!open[i] || x->function_of[i] != function || direction_of_site(x->m->sites[i].kind) != d)
            continue;
        k = key_of_site(x, i, calls, sizeof calls);
        if ((!class || class_of_site(&x->m->sites[i]) == class) && same_key(&k, key, level))
            add_site(p, x, i);
    }
    for (size_t i = 0; i < f->listing.n; i++) {
        const struct ls_isa_instruction *n = &f->listing.items[i];
        struct key k = key_of_instruction(n);
        if (level <= MERGED && n->form.class == LS_ISA_SCALAR && d == LOADS && class != LS_ISA_LDS)
            p->scalar |= same_key(&k, key, level);
        if (!f->taken[i] && (n->form.class == LS_ISA_LDS || n->form.class == LS_ISA_VECTOR) &&
            (!class || n->form.class == class) && direction_of(&n->form) == d && same_key(&k, key, level))
            add_instruction(p, (uint32_t)i, n);
    }
}

/* One class at a time, or (`mixed`) all together, for flat accesses that became global or LDS ones. */
static void one_level(struct ls_match *x, uint32_t function, bool *open, bool *done, enum level level,
                      bool mixed)
{
    struct function *f = &x->functions[function];
    memset(done, 0, x->m->n_sites);
    for (uint32_t i = 0; i < x->m->n_sites; i++) {
        char calls[1024];
        struct pool p;
        enum ls_isa_class class = class_of_site(&x->m->sites[i]);
        if (!open[i] || done[i] || x->function_of[i] != function || (!mixed && !class))
            continue;
        struct key key = key_of_site(x, i, calls, sizeof calls);
        if ((level == TAG && !key.tag) || (level == MERGED && !key.merged))
            continue;
        if (!make_pool(&p, level, x->m->n_sites, f->listing.n)) {
            free_pool(&p);
            return;
        }
        fill_pool(&p, x, function, direction_of_site(x->m->sites[i].kind), open, &key, level,
                  mixed ? LS_ISA_NONE : class);
        bool solved = (level == FUNCTION || level <= MERGED || p.n_instructions || p.sites[0].may_scalar) &&
                      try_pool(x, f, &p);
        for (uint32_t k = 0; k < p.n_sites; k++) {
            done[p.site[k]] = true;
            open[p.site[k]] = !solved;
        }
        free_pool(&p);
    }
}

static void solve_function(struct ls_match *x, uint32_t function, bool *open, bool *done)
{
    struct function *f = &x->functions[function];
    bool any = false;
    memset(f->taken, 0, f->listing.n);
    for (uint32_t i = 0; i < f->listing.n; i++)
        f->site[i] = LS_NONE;
    for (uint32_t i = 0; i < x->m->n_sites; i++) {
        open[i] = x->function_of[i] == function && joinable(x, i);
        any |= open[i];
        if (open[i])
            forget(&x->join[i]);
    }
    name_private(x, f);
    for (enum level level = 0; any && level < LEVELS; level++) {
        one_level(x, function, open, done, level, false);
        one_level(x, function, open, done, level, true);
    }
    check_loops(x, f);
    check_conditions(x, f);
}

void ls_match_solve(struct ls_match *x)
{
    bool *open = calloc(x->m->n_sites + 1u, sizeof *open), *done = calloc(x->m->n_sites + 1u, sizeof *done);
    for (uint32_t f = 0; open && done && f < x->n_functions; f++)
        solve_function(x, f, open, done);
    x->isa = NULL;
    x->changed = true;
    free(open);
    free(done);
}

static bool settled(const struct ls_match *x, uint32_t site)
{
    return !joinable(x, site) || x->function_of[site] == LS_NONE || x->join[site].settled;
}

uint32_t ls_match_widths(const struct ls_match *x, uint32_t site)
{
    const struct lanescope_site *s = &x->m->sites[site];
    uint32_t widths = 0;
    if (settled(x, site))
        return 0;
    const struct ls_isa_listing *l = &x->functions[x->function_of[site]].listing;
    for (size_t i = 0; i < l->n; i++) {
        const struct ls_isa_form *f = &l->items[i].form;
        if ((f->class == LS_ISA_LDS || f->class == LS_ISA_VECTOR) && f->bytes <= 16 &&
            direction_of(f) == direction_of_site(s->kind) &&
            (!class_of_site(s) || class_of_site(s) == f->class))
            widths |= 1u << f->bytes;
    }
    return widths | 1; /* not settled, even if there is none */
}

bool ls_match_wants(const struct ls_match *x, uint32_t kernel)
{
    for (uint32_t i = 0; i < x->m->n_sites; i++)
        if ((x->m->raw[i].kernel == kernel || x->m->raw[i].kernel == LS_NONE) && !settled(x, i) &&
            !x->seen[i].dispatch)
            return true;
    return false;
}

void ls_match_learn(struct ls_match *x, uint64_t dispatch, const void *chunk, size_t size)
{
    ls_evidence_add(x->seen, x->m->sites, x->m->n_sites, dispatch, chunk, size);
}

bool ls_match_changed(struct ls_match *x)
{
    bool changed = x->changed;
    x->changed = false;
    return changed;
}

const struct lanescope_isa *ls_match_isa(struct ls_match *x)
{
    struct lanescope_isa *isa = x->isa ? NULL : keep(x, x->m->n_sites, sizeof *isa);
    for (uint32_t i = 0; isa && i < x->m->n_sites; i++) {
        const struct join *j = &x->join[i];
        if (j->state == LS_MATCH_SCALAR)
            isa[i] = (struct lanescope_isa){LANESCOPE_ISA_SCALAR, 0, NULL};
        else if (j->state != LS_MATCH_NONE)
            isa[i] = (struct lanescope_isa){LANESCOPE_ISA_VECTOR, j->n, j->passes};
    }
    if (isa)
        x->isa = isa;
    return x->isa;
}

enum ls_match_state ls_match_state(const struct ls_match *x, uint32_t site)
{
    return x->join[site].state;
}

uint32_t ls_match_site(const struct ls_match *x, const char *function, size_t instruction)
{
    for (uint32_t f = 0; f < x->n_functions; f++)
        if (!strcmp(x->functions[f].name, function))
            return instruction < x->functions[f].listing.n ? x->functions[f].site[instruction] : LS_NONE;
    return LS_NONE;
}

const struct ls_isa_instruction *ls_match_instruction(const struct ls_match *x, uint32_t site)
{
    const struct join *j = &x->join[site];
    if (j->first == LS_NONE || x->function_of[site] == LS_NONE)
        return NULL;
    return &x->functions[x->function_of[site]].listing.items[j->first];
}

enum ls_match_why ls_match_why(const struct ls_match *x, uint32_t site)
{
    return x->join[site].why;
}

bool ls_match_estimated(const struct ls_match *x, uint32_t site)
{
    return joinable(x, site) && x->seen[site].dispatch && x->join[site].state == LS_MATCH_NONE;
}

char *ls_match_text(const struct ls_match *x, uint32_t site)
{
    const struct join *j = &x->join[site];
    char *text = NULL;
    size_t size;
    if (j->state == LS_MATCH_SCALAR)
        return strdup("scalar load");
    if (j->state == LS_MATCH_ABSENT)
        return strdup("no instruction");
    const struct ls_isa_instruction *first = ls_match_instruction(x, site);
    if (!j->n && first)
        return strndup(first->text, strcspn(first->text, " "));
    FILE *f = j->n ? open_memstream(&text, &size) : NULL;
    if (!f)
        return NULL;
    const struct ls_isa_instruction *all = x->functions[x->function_of[site]].listing.items;
    for (unsigned i = 0; i < j->n; i++) {
        const char *name = all[j->instructions[i]].text;
        unsigned count = 0;
        bool again = false;
        for (unsigned k = 0; k < j->n; k++) {
            const char *other = all[j->instructions[k]].text;
            size_t n = strcspn(name, " ");
            bool same = strcspn(other, " ") == n && !strncmp(name, other, n);
            bool one = k > 0 && j->instructions[k] == j->instructions[k - 1];
            again |= same && k < i;
            count += same && !one;
        }
        if (again)
            continue;
        fprintf(f, i ? ", " : "");
        if (count > 1)
            fprintf(f, "%ux ", count);
        fwrite(name, 1, strcspn(name, " "), f);
    }
    fclose(f);
    return text;
}
