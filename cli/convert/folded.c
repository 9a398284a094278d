/* folded.c - the form folded: a metric as stacks, which flame graphs are made of, a line for each place:
 * "kernel;call;place SUM". */
#include "cli/common/cli.h"
#include "cli/output/changed.h"
#include "cli/output/databases.h"
#include "cli/output/names.h"
#include "new_file.h"
#include "references.h"
#include "results/profile/exact.h"
#include "stacks.h"

#include <inttypes.h>
#include <stdlib.h>

/* Semicolons separate frames. */
static void text(FILE *out, const char *s)
{
    for (; *s; s++)
        fputc(*s == ';' ? ',' : *s, out);
}

static void frame(FILE *out, const char *function, const char *file, uint32_t line)
{
    fputc(';', out);
    text(out, *function ? function : "(unknown function)");
    if (*file) {
        fputc(' ', out);
        text(out, file);
        fprintf(out, ":%" PRIu32, line);
    }
}

static void put_kernel(FILE *out, const struct ls_profile *p, const struct ls_p_kernel *k)
{
    char *heading = kernel_heading(p, k);
    text(out, heading);
    free(heading);
}

static void stack(FILE *out, const struct ls_profile *p, const struct ls_p_line *line, int metric)
{
    put_kernel(out, p, line->kernel);
    for (size_t i = line->n_chain; i-- > 0;)
        frame(out, line->chain[i].function, line->chain[i].file, line->chain[i].line);
    frame(out, line->function, line->file, line->line);
    fprintf(out, "%s %" PRId64 "\n",
            line->values.estimated[metric] || ls_kernel_partial(line->kernel) ? " ~" : "",
            line->values.sum[metric]);
}

static void write_stacks(FILE *out, const struct ls_profile *p, int metric)
{
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct ls_p_kernel *k = p->kernels[i];
        for (size_t n = 0; n < k->n_lines; n++)
            if (stacks_sum(&k->lines[n]->values, metric))
                stack(out, p, k->lines[n], metric);
        if (stacks_sum(&k->values, metric)) {
            put_kernel(out, p, k);
            fprintf(out, "%s %" PRId64 "\n", ls_kernel_partial(k) ? " ~" : "",
                    stacks_sum(&k->values, metric));
        }
    }
}

int convert_folded(const struct conversion *c)
{
    struct ls_profile *p = NULL;
    struct new_file file;
    int index = -1, rc = load_profile(&p, c->databases, c->n, NULL, 0);
    if (!rc)
        rc = references_check_profile(p);
    if (!rc)
        rc = find_metric_option(p, "--metric", c->metric, &index);
    if (!rc)
        rc = stacks_check(p, index);
    if (!rc)
        rc = new_file_open(&file, c);
    if (!rc) {
        write_stacks(file.out, p, index);
        rc = new_file_close(&file, EXIT_OK);
        tell_doubts(p);
    }
    ls_profile_free(p);
    return rc;
}
