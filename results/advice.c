#include "advice.h"
#include "saturate.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sentences {
    char **items;
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void say(struct sentences *s, const char *format, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, format);
    if (vasprintf(&text, format, ap) >= 0)
        *LS_PUSH(s->items, s->n) = text;
    va_end(ap);
}

/* "15,872"; static storage of four results. */
static const char *commas(int64_t n)
{
    static char text[4][32];
    static unsigned next;
    char digits[24], *p = text[next++ % 4], *start = p;
    int length = snprintf(digits, sizeof(digits), "%" PRId64, n);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = 0;
    return start;
}

static int64_t integer(const json_t *row, const char *key)
{
    return json_integer_value(json_object_get(row, key));
}

static const char *string(const json_t *row, const char *key)
{
    const char *s = json_string_value(json_object_get(row, key));
    return s ? s : "";
}

/* The line's rows of one table. */
struct rows {
    json_t **row;
    size_t n;
};

static struct rows rows_of(const struct ls_p_kernel *k, const struct ls_p_line *line, const char *table)
{
    struct rows r = {0};
    for (size_t i = 0; i < k->n_rows; i++) {
        const struct ls_p_row *row = &k->rows[i];
        if (row->line != line || strcmp(row->handler, LS_ADVICE_HANDLER) || strcmp(row->table, table))
            continue;
        json_t *json = json_loads(row->json, 0, NULL);
        if (json_is_object(json))
            *LS_PUSH(r.row, r.n) = json;
        else
            json_decref(json);
    }
    return r;
}

static void free_rows(struct rows *r)
{
    for (size_t i = 0; i < r->n; i++)
        json_decref(r->row[i]);
    free(r->row);
}

static int64_t sum(const struct rows *r, const char *key)
{
    int64_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        n = ls_add(n, integer(r->row[i], key), NULL);
    return n;
}

/* " (replayed: 87 % of the accesses)" when not all of them were in the sample. */
static const char *share(const struct rows *r)
{
    static char text[64];
    int64_t all = sum(r, "executions"), some = sum(r, "replayed");
    *text = 0;
    if (some < all)
        snprintf(text, sizeof(text), " (of the %.0f %% of the accesses that were replayed)",
                 100.0 * (double)some / (double)all);
    return text;
}

/* ---- LDS ---- */

struct change {
    const char *kind;
    int64_t pitch, to, after;
    int64_t others; /* what the array's other accesses gain or lose */
};

static const json_t *change_in(const json_t *row, const struct change *c)
{
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(row, "changes"), i, x)
    {
        if (!strcmp(string(x, "kind"), c->kind) && integer(x, "pitch") == c->pitch &&
            integer(x, "to") == c->to)
            return x;
    }
    return NULL;
}

/* Where a dispatch had other candidates, its conflicts count as unchanged. */
static void evaluate(const struct rows *r, struct change *c)
{
    c->after = c->others = 0;
    for (size_t i = 0; i < r->n; i++) {
        const json_t *row = r->row[i], *x = change_in(row, c);
        int64_t before = integer(row, "conflicts"), after = x ? integer(x, "conflicts") : before;
        c->after = ls_add(c->after, after, NULL);
        if (x) {
            int64_t others_then = ls_subtract(integer(x, "array_conflicts"), after, NULL),
                    others_now = ls_subtract(integer(row, "array_conflicts"), before, NULL);
            c->others = ls_add(c->others, ls_subtract(others_then, others_now, NULL), NULL);
        }
    }
}

/* The best change of a kind; after -1: none. */
static struct change best_change(const struct rows *r, const char *kind)
{
    struct change best = {.kind = kind, .after = -1};
    for (size_t i = 0; i < r->n; i++) {
        size_t j;
        json_t *x;
        json_array_foreach(json_object_get(r->row[i], "changes"), j, x)
        {
            struct change c = {kind, integer(x, "pitch"), integer(x, "to"), 0, 0};
            if (strcmp(string(x, "kind"), kind))
                continue;
            evaluate(r, &c);
            if (best.after < 0 || c.after < best.after ||
                (c.after == best.after &&
                 ls_subtract(c.to, c.pitch, NULL) < ls_subtract(best.to, best.pitch, NULL)))
                best = c;
        }
    }
    return best;
}

static void say_change(struct sentences *s, const struct rows *r, const struct change *c, int64_t before)
{
    char rows[96];
    int64_t bytes = integer(r->row[0], "bytes");
    bool whole = bytes > 0 && c->pitch % bytes == 0 && c->to % bytes == 0;
    int64_t unit = whole ? bytes : 1;
    bool pad = !strcmp(c->kind, "pad");
    if (!strcmp(c->kind, "split")) {
        say(s,
            "an array per field of the structures of %" PRId64
            " B (structure of arrays): %s -> %s conflict cycles%s%s",
            c->pitch, commas(before), commas(c->after), share(r),
            c->others > 0 ? "; other accesses of the array then conflict more" : "");
        return;
    }
    if (pad)
        snprintf(rows, sizeof(rows), "row pitch %" PRId64 " -> %" PRId64, c->pitch / unit, c->to / unit);
    else
        snprintf(rows, sizeof(rows), "row pitch %" PRId64, c->pitch / unit);
    if (whole)
        snprintf(rows + strlen(rows), sizeof(rows) - strlen(rows), " elements of %" PRId64 " B", bytes);
    else
        strcat(rows, " B");
    say(s, "%s%s: %s -> %s conflict cycles%s%s", rows, pad ? "" : ", column XOR row", commas(before),
        commas(c->after), share(r), c->others > 0 ? "; other accesses of the array then conflict more" : "");
}

/* Banks that lanes reach which are `step` bytes apart. */
static int64_t banks_reached(int64_t step, int64_t banks)
{
    int64_t x = ls_absolute(step / 4), y = banks;
    while (x) {
        int64_t rest = y % x;
        y = x;
        x = rest;
    }
    return y ? ls_divide(banks, y) : 1;
}

static void say_why_conflicts(struct sentences *s, const struct rows *r)
{
    int64_t step = integer(r->row[0], "step"), banks = integer(r->row[0], "banks");
    for (size_t i = 1; i < r->n; i++)
        if (integer(r->row[i], "step") != step)
            step = 0;
    if (!step || step % 4 || banks <= 0)
        return;
    int64_t reached = banks_reached(step, banks);
    if (reached < banks)
        say(s, "neighbouring lanes are %" PRId64 " B apart: they fall into %" PRId64 " of %" PRId64 " banks",
            ls_absolute(step), reached, banks);
}

static void advise_lds(struct sentences *s, struct rows *r)
{
    int64_t before = sum(r, "conflicts");
    if (!before)
        return;
    say_why_conflicts(s, r);
    struct change pad = best_change(r, "pad"), xor = best_change(r, "xor"), split = best_change(r, "split");
    bool pads = pad.after >= 0 && pad.after <= before / 2,
         swizzles = xor.after >= 0 && xor.after <= before / 2,
         splits = split.after >= 0 && split.after <= before / 2;
    if (pads)
        say_change(s, r, &pad, before);
    if (swizzles)
        say_change(s, r, &xor, before);
    if (splits)
        say_change(s, r, &split, before);
    if (!pads && !swizzles && !splits)
        say(s,
            "nothing found that helps: neither rows that are 1 to 4 dwords longer, nor a column XORed by the "
            "row, nor an array per field halves the %s conflict cycles%s",
            commas(before), share(r));
}

/* ---- global memory ---- */

/* "0-11, 16-27": bytes of fields that lie side by side; "0, 8" when only offsets are known. */
static void say_fields(const json_t *row, char *out, size_t room)
{
    const json_t *fields = json_object_get(row, "fields"), *bytes = json_object_get(row, "field_bytes");
    size_t n = json_array_size(fields), at = 0;
    bool widths = json_array_size(bytes) == n;
    *out = 0;
    for (size_t i = 0, next; i < n && at + 48 < room; i = next) {
        int64_t from = json_integer_value(json_array_get(fields, i)), end = from;
        for (next = i; next < n && json_integer_value(json_array_get(fields, next)) <= end; next++) {
            int64_t width = widths ? json_integer_value(json_array_get(bytes, next)) : 0;
            int64_t e = ls_add(json_integer_value(json_array_get(fields, next)), width, NULL);
            end = e > end ? e : end;
        }
        at += (size_t)sprintf(out + at, "%s%" PRId64, i ? ", " : "", from);
        if (ls_subtract(end, from, NULL) > 1)
            at += (size_t)sprintf(out + at, "-%" PRId64, end - 1);
    }
}

static void say_global(struct sentences *s, const struct rows *r)
{
    const json_t *first = r->row[0];
    const char *kind = string(first, "kind"), *lines = commas(sum(r, "lines")),
               *after = commas(sum(r, "after"));
    int64_t stride = integer(first, "stride");
    char fields[256];
    stride = ls_absolute(stride);
    if (!strcmp(kind, "structures")) {
        say_fields(first, fields, sizeof(fields));
        say(s,
            "lanes walk structures of %" PRId64
            " B, of which this kernel accesses bytes %s; with an array per field "
            "(structure of arrays): %s -> %s cache lines%s",
            stride, fields, lines, after, share(r));
    } else if (!strcmp(kind, "stride")) {
        say(s, "neighbouring lanes are %" PRId64 " B apart; side by side: %s -> %s cache lines%s", stride,
            lines, after, share(r));
    } else if (!strcmp(kind, "misaligned")) {
        say(s,
            "the first lane does not start a cache line; with data aligned to %" PRId64
            " B: %s -> %s cache lines%s",
            integer(first, "line_bytes"), lines, after, share(r));
    } else if (!strcmp(kind, "pieces")) {
        int64_t pieces = 0, bytes = 0;
        for (size_t i = 0; i < r->n; i++) {
            int64_t n = integer(r->row[i], "pieces");
            pieces = ls_add(pieces, n, NULL);
            bytes = ls_add(bytes, ls_multiply(n, integer(r->row[i], "piece_bytes"), NULL), NULL);
        }
        say(s,
            "lanes lie side by side in pieces of %" PRId64
            " B on average; in one piece: %s -> %s cache lines%s",
            ls_divide(bytes, pieces), lines, after, share(r));
    } else {
        say(s, "no fixed distance between lanes (irregular): nothing found that helps%s", share(r));
    }
}

/* Rows that say the same thing are added up; different ones become sentences of their own. */
static void advise_global(struct sentences *s, struct rows *r)
{
    bool *done = ls_realloc(NULL, r->n + 1);
    memset(done, 0, r->n + 1);
    for (size_t i = 0; i < r->n; i++) {
        struct rows same = {0};
        for (size_t j = i; j < r->n; j++) {
            if (done[j] || strcmp(string(r->row[i], "kind"), string(r->row[j], "kind")) ||
                integer(r->row[i], "stride") != integer(r->row[j], "stride"))
                continue;
            *LS_PUSH(same.row, same.n) = r->row[j];
            done[j] = true;
        }
        if (same.n)
            say_global(s, &same);
        free(same.row);
    }
    free(done);
}

char **ls_advice(const struct ls_p_kernel *k, const struct ls_p_line *line, const char *handler, size_t *n)
{
    struct sentences s = {0};
    if (!handler || !strcmp(handler, "lds_bank_conflicts")) {
        struct rows r = rows_of(k, line, "lds");
        advise_lds(&s, &r);
        free_rows(&r);
    }
    if (!handler || !strcmp(handler, "memory_coalescing")) {
        struct rows r = rows_of(k, line, "global");
        advise_global(&s, &r);
        free_rows(&r);
    }
    *n = s.n;
    return s.items;
}

void ls_advice_free(char **advice, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(advice[i]);
    free(advice);
}
