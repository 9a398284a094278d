/* rocprof_records.c - see rocprof.h. */
#include "cli/common/safe_output.h"
#include "regions.h"
#include "rocprof.h"

#include <stdlib.h>

#define N(a) (sizeof(a) / sizeof(*(a)))

/* Kinds of records and their operations by number, in our own order: readers take the names out of "strings". */
enum kind { NONE, DISPATCH, COPY, MARK, RANGE, KINDS };
enum { MOST_OPERATIONS = 5 };
static const struct {
    const char *name, *operations[MOST_OPERATIONS];
} kinds[KINDS] = {
    [NONE] = {"NONE", {"NONE"}},
    [DISPATCH] = {"KERNEL_DISPATCH",
                  {"KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE", "KERNEL_DISPATCH_COMPLETE"}},
    [COPY] = {"MEMORY_COPY",
              {"MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE",
               "MEMORY_COPY_DEVICE_TO_HOST", "MEMORY_COPY_DEVICE_TO_DEVICE"}},
    [MARK] = {"MARKER_CORE_API", {"roctxMarkA"}},
    [RANGE] = {"MARKER_CORE_RANGE_API", {"roctxMarkA", "roctxThreadRangeA", "roctxProcessRangeA"}},
};
enum { COMPLETE = 2, THREAD_RANGE = 1, PROCESS_RANGE = 2 };

static json_t *kind_names(void)
{
    json_t *list = json_array();
    for (size_t k = 0; k < KINDS; k++) {
        json_t *operations = json_array();
        for (size_t i = 0; i < MOST_OPERATIONS && kinds[k].operations[i]; i++)
            json_array_append_new(operations, json_text(kinds[k].operations[i]));
        json_t *j = json_object();
        json_set(j, "kind", json_text(kinds[k].name));
        json_set(j, "operations", operations);
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *key_value(int64_t key, const char *value)
{
    json_t *j = json_object();
    json_set(j, "key", json_integer(key));
    json_set(j, "value", json_text(value));
    return j;
}

/* The text of each marker by its correlation id; and of the range that each dispatch was launched in. */
json_t *rocprof_strings(const struct rocprof *x)
{
    static const char *const empty[] = {"pc_sample_instructions", "pc_sample_comments", "att_filenames",
                                        "code_object_snapshot_filenames", "callback_records"};
    json_t *j = json_object(), *markers = json_array(), *regions = json_array(), *external = json_object(),
           *dimensions = json_object();
    const char **texts = regions_of(x->part);
    for (size_t i = 0; i < x->part->n_markers; i++)
        json_array_append_new(
            markers, key_value(trace_marker_id(x->part, &x->part->markers[i]), x->part->markers[i].text));
    for (size_t i = 0; i < x->part->n_launches; i++)
        if (*texts[i])
            json_array_append_new(regions, key_value(x->part->launches[i]->number, texts[i]));
    free(texts);
    json_set(j, "buffer_records", kind_names());
    json_set(j, "marker_api", markers);
    json_set(external, "external", regions);
    json_set(j, "correlation_id", external);
    json_set(dimensions, "dimension_ids", json_array());
    json_set(j, "counters", dimensions);
    for (size_t i = 0; i < N(empty); i++)
        json_set(j, empty[i], json_array());
    return j;
}

/* ---- records ---- */

static json_t *correlation(int64_t internal, int64_t external)
{
    return json_pack("{s:I, s:I}", "internal", (json_int_t)internal, "external", (json_int_t)external);
}

static json_t *size3(const uint32_t size[3])
{
    return json_pack("{s:I, s:I, s:I}", "x", (json_int_t)size[0], "y", (json_int_t)size[1], "z",
                     (json_int_t)size[2]);
}

static json_t *record(enum kind kind, int operation, int64_t thread, int64_t id, int64_t start, int64_t end)
{
    json_t *j = json_object();
    json_set(j, "kind", json_integer(kind));
    json_set(j, "operation", json_integer(operation));
    json_set(j, "thread_id", json_integer(thread));
    json_set(j, "correlation_id", correlation(id, 0));
    json_set(j, "start_timestamp", json_integer(start));
    json_set(j, "end_timestamp", json_integer(end));
    return j;
}

static json_t *agent_handle(const struct rocprof *x, int64_t agent)
{
    const struct ls_a_agent *a = ls_activity_agent(&x->part->t->a, agent);
    return rocprof_handle(a ? a->gpu : 0);
}

static json_t *dispatch_info(const struct rocprof *x, const struct ls_a_launch *l)
{
    json_t *j = json_object();
    json_set(j, "agent_id", agent_handle(x, l->agent));
    json_set(j, "queue_id", rocprof_handle(l->queue));
    json_set(j, "kernel_id", json_integer((json_int_t)rocprof_kernel(x, l->kernel)));
    json_set(j, "dispatch_id", json_integer(l->number));
    json_set(j, "private_segment_size", json_integer(l->scratch_bytes));
    json_set(j, "group_segment_size", json_integer(l->lds_bytes));
    json_set(j, "workgroup_size", size3(l->workgroup));
    json_set(j, "grid_size", size3(l->grid));
    return j;
}

static json_t *dispatches(const struct rocprof *x)
{
    json_t *list = json_array();
    for (size_t i = 0; i < x->part->n_launches; i++) {
        const struct ls_a_launch *l = x->part->launches[i];
        json_t *j = record(DISPATCH, COMPLETE, l->thread, l->number, l->start, l->end);
        json_set(j, "dispatch_info", dispatch_info(x, l));
        json_set(j, "stream_id", rocprof_handle(trace_stream(x->part, l->stream)));
        json_set(j, "submit_timestamp", l->submit ? json_integer(l->submit) : json_null());
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *copies(const struct rocprof *x)
{
    json_t *list = json_array();
    for (size_t i = 0; i < x->part->n_copies; i++) {
        const struct ls_a_copy *c = &x->part->copies[i];
        int operation = 1 + (c->source ? 2 : 0) + (c->destination ? 1 : 0);
        json_t *j = record(COPY, operation, c->thread, trace_copy_id(x->part, c), c->start, c->end);
        json_set(j, "dst_agent_id", agent_handle(x, c->destination));
        json_set(j, "src_agent_id", agent_handle(x, c->source));
        json_set(j, "bytes", json_integer(c->bytes));
        json_set(j, "stream_id", rocprof_handle(trace_stream(x->part, c->stream)));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *markers(const struct rocprof *x)
{
    json_t *list = json_array();
    for (size_t i = 0; i < x->part->n_markers; i++) {
        const struct ls_a_marker *m = &x->part->markers[i];
        const bool mark = m->kind == LS_A_MARK;
        json_t *j = record(mark ? MARK : RANGE,
                           mark                     ? 0
                           : m->kind == LS_A_PUSHED ? THREAD_RANGE
                                                    : PROCESS_RANGE,
                           m->thread, trace_marker_id(x->part, m), m->start, trace_marker_end(x->part, m));
        if (!mark && !m->end)
            json_set(j, "lanescope_open", json_true());
        json_array_append_new(list, j);
    }
    return list;
}

json_t *rocprof_buffer_records(const struct rocprof *x)
{
    static const char *const empty[] = {"hip_api",
                                        "hsa_api",
                                        "rccl_api",
                                        "memory_allocation",
                                        "scratch_memory",
                                        "rocdecode_api",
                                        "rocjpeg_api",
                                        "pc_sample_host_trap",
                                        "pc_sample_stochastic"};
    json_t *j = json_object();
    json_set(j, "kernel_dispatch", dispatches(x));
    json_set(j, "marker_api", markers(x));
    json_set(j, "memory_copy", copies(x));
    for (size_t i = 0; i < N(empty); i++)
        json_set(j, empty[i], json_array());
    return j;
}

/* ---- counters ---- */

static json_t *collection(const struct rocprof *x, const struct ls_a_launch *l)
{
    const struct ls_r_kernel *k = ls_results_kernel(x->part->t->r, l->kernel);
    json_t *j = json_object(), *data = json_object();
    json_set(data, "correlation_id", correlation(l->number, 0));
    json_set(data, "start_timestamp", json_integer(l->start));
    json_set(data, "end_timestamp", json_integer(l->end));
    json_set(data, "dispatch_info", dispatch_info(x, l));
    json_set(j, "thread_id", json_integer(l->thread));
    json_set(j, "arch_vgpr_count", json_integer(k->vgprs));
    json_set(j, "sgpr_count", json_integer(k->sgprs));
    json_set(j, "lds_block_size_v", json_integer(l->lds_bytes));
    json_set(j, "dispatch_data", data);
    json_set(j, "records", json_array());
    return j;
}

/* Values stand in the order of their dispatches. */
json_t *rocprof_callback_records(const struct rocprof *x)
{
    json_t *j = json_object(), *list = json_array(), *records = NULL;
    for (size_t i = 0; i < x->part->n_values; i++) {
        const struct trace_value *v = &x->part->values[i];
        if (!i || v->launch != v[-1].launch) {
            json_t *c = collection(x, v->launch);
            records = json_object_get(c, "records");
            json_array_append_new(list, c);
        }
        json_t *value = json_object();
        json_set(value, "counter_id", rocprof_handle(rocprof_counter(x, v->metric)));
        json_set(value, "value", json_integer(v->value));
        json_array_append_new(records, value);
    }
    json_set(j, "counter_collection", list);
    return j;
}
