/* compare_figures.c - what several self-tests measured (selftest/figures.h). */
#include "selftest.h"
#include "cli/common/safe_output.h"

#include <stdlib.h>

/* Adds a file's values to lists by name and unit: the first of each name. */
static void collect(const json_t *file, json_t *lists)
{
    size_t i, k;
    json_t *seen = json_object();
    const json_t *step, *figure;
    json_array_foreach(json_object_get(file, "steps"), i, step)
        json_array_foreach(json_object_get(step, "figures"), k, figure)
    {
        const char *name = json_text_of(figure, "name");
        json_t *value = json_object_get(figure, "value"), *list = json_object_get(lists, name);
        if (!json_is_number(value) || json_object_get(seen, name))
            continue;
        if (!list) {
            list = json_pack("{s:s, s:[]}", "unit", json_text_of(figure, "unit"), "values");
            json_object_set_new(lists, name, list);
        }
        json_object_set_new(seen, name, json_true());
        json_array_append(json_object_get(list, "values"), value);
    }
    json_decref(seen);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_list(const char *name, const json_t *list, FILE *out)
{
    const json_t *values = json_object_get(list, "values");
    size_t n = json_array_size(values);
    double *all = calloc(n + 1, sizeof *all);
    for (size_t i = 0; all && i < n; i++)
        all[i] = json_number_value(json_array_get(values, i));
    if (all) {
        qsort(all, n, sizeof *all, by_value);
        fprintf(out, "  %-50s %.4g to %.4g %s, half of %zu up to %.4g\n", name, all[0], all[n - 1],
                json_text_of(list, "unit"), n, all[(n - 1) / 2]);
    }
    free(all);
}

void selftest_compare_figures(json_t *const *files, size_t n, FILE *out)
{
    json_t *lists = json_object(), *list;
    const char *name;
    for (size_t i = 0; i < n; i++)
        collect(files[i], lists);
    json_object_foreach(lists, name, list) print_list(name, list, out);
    json_decref(lists);
}
