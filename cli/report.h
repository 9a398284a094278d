/* report.h - the three forms of `lanescope report`. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include "tables.h"

struct report {
    const struct ls_profile *profile;
    struct ls_table_options tables;
    bool full_paths;
    bool all_kernels; /* those that were not dispatched, too */
};

void report_text(const struct report *r, FILE *out);
/* 0, or -1 when out of memory. */
int report_json(const struct report *r, FILE *out);
void report_csv(const struct report *r, FILE *out);
/* The rows that handlers stored in `table` ("table" or "handler.table") as CSV. 0, or -1 when there is none.
 */
int report_rows_csv(const struct report *r, const char *table, FILE *out);
/* Names of all such tables, separated by commas. malloc'd. */
char *report_row_tables(const struct ls_profile *p);

#endif
