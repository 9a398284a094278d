/* exactness.c - see exactness.h. */
#include "exactness.h"
#include "names.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

const char *value_mark(const struct ls_profile *p, const struct ls_p_line *line, size_t metric)
{
    bool exact = !ls_kernel_partial(line->kernel) && ls_value_exact(p, &line->values, metric);
    return exact ? "" : INEXACT_MARK;
}

/* Each title of lines with estimates once. */
static struct ls_p_texts estimated_places(const struct ls_profile *p, bool full_paths)
{
    struct ls_p_texts places = {0};
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_lines; j++) {
            const struct ls_p_line *line = p->kernels[i]->lines[j];
            char *text = line->n_estimated ? line_title(p, line, full_paths) : NULL;
            size_t known = 0;
            while (text && known < places.n && strcmp(places.items[known], text))
                known++;
            if (text && known == places.n)
                *LS_PUSH(places.items, places.n) = text;
            else
                free(text);
        }
    return places;
}

/* "99.5 %"; 100 only when it is all. */
static double percent_exact(struct ls_exactness e)
{
    size_t exact = e.executed - e.estimated;
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
            show_count((double)(e.executed - e.estimated)), show_count((double)e.executed),
            e.executed == 1 ? "" : "s", e.executed == 1 ? "is" : "are", percent_exact(e));
    struct ls_p_texts places = estimated_places(p, full_paths);
    for (size_t i = 0; i < places.n && (!most || i < most); i++) {
        if (!i)
            fprintf(out, "; %s estimated: ", show_count((double)e.estimated));
        fprintf(out, "%s%s", i ? ", " : "", places.items[i]);
    }
    if (most && places.n > most)
        fprintf(out, " and %zu more lines", places.n - most);
    for (size_t i = 0; i < places.n; i++)
        free((char *)places.items[i]);
    free(places.items);
    print_partial(p, out);
    fclose(out);
    return text;
}
