/*
 * activity.h - what ran when: the dispatches, copies and markers of one recording, one by one, as timelines and
 * statistics of times need them. Times are ns of CLOCK_BOOTTIME as they stand in the file, where anything may
 * stand: use ls_interval. All memory belongs to the struct; texts to the struct ls_results.
 */
#ifndef RESULTS_ACTIVITY_H
#define RESULTS_ACTIVITY_H

#include "common/stream.h"
#include "reader.h"

struct ls_a_agent {
    int64_t id, process;
    const char *arch, *name;
    uint32_t compute_units, lanes;
    uint32_t gpu; /* number of its process, from 1 */
};
struct ls_a_stream {
    int64_t id, process, number; /* number: struct ls_stream */
    int64_t kind;                /* enum ls_stream_kind, or anything else that stands in the file */
    int64_t thread;              /* whose own it is; 0: nobody's */
};
struct ls_a_launch {
    int64_t id, process, number, kernel, agent;
    uint32_t queue; /* of its process, from 1 in the order of their first dispatches */
    int64_t start, end;
    int64_t submit, thread;           /* 0: unknown, as in older recordings */
    const struct ls_a_stream *stream; /* NULL: unknown, likewise */
    uint32_t grid[3], workgroup[3], lds_bytes, scratch_bytes;
};
struct ls_a_copy {
    int64_t process, number;
    int64_t source, destination; /* agents; 0: host memory */
    int64_t bytes, start, end, submit, thread;
    const struct ls_a_stream *stream; /* NULL: unknown */
};
enum ls_a_marker_kind { LS_A_MARK, LS_A_PUSHED, LS_A_STARTED };
struct ls_a_marker {
    int64_t process, thread, kind; /* enum ls_a_marker_kind */
    const char *text;
    int64_t start, end; /* end 0: it was open when the process ended */
};
struct ls_activity {
    struct ls_a_agent *agents;    /* by id */
    struct ls_a_stream *streams;  /* by id */
    struct ls_a_launch *launches; /* by id */
    struct ls_a_copy *copies;     /* by process and number */
    struct ls_a_marker *markers;  /* by process and start, outer ranges first */
    size_t n_agents, n_streams, n_launches, n_copies, n_markers;
};

/* Reads the activity of an open recording, loaded or not. 0, or -1 with *error; to be freed in any case. */
int ls_activity_load(struct ls_results *r, struct ls_activity *a, char **error);
void ls_activity_free(struct ls_activity *a);
/* NULL: unknown, or 0. */
const struct ls_a_agent *ls_activity_agent(const struct ls_activity *a, int64_t id);
const struct ls_a_launch *ls_activity_launch(const struct ls_activity *a, int64_t id);
/* "stream 0 (null)", "stream 3", "stream 4 (of thread 4711)"; malloc'd, NULL when out of memory. */
char *ls_stream_name(const struct ls_a_stream *s);
/* "HOST_TO_DEVICE" and the like, rocprofv3's words for the direction of a copy. */
const char *ls_copy_direction(const struct ls_a_copy *c);
/* Its length; false: the times are not known, or are none. */
bool ls_interval(int64_t start, int64_t end, int64_t *ns);

#endif
