/* The sentence at the end of a comparison: of what was compared, and of what was not. */
#include "diff.h"
#include "common/plural.h"
#include "cli/output/blind.h"
#include "cli/output/terminal.h"
#include "results/file/error_text.h"

#include <stdlib.h>
#include <string.h>

/* ---- what was not compared ---- */

static bool is_observed(const struct ls_p_kernel *k)
{
    return k && k->observed;
}

enum diff_left diff_left_of(const struct diff_kernel *k)
{
    const bool before = is_observed(k->kernel[SIDE_A]), after = is_observed(k->kernel[SIDE_B]);
    if (before && after)
        return k->total.sum[SIDE_A].n && k->total.sum[SIDE_B].n ? LEFT_NONE : LEFT_NO_NUMBERS;
    if (before || after)
        return before ? LEFT_ONLY_BEFORE : LEFT_ONLY_AFTER;
    return blind_is_runtime_own(diff_kernel_of(k)) ? LEFT_NONE : LEFT_NOT_OBSERVED;
}

size_t diff_count_left(const struct diff *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n_kernels; i++)
        n += diff_left_of(&d->kernels[i]) != LEFT_NONE;
    return n;
}

/* "3 of 8 kernels were not compared (observed only before: 1, observed in neither: 2)". malloc'd; "": all were; NULL: out of
 * memory. */
static char *left_text(const struct diff *d)
{
    static const char *const ways[LEFT_WAYS] = {[LEFT_ONLY_BEFORE] = "observed only before",
                                                [LEFT_ONLY_AFTER] = "observed only after",
                                                [LEFT_NOT_OBSERVED] = "observed in neither",
                                                [LEFT_NO_NUMBERS] = "without numbers"};
    size_t n[LEFT_WAYS] = {0}, left = diff_count_left(d), told = 0;
    char *text = NULL;
    size_t size = 0;
    FILE *out = left ? open_memstream(&text, &size) : NULL;
    if (!out)
        return left ? NULL : strdup("");
    for (size_t i = 0; i < d->n_kernels; i++)
        n[diff_left_of(&d->kernels[i])]++;
    fprintf(out, "%s of ", show_count((double)left));
    fprintf(out, "%s %s %s not compared (", show_count((double)(left + d->compared)),
            ls_word((double)(left + d->compared), "kernel", "kernels"), ls_word((double)left, "was", "were"));
    for (size_t i = LEFT_NONE + 1; i < LEFT_WAYS; i++)
        if (n[i])
            fprintf(out, "%s%s: %s", told++ ? ", " : "", ways[i], show_count((double)n[i]));
    fprintf(out, ")%s",
            n[LEFT_ONLY_BEFORE] && n[LEFT_ONLY_AFTER] ? "; --map OLD=NEW pairs what was renamed" : "");
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- what was ---- */

static bool more_at(const struct diff_entry *e, size_t metric, bool in_part)
{
    return e->values && e->values[metric].verdict == VERDICT_CHANGED && e->values[metric].in_part == in_part;
}

/* Whether a kernel or a line of it has more of the metric and is no worse for that: `in_part`, as what it is a part of
 * costs no more; else within what is allowed. */
static bool more_of(const struct diff *d, size_t metric, bool in_part)
{
    for (size_t i = 0; i < d->n_kernels; i++) {
        const struct diff_kernel *k = &d->kernels[i];
        if (more_at(&k->total, metric, in_part))
            return true;
        for (size_t j = 0; j < k->n_lines; j++)
            if (more_at(&k->lines[j], metric, in_part))
                return true;
    }
    return false;
}

/* The metrics of which that is so. malloc'd; "": none; NULL: out of memory. */
static char *grown_text(const struct diff *d, bool in_part)
{
    char *text = strdup("");
    for (size_t i = 0; text && i < d->n_metrics; i++) {
        if (!more_of(d, i, in_part))
            continue;
        char *longer = ls_text("%s%s%s", text, *text ? ", " : "", d->metrics[i].name);
        free(text);
        text = longer;
    }
    return text;
}

/* What to say where no verdict is "worse": parts of costs that are no greater as a whole, and what --threshold allows,
 * are more than before all the same. malloc'd; NULL: out of memory. */
static char *no_worse_text(const struct diff *d)
{
    char *parts = grown_text(d, true), *allowed = grown_text(d, false), *text = NULL;
    const bool some = parts && *parts, within = allowed && *allowed;
    char *by = within ? ls_text(" by more than %g %%", d->threshold) : strdup("");
    if (by && parts && allowed)
        text = ls_text("%s%s is worse than before%s%s%s%s%s%s", some ? "no cost" : "nothing",
                       diff_count_left(d) ? " that was compared" : "", by, some ? " as a whole" : "",
                       some ? "; parts of costs are: " : "", parts, within ? "; within that: " : "", allowed);
    free(parts);
    free(allowed);
    free(by);
    return text;
}

char *diff_conclusion(const struct diff *d)
{
    if (!d->numbers)
        return strdup("nothing could be compared");
    if (d->other_waves)
        return strdup("nothing was judged: the recordings are of different wavefronts");
    char *left = left_text(d), *verdict = d->worse ? strdup("worse than before") : no_worse_text(d),
         *text = NULL;
    if (left && verdict)
        text = ls_text("%s%s%s", verdict, *left ? "; " : "", left);
    free(left);
    free(verdict);
    return text;
}
