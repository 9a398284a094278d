/* places.c - see places.h. */
#include "places.h"
#include "exact.h"
#include "results/reader/saturate.h"
#include "tables.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const void *x, const void *y)
{
    const struct ls_p_place *a = &(*(struct ls_p_line *const *)x)->title,
                            *b = &(*(struct ls_p_line *const *)y)->title;
    int c = strcmp(a->file, b->file);
    return c ? c : (a->line > b->line) - (a->line < b->line);
}

static int by_excess(const void *x, const void *y)
{
    const struct ls_source_line *a = x, *b = y;
    if (a->excess != b->excess)
        return (a->excess < b->excess) - (a->excess > b->excess);
    int c = strcmp(a->file, b->file);
    return c ? c : (a->line > b->line) - (a->line < b->line);
}

static void start(const struct ls_profile *p, struct ls_source_line *s, const struct ls_p_place *place)
{
    const size_t n = p->n_metrics;
    *s = (struct ls_source_line){.file = place->file, .line = place->line, .exact = true};
    s->values = (struct ls_p_values){.sum = ls_realloc(NULL, (n + 1) * sizeof(*s->values.sum)),
                                     .present = ls_realloc(NULL, (n + 1) * sizeof(bool)),
                                     .estimated = ls_realloc(NULL, (n + 1) * sizeof(bool)),
                                     .n = n};
    memset(s->values.sum, 0, n * sizeof(*s->values.sum));
    memset(s->values.present, 0, n * sizeof(bool));
    memset(s->values.estimated, 0, n * sizeof(bool));
}

static void add(const struct ls_profile *p, struct ls_source_line *s, const struct ls_p_line *line)
{
    const struct ls_p_values *v = &line->values;
    for (size_t i = 0; i < v->n; i++) {
        s->values.sum[i] = ls_add(s->values.sum[i], v->sum[i], NULL);
        s->values.present[i] |= v->present[i];
        s->values.estimated[i] |= v->estimated[i];
    }
    s->excess += ls_line_excess(p, line);
    s->exact &= ls_line_exact(p, line);
}

struct ls_source_line *ls_source_lines(const struct ls_profile *p, const struct ls_p_kernel *k, size_t *n)
{
    struct ls_source_line *list = NULL;
    struct ls_p_line **sorted = ls_realloc(NULL, (k->n_lines + 1) * sizeof(struct ls_p_line *));
    *n = 0;
    if (k->n_lines) {
        memcpy(sorted, k->lines, k->n_lines * sizeof(struct ls_p_line *));
        qsort(sorted, k->n_lines, sizeof(struct ls_p_line *), by_place);
    }
    for (size_t i = 0; i < k->n_lines; i++) {
        if (!sorted[i]->values.n)
            continue;
        if (!*n || strcmp(list[*n - 1].file, sorted[i]->title.file) ||
            list[*n - 1].line != sorted[i]->title.line) {
            struct ls_source_line *s = LS_PUSH(list, *n);
            start(p, s, &sorted[i]->title);
        }
        add(p, &list[*n - 1], sorted[i]);
    }
    free(sorted);
    if (*n)
        qsort(list, *n, sizeof(*list), by_excess);
    return list;
}

void ls_source_lines_free(struct ls_source_line *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(lines[i].values.sum);
        free(lines[i].values.present);
        free(lines[i].values.estimated);
    }
    free(lines);
}
