/*
 * instruction_mix.c - handler: executed machine instructions of the original kernel, by class and source
 * line, from counts of block entries. Needs kernels compiled with --lanescope-blocks.
 *
 * Option: rows=N lines in the table per dispatch (64).
 */
#include <stdbool.h>
#include <stdio.h>
#include <uthash.h>

#include "common/names.h"
#include "common/vector.h"
#include "lanescope/sdk/blocks.h"
#include "lanescope/sdk/rows.h"
#include "instruction_mix_code.h"
#include "lanescope/sites.h"
#include "lanescope/wire.h"
#include "lanescope/sdk/options.h"

enum { CLASSES = LANESCOPE_CLASS_OTHER + 1 };
static const char *const class_names[CLASSES] = {
    [LANESCOPE_CLASS_VALU] = "VALU",
    [LANESCOPE_CLASS_MATRIX] = "Matrix",
    [LANESCOPE_CLASS_SALU] = "SALU",
    [LANESCOPE_CLASS_SMEM] = "SMEM",
    [LANESCOPE_CLASS_LDS] = "LDS",
    [LANESCOPE_CLASS_VMEM_LOAD] = "VMEM Load",
    [LANESCOPE_CLASS_VMEM_STORE] = "VMEM Store",
    [LANESCOPE_CLASS_VMEM_ATOMIC] = "VMEM Atomic",
    [LANESCOPE_CLASS_BRANCH] = "Branch",
    [LANESCOPE_CLASS_WAIT] = "Wait",
    [LANESCOPE_CLASS_OTHER] = "Other",
};

struct self {
    const struct lanescope_host *host;
    uint64_t rows;
    uint32_t total, unknown, metric[CLASSES];
    struct lanescope_blocks_told told_blocks;
    bool told_code, told_unknown;
};

/* The block that a wavefront entered last. */
struct wave {
    struct {
        uint32_t workgroup[3], wave;
    } key;
    uint32_t site;
    UT_hash_handle hh;
};

struct step {
    struct {
        uint32_t from, to;
    } key;
    int64_t count;
    UT_hash_handle hh;
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    struct wave *waves, *last;
    struct step *steps;
    bool out_of_memory;
    int64_t entered[]; /* by site: wavefronts that entered the block */
};

/* Executed instructions of one source line. */
struct line {
    struct {
        const char *file; /* of the first instruction that has this name */
        uint32_t line;
    } key;
    int64_t total, executed[CLASSES];
};

struct lines {
    struct line *items;
    size_t n;
};

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    *self = (struct self){.host = host, .rows = 64};
    const struct lanescope_option list[] = {{"rows", &self->rows, 0, 1u << 20, false}};
    int rc = lanescope_parse_options(host, "instruction_mix", options, list, 1);
    self->total = host->metric(host, "Instructions", "instructions",
                               "machine instructions that wavefronts of the original kernel execute");
    for (unsigned i = LANESCOPE_CLASS_VALU; i < CLASSES; i++) {
        char text[64];
        snprintf(text, sizeof text, "of these, of class %s", class_names[i]);
        self->metric[i] = host->metric(host, class_names[i], "instructions", text);
        rc = !rc && !self->metric[i] ? -ENOMEM : rc;
    }
    self->unknown = host->metric(host, "Instructions Without Count", "instructions",
                                 "instructions of the code, each once, whose executions cannot be told");
    if (!rc && (!self->total || !self->unknown))
        rc = -ENOMEM;
    if (rc)
        free(self);
    else
        *out = self;
    return rc;
}

/* Says once why there will be nothing. */
static int decline(struct self *self, bool *told, const char *why)
{
    if (!*told)
        self->host->log(self->host, LANESCOPE_LOG_WARNING, "instruction_mix: %s", why);
    *told = true;
    return -ENOTSUP;
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct self *self = handler;
    bool any = false;
    for (uint32_t i = 0; i < d->n_sites && !any; i++)
        any = lanescope_is_block(&d->sites[i], "block");
    if (!any)
        return lanescope_no_blocks(self->host, &self->told_blocks, "instruction_mix", d);
    if (!d->n_functions)
        return decline(self, &self->told_code, "the kernel's machine code could not be read");
    struct state *st = calloc(1, sizeof *st + d->n_sites * sizeof st->entered[0]);
    if (!st)
        return -ENOMEM;
    st->self = self;
    st->dispatch = d;
    *out = st;
    return 0;
}

static struct wave *wave_of(struct state *st, const struct lanescope_wavefront *w)
{
    struct wave probe = {.key = {{w->workgroup[0], w->workgroup[1], w->workgroup[2]}, w->wave}},
                *found = st->last;
    if (found && !memcmp(&found->key, &probe.key, sizeof probe.key))
        return found;
    HASH_FIND(hh, st->waves, &probe.key, sizeof probe.key, found);
    if (!found && (found = calloc(1, sizeof *found))) {
        found->key = probe.key;
        found->site = LANESCOPE_NO_SITE;
        HASH_ADD(hh, st->waves, key, sizeof found->key, found);
    }
    return st->last = found;
}

static void count_step(struct state *st, uint32_t from, uint32_t to)
{
    struct step probe = {.key = {from, to}}, *s;
    HASH_FIND(hh, st->steps, &probe.key, sizeof probe.key, s);
    if (!s && (s = calloc(1, sizeof *s))) {
        s->key = probe.key;
        HASH_ADD(hh, st->steps, key, sizeof s->key, s);
    }
    if (s)
        s->count++;
    else
        st->out_of_memory = true;
}

static void events(void *state, const struct lanescope_event *e, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        struct wave *w = e[i].kind == LANESCOPE_EVENT_BLOCK ? wave_of(st, e[i].wave) : NULL;
        if (e[i].kind != LANESCOPE_EVENT_BLOCK)
            continue;
        st->entered[e[i].site]++;
        if (!w) {
            st->out_of_memory = true;
            continue;
        }
        if (w->site != LANESCOPE_NO_SITE)
            count_step(st, w->site, e[i].site);
        w->site = e[i].site;
    }
}

static struct line *line_of(struct lines *l, const char *file, uint32_t number)
{
    for (size_t i = l->n; i-- > 0;) /* neighbours in the code are mostly of one line */
        if (l->items[i].key.line == number && !strcmp(l->items[i].key.file, file))
            return &l->items[i];
    if (!LS_ROOM(l->items, l->n))
        return NULL;
    l->items[l->n] = (struct line){.key = {file, number}};
    return &l->items[l->n++];
}

/* What is known of the executed instructions of a dispatch. */
struct mix {
    struct lines lines;
    int64_t sum[CLASSES];
    int64_t unknown; /* instructions of the code */
    bool out_of_memory;
};

static void count_function(const struct lanescope_function *f, const int64_t *count, struct mix *m)
{
    for (uint32_t i = 0; i < f->n_instructions; i++) {
        const struct lanescope_instruction *in = &f->instructions[i];
        unsigned class = in->code_class && in->code_class < CLASSES ? in->code_class : LANESCOPE_CLASS_OTHER;
        m->unknown += count[i] < 0;
        if (count[i] <= 0)
            continue;
        struct line *line = line_of(&m->lines, in->file ? in->file : "", in->line);
        if (!line) {
            m->out_of_memory = true;
            return;
        }
        line->total += count[i];
        line->executed[class] += count[i];
        m->sum[class] += count[i];
    }
}

/* Wavefronts that began: each has two calibration probes. Of other functions that is not known. */
static int64_t entries_of(const struct state *st, uint32_t function)
{
    for (uint32_t i = 0; !function && i < st->dispatch->n_sites; i++)
        if (lanescope_is_block(&st->dispatch->sites[i], "calibration") && st->entered[i])
            return st->entered[i] / 2;
    return -1;
}

static bool was_entered(const struct state *st, const struct lanescope_function *f)
{
    for (uint32_t i = 0; i < f->n_instructions; i++)
        if (f->instructions[i].site < st->dispatch->n_sites && st->entered[f->instructions[i].site])
            return true;
    return false;
}

static int by_total(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    int c = strcmp(x->key.file, y->key.file);
    return c ? c : x->key.line < y->key.line ? -1 : x->key.line > y->key.line;
}

/* A column for each class, so this table is written by hand. */
static void line_row(const struct self *self, const struct line *l, struct lanescope_results *r)
{
    struct lanescope_json row;
    char place[256];
    snprintf(place, sizeof place, "%s:%u", *l->key.file ? ls_base_name(l->key.file) : "no line", l->key.line);
    lanescope_json_begin(&row);
    lanescope_json_text(&row, "place", place);
    lanescope_json_integer(&row, "Instructions", l->total);
    for (unsigned i = LANESCOPE_CLASS_VALU; i < CLASSES; i++)
        lanescope_json_integer(&row, class_names[i], l->executed[i]);
    lanescope_json_end(&row, self->host, r, "lines", LANESCOPE_NO_SITE);
}

static void report(const struct self *self, struct mix *m, struct lanescope_results *r)
{
    int64_t total = 0;
    if (m->lines.n)
        qsort(m->lines.items, m->lines.n, sizeof *m->lines.items, by_total);
    for (size_t i = 0; i < m->lines.n && i < self->rows; i++)
        line_row(self, &m->lines.items[i], r);
    for (unsigned i = LANESCOPE_CLASS_VALU; i < CLASSES; i++) {
        total += m->sum[i];
        self->host->add(r, LANESCOPE_NO_SITE, self->metric[i], m->sum[i]);
    }
    self->host->add(r, LANESCOPE_NO_SITE, self->total, total);
    self->host->add(r, LANESCOPE_NO_SITE, self->unknown, m->unknown);
}

/* malloc'd; the state's own are freed. */
static struct block_step *take_steps(struct state *st, size_t *n)
{
    struct block_step *list = calloc(HASH_COUNT(st->steps) + 1, sizeof *list);
    struct step *s, *next_step;
    struct wave *w, *next_wave;
    *n = 0;
    HASH_ITER(hh, st->steps, s, next_step)
    {
        if (list)
            list[(*n)++] = (struct block_step){s->key.from, s->key.to, s->count};
        HASH_DEL(st->steps, s);
        free(s);
    }
    HASH_ITER(hh, st->waves, w, next_wave)
    {
        HASH_DEL(st->waves, w);
        free(w);
    }
    return list;
}

static void add_function(const struct state *st, uint32_t number, const struct block_step *steps,
                         size_t n_steps, struct mix *m)
{
    const struct lanescope_function *f = &st->dispatch->functions[number];
    const struct block_counts known = {.entered = st->entered,
                                       .n_sites = st->dispatch->n_sites,
                                       .entries = entries_of(st, number),
                                       .steps = steps,
                                       .n_steps = n_steps};
    if (number && !was_entered(st, f))
        return;
    int64_t *count = calloc(f->n_instructions + 1u, sizeof *count);
    if (count && instruction_counts(f, &known, count))
        count_function(f, count, m);
    else
        m->unknown += f->n_instructions;
    m->out_of_memory |= !count;
    free(count);
}

/* Says once what the numbers lack. */
static void tell(struct state *st, const struct mix *m)
{
    struct self *self = st->self;
    if (m->out_of_memory)
        self->host->log(self->host, LANESCOPE_LOG_ERROR,
                        "instruction_mix: instructions of %s are missing: out of memory",
                        st->dispatch->kernel);
    if (m->unknown && !self->told_unknown)
        self->host->log(
            self->host, 1,
            "instruction_mix: how often %lld machine instructions of %s ran cannot be told from the "
            "blocks; they are left out (docs/handlers/instruction_mix.md)",
            (long long)m->unknown, st->dispatch->kernel);
    self->told_unknown |= m->unknown != 0;
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    struct mix m = {.out_of_memory = st->out_of_memory};
    size_t n_steps;
    struct block_step *steps = take_steps(st, &n_steps);
    m.out_of_memory |= !steps;
    for (uint32_t i = 0; i < st->dispatch->n_functions && !m.out_of_memory; i++)
        add_function(st, i, steps, n_steps, &m);
    tell(st, &m);
    report(st->self, &m, r);
    free(m.lines.items);
    free(steps);
    free(st);
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "instruction_mix",
    .version = LANESCOPE_VERSION,
    .description = "executed machine instructions by class and source line",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .events = events,
    .dispatch_end = dispatch_end,
    .close = free,
    .needs = LANESCOPE_NEEDS_CODE,
};
