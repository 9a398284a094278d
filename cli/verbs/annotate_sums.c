/* Adds up the numbers of all accesses on a source line (annotate.h). */
#include "annotate_page.h"
#include "file_named.h"
#include "cli/common/arguments.h"
#include "cli/common/text_numbers.h"
#include "cli/output/names.h"
#include "results/file/error_text.h"
#include "results/profile/exact.h"
#include "results/reader/saturate.h"
#include "results/profile/tables.h"

#include <stdlib.h>
#include <string.h>

/* What annotate_collect makes. A file, line, kernel or text that comes again is looked up, as there may be many. */
struct collecting {
    struct ls_profile *p;
    const struct options *o;
    struct source *list;
    size_t n;
    struct text_number *known;
};

/* The number of what the key (malloc'd) stands for; `next` when it is new. */
static size_t number_of(struct collecting *c, char *key, size_t next)
{
    if (!key)
        abort();
    return *text_number(&c->known, key, next);
}

static struct source *source_of(struct collecting *c, const struct ls_p_file *file)
{
    size_t at = number_of(c, ls_text("source %p", (const void *)file), c->n);
    if (at == c->n)
        LS_PUSH(c->list, c->n)->file = file;
    return &c->list[at];
}

static struct place *place_of(struct collecting *c, struct source *s, uint32_t line)
{
    const size_t metrics = c->p->n_metrics + 1;
    size_t at = number_of(c, ls_text("line %p %u", (const void *)s->file, line), s->n_places);
    if (at == s->n_places)
        *LS_PUSH(s->places, s->n_places) = (struct place){.line = line,
                                                          .sum = calloc(metrics, sizeof(int64_t)),
                                                          .present = calloc(metrics, sizeof(bool)),
                                                          .estimated = calloc(metrics, sizeof(bool))};
    return &s->places[at];
}

static void add_kernel_name(struct collecting *c, struct source *s, const char *name)
{
    if (number_of(c, ls_text("kernel %p %s", (const void *)s->file, name), s->n_kernels) == s->n_kernels)
        *LS_PUSH(s->kernels, s->n_kernels) = name;
}

/* Takes over a malloc'd text; kernels and inlined copies often say the same. `list` is the line's of that name. */
static void add_text(struct collecting *c, const struct source *s, uint32_t line, const char *name,
                     struct ls_p_texts *list, char *text)
{
    char *key = ls_text("%s %p %u %s", name, (const void *)s->file, line, text);
    if (number_of(c, key, list->n) == list->n)
        *LS_PUSH(list->items, list->n) = text;
    else
        free(text);
}

static bool named(const struct options *o, const char *path)
{
    for (size_t i = 0; i < o->n_files; i++)
        if (is_file_named(path, o->files[i]))
            return true;
    return false;
}

/* Where a line's numbers are shown: at its title; in a library's file that the user asks for, at the line
 * that holds the access. */
static struct ls_p_place shown_at(const struct options *o, const struct ls_p_line *line)
{
    if (line->title_depth && named(o, line->file) && !named(o, line->title.file))
        return (struct ls_p_place){line->file, line->line, 0, line->function, true};
    return line->title;
}

static void add_line(struct collecting *c, const struct ls_p_kernel *k, const struct ls_p_line *line)
{
    struct ls_profile *p = c->p;
    struct ls_p_place shown = shown_at(c->o, line);
    const struct ls_p_file *file = ls_profile_file(p, shown.file);
    if (!file || !line->values.n)
        return;
    struct source *s = source_of(c, file);
    struct place *at = place_of(c, s, shown.line);
    at->numbers = true;
    at->partial |= ls_kernel_partial(k);
    at->assumed |= ls_line_assumed(p, line, NULL);
    at->coalesced |= ls_shows_all_coalesced(p, line);
    for (size_t i = 0; i < line->values.n && at->sum && at->present && at->estimated; i++) {
        at->sum[i] = ls_add(at->sum[i], line->values.sum[i], &p->saturated);
        at->present[i] |= line->values.present[i];
        at->estimated[i] |= line->values.estimated[i];
    }
    const double excess = ls_line_excess(p, line);
    at->weight += excess;
    at->lanes = ls_kernel_lanes(k) > at->lanes ? ls_kernel_lanes(k) : at->lanes;
    s->weight += excess;
    add_kernel_name(c, s, k->name);
    annotate_hear(&at->heard, p, k, line);
}

/* "line 9", "other.h:9" */
static char *other_line(const struct ls_profile *p, const struct options *o, const struct ls_p_place *there,
                        const struct ls_p_place *here)
{
    char *text = NULL;
    int rc = !strcmp(there->file, here->file)
                 ? asprintf(&text, "line %u", there->line)
                 : asprintf(&text, "%s:%u", short_path(p, there->file, o->view.full_paths), there->line);
    return rc < 0 ? NULL : text;
}

/* Marks the lines of accesses that one instruction does together. */
static void add_merge(struct collecting *c, const struct ls_p_merge *m)
{
    for (int side = 0; side < 2; side++) {
        const struct ls_p_place *here = side ? &m->counted : &m->other,
                                *there = side ? &m->other : &m->counted;
        const struct ls_p_file *file = ls_profile_file(c->p, here->file);
        char *text = file ? other_line(c->p, c->o, there, here) : NULL;
        if (!text)
            continue;
        struct source *s = source_of(c, file);
        struct place *at = place_of(c, s, here->line);
        add_text(c, s, at->line, side ? "here" : "there", side ? &at->done_here : &at->done_at, text);
    }
}

static int by_weight(const void *x, const void *y)
{
    const struct source *a = x, *b = y;
    if (a->weight != b->weight)
        return (a->weight < b->weight) - (a->weight > b->weight);
    return strcmp(a->file->path, b->file->path);
}

static int by_line(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    return (a->line > b->line) - (a->line < b->line);
}

/* Texts in the order of the numbers in them. */
static int by_number(const void *x, const void *y)
{
    return strverscmp(*(const char *const *)x, *(const char *const *)y);
}

static void sort_texts(struct ls_p_texts *t)
{
    if (t->n)
        qsort(t->items, t->n, sizeof(*t->items), by_number);
}

struct source *annotate_collect(struct ls_profile *p, const struct options *o, size_t *n)
{
    struct collecting c = {.p = p, .o = o};
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_lines; j++)
            add_line(&c, p->kernels[i], p->kernels[i]->lines[j]);
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_merges; j++)
            add_merge(&c, &p->kernels[i]->merges[j]);
    text_numbers_free(c.known);
    for (size_t i = 0; i < c.n; i++)
        for (size_t j = 0; j < c.list[i].n_places; j++) {
            struct place *at = &c.list[i].places[j];
            annotate_tell(&at->heard, p, &at->advice);
            sort_texts(&at->done_at);
            sort_texts(&at->done_here);
        }
    for (size_t i = 0; i < c.n; i++)
        qsort(c.list[i].places, c.list[i].n_places, sizeof(*c.list[i].places), by_line);
    if (c.n)
        qsort(c.list, c.n, sizeof(*c.list), by_weight);
    *n = c.n;
    return c.list;
}

static void free_texts(struct ls_p_texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        free((char *)t->items[i]);
    free(t->items);
}

void annotate_free(struct source *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < list[i].n_places; j++) {
            free(list[i].places[j].sum);
            free(list[i].places[j].present);
            free(list[i].places[j].estimated);
            free_texts(&list[i].places[j].advice);
            free_texts(&list[i].places[j].done_at);
            free_texts(&list[i].places[j].done_here);
        }
        free(list[i].places);
        free(list[i].kernels);
    }
    free(list);
}

bool annotate_wants(const struct options *o, const char *path)
{
    return !o->n_files || named(o, path);
}
