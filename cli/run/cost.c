/* cost.c - see cost.h. */
#include "cost.h"
#include "cli/common/cli.h"
#include "cli/output/terminal.h"
#include "lanescope/defaults.h"
#include "results/reader/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct observing_cost *c, const char *path)
{
    static const char sql[] =
        "SELECT count(DISTINCT CASE WHEN observed THEN kernel END), count(*), total(observed), "
        "total(messages),"
        " total(bytes), (SELECT value FROM meta WHERE key = 'recording_ns') FROM dispatch";
    char *error = NULL;
    struct ls_results *r = ls_results_open(path, &error);
    sqlite3_stmt *st = NULL;
    if (r && sqlite3_prepare_v2(r->sql, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW) {
        c->kernels += sqlite3_column_int64(st, 0);
        c->dispatches += sqlite3_column_int64(st, 1);
        c->observed += sqlite3_column_int64(st, 2);
        c->messages += sqlite3_column_int64(st, 3);
        c->bytes += sqlite3_column_int64(st, 4);
        c->ns += sqlite3_column_int64(st, 5);
    }
    sqlite3_finalize(st);
    ls_results_close(r);
    free(error); /* the summary has told it */
}

struct observing_cost observing_cost_of(const struct found *f)
{
    struct observing_cost c = {0};
    for (size_t i = 0; i < f->n; i++)
        add(&c, f->names[i]);
    return c;
}

/* Whether summary mode can be added to the settings: the handlers are those that it has by default, or some of them. */
static bool could_count(const struct effective *e)
{
    if (setting_true(e, SET_SUMMARY_MODE))
        return false;
    if (e->origin[SET_HANDLERS] == ORIGIN_DEFAULT)
        return true;
    char *names = strdup(e->value[SET_HANDLERS]), *rest = names, *name;
    bool all = names != NULL;
    while (all && (name = strsep(&rest, ",")))
        all = !strcmp(name, LS_LDS_HANDLER) || !strcmp(name, LS_GLOBAL_HANDLER);
    free(names);
    return all;
}

/* Which option makes it less, with the reason, in the order of what it takes from the results: one that the run did not
 * have, and can have. Static text; NULL: it was not much. */
static const char *observing_less(const struct observing_cost *c, const struct effective *e)
{
    enum { MANY_LAUNCHES = 100 };
    const int64_t many_messages = 10000000, long_ns = 10000000000;
    if (c->messages < many_messages && c->ns < long_ns)
        return NULL;
    if (c->observed > MANY_LAUNCHES * c->kernels && e->origin[SET_ITERATIONS] == ORIGIN_DEFAULT)
        return "--kernel-iteration-range '[1-2]' observes the first launches of each kernel only";
    const bool counts = could_count(e), whole = e->origin[SET_SAMPLE_WAVES] == ORIGIN_DEFAULT;
    if (counts && whole)
        return "--summary-mode counts on the GPU, with the same numbers; --preset quick takes a part";
    if (counts)
        return "--summary-mode counts on the GPU, with the same numbers";
    if (whole)
        return "--preset quick takes a part of the wavefronts and launches, and marks its numbers";
    return "--kernel-include-regex observes the kernels that it names only";
}

void observing_cost_print(const struct observing_cost *c, const struct effective *e)
{
    static const char prefix[] = "lanescope:   ";
    char *text = NULL;
    size_t size = 0;
    FILE *out = c->observed ? open_memstream(&text, &size) : NULL;
    if (!out)
        return;
    fprintf(out, "%sobserving %s of %s launch%s:", prefix, show_count((double)c->observed),
            show_count((double)c->dispatches), c->dispatches == 1 ? "" : "es");
    fprintf(out, " %s message%s,", show_count((double)c->messages), c->messages == 1 ? "" : "s");
    fprintf(out, " %s byte%s from the GPU", show_count((double)c->bytes), c->bytes == 1 ? "" : "s");
    if (c->ns)
        fprintf(out, ", %.2f s of processor time to decode and record", (double)c->ns * 1e-9);
    fputc('\n', out);
    const char *less = observing_less(c, e);
    if (less)
        fprintf(out, "%sless: %s\n", prefix, less);
    fclose(out);
    const struct terminal t = terminal_of(stderr);
    print_broken(&t, text, prefix, 2);
    free(text);
}
