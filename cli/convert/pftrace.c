/*
 * pftrace.c - the form pftrace: a Perfetto trace with the dispatches on their queues, copies, ROCTx by threads, and
 * wavefronts on their compute units. Metrics are annotations of their dispatch; one of them may be a counter.
 */
#include "pftrace.h"
#include "common/plural.h"
#include "cli/common/cli.h"
#include "cli/output/databases.h"
#include "new_file.h"
#include "regions.h"
#include "results/file/error_text.h"
#include "results/reader/saturate.h"
#include "stacks.h"
#include "gpus/gpus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum track_kind { GPU = 1, QUEUE, COPIES, THREAD, STARTED, WAVES, UNIT };

struct writing {
    struct perfetto p;
    char *handler, *metric; /* of the counter, or NULL */
    int64_t *pids;          /* that are in the trace */
    size_t n_pids;
    uint64_t flows;
    size_t untimed, lost_waves;
};

/* A process with its tracks. */
struct making {
    struct pftrace_part x;
    struct lanes lanes;
};

static char *text_or_abort(char *text)
{
    if (!text)
        abort();
    return text;
}

/* ---- tracks ---- */

static struct lanes_track *make(struct making *m, const int64_t key[LANES_KEY], uint64_t parent, char *name)
{
    uint64_t id = perfetto_track(m->x.p, parent, name);
    struct lanes_track *t = lanes_add_track(&m->lanes, key, id, parent, name, false);
    free(name);
    return t;
}

static uint64_t gpu_track(struct making *m, int64_t agent)
{
    const int64_t key[LANES_KEY] = {GPU, agent};
    struct lanes_track *t = lanes_track(&m->lanes, key);
    const struct ls_a_agent *a = ls_activity_agent(&m->x.part->t->a, agent);
    if (!t)
        t = make(m, key, m->x.process,
                 text_or_abort(
                     ls_text("GPU %" PRIu32 ": %s%s", a ? a->gpu : 0, a ? a->arch : "",
                             m->x.part->software ? " (software GPU: times tell nothing about a GPU)" : "")));
    return t->id;
}

static struct lanes_track *queue_track(struct making *m, const struct ls_a_launch *l)
{
    const int64_t key[LANES_KEY] = {QUEUE, l->agent, l->queue};
    struct lanes_track *t = lanes_track(&m->lanes, key);
    return t ? t : make(m, key, gpu_track(m, l->agent), text_or_abort(ls_text("queue %" PRIu32, l->queue)));
}

static struct lanes_track *copy_track(struct making *m, const struct ls_a_copy *c)
{
    const int64_t key[LANES_KEY] = {COPIES, c->source, c->destination};
    const int64_t gpu = c->destination ? c->destination : c->source;
    struct lanes_track *t = lanes_track(&m->lanes, key);
    return t ? t
             : make(m, key, gpu ? gpu_track(m, gpu) : m->x.process,
                    text_or_abort(ls_text("copies %s", ls_copy_direction(c))));
}

static struct lanes_track *thread_track(struct making *m, int64_t thread)
{
    const int64_t key[LANES_KEY] = {THREAD, thread};
    struct lanes_track *t = lanes_track(&m->lanes, key);
    if (t)
        return t;
    char *name = text_or_abort(ls_text("thread %" PRId64, thread));
    uint64_t id = m->x.own ? perfetto_thread(m->x.p, m->x.process, m->x.part->process->pid, thread, name)
                           : perfetto_track(m->x.p, m->x.process, name);
    t = lanes_add_track(&m->lanes, key, id, m->x.process, name, true);
    free(name);
    return t;
}

static struct lanes_track *started_track(struct making *m, int64_t thread)
{
    const int64_t key[LANES_KEY] = {STARTED, thread};
    struct lanes_track *t = lanes_track(&m->lanes, key);
    return t ? t
             : make(m, key, m->x.process,
                    text_or_abort(ls_text("ranges started by thread %" PRId64, thread)));
}

static struct lanes_track *unit_track(struct making *m, const struct wave *w)
{
    const int64_t agent = m->x.part->launches[w->launch]->agent, group[LANES_KEY] = {WAVES, agent};
    const int64_t key[LANES_KEY] = {UNIT, agent, w->xcc, w->engine, w->array, w->unit};
    struct lanes_track *t = lanes_track(&m->lanes, key), *parent = lanes_track(&m->lanes, group);
    if (t)
        return t;
    /* RDNA's registers tell the work-group processor, which is two compute units. */
    const struct ls_a_agent *a = ls_activity_agent(&m->x.part->t->a, agent);
    const struct ls_gpu_family *gpu = a && a->arch ? ls_gpu_family_of(a->arch) : NULL;
    const bool processors = gpu && gpu->hw_id == LS_HW_ID1;
    if (!parent)
        parent = make(
            m, group, gpu_track(m, agent),
            text_or_abort(ls_text("wavefronts by %s", processors ? "work-group processor" : "compute unit")));
    return make(
        m, key, parent->id,
        text_or_abort(ls_text("die %02" PRId64 " engine %02" PRId64 " array %" PRId64 " %s %02" PRId64,
                              w->xcc, w->engine, w->array, processors ? "WGP" : "unit", w->unit)));
}

/* ---- slices ---- */

static void put(struct making *m, const struct lanes_track *t, enum pftrace_kind kind, size_t row,
                int64_t start, int64_t end)
{
    const bool instant = kind == PF_MARK || kind == PF_LAUNCH || kind == PF_COPY_LAUNCH;
    lanes_add_slice(
        &m->lanes, t,
        &(struct lanes_slice){.row = row, .kind = (int)kind, .instant = instant, .start = start, .end = end});
    if (!m->x.beginning || start < m->x.beginning)
        m->x.beginning = start;
}

static void put_dispatches(struct making *m)
{
    int64_t ns;
    for (size_t i = 0; i < m->x.part->n_launches; i++) {
        const struct ls_a_launch *l = m->x.part->launches[i];
        if (ls_interval(l->start, l->end, &ns))
            put(m, queue_track(m, l), PF_DISPATCH, i, l->start, l->end);
        else
            m->x.untimed++;
        if (l->thread && l->submit > 0)
            put(m, thread_track(m, l->thread), PF_LAUNCH, i, l->submit, l->submit);
    }
}

static void put_copies(struct making *m)
{
    int64_t ns;
    for (size_t i = 0; i < m->x.part->n_copies; i++) {
        const struct ls_a_copy *c = &m->x.part->copies[i];
        if (ls_interval(c->start, c->end, &ns))
            put(m, copy_track(m, c), PF_COPY, i, c->start, c->end);
        else
            m->x.untimed++;
        if (c->thread && c->submit > 0)
            put(m, thread_track(m, c->thread), PF_COPY_LAUNCH, i, c->submit, c->submit);
    }
}

static void put_markers(struct making *m)
{
    for (size_t i = 0; i < m->x.part->n_markers; i++) {
        const struct ls_a_marker *k = &m->x.part->markers[i];
        int64_t ns, end = k->kind == LS_A_MARK ? k->start : k->end ? k->end : LANES_OPEN;
        if (!ls_interval(k->start, end, &ns))
            m->x.untimed++;
        else if (k->kind == LS_A_STARTED)
            put(m, started_track(m, k->thread), PF_RANGE, i, k->start, end);
        else
            put(m, thread_track(m, k->thread), k->kind == LS_A_MARK ? PF_MARK : PF_RANGE, i, k->start, end);
    }
}

static void put_waves(struct making *m)
{
    for (size_t i = 0; i < m->x.n_waves; i++) {
        const struct wave *w = &m->x.waves[i];
        put(m, unit_track(m, w), PF_WAVE, i, w->start, ls_add(w->start, w->ns, NULL));
    }
}

/* ---- the counter ---- */

struct change {
    int64_t agent, queue, ns, by;
    const struct ls_r_metric *metric;
};

static int by_queue(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->agent != y->agent   ? (x->agent < y->agent ? -1 : 1)
           : x->queue != y->queue ? (x->queue < y->queue ? -1 : 1)
                                  : (x->ns > y->ns) - (x->ns < y->ns);
}

static struct change *changes(const struct writing *w, const struct trace_part *part, size_t *n)
{
    struct change *list = NULL;
    *n = 0;
    for (size_t i = 0; i < part->n_values; i++) {
        const struct trace_value *v = &part->values[i];
        const struct ls_a_launch *l = v->launch;
        int64_t ns;
        if (strcmp(v->metric->handler, w->handler) || strcmp(v->metric->name, w->metric) ||
            !ls_interval(l->start, l->end, &ns))
            continue;
        *LS_PUSH(list, *n) = (struct change){l->agent, l->queue, l->start, v->value, v->metric};
        *LS_PUSH(list, *n) =
            (struct change){l->agent, l->queue, l->end, ls_subtract(0, v->value, NULL), v->metric};
    }
    if (*n)
        qsort(list, *n, sizeof(*list), by_queue);
    return list;
}

/* The metric of what runs on a queue. */
static void write_counter(const struct writing *w, struct making *m)
{
    size_t n;
    struct change *list = changes(w, m->x.part, &n);
    uint64_t track = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        const struct change *c = &list[i];
        if (!i || c->agent != c[-1].agent || c->queue != c[-1].queue) {
            char *name = text_or_abort(ls_text("queue %" PRId64 ": %s.%s", c->queue, w->handler, w->metric));
            track = perfetto_counter(m->x.p, gpu_track(m, c->agent), name, c->metric->unit);
            free(name);
            sum = 0;
        }
        sum = ls_add(sum, c->by, NULL);
        if (i + 1 == n || by_queue(c, c + 1))
            perfetto_count(m->x.p, track, c->ns, sum);
    }
    free(list);
}

/* ---- a process ---- */

static bool first_with_pid(struct writing *w, int64_t pid)
{
    pid = ls_clamp(pid, 0, INT32_MAX); /* as it stands in the trace */
    for (size_t i = 0; i < w->n_pids; i++)
        if (w->pids[i] == pid)
            return false;
    *LS_PUSH(w->pids, w->n_pids) = pid;
    return true;
}

static uint64_t process_track(struct perfetto *p, const struct trace_part *part, bool own)
{
    const struct ls_r_process *process = part->process;
    char *command = ls_command_text(process->argv);
    const char *shown = ls_results_text(part->t->r, command);
    char *name = text_or_abort(ls_text("%s%s%s%s (process %" PRId64 "%s%s)", process->rank ? "rank " : "",
                                       process->rank ? process->rank : "", process->rank ? ": " : "",
                                       shown ? shown : "", process->pid, *process->hostname ? " on " : "",
                                       process->hostname));
    uint64_t id = own ? perfetto_process(p, process->pid, name) : perfetto_track(p, 0, name);
    free(command);
    free(name);
    return id;
}

static size_t *values_by_launch(const struct trace_part *p)
{
    size_t *first = ls_realloc(NULL, (p->n_launches + 1) * sizeof(*first)), v = 0;
    for (size_t i = 0; i < p->n_launches; i++) {
        first[i] = v;
        while (v < p->n_values && p->values[v].launch == p->launches[i])
            v++;
    }
    first[p->n_launches] = v;
    return first;
}

static int add(void *to, const struct trace_part *part, char *database)
{
    struct writing *w = to;
    struct making m = {.x = {.p = &w->p, .part = part, .flows = w->flows + 1}, .lanes = {.p = &w->p}};
    (void)database;
    int rc = waves_of(part, &m.x.waves, &m.x.n_waves, &m.x.lost_waves);
    if (!rc) {
        m.x.own = first_with_pid(w, part->process->pid);
        m.x.process = process_track(&w->p, part, m.x.own);
        m.x.beginning = part->process->start_ns > 0 ? part->process->start_ns : 0;
        m.x.regions = regions_of(part);
        m.x.values = values_by_launch(part);
        put_markers(&m);
        put_dispatches(&m);
        put_copies(&m);
        put_waves(&m);
        lanes_write(&m.lanes, pftrace_say, &m.x);
        if (w->metric)
            write_counter(w, &m);
        pftrace_say_recording(&m.x);
        w->flows += part->n_launches + part->n_copies;
        w->untimed += m.x.untimed;
        w->lost_waves += m.x.lost_waves;
    }
    lanes_free(&m.lanes);
    free(m.x.waves);
    free(m.x.values);
    free(m.x.regions);
    return rc;
}

/* ---- the whole ---- */

/* The metric that --metric names in these databases. */
static int choose_metric(struct writing *w, const struct conversion *c)
{
    struct ls_profile *p = NULL;
    int index = -1, rc = load_profile(&p, c->databases, c->n, NULL, 0);
    if (!rc)
        rc = find_metric_option(p, "--metric", c->metric, &index);
    if (!rc)
        rc = stacks_additive(p, index);
    if (!rc) {
        w->handler = text_or_abort(strdup(p->metrics[index].handler));
        w->metric = text_or_abort(strdup(p->metrics[index].name));
    }
    ls_profile_free(p);
    return rc;
}

int convert_pftrace(const struct conversion *c)
{
    struct writing w = {0};
    struct new_file file;
    int rc = c->metric ? choose_metric(&w, c) : EXIT_OK;
    if (!rc)
        rc = new_file_open(&file, c);
    if (!rc) {
        perfetto_begin(&w.p, file.out);
        rc = new_file_close(&file, trace_each(c->databases, c->n, false, add, &w));
        perfetto_end(&w.p);
    }
    if (!rc && w.untimed)
        message(
            "dispatches, copies and ROCTx ranges without a place in the trace, as they have no times or end "
            "before they start: %zu",
            w.untimed);
    if (!rc && w.lost_waves)
        message("%zu %s with times, and %s not in the trace", w.lost_waves,
                ls_word((double)w.lost_waves, "row of wave_timeline is no wavefront",
                        "rows of wave_timeline are no wavefronts"),
                ls_word((double)w.lost_waves, "is", "are"));
    free(w.handler);
    free(w.metric);
    free(w.pids);
    return rc;
}
