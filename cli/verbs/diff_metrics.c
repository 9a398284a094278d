/* What diff and gate take from their options: metrics, renames, percentages (diff.h). */
#include "diff.h"
#include "cli/common/cli.h"
#include "cli/common/safe_output.h"
#include "cli/output/databases.h"
#include "results/profile/tables.h"

#include <stdlib.h>
#include <string.h>

bool diff_percent(const char *text, double *percent)
{
    char *end;
    *percent = strtod(text, &end);
    if (end != text && *end == '%')
        end++;
    return end != text && !*end && *percent >= 0 && *percent < 1e9;
}

bool diff_rename_of(char *text, struct diff_rename *rename)
{
    char *to = strchr(text, '=');
    if (!to || to == text || !to[1])
        return false;
    *to = 0;
    *rename = (struct diff_rename){text, to + 1};
    return true;
}

bool diff_compares(const struct diff *d, const struct ls_p_metric *m)
{
    for (size_t i = 0; i < d->n_metrics; i++)
        if (!strcmp(d->metrics[i].handler, m->handler) && !strcmp(d->metrics[i].name, m->name))
            return true;
    return false;
}

/* The metric of one profile in the other's terms. */
static void add_metric(struct diff *d, const struct ls_p_metric *m, bool chosen)
{
    if (diff_compares(d, m))
        return;
    struct diff_metric *out = LS_PUSH(d->metrics, d->n_metrics);
    *out = (struct diff_metric){
        .handler = m->handler, .name = m->name, .unit = m->unit, .is_ratio = m->is_ratio, .chosen = chosen};
    for (int side = 0; side < SIDES; side++) {
        out->index[side] = ls_profile_metric(d->profile[side], m->handler, m->name);
        if (out->index[side] >= 0 && !out->direction)
            out->direction = ls_metric_direction(d->profile[side], out->index[side]);
    }
    if (chosen && !out->direction)
        out->direction = 1;
}

/* What only one recording was asked for is neither new nor gone. Names it, and compares the rest. */
static void drop_one_sided(struct diff *d)
{
    for (int side = 0; side < SIDES; side++) {
        char *names = NULL;
        size_t size, n = 0;
        FILE *out = open_memstream(&names, &size);
        for (size_t i = 0; out && i < d->n_metrics; i++)
            if (d->metrics[i].index[!side] < 0)
                fprintf(out, "%s%s.%s", n++ ? ", " : "", d->metrics[i].handler, d->metrics[i].name);
        if (out)
            fclose(out);
        if (n)
            message("not compared, as only the recording %s has them: %s",
                    side == SIDE_A ? "before" : "after", names);
        free(names);
    }
    size_t kept = 0;
    for (size_t i = 0; i < d->n_metrics; i++)
        if (d->metrics[i].index[SIDE_A] >= 0 && d->metrics[i].index[SIDE_B] >= 0)
            d->metrics[kept++] = d->metrics[i];
    d->n_metrics = kept;
}

int diff_choose_metrics(struct diff *d, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct ls_p_metric *metric;
        int rc = find_metric_of(d->profile, SIDES, "--metric", names[i], &metric);
        if (rc)
            return rc;
        add_metric(d, metric, true);
    }
    for (int side = 0; side < SIDES && !n; side++)
        for (size_t i = 0; i < d->profile[side]->n_metrics; i++) {
            const struct ls_p_metric *m = &d->profile[side]->metrics[i];
            if (ls_is_cost(d->profile[side], (int)i))
                add_metric(d, m, false);
        }
    bool any = d->n_metrics;
    drop_one_sided(d);
    if (!any || d->n_metrics)
        return 0;
    diff_tell_nothing(d);
    return EXIT_FAILED;
}

/* Whether nothing that was observed has a metric of both recordings; else no kernel is in both. */
static bool no_metric_in_common(const struct diff *d)
{
    return d->compared || !d->n_metrics;
}

const char *diff_why_nothing(const struct diff *d)
{
    const bool before = ls_profile_is_observed(d->profile[SIDE_A]),
               after = ls_profile_is_observed(d->profile[SIDE_B]);
    if (!before || !after)
        return before  ? "no kernel was observed after"
               : after ? "no kernel was observed before"
                       : "no kernel was observed in either recording";
    return no_metric_in_common(d) ? "the recordings have no metric in common"
                                  : "no kernel was observed in both databases";
}

void diff_tell_nothing(const struct diff *d)
{
    static const char said[] = "nothing could be compared";
    const bool before = ls_profile_is_observed(d->profile[SIDE_A]);
    if (!before || !ls_profile_is_observed(d->profile[SIDE_B])) {
        char *word = shell_word(d->profile[before ? SIDE_B : SIDE_A]->databases[0].path);
        message("%s: %s; `lanescope summary %s` says why", diff_why_nothing(d), said, word);
        free(word);
        return;
    }
    message("%s: %s; %s", diff_why_nothing(d), said,
            no_metric_in_common(d) ? "record both with the same --handlers"
                                   : "--map says which kernel was renamed");
}

static void tell_sizes(const struct ls_p_kernel *a, const struct ls_p_kernel *b)
{
    message("wavefronts of %u lanes before, of %u after: the same accesses are other numbers of executions, "
            "so that "
            "better and worse can be the size's; `check --waves` says which lines' results depend on it",
            ls_kernel_lanes(a), ls_kernel_lanes(b));
}

void diff_tell_gpus(const struct diff *d)
{
    for (size_t i = 0; i < d->n_kernels; i++) {
        const struct ls_p_kernel *const *k = (const struct ls_p_kernel *const *)d->kernels[i].kernel;
        if (!diff_observed_in_both(&d->kernels[i]))
            continue;
        if (!strcmp(k[SIDE_A]->arch, k[SIDE_B]->arch) &&
            ls_kernel_lanes(k[SIDE_A]) == ls_kernel_lanes(k[SIDE_B]))
            continue;
        if (!strcmp(k[SIDE_A]->arch, k[SIDE_B]->arch))
            tell_sizes(k[SIDE_A], k[SIDE_B]);
        else
            message(
                "before on %s, after on %s: cache lines, banks and wavefronts of the two may differ, so that "
                "better and "
                "worse can be the GPU's and not the program's; `report --as` prices one recording as on the "
                "other GPU",
                k[SIDE_A]->arch, k[SIDE_B]->arch);
        return;
    }
}

void diff_check_filters(struct diff *d)
{
    const char *filters[SIDES];
    for (int side = 0; side < SIDES; side++)
        filters[side] = d->profile[side]->n_databases ? d->profile[side]->databases[0].filters : "";
    d->other_waves = strcmp(filters[SIDE_A], filters[SIDE_B]) != 0;
    if (d->other_waves)
        message("the recordings are of different wavefronts, so their numbers cannot be compared; before: "
                "%s; after: %s",
                *filters[SIDE_A] ? filters[SIDE_A] : "all reported",
                *filters[SIDE_B] ? filters[SIDE_B] : "all reported");
}
