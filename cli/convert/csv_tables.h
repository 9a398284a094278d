/* csv_tables.h - the CSV files of a process, with rocprofv3's names and columns. */
#ifndef CLI_CONVERT_CSV_TABLES_H
#define CLI_CONVERT_CSV_TABLES_H

#include <stdio.h>
#include "trace.h"

/* How far the processes of a recording are written. They are taken in the order of their ids, in which the
 * rows of a trace are, too. Begins as {0} with the trace. */
struct csv_place {
    const struct trace *t;
    const struct ls_r_process *process;
    size_t launch, copy, marker, value; /* the next row of each table */
    int64_t launch_ids, copy_ids;       /* correlation ids that the dispatches, and the copies, took */
};
/* In this order, each writes the rows of `process` and moves the place behind them. */
struct csv_table {
    const char *name; /* what <pid>_<name>.csv is called by */
    void (*write)(struct csv_place *p, FILE *out);
};
extern const struct csv_table csv_tables[];
extern const size_t n_csv_tables;

#endif
