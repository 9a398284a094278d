/* stacks.c - see stacks.h. */
#include "stacks.h"
#include "cli/common/cli.h"

int64_t stacks_sum(const struct ls_p_values *v, int metric)
{
    return (size_t)metric < v->n && v->present[metric] ? v->sum[metric] : 0;
}

/* The signs that its sums have. */
static void look(const struct ls_profile *p, int metric, bool *negative, bool *positive)
{
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct ls_p_kernel *k = p->kernels[i];
        for (size_t n = 0; n <= k->n_lines; n++) {
            int64_t sum = stacks_sum(n < k->n_lines ? &k->lines[n]->values : &k->values, metric);
            *negative |= sum < 0;
            *positive |= sum > 0;
        }
    }
}

bool stacks_negative(const struct ls_profile *p, int metric)
{
    bool negative = false, positive = false;
    look(p, metric, &negative, &positive);
    return negative;
}

bool stacks_any(const struct ls_profile *p, int metric)
{
    bool negative = false, positive = false;
    look(p, metric, &negative, &positive);
    return negative || positive;
}

int stacks_additive(const struct ls_profile *p, int metric)
{
    const struct ls_p_metric *m = &p->metrics[metric];
    if (!m->is_ratio)
        return EXIT_OK;
    message("--metric: '%s' is a ratio, which does not add up; `lanescope list metrics` shows the sums",
            m->name);
    return EXIT_USAGE;
}

int stacks_check(const struct ls_profile *p, int metric)
{
    const struct ls_p_metric *m = &p->metrics[metric];
    int rc = stacks_additive(p, metric);
    if (rc)
        return rc;
    if (stacks_negative(p, metric)) {
        message("--metric: '%s' has a negative sum, which no stack can have; give another metric", m->name);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}
