/* advice_lds.c - bank conflicts: why they come about, and which layout has fewer. */
#include "advice_rows.h"
#include "advice_triton.h"
#include "results/file/error_text.h"
#include "results/reader/saturate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the advice is for. */
struct asked {
    const struct ls_profile *p;
    const struct ls_p_line *line;
};

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
        if (!strcmp(ls_row_string(x, "kind"), c->kind) && ls_row_integer(x, "dimension") == c->dimension &&
            ls_subtract(ls_row_integer(x, "to"), ls_row_integer(x, "pitch"), NULL) == c->add &&
            ls_row_integer(x, "unit") == c->unit && (!c->pitch || ls_row_integer(x, "pitch") == c->pitch))
            return x;
    }
    return NULL;
}

/* Where a dispatch has no such rows, its cycles count as unchanged. */
static void evaluate(const struct ls_rows *r, struct change *c)
{
    for (size_t i = 0; i < r->n; i++) {
        const json_t *x = change_in(r->row[i], c), *from = x ? x : r->row[i];
        c->conflicts = ls_add(c->conflicts, ls_row_integer(from, "conflicts"), NULL);
        c->cycles = ls_add(c->cycles, ls_row_integer(from, "cycles"), NULL);
        c->array_conflicts = ls_add(c->array_conflicts, ls_row_integer(from, "array_conflicts"), NULL);
        c->array_cycles = ls_add(c->array_cycles, ls_row_integer(from, "array_cycles"), NULL);
    }
}

/* Recordings of older versions have conflicts only. */
static bool has_cycles(const struct ls_rows *r)
{
    return ls_rows_have(r, "cycles");
}

/* Of Triton's shared memory, which is bytes to the compiler, the narrowest access tells the most, where Triton itself did not. */
static struct ls_compiler_tile triton_tile(const struct ls_rows *r)
{
    int64_t element = ls_row_integer(r->row[0], "narrowest");
    element = element > 0 ? element : ls_row_integer(r->row[0], "bytes");
    return r->has_tile ? r->tile : (struct ls_compiler_tile){.element = element, .plain = true};
}

/* Whether the change is one that can be written in the line's language. */
static bool can_be_written(const struct ls_rows *r, const struct change *c, const json_t *like)
{
    const struct ls_compiler_tile tile = triton_tile(r);
    return !r->triton || ls_triton_has_layout(c->kind, &tile, ls_row_integer(like, "pitch"), c->add, c->unit);
}

/* Whether it is worth telling: it halves the line's conflicts, and takes fewer cycles of the LDS than now. */
static bool helps(const struct ls_rows *r, const struct change *c)
{
    return c->conflicts <= ls_rows_sum(r, "conflicts") / 2 &&
           (!has_cycles(r) ||
            (c->cycles <= ls_rows_sum(r, "cycles") && c->array_cycles < ls_rows_sum(r, "array_cycles")));
}

/* By the whole array, so that all of its lines are told the same. Old recordings have no numbers of it. */
static bool is_better(const struct change *a, const struct change *b)
{
    if (a->array_cycles != b->array_cycles)
        return a->array_cycles < b->array_cycles;
    if (a->array_conflicts != b->array_conflicts)
        return a->array_conflicts < b->array_conflicts;
    if (!a->array_cycles && a->conflicts != b->conflicts)
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
static struct change best_change(const struct ls_rows *r, const char *kind)
{
    struct change best = {.kind = kind};
    struct changes seen = {0};
    for (size_t i = 0; i < r->n; i++) {
        size_t j;
        json_t *x;
        json_array_foreach(json_object_get(r->row[i], "changes"), j, x)
        {
            struct change c = {.kind = kind,
                               .dimension = ls_row_integer(x, "dimension"),
                               .add = ls_subtract(ls_row_integer(x, "to"), ls_row_integer(x, "pitch"), NULL),
                               .unit = ls_row_integer(x, "unit"),
                               .pitch = r->triton || !strcmp(kind, "split") || !strcmp(kind, "grow")
                                            ? ls_row_integer(x, "pitch")
                                            : 0,
                               .like = x};
            if (strcmp(ls_row_string(x, "kind"), kind) || !can_be_written(r, &c, x) || !is_new(&seen, &c))
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
    int64_t element = ls_row_integer(row, "element");
    element = element > 0 ? element : ls_row_integer(row, "bytes");
    return element > 0 ? element : 1;
}

/* "1 float", "4 floats", "2 __half", "1 element of 4 B". */
static void put_elements(FILE *out, const json_t *row, int64_t n)
{
    static const char *const plain[] = {"float", "double", "int", "char", "short"};
    const char *type = ls_row_string(row, "type");
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
    fputs(*ls_row_string(row, "variable") ? ls_row_string(row, "variable") : "...", out);
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
static void put_pitches(FILE *out, const struct ls_rows *r, const struct change *c, int64_t element)
{
    enum { SHOWN = 6 };
    int64_t seen[SHOWN];
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const json_t *x = change_in(r->row[i], c);
        int64_t pitch = x ? ls_row_integer(x, "pitch") : 0;
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

static bool one_pitch(const struct ls_rows *r, const struct change *c)
{
    for (size_t i = 0; i < r->n; i++) {
        const json_t *x = change_in(r->row[i], c);
        if (!x || ls_row_integer(x, "pitch") != ls_row_integer(c->like, "pitch"))
            return false;
    }
    return true;
}

static void put_pad(FILE *out, const struct ls_rows *r, const struct change *c)
{
    const json_t *row = r->row[0];
    const int64_t element = element_of(row), pitch = ls_row_integer(c->like, "pitch");
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
static void put_swizzle(FILE *out, const struct ls_rows *r, const struct change *c)
{
    const json_t *row = r->row[0];
    const int64_t element = element_of(row), unit = c->unit > 0 ? c->unit : element,
                  pitch = ls_row_integer(c->like, "pitch"), times = ls_divide(unit, element);
    fprintf(out, "column ^ row %% %" PRId64, ls_divide(pitch, unit));
    if (times > 1)
        fprintf(out, " * %" PRId64, times);
    fprintf(out, " in each row of ");
    put_elements(out, row, ls_divide(pitch, element));
    int64_t widest = 0;
    for (size_t i = 0; i < r->n; i++)
        widest = ls_row_integer(r->row[i], "bytes") > widest ? ls_row_integer(r->row[i], "bytes") : widest;
    if (widest > element) /* the compiler need not make one access of several columns then */
        fprintf(out, ", if accesses of %" PRId64 " B stay whole", widest);
}

static void say_change(struct ls_sentences *s, const struct ls_rows *r, const struct change *c)
{
    char *what = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&what, &size);
    if (!out)
        return;
    const struct ls_compiler_tile tile = triton_tile(r);
    if (r->triton && !strcmp(c->kind, "pad"))
        ls_triton_put_pad(out, &tile, c->pitch, c->add);
    else if (r->triton)
        ls_triton_put_swizzle(out, &tile, c->pitch, c->unit);
    else if (!strcmp(c->kind, "pad"))
        put_pad(out, r, c);
    else if (!strcmp(c->kind, "xor"))
        put_swizzle(out, r, c);
    else if (!strcmp(c->kind, "grow"))
        fprintf(out, "+%" PRId64 " B in each %s, %" PRId64 " -> %" PRId64 " B", c->add,
                *ls_row_string(r->row[0], "type") ? ls_row_string(r->row[0], "type") : "structure",
                ls_row_integer(c->like, "pitch"), ls_row_integer(c->like, "to"));
    else
        /* not per field: fields may be vectors and arrays, whose parts an array per field leaves apart */
        fprintf(out,
                "an array for each %" PRId64 " B of the structures of %" PRId64 " B (structure of arrays)",
                c->unit, ls_row_integer(c->like, "pitch"));
    fclose(out);
    int64_t others_before = ls_subtract(ls_rows_sum(r, "array_conflicts"), ls_rows_sum(r, "conflicts"), NULL),
            others = ls_subtract(c->array_conflicts, c->conflicts, NULL);
    const char *more = others > others_before ? "; other accesses of the array then conflict more" : "";
    const struct ls_advice_number conflicts = {"Bank Conflict", ls_rows_sum(r, "conflicts"), c->conflicts},
                                  cycles = {"LDS Cycles", ls_rows_sum(r, "cycles"), c->cycles};
    if (has_cycles(r))
        ls_say(s, ls_change_of_two(what, conflicts, cycles),
               "%s: %s -> %s conflict cycles, %s -> %s LDS cycles%s%s%s", what ? what : "",
               ls_commas(ls_rows_sum(r, "conflicts")), ls_commas(c->conflicts),
               ls_commas(ls_rows_sum(r, "cycles")), ls_commas(c->cycles), ls_rows_share(r),
               ls_rows_dispatches(r), more);
    else
        ls_say(s, ls_change_of(what, conflicts), "%s: %s -> %s conflict cycles%s%s%s", what ? what : "",
               ls_commas(ls_rows_sum(r, "conflicts")), ls_commas(c->conflicts), ls_rows_share(r),
               ls_rows_dispatches(r), more);
}

static int64_t common_divisor(int64_t x, int64_t y)
{
    while (x) {
        int64_t rest = y % x;
        y = x;
        x = rest;
    }
    return y;
}

/* The rows with conflicts. */
static struct ls_rows conflicting(const struct ls_rows *all)
{
    struct ls_rows some = ls_rows_beside(all);
    for (size_t i = 0; i < all->n; i++) {
        size_t n = some.n;
        if (ls_row_integer(all->row[i], "conflicts") <= 0)
            continue;
        *LS_PUSH(some.row, some.n) = all->row[i];
        *LS_PUSH(some.of, n) = all->of[i];
    }
    return some;
}

/* Whether a member has one value in all rows; which way a distance goes does not matter. */
static bool agree(const struct ls_rows *r, const char *key)
{
    for (size_t i = 1; i < r->n; i++)
        if (ls_absolute(ls_row_integer(r->row[i], key)) != ls_absolute(ls_row_integer(r->row[0], key)))
            return false;
    return true;
}

/* What a distance of lanes, which all of the rows have, does to the banks; false: there is none, or it is not the reason, as the
 * lanes of a row meet in no bank. */
static bool step_of(const struct ls_rows *r, struct ls_advice_item *item)
{
    const json_t *first = r->n ? r->row[0] : NULL;
    const int64_t step = ls_row_integer(first, "step"), banks = ls_row_integer(first, "banks"),
                  piece = ls_row_integer(first, "piece"), dwords = piece > 4 ? (piece + 3) / 4 : 1;
    if (!agree(r, "step") || !agree(r, "banks") || !agree(r, "piece") || !agree(r, "row") || banks <= 0 ||
        !step || step % 4)
        return false;
    const int64_t apart = common_divisor(ls_absolute(step / 4), banks);
    item->step = ls_absolute(step);
    item->banks = banks;
    item->every = banks / apart;
    item->reached = item->every * (dwords < apart ? dwords : apart);
    item->row = ls_row_integer(first, "row");
    item->most = ls_rows_most(r);
    return item->reached < banks && (!item->row || item->row > item->every);
}

static void say_why_conflicts(struct ls_sentences *s, const struct asked *asked, const struct ls_rows *all)
{
    struct ls_rows r = conflicting(all);
    struct ls_advice_item item = {.kind = LS_ADVICE_WHY};
    if (step_of(&r, &item)) {
        char *which = all->triton ? NULL : ls_rows_which(asked->p, asked->line, all, &r),
             *some = ls_rows_with_step(&r);
        item.where = which || some ? ls_text("%s%s", which ? which : "", some ? some : "") : NULL;
        item.of_some = item.where != NULL;
        ls_say(s, item,
               "%s%sneighbouring lanes are %" PRId64 " B apart%s fall into %" PRId64 " of %" PRId64 " banks",
               item.where ? item.where : "", item.most ? "most " : "", item.step,
               item.most ? "; lanes so far apart" : ": they", item.reached, item.banks);
        free(which);
        free(some);
    }
    free(r.row);
    free(r.of);
}

static void say_layouts(struct ls_sentences *s, const struct asked *asked, const struct ls_rows *r)
{
    static const char *const kinds[] = {"pad", "grow", "xor", "split"};
    bool any = false;
    say_why_conflicts(s, asked, r);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        struct change c = best_change(r, kinds[i]);
        if (c.like)
            say_change(s, r, &c);
        any |= c.like != NULL;
    }
    if (!any && r->triton && !triton_tile(r).plain)
        ls_say(s, ls_no_change,
               "the layout is the compiler's, or moves elements already; what another would do is not "
               "replayed: in Gluon the "
               "author chooses it, and in tl other block sizes or num_warps make Triton choose another");
    else if (!any && r->triton)
        ls_say(s, ls_no_change,
               "nothing found that helps: no PaddedSharedLayout and no SwizzledSharedLayout halves the %s "
               "conflict cycles in "
               "fewer LDS cycles%s",
               ls_commas(ls_rows_sum(r, "conflicts")), ls_rows_share(r));
    else if (!any)
        ls_say(
            s, ls_no_change,
            "nothing found that helps: neither longer rows, nor a column XORed by the row, nor a structure "
            "of arrays "
            "halves the %s conflict cycles in fewer LDS cycles%s",
            ls_commas(ls_rows_sum(r, "conflicts")), ls_rows_share(r));
}

/* The array once for each of several lanes. */
static void say_copies(struct ls_sentences *s, const struct ls_rows *r)
{
    int64_t copies = ls_row_integer(r->row[0], "copies"), pitch = ls_row_integer(r->row[0], "copy_pitch");
    for (size_t i = 0; i < r->n; i++)
        if (ls_row_integer(r->row[i], "copies") != copies || ls_row_integer(r->row[i], "copy_pitch") != pitch)
            return;
    if (copies < 2 || ls_rows_sum(r, "copied") >= ls_rows_sum(r, "cycles"))
        return;
    ls_say(s,
           ls_change_of_two(
               ls_text("%" PRId64 " copies of the array, %" PRId64
                       " B from one to the next, by lane %% %" PRId64,
                       copies, pitch, copies),
               (struct ls_advice_number){"Addr Conflict", ls_rows_sum(r, "address"),
                                         ls_rows_sum(r, "copied_address")},
               (struct ls_advice_number){"LDS Cycles", ls_rows_sum(r, "cycles"), ls_rows_sum(r, "copied")}),
           "privatised: %" PRId64 " copies of the array, %" PRId64
           " B from one to the next, by lane %% %" PRId64
           ": %s -> %s cycles of Addr Conflict, %s -> %s LDS cycles%s",
           copies, pitch, copies, ls_commas(ls_rows_sum(r, "address")),
           ls_commas(ls_rows_sum(r, "copied_address")), ls_commas(ls_rows_sum(r, "cycles")),
           ls_commas(ls_rows_sum(r, "copied")), ls_rows_share(r));
}

/* Lanes that wait for each other: how many cycles are left when they need not. */
static void say_contention(struct ls_sentences *s, const struct ls_rows *r)
{
    const char *const address = ls_commas(ls_rows_sum(r, "address"));
    if (ls_rows_sum(r, "address") <= 0)
        return;
    if (!ls_rows_have(r, "aggregated")) {
        ls_say(s, ls_why, "lanes update one address one after the other: %s cycles of Addr Conflict%s",
               address, ls_rows_share(r));
        return;
    }
    ls_say(s,
           ls_change_of_two(ls_text(LS_AGGREGATE),
                            (struct ls_advice_number){"Addr Conflict", ls_rows_sum(r, "address"),
                                                      ls_rows_sum(r, "aggregated_address")},
                            (struct ls_advice_number){"LDS Cycles", ls_rows_sum(r, "cycles"),
                                                      ls_rows_sum(r, "aggregated")}),
           "lanes update one address one after the other: %s cycles of Addr Conflict; " LS_AGGREGATED
           ": %s -> %s, %s -> %s LDS cycles%s",
           address, address, ls_commas(ls_rows_sum(r, "aggregated_address")),
           ls_commas(ls_rows_sum(r, "cycles")), ls_commas(ls_rows_sum(r, "aggregated")), ls_rows_share(r));
    say_copies(s, r);
}

static void advise_array(struct ls_sentences *s, const struct asked *asked, const struct ls_rows *r)
{
    if (ls_rows_sum(r, "conflicts") > 0)
        say_layouts(s, asked, r);
    say_contention(s, r);
}

/* The first rows' array, and in `rest` the others. */
static struct ls_rows split_array(const struct ls_rows *all, struct ls_rows *rest)
{
    struct ls_rows one = ls_rows_beside(all);
    *rest = one;
    for (size_t i = 0; i < all->n; i++) {
        struct ls_rows *to =
            strcmp(ls_row_string(all->row[i], "variable"), ls_row_string(all->row[0], "variable")) ? rest
                                                                                                   : &one;
        size_t n = to->n;
        *LS_PUSH(to->row, to->n) = all->row[i];
        *LS_PUSH(to->of, n) = all->of[i];
    }
    return one;
}

/* A line may use several arrays, of which each is laid out for itself: sentences name it then. */
void ls_advise_lds(struct ls_sentences *s, const struct ls_profile *p, const struct ls_p_line *line,
                   const struct ls_rows *r)
{
    const struct asked asked = {p, line};
    struct ls_rows rest, one = split_array(r, &rest);
    const bool several = rest.n > 0;
    while (one.n) {
        struct ls_rows later;
        size_t first = s->n;
        advise_array(s, &asked, &one);
        char *name = several && *ls_row_string(one.row[0], "variable")
                         ? ls_text("%s: ", ls_row_string(one.row[0], "variable"))
                         : NULL;
        for (size_t i = first; name && i < s->n; i++) {
            s->items[i].of_some = true;
            ls_put_before(&s->items[i].text, name);
            ls_put_before(&s->items[i].change, name);
        }
        free(name);
        for (size_t i = first; i < s->n; i++)
            s->items[i].replayed = ls_rows_part(&one);
        free(one.row);
        free(one.of);
        one = split_array(&rest, &later);
        free(rest.row);
        free(rest.of);
        rest = later;
    }
    free(one.row);
    free(one.of);
}
