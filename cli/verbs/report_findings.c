/* The findings of the check for races in reports. */
#include "report_findings.h"
#include "common/stale.h"
#include "cli/output/names.h"
#include "cli/common/safe_output.h"

#include <string.h>

static const char *title_of(const struct ls_finding *f)
{
    bool note = !strcmp(f->severity, "note");
    if (!strcmp(f->kind, "race"))
        return note ? "wavefronts write the same value without an order" : "race";
    if (!strcmp(f->kind, "lanes"))
        return note ? "lanes of one store write the same value" : "lanes of one store contradict each other";
    return ls_stale_of(f->kind) ? "stale read" : "read of unwritten LDS";
}

static void print_access(const struct terminal *t, const struct ls_profile *p,
                         const struct ls_finding_access *a, bool full_paths)
{
    fprintf(t->out, "    %-6s  %s", a->access, style_on(t, STYLE_PLACE));
    if (*a->file)
        fprintf(t->out, "%s:%lld:%lld", short_path(p, a->file, full_paths), (long long)a->line,
                (long long)a->column);
    else
        fputs("(no line information)", t->out);
    fprintf(t->out, "%s  %s%s%s%s%s\n", style_off(t), a->inlined, *a->inlined ? "  " : "",
            style_on(t, STYLE_CODE), a->instruction, style_off(t));
}

static void print_example(const struct terminal *t, const struct ls_finding *f)
{
    const struct ls_finding_access *a = &f->side[0], *b = &f->side[1];
    fprintf(t->out, "    %sfor example %s byte %lld of work-group (%lld,%lld,%lld), wavefront %lld lane %lld",
            style_on(t, STYLE_DIM), f->space, (long long)f->address, (long long)f->workgroup[0],
            (long long)f->workgroup[1], (long long)f->workgroup[2], (long long)a->wave, (long long)a->lane);
    if (f->n_sides == 2)
        fprintf(t->out, " and wavefront %lld lane %lld", (long long)b->wave, (long long)b->lane);
    fprintf(t->out, "%s\n", style_off(t));
}

void report_findings_text(const struct terminal *t, const struct ls_profile *p, bool full_paths)
{
    if (p->n_findings)
        fprintf(t->out, "\n%sCheck%s\n", style_on(t, STYLE_TITLE), style_off(t));
    for (size_t i = 0; i < p->n_findings; i++) {
        const struct ls_finding *f = &p->findings[i];
        bool note = !strcmp(f->severity, "note");
        fprintf(t->out, "  %s%s%s in ", style_on(t, note ? STYLE_DIM : STYLE_BAD), title_of(f), style_off(t));
        print_kernel_name(t, *f->kernel ? f->kernel : "an unknown kernel", 60);
        fprintf(t->out, ", %s time%s\n", show_count((double)f->count), f->count == 1 ? "" : "s");
        for (size_t j = 0; j < f->n_sides; j++)
            print_access(t, p, &f->side[j], full_paths);
        const struct ls_stale *stale = ls_stale_of(f->kind);
        if (stale)
            fprintf(t->out, "    stale: %s\n    missing: %s\n", stale->what, stale->missing);
        print_example(t, f);
    }
}

static json_t *access_json(const struct ls_finding_access *a)
{
    return json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:I, s:I}", "access", json_text(a->access), "file",
                     *a->file ? json_text(a->file) : json_null(), "line", (json_int_t)a->line, "column",
                     (json_int_t)a->column, "inlined", json_text(a->inlined), "instruction",
                     json_text(a->instruction), "wave", (json_int_t)a->wave, "lane", (json_int_t)a->lane);
}

json_t *report_findings_json(const struct ls_profile *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_findings; i++) {
        const struct ls_finding *f = &p->findings[i];
        json_t *sides = json_array();
        for (size_t j = 0; j < f->n_sides; j++)
            json_array_append_new(sides, access_json(&f->side[j]));
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:[I,I,I], s:I, s:o}", "kind",
                                        json_text(f->kind), "severity", json_text(f->severity), "space",
                                        json_text(f->space), "kernel", json_text(f->kernel), "count",
                                        (json_int_t)f->count, "gpu", (json_int_t)f->gpu, "dispatch",
                                        (json_int_t)f->dispatch, "workgroup", (json_int_t)f->workgroup[0],
                                        (json_int_t)f->workgroup[1], (json_int_t)f->workgroup[2], "address",
                                        (json_int_t)f->address, "accesses", sides));
    }
    return list;
}
