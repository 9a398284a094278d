/* page.c - what a person reads of a self-test. */
#include "cli/common/safe_output.h"
#include "selftest.h"

#include <string.h>

static bool step_has_counters(const json_t *step)
{
    return !strcmp(json_text_of(step, "part"), "counters");
}

static void print_partition(const json_t *partition, FILE *out)
{
    if (partition)
        fprintf(out, ", partition %" JSON_INTEGER_FORMAT " of %s, %s",
                json_integer_value(json_object_get(partition, "number")), json_text_of(partition, "compute"),
                json_text_of(partition, "memory"));
}

static void print_head(const json_t *file, FILE *out)
{
    const json_t *who = selftest_part(file, "identity");
    fprintf(out, "Lanescope %s self-test on %s%s", json_text_of(file, "version"),
            json_is_true(json_object_get(file, "software_gpu")) ? "the software GPU as " : "",
            json_text_of(file, "gpu"));
    if (json_object_get(who, "compute_units"))
        fprintf(out, ": %" JSON_INTEGER_FORMAT " compute units, wavefronts of %" JSON_INTEGER_FORMAT " lanes",
                json_integer_value(json_object_get(who, "compute_units")),
                json_integer_value(json_object_get(who, "lanes")));
    print_partition(json_object_get(who, "partition"), out);
    fputs("\n\n", out);
}

/* How much went through: of the steps that count. */
static void print_counts(const json_t *step, FILE *out)
{
    size_t i, n = 0;
    json_int_t accesses = 0;
    const json_t *row, *dropped = json_object_get(step, "dropped"), *seen = json_object_get(step, "seen");
    json_array_foreach(json_object_get(step, "observed"), i, row)
    {
        const json_t *launches = json_object_get(row, "launches");
        accesses += json_integer_value(json_object_get(row, "accesses"));
        n += launches ? (size_t)json_integer_value(launches) : 1;
    }
    if (n)
        fprintf(out, "  %zu launch%s, %" JSON_INTEGER_FORMAT " accesses", n, n == 1 ? "" : "es", accesses);
    if (dropped)
        fprintf(out,
                "  %" JSON_INTEGER_FORMAT " messages arrived, %" JSON_INTEGER_FORMAT
                " were dropped and counted",
                json_integer_value(seen), json_integer_value(dropped));
    else if (seen)
        fprintf(out, "  %" JSON_INTEGER_FORMAT " accesses", json_integer_value(seen));
}

void selftest_page(const json_t *file, FILE *out)
{
    size_t i, k;
    const json_t *step, *problem;
    print_head(file, out);
    json_array_foreach(json_object_get(file, "steps"), i, step)
    {
        const json_t *problems = json_object_get(step, "problems");
        const char *skipped = json_text_of(step, "skipped");
        const bool more = json_array_size(json_object_get(step, "observed")) ||
                          json_object_get(step, "dropped") || *skipped;
        fprintf(out, "  %-5s %-*s",
                json_array_size(problems) ? "FAIL"
                : *skipped                ? "-"
                                          : "ok",
                more ? 18 : 0, json_text_of(step, "step"));
        print_counts(step, out);
        if (*skipped)
            fprintf(out, "  not %s: %s", step_has_counters(step) ? "counted" : "tested", skipped);
        fputc('\n', out);
        json_array_foreach(problems, k, problem)
            fprintf(out, "        %s\n", json_is_string(problem) ? json_string_value(problem) : "");
    }
    selftest_figures_page(file, out);
    selftest_lds_page(file, out);
    selftest_counts_page(file, out);
}
