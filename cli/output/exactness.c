/* exactness.c - see exactness.h. */
#include "exactness.h"
#include "common/plural.h"
#include "names.h"
#include "terminal.h"
#include "common/names.h"
#include "results/file/error_text.h"

#include <stdlib.h>
#include <string.h>

const char *value_mark(const struct ls_profile *p, const struct ls_p_line *line, size_t metric)
{
    bool exact = !ls_kernel_partial(line->kernel) && ls_value_exact(p, &line->values, metric);
    return exact ? "" : INEXACT_MARK;
}

/* Places in the order in which they are named first; each text once. */
struct places {
    struct place {
        char *text;
        size_t order;
    } *items;
    size_t n;
};

static void add_place(struct places *places, char *text)
{
    if (text)
        *LS_PUSH(places->items, places->n) = (struct place){text, places->n};
}

static int by_text(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const int order = strcmp(x->text, y->text);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int by_order(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Sorted twice: a stranger's file may have very many. */
static void keep_first(struct places *places)
{
    size_t kept = 0;
    if (places->n)
        qsort(places->items, places->n, sizeof(*places->items), by_text);
    for (size_t i = 0; i < places->n; i++)
        if (kept && !strcmp(places->items[kept - 1].text, places->items[i].text))
            free(places->items[i].text);
        else
            places->items[kept++] = places->items[i];
    places->n = kept;
    if (kept)
        qsort(places->items, kept, sizeof(*places->items), by_order);
}

/* "; 6 estimated: a.hip:12, b.hip:3 and 2 more lines". */
static void print_places(struct places *places, const char *what, size_t count, size_t most, FILE *out)
{
    keep_first(places);
    for (size_t i = 0; i < places->n && (!most || i < most); i++) {
        if (!i)
            fprintf(out, "; %s %s: ", show_count((double)count), what);
        fprintf(out, "%s%s", i ? ", " : "", places->items[i].text);
    }
    if (most && places->n > most)
        fprintf(out, " and %zu more %s", places->n - most,
                ls_word((double)(places->n - most), "line", "lines"));
    for (size_t i = 0; i < places->n; i++)
        free(places->items[i].text);
    free(places->items);
}

static void print_estimated(const struct ls_profile *p, bool full_paths, size_t count, size_t most, FILE *out)
{
    struct places places = {0};
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_lines; j++)
            if (p->kernels[i]->lines[j]->n_estimated)
                add_place(&places, line_title(p, p->kernels[i]->lines[j], full_paths));
    print_places(&places, "estimated", count, most, out);
}

static void print_not_counted(const struct ls_profile *p, bool full_paths, size_t count, size_t most,
                              FILE *out)
{
    struct places places = {0};
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct ls_p_kernel *k = p->kernels[i];
        const size_t n = ls_kernel_exactness(k).not_counted ? k->n_unexplained : 0;
        for (size_t j = 0; j < n; j++) {
            const struct ls_p_unexplained *u = &k->unexplained[j];
            const char *file = full_paths ? u->file : ls_base_name(u->file);
            if (u->executions && !u->arguments)
                add_place(&places, u->line ? ls_text("%s:%u", file, u->line) : strdup("no line"));
        }
    }
    print_places(&places, "not counted", count, most, out);
}

/* "99.5 %"; 100 only when it is all. */
static double percent_exact(struct ls_exactness e)
{
    size_t exact = e.executed - e.estimated - e.not_counted;
    const unsigned long long tenths = 1000 * (unsigned long long)exact / (e.executed ? e.executed : 1);
    return exact == e.executed ? 100 : (double)tenths / 10;
}

/* Why kernels have only a part of their numbers; each reason once. */
static void print_partial(const struct ls_profile *p, FILE *out)
{
    const char *last = NULL;
    char *seen = NULL;
    for (size_t i = 0; i < p->n_kernels; i++) {
        char *reason = p->kernels[i]->observed ? ls_kernel_reason(p->kernels[i]) : NULL;
        if (reason && (!last || strcmp(last, reason)))
            fprintf(out, "; but %s", reason);
        if (reason) {
            free(seen);
            last = seen = reason;
        }
    }
    free(seen);
}

char *exactness_text(const struct ls_profile *p, bool full_paths, size_t most)
{
    struct ls_exactness e = ls_exactness(p);
    char *text = NULL;
    size_t size = 0;
    FILE *out = e.executed ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    fprintf(out, "%s of %s executed memory instruction%s %s exact (%g %%)",
            show_count((double)(e.executed - e.estimated - e.not_counted)), show_count((double)e.executed),
            e.executed == 1 ? "" : "s", e.executed == 1 ? "is" : "are", percent_exact(e));
    print_estimated(p, full_paths, e.estimated, most, out);
    print_not_counted(p, full_paths, e.not_counted, most, out);
    print_partial(p, out);
    fclose(out);
    return text;
}
