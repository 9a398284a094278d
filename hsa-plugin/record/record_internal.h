/*
 * record_internal.h - what the parts of the record share: record.c (state, copies, markers, the end),
 * record_open.c (process, handlers, metrics), record_code.c (code objects, kernels, sites),
 * record_dispatch.c.
 */
#ifndef HSA_PLUGIN_RECORD_INTERNAL_H
#define HSA_PLUGIN_RECORD_INTERNAL_H

#include <pthread.h>

#include "hsa-plugin/clock.h"
#include "join/machine/alone.h"
#include "join/machine/isa.h"
#include "join/match.h"
#include "host-handlers/pipeline/pipeline.h"
#include "record.h"
#include "results/writer/writer.h"

struct ls_recorder {
    /* Of all that follows. Recursive: handlers open, log and close while we hold it. */
    pthread_mutex_t lock;
    struct ls_db *db; /* NULL before opening, after closing, and when nothing can be recorded */
    struct ls_pipeline *pipeline;
    int64_t *metric_ids; /* of metric number i + 1 */
    size_t n_metrics, n_handlers;
    uint64_t last_commit_ns;
    char *path;
    uint64_t n_observed, n_dispatches;
    bool software;  /* it runs on the software GPU */
    bool originals; /* nothing is to be observed (ls_config) */
    bool explained; /* a run-time compiler said why its kernels are not instrumented */
    /* Of all struct ls_match. Taken inside `lock` or alone, never the other way round. */
    pthread_mutex_t match_lock;
};
extern struct ls_recorder ls_recorder;

static inline size_t ls_record_module_index(const struct ls_kernel *k)
{
    return (size_t)(k->module - k->code_object->modules);
}

/* All of these under the lock. */
void ls_record_note_locked(int level, const char *text);
/* Makes durable what was written, if that is due, and tells errors. */
void ls_record_commit(void);
/* Tells the first error of the database, once. */
void ls_record_check(void);
/* The database's number of a metric, 0: there is none. */
int64_t ls_record_metric_id(uint32_t number);
/* ls_record_code_object. */
void ls_record_code_object_locked(struct ls_code_object *co);
/* Stores the kernel; isa: the code object's machine code, or NULL; alone: what was read of a kernel without probes, or NULL. */
void ls_record_kernel(struct ls_kernel *k, struct ls_isa *isa, const struct ls_alone *alone);
/* Stores which texts the source files had that its sites name; after these. */
void ls_record_sources(const struct ls_code_object *co);
/* Stores what has become known of the module's sites; under match_lock, too. */
void ls_record_store_joins(struct ls_code_object *co, size_t module);

#endif
