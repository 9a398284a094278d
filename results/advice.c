#include "advice.h"
#include "advice_triton.h"
#include "branch_text.h"
#include "common/names.h"
#include "error_text.h"
#include "saturate.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sentences {
    struct ls_advice_item *items;
    size_t n;
};

/* Of the sentence that comes next: filled where it has such parts. */
static const struct ls_advice_item why = {.kind = LS_ADVICE_WHY}, no_change = {.kind = LS_ADVICE_NO_CHANGE};

__attribute__((format(printf, 3, 4))) static void say(struct sentences *s, struct ls_advice_item item,
                                                      const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (vasprintf(&item.text, format, ap) >= 0)
        *LS_PUSH(s->items, s->n) = item;
    else
        free(item.change);
    va_end(ap);
}

/* A change, of which `what` (malloc'd, taken over) says what to do. */
static struct ls_advice_item change_of(char *what, struct ls_advice_number number)
{
    return (struct ls_advice_item){
        .kind = LS_ADVICE_CHANGE, .change = what, .number = {number}, .n_numbers = 1};
}

static struct ls_advice_item change_of_two(char *what, struct ls_advice_number a, struct ls_advice_number b)
{
    struct ls_advice_item item = change_of(what, a);
    item.number[item.n_numbers++] = b;
    return item;
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
    bool triton;        /* the line is one of a .py */
    const char *kernel; /* its name */
};

static struct rows rows_of(const struct ls_p_kernel *k, const struct ls_p_line *line, const char *table)
{
    struct rows r = {.triton = ls_triton_line(line), .kernel = k->name};
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

/* What part of the rows' accesses was replayed. */
static double part(const struct rows *r)
{
    int64_t all = sum(r, "executions"), some = sum(r, "replayed");
    return some < all ? (double)some / (double)all : 1;
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

/* Of Triton's shared memory, which is bytes to the compiler, the narrowest access tells the most. */
static int64_t triton_element(const struct rows *r)
{
    int64_t element = integer(r->row[0], "narrowest");
    return element > 0 ? element : integer(r->row[0], "bytes");
}

/* Whether the change is one that can be written in the line's language. */
static bool can_be_written(const struct rows *r, const struct change *c, const json_t *like)
{
    return !r->triton ||
           ls_triton_has_layout(c->kind, triton_element(r), integer(like, "pitch"), c->add, c->unit);
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

/* Changes of one kind that were looked at. */
struct changes {
    struct change *change;
    size_t n;
};

/* Whether the change is a new one; notes it. Rows of a thousand dispatches name the same few. */
static bool is_new(struct changes *seen, const struct change *c)
{
    for (size_t i = 0; i < seen->n; i++) {
        const struct change *s = &seen->change[i];
        if (s->dimension == c->dimension && s->add == c->add && s->unit == c->unit && s->pitch == c->pitch)
            return false;
    }
    *LS_PUSH(seen->change, seen->n) = *c;
    return true;
}

/* The best change of a kind that helps; like NULL: none. */
static struct change best_change(const struct rows *r, const char *kind)
{
    struct change best = {.kind = kind};
    struct changes seen = {0};
    for (size_t i = 0; i < r->n; i++) {
        size_t j;
        json_t *x;
        json_array_foreach(json_object_get(r->row[i], "changes"), j, x)
        {
            struct change c = {.kind = kind,
                               .dimension = integer(x, "dimension"),
                               .add = ls_subtract(integer(x, "to"), integer(x, "pitch"), NULL),
                               .unit = integer(x, "unit"),
                               .pitch = r->triton || !strcmp(kind, "split") || !strcmp(kind, "grow")
                                            ? integer(x, "pitch")
                                            : 0,
                               .like = x};
            if (strcmp(string(x, "kind"), kind) || !can_be_written(r, &c, x) || !is_new(&seen, &c))
                continue;
            evaluate(r, &c);
            if (helps(r, &c) && (!best.like || is_better(&c, &best)))
                best = c;
        }
    }
    free(seen.change);
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

static bool one_pitch(const struct rows *r, const struct change *c)
{
    for (size_t i = 0; i < r->n; i++) {
        const json_t *x = change_in(r->row[i], c);
        if (!x || integer(x, "pitch") != integer(c->like, "pitch"))
            return false;
    }
    return true;
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
    } else if (one_pitch(r, c)) {
        fprintf(out, " (index i + i / %" PRId64, ls_divide(pitch, element));
        if (c->add > element)
            fprintf(out, " * %" PRId64, ls_divide(c->add, element));
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
    int64_t widest = 0;
    for (size_t i = 0; i < r->n; i++)
        widest = integer(r->row[i], "bytes") > widest ? integer(r->row[i], "bytes") : widest;
    if (widest > element) /* the compiler need not make one access of several columns then */
        fprintf(out, ", if accesses of %" PRId64 " B stay whole", widest);
}

static void say_change(struct sentences *s, const struct rows *r, const struct change *c)
{
    char *what = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&what, &size);
    if (!out)
        return;
    if (r->triton && !strcmp(c->kind, "pad"))
        ls_triton_put_pad(out, triton_element(r), c->pitch, c->add);
    else if (r->triton)
        ls_triton_put_swizzle(out, triton_element(r), c->pitch, c->unit);
    else if (!strcmp(c->kind, "pad"))
        put_pad(out, r, c);
    else if (!strcmp(c->kind, "xor"))
        put_swizzle(out, r, c);
    else if (!strcmp(c->kind, "grow"))
        fprintf(out, "+%" PRId64 " B in each %s, %" PRId64 " -> %" PRId64 " B", c->add,
                *string(r->row[0], "type") ? string(r->row[0], "type") : "structure",
                integer(c->like, "pitch"), integer(c->like, "to"));
    else
        /* not per field: fields may be vectors and arrays, whose parts an array per field leaves apart */
        fprintf(out,
                "an array for each %" PRId64 " B of the structures of %" PRId64 " B (structure of arrays)",
                c->unit, integer(c->like, "pitch"));
    fclose(out);
    int64_t others_before = ls_subtract(sum(r, "array_conflicts"), sum(r, "conflicts"), NULL),
            others = ls_subtract(c->array_conflicts, c->conflicts, NULL);
    const char *more = others > others_before ? "; other accesses of the array then conflict more" : "";
    const struct ls_advice_number conflicts = {"Bank Conflict", sum(r, "conflicts"), c->conflicts},
                                  cycles = {"LDS Cycles", sum(r, "cycles"), c->cycles};
    if (has_cycles(r))
        say(s, change_of_two(what, conflicts, cycles),
            "%s: %s -> %s conflict cycles, %s -> %s LDS cycles%s%s", what ? what : "",
            commas(sum(r, "conflicts")), commas(c->conflicts), commas(sum(r, "cycles")), commas(c->cycles),
            share(r), more);
    else
        say(s, change_of(what, conflicts), "%s: %s -> %s conflict cycles%s%s", what ? what : "",
            commas(sum(r, "conflicts")), commas(c->conflicts), share(r), more);
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
    int64_t step = 0, banks = integer(r->row[0], "banks");
    bool any = false;
    for (size_t i = 0; i < r->n; i++) {
        if (integer(r->row[i], "conflicts") <= 0)
            continue;
        int64_t this = integer(r->row[i], "step");
        step = any && this != step ? 0 : this;
        if (!step)
            return;
        any = true;
    }
    if (!step || step == INT64_MIN || step % 4 || banks <= 0)
        return;
    int64_t reached = banks_reached(step, banks);
    if (reached < banks)
        say(s,
            (struct ls_advice_item){
                .kind = LS_ADVICE_WHY, .step = ls_absolute(step), .reached = reached, .banks = banks},
            "neighbouring lanes are %" PRId64 " B apart: they fall into %" PRId64 " of %" PRId64 " banks",
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
    if (!any && r->triton)
        say(s, no_change,
            "nothing found that helps: no PaddedSharedLayout and no SwizzledSharedLayout halves the %s "
            "conflict cycles in "
            "fewer LDS cycles%s",
            commas(sum(r, "conflicts")), share(r));
    else if (!any)
        say(s, no_change,
            "nothing found that helps: neither longer rows, nor a column XORed by the row, nor a structure "
            "of arrays "
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
        change_of_two(ls_text("%" PRId64 " copies of the array, %" PRId64
                              " B from one to the next, by lane %% %" PRId64,
                              copies, pitch, copies),
                      (struct ls_advice_number){"Addr Conflict", sum(r, "address"), sum(r, "copied_address")},
                      (struct ls_advice_number){"LDS Cycles", sum(r, "cycles"), sum(r, "copied")}),
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
        say(s, why, "lanes update one address one after the other: %s cycles of Addr Conflict%s", address,
            share(r));
        return;
    }
    say(s,
        change_of_two(
            ls_text(
                "aggregate the lanes of a wavefront first: one lane for each address, for all of its lanes"),
            (struct ls_advice_number){"Addr Conflict", sum(r, "address"), sum(r, "aggregated_address")},
            (struct ls_advice_number){"LDS Cycles", sum(r, "cycles"), sum(r, "aggregated")}),
        "lanes update one address one after the other: %s cycles of Addr Conflict; aggregated in the "
        "wavefront "
        "first (one lane per address, for all of its lanes): %s -> %s, %s -> %s LDS cycles%s",
        address, address, commas(sum(r, "aggregated_address")), commas(sum(r, "cycles")),
        commas(sum(r, "aggregated")), share(r));
    say_copies(s, r);
}

static void advise_array(struct sentences *s, const struct rows *r)
{
    if (sum(r, "conflicts") > 0)
        say_layouts(s, r);
    say_contention(s, r);
}

/* The first rows' array, and in `rest` the others. */
static struct rows split_array(const struct rows *all, struct rows *rest)
{
    struct rows one = {.triton = all->triton, .kernel = all->kernel};
    *rest = one;
    for (size_t i = 0; i < all->n; i++) {
        struct rows *to =
            strcmp(string(all->row[i], "variable"), string(all->row[0], "variable")) ? rest : &one;
        *LS_PUSH(to->row, to->n) = all->row[i];
    }
    return one;
}

/* "tile: ..." before a text; NULL stays. */
static void name_array(char **text, const char *name)
{
    char *named = *text ? ls_text("%s: %s", name, *text) : NULL;
    free(*text);
    *text = named;
}

/* A line may use several arrays, of which each is laid out for itself: sentences name it then. */
static void advise_lds(struct sentences *s, const struct rows *r)
{
    struct rows rest, one = split_array(r, &rest);
    const bool several = rest.n > 0;
    while (one.n) {
        struct rows later;
        size_t first = s->n;
        advise_array(s, &one);
        for (size_t i = first; several && *string(one.row[0], "variable") && i < s->n; i++) {
            name_array(&s->items[i].text, string(one.row[0], "variable"));
            name_array(&s->items[i].change, string(one.row[0], "variable"));
        }
        for (size_t i = first; i < s->n; i++)
            s->items[i].replayed = part(&one);
        free(one.row);
        one = split_array(&rest, &later);
        free(rest.row);
        rest = later;
    }
    free(one.row);
}

/* ---- idle lanes ---- */

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

/* A loop of a library, of atomics for example, is no branch that its user can mend. */
static bool in_library(const struct ls_profile *p, const struct ls_p_line *line, const char *file)
{
    const struct ls_p_file *f = ls_profile_file(p, file);
    return f && f->library && strcmp(file, line->title.file) != 0;
}

static void put_branch(FILE *out, const struct ls_p_line *line, const json_t *branch, const char *text)
{
    const char *file = string(branch, "file");
    int64_t number = integer(branch, "line");
    if (strcmp(file, *line->title.file ? line->title.file : line->file)) /* what the row is called after */
        fprintf(out, "%s:%" PRId64, ls_base_name(file), number);
    else
        fprintf(out, "line %" PRId64, number);
    if (text)
        fprintf(out, " `%s`", text);
}

/* ": line 12 `if (i % 8 == 0)`, in line 10 `if (x)`"; false: there is none to name. */
static bool put_branches(FILE *out, const struct ls_profile *p, const struct ls_p_line *line,
                         const json_t *branches)
{
    const size_t n = json_array_size(branches);
    char **texts = ls_realloc(NULL, (n + 1) * sizeof *texts);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        const json_t *b = json_array_get(branches, i);
        texts[i] = ls_branch_text(p, string(b, "file"), integer(b, "line"), integer(b, "column"));
        if (told_before(branches, i, texts) || in_library(p, line, string(b, "file")))
            continue;
        fputs(any ? ", in " : ": ", out);
        put_branch(out, line, b, texts[i]);
        any = true;
    }
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
    return any;
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

/* Blocks are spread over all lanes of all warps, whether there are elements for them or not. */
static void put_triton_blocks(FILE *out, const struct rows *r)
{
    int64_t warps = ls_triton_option(r->kernel, "num_warps");
    fprintf(out, "; a block nearer to the data's size");
    if (warps > 1)
        fprintf(out, ", or fewer warps than num_warps=%" PRId64 ",", warps);
    fprintf(out, " leaves fewer idle");
}

/* Who switched lanes off: branches, when fewer are active than the work-groups have; and the work-groups. */
static void put_reason(FILE *out, const struct ls_profile *p, const struct ls_p_line *line,
                       const struct rows *r, double active)
{
    const json_t *branches = json_object_get(r->row[0], "branches");
    const bool branch = json_array_size(branches) && active < active_without_branches(r) &&
                        put_branches(out, p, line, branches);
    put_groups(out, r, branch ? "; " : ": ");
    if (r->triton && !strcmp(line->space, "global"))
        put_triton_blocks(out, r);
}

/* Where the line has other accesses as well, its mean of active lanes is another one:
 * how many it is about. */
static void put_part(FILE *out, const struct ls_profile *p, const struct ls_p_line *line, int64_t executions,
                     double active)
{
    for (size_t i = 0; i < p->n_metrics; i++) {
        double all, mean;
        if (p->metrics[i].view.role != LANESCOPE_ROLE_LANES || p->metrics[i].is_ratio ||
            !ls_accesses(p, &line->values, p->metrics[i].handler, &all, &mean) || fabs(mean - active) < 0.05)
            continue;
        if ((double)executions < all)
            fprintf(out, " in %s of the line's %s executions", commas(executions), commas((int64_t)all));
        else
            fprintf(out, " in a part of the line's executions");
        return;
    }
}

/* Idle lanes cost what active ones do: who switched them off. */
static void say_lanes(struct sentences *s, const struct ls_profile *p, const struct ls_p_line *line,
                      const struct rows *r)
{
    const json_t *first = r->n ? r->row[0] : NULL;
    int64_t active = sum(r, "active"), executions = sum(r, "executions"), lanes = integer(first, "lanes");
    char *reason = NULL;
    size_t size = 0;
    if (!first || executions <= 0 || lanes <= 0)
        return;
    FILE *out = open_memstream(&reason, &size);
    if (!out)
        return;
    put_part(out, p, line, executions, (double)active / (double)executions);
    put_reason(out, p, line, r, (double)active / (double)executions);
    fclose(out);
    if (active % executions)
        say(s, why, "%.1f of %" PRId64 " lanes active on average%s", (double)active / (double)executions,
            lanes, reason ? reason : "");
    else
        say(s, why, "%" PRId64 " of %" PRId64 " lanes active%s", active / executions, lanes,
            reason ? reason : "");
    free(reason);
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

/* Each lane takes neighbouring elements one by one, as Triton did not know that it may take them at once. */
static void say_divisibility(struct sentences *s, const struct rows *r)
{
    const int64_t bytes = ls_absolute(integer(r->row[0], "stride")),
                  pieces = (int64_t)json_array_size(json_object_get(r->row[0], "fields")),
                  whole = pieces ? ls_divide(sum(r, "whole"), pieces) : 0;
    char *why = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&why, &size);
    if (!out)
        return;
    ls_triton_put_divisibility(out, r->kernel, pieces);
    fclose(out);
    say(s,
        change_of(ls_text("let Triton access the %" PRId64 " B of a lane in one piece", bytes),
                  (struct ls_advice_number){"Cache Lines", sum(r, "lines"), whole}),
        "each lane accesses %" PRId64 " B in %" PRId64 " pieces: %s; in one piece: %s -> %s cache lines%s",
        bytes, pieces, why ? why : "", commas(sum(r, "lines")), commas(whole), share(r));
    free(why);
}

static void say_global(struct sentences *s, const struct rows *r)
{
    const json_t *first = r->row[0];
    const char *kind = string(first, "kind"), *lines = commas(sum(r, "lines")),
               *after = commas(sum(r, "after"));
    int64_t stride = integer(first, "stride");
    char fields[256];
    const struct ls_advice_number saved = {"Cache Lines", sum(r, "lines"), sum(r, "after")};
    stride = ls_absolute(stride);
    if (r->triton && all_have(r, "whole")) {
        say_divisibility(s, r);
    } else if (!strcmp(kind, "structures")) {
        say_fields(first, fields, sizeof(fields));
        say(s,
            change_of(ls_text("bytes %s of each structure of %" PRId64
                              " B in arrays of their own (structure of arrays)",
                              fields, stride),
                      saved),
            "lanes walk structures of %" PRId64
            " B, of which this kernel accesses bytes %s; with these in arrays of their own "
            "(structure of arrays): %s -> %s cache lines%s",
            stride, fields, lines, after, share(r));
    } else if (!strcmp(kind, "stride")) {
        say(s, change_of(ls_text("lay what neighbouring lanes access side by side"), saved),
            "neighbouring lanes are %" PRId64 " B apart; side by side: %s -> %s cache lines%s", stride, lines,
            after, share(r));
    } else if (!strcmp(kind, "idle")) {
        say(s, no_change, "no layout helps: the idle lanes' data lie between those of the active ones%s",
            share(r));
    } else if (!strcmp(kind, "misaligned")) {
        say(s, change_of(ls_text("align the data to %" PRId64 " B", integer(first, "line_bytes")), saved),
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
        say(s, change_of(ls_text("lay the pieces of a wavefront in one piece"), saved),
            "lanes lie side by side in pieces of %" PRId64
            " B on average; in one piece: %s -> %s cache lines%s",
            ls_divide(bytes, pieces), lines, after, share(r));
    } else {
        say(s, no_change, "no fixed distance between lanes (irregular): nothing found that helps%s",
            share(r));
    }
}

/* Rows that say the same thing are added up; different ones become sentences of their own. */
static void advise_global(struct sentences *s, struct rows *r)
{
    bool *done = ls_realloc(NULL, r->n + 1);
    memset(done, 0, r->n + 1);
    for (size_t i = 0; i < r->n; i++) {
        struct rows same = {.triton = r->triton, .kernel = r->kernel};
        for (size_t j = i; j < r->n; j++) {
            if (done[j] || strcmp(string(r->row[i], "kind"), string(r->row[j], "kind")) ||
                integer(r->row[i], "stride") != integer(r->row[j], "stride"))
                continue;
            *LS_PUSH(same.row, same.n) = r->row[j];
            done[j] = true;
        }
        const size_t first = s->n;
        if (same.n)
            say_global(s, &same);
        for (size_t j = first; j < s->n; j++) {
            s->items[j].step = ls_absolute(integer(same.row[0], "stride"));
            s->items[j].line_bytes = integer(same.row[0], "line_bytes");
            s->items[j].replayed = part(&same);
        }
        free(same.row);
    }
    free(done);
}

/* Sentences from `first` on stand in the handler's table; those of lanes are counted, not replayed. */
static void belong_to(struct sentences *s, size_t first, const char *handler)
{
    for (size_t i = first; i < s->n; i++) {
        s->items[i].handler = handler;
        s->items[i].replayed = s->items[i].replayed > 0 ? s->items[i].replayed : 1;
    }
}

static bool wants(const char *handler, const char *name)
{
    return !handler || !strcmp(handler, name);
}

struct ls_advice_item *ls_advice_items(const struct ls_profile *p, const struct ls_p_kernel *k,
                                       const struct ls_p_line *line, const char *handler, size_t *n)
{
    static const char lds[] = "lds_bank_conflicts", global[] = "memory_coalescing";
    struct sentences s = {0};
    *n = 0;
    if (line->n_estimated) /* what the machine code does may be something else */
        return NULL;
    if (wants(handler, lds) || wants(handler, global)) {
        struct rows r = rows_of(k, line, "lanes");
        say_lanes(&s, p, line, &r);
        belong_to(&s, 0, strcmp(line->space, "LDS") ? global : lds);
        free_rows(&r);
    }
    size_t first = s.n;
    if (wants(handler, lds)) {
        struct rows r = rows_of(k, line, "lds");
        advise_lds(&s, &r);
        belong_to(&s, first, lds);
        free_rows(&r);
    }
    first = s.n;
    if (wants(handler, global)) {
        struct rows r = rows_of(k, line, "global");
        advise_global(&s, &r);
        belong_to(&s, first, global);
        free_rows(&r);
    }
    *n = s.n;
    return s.items;
}

void ls_advice_items_free(struct ls_advice_item *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(items[i].text);
        free(items[i].change);
    }
    free(items);
}

char **ls_advice(const struct ls_profile *p, const struct ls_p_kernel *k, const struct ls_p_line *line,
                 const char *handler, size_t *n)
{
    struct ls_advice_item *items = ls_advice_items(p, k, line, handler, n);
    char **texts = *n ? ls_realloc(NULL, *n * sizeof(*texts)) : NULL;
    for (size_t i = 0; i < *n; i++) {
        texts[i] = items[i].text;
        items[i].text = NULL;
    }
    ls_advice_items_free(items, *n);
    return texts;
}

void ls_advice_free(char **advice, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(advice[i]);
    free(advice);
}
