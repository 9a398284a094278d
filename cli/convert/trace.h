/* trace.h - one recording as the writers of other tools' forms need it: all of its references lead somewhere. */
#ifndef CLI_CONVERT_TRACE_H
#define CLI_CONVERT_TRACE_H

#include <stdbool.h>
#include "results/reader/activity.h"

/* The sum of a metric over the sites of a dispatch, or its value of the whole dispatch. */
struct trace_value {
    const struct ls_a_launch *launch;
    const struct ls_r_metric *metric;
    int64_t value;
};
/* What else is read of each process, by queries of its own. */
enum trace_rows { TRACE_OBJECTS, TRACE_KERNELS, TRACE_WAVES, TRACE_ROWS };

struct trace {
    struct ls_results *r;
    sqlite3_stmt *rows[TRACE_ROWS]; /* NULL: not begun, else at the first row that was not asked for yet */
    struct ls_activity a;           /* copies and markers by process */
    const struct ls_a_launch **launches; /* by process and id; a.n_launches */
    struct trace_value *values;          /* by process, dispatch and metric */
    size_t n_values;
    bool of_a_part; /* not all wavefronts that ran reported all, or were asked to */
    bool estimated; /* some number may be an estimate, or is one of a part */
};

/* What one process of a recording did; rows in the order in which the trace has them. */
struct trace_part {
    struct trace *t;
    const struct ls_r_process *process;
    const struct ls_a_launch *const *launches;
    const struct ls_a_copy *copies;
    const struct ls_a_marker *markers;
    const struct trace_value *values;
    size_t n_launches, n_copies, n_markers, n_values;
    size_t next_process, next_launch, next_copy, next_marker, next_value; /* where the next one begins */
    int64_t launch_ids, copy_ids; /* correlation ids that the dispatches, and the copies, take */
    bool software;                /* its times are the software GPU's */
};

typedef void trace_row(void *to, const struct trace_part *part, sqlite3_stmt *st);
/* Calls `add` for each row of the part's process; to be called once for each part, in their order. The query, which has no
 * parameters, is run once for all: its first column is the process, by which it is sorted, as a query for each process would read
 * the rows of all of them each time. 0, or EXIT_DATABASE after a message. */
int trace_rows_of(const struct trace_part *part, enum trace_rows which, const char *query, trace_row *add,
                  void *to);

/* Correlation ids: a dispatch has its number, copies and markers have those behind, each another one. */
int64_t trace_copy_id(const struct trace_part *p, const struct ls_a_copy *c);
int64_t trace_marker_id(const struct trace_part *p, const struct ls_a_marker *m);
/* A range that was open at the end of the process ended with it; of a killed one, where it began. */
int64_t trace_marker_end(const struct trace_part *p, const struct ls_a_marker *m);
/* Whose the times of the process's kernels and copies are, in words for a file. */
const char *trace_time_source(const struct trace_part *p);
/* The number of a stream; 0: the null stream, and unknown ones (NULL). */
int64_t trace_stream(const struct trace_part *p, const struct ls_a_stream *s);
/* "MEMORY_COPY_HOST_TO_DEVICE" and the like, which rocprofv3's forms call a copy by. */
const char *trace_copy_name(const struct ls_a_copy *c);
/* "handler.metric", what a metric is called beside counters of the hardware. malloc'd. */
char *trace_metric_name(const struct ls_r_metric *m);

/* What `trace_each` calls for every process. 0, or an exit code after a message. */
typedef int trace_taker(void *to, const struct trace_part *part, char *database);
/* Opens the databases one after the other and gives each process away; says on stderr what the forms cannot
 * mark. A process that came before is refused. 0, or an exit code after a message. */
int trace_each(char *const *databases, size_t n, bool raw, trace_taker *take, void *to);

#endif
