/* times.c - see times.h. */
#include "times.h"
#include "common/plural.h"
#include "cli/common/safe_output.h"
#include "csv.h"
#include "names.h"
#include "overlap.h"
#include "results/file/error_text.h"
#include "results/reader/saturate.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, GAP = 2, MOST_CELLS = 8, NAME_LEAST = 24 };

/* ---- tables ---- */

/* Numbers, then a name. */
struct table {
    const char *const *heads; /* of n cells and of the name */
    size_t n, n_rows;
    uint32_t detail; /* cells that a narrow terminal lacks, as bits */
    struct row {
        char *cell[MOST_CELLS];
        char *name; /* owned */
    } *rows;
};

static struct row *new_row(struct table *b, const char *name)
{
    struct row *r = LS_PUSH(b->rows, b->n_rows);
    r->name = strdup(name);
    if (!r->name)
        abort();
    return r;
}

static int table_width(const int *width, size_t n)
{
    int used = INDENT;
    for (size_t i = 0; i < n; i++)
        used += width[i] ? width[i] + GAP : 0;
    return used;
}

static void measure(const struct terminal *t, const struct table *b, int width[MOST_CELLS])
{
    for (size_t c = 0; c < b->n; c++) {
        width[c] = text_width(b->heads[c]);
        for (size_t i = 0; i < b->n_rows; i++) {
            int w = b->rows[i].cell[c] ? text_width(b->rows[i].cell[c]) : 0;
            width[c] = w > width[c] ? w : width[c];
        }
    }
    for (size_t c = 0; c < b->n; c++)
        if (t->cuts && b->detail >> c & 1 && table_width(width, b->n) + NAME_LEAST > t->width)
            width[c] = 0;
}

static void print_cells(const struct terminal *t, const char *const *cell, const int *width, size_t n)
{
    print_padding(t, INDENT);
    for (size_t c = 0; c < n; c++) {
        const char *text = cell[c] ? cell[c] : "";
        if (!width[c])
            continue;
        print_padding(t, width[c] - text_width(text));
        fputs(text, t->out);
        print_padding(t, GAP);
    }
}

static void print_table(const struct terminal *t, struct table *b, size_t most)
{
    int width[MOST_CELLS];
    size_t n = most && most < b->n_rows ? most : b->n_rows;
    measure(t, b, width);
    fputs(style_on(t, STYLE_HEAD), t->out);
    print_cells(t, b->heads, width, b->n);
    const int room = t->width - table_width(width, b->n);
    print_name(t, b->heads[b->n], room);
    fprintf(t->out, "%s\n", style_off(t));
    for (size_t i = 0; i < n; i++) {
        print_cells(t, (const char *const *)b->rows[i].cell, width, b->n);
        print_kernel_name(t, b->rows[i].name, room);
        fputc('\n', t->out);
    }
    if (n < b->n_rows)
        fprintf(t->out, "  %s%s more with --stats%s\n", style_on(t, STYLE_DIM),
                show_count((double)(b->n_rows - n)), style_off(t));
    for (size_t i = 0; i < b->n_rows; i++)
        for (size_t c = 0; c < b->n; c++)
            free(b->rows[i].cell[c]);
    for (size_t i = 0; i < b->n_rows; i++)
        free(b->rows[i].name);
    free(b->rows);
}

/* Total, average, smallest and largest, from cell `at` on. */
static void stat_cells(char **cell, size_t at, const struct ls_stat *s)
{
    const double values[] = {(double)s->total, ls_stat_average(s), (double)s->min, (double)s->max};
    for (size_t i = 0; i < 4; i++)
        cell[at + i] = ls_text("%s", s->timed ? show_time(values[i]) : "-");
}

static int64_t total_of_kernels(const struct ls_times *x)
{
    int64_t sum = 0;
    for (size_t i = 0; i < x->n_kernels; i++)
        if (__builtin_add_overflow(sum, x->kernels[i].stat.total, &sum))
            return INT64_MAX;
    return sum;
}

static void print_kernels(const struct terminal *t, const struct ls_profile *p, size_t most)
{
    const struct ls_times *x = &p->times;
    static const char *const heads[] = {"Calls", "Total", "Average", "Min", "Max", "%", "Kernel"};
    struct table b = {.heads = heads, .n = 6, .detail = 1 << 2 | 1 << 3 | 1 << 4};
    int64_t total = total_of_kernels(x);
    for (size_t i = 0; i < x->n_kernels; i++) {
        char *heading = kernel_heading(p, x->kernels[i].kernel);
        struct row *r = new_row(&b, heading);
        free(heading);
        r->cell[0] = ls_text("%s", show_count((double)x->kernels[i].stat.calls));
        stat_cells(r->cell, 1, &x->kernels[i].stat);
        r->cell[5] = ls_text("%.2f", percent_of(x->kernels[i].stat.total, total));
    }
    print_table(t, &b, most);
}

static void print_copies(const struct terminal *t, const struct ls_times *x)
{
    static const char *const heads[] = {"Copies", "Bytes", "Total", "Average", "Min", "Max", "Direction"};
    struct table b = {.heads = heads, .n = 6, .detail = 1 << 3 | 1 << 4 | 1 << 5};
    for (size_t i = 0; i < x->n_copies; i++) {
        struct row *r = new_row(&b, x->copies[i].direction);
        r->cell[0] = ls_text("%s", show_count((double)x->copies[i].stat.calls));
        r->cell[1] = ls_text("%s", show_count((double)x->copies[i].bytes));
        stat_cells(r->cell, 2, &x->copies[i].stat);
    }
    print_table(t, &b, 0);
}

static void print_ranges(const struct terminal *t, const struct ls_times *x, size_t most)
{
    static const char *const heads[] = {"Ranges",  "Total",       "Average", "Min",        "Max",
                                        "Kernels", "Kernel Time", "Copies",  "ROCTx Range"};
    struct table b = {.heads = heads, .n = 8, .detail = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 7};
    for (size_t i = 0; i < x->n_ranges; i++) {
        const struct ls_t_range *g = &x->ranges[i];
        struct row *r = new_row(&b, g->text);
        r->cell[0] = ls_text("%s", show_count((double)g->stat.calls));
        stat_cells(r->cell, 1, &g->stat);
        r->cell[5] = ls_text("%s", g->owns ? show_count((double)g->kernels) : "?");
        r->cell[6] = ls_text("%s", g->owns ? show_time((double)g->kernels_ns) : "?");
        r->cell[7] = ls_text("%s", g->owns ? show_count((double)g->copies) : "?");
    }
    print_table(t, &b, most);
}

void print_times(const struct terminal *t, const struct ls_profile *p, size_t most, unsigned what)
{
    const struct ls_times *x = &p->times;
    bool kernels = what & TIMES_KERNELS && x->n_kernels, others = what & TIMES_OTHERS;
    if (!kernels && !(others && (x->n_copies || x->n_ranges)))
        return;
    fprintf(t->out, "\n%sTimes%s", style_on(t, STYLE_TITLE), style_off(t));
    print_wrapped(t,
                  !x->software  ? ""
                  : x->hardware ? ": partly of the software GPU, which tell nothing about a GPU"
                                : " of the software GPU, which tell nothing about a GPU",
                  (int)strlen("Times"), INDENT);
    fputc('\n', t->out);
    if (kernels)
        print_kernels(t, p, most);
    if (others && x->n_copies)
        print_copies(t, x);
    if (others && x->n_ranges)
        print_ranges(t, x, most);
    if (others && x->n_copies)
        print_overlap(t, p, most);
}

/* ---- in short ---- */

void print_times_summary(const struct terminal *t, const struct ls_profile *p, const char *prefix)
{
    const struct ls_times *x = &p->times;
    const char *soft = x->software ? ls_times_source(x->software, x->hardware) : NULL;
    int64_t copies = 0, bytes = 0, ranges = 0;
    for (size_t i = 0; i < x->n_ranges; i++)
        ranges += x->ranges[i].stat.calls;
    for (size_t i = 0; i < x->n_copies; i++) {
        copies += x->copies[i].stat.calls;
        bytes = ls_add(bytes, x->copies[i].bytes, NULL);
    }
    if (x->n_kernels) {
        const struct ls_t_kernel *k = &x->kernels[0];
        char *heading = kernel_heading(p, k->kernel);
        fprintf(t->out, "%s  kernels %s%s%s%s; most in ", prefix, show_time((double)total_of_kernels(x)),
                soft ? " (" : "", soft ? soft : "", soft ? " time)" : "");
        print_kernel_name(t, heading, 40);
        fprintf(t->out, ": %s call%s, average %s, %.1f %%\n", show_count((double)k->stat.calls),
                k->stat.calls == 1 ? "" : "s", show_time(ls_stat_average(&k->stat)),
                percent_of(k->stat.total, total_of_kernels(x)));
        free(heading);
    }
    if (copies) {
        char *overlap = overlap_summary(x);
        fprintf(t->out, "%s  %s %s, %s %s; %s\n", prefix, show_count((double)copies),
                ls_word((double)copies, "copy", "copies"), show_count((double)bytes),
                ls_word((double)bytes, "byte", "bytes"), overlap ? overlap : "");
        free(overlap);
    }
    if (x->n_ranges) {
        const struct ls_stat *most = &x->ranges[0].stat;
        fprintf(t->out, "%s  %s ROCTx range%s; most time in ", prefix, show_count((double)ranges),
                ranges == 1 ? "" : "s");
        print_name(t, x->ranges[0].text, 40);
        fprintf(t->out, ": %s range%s, %s\n", show_count((double)most->calls), most->calls == 1 ? "" : "s",
                show_time((double)most->total));
    }
}

/* ---- JSON ---- */

static json_t *stat_json(const struct ls_stat *s)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:I, s:I, s:f}", "calls", (json_int_t)s->calls, "timed",
                     (json_int_t)s->timed, "total_ns", (json_int_t)s->total, "average_ns", ls_stat_average(s),
                     "min_ns", (json_int_t)s->min, "max_ns", (json_int_t)s->max, "stddev_ns",
                     ls_stat_deviation(s));
}

static json_t *kernels_json(const struct ls_times *x)
{
    json_t *list = json_array();
    int64_t total = total_of_kernels(x);
    for (size_t i = 0; i < x->n_kernels; i++) {
        const struct ls_t_kernel *k = &x->kernels[i];
        json_t *j = stat_json(&k->stat);
        json_object_set_new(j, "name", json_text(k->kernel->name));
        json_object_set_new(j, "file", json_text(k->kernel->file));
        json_object_set_new(j, "line", json_integer(k->kernel->line));
        json_object_set_new(j, "percentage", json_real(percent_of(k->stat.total, total)));
        json_object_set_new(j, "time_source", json_string(ls_times_source(k->software, k->hardware)));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *copies_json(const struct ls_times *x)
{
    json_t *list = json_array();
    for (size_t i = 0; i < x->n_copies; i++) {
        json_t *j = stat_json(&x->copies[i].stat);
        json_object_set_new(j, "direction", json_string(x->copies[i].direction));
        json_object_set_new(j, "bytes", json_integer((json_int_t)x->copies[i].bytes));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *owned(const struct ls_t_range *r, int64_t n)
{
    return r->owns ? json_integer((json_int_t)n) : json_null();
}

static json_t *ranges_json(const struct ls_times *x)
{
    json_t *list = json_array();
    for (size_t i = 0; i < x->n_ranges; i++) {
        const struct ls_t_range *r = &x->ranges[i];
        json_t *j = stat_json(&r->stat);
        json_object_set_new(j, "text", json_text(r->text));
        json_object_set_new(j, "kind", json_string(r->started ? "start" : "push"));
        json_object_set_new(j, "kernels", owned(r, r->kernels));
        json_object_set_new(j, "kernels_ns", owned(r, r->kernels_ns));
        json_object_set_new(j, "copies", owned(r, r->copies));
        json_array_append_new(list, j);
    }
    return list;
}

json_t *times_json(const struct ls_profile *p)
{
    const struct ls_times *x = &p->times;
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:o}", "time_source",
                     ls_times_source(x->software, x->hardware), "kernels", kernels_json(x), "copies",
                     copies_json(x), "ranges", ranges_json(x), "marks", (json_int_t)x->marks, "queues",
                     overlap_queues_json(x), "streams", overlap_streams_json(x));
}

/* ---- CSV ---- */

static void number_field(FILE *out, int64_t n)
{
    fprintf(out, ",%lld", (long long)n);
}

/* Up to StdDev as rocprofv3 has them. */
static void stat_fields(FILE *out, const char *domain, const char *name, const struct ls_stat *s,
                        int64_t whole)
{
    csv_field(out, domain, 1);
    csv_field(out, name, 0);
    number_field(out, s->calls);
    number_field(out, s->total);
    csv_double(out, ls_stat_average(s), 0);
    csv_double(out, percent_of(s->total, whole), 0);
    number_field(out, s->min);
    number_field(out, s->max);
    csv_double(out, ls_stat_deviation(s), 0);
}

static void end_fields(FILE *out, const int64_t *more, const char *source)
{
    for (size_t i = 0; i < 4; i++)
        if (more && more[i] >= 0)
            number_field(out, more[i]);
        else
            csv_number(out, "", 0);
    csv_field(out, source, 0);
    csv_end(out);
}

static void copies_csv(const struct ls_times *x, const char *source, FILE *out)
{
    int64_t total = 0;
    for (size_t i = 0; i < x->n_copies; i++)
        total = ls_add(total, x->copies[i].stat.total, NULL);
    for (size_t i = 0; i < x->n_copies; i++) {
        stat_fields(out, "MEMORY_COPY", x->copies[i].direction, &x->copies[i].stat, total);
        end_fields(out, (const int64_t[]){x->copies[i].bytes, -1, -1, -1}, source);
    }
}

void times_csv(const struct ls_profile *p, FILE *out)
{
    static const char *const heads[] = {
        "Domain", "Name",   "Calls", "TotalDurationNs", "AverageNs",        "Percentage", "MinNs",
        "MaxNs",  "StdDev", "Bytes", "Kernels",         "KernelDurationNs", "Copies",     "Time_Source"};
    const struct ls_times *x = &p->times;
    const char *source = ls_times_source(x->software, x->hardware);
    int64_t ranges = 0, kernels = total_of_kernels(x);
    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
        csv_field(out, heads[i], i == 0);
    csv_end(out);
    for (size_t i = 0; i < x->n_kernels; i++) {
        const struct ls_t_kernel *k = &x->kernels[i];
        char *heading = kernel_heading(p, k->kernel);
        stat_fields(out, "KERNEL_DISPATCH", heading, &k->stat, kernels);
        free(heading);
        end_fields(out, NULL, ls_times_source(k->software, k->hardware));
    }
    copies_csv(x, source, out);
    for (size_t i = 0; i < x->n_ranges; i++)
        ranges = ls_add(ranges, x->ranges[i].stat.total, NULL);
    for (size_t i = 0; i < x->n_ranges; i++) {
        const struct ls_t_range *r = &x->ranges[i];
        stat_fields(out, "MARKER_API", r->text, &r->stat, ranges);
        end_fields(out, r->owns ? (const int64_t[]){-1, r->kernels, r->kernels_ns, r->copies} : NULL, "CPU");
    }
    overlap_csv(p, source, out);
}
