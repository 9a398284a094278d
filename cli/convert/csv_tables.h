/* csv_tables.h - the CSV files of a process, with rocprofv3's names and columns. */
#ifndef CLI_CONVERT_CSV_TABLES_H
#define CLI_CONVERT_CSV_TABLES_H

#include <stdio.h>
#include "trace.h"

struct csv_table {
    const char *name; /* what <pid>_<name>.csv is called by */
    void (*write)(const struct trace_part *p, FILE *out);
};
extern const struct csv_table csv_tables[];
extern const size_t n_csv_tables;

#endif
