/* folded.c - see folded.h. */
#include "folded.h"
#include "cli/common/cli.h"
#include "cli/common/readers.h"
#include "cli/output/databases.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

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

static void stack(FILE *out, const struct ls_p_line *line, int metric)
{
    text(out, line->kernel->name);
    for (size_t i = line->n_chain; i-- > 0;)
        frame(out, line->chain[i].function, line->chain[i].file, line->chain[i].line);
    frame(out, line->function, line->file, line->line);
    fprintf(out, "%s %" PRId64 "\n", line->values.estimated[metric] ? " ~" : "", line->values.sum[metric]);
}

static int64_t sum(const struct ls_p_values *v, int metric)
{
    return (size_t)metric < v->n && v->present[metric] ? v->sum[metric] : 0;
}

static bool has_negative(const struct ls_profile *p, int metric)
{
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct ls_p_kernel *k = p->kernels[i];
        for (size_t n = 0; n < k->n_lines; n++)
            if (sum(&k->lines[n]->values, metric) < 0)
                return true;
        if (sum(&k->values, metric) < 0)
            return true;
    }
    return false;
}

static void write_stacks(FILE *out, const struct ls_profile *p, int metric)
{
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct ls_p_kernel *k = p->kernels[i];
        for (size_t n = 0; n < k->n_lines; n++)
            if (sum(&k->lines[n]->values, metric))
                stack(out, k->lines[n], metric);
        if (sum(&k->values, metric)) {
            text(out, k->name);
            fprintf(out, " %" PRId64 "\n", sum(&k->values, metric));
        }
    }
}

/* Whether the metric can be drawn: widths are sums, and none is negative. */
static int check(const struct ls_profile *p, int metric)
{
    const struct ls_p_metric *m = &p->metrics[metric];
    if (m->is_ratio) {
        message("--metric: '%s' is a ratio, which does not add up; `lanescope list metrics` shows the sums",
                m->name);
        return EXIT_USAGE;
    }
    if (has_negative(p, metric)) {
        message("--metric: '%s' has a negative sum, which no stack can have; give another metric", m->name);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

static int write_new(const char *path, char *const *databases, size_t n, const struct ls_profile *p,
                     int metric)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *out = fd < 0 || readers_apply(fd, databases, n) ? NULL : fdopen(fd, "w");
    int rc = EXIT_FAILED;
    if (out) {
        write_stacks(out, p, metric);
        rc = close_output(out, path);
    } else {
        message("--output: %s: cannot write the file: %s%s", path, strerror(errno),
                errno == EEXIST ? "; give a new name, nothing is replaced" : "");
        if (fd >= 0)
            close(fd);
    }
    if (rc && fd >= 0)
        unlink(path);
    return rc;
}

int convert_folded(char *const *databases, size_t n, const char *metric, const char *path)
{
    struct ls_profile *p = NULL;
    int index = -1, rc = load_profile(&p, databases, n, NULL, 0);
    if (!rc)
        rc = find_metric_option(p, "--metric", metric, &index);
    if (!rc)
        rc = check(p, index);
    if (!rc && !strcmp(path, "-")) {
        write_stacks(stdout, p, index);
        rc = close_output(stdout, NULL);
    } else if (!rc) {
        rc = write_new(path, databases, n, p, index);
    }
    ls_profile_free(p);
    return rc;
}
