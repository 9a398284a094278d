/* rocprof.h - what the halves of the form json share: one process while it is written. */
#ifndef CLI_CONVERT_ROCPROF_H
#define CLI_CONVERT_ROCPROF_H

#include <jansson.h>
#include "code.h"
#include "trace.h"

/* Kernels are numbered by their place in "kernel_symbols", as who reads rocprofv3's JSON expects: from 1 on. */
struct rocprof {
    const struct trace_part *part;
    struct code code;
};
/* 0: it is in no code object of the process. */
size_t rocprof_kernel(const struct rocprof *x, int64_t kernel);
/* The counter that a metric is. */
int64_t rocprof_counter(const struct rocprof *x, const struct ls_r_metric *m);

/* What the process did: "callback_records" and "buffer_records"; kinds and operations are places in
 * "buffer_records" of "strings". */
json_t *rocprof_strings(const struct rocprof *x);
json_t *rocprof_callback_records(const struct rocprof *x);
json_t *rocprof_buffer_records(const struct rocprof *x);
/* "source_lines", which rocprofv3 does not have. NULL after a message. */
json_t *rocprof_source_lines(const struct rocprof *x);

/* {"handle": n}, which ids are. */
json_t *rocprof_handle(int64_t n);

#endif
