/* lds_rows.c - the lane groups that the self-test found, beside those of the table of GPUs. */
#include "gpus/gpus.h"
#include "cli/common/safe_output.h"
#include "selftest.h"

#include <stdlib.h>
#include <string.h>

static const char *gpu_of(const json_t *file)
{
    return json_text_of(file, "gpu");
}

/* The table's phases of a way; NULL: it has none. Atomics are not in the table. */
static const struct ls_lds_phases *phases_of(const json_t *file, const json_t *row)
{
    const struct ls_gpu *gpu = ls_gpu_find(gpu_of(file));
    json_int_t bytes = json_integer_value(json_object_get(row, "bytes"));
    const char *what = json_text_of(row, "what");
    if (!gpu || !gpu->lds || bytes < 4 || bytes > 16)
        return NULL;
    enum ls_lds_width width = (enum ls_lds_width)(bytes / 4 - 1);
    if (!strcmp(what, "read"))
        return &gpu->lds->read[width];
    return strcmp(what, "write") ? NULL : &gpu->lds->write[width];
}

static bool found(const json_t *row)
{
    return !strcmp(json_text_of(row, "verdict"), "found");
}

static uint64_t group(const json_t *row, size_t i)
{
    const char *s = json_string_value(json_array_get(json_object_get(row, "groups"), i));
    return s ? strtoull(s, NULL, 16) : 0;
}

/* The order of service cannot be seen from outside: groups are compared as sets. */
static bool same(const json_t *row, const struct ls_lds_phases *p)
{
    size_t n = json_array_size(json_object_get(row, "groups"));
    if (n != p->n || json_integer_value(json_object_get(row, "banks")) != p->banks)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool has = false;
        for (unsigned k = 0; k < p->n; k++)
            has |= p->groups[k] == group(row, i);
        if (!has)
            return false;
    }
    return true;
}

static json_t *rows_of(const json_t *file)
{
    return json_object_get(selftest_part(file, "lds"), "rows");
}

void selftest_judge_lds(json_t *file)
{
    size_t i;
    json_t *row;
    if (json_is_true(json_object_get(file, "software_gpu")))
        return;
    json_array_foreach(rows_of(file), i, row)
    {
        const struct ls_lds_phases *p = phases_of(file, row);
        if (p && found(row))
            json_object_set_new(row, "table", json_string(same(row, p) ? "same" : "differs"));
        if (p)
            json_object_set_new(row, "table_measured", json_boolean(p->measured));
    }
}

/* "2 groups, 32 banks" */
static void print_found(const json_t *row, FILE *out)
{
    size_t n = json_array_size(json_object_get(row, "groups"));
    fprintf(out, "%zu group%s, %" JSON_INTEGER_FORMAT " banks", n, n == 1 ? "" : "s",
            json_integer_value(json_object_get(row, "banks")));
}

static void print_row(const json_t *row, FILE *out)
{
    const char *table = json_text_of(row, "table");
    bool measured = json_is_true(json_object_get(row, "table_measured"));
    fprintf(out, "  %-12s ", json_text_of(row, "way"));
    if (!found(row)) {
        fprintf(out, "not found: %s\n", json_text_of(row, "verdict"));
        return;
    }
    print_found(row, out);
    if (!*table)
        fputs("\n", out);
    else if (!strcmp(table, "same"))
        fprintf(out, ": as in our table%s\n", measured ? "" : ", which only assumed it until now");
    else
        fprintf(out, ": NOT as in our table, which %s\n", measured ? "was measured" : "assumed it");
}

enum { MOST_GROUPS = 64 }; /* one for each lane */

static void print_groups(const char *name, const char *basis, unsigned banks, const uint64_t *groups,
                         size_t n, FILE *out)
{
    fprintf(out, "    %-12s %s(%u, {", name, basis, banks);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s0x%llx", i ? ", " : "", (unsigned long long)groups[i]);
    fputs("})\n", out);
}

/* In the form of gpus/table.c, so that it can be taken over; below it ours, where that differs. */
static void print_table_lines(const json_t *file, const json_t *row, FILE *out)
{
    uint64_t groups[MOST_GROUPS];
    size_t n = json_array_size(json_object_get(row, "groups"));
    const struct ls_lds_phases *p = phases_of(file, row);
    for (size_t i = 0; i < n && i < MOST_GROUPS; i++)
        groups[i] = group(row, i);
    print_groups(json_text_of(row, "way"), "MEASURED",
                 (unsigned)json_integer_value(json_object_get(row, "banks")), groups,
                 n < MOST_GROUPS ? n : MOST_GROUPS, out);
    if (p && !strcmp(json_text_of(row, "table"), "differs"))
        print_groups("  ours:", p->measured ? "MEASURED" : "ASSUMED", p->banks, p->groups, p->n, out);
}

static void print_table(const json_t *file, FILE *out)
{
    size_t i;
    const json_t *row;
    bool some = false;
    json_array_foreach(rows_of(file), i, row)
    {
        if (!found(row))
            continue;
        if (!some)
            fputs("  In the form of gpus/table.c, each number a group of lanes:\n", out);
        some = true;
        print_table_lines(file, row, out);
    }
}

void selftest_lds_page(const json_t *file, FILE *out)
{
    size_t i;
    const json_t *row, *rows = rows_of(file);
    if (!json_array_size(rows))
        return;
    fputs("\nLanes that LDS serves together, from timing\n", out);
    if (json_is_true(json_object_get(file, "software_gpu"))) {
        fputs("  not on the software GPU: its clock is the host's, which knows nothing of LDS\n", out);
        return;
    }
    json_array_foreach(rows, i, row) print_row(row, out);
    print_table(file, out);
}
