#include "ask.h"
#include "results/reader/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

int64_t ask(const char *path, const char *query)
{
    char *error = NULL;
    struct ls_results *r = ls_results_open(path, &error);
    if (!r)
        fail_msg("%s", error);
    sqlite3_stmt *st = NULL;
    int64_t n = -1;
    if (sqlite3_prepare_v2(r->sql, query, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    ls_results_close(r);
    return n;
}
