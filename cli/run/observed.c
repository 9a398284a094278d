#include "observed.h"
#include "cli/common/cli.h"
#include "results/reader/filters.h"
#include "results/reader/reader.h"

#include <stdlib.h>

/* Of an observed dispatch, whether something of it was: a kernel without accesses has nothing to report, but where a filter
 * chose wavefronts (--blocks, --sample-waves), nothing means that it chose none. */
static bool counts(sqlite3_stmt *st)
{
    char *filters =
        sqlite3_column_int(st, 0) ? NULL : ls_filters_text((const char *)sqlite3_column_text(st, 1));
    free(filters);
    return !filters;
}

static bool observed_in(const char *path)
{
    static const char dispatches[] =
        "SELECT d.messages > 0 OR EXISTS (SELECT 1 FROM value v WHERE v.dispatch = d.id), p.options"
        " FROM dispatch d LEFT JOIN process p ON p.id = d.process WHERE d.observed";
    char *error = NULL;
    struct ls_results *r = ls_results_open(path, &error);
    sqlite3_stmt *st = NULL;
    bool found = false;
    if (r && sqlite3_prepare_v2(r->sql, dispatches, -1, &st, NULL) == SQLITE_OK)
        while (!found && sqlite3_step(st) == SQLITE_ROW)
            found = counts(st);
    sqlite3_finalize(st);
    ls_results_close(r);
    if (error)
        message_free(error);
    return found;
}

bool anything_observed(const struct found *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (observed_in(f->names[i]))
            return true;
    message("--require-observed: no dispatch of a kernel was observed%s",
            f->n_live ? " by a process that has ended" : "");
    return false;
}
