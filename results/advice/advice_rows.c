/* advice_rows.c - see advice_rows.h. */
#include "advice_rows.h"
#include "advice_triton.h"
#include "results/file/error_text.h"
#include "results/reader/saturate.h"
#include "results/profile/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ls_say(struct ls_sentences *s, struct ls_advice_item item, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (vasprintf(&item.text, format, ap) >= 0)
        *LS_PUSH(s->items, s->n) = item;
    else {
        free(item.change);
        free(item.where);
    }
    va_end(ap);
}

struct ls_advice_item ls_change_of(char *what, struct ls_advice_number number)
{
    return (struct ls_advice_item){
        .kind = LS_ADVICE_CHANGE, .change = what, .number = {number}, .n_numbers = 1};
}

struct ls_advice_item ls_change_of_two(char *what, struct ls_advice_number a, struct ls_advice_number b)
{
    struct ls_advice_item item = ls_change_of(what, a);
    item.number[item.n_numbers++] = b;
    return item;
}

void ls_put_before(char **text, const char *before)
{
    char *both = *text && before ? ls_text("%s%s", before, *text) : NULL;
    if (!both)
        return;
    free(*text);
    *text = both;
}

const char *ls_commas(int64_t n)
{
    static char text[8][32];
    static unsigned next;
    char digits[24], *p = text[next++ % 8], *start = p;
    int length = snprintf(digits, sizeof(digits), "%" PRId64, n);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = 0;
    return start;
}

int64_t ls_row_integer(const json_t *row, const char *key)
{
    return json_integer_value(json_object_get(row, key));
}

const char *ls_row_string(const json_t *row, const char *key)
{
    const char *s = json_string_value(json_object_get(row, key));
    return s ? s : "";
}

/* ---- what the handler can have written: a database may hold anything ---- */

static bool is_in(const char *const *list, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i], key))
            return true;
    return false;
}

/* A number of a member: a distance may go either way, a size has 32 bits. */
static bool is_number_of(const char *key, const json_t *x)
{
    static const char *const distances[] = {"step", "stride"}, *const counts[] = {
                                                                   "executions",      "replayed",
                                                                   "step_executions", "conflicts",
                                                                   "array_conflicts", "cycles",
                                                                   "array_cycles",    "address",
                                                                   "aggregated",      "aggregated_address",
                                                                   "copied",          "copied_address",
                                                                   "lines",           "needed",
                                                                   "after",           "whole",
                                                                   "pieces",          "active",
                                                                   "pairs",           "step_pairs",
                                                                   "empty",           "bytes",
                                                                   "piece_bytes"};
    const int64_t n = json_integer_value(x);
    if (is_in(distances, sizeof distances / sizeof *distances, key))
        return n != INT64_MIN;
    return n >= 0 && (n <= UINT32_MAX || is_in(counts, sizeof counts / sizeof *counts, key));
}

/* All numbers of a value, each judged by the member that it, or its list, is. */
static bool has_its_numbers(const char *key, const json_t *x)
{
    size_t i;
    const char *name;
    json_t *part;
    if (json_is_real(x))
        return false;
    if (json_is_integer(x))
        return is_number_of(key, x);
    json_array_foreach(x, i, part)
    {
        if (!has_its_numbers(key, part))
            return false;
    }
    json_object_foreach((json_t *)x, name, part)
    {
        if (!has_its_numbers(name, part))
            return false;
    }
    return true;
}

/* The first is a part of the second, where the row has both. */
static bool is_part(const json_t *row, const char *part, const char *whole)
{
    return !json_object_get(row, part) || !json_object_get(row, whole) ||
           ls_row_integer(row, part) <= ls_row_integer(row, whole);
}

static bool has_its_changes(const json_t *row)
{
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(row, "changes"), i, x)
    {
        const char *kind = ls_row_string(x, "kind");
        const int64_t pitch = ls_row_integer(x, "pitch"), to = ls_row_integer(x, "to");
        const bool grows = !strcmp(kind, "pad") || !strcmp(kind, "grow");
        if (pitch <= 0 || (grows && to <= pitch) || !is_part(x, "conflicts", "array_conflicts") ||
            !is_part(x, "cycles", "array_cycles"))
            return false;
    }
    return true;
}

static bool can_be_written(const json_t *row)
{
    return json_is_object(row) && has_its_numbers("", row) && has_its_changes(row) &&
           is_part(row, "replayed", "executions") && is_part(row, "step_executions", "replayed") &&
           is_part(row, "step_pairs", "pairs") && is_part(row, "conflicts", "array_conflicts") &&
           is_part(row, "cycles", "array_cycles") &&
           ls_row_integer(row, "active") <=
               ls_multiply(ls_row_integer(row, "executions"), ls_row_integer(row, "lanes"), NULL);
}

struct ls_rows ls_rows_of(const struct ls_p_kernel *k, const struct ls_p_line *line, const char *table)
{
    struct ls_rows r = {.triton = ls_triton_line(k, line), .kernel = k->name, .observed = k->observed};
    r.atomic = r.triton && ls_triton_atomic(k, line);
    r.has_tile = ls_compiler_tile(k, line, &r.tile);
    size_t n_of = 0;
    for (size_t i = 0; i < k->n_rows; i++) {
        const struct ls_p_row *row = &k->rows[i];
        if (row->line != line || strcmp(row->handler, LS_ADVICE_HANDLER) || strcmp(row->table, table))
            continue;
        json_t *json = ls_row_content(row);
        if (can_be_written(json)) {
            *LS_PUSH(r.row, r.n) = json;
            *LS_PUSH(r.of, n_of) = row;
        }
    }
    return r;
}

void ls_rows_free(struct ls_rows *r)
{
    free(r->row);
    free(r->of);
}

int64_t ls_rows_sum(const struct ls_rows *r, const char *key)
{
    int64_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        n = ls_add(n, ls_row_integer(r->row[i], key), NULL);
    return n;
}

bool ls_rows_have(const struct ls_rows *r, const char *key)
{
    for (size_t i = 0; i < r->n; i++)
        if (!json_object_get(r->row[i], key))
            return false;
    return true;
}

double ls_rows_part(const struct ls_rows *r)
{
    int64_t all = ls_rows_sum(r, "executions"), some = ls_rows_sum(r, "replayed");
    return some < all ? (double)some / (double)all : 1;
}

char *ls_rows_with_step(const struct ls_rows *r)
{
    int64_t all = ls_rows_sum(r, "replayed"), some = ls_rows_sum(r, "step_executions");
    if (!ls_rows_have(r, "step_executions") || some < 0 || some >= all)
        return NULL;
    double percent = 100.0 * (double)some / (double)all;
    return ls_text("in %.3g %% of the accesses%s ", percent < 99.9 ? percent : 99.9,
                   ls_rows_part(r) < 1 ? " that were replayed" : "");
}

bool ls_rows_most(const struct ls_rows *r)
{
    return ls_rows_sum(r, "step_pairs") < ls_rows_sum(r, "pairs");
}

const char *ls_rows_share(const struct ls_rows *r)
{
    static char text[64];
    int64_t all = ls_rows_sum(r, "executions"), some = ls_rows_sum(r, "replayed");
    *text = 0;
    if (some < all)
        snprintf(text, sizeof(text), " (of the %.0f %% of the accesses that were replayed)",
                 100.0 * (double)some / (double)all);
    return text;
}

const char *ls_rows_dispatches(const struct ls_rows *r)
{
    static char text[128];
    const int64_t n = ls_rows_n_dispatches(r);
    *text = 0;
    if (n < r->observed)
        snprintf(text, sizeof(text), " (in %" PRId64 " of %" PRId64 " dispatches: the other%s not tried)", n,
                 r->observed,
                 r->observed - n == 1 ? " has no conflicts now, and was"
                                      : "s have no conflicts now, and were");
    return text;
}
