/* One source file as text: head, lines with their numbers, remarks, legend. */
#include "annotate_page.h"
#include "cli/output/exactness.h"
#include "cli/output/names.h"
#include "results/profile/tables.h"

#include <stdlib.h>
#include <string.h>

#define REMARK_LEAST 32 /* below that, remarks stand under the numbers, too */
#define REMARK_INDENT 4

/* In place of numbers: the line that has those of the instruction. */
static bool print_with(const struct page *pg, const struct place *at)
{
    if (!at || at->numbers || at->done_at.n != 1 ||
        7 + text_width(at->done_at.items[0]) > annotate_gutter_width(pg))
        return false;
    print_padding(&pg->t, annotate_gutter_width(pg) - 5 - text_width(at->done_at.items[0]));
    fprintf(pg->t.out, "%swith ", style_on(&pg->t, STYLE_DIM));
    print_cut(&pg->t, at->done_at.items[0], text_width(at->done_at.items[0]));
    fputs(style_off(&pg->t), pg->t.out);
    return true;
}

static void print_gutter(struct page *pg, const struct place *at)
{
    for (size_t c = 0; c < pg->n_columns; c++) {
        if (pg->columns[c].hidden)
            continue;
        char text[64] = "";
        if (at)
            annotate_cell(pg, at, &pg->columns[c], text);
        pg->inexact |= !strncmp(text, INEXACT_MARK, strlen(INEXACT_MARK));
        pg->assumed |= strstr(text, ASSUMED_MARK) != NULL;
        print_padding(&pg->t, annotate_gap(pg) + pg->columns[c].width - text_width(text));
        enum style style = at ? annotate_heat(pg, at, &pg->columns[c]) : STYLE_CODE;
        fprintf(pg->t.out, "%s%s%s", style_on(&pg->t, style), text,
                style == STYLE_CODE ? "" : style_off(&pg->t));
    }
}

/* The line with tabs as blanks up to the next multiple of 8 columns. malloc'd. */
static char *expanded(const char *text, size_t n)
{
    char *out = NULL;
    size_t size = 0;
    int column = 0;
    FILE *f = open_memstream(&out, &size);
    for (size_t i = 0; f && i < n; i++) {
        int blanks = text[i] == '\t' ? 8 - column % 8 : 0;
        if (blanks)
            column += fprintf(f, "%*s", blanks, "");
        else
            fputc(text[i], f);
        column += !blanks && ((unsigned char)text[i] & 0xc0) != 0x80; /* bytes that begin a character */
    }
    if (f)
        fclose(f);
    return out;
}

/* A remark under a line. */
static void print_below(const struct page *pg, enum style style, const char *before, const char *text,
                        const char *behind)
{
    char *whole = NULL;
    if (asprintf(&whole, "%s%s", text, behind) < 0)
        return;
    int column = annotate_gutter_width(pg) + annotate_number_width(pg) + 2;
    if (pg->narrow && annotate_source_width(pg) < REMARK_LEAST)
        column = REMARK_INDENT;
    print_padding(&pg->t, column);
    fprintf(pg->t.out, "%s%s", style_on(&pg->t, style), before);
    if (pg->cut)
        print_wrapped(&pg->t, whole, column + text_width(before), column + 2);
    else
        print_cut(&pg->t, whole, text_width(whole));
    fprintf(pg->t.out, "%s\n", style_off(&pg->t));
    free(whole);
}

static const char one_line[] = "line ";

/* "line 9", "lines 4, 5 and 9", "line 4 and other.h:9"; malloc'd. */
static char *listed(const struct ls_p_texts *places)
{
    char *out = NULL;
    size_t size = 0, lines = 0;
    FILE *f = open_memstream(&out, &size);
    for (size_t i = 0; i < places->n; i++)
        lines += !strncmp(places->items[i], one_line, strlen(one_line));
    const bool all = places->n > 1 && lines == places->n;
    if (f && all)
        fputs("lines ", f);
    for (size_t i = 0; f && i < places->n; i++)
        fprintf(f, "%s%s",
                !i                  ? ""
                : i + 1 < places->n ? ", "
                                    : " and ",
                places->items[i] + (all ? strlen(one_line) : 0));
    if (f)
        fclose(f);
    return out;
}

static void print_merged(const struct page *pg, const struct ls_p_texts *places, const char *behind)
{
    char *text = places->n ? listed(places) : NULL;
    if (text)
        print_below(pg, STYLE_DIM, "* with ", text, behind);
    free(text);
}

/* number 0: what has no line. */
static void print_source(struct page *pg, const struct source *s, uint32_t number, const struct place *at)
{
    static const char without[] = "(no line: the compiler gave these accesses none)";
    size_t n;
    char shown[16] = "-";
    const char *text = number ? ls_profile_line(s->file, number, &n) : NULL;
    char *line = text ? expanded(text, n) : number ? NULL : strdup(without);
    if (number)
        snprintf(shown, sizeof shown, "%u", number);
    bool with = print_with(pg, at);
    pg->coalesced |= at && at->coalesced;
    if (!with)
        print_gutter(pg, at);
    fprintf(pg->t.out, "%s %*s%s", style_on(&pg->t, at ? STYLE_PLACE : STYLE_DIM),
            annotate_number_width(pg) - 1, shown, style_off(&pg->t));
    if (line && *line) {
        fputs("  ", pg->t.out);
        print_cut(&pg->t, line, pg->cut ? annotate_source_width(pg) : text_width(line));
    }
    fputc('\n', pg->t.out);
    free(line);
    if (at && !with)
        print_merged(pg, &at->done_at,
                     at->done_at.n > 1 ? ", which have the numbers" : ", whose numbers count both");
    if (at)
        print_merged(pg, &at->done_here, ": one instruction");
    for (size_t i = 0; at && i < at->advice.n; i++)
        print_below(pg, STYLE_WARN, "> ", at->advice.items[i], "");
}

/* Names of templates can be longer than their kernels. */
static void print_one_of(const struct page *pg, const char *name, bool more, FILE *out)
{
    char *cut = name_cut(&pg->t, name, pg->t.width - 4);
    fprintf(out, "%s%s", more ? ", " : "", cut ? cut : name);
    free(cut);
}

static void print_head(const struct page *pg, const struct source *s)
{
    const struct terminal *t = &pg->t;
    char *names = NULL;
    size_t size = 0;
    fprintf(t->out, "%s%s%s\n", style_on(t, STYLE_TITLE),
            short_path(pg->p, s->file->path, pg->o->view.full_paths), style_off(t));
    FILE *out = open_memstream(&names, &size);
    for (size_t i = 0; out && i < s->n_kernels; i++)
        print_one_of(pg, s->kernels[i], i > 0, out);
    if (out)
        fclose(out);
    fprintf(t->out, "%s  ", style_on(t, STYLE_DIM));
    print_wrapped(t, names ? names : "", 2, 4);
    fprintf(t->out, "%s\n", style_off(t));
    if (s->file->differs)
        fprintf(t->out, "%s  the recordings hold different texts of this file: the first one is shown%s\n",
                style_on(t, STYLE_WARN), style_off(t));
    fputs(style_on(t, STYLE_HEAD), t->out);
    for (size_t c = 0; c < pg->n_columns; c++) {
        if (pg->columns[c].hidden)
            continue;
        const char *head = annotate_head(pg, &pg->columns[c]);
        print_padding(t, annotate_gap(pg) + pg->columns[c].width - text_width(head));
        fputs(head, t->out);
    }
    fprintf(t->out, "%*s%s\n", annotate_number_width(pg), "Line", style_off(t));
    free(names);
}

/* Without text only the lines with numbers. */
static void print_numbers(struct page *pg, const struct source *s)
{
    fprintf(pg->t.out, "%s  source not shown: %s%s\n", style_on(&pg->t, STYLE_WARN), s->file->problem,
            style_off(&pg->t));
    for (size_t i = 0; i < s->n_places; i++)
        print_source(pg, s, s->places[i].line, &s->places[i]);
}

static void print_text(struct page *pg, const struct source *s)
{
    uint64_t last = annotate_count_lines(s->file);
    const size_t first = s->n_places && !s->places[0].line;
    size_t next = first; /* the first place at or behind the line */
    long context = pg->o->context;
    bool skipping = false;
    if (first)
        print_source(pg, s, 0, &s->places[0]);
    for (uint64_t line = 1; line <= last || next < s->n_places; line++) {
        if (line > last)
            line = s->places[next].line; /* the compiler's line number is beyond the text */
        const struct place *at = next < s->n_places && s->places[next].line == line ? &s->places[next] : NULL;
        bool near = context < 0 || (next < s->n_places && s->places[next].line - line <= (uint64_t)context) ||
                    (next > first && line - s->places[next - 1].line <= (uint64_t)context);
        if (near)
            print_source(pg, s, (uint32_t)line, at);
        else if (!skipping)
            fprintf(pg->t.out, "%*s%s...%s\n", annotate_gutter_width(pg) + annotate_number_width(pg) - 3, "",
                    style_on(&pg->t, STYLE_DIM), style_off(&pg->t));
        skipping = !near;
        next += at != NULL;
    }
}

size_t annotate_print_files(struct page *pg, const struct source *list, size_t n)
{
    size_t shown = 0;
    for (size_t i = 0; i < n; i++) {
        if (!annotate_wants(pg->o, list[i].file->path))
            continue;
        if (shown++)
            fputc('\n', pg->t.out);
        annotate_measure(pg, &list[i]);
        print_head(pg, &list[i]);
        if (list[i].file->text)
            print_text(pg, &list[i]);
        else
            print_numbers(pg, &list[i]);
    }
    return shown;
}

void annotate_print_legend(const struct page *pg)
{
    const struct terminal *t = &pg->t;
    char *text = exactness_text(pg->p, pg->o->view.full_paths, 0);
    if (text) {
        fprintf(t->out, "\n%s", style_on(t, strstr(text, "; ") ? STYLE_WARN : STYLE_DIM));
        print_wrapped(t, text, 0, 2);
        fprintf(t->out, "%s\n", style_off(t));
    }
    free(text);
    if (pg->coalesced) {
        print_wrapped(t, LS_COALESCING_NOTE, 0, 2);
        fputc('\n', t->out);
    }
    if (pg->inexact) {
        print_wrapped(t, INEXACT_LEGEND, 0, 2);
        fputc('\n', t->out);
    }
    if (pg->assumed) {
        print_wrapped(t, ASSUMED_LEGEND, 0, 2);
        fputc('\n', t->out);
    }
    if (pg->hidden) {
        print_wrapped(t, "a wider terminal has more columns", 0, 2);
        fputc('\n', t->out);
    }
}
