/* Adds up the numbers of all accesses on a source line (annotate.h). */
#include "annotate_page.h"
#include "cli/common/arguments.h"
#include "cli/output/names.h"
#include "results/advice/advice.h"
#include "results/profile/exact.h"
#include "results/reader/saturate.h"
#include "results/profile/tables.h"

#include <stdlib.h>
#include <string.h>

static struct source *source_of(struct source **list, size_t *n, const struct ls_p_file *file)
{
    for (size_t i = 0; i < *n; i++)
        if ((*list)[i].file == file)
            return &(*list)[i];
    struct source *s = LS_PUSH(*list, *n);
    s->file = file;
    return s;
}

static struct place *place_of(const struct ls_profile *p, struct source *s, uint32_t line)
{
    size_t at = 0;
    while (at < s->n_places && s->places[at].line < line)
        at++;
    if (at < s->n_places && s->places[at].line == line)
        return &s->places[at];
    (void)LS_PUSH(s->places, s->n_places);
    memmove(s->places + at + 1, s->places + at, (s->n_places - at - 1) * sizeof(*s->places));
    s->places[at] = (struct place){.line = line,
                                   .sum = calloc(p->n_metrics + 1, sizeof(int64_t)),
                                   .present = calloc(p->n_metrics + 1, sizeof(bool)),
                                   .estimated = calloc(p->n_metrics + 1, sizeof(bool))};
    return &s->places[at];
}

static void add_kernel_name(struct source *s, const char *name)
{
    for (size_t i = 0; i < s->n_kernels; i++)
        if (!strcmp(s->kernels[i], name))
            return;
    *LS_PUSH(s->kernels, s->n_kernels) = name;
}

/* Takes over a malloc'd text; kernels and inlined copies often say the same. */
static void add_text(struct ls_p_texts *t, char *text)
{
    for (size_t i = 0; i < t->n; i++)
        if (!strcmp(t->items[i], text)) {
            free(text);
            return;
        }
    *LS_PUSH(t->items, t->n) = text;
}

static bool named(const struct options *o, const char *path)
{
    for (size_t i = 0; i < o->n_files; i++) {
        const char *name = o->files[i];
        size_t n = strlen(path), m = strlen(name);
        if (ends(path, name) && (n == m || path[n - m - 1] == '/'))
            return true;
    }
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

static void add_line(struct ls_profile *p, const struct options *o, struct source **list, size_t *n,
                     const struct ls_p_kernel *k, const struct ls_p_line *line)
{
    struct ls_p_place shown = shown_at(o, line);
    const struct ls_p_file *file = ls_profile_file(p, shown.file);
    if (!file || !shown.line || !line->values.n)
        return;
    struct source *s = source_of(list, n, file);
    struct place *at = place_of(p, s, shown.line);
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
    add_kernel_name(s, k->name);
    size_t n_advice;
    char **advice = ls_advice(p, k, line, NULL, &n_advice);
    for (size_t i = 0; i < n_advice; i++)
        add_text(&at->advice, advice[i]);
    free(advice);
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
static void add_merge(const struct ls_profile *p, const struct options *o, struct source **list, size_t *n,
                      const struct ls_p_merge *m)
{
    for (int side = 0; side < 2; side++) {
        const struct ls_p_place *here = side ? &m->counted : &m->other,
                                *there = side ? &m->other : &m->counted;
        const struct ls_p_file *file = ls_profile_file(p, here->file);
        char *text = file ? other_line(p, o, there, here) : NULL;
        if (!text)
            continue;
        struct place *at = place_of(p, source_of(list, n, file), here->line);
        add_text(side ? &at->done_here : &at->done_at, text);
    }
}

static int by_weight(const void *x, const void *y)
{
    const struct source *a = x, *b = y;
    if (a->weight != b->weight)
        return (a->weight < b->weight) - (a->weight > b->weight);
    return strcmp(a->file->path, b->file->path);
}

struct source *annotate_collect(struct ls_profile *p, const struct options *o, size_t *n)
{
    struct source *list = NULL;
    *n = 0;
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_lines; j++)
            add_line(p, o, &list, n, p->kernels[i], p->kernels[i]->lines[j]);
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_merges; j++)
            add_merge(p, o, &list, n, &p->kernels[i]->merges[j]);
    if (*n)
        qsort(list, *n, sizeof(*list), by_weight);
    return list;
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
