/* advice_which.c - a line may have several accesses, and each dispatch its own: which of them a sentence is about. */
#include "advice_rows.h"
#include "results/file/error_text.h"
#include "results/reader/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What tells rows of a line apart: {column}, or {recording, dispatch}. */
struct key {
    int64_t part[2];
};

static struct key column_of(const struct ls_p_row *row)
{
    return (struct key){{row->column}};
}

static struct key dispatch_of(const struct ls_p_row *row)
{
    return (struct key){{(int64_t)row->database, row->dispatch}};
}

static int compare_keys(const void *x, const void *y)
{
    const struct key *a = x, *b = y;
    const int first = (a->part[0] > b->part[0]) - (a->part[0] < b->part[0]);
    return first ? first : (a->part[1] > b->part[1]) - (a->part[1] < b->part[1]);
}

/* The keys of some rows, each once, ascending. */
struct keys {
    struct key (*of)(const struct ls_p_row *);
    struct key *key;
    size_t n;
};

static struct keys keys_of(const struct ls_rows *r, struct key (*of)(const struct ls_p_row *))
{
    struct keys keys = {of, ls_realloc(NULL, (r->n + 1) * sizeof *keys.key), 0};
    for (size_t i = 0; i < r->n; i++)
        keys.key[i] = of(r->of[i]);
    qsort(keys.key, r->n, sizeof *keys.key, compare_keys);
    for (size_t i = 0; i < r->n; i++)
        if (!keys.n || compare_keys(&keys.key[keys.n - 1], &keys.key[i]))
            keys.key[keys.n++] = keys.key[i];
    return keys;
}

static bool has_key(const struct keys *keys, const struct ls_p_row *row)
{
    const struct key key = keys->of(row);
    return bsearch(&key, keys->key, keys->n, sizeof key, compare_keys) != NULL;
}

/* Whether rows have keys that are not among these. */
static bool has_other(const struct ls_rows *r, const struct keys *keys)
{
    for (size_t i = 0; i < r->n; i++)
        if (!has_key(keys, r->of[i]))
            return true;
    return false;
}

/* "column 15", "columns 15, 31". */
static void put_columns(FILE *out, const struct keys *columns)
{
    enum { SHOWN = 8 };
    fputs(columns->n == 1 ? "column" : "columns", out);
    for (size_t i = 0; i < columns->n && i < SHOWN; i++)
        fprintf(out, "%s %" PRId64, i ? "," : "", columns->key[i].part[0]);
    fputs(columns->n > SHOWN ? ", ..." : "", out);
}

int64_t ls_rows_n_dispatches(const struct ls_rows *r)
{
    int64_t n = 0;
    for (size_t i = 0; i < r->n; i++) { /* stored dispatch by dispatch */
        const struct key this = dispatch_of(r->of[i]), last = dispatch_of(r->of[i ? i - 1 : 0]);
        n += !i || compare_keys(&this, &last);
    }
    return n;
}

/* Executions of the line; 0: unknown. */
static double executions_of(const struct ls_profile *p, const struct ls_p_line *line)
{
    double all = 0, mean;
    return ls_accesses(p, &line->values, NULL, &all, &mean) ? all : 0;
}

void ls_put_executions(FILE *out, int64_t executions, double all)
{
    if ((double)executions < all)
        fprintf(out, "%s of the line's %s executions", ls_commas(executions), ls_commas(ls_whole(all)));
    else
        fputs("a part of the line's executions", out);
}

/* Columns are those of the line's innermost place: they tell something where that is what the line is called, and where it has
 * others, with or without rows; but those of accesses that one instruction does together have no rows of their own. */
static bool tells_columns(const struct ls_p_line *line, const struct ls_rows *all, const struct keys *columns)
{
    for (size_t i = 0; i < all->n; i++)
        if (!all->of[i]->column)
            return false;
    return !line->title_depth &&
           (has_other(all, columns) || (!line->isa_merged && line->n_columns > columns->n));
}

/* Whether a row that is not of the part has what is told of it; NULL: is not told. */
static bool is_mixed(const struct ls_rows *all, const struct ls_rows *part, const struct keys *columns,
                     const struct keys *dispatches)
{
    for (size_t i = 0, k = 0; i < all->n; i++) { /* the part's rows are in the order of all */
        if (k < part->n && part->row[k] == all->row[i])
            k++;
        else if ((!columns || has_key(columns, all->of[i])) &&
                 (!dispatches || has_key(dispatches, all->of[i])))
            return true;
    }
    return false;
}

static void put_which(FILE *out, const struct ls_profile *p, const struct ls_p_line *line,
                      const struct ls_rows *all, const struct ls_rows *part)
{
    struct keys columns = keys_of(part, column_of), dispatches = keys_of(part, dispatch_of);
    const bool by_column = tells_columns(line, all, &columns), by_dispatch = has_other(all, &dispatches);
    if (by_column)
        put_columns(out, &columns);
    if (by_dispatch)
        fprintf(out, "%sin %zu of %" PRId64 " dispatches", by_column ? ", " : "", dispatches.n,
                all->observed);
    if (is_mixed(all, part, by_column ? &columns : NULL, by_dispatch ? &dispatches : NULL)) {
        fputs(by_column || by_dispatch ? ", in " : "in ", out);
        ls_put_executions(out, ls_rows_sum(part, "executions"), executions_of(p, line));
    }
    free(columns.key);
    free(dispatches.key);
}

char *ls_rows_which(const struct ls_profile *p, const struct ls_p_line *line, const struct ls_rows *all,
                    const struct ls_rows *part)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    put_which(out, p, line, all, part);
    fclose(out);
    char *named = *text ? ls_text("%s: ", text) : NULL;
    free(text);
    return named;
}
