/* advice_global.c - accesses to global memory that do not coalesce. */
#include "advice_rows.h"
#include "advice_triton.h"
#include "lanescope/defaults.h"
#include "lanescope/sites.h"
#include "results/file/error_text.h"
#include "results/profile/coverage.h"
#include "results/reader/saturate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static void say_divisibility(struct ls_sentences *s, const struct ls_rows *r)
{
    const int64_t bytes = ls_absolute(ls_row_integer(r->row[0], "stride")),
                  pieces = (int64_t)json_array_size(json_object_get(r->row[0], "fields")),
                  whole = pieces ? ls_divide(ls_rows_sum(r, "whole"), pieces) : 0;
    char *why = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&why, &size);
    if (!out)
        return;
    ls_triton_put_divisibility(out, r->kernel, pieces);
    fclose(out);
    ls_say(s,
           ls_change_of(ls_text("let Triton access the %" PRId64 " B of a lane in one piece (%s)", bytes,
                                why ? why : ""),
                        (struct ls_advice_number){"Cache Lines", ls_rows_sum(r, "lines"), whole}),
           "each lane accesses %" PRId64 " B in %" PRId64 " pieces: %s; in one piece: %s -> %s cache lines%s",
           bytes, pieces, why ? why : "", ls_commas(ls_rows_sum(r, "lines")), ls_commas(whole),
           ls_rows_share(r));
    free(why);
}

/* Atomics are done by element, whatever Triton knows of their addresses. */
static void say_elements(struct ls_sentences *s, const struct ls_rows *r)
{
    const int64_t pieces = (int64_t)json_array_size(json_object_get(r->row[0], "fields")),
                  lines = ls_rows_sum(r, "lines"), after = ls_rows_sum(r, "after");
    char *how = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&how, &size);
    if (!out)
        return;
    ls_triton_put_elements(out, r->kernel);
    fclose(out);
    ls_say(s,
           ls_change_of(ls_text("give each lane one element (%s)", how ? how : ""),
                        (struct ls_advice_number){"Cache Lines", lines, after}),
           "each lane updates %" PRId64
           " neighbouring elements, one by one; with one for each lane (%s): %s -> %s cache lines%s",
           pieces, how ? how : "", ls_commas(lines), ls_commas(after), ls_rows_share(r));
    free(how);
}

/* Kinds of rows that propose one; the others say that none is known. */
static bool is_change(const char *kind)
{
    static const char *const kinds[] = {"structures", "stride", "misaligned", "pieces"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kind, kinds[i]))
            return true;
    return false;
}

/* `where`: in which executions lanes are that far apart, "" in all. The sentence begins with it. */
static struct ls_advice_item change_where(const char *where, char *what, struct ls_advice_number saved)
{
    struct ls_advice_item item = ls_change_of(what, saved);
    item.of_some = *where != 0;
    return item;
}

static void say_global(struct ls_sentences *s, const struct ls_rows *r, const char *where)
{
    const json_t *first = r->row[0];
    const char *kind = ls_row_string(first, "kind"), *lines = ls_commas(ls_rows_sum(r, "lines")),
               *after = ls_commas(ls_rows_sum(r, "after"));
    int64_t stride = ls_row_integer(first, "stride");
    char fields[256];
    const struct ls_advice_number saved = {"Cache Lines", ls_rows_sum(r, "lines"), ls_rows_sum(r, "after")};
    const char *const most = ls_rows_most(r) ? "most " : "";
    stride = ls_absolute(stride);
    /* Where idle lanes are the cause, another layout may change nothing: then it is no advice. */
    if (is_change(kind) && saved.before > 0 && saved.after >= saved.before)
        return;
    if (r->atomic && ls_rows_have(r, "whole")) {
        say_elements(s, r);
    } else if (r->triton && ls_rows_have(r, "whole")) {
        say_divisibility(s, r);
    } else if (!strcmp(kind, "structures") && !(r->triton && ls_rows_have(r, "one_place"))) {
        say_fields(first, fields, sizeof(fields));
        ls_say(s,
               change_where(where,
                            ls_text("bytes %s of each structure of %" PRId64
                                    " B in arrays of their own (structure of arrays)",
                                    fields, stride),
                            saved),
               "%s%slanes walk structures of %" PRId64
               " B, of which this kernel accesses bytes %s; with these in arrays of their own "
               "(structure of arrays): %s -> %s cache lines%s",
               where, most, stride, fields, lines, after, ls_rows_share(r));
    } else if (!strcmp(kind, "stride") || !strcmp(kind, "structures")) {
        ls_say(s, change_where(where, ls_text("lay what neighbouring lanes access side by side"), saved),
               "%s%sneighbouring lanes are %" PRId64 " B apart; side by side: %s -> %s cache lines%s", where,
               most, stride, lines, after, ls_rows_share(r));
    } else if (!strcmp(kind, "idle")) {
        ls_say(s, ls_no_change,
               "no layout helps: the idle lanes' data lie between those of the active ones%s",
               ls_rows_share(r));
    } else if (!strcmp(kind, "misaligned")) {
        ls_say(s,
               ls_change_of(ls_text("let the lanes' lowest address be a multiple of %" PRId64 " B",
                                    ls_row_integer(first, "line_bytes")),
                            saved),
               "the lanes' lowest address does not start a cache line; at a multiple of %" PRId64
               " B: %s -> %s cache lines%s",
               ls_row_integer(first, "line_bytes"), lines, after, ls_rows_share(r));
    } else if (!strcmp(kind, "pieces")) {
        int64_t pieces = 0, bytes = 0;
        for (size_t i = 0; i < r->n; i++) {
            int64_t n = ls_row_integer(r->row[i], "pieces");
            pieces = ls_add(pieces, n, NULL);
            bytes = ls_add(bytes, ls_multiply(n, ls_row_integer(r->row[i], "piece_bytes"), NULL), NULL);
        }
        ls_say(s,
               ls_change_of(
                   ls_text(r->triton ? "let a wavefront access one piece of memory (a block with longer rows)"
                                     : "lay the pieces of a wavefront in one piece"),
                   saved),
               "lanes lie side by side in pieces of %" PRId64
               " B on average; in one piece%s: %s -> %s cache lines%s",
               ls_divide(bytes, pieces), r->triton ? ", as of a block with longer rows" : "", lines, after,
               ls_rows_share(r));
    } else {
        ls_say(s, ls_no_change, "no fixed distance between lanes (irregular): nothing found that helps%s",
               ls_rows_share(r));
    }
}

/* The rows from `first` on that say the same thing as it, but those that are done. No sentence tells which way a distance goes. */
static struct ls_rows take_same(const struct ls_rows *all, size_t first, bool *done)
{
    struct ls_rows same = ls_rows_beside(all);
    size_t n_of = 0;
    for (size_t i = first; i < all->n; i++) {
        if (done[i] || strcmp(ls_row_string(all->row[first], "kind"), ls_row_string(all->row[i], "kind")) ||
            ls_absolute(ls_row_integer(all->row[first], "stride")) !=
                ls_absolute(ls_row_integer(all->row[i], "stride")))
            continue;
        *LS_PUSH(same.row, same.n) = all->row[i];
        *LS_PUSH(same.of, n_of) = all->of[i];
        done[i] = true;
    }
    return same;
}

/* `which`: of the line's accesses, NULL: of all that have rows. */
static void say_same(struct ls_sentences *s, const struct ls_rows *same, const char *which)
{
    const size_t first = s->n;
    char *where = ls_rows_with_step(same);
    say_global(s, same, where ? where : "");
    ls_put_before(&where, which);
    for (size_t i = first; i < s->n; i++) {
        s->items[i].step = ls_absolute(ls_row_integer(same->row[0], "stride"));
        s->items[i].most = ls_rows_most(same);
        s->items[i].line_bytes = ls_row_integer(same->row[0], "line_bytes");
        s->items[i].idle = ls_rows_have(same, "idle");
        s->items[i].misaligned = !strcmp(ls_row_string(same->row[0], "kind"), "misaligned");
        s->items[i].replayed = ls_rows_part(same);
        s->items[i].where = where || which ? strdup(where ? where : which) : NULL;
        s->items[i].of_some |= which != NULL;
        ls_put_before(&s->items[i].text, which);
        ls_put_before(&s->items[i].change, which);
    }
    free(where);
}

/* Rows that say the same thing. */
struct group {
    struct ls_rows rows;
    int64_t saved; /* cache lines, by what they propose */
    bool left_out;
};

static struct group *find_groups(const struct ls_rows *r, size_t *n)
{
    struct group *groups = NULL;
    bool *done = ls_realloc(NULL, r->n + 1);
    memset(done, 0, r->n + 1);
    *n = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (done[i])
            continue;
        struct group g = {.rows = take_same(r, i, done)};
        g.saved = ls_subtract(ls_rows_sum(&g.rows, "lines"), ls_rows_sum(&g.rows, "after"), NULL);
        *LS_PUSH(groups, *n) = g;
    }
    free(done);
    return groups;
}

static int most_saved(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a < b) - (a > b);
}

/* A loop over launches may have another distance in each: those that would save most are told. */
static void leave_out(struct group *groups, size_t n)
{
    enum { TOLD = 6 };
    int64_t *saved = ls_realloc(NULL, (n + 1) * sizeof *saved);
    size_t alike = 0; /* of those that save as much as the last one that is told, how many are */
    for (size_t i = 0; i < n; i++)
        saved[i] = groups[i].saved;
    qsort(saved, n, sizeof *saved, most_saved);
    for (size_t i = 0; n > TOLD + 1 && i < TOLD; i++)
        alike += saved[i] == saved[TOLD - 1];
    for (size_t i = 0; n > TOLD + 1 && i < n; i++) {
        const int64_t last = saved[TOLD - 1];
        groups[i].left_out = groups[i].saved < last || (groups[i].saved == last && !alike);
        alike -= groups[i].saved == last && alike;
    }
    free(saved);
}

static void say_left_out(struct ls_sentences *s, const struct group *groups, size_t n)
{
    int64_t number = 0, lines = 0, after = 0;
    for (size_t i = 0; i < n; i++) {
        if (!groups[i].left_out)
            continue;
        number++;
        lines = ls_add(lines, ls_rows_sum(&groups[i].rows, "lines"), NULL);
        after = ls_add(after, ls_rows_sum(&groups[i].rows, "after"), NULL);
    }
    if (number)
        ls_say(s, ls_why,
               "%" PRId64
               " more distances or causes, none of which would save more: %s -> %s cache lines in all",
               number, ls_commas(lines), ls_commas(after));
}

/* Rows that say the same thing are added up; different ones become sentences of their own, which name what they are about. */
void ls_advise_global(struct ls_sentences *s, const struct ls_profile *p, const struct ls_p_line *line,
                      const struct ls_rows *r)
{
    size_t n;
    struct group *groups = find_groups(r, &n);
    leave_out(groups, n);
    for (size_t i = 0; i < n; i++) {
        char *which = groups[i].left_out ? NULL : ls_rows_which(p, line, r, &groups[i].rows);
        if (!groups[i].left_out)
            say_same(s, &groups[i].rows, which);
        free(which);
    }
    say_left_out(s, groups, n);
    for (size_t i = 0; i < n; i++) {
        free(groups[i].rows.row);
        free(groups[i].rows.of);
    }
    free(groups);
}

/* No replay: when one lane updates an address for all, there are as many lanes as addresses were counted. Half of them must be
 * saved, as by any change; lanes that compare and swap cannot have one do it, and Triton's programs have no lanes. */
void ls_advise_waiting(struct ls_sentences *s, const struct ls_profile *p, const struct ls_p_line *line,
                       bool triton)
{
    const char *name = "";
    double lanes = 0, addresses = 0, value;
    for (size_t i = 0; i < p->n_metrics; i++) {
        const struct ls_p_metric *m = &p->metrics[i];
        if (m->view.role != LANESCOPE_ROLE_CONTENTION || strcmp(m->handler, LS_GLOBAL_HANDLER) ||
            !ls_profile_value(p, &line->values, i, &value))
            continue;
        *(m->view.excess > 0 ? &lanes : &addresses) += value;
        name = m->view.excess > 0 ? m->name : name;
    }
    if (addresses <= 0 || lanes < 2 * addresses)
        return;
    ls_say(s, ls_why, "lanes update one address one after the other: %.2f lanes for each", lanes / addresses);
    if (triton || !strcmp(line->kind, ls_kind_name(LS_SITE_CMPXCHG)))
        return;
    ls_say(s,
           ls_change_of(ls_text(LS_AGGREGATE),
                        (struct ls_advice_number){name, ls_whole(lanes), ls_whole(addresses)}),
           LS_AGGREGATED ": %s %s -> %s", name, ls_commas(ls_whole(lanes)), ls_commas(ls_whole(addresses)));
}
