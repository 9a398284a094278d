/*
 * rocpd.c - the form rocpd: for each process a database as rocprofv3 (ROCm 7) writes it, with our metrics where it has the
 * hardware's counters. AMD's views and importer join rows without a word for those that lead nowhere, so every column that
 * they join by is filled: unknown threads are thread 0, the host is agent 0, who has no range has the range "".
 */
#include "cli/common/cli.h"
#include "cli/common/safe_output.h"
#include "code.h"
#include "common/hash.h"
#include "folder.h"
#include "forms.h"
#include "regions.h"
#include "results/file/error_text.h"
#include "results/file/guid.h"
#include "results/profile/profile.h"
#include "results/reader/saturate.h"
#include "rocpd_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct writing {
    struct rocpd_file file;
    const struct trace_part *part;
    int64_t node, pid;
    int64_t *threads, *tracks; /* ascending; the tracks of their marks, 0: none yet */
    size_t n_threads;
    int64_t *events; /* of the launches */
};

/* ---- what is there once ---- */

static bool is_guid(const char *s)
{
    size_t i = 0;
    for (; s[i]; i++)
        if (i == 8 || i == 13 || i == 18 || i == 23 ? s[i] != '-' : !isxdigit((unsigned char)s[i]))
            return false;
    return i == LS_GUID - 1;
}

static void metadata(struct writing *w, const char *tag, const char *value)
{
    rocpd_file_row(&w->file, ROCPD_METADATA, (const struct rocpd_cell[]){TEXT(tag), TEXT(value)});
}

static char *dumped(json_t *j)
{
    char *text = json_dumps(j, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(j);
    if (!text)
        abort();
    return text;
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text && *text)
        json_set(object, key, json_text(text));
}

static char *process_extdata(const struct writing *w)
{
    const struct ls_r_process *p = w->part->process;
    json_t *j = json_object();
    set_text(j, "lanescope_guid", p->guid);
    set_text(j, "gpu", p->gpu);
    set_text(j, "runtime", p->runtime);
    set_text(j, "rank", p->rank);
    set_text(j, "options", p->options);
    set_text(j, "time_source", trace_time_source(w->part));
    json_set(j, "estimates", json_boolean(w->part->t->estimated));
    return dumped(j);
}

static void put_process(struct writing *w)
{
    const struct ls_r_process *p = w->part->process;
    const struct ls_results *r = w->part->t->r;
    /* FNV-1a, as for AMD's numbers of nodes. */
    const int64_t hash = (int64_t)(ls_hash(LS_HASH_BEGIN, p->hostname, strlen(p->hostname)) >> 1);
    char *command = ls_command_text(p->argv), *extdata = process_extdata(w);
    const char *shown = ls_results_text(w->part->t->r, command);
    metadata(w, "schema_version", "3");
    metadata(w, "uuid", w->file.uuid);
    metadata(w, "guid", w->file.guid);
    metadata(w, "lanescope_version", p->version ? p->version : r->version);
    metadata(w, "lanescope_time_source", trace_time_source(w->part));
    w->node = hash % UINT32_MAX;
    w->pid = p->pid;
    rocpd_file_string(&w->file, ""); /* AMD's first one, too */
    rocpd_file_row(
        &w->file, ROCPD_NODE,
        (const struct rocpd_cell[]){NUMBER(w->node), NUMBER(hash), TEXT(p->hostname), TEXT(p->hostname)});
    rocpd_file_row(&w->file, ROCPD_PROCESS,
                   (const struct rocpd_cell[]){NUMBER(w->pid), NUMBER(w->node), NUMBER(p->ppid),
                                               NUMBER(p->pid), NUMBER(p->start_ns), NUMBER(p->end_ns),
                                               NUMBER(p->start_ns), NUMBER(p->end_ns),
                                               TEXT(shown && *shown ? shown : "(unknown)"), TEXT(extdata)});
    free(command);
    free(extdata);
}

/* ---- threads ---- */

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static size_t thread_index(const struct writing *w, int64_t thread)
{
    const int64_t *found = bsearch(&thread, w->threads, w->n_threads, sizeof(*w->threads), by_number);
    return (size_t)(found - w->threads);
}

static void put_threads(struct writing *w)
{
    const struct trace_part *p = w->part;
    size_t n = 0, unique = 0;
    w->threads = ls_realloc(NULL, (1 + p->n_launches + p->n_copies + p->n_markers) * sizeof(*w->threads));
    w->threads[n++] = 0;
    for (size_t i = 0; i < p->n_launches; i++)
        w->threads[n++] = p->launches[i]->thread;
    for (size_t i = 0; i < p->n_copies; i++)
        w->threads[n++] = p->copies[i].thread;
    for (size_t i = 0; i < p->n_markers; i++)
        w->threads[n++] = p->markers[i].thread;
    qsort(w->threads, n, sizeof(*w->threads), by_number);
    for (size_t i = 0; i < n; i++)
        if (!i || w->threads[i] != w->threads[i - 1])
            w->threads[unique++] = w->threads[i];
    w->n_threads = unique;
    w->tracks = calloc(unique, sizeof(*w->tracks));
    if (!w->tracks)
        abort();
    for (size_t i = 0; i < unique; i++) {
        int64_t tid = w->threads[i];
        rocpd_file_row(&w->file, ROCPD_THREAD,
                       (const struct rocpd_cell[]){NUMBER(tid), NUMBER(w->node), NUMBER(p->process->ppid),
                                                   NUMBER(w->pid), NUMBER(tid),
                                                   TEXT(tid ? "" : "(unknown)")});
    }
}

/* ---- GPUs, queues, code ---- */

static void put_agent(struct writing *w, int64_t id, const char *type, int64_t index, const char *name,
                      const char *product, const char *user)
{
    rocpd_file_row(&w->file, ROCPD_AGENT,
                   (const struct rocpd_cell[]){NUMBER(id), NUMBER(w->node), NUMBER(w->pid), TEXT(type),
                                               NUMBER(id), NUMBER(id), NUMBER(index), TEXT(name),
                                               TEXT(product), TEXT(user)});
}

static int64_t agent_id(const struct writing *w, int64_t agent)
{
    const struct ls_a_agent *a = ls_activity_agent(&w->part->t->a, agent);
    return a ? a->gpu : 0;
}

static void put_agents(struct writing *w)
{
    const struct ls_activity *a = &w->part->t->a;
    put_agent(w, 0, "CPU", 0, "host", "", "");
    for (size_t i = 0; i < a->n_agents; i++)
        if (a->agents[i].process == w->part->process->id)
            put_agent(w, a->agents[i].gpu, "GPU", (int64_t)a->agents[i].gpu - 1, a->agents[i].arch,
                      a->agents[i].name, w->part->software ? "software GPU" : "");
}

static void put_queues(struct writing *w)
{
    uint32_t most = 0;
    for (size_t i = 0; i < w->part->n_launches; i++)
        most = w->part->launches[i]->queue > most ? w->part->launches[i]->queue : most;
    for (uint32_t q = 0; q <= most; q++) { /* they are numbered without gaps */
        char name[32] = "Default Queue";
        if (q)
            snprintf(name, sizeof(name), "Queue %" PRIu32, q);
        rocpd_file_row(&w->file, ROCPD_QUEUE,
                       (const struct rocpd_cell[]){NUMBER(q), NUMBER(w->node), NUMBER(w->pid), TEXT(name)});
    }
}

static void put_stream(struct writing *w, int64_t number, const char *name)
{
    rocpd_file_row(&w->file, ROCPD_STREAM,
                   (const struct rocpd_cell[]){NUMBER(number), NUMBER(w->node), NUMBER(w->pid), TEXT(name)});
}

/* Unknown ones are 0, too. */
static void put_streams(struct writing *w)
{
    const struct ls_activity *a = &w->part->t->a;
    put_stream(w, 0, "Default Stream");
    for (size_t i = 0; i < a->n_streams; i++) {
        const struct ls_a_stream *s = &a->streams[i];
        if (s->process != w->part->process->id || !s->number)
            continue;
        char *name = s->kind == LS_STREAM_PER_THREAD
                         ? ls_text("Stream %" PRId64 " (of thread %" PRId64 ")", s->number, s->thread)
                         : ls_text("Stream %" PRId64, s->number);
        put_stream(w, s->number, name ? name : "");
        free(name);
    }
}

static void put_code_object(struct writing *w, const struct code_object *c)
{
    bool file = !strncmp(c->uri, "file:", 5);
    rocpd_file_row(&w->file, ROCPD_CODE_OBJECT,
                   (const struct rocpd_cell[]){
                       NUMBER(c->id), NUMBER(w->node), NUMBER(w->pid), NUMBER(agent_id(w, c->agent)),
                       TEXT(c->uri), NUMBER(c->load_base), NUMBER(c->bytes), TEXT(file ? "FILE" : "MEMORY")});
}

static void put_kernel(struct writing *w, const struct code_kernel *c)
{
    const struct ls_r_kernel *k = c->kernel;
    json_t *names = json_object();
    json_set(names, "kernel_id", json_integer(k->id));
    json_set(names, "formatted_kernel_name", json_text(k->name));
    json_set(names, "demangled_kernel_name", json_text(k->name));
    char *extdata = dumped(names);
    rocpd_file_row(&w->file, ROCPD_KERNEL,
                   (const struct rocpd_cell[]){
                       NUMBER(k->id), NUMBER(w->node), NUMBER(w->pid), NUMBER(c->code_object),
                       TEXT(k->mangled), TEXT(k->name), NUMBER(k->lds_bytes), NUMBER(k->scratch_bytes),
                       NUMBER(k->sgprs), NUMBER(k->vgprs), NUMBER(k->agprs), TEXT(extdata)});
    free(extdata);
}

static int put_code(struct writing *w)
{
    struct code code;
    int rc = code_of(w->part, &code);
    for (size_t i = 0; i < code.n_objects; i++)
        put_code_object(w, &code.objects[i]);
    for (size_t i = 0; i < code.n_kernels; i++)
        put_kernel(w, &code.kernels[i]);
    code_free(&code);
    return rc;
}

/* ---- what happened ---- */

static int64_t put_event(struct writing *w, const char *category, int64_t id, const char *extdata)
{
    return rocpd_file_row(&w->file, ROCPD_EVENT,
                          (const struct rocpd_cell[]){NUMBER(rocpd_file_string(&w->file, category)),
                                                      NUMBER(id), TEXT(extdata)});
}

static void put_dispatches(struct writing *w)
{
    const struct trace_part *p = w->part;
    const char **regions = regions_of(p);
    w->events = ls_realloc(NULL, (p->n_launches + 1) * sizeof(*w->events));
    for (size_t i = 0; i < p->n_launches; i++) {
        const struct ls_a_launch *l = p->launches[i];
        w->events[i] = put_event(w, "KERNEL_DISPATCH", l->number, "{}");
        rocpd_file_row(&w->file, ROCPD_DISPATCH,
                       (const struct rocpd_cell[]){NUMBER(w->node),
                                                   NUMBER(w->pid),
                                                   NUMBER(l->thread),
                                                   NUMBER(agent_id(w, l->agent)),
                                                   NUMBER(l->kernel),
                                                   NUMBER(l->number),
                                                   NUMBER(l->queue),
                                                   NUMBER(trace_stream(p, l->stream)),
                                                   NUMBER(l->start),
                                                   NUMBER(l->end),
                                                   NUMBER(l->scratch_bytes),
                                                   NUMBER(l->lds_bytes),
                                                   NUMBER(l->workgroup[0]),
                                                   NUMBER(l->workgroup[1]),
                                                   NUMBER(l->workgroup[2]),
                                                   NUMBER(l->grid[0]),
                                                   NUMBER(l->grid[1]),
                                                   NUMBER(l->grid[2]),
                                                   NUMBER(rocpd_file_string(&w->file, regions[i])),
                                                   NUMBER(w->events[i])});
    }
    free(regions);
}

static void put_copies(struct writing *w)
{
    for (size_t i = 0; i < w->part->n_copies; i++) {
        const struct ls_a_copy *c = &w->part->copies[i];
        int64_t event = put_event(w, "MEMORY_COPY", trace_copy_id(w->part, c), "{}");
        rocpd_file_row(&w->file, ROCPD_COPY,
                       (const struct rocpd_cell[]){
                           NUMBER(w->node), NUMBER(w->pid), NUMBER(c->thread), NUMBER(c->start),
                           NUMBER(c->end), NUMBER(rocpd_file_string(&w->file, trace_copy_name(c))),
                           NUMBER(agent_id(w, c->destination)), NUMBER(agent_id(w, c->source)),
                           NUMBER(c->bytes), NUMBER(trace_stream(w->part, c->stream)), NUMBER(event)});
    }
}

/* A mark has no length: a sample on a track of its name and thread. */
static void put_mark(struct writing *w, const struct ls_a_marker *m, int64_t event)
{
    int64_t *track = &w->tracks[thread_index(w, m->thread)];
    if (!*track)
        *track =
            rocpd_file_row(&w->file, ROCPD_TRACK,
                           (const struct rocpd_cell[]){NUMBER(w->node), NUMBER(w->pid), NUMBER(m->thread),
                                                       NUMBER(rocpd_file_string(&w->file, "roctxMark"))});
    rocpd_file_row(&w->file, ROCPD_SAMPLE,
                   (const struct rocpd_cell[]){NUMBER(*track), NUMBER(m->start), NUMBER(event)});
}

static void put_markers(struct writing *w)
{
    for (size_t i = 0; i < w->part->n_markers; i++) {
        const struct ls_a_marker *m = &w->part->markers[i];
        const bool mark = m->kind == LS_A_MARK;
        json_t *about = json_object();
        json_set(about, "message", json_text(m->text));
        if (!mark && !m->end)
            json_set(about, "lanescope_open", json_true());
        char *extdata = dumped(about);
        int64_t event = put_event(w, mark ? "MARKER_CORE_API" : "MARKER_CORE_RANGE_API",
                                  trace_marker_id(w->part, m), extdata);
        if (mark)
            put_mark(w, m, event);
        else
            rocpd_file_row(&w->file, ROCPD_REGION,
                           (const struct rocpd_cell[]){NUMBER(w->node), NUMBER(w->pid), NUMBER(m->thread),
                                                       NUMBER(m->start), NUMBER(trace_marker_end(w->part, m)),
                                                       NUMBER(rocpd_file_string(&w->file, m->text)),
                                                       NUMBER(event)});
        free(extdata);
    }
}

/* ---- metrics ---- */

/* A counter is one of a GPU. */
static int64_t pmc_id(const struct writing *w, int64_t gpu, size_t metric)
{
    const int64_t n = (int64_t)w->part->t->r->n_metrics;
    return ls_add(ls_multiply(gpu, n, NULL), (int64_t)metric + 1, NULL);
}

static char *metric_extdata(const struct writing *w)
{
    json_t *j = json_object();
    if (w->part->t->estimated)
        json_set(j, "estimates", json_true());
    return dumped(j);
}

static void put_pmc(struct writing *w, const struct ls_a_agent *a, size_t metric)
{
    const struct ls_r_metric *m = &w->part->t->r->metrics[metric];
    char *name = trace_metric_name(m), *extdata = metric_extdata(w);
    rocpd_file_row(&w->file, ROCPD_PMC,
                   (const struct rocpd_cell[]){NUMBER(pmc_id(w, a->gpu, metric)), NUMBER(w->node),
                                               NUMBER(w->pid), NUMBER(a->gpu), TEXT(name), TEXT(name),
                                               TEXT(m->description), TEXT("lanescope"), TEXT(m->unit),
                                               TEXT(m->handler), TEXT(extdata)});
    free(name);
    free(extdata);
}

static void put_pmcs(struct writing *w)
{
    const struct trace *t = w->part->t;
    bool *used = calloc(t->r->n_metrics + 1, sizeof(*used));
    if (!used)
        abort();
    for (size_t i = 0; i < w->part->n_values; i++)
        used[w->part->values[i].metric - t->r->metrics] = true;
    for (size_t i = 0; i < t->a.n_agents; i++)
        for (size_t m = 0; m < t->r->n_metrics; m++)
            if (used[m] && t->a.agents[i].process == w->part->process->id)
                put_pmc(w, &t->a.agents[i], m);
    free(used);
}

/* The column is a floating-point number; what it cannot hold stands beside it. */
static void put_values(struct writing *w)
{
    const int64_t exact = (int64_t)1 << 53;
    const struct trace_part *p = w->part;
    size_t launch = 0;
    for (size_t i = 0; i < p->n_values; i++) {
        const struct trace_value *v = &p->values[i];
        char *extdata = NULL;
        while (p->launches[launch] != v->launch)
            launch++;
        if (ls_absolute(v->value) > exact) {
            json_t *j = json_object();
            json_set(j, "value", json_integer(v->value));
            extdata = dumped(j);
        }
        rocpd_file_row(&w->file, ROCPD_PMC_EVENT,
                       (const struct rocpd_cell[]){NUMBER(w->events[launch]),
                                                   NUMBER(pmc_id(w, agent_id(w, v->launch->agent),
                                                                 (size_t)(v->metric - p->t->r->metrics))),
                                                   REAL((double)v->value), TEXT(extdata ? extdata : "{}")});
        free(extdata);
    }
}

/* ---- a process ---- */

static int write_process(struct writing *w)
{
    put_process(w);
    put_threads(w);
    put_agents(w);
    put_queues(w);
    put_streams(w);
    int rc = put_code(w);
    put_dispatches(w);
    put_copies(w);
    put_markers(w);
    put_pmcs(w);
    put_values(w);
    int closed = rocpd_file_close(&w->file);
    free(w->threads);
    free(w->tracks);
    free(w->events);
    return rc ? rc : closed;
}

static int add(void *to, const struct trace_part *part, char *database)
{
    struct folder *f = to;
    const char *path, *shown;
    char guid[LS_GUID];
    struct writing w = {.part = part};
    int fd = folder_file(f, folder_prefix(f, part->process), "results.db", database, &path, &shown);
    if (fd < 0)
        return EXIT_FAILED;
    close(fd);
    if (is_guid(part->process->guid))
        snprintf(guid, sizeof(guid), "%s", part->process->guid);
    else
        ls_make_guid(guid);
    rocpd_file_open(&w.file, path, shown, guid);
    return write_process(&w);
}

int convert_rocpd(const struct conversion *c)
{
    struct folder folder;
    int rc = folder_open(&folder, c);
    return rc ? rc : folder_close(&folder, trace_each(c->databases, c->n, false, add, &folder));
}
