/* report.h - the three forms of `lanescope report`. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "results/profile/tables.h"

struct report {
    const struct ls_profile *profile;
    struct ls_table_options tables;
    bool full_paths;
    bool all_kernels; /* those that were not dispatched, too */
    size_t kernels;   /* that the text has details of; 0: all */
};

void report_text(const struct report *r, FILE *out);
/* Only the statistics of times, all of them. */
void report_stats(const struct report *r, FILE *out);
/* What --json and --html show; a new reference, NULL when out of memory. The profile has texts as they are
 * (raw) and the kernels' instructions (with_code). */
json_t *report_json_root(const struct report *r);
/* 0, or -1 when out of memory. */
int report_json(const struct report *r, FILE *out);
/* The page: HTML that shows this JSON, which is a part of it. 0, or -1 when out of memory. */
int report_html(const struct report *r, FILE *out);
void report_csv(const struct report *r, FILE *out);
/* The rows that handlers stored in `table` ("table" or "handler.table") as CSV.
 * 0, or -1 when there is none. */
int report_rows_csv(const struct report *r, const char *table, FILE *out);
/* Names of all such tables, separated by commas. malloc'd. */
char *report_row_tables(const struct ls_profile *p);

#endif
