/*
 * pipeline_internal.h - what the parts of the pipeline share: pipeline.c (handlers, loaded and asked), pipeline_host.c
 * (what handlers call, and how they are called), pipeline_work.c (a dispatch).
 */
#ifndef HOST_HANDLERS_PIPELINE_INTERNAL_H
#define HOST_HANDLERS_PIPELINE_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include "guard.h"
#include "modules.h"
#include "pipeline.h"

struct registered {
    struct ls_module *module;
    const struct lanescope_handler *handler;
    void *self;
    const struct ls_gpu *as; /* that it prices accesses on; NULL: on the one that made them */
    char *name;              /* of its results */
    atomic_bool told;        /* that wavefronts do not fit that GPU; of the first handler on it only */
    struct ls_guard_code code;
    atomic_bool broken; /* it crashed or hung: never called again */
};

struct ls_pipeline {
    struct lanescope_host host; /* first: handlers hand it back to us */
    void (*log)(void *user, int level, const char *line);
    void *log_user;
    struct registered **handlers;
    size_t n_handlers;
    bool summary;
    const char *opening; /* name of the handler whose open runs */
    struct ls_metric_info *metrics;
    size_t n_metrics;
    struct ls_ratio_info *ratios;
    size_t n_ratios;
    struct ls_title_info *titles;
    size_t n_titles;
    unsigned n_views;
};

struct lanescope_results {
    const struct ls_result_sink *sink;
    const char *handler;
};

/* A call, its arguments and its result. */
struct call {
    const struct registered *to;
    const struct lanescope_host *host;
    const char *options;
    const struct lanescope_dispatch *dispatch;
    void *state;
    const void *batch;
    size_t n;
    struct lanescope_results *results;
    void *out;
    int rc;
};

/* ---- pipeline_host.c ---- */

/* A line to whoever made the pipeline; `level` as of handlers' host->log. */
__attribute__((format(printf, 3, 4))) void ls_pipeline_log(const struct lanescope_host *h, int level,
                                                           const char *format, ...);
/* Grows *array by one zeroed element and returns it; NULL when out of memory. */
void *ls_pipeline_append(void **array, size_t *n, size_t size);
/* What a handler finds at its host. */
void ls_pipeline_fill_host(struct ls_pipeline *p);
/* False when the handler had to be left; it is then disabled for good. Its states stay as they are. */
bool ls_pipeline_call(struct ls_pipeline *p, struct registered *r, const char *what,
                      void (*function)(void *arg), struct call *c);

/* ---- pipeline.c ---- */

/* What the GPU reduces, it reduces by its own banks. */
bool ls_handler_reduces(const struct registered *r);

#endif
