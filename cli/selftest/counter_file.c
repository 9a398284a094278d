#include "counter_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column { DISPATCH, KERNEL, COUNTER, VALUE, N_COLUMNS };
static const char *const titles[N_COLUMNS] = {"Dispatch_Id", "Kernel_Name", "Counter_Name", "Counter_Value"};
enum { MAX_FIELDS = 64, MAX_DISPATCHES = 4096 };

/* Cuts a line into its fields, in place, without their quotes (two in a quoted field stand for one). How many. */
static unsigned cut(char *line, char *fields[MAX_FIELDS])
{
    unsigned n = 0;
    char *in = line;
    while (n < MAX_FIELDS) {
        bool quoted = *in == '"';
        char *out = in += quoted;
        fields[n++] = out;
        while (*in && (quoted ? *in != '"' || in[1] == '"' : *in != ',' && *in != '\n' && *in != '\r')) {
            in += quoted && *in == '"';
            *out++ = *in++;
        }
        in += strcspn(in, ",");
        bool more = *in == ',';
        *out = 0;
        if (!more)
            break;
        in++;
    }
    return n;
}

/* Which field each column is; false: one of them is missing. */
static bool find_columns(char *const *fields, unsigned n, unsigned at[N_COLUMNS])
{
    for (unsigned c = 0; c < N_COLUMNS; c++) {
        for (at[c] = 0; at[c] < n && strcmp(fields[at[c]], titles[c]); at[c]++)
            ;
        if (at[c] == n)
            return false;
    }
    return true;
}

struct dispatch {
    unsigned long long id;
    json_t *row;
};

/* The row of a dispatch, made when it is new; NULL: there are too many. */
static json_t *row_of(struct dispatch *all, size_t *n, unsigned long long id, const char *kernel)
{
    size_t i = 0;
    while (i < *n && all[i].id != id)
        i++;
    if (i == MAX_DISPATCHES)
        return NULL;
    if (i == *n) {
        json_t *row = json_pack("{s:s, s:{}}", "kernel", kernel, "counters");
        if (!row)
            return NULL;
        all[(*n)++] = (struct dispatch){id, row};
    }
    return all[i].row;
}

static void add_line(struct dispatch *all, size_t *n, char *line, const unsigned at[N_COLUMNS])
{
    char *fields[MAX_FIELDS];
    unsigned got = cut(line, fields);
    for (unsigned c = 0; c < N_COLUMNS; c++)
        if (at[c] >= got)
            return;
    json_t *row = row_of(all, n, strtoull(fields[at[DISPATCH]], NULL, 10), fields[at[KERNEL]]);
    json_t *counters = json_object_get(row, "counters");
    const char *name = fields[at[COUNTER]];
    double value = json_number_value(json_object_get(counters, name)) + strtod(fields[at[VALUE]], NULL);
    json_object_set_new(counters, name, json_real(value));
}

static int by_id(const void *a, const void *b)
{
    const struct dispatch *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static json_t *in_order(struct dispatch *all, size_t n)
{
    json_t *list = json_array();
    qsort(all, n, sizeof *all, by_id);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, all[i].row);
    return list;
}

json_t *counter_file_read(const char *path)
{
    FILE *f = fopen(path, "re");
    struct dispatch *all = f ? calloc(MAX_DISPATCHES, sizeof *all) : NULL;
    char *line = NULL, *fields[MAX_FIELDS];
    size_t room = 0, n = 0;
    unsigned at[N_COLUMNS];
    bool good = all && getline(&line, &room, f) > 0 && find_columns(fields, cut(line, fields), at);
    while (good && getline(&line, &room, f) > 0)
        add_line(all, &n, line, at);
    json_t *list = good ? in_order(all, n) : NULL;
    free(line);
    free(all);
    if (f)
        fclose(f);
    return list;
}
