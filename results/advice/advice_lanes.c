/* advice_lanes.c - lanes that are idle: by which branch, or by the size of work-groups. */
#include "advice_rows.h"
#include "common/plural.h"
#include "advice_triton.h"
#include "branch_text.h"
#include "common/names.h"
#include "results/file/error_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tests of one condition (`&&`), and the start and the end of one loop, are told once. */
static bool told_before(const json_t *branches, size_t i, char *const *texts)
{
    const json_t *b = json_array_get(branches, i);
    for (size_t k = 0; k < i; k++) {
        const json_t *other = json_array_get(branches, k);
        if (!strcmp(ls_row_string(other, "file"), ls_row_string(b, "file")) &&
            ls_row_integer(other, "line") == ls_row_integer(b, "line") &&
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
    const char *file = ls_row_string(branch, "file");
    int64_t number = ls_row_integer(branch, "line");
    if (strcmp(file, *line->title.file ? line->title.file : line->file)) /* what the row is called after */
        fprintf(out, "%s:%" PRId64, ls_base_name(file), number);
    else
        fprintf(out, "line %" PRId64, number);
    if (text)
        fprintf(out, " `%s`", text);
}

/* ": line 12 `if (i % 8 == 0)`, in line 10 `if (x)`"; false: there is none to name. masked: becomes true if one is a mask of Triton's. */
static bool put_branches(FILE *out, const struct ls_profile *p, const struct ls_p_line *line,
                         const struct ls_rows *r, bool *masked)
{
    const json_t *const branches = json_object_get(r->row[0], "branches");
    const size_t n = json_array_size(branches);
    char **texts = ls_realloc(NULL, (n + 1) * sizeof *texts);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        const json_t *b = json_array_get(branches, i);
        texts[i] = ls_branch_text(p, ls_row_string(b, "file"), ls_row_integer(b, "line"),
                                  ls_row_integer(b, "column"), r->triton);
        if (told_before(branches, i, texts) || in_library(p, line, ls_row_string(b, "file")))
            continue;
        fputs(any ? ", in " : ": ", out);
        put_branch(out, line, b, texts[i]);
        any = true;
        *masked |= texts[i] && !strncmp(texts[i], "mask", 4);
    }
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
    return any;
}

/* Lanes per access that are active without any branch: of 100 work-items in wavefronts of 64 it is 50, if all wavefronts
 * execute it. What recordings without `empty` tell. */
static double active_without_branches(const struct ls_rows *r)
{
    double sum = 0, executions = 0;
    for (size_t i = 0; i < r->n; i++) {
        double group = (double)ls_row_integer(r->row[i], "workgroup"),
               lanes = (double)ls_row_integer(r->row[i], "lanes"),
               n = (double)ls_row_integer(r->row[i], "executions"),
               wavefronts = lanes > 0 ? ceil(group / lanes) : 0;
        sum += n * (wavefronts >= 1 ? group / wavefronts : lanes);
        executions += n;
    }
    return executions > 0 ? sum / executions : 0;
}

/* Whether lanes are idle that are work-items. */
static bool branches_did(const struct ls_rows *r, double active)
{
    double all = 0;
    if (!ls_rows_have(r, "empty"))
        return active < active_without_branches(r);
    for (size_t i = 0; i < r->n; i++)
        all += (double)ls_row_integer(r->row[i], "executions") * (double)ls_row_integer(r->row[i], "lanes");
    return (double)ls_rows_sum(r, "active") + (double)ls_rows_sum(r, "empty") < all;
}

/* Whether lanes were idle for want of work-items: recordings without `empty` tell that work-groups have too few, but not which of
 * their wavefronts executed the line. */
static bool lacks_items(const json_t *row, int64_t group, int64_t lanes)
{
    return json_object_get(row, "empty") ? ls_row_integer(row, "empty") > 0 : group % lanes != 0;
}

/* "work-groups of 48 work-items leave 16 lanes of each wavefront empty", if wavefronts that have such lanes executed the line. */
static void put_groups(FILE *out, const struct ls_rows *r, const char *before)
{
    int64_t group = 0, lanes = 0;
    bool several = false;
    for (size_t i = 0; i < r->n; i++) {
        const int64_t g = ls_row_integer(r->row[i], "workgroup"), l = ls_row_integer(r->row[i], "lanes");
        if (g <= 0 || l <= 0 || !lacks_items(r->row[i], g, l))
            continue;
        several |= group && (group != g || lanes != l);
        group = g;
        lanes = l;
    }
    if (!group)
        return;
    if (several)
        fprintf(out, "%swork-groups leave lanes of their last wavefronts empty", before);
    else if (group % lanes == 0)
        fprintf(out, "%swork-groups at the end of the grid leave lanes empty", before);
    else
        fprintf(out, "%swork-groups of %" PRId64 " work-%s leave %" PRId64 " %s of %s wavefront empty",
                before, group, ls_word((double)group, "item", "items"), lanes - group % lanes,
                ls_word((double)(lanes - group % lanes), "lane", "lanes"),
                group < lanes ? "each" : "their last");
}

/* Blocks are spread over all lanes of all warps, whether there are elements for them or not; lanes that have an element twice leave
 * it to one of them. What is no block, one lane does: so it is meant to be. Other numbers of warps change nothing: as many lanes of
 * a block stay idle, for one whose lanes are all idle executes nothing. */
static void put_triton_blocks(FILE *out, bool masked, bool one)
{
    if (masked)
        fputs("; a block nearer to the data's size leaves fewer idle", out);
    else if (one)
        fputs("; where it is no block, one lane does it for all", out);
    else
        fputs("; masked out, or another lane has the same element: a block nearer to the data's size, or one "
              "with "
              "an element for each lane, leaves fewer idle",
              out);
}

/* Who switched lanes off: branches, when fewer are active than the work-groups have; and the work-groups. */
static void put_reason(FILE *out, const struct ls_profile *p, const struct ls_p_line *line,
                       const struct ls_rows *r, double active)
{
    bool masked = false;
    const bool branch = branches_did(r, active) && put_branches(out, p, line, r, &masked);
    put_groups(out, r, branch ? "; " : ": ");
    if (r->triton && !strcmp(line->space, "global"))
        put_triton_blocks(out, masked, active <= 1);
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
        fputs(" in ", out);
        ls_put_executions(out, executions, all);
        return;
    }
}

/* Idle lanes cost what active ones do: who switched them off. */
void ls_advise_lanes(struct ls_sentences *s, const struct ls_profile *p, const struct ls_p_line *line,
                     const struct ls_rows *r)
{
    const json_t *first = r->n ? r->row[0] : NULL;
    int64_t active = ls_rows_sum(r, "active"), executions = ls_rows_sum(r, "executions"),
            lanes = ls_row_integer(first, "lanes");
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
        ls_say(s, ls_why, "%.1f of %" PRId64 " lanes active on average%s",
               (double)active / (double)executions, lanes, reason ? reason : "");
    else
        ls_say(s, ls_why, "%" PRId64 " of %" PRId64 " lanes active%s", active / executions, lanes,
               reason ? reason : "");
    free(reason);
}
