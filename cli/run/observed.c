#include "observed.h"
#include "cli/common/cli.h"
#include "results/reader/reader.h"

#include <stdlib.h>

static bool observed_in(const char *path)
{
    char *error = NULL;
    struct ls_results *r = ls_results_open(path, &error);
    sqlite3_stmt *st = NULL;
    bool found = r &&
                 sqlite3_prepare_v2(r->sql, "SELECT 1 FROM dispatch WHERE observed LIMIT 1", -1, &st, NULL) ==
                     SQLITE_OK &&
                 sqlite3_step(st) == SQLITE_ROW;
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
