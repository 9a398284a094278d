/*
 * pipeline.h - from chunks to handlers: loads handler modules, decodes the chunks of a dispatch into batches
 * and hands them over, collects the results. Used by the tool library; knows neither HSA nor SQLite.
 */
#ifndef HOST_HANDLERS_PIPELINE_H
#define HOST_HANDLERS_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gpus/gpus.h"
#include "lanescope/handler.h"
#include "messages/decode.h"

struct ls_pipeline;
struct ls_work; /* one dispatch in the pipeline */

/* How reports read a metric or ratio: struct lanescope_view, as far as the handler said it. */
struct ls_view_info {
    const char *title; /* or NULL */
    int direction, excess;
    unsigned show, cost, role;
    unsigned position; /* counts from 1 in order of arrival; 0: the handler said nothing */
};
struct ls_metric_info {
    const char *handler, *name, *unit, *description;
    struct ls_view_info view;
};
struct ls_ratio_info {
    const char *handler;
    struct lanescope_ratio ratio;
    struct ls_view_info view;
};
struct ls_title_info {
    const char *handler, *title, *clean; /* clean: or NULL */
};

/* Where the numbers of a dispatch go (called inside ls_pipeline_end, on its thread). metric counts from 1. */
struct ls_result_sink {
    void *user;
    void (*value)(void *user, uint32_t site, uint32_t metric, int64_t value);
    void (*row)(void *user, const char *handler, const char *table, uint32_t site, const char *json);
    /* The call through a pointer at that site led to functions without probes: how often wavefronts did that,
     * and the sum of their lanes. */
    void (*call)(void *user, uint32_t site, uint64_t executions, uint64_t lanes);
};

/* log: one finished line without newline; may be NULL. */
struct ls_pipeline *ls_pipeline_create(void (*log)(void *user, int level, const char *line), void *log_user);
/* From here on handlers that cannot work in summary mode are refused. */
void ls_pipeline_summary(struct ls_pipeline *p);
/* Loads a module: `spec` is "path-or-name[:options]"; a bare name is looked up as <module_dir>/name.so. 0, or
 * -1 with *error (malloc'd text; caller frees) that names the module, the cause and the fix. */
int ls_pipeline_load(struct ls_pipeline *p, const char *module_dir, const char *spec, char **error);
/* Loads it once more to price the same accesses as on another GPU: its dispatches name that one, and what it reports
 * is that of a handler "name@gpu". Dispatches whose wavefronts have another size than the GPU's get no numbers of it.
 * A handler that does not depend on the GPU (LANESCOPE_PRICES_ACCESSES) is left alone. 0, or -1 as above. */
int ls_pipeline_load_as(struct ls_pipeline *p, const char *module_dir, const char *spec,
                        const struct ls_gpu *gpu, char **error);
/* Whether irregular accesses may be reduced on the GPU: no loaded handler needs them as messages. */
bool ls_pipeline_reduces(const struct ls_pipeline *p);
/* What the loaded handlers ask for: enum lanescope_needs. */
uint32_t ls_pipeline_needs(const struct ls_pipeline *p);
/* Metrics and ratios that the loaded handlers registered; number i+1 is element i. Valid until destroy. */
size_t ls_pipeline_metrics(const struct ls_pipeline *p, const struct ls_metric_info **out);
size_t ls_pipeline_ratios(const struct ls_pipeline *p, const struct ls_ratio_info **out);
/* Titles that loaded handlers gave their tables, one for each of these. Valid until destroy. */
size_t ls_pipeline_titles(const struct ls_pipeline *p, const struct ls_title_info **out);

/* Begins a dispatch; *d and what it points to must live until ls_pipeline_end, and so must that what `unsaid` (NULL:
 * nothing is) points to. NULL when out of memory. */
struct ls_work *ls_pipeline_begin(struct ls_pipeline *p, const struct lanescope_dispatch *d,
                                  const struct ls_unsaid *unsaid);

/* Several threads may decode one dispatch: each has a part of the work, whose handlers' states are merged at its end.
 * Handlers without `merge` take part in `work` alone: who gives a chunk to a part then gives it to
 * ls_pipeline_ordered, too. All chunks of a wavefront go to one part. NULL when out of memory. Calls for one `work`
 * may overlap with those of ls_pipeline_chunk. */
struct ls_work *ls_pipeline_part(const struct ls_work *work);
/* Whether a handler has no state in the part, which then must not decode anything: `work` has to. */
bool ls_pipeline_lacks(const struct ls_work *part);
/* Whether there are handlers without `merge`. */
bool ls_pipeline_has_ordered(const struct ls_pipeline *p);
/* Feeds a chunk that a part has decoded to the handlers without `merge`, in the state of `work`. As
 * ls_pipeline_chunk: calls for one ls_work must not overlap. */
void ls_pipeline_ordered(struct ls_work *work, const void *chunk, size_t size);
/* Adds what a part has found to `work`; frees the part. No other call for either may overlap. */
void ls_pipeline_join(struct ls_work *work, struct ls_work *part);

/* Decodes one chunk (header included; `size` is the chunk's capacity) and feeds all handlers. Damaged content
 * is counted in the statistics, never a crash. Calls for one ls_work must not overlap. */
void ls_pipeline_chunk(struct ls_work *work, const void *chunk, size_t size);
/* Messages that its chunks held so far. */
uint64_t ls_pipeline_messages(const struct ls_work *work);
/* Ends the dispatch: handlers report into *sink; frees work. stats may be NULL. */
void ls_pipeline_end(struct ls_work *work, const struct ls_result_sink *sink, struct ls_chunk_stats *stats);
/* Closes all handlers. */
void ls_pipeline_destroy(struct ls_pipeline *p);

#endif
