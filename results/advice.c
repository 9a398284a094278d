#include "advice.h"
#include "branch_text.h"
#include "saturate.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
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

/* "15,872"; static storage of eight results. */
static const char *commas(int64_t n)
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

/* Ends at the ends of what a number can hold (saturate.h). */
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

/* What one writes in the source to change the layout: of dispatches whose rows differ in length it is the
 * same. */
struct change {
    const char *kind;
    int64_t dimension, add, unit, pitch;   /* pitch 0: of any rows; else of structures that long */
    int64_t conflicts, cycles;             /* of the line then */
    int64_t array_conflicts, array_cycles; /* of all accesses of the arrays */
    const json_t *like;                    /* one of those added up */
};

static const json_t *change_in(const json_t *row, const struct change *c)
{
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(row, "changes"), i, x)
    {
        if (!strcmp(string(x, "kind"), c->kind) && integer(x, "dimension") == c->dimension &&
            ls_subtract(integer(x, "to"), integer(x, "pitch"), NULL) == c->add &&
            integer(x, "unit") == c->unit && (!c->pitch || integer(x, "pitch") == c->pitch))
            return x;
    }
    return NULL;
}

/* Where a dispatch has no such rows, its cycles count as unchanged. */
static void evaluate(const struct rows *r, struct change *c)
{
    for (size_t i = 0; i < r->n; i++) {
        const json_t *x = change_in(r->row[i], c), *from = x ? x : r->row[i];
        c->conflicts = ls_add(c->conflicts, integer(from, "conflicts"), NULL);
        c->cycles = ls_add(c->cycles, integer(from, "cycles"), NULL);
        c->array_conflicts = ls_add(c->array_conflicts, integer(from, "array_conflicts"), NULL);
        c->array_cycles = ls_add(c->array_cycles, integer(from, "array_cycles"), NULL);
    }
}

static bool all_have(const struct rows *r, const char *key)
{
    for (size_t i = 0; i < r->n; i++)
        if (!json_object_get(r->row[i], key))
            return false;
    return true;
}

/* Recordings of older versions have conflicts only. */
static bool has_cycles(const struct rows *r)
{
    return all_have(r, "cycles");
}

/* Whether it is worth telling: it halves the line's conflicts, and takes fewer cycles of the LDS than now. */
static bool helps(const struct rows *r, const struct change *c)
{
    return c->conflicts <= sum(r, "conflicts") / 2 &&
           (!has_cycles(r) || (c->cycles <= sum(r, "cycles") && c->array_cycles < sum(r, "array_cycles")));
}

static bool is_better(const struct change *a, const struct change *b)
{
    if (a->array_cycles != b->array_cycles)
        return a->array_cycles < b->array_cycles;
    if (a->conflicts != b->conflicts)
        return a->conflicts < b->conflicts;
    return a->add != b->add ? a->add < b->add : a->dimension > b->dimension;
}

/* The best change of a kind that helps; like NULL: none. */
static struct change best_change(const struct rows *r, const char *kind)
{
    struct change best = {.kind = kind};
    for (size_t i = 0; i < r->n; i++) {
        size_t j;
        json_t *x;
        json_array_foreach(json_object_get(r->row[i], "changes"), j, x)
        {
            struct change c = {.kind = kind,
                               .dimension = integer(x, "dimension"),
                               .add = ls_subtract(integer(x, "to"), integer(x, "pitch"), NULL),
                               .unit = integer(x, "unit"),
                               .pitch =
                                   !strcmp(kind, "split") || !strcmp(kind, "grow") ? integer(x, "pitch") : 0,
                               .like = x};
            if (strcmp(string(x, "kind"), kind))
                continue;
            evaluate(r, &c);
            if (helps(r, &c) && (!best.like || is_better(&c, &best)))
                best = c;
        }
    }
    return best;
}

static int64_t element_of(const json_t *row)
{
    int64_t element = integer(row, "element");
    element = element > 0 ? element : integer(row, "bytes");
    return element > 0 ? element : 1;
}

/* "1 float", "4 floats", "2 __half", "1 element of 4 B". */
static void put_elements(FILE *out, const json_t *row, int64_t n)
{
    static const char *const plain[] = {"float", "double", "int", "char", "short"};
    const char *type = string(row, "type");
    bool counts = false;
    for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
        counts |= !strcmp(plain[i], type);
    if (*type)
        fprintf(out, "%" PRId64 " %s%s", n, type, counts && n != 1 ? "s" : "");
    else
        fprintf(out, "%" PRId64 " element%s of %" PRId64 " B", n, n == 1 ? "" : "s", element_of(row));
}

/* "tile[32][33]": dimension `changed` with so many more. */
static void put_declaration(FILE *out, const json_t *row, int64_t changed, int64_t add)
{
    size_t i;
    json_t *d;
    fputs(*string(row, "variable") ? string(row, "variable") : "...", out);
    json_array_foreach(json_object_get(row, "dimensions"), i, d)
    {
        int64_t n = json_integer_value(d);
        if (n)
            fprintf(out, "[%" PRId64 "]", (int64_t)i == changed ? ls_add(n, add, NULL) : n);
        else
            fprintf(out, "[]");
    }
}

/* "32 -> 33", in elements; several when dispatches have rows of different length. */
static void put_pitches(FILE *out, const struct rows *r, const struct change *c, int64_t element)
{
    enum { SHOWN = 6 };
    int64_t seen[SHOWN];
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const json_t *x = change_in(r->row[i], c);
        int64_t pitch = x ? integer(x, "pitch") : 0;
        size_t k = 0;
        while (k < n && seen[k] != pitch)
            k++;
        if (!pitch || k < n)
            continue;
        if (n == SHOWN) {
            fprintf(out, ", ...");
            return;
        }
        seen[n++] = pitch;
        fprintf(out, "%s%" PRId64 " -> %" PRId64, n > 1 ? ", " : "", ls_divide(pitch, element),
                ls_divide(ls_add(pitch, c->add, NULL), element));
    }
}

static void put_pad(FILE *out, const struct rows *r, const struct change *c)
{
    const json_t *row = r->row[0];
    const int64_t element = element_of(row), pitch = integer(c->like, "pitch");
    size_t n = json_array_size(json_object_get(row, "dimensions"));
    if (c->add % element || pitch % element) { /* the source's elements are not known */
        fprintf(out, "+%" PRId64 " B a row, ", c->add);
        put_pitches(out, r, c, 1);
        return;
    }
    if (c->dimension > 0 && (size_t)c->dimension + 1 < n) { /* rows of rows */
        int64_t size =
            json_integer_value(json_array_get(json_object_get(row, "dimensions"), (size_t)c->dimension));
        int64_t more = size > 0 && pitch / size > 0 ? ls_divide(c->add, pitch / size) : 0;
        fprintf(out, "+%" PRId64 " in dimension %" PRId64 ", %" PRId64 " -> %" PRId64 " (", more,
                ls_add(c->dimension, 1, NULL), size, ls_add(size, more, NULL));
        put_declaration(out, row, c->dimension, more);
        fputc(')', out);
        return;
    }
    fputc('+', out);
    put_elements(out, row, ls_divide(c->add, element));
    fprintf(out, " a row, ");
    put_pitches(out, r, c, element);
    if (c->dimension > 0) {
        fprintf(out, " (");
        put_declaration(out, row, c->dimension, ls_divide(c->add, element));
        fputc(')', out);
    }
}

/* The column, in elements, XORed by the row's number times the elements of a unit. */
static void put_swizzle(FILE *out, const struct rows *r, const struct change *c)
{
    const json_t *row = r->row[0];
    const int64_t element = element_of(row), unit = c->unit > 0 ? c->unit : element,
                  pitch = integer(c->like, "pitch"), times = ls_divide(unit, element);
    fprintf(out, "column ^ row %% %" PRId64, ls_divide(pitch, unit));
    if (times > 1)
        fprintf(out, " * %" PRId64, times);
    fprintf(out, " in each row of ");
    put_elements(out, row, ls_divide(pitch, element));
}

static void say_change(struct sentences *s, const struct rows *r, const struct change *c)
{
    char *what = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&what, &size);
    if (!out)
        return;
    if (!strcmp(c->kind, "pad"))
        put_pad(out, r, c);
    else if (!strcmp(c->kind, "xor"))
        put_swizzle(out, r, c);
    else if (!strcmp(c->kind, "grow"))
        fprintf(out, "+%" PRId64 " B in each %s, %" PRId64 " -> %" PRId64 " B", c->add,
                *string(r->row[0], "type") ? string(r->row[0], "type") : "structure",
                integer(c->like, "pitch"), integer(c->like, "to"));
    else
        fprintf(out, "an array per field of the structures of %" PRId64 " B (structure of arrays)",
                integer(c->like, "pitch"));
    fclose(out);
    int64_t others_before = ls_subtract(sum(r, "array_conflicts"), sum(r, "conflicts"), NULL),
            others = ls_subtract(c->array_conflicts, c->conflicts, NULL);
    const char *more = others > others_before ? "; other accesses of the array then conflict more" : "";
    if (has_cycles(r))
        say(s, "%s: %s -> %s conflict cycles, %s -> %s LDS cycles%s%s", what ? what : "",
            commas(sum(r, "conflicts")), commas(c->conflicts), commas(sum(r, "cycles")), commas(c->cycles),
            share(r), more);
    else
        say(s, "%s: %s -> %s conflict cycles%s%s", what ? what : "", commas(sum(r, "conflicts")),
            commas(c->conflicts), share(r), more);
    free(what);
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
    if (!step || step == INT64_MIN || step % 4 || banks <= 0)
        return;
    int64_t reached = banks_reached(step, banks);
    if (reached < banks)
        say(s, "neighbouring lanes are %" PRId64 " B apart: they fall into %" PRId64 " of %" PRId64 " banks",
            ls_absolute(step), reached, banks);
}

static void say_layouts(struct sentences *s, const struct rows *r)
{
    static const char *const kinds[] = {"pad", "grow", "xor", "split"};
    bool any = false;
    say_why_conflicts(s, r);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        struct change c = best_change(r, kinds[i]);
        if (c.like)
            say_change(s, r, &c);
        any |= c.like != NULL;
    }
    if (!any)
        say(s,
            "nothing found that helps: neither longer rows, nor a column XORed by the row, nor an array per "
            "field "
            "halves the %s conflict cycles in fewer LDS cycles%s",
            commas(sum(r, "conflicts")), share(r));
}

/* The array once for each of several lanes. */
static void say_copies(struct sentences *s, const struct rows *r)
{
    int64_t copies = integer(r->row[0], "copies"), pitch = integer(r->row[0], "copy_pitch");
    for (size_t i = 0; i < r->n; i++)
        if (integer(r->row[i], "copies") != copies || integer(r->row[i], "copy_pitch") != pitch)
            return;
    if (copies < 2 || sum(r, "copied") >= sum(r, "cycles"))
        return;
    say(s,
        "privatised: %" PRId64 " copies of the array, %" PRId64 " B from one to the next, by lane %% %" PRId64
        ": %s -> %s cycles of Addr Conflict, %s -> %s LDS cycles%s",
        copies, pitch, copies, commas(sum(r, "address")), commas(sum(r, "copied_address")),
        commas(sum(r, "cycles")), commas(sum(r, "copied")), share(r));
}

/* Lanes that wait for each other: how many cycles are left when they need not. */
static void say_contention(struct sentences *s, const struct rows *r)
{
    const char *const address = commas(sum(r, "address"));
    if (sum(r, "address") <= 0)
        return;
    if (!all_have(r, "aggregated")) {
        say(s, "lanes update one address one after the other: %s cycles of Addr Conflict%s", address,
            share(r));
        return;
    }
    say(s,
        "lanes update one address one after the other: %s cycles of Addr Conflict; aggregated in the "
        "wavefront "
        "first (one lane per address, for all of its lanes): %s -> %s, %s -> %s LDS cycles%s",
        address, address, commas(sum(r, "aggregated_address")), commas(sum(r, "cycles")),
        commas(sum(r, "aggregated")), share(r));
    say_copies(s, r);
}

static void advise_lds(struct sentences *s, struct rows *r)
{
    if (!r->n)
        return;
    if (sum(r, "conflicts") > 0)
        say_layouts(s, r);
    say_contention(s, r);
}

/* ---- idle lanes ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Tests of one condition (`&&`), and the start and the end of one loop, are told once. */
static bool told_before(const json_t *branches, size_t i, char *const *texts)
{
    const json_t *b = json_array_get(branches, i);
    for (size_t k = 0; k < i; k++) {
        const json_t *other = json_array_get(branches, k);
        if (!strcmp(string(other, "file"), string(b, "file")) &&
            integer(other, "line") == integer(b, "line") &&
            (!texts[i] || !texts[k] || !strcmp(texts[i], texts[k])))
            return true;
    }
    return false;
}

/* ": line 12 `if (i % 8 == 0)`, in line 10 `if (x)`" */
static void put_branches(FILE *out, const struct ls_profile *p, const struct ls_p_line *line,
                         const json_t *branches)
{
    const size_t n = json_array_size(branches);
    char **texts = ls_realloc(NULL, (n + 1) * sizeof *texts);
    for (size_t i = 0; i < n; i++) {
        const json_t *b = json_array_get(branches, i);
        const char *file = string(b, "file");
        int64_t number = integer(b, "line");
        texts[i] = ls_branch_text(p, file, number, integer(b, "column"));
        if (told_before(branches, i, texts))
            continue;
        fputs(i ? ", in " : ": ", out);
        if (strcmp(file, line->file))
            fprintf(out, "%s:%" PRId64, base_name(file), number);
        else
            fprintf(out, "line %" PRId64, number);
        if (texts[i])
            fprintf(out, " `%s`", texts[i]);
    }
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
}

/* Lanes per access that are active without any branch: of 100 work-items in wavefronts of 64 it is 50. */
static double active_without_branches(const struct rows *r)
{
    double sum = 0, executions = 0;
    for (size_t i = 0; i < r->n; i++) {
        double group = (double)integer(r->row[i], "workgroup"), lanes = (double)integer(r->row[i], "lanes"),
               n = (double)integer(r->row[i], "executions"), wavefronts = lanes > 0 ? ceil(group / lanes) : 0;
        sum += n * (wavefronts >= 1 ? group / wavefronts : lanes);
        executions += n;
    }
    return executions > 0 ? sum / executions : 0;
}

/* "work-groups of 48 work-items fill no whole wavefronts", unless they do. */
static void put_groups(FILE *out, const struct rows *r, const char *before)
{
    const json_t *found = NULL;
    bool several = false;
    for (size_t i = 0; i < r->n; i++) {
        int64_t group = integer(r->row[i], "workgroup"), lanes = integer(r->row[i], "lanes");
        if (group <= 0 || lanes <= 0 || group % lanes == 0)
            continue;
        several |= found && integer(found, "workgroup") != group;
        found = r->row[i];
    }
    if (several)
        fprintf(out, "%swork-groups fill no whole wavefronts", before);
    else if (found)
        fprintf(out, "%swork-groups of %" PRId64 " work-items fill no whole wavefronts", before,
                integer(found, "workgroup"));
}

/* Who switched lanes off: branches, when fewer are active than the work-groups have; and the work-groups. */
static void put_reason(FILE *out, const struct ls_profile *p, const struct ls_p_line *line,
                       const struct rows *r, double active)
{
    const json_t *branches = json_object_get(r->row[0], "branches");
    const bool branch = json_array_size(branches) && active < active_without_branches(r);
    if (branch)
        put_branches(out, p, line, branches);
    put_groups(out, r, branch ? "; " : ": ");
}

/* Idle lanes cost what active ones do: who switched them off. */
static void say_lanes(struct sentences *s, const struct ls_profile *p, const struct ls_p_line *line,
                      const struct rows *r)
{
    const json_t *first = r->n ? r->row[0] : NULL;
    int64_t active = sum(r, "active"), executions = sum(r, "executions"), lanes = integer(first, "lanes");
    char *why = NULL;
    size_t size = 0;
    if (!first || executions <= 0 || lanes <= 0)
        return;
    FILE *out = open_memstream(&why, &size);
    if (!out)
        return;
    put_reason(out, p, line, r, (double)active / (double)executions);
    fclose(out);
    if (active % executions)
        say(s, "%.1f of %" PRId64 " lanes active on average%s", (double)active / (double)executions, lanes,
            why ? why : "");
    else
        say(s, "%" PRId64 " of %" PRId64 " lanes active%s", active / executions, lanes, why ? why : "");
    free(why);
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
    } else if (!strcmp(kind, "idle")) {
        say(s, "no layout helps: the idle lanes' data lie between those of the active ones%s", share(r));
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

char **ls_advice(const struct ls_profile *p, const struct ls_p_kernel *k, const struct ls_p_line *line,
                 const char *handler, size_t *n)
{
    struct sentences s = {0};
    *n = 0;
    if (line->n_estimated) /* what the machine code does may be something else */
        return NULL;
    if (!handler || !strcmp(handler, "lds_bank_conflicts") || !strcmp(handler, "memory_coalescing")) {
        struct rows r = rows_of(k, line, "lanes");
        say_lanes(&s, p, line, &r);
        free_rows(&r);
    }
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
