/*
 * times.h - statistics of times over recordings: kernels, copies by direction, ROCTx ranges and what was
 * launched inside them, and how long copies and kernels ran at the same time, by stream and by queue. What `rocprofv3 --stats` tells,
 * and whether the GPU's queues were kept busy while data moved.
 */
#ifndef RESULTS_TIMES_H
#define RESULTS_TIMES_H

#include "results/reader/reader.h"

/* Durations in ns. Those that are not known (`calls` - `timed`) are in none of the numbers but `calls`. */
struct ls_stat {
    int64_t calls, timed, total, min, max;
    double mean, squares; /* squares: sum of the squared distances from the mean */
};

struct ls_p_kernel;
struct ls_t_kernel {
    const struct ls_p_kernel *kernel; /* the first, of one name on several GPUs */
    struct ls_stat stat;
    bool software,
        hardware; /* on the software GPU, which tells nothing about a GPU; on another one; or both */
};
struct ls_t_copy {
    const char *direction; /* HOST_TO_DEVICE... */
    struct ls_stat stat;
    int64_t bytes;
};
/* All ranges of one text and kind. */
struct ls_t_range {
    const char *text;
    bool started;        /* roctxRangeStart, else roctxRangePush */
    struct ls_stat stat; /* inclusive, on the processor; of ranges that were ended */
    /* Launched by the range's thread while it was open, also in ranges inside of it. When `owns` is false the
     * recordings do not tell who launched what. */
    bool owns;
    int64_t kernels, kernels_ns, copies;
};
/* One hardware queue, and the copies of its GPU. */
struct ls_t_queue {
    const char *database; /* path */
    int64_t pid;
    const char *arch;
    uint32_t gpu, queue; /* numbers of the process, from 1 */
    int64_t kernels, copies;
    int64_t kernels_ns, copies_ns; /* in which at least one ran */
    int64_t both_ns;               /* in which both did */
    bool streams; /* of all its kernels the stream is known: they are in struct ls_t_stream, too */
};
/* What one HIP stream had one GPU do; of the null stream, all GPUs have one. */
struct ls_t_stream {
    const char *database; /* path */
    int64_t pid;
    const char *arch;
    uint32_t gpu;
    const char *name; /* ls_stream_name */
    int64_t number;   /* of the process */
    const char *kind; /* "null", "created", "per-thread" */
    int64_t thread;   /* whose own it is; 0: nobody's */
    uint32_t *queues; /* that its kernels went to, in ascending order */
    size_t n_queues;
    int64_t kernels, copies;
    int64_t kernels_ns, copies_ns; /* in which at least one of the stream ran */
    int64_t kernels_hidden_ns; /* of the first: in which a copy from or to the GPU ran, of whichever stream */
    int64_t copies_hidden_ns;  /* of the second: in which a kernel ran on the GPU, of whichever stream */
};

struct ls_times {
    struct ls_t_kernel *kernels;
    struct ls_t_copy *copies;
    struct ls_t_range *ranges;
    struct ls_t_queue *queues;
    struct ls_t_stream *streams;
    struct ls_t_row *kernel_rows; /* rows by what they are of, until they are sorted; so the names */
    struct ls_t_name *range_names[2];
    size_t n_kernels, n_copies, n_ranges, n_queues, n_streams;
    int64_t marks; /* roctxMark */
    bool software, hardware;
};

/* Adds a recording that was loaded; `kernel_of`: by index in r->kernels, those of the profile, NULL: in none of the
 * numbers. Texts belong to `arena`. 0, or -1 with *error. */
int ls_times_add(struct ls_times *t, struct ls_arena *arena, struct ls_results *r,
                 struct ls_p_kernel *const *kernel_of, char **error);
/* Once all recordings were added: most time first. */
void ls_times_sort(struct ls_times *t);
void ls_times_free(struct ls_times *t);
/* Average and standard deviation (of a sample, as rocprofv3's) in ns; 0 where there is none. */
double ls_stat_average(const struct ls_stat *s);
double ls_stat_deviation(const struct ls_stat *s);
/* "GPU", "software GPU", "GPU and software GPU". */
const char *ls_times_source(bool software, bool hardware);

#endif
