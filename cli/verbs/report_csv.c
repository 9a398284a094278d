/* The report as CSV: one record per kernel and source line, in the order of the tables; one field per metric,
 * empty where a handler has nothing. */
#include "cli/output/csv.h"
#include "results/profile/exact.h"
#include "cli/output/names.h"
#include "report.h"
#include "cli/output/row_tables.h"

#include <stdlib.h>
#include <string.h>

static const char *const heads[] = {
    "Kernel_Name",   "Mangled_Name", "Arch",       "Source_File",   "Line",           "Columns",
    "Function",      "Inlined_At",   "Access",     "Address_Space", "Access_Size",    "Source",
    "Instruction",   "Isa",          "Isa_Merged", "Sites",         "Title_File",     "Title_Line",
    "Title_Columns", "Exact",        "Reason",     "Time_Source",   "Phases_Assumed", "Code_Offset"};

static void head(const struct ls_profile *p, FILE *out)
{
    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
        csv_field(out, heads[i], i == 0);
    for (size_t i = 0; i < p->n_metrics; i++) {
        char name[256];
        snprintf(name, sizeof(name), "%s%s%s.%s", p->metrics[i].handler, p->as ? "@" : "", p->as ? p->as : "",
                 p->metrics[i].name);
        csv_field(out, name, 0);
    }
    csv_end(out);
}

static void number_field(FILE *out, long long n)
{
    fprintf(out, ",%lld", n);
}

static void list_field(FILE *out, const uint32_t *list, size_t n)
{
    char text[512];
    size_t at = 0;
    text[0] = 0;
    for (size_t i = 0; i < n && at < sizeof(text) - 16; i++)
        at += (size_t)sprintf(text + at, "%s%u", i ? " " : "", list[i]);
    csv_field(out, text, 0);
}

static void chain_field(FILE *out, const struct ls_p_line *line)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    for (size_t i = 0; memory && i < line->n_chain; i++)
        fprintf(memory, "%s%s:%u:%u", i ? " < " : "", line->chain[i].file, line->chain[i].line,
                line->chain[i].column);
    if (memory)
        fclose(memory);
    csv_field(out, text ? text : "", 0);
    free(text);
}

static void texts_field(FILE *out, const struct ls_p_texts *t)
{
    char *text = joined(t, "; ");
    csv_field(out, text ? text : "", 0);
    free(text);
}

/* Title, exactness, times. */
static void added_fields(const struct ls_profile *p, const struct ls_p_kernel *k,
                         const struct ls_p_line *line, FILE *out)
{
    char *reason = ls_line_reason(p, line);
    csv_field(out, line->title.file, 0);
    number_field(out, line->title.line);
    if (line->title_depth)
        list_field(out, &line->title.column, line->title.column != 0);
    else
        list_field(out, line->columns, line->n_columns);
    number_field(out, ls_line_exact(p, line));
    csv_field(out, reason ? reason : "", 0);
    csv_field(out, ls_time_source(k), 0);
    number_field(out, ls_line_assumed(p, line, NULL));
    if (line->alone)
        number_field(out, (long long)line->offset);
    else
        csv_field(out, "", 0);
    free(reason);
}

/* As everywhere: with its place where another one has its name. */
static void put_kernel(const struct ls_profile *p, const struct ls_p_kernel *k, FILE *out)
{
    char *heading = kernel_heading(p, k);
    csv_field(out, heading, 1);
    free(heading);
}

static void record(const struct ls_profile *p, const struct ls_p_kernel *k, const struct ls_p_line *line,
                   FILE *out)
{
    put_kernel(p, k, out);
    csv_field(out, k->mangled, 0);
    csv_field(out, k->arch, 0);
    csv_field(out, line->file, 0);
    number_field(out, line->line);
    list_field(out, line->columns, line->n_columns);
    csv_field(out, line->function, 0);
    chain_field(out, line);
    csv_field(out, line->kind, 0);
    csv_field(out, line->space, 0);
    list_field(out, line->bytes, line->n_bytes);
    csv_field(out, line->source ? line->source : "", 0);
    texts_field(out, &line->instruction);
    texts_field(out, &line->isa);
    number_field(out, line->isa_merged);
    number_field(out, (long long)line->n_sites);
    added_fields(p, k, line, out);
    for (size_t i = 0; i < p->n_metrics; i++) {
        double x;
        if (!ls_profile_value(p, &line->values, i, &x))
            fputc(',', out);
        else if (p->metrics[i].is_ratio)
            csv_double(out, x, 0);
        else
            number_field(out, line->values.sum[i]);
    }
    csv_end(out);
}

/* Whether an earlier table had the line. */
static bool written(const struct ls_table *t, size_t n, const struct ls_p_line *line)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < t[i].n_rows; j++)
            if (t[i].rows[j] == line)
                return true;
    return false;
}

void report_csv(const struct report *r, FILE *out)
{
    head(r->profile, out);
    for (size_t i = 0; i < r->profile->n_kernels; i++) {
        const struct ls_p_kernel *k = r->profile->kernels[i];
        size_t n;
        struct ls_table *t = ls_tables(r->profile, k, &r->tables, &n);
        for (size_t j = 0; j < n; j++)
            for (size_t l = 0; l < t[j].n_rows; l++)
                if (!written(t, j, t[j].rows[l]))
                    record(r->profile, k, t[j].rows[l], out);
        ls_tables_free(t, n);
    }
}

/* ---- rows of handlers ---- */

static bool named(const struct row_table *t, const char *name)
{
    size_t n = strlen(t->handler);
    return !strcmp(t->table, name) ||
           (!strncmp(name, t->handler, n) && name[n] == '.' && !strcmp(t->table, name + n + 1));
}

/* Calls `each` for the matching tables of all kernels. */
static void each_table(const struct report *r, const char *name,
                       void (*each)(const struct ls_p_kernel *k, const struct row_table *t, void *user),
                       void *user)
{
    for (size_t i = 0; i < r->profile->n_kernels; i++) {
        size_t n;
        struct row_table *t = row_tables(r->profile->kernels[i], &n);
        for (size_t j = 0; j < n; j++)
            if (named(&t[j], name))
                each(r->profile->kernels[i], &t[j], user);
        row_tables_free(t, n);
    }
}

struct row_csv {
    const struct ls_profile *profile;
    FILE *out;
    char **columns;
    size_t n;
    bool any;
};

static void collect_columns(const struct ls_p_kernel *k, const struct row_table *t, void *user)
{
    struct row_csv *csv = user;
    (void)k;
    csv->any = true;
    for (size_t i = 0; i < t->n_columns; i++) {
        size_t j = 0;
        while (j < csv->n && strcmp(csv->columns[j], t->columns[i]))
            j++;
        if (j == csv->n)
            *LS_PUSH(csv->columns, csv->n) = strdup(t->columns[i]);
    }
}

static void write_rows(const struct ls_p_kernel *k, const struct row_table *t, void *user)
{
    struct row_csv *csv = user;
    for (size_t i = 0; i < t->n_rows; i++) {
        const struct ls_p_row *row = t->rows[i].row;
        put_kernel(csv->profile, k, csv->out);
        csv_field(csv->out, t->handler, 0);
        csv_field(csv->out, csv->profile->databases[row->database].path, 0);
        number_field(csv->out, row->dispatch);
        csv_field(csv->out, row->line ? row->line->file : "", 0);
        if (row->line)
            number_field(csv->out, row->line->line);
        else
            fputc(',', csv->out);
        for (size_t c = 0; c < csv->n; c++) {
            char *cell = row_cell(&t->rows[i], csv->columns[c]);
            if (row_is_number(&t->rows[i], csv->columns[c]))
                csv_number(csv->out, cell ? cell : "", 0);
            else
                csv_field(csv->out, cell ? cell : "", 0);
            free(cell);
        }
        csv_end(csv->out);
    }
}

int report_rows_csv(const struct report *r, const char *table, FILE *out)
{
    static const char *const first[] = {"Kernel_Name", "Handler",     "Database",
                                        "Dispatch",    "Source_File", "Line"};
    struct row_csv csv = {.profile = r->profile, .out = out};
    each_table(r, table, collect_columns, &csv);
    if (!csv.any)
        return -1;
    for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
        csv_field(out, first[i], i == 0);
    for (size_t i = 0; i < csv.n; i++)
        csv_field(out, csv.columns[i], 0);
    csv_end(out);
    each_table(r, table, write_rows, &csv);
    for (size_t i = 0; i < csv.n; i++)
        free(csv.columns[i]);
    free(csv.columns);
    return 0;
}

char *report_row_tables(const struct ls_profile *p)
{
    char *text = NULL;
    size_t size = 0;
    struct ls_p_texts seen = {0};
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_rows; j++) {
            const struct ls_p_row *row = &p->kernels[i]->rows[j];
            size_t s = 0;
            while (s < seen.n && strcmp(seen.items[s], row->table))
                s++;
            if (s < seen.n)
                continue;
            fprintf(out, "%s%s.%s", seen.n ? ", " : "", row->handler, row->table);
            *LS_PUSH(seen.items, seen.n) = row->table;
        }
    if (out)
        fclose(out);
    free(seen.items);
    return text;
}
