/* Explanations for people: text, and Markdown for issues and reviews. */
#include "explain.h"
#include "results/profile/exact.h"
#include "cli/output/names.h"
#include "cli/output/terminal.h"

#include <stdlib.h>
#include <string.h>

struct page {
    const struct explain *e;
    struct terminal t;
    bool markdown;
};

/* What would be markup in Markdown or HTML stands with a backslash. */
static void put_plain(const struct page *pg, const char *s)
{
    for (; *s; s++) {
        if (pg->markdown && strchr("\\`*_{}[]<>#|!&~", *s))
            fputc('\\', pg->t.out);
        fputc(*s, pg->t.out);
    }
}

/* Code of any content: the fence is longer than its longest row of backquotes. */
static void put_code(const struct page *pg, const char *s)
{
    int longest = 0, row = 0;
    for (const char *c = s; *c; c++) {
        row = *c == '`' ? row + 1 : 0;
        longest = row > longest ? row : longest;
    }
    for (int i = 0; pg->markdown && i <= longest; i++)
        fputc('`', pg->t.out);
    fprintf(pg->t.out, pg->markdown && longest ? " %s " : "%s", s);
    for (int i = 0; pg->markdown && i <= longest; i++)
        fputc('`', pg->t.out);
}

/* A sentence, of which advice puts source code between backquotes. */
static void put_sentence(const struct page *pg, const char *text)
{
    char *copy = strdup(text), *at = copy, *code, *end;
    while (at && (code = strchr(at, '`')) && (end = strchr(code + 1, '`'))) {
        *code = *end = 0;
        put_plain(pg, at);
        put_code(pg, code + 1);
        at = end + 1;
    }
    put_plain(pg, at ? at : text);
    free(copy);
}

static void put_item(const struct page *pg, const char *text)
{
    fputs(pg->markdown ? "- " : "    ", pg->t.out);
    if (pg->markdown)
        put_sentence(pg, text);
    else
        print_wrapped(&pg->t, text, 4, 6);
    fputc('\n', pg->t.out);
}

/* As long as the budget leaves it. */
static void put_sentence_item(const struct page *pg, const char *text)
{
    char *cut = explain_cut(pg->e, text);
    put_item(pg, cut ? cut : "");
    free(cut);
}

static void put_section(const struct page *pg, const char *title)
{
    if (pg->markdown)
        fprintf(pg->t.out, "\n**%s**\n\n", title);
    else
        fprintf(pg->t.out, "  %s%s%s\n", style_on(&pg->t, STYLE_HEAD), title, style_off(&pg->t));
}

/* "in KERNEL" behind `at` columns, and before ", GPU"; in a line of its own where too little of the name would be left. */
static void put_kernel(const struct page *pg, const struct ls_p_kernel *k, int at)
{
    enum { LEAST = 16, INDENT = 4, MOST = 60 };
    char *heading = kernel_heading(pg->e->profile, k);
    const int around = (int)(strlen("in , ") + strlen(k->arch));
    if (pg->t.cuts && at + around + LEAST > pg->t.width && at + around + text_width(heading) > pg->t.width) {
        fprintf(pg->t.out, "\n%*s", INDENT, "");
        at = INDENT;
    }
    const int room = pg->t.width - at - around;
    char *name = explain_cut(pg->e, heading);
    fprintf(pg->t.out, "%sin ", style_on(&pg->t, STYLE_DIM));
    print_kernel_name(&pg->t, name ? name : "", room < MOST ? room : MOST);
    free(name);
    free(heading);
    fputs(style_off(&pg->t), pg->t.out);
}

static void put_head(const struct page *pg, const struct explain_finding *f)
{
    char *place = line_place(pg->e->profile, f->line, pg->e->full_paths),
         *access = line_access(f->line, true);
    const char *text = f->line->title_source ? f->line->title_source : f->line->source;
    char *source = text && !(pg->e->dropped & EXPLAIN_SOURCE) ? explain_cut(pg->e, text) : NULL;
    char *heading = kernel_heading(pg->e->profile, f->kernel), *name = explain_cut(pg->e, heading);
    fputs(pg->markdown ? "### " : style_on(&pg->t, STYLE_PLACE), pg->t.out);
    put_plain(pg, place);
    fputs(style_off(&pg->t), pg->t.out);
    fprintf(pg->t.out, " %s%s", access, pg->markdown ? "\n\n" : "  ");
    if (pg->markdown) {
        fputs("in ", pg->t.out);
        put_code(pg, name ? name : "");
    } else {
        put_kernel(pg, f->kernel, text_width(place) + 1 + text_width(access) + 2);
    }
    fprintf(pg->t.out, ", %s\n", f->kernel->arch);
    if (source && *source) {
        fputs(pg->markdown ? "\n" : "    ", pg->t.out);
        if (pg->markdown)
            put_code(pg, source);
        else
            print_name(&pg->t, source, pg->t.width - 4);
        fputc('\n', pg->t.out);
    }
    char *instruction = f->line->alone ? line_instruction(f->line) : NULL;
    if (instruction) { /* a line may have several, which nothing else tells apart */
        fputs(pg->markdown ? "\n" : "    ", pg->t.out);
        if (pg->markdown)
            put_code(pg, instruction);
        else
            print_name(&pg->t, instruction, pg->t.width - 4);
        fputc('\n', pg->t.out);
    }
    free(instruction);
    free(source);
    free(name);
    free(heading);
    free(place);
    free(access);
}

/* How a cost stands to the whole: counts of a part of the wavefronts are no estimate of all. */
static const char *hedge(const struct explain_finding *f, const struct explain_cost *c,
                         const struct ls_p_metric *m)
{
    return c->exact                                                                      ? ""
           : ls_kernel_partial(f->line->kernel) && !f->line->n_estimated && !m->is_ratio ? "at least "
                                                                                         : "about ";
}

static void put_costs(const struct page *pg, const struct explain_finding *f)
{
    put_section(pg, "What it costs");
    for (size_t i = 0; i < f->n_costs; i++) {
        if (!explain_shows_cost(pg->e, f, i))
            continue;
        const struct ls_p_metric *m = &pg->e->profile->metrics[f->costs[i].metric];
        char line[256];
        snprintf(line, sizeof(line), "%s: %s%s", m->name, hedge(f, &f->costs[i], m),
                 explain_number(m, f->costs[i].value));
        put_item(pg, line);
    }
    if (f->excess <= 0)
        put_item(pg, "it does nothing beyond what its data need");
}

static void put_change(const struct page *pg, const struct ls_advice_item *a)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    char *change = explain_cut(pg->e, a->change ? a->change : a->text);
    fputs(change ? change : "", out);
    free(change);
    for (size_t i = 0; i < a->n_numbers; i++)
        fprintf(out, "%s%s %s -> %s", i ? ", " : ": ", a->number[i].metric,
                show_count((double)a->number[i].before), show_count((double)a->number[i].after));
    fclose(out);
    put_item(pg, text);
    free(text);
}

static void put_advice(const struct page *pg, const struct explain_finding *f)
{
    bool any = false;
    for (size_t i = 0; i < f->n_advice; i++) {
        const unsigned part = f->advice[i].kind == LS_ADVICE_NO_CHANGE ? EXPLAIN_REMARKS
                              : any                                    ? EXPLAIN_CHANGES
                                                                       : 0;
        if (f->advice[i].kind == LS_ADVICE_WHY || pg->e->dropped & part)
            continue;
        if (!any)
            put_section(pg, "What to do, and what it will bring");
        any = true;
        if (f->advice[i].kind == LS_ADVICE_CHANGE)
            put_change(pg, &f->advice[i]);
        else
            put_sentence_item(pg, f->advice[i].text);
    }
    if (!any && f->excess > 0) {
        put_section(pg, "What to do");
        put_item(pg, f->line->n_estimated ? "no advice is given on estimates"
                     : f->n_advice        ? "no change is known that would help"
                                          : "the recording has no advice on it (handler `advice`)");
    }
}

static void put_confidence(const struct page *pg, const struct explain_finding *f)
{
    const char *name = explain_confidence_name(f->confidence);
    const char *doubt = pg->e->dropped & EXPLAIN_REMARKS ? NULL : f->doubt;
    const int at =
        fprintf(pg->t.out, "%sConfidence: %s%s", pg->markdown ? "" : "  ", name, doubt ? ": " : "");
    if (doubt && pg->markdown)
        put_plain(pg, doubt);
    else if (doubt)
        print_wrapped(&pg->t, doubt, at, 4);
    fputc('\n', pg->t.out);
}

static void put_dropped(const struct page *pg, const struct explain_finding *f)
{
    char *text = NULL;
    size_t size = 0;
    const unsigned dropped =
        explain_dropped(pg->e, f) & ~(unsigned)EXPLAIN_LAUNCH; /* it stands nowhere here */
    FILE *out = dropped ? open_memstream(&text, &size) : NULL;
    if (!out)
        return;
    for (int i = 0, n = 0; i < EXPLAIN_PARTS; i++)
        if (dropped >> i & 1)
            fprintf(out, "%s%s", n++ ? ", " : "", explain_part_words[i]);
    fclose(out);
    const int at = fprintf(pg->t.out, "%sLeft out for --budget: ", pg->markdown ? "\n" : "  ");
    print_wrapped(&pg->t, text, at, 4);
    fputc('\n', pg->t.out);
    free(text);
}

static void put_finding(const struct page *pg, const struct explain_finding *f)
{
    put_head(pg, f);
    put_costs(pg, f);
    const size_t n_why = pg->e->dropped & EXPLAIN_WHY ? 0 : f->n_why;
    if (n_why)
        put_section(pg, "Why");
    for (size_t i = 0; i < n_why; i++)
        put_sentence_item(pg, f->why[i]);
    put_advice(pg, f);
    if (pg->markdown)
        fputc('\n', pg->t.out);
    put_confidence(pg, f);
    put_dropped(pg, f);
}

void explain_text(const struct explain *e, size_t n, bool markdown, FILE *out)
{
    struct page pg = {.e = e, .t = terminal_of(out), .markdown = markdown};
    for (size_t i = 0; i < n; i++) {
        if (i)
            fputc('\n', out);
        put_finding(&pg, &e->findings[i]);
    }
    if (n < e->n_all) {
        const size_t more = e->n_all - n;
        const int at = fprintf(out, "\n%zu more line%s ", more, more == 1 ? "" : "s") - 1;
        print_wrapped(&pg.t,
                      more == 1 ? "costs something; --top and --budget show more or fewer"
                                : "cost something; --top and --budget show more or fewer",
                      at, 2);
        fputc('\n', out);
    }
}
