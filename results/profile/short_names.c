/* Short names of files (profile.h). */
#include "profile_internal.h"

#include <stdlib.h>
#include <string.h>

/* The last `components` components of a path. */
static const char *tail(const char *path, size_t components)
{
    const char *p = path + strlen(path);
    while (p > path) {
        if (p[-1] == '/' && --components == 0)
            return p;
        p--;
    }
    return path;
}

/* The character `i` from the end: none before '/', which is before all others, so that in the order of paths by their ends
 * all that have some last components in common stand together. */
static unsigned from_end(const char *path, size_t length, size_t i)
{
    const unsigned char c = i < length ? (unsigned char)path[length - 1 - i] : 0;
    return i >= length ? 0 : c == '/' ? 1 : c + 2U;
}

static int compare_ends(const char *a, const char *b, size_t *components)
{
    const size_t n = strlen(a), m = strlen(b);
    *components = 0;
    for (size_t i = 0;; i++) {
        const unsigned x = from_end(a, n, i), y = from_end(b, m, i);
        *components += x <= 1 && y <= 1;
        if (x != y || !x)
            return (x > y) - (x < y);
    }
}

static int by_ends(const void *a, const void *b)
{
    size_t components;
    return compare_ends(*(const char *const *)a, *(const char *const *)b, &components);
}

static void add_file(struct ls_p_texts *files, const char *file)
{
    if (*file && (!files->n || strcmp(files->items[files->n - 1], file)))
        *LS_PUSH(files->items, files->n) = file;
}

void ls_short_names_sort(struct ls_p_texts *files)
{
    size_t kept = 0;
    if (files->n)
        qsort(files->items, files->n, sizeof(*files->items), by_ends);
    for (size_t i = 0; i < files->n; i++)
        if (!kept || strcmp(files->items[kept - 1], files->items[i]))
            files->items[kept++] = files->items[i];
    files->n = kept;
}

void ls_profile_added(struct ls_profile *p)
{
    struct ls_p_texts *files = &p->by_ends;
    files->n = 0;
    ls_times_sort(&p->times);
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_lines; j++) {
            const struct ls_p_line *line = p->kernels[i]->lines[j];
            add_file(files, line->file);
            for (size_t c = 0; c < line->n_chain; c++)
                add_file(files, line->chain[c].file);
        }
    for (size_t i = 0; i < p->n_findings; i++)
        for (size_t j = 0; j < p->findings[i].n_sides; j++) {
            struct ls_finding_access *a = &p->findings[i].side[j];
            a->file = profile_spelled(p, a->file);
            add_file(files, a->file);
        }
    ls_short_names_sort(files);
}

const char *ls_profile_short(const struct ls_profile *p, const char *path)
{
    return ls_short_name(&p->by_ends, path);
}

const char *ls_short_name(const struct ls_p_texts *files, const char *path)
{
    size_t from = 0, to = files->n, most = 0, same;
    while (from < to) { /* the neighbours have most in common with it */
        const size_t middle = from + (to - from) / 2;
        const int order = compare_ends(path, files->items[middle], &same);
        if (order && same > most)
            most = same;
        if (order > 0)
            from = middle + 1;
        else
            to = middle;
    }
    for (size_t i = from; i < files->n && i <= from + 1; i++)
        if (compare_ends(path, files->items[i], &same) && same > most)
            most = same;
    return tail(path, most + 1);
}
