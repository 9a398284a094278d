/* check.c - holds what was observed of a step against what its part expected (selftest/expect.h). */
#include "results/reader/reader.h"
#include "cli/common/safe_output.h"
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL "work_stores"

static bool is_ours(const struct ls_results *r, int64_t id)
{
    for (size_t i = 0; i < r->n_kernels; i++)
        if (r->kernels[i].id == id)
            return !strcmp(r->kernels[i].mangled, KERNEL);
    return false;
}

static int by_dispatch(const void *a, const void *b)
{
    int64_t x = ((const struct ls_r_row *)a)->dispatch, y = ((const struct ls_r_row *)b)->dispatch;
    return (x > y) - (x < y);
}

static json_int_t number(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

static void compare(json_t *o, const char *which, const json_t *want, const json_t *got)
{
    static const char *const counts[] = {"accesses", "lanes", "waves"};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        if (number(want, counts[i]) != number(got, counts[i]))
            step_problem(o, "%s: %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " %s arrived", which,
                         number(got, counts[i]), number(want, counts[i]), counts[i]);
    if (number(got, "xccs") < number(want, "xccs"))
        step_problem(o,
                     "%s: its work-groups are said to be of %" JSON_INTEGER_FORMAT
                     " dies (XCCs) instead of %" JSON_INTEGER_FORMAT,
                     which, number(got, "xccs"), number(want, "xccs"));
    if (strcmp(json_text_of(want, "sum"), json_text_of(got, "sum")))
        step_problem(o, "%s: the addresses add up to %s instead of %s", which, json_text_of(got, "sum"),
                     json_text_of(want, "sum"));
}

/* The rows of our kernel in order of launch; returns how many. */
static size_t our_rows(const struct ls_results *r, struct ls_r_row *rows, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (is_ours(r, rows[i].kernel) && !strcmp(rows[i].table, "observed"))
            rows[kept++] = rows[i];
    if (kept)
        qsort(rows, kept, sizeof *rows, by_dispatch);
    return kept;
}

static void check_exact(const struct ls_results *r, struct ls_r_row *rows, size_t n, json_t *o)
{
    const json_t *expect = json_object_get(o, "expect");
    json_t *observed = json_array();
    n = our_rows(r, rows, n);
    json_object_set_new(o, "observed", observed);
    if (n != json_array_size(expect))
        step_problem(o, "%zu of %zu launches were observed", n, json_array_size(expect));
    for (size_t i = 0; i < n && i < json_array_size(expect); i++) {
        json_t *got = json_loads(rows[i].json, 0, NULL);
        char which[32];
        snprintf(which, sizeof which, "launch %zu", i + 1);
        compare(o, which, json_array_get(expect, i), got);
        json_array_append_new(observed, got ? got : json_null());
    }
}

/* Of many launches: one object says what all of them together did, and the same is shown of what was observed. */
static void check_totals(const struct ls_results *r, struct ls_r_row *rows, size_t n, json_t *o)
{
    const json_t *want = json_array_get(json_object_get(o, "expect"), 0);
    json_int_t accesses = 0, lanes = 0, waves = 0;
    uint64_t sum = 0;
    n = our_rows(r, rows, n);
    for (size_t i = 0; i < n; i++) {
        json_t *got = json_loads(rows[i].json, 0, NULL);
        accesses += number(got, "accesses");
        lanes += number(got, "lanes");
        waves += number(got, "waves");
        sum += strtoull(json_text_of(got, "sum"), NULL, 16);
        json_decref(got);
    }
    json_t *all =
        json_pack("{s:I, s:I, s:I, s:I, s:o}", "launches", (json_int_t)n, "accesses", accesses, "lanes",
                  lanes, "waves", waves, "sum", json_sprintf("%016llx", (unsigned long long)sum));
    if (number(want, "launches") != number(all, "launches"))
        step_problem(o, "%zu of %" JSON_INTEGER_FORMAT " launches were observed", n,
                     number(want, "launches"));
    compare(o, "all launches", want, all);
    json_object_set_new(o, "observed", json_pack("[o]", all));
}

/* The sum of a count over all launches. */
static json_int_t expected(const json_t *o, const char *key)
{
    json_int_t sum = 0;
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(o, "expect"), i, one) sum += number(one, key);
    return sum;
}

/* With drop, each message counts once: that of an access, and that of a wavefront's end. */
static void check_dropped(const struct ls_results *r, struct ls_r_row *rows, size_t n, json_t *o)
{
    json_int_t seen = 0, dropped = 0;
    n = our_rows(r, rows, n);
    for (size_t i = 0; i < n; i++) {
        json_t *got = json_loads(rows[i].json, 0, NULL);
        seen += number(got, "accesses") + number(got, "waves");
        json_decref(got);
    }
    for (size_t i = 0; i < r->n_dispatches; i++)
        if (is_ours(r, r->dispatches[i].kernel))
            dropped += r->dispatches[i].dropped;
    json_object_set_new(o, "seen", json_integer(seen));
    json_object_set_new(o, "dropped", json_integer(dropped));
    json_int_t all = expected(o, "accesses") + expected(o, "waves");
    if (seen + dropped != all)
        step_problem(o,
                     "%" JSON_INTEGER_FORMAT " messages arrived and %" JSON_INTEGER_FORMAT
                     " were counted as dropped, of %" JSON_INTEGER_FORMAT,
                     seen, dropped, all);
}

static const char *metric_name(const struct ls_results *r, int64_t id)
{
    for (size_t i = 0; i < r->n_metrics; i++)
        if (r->metrics[i].id == id)
            return r->metrics[i].name;
    return "";
}

static void check_summary(struct ls_results *r, json_t *o)
{
    struct ls_r_total *totals = NULL;
    size_t n = 0;
    json_int_t seen = 0;
    char *error = NULL;
    if (ls_results_totals(r, &totals, &n, &error)) {
        step_problem(o, "the recording has no totals");
        free(error);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (is_ours(r, totals[i].kernel) && !strcmp(metric_name(r, totals[i].metric), "Executions"))
            seen += totals[i].value;
    free(totals);
    json_object_set_new(o, "seen", json_integer(seen));
    if (seen != expected(o, "accesses"))
        step_problem(o, "%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " accesses were counted", seen,
                     expected(o, "accesses"));
}

void step_check(const struct step *s, const char *database, json_t *o)
{
    char *error = NULL;
    struct ls_r_row *rows = NULL;
    size_t n = 0;
    struct ls_results *r = ls_results_open(database, &error);
    if (!r || ls_results_load(r, &error) || ls_results_rows(r, &rows, &n, &error)) {
        step_problem(o, "there is no recording of it");
        free(error);
    } else if (s->check == STEP_SUMMARY) {
        check_summary(r, o);
    } else if (s->check == STEP_TOTALS) {
        check_totals(r, rows, n, o);
    } else if (s->check == STEP_DROPPED) {
        check_dropped(r, rows, n, o);
    } else {
        check_exact(r, rows, n, o);
    }
    free(rows);
    if (r)
        ls_results_close(r);
}
