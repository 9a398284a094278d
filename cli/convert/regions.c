/* regions.c - see regions.h. */
#include "regions.h"

#include <stdlib.h>

/* Launches and pushed ranges in the order of threads and times; ranges come before what was launched at once. */
struct moment {
    int64_t thread, ns;
    const struct ls_a_marker *range; /* NULL: a launch */
    size_t launch;
};

static int by_thread(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    return x->thread != y->thread   ? (x->thread < y->thread ? -1 : 1)
           : x->ns != y->ns         ? (x->ns < y->ns ? -1 : 1)
           : !x->range != !y->range ? (x->range ? -1 : 1)
           : x->range != y->range   ? (x->range < y->range ? -1 : 1) /* outer ones stand first */
                                    : 0;
}

static struct moment *moments_of(const struct trace_part *p, size_t *n)
{
    struct moment *list = NULL;
    *n = 0;
    for (size_t i = 0; i < p->n_markers; i++)
        if (p->markers[i].kind == LS_A_PUSHED)
            *LS_PUSH(list, *n) =
                (struct moment){p->markers[i].thread, p->markers[i].start, &p->markers[i], 0};
    for (size_t i = 0; i < p->n_launches; i++)
        if (p->launches[i]->thread)
            *LS_PUSH(list, *n) = (struct moment){p->launches[i]->thread, p->launches[i]->submit, NULL, i};
    if (*n)
        qsort(list, *n, sizeof(*list), by_thread);
    return list;
}

static bool over(const struct ls_a_marker *range, int64_t ns)
{
    return range->end && range->end < ns;
}

const char **regions_of(const struct trace_part *p)
{
    size_t n, depth = 0, most = 0;
    const char **texts = ls_realloc(NULL, (p->n_launches + 1) * sizeof(*texts));
    struct moment *list = moments_of(p, &n);
    const struct ls_a_marker **open = NULL;
    for (size_t i = 0; i < p->n_launches; i++)
        texts[i] = "";
    for (size_t i = 0; i < n; i++) {
        const struct moment *m = &list[i];
        if (i && m->thread != list[i - 1].thread)
            depth = 0;
        while (depth && over(open[depth - 1], m->ns))
            depth--;
        if (m->range && depth == most)
            *LS_PUSH(open, most) = m->range;
        else if (m->range)
            open[depth] = m->range;
        else if (depth)
            texts[m->launch] = open[depth - 1]->text;
        depth += m->range != NULL;
    }
    free(open);
    free(list);
    return texts;
}
