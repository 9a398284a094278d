/* counts_page.c - the hardware's counters beside the models, as a person reads them. */
#include "selftest.h"
#include "cli/common/safe_output.h"

#include <stdbool.h>
#include <string.h>

static double number(const json_t *count, const char *key)
{
    return json_number_value(json_object_get(count, key));
}

bool selftest_as_our_model(const json_t *count)
{
    return number(count, "model") == number(count, "counted");
}

static void print_count(const json_t *count, FILE *out)
{
    fprintf(out, "  %-34s %-24s %8.0f, by our model %.0f, which is %s\n", json_text_of(count, "pattern"),
            json_text_of(count, "counter"), number(count, "counted"), number(count, "model"),
            json_text_of(count, "basis"));
}

static void add(const json_t *counts, size_t *n, size_t *same)
{
    size_t i;
    const json_t *count;
    json_array_foreach(counts, i, count) *same += selftest_as_our_model(count);
    *n += json_array_size(counts);
}

void selftest_counts_page(const json_t *file, FILE *out)
{
    size_t i, k, n = 0, same = 0;
    const json_t *step, *count;
    json_array_foreach(json_object_get(file, "steps"), i, step)
        add(json_object_get(step, "counts"), &n, &same);
    if (!n)
        return;
    fprintf(out, "\nCounters of rocprofv3: %zu of %zu as our model has them\n", same, n);
    json_array_foreach(json_object_get(file, "steps"), i, step)
        json_array_foreach(json_object_get(step, "counts"), k, count) if (!selftest_as_our_model(count))
            print_count(count, out);
}
