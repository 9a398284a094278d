/* trace.h - one recording as the writers of other tools' forms need it: all of its references lead somewhere. */
#ifndef CLI_CONVERT_TRACE_H
#define CLI_CONVERT_TRACE_H

#include "results/activity.h"

/* The sum of a metric over the sites of a dispatch, or its value of the whole dispatch. */
struct trace_value {
    const struct ls_a_launch *launch;
    const struct ls_r_metric *metric;
    int64_t value;
};
struct trace {
    struct ls_results *r;
    struct ls_activity a;                /* copies and markers by process */
    const struct ls_a_launch **launches; /* by process and id; a.n_launches */
    struct trace_value *values;          /* by process, dispatch and metric */
    size_t n_values;
};

/* Opens a recording. 0, or EXIT_DATABASE after a message: also for a row that refers to nothing, because a
 * writer would have to leave it out. To be closed in any case. */
int trace_open(struct trace *t, const char *path);
void trace_close(struct trace *t);

#endif
