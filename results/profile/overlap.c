/* overlap.c - see overlap.h. */
#include "overlap.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "results/reader/saturate.h"

/* ---- spans of time ---- */

struct span {
    int64_t start, end;
};
struct spans {
    struct span *list;
    size_t n;
};

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static void add_span(struct spans *s, int64_t start, int64_t end)
{
    int64_t ns;
    if (ls_interval(start, end, &ns) && ns)
        *LS_PUSH(s->list, s->n) = (struct span){start, end};
}

/* Makes disjoint ones of them, in their order; returns their length. */
static int64_t unite(struct spans *s)
{
    size_t n = 0;
    int64_t sum = 0;
    if (s->n)
        qsort(s->list, s->n, sizeof(*s->list), by_start);
    for (size_t i = 0; i < s->n; i++) {
        if (n && s->list[i].start <= s->list[n - 1].end)
            s->list[n - 1].end = s->list[i].end > s->list[n - 1].end ? s->list[i].end : s->list[n - 1].end;
        else
            s->list[n++] = s->list[i];
    }
    s->n = n;
    for (size_t i = 0; i < n; i++)
        sum += s->list[i].end - s->list[i].start; /* disjoint and in 64 bits: fits */
    return sum;
}

/* Of united spans: how long they lasted before a time. */
struct lengths {
    struct spans spans;
    int64_t *before; /* of all spans before this one */
};

static int64_t lasted_before(const struct lengths *l, int64_t time)
{
    size_t low = 0, high = l->spans.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->spans.list[middle].start < time)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;
    const struct span *s = &l->spans.list[low - 1];
    return l->before[low - 1] + (time < s->end ? time : s->end) - s->start;
}

/* Both united. Takes time for the spans of `a` alone: many queues share the copies of their GPU. */
static int64_t common_time(const struct spans *a, const struct lengths *b)
{
    int64_t sum = 0;
    for (size_t i = 0; i < a->n; i++)
        sum += lasted_before(b, a->list[i].end) - lasted_before(b, a->list[i].start);
    return sum;
}

/* ---- what one GPU did ---- */

/* Kernels, or copies. */
struct busy {
    int64_t n, ns;
    struct lengths lengths;
};
enum { KERNELS, COPIES, WORKS };
struct gpu {
    int64_t key[2]; /* process, agent */
    struct busy work[WORKS];
    UT_hash_handle hh;
};

struct adding {
    struct ls_times *t;
    struct ls_arena *arena;
    struct ls_results *r;
    const struct ls_activity *a;
    const char *path;
    struct gpu *gpus;
};

static struct gpu *gpu_of(struct adding *x, int64_t process, int64_t agent)
{
    const int64_t key[2] = {process, agent};
    struct gpu *g;
    HASH_FIND(hh, x->gpus, key, sizeof(key), g);
    if (!g) {
        g = ls_realloc(NULL, sizeof(*g));
        *g = (struct gpu){.key = {process, agent}};
        HASH_ADD(hh, x->gpus, key, sizeof(g->key), g);
    }
    return g;
}

static void add_work(struct adding *x, int what, int64_t process, int64_t agent, int64_t start, int64_t end)
{
    struct busy *b = &gpu_of(x, process, agent)->work[what];
    b->n++;
    add_span(&b->lengths.spans, start, end);
}

static void sum_up(struct busy *b)
{
    int64_t sum = 0;
    struct spans *s = &b->lengths.spans;
    b->ns = unite(s);
    b->lengths.before = ls_realloc(NULL, (s->n + 1) * sizeof(*b->lengths.before));
    for (size_t i = 0; i < s->n; i++) {
        b->lengths.before[i] = sum;
        sum += s->list[i].end - s->list[i].start;
    }
}

/* The GPUs that a copy is from or to; returns how many. */
static int agents_of(const struct ls_a_copy *c, int64_t agents[2])
{
    int n = 0;
    if (c->source)
        agents[n++] = c->source;
    if (c->destination && c->destination != c->source)
        agents[n++] = c->destination;
    return n;
}

static void index_work(struct adding *x)
{
    int64_t agents[2];
    for (size_t i = 0; i < x->a->n_launches; i++) {
        const struct ls_a_launch *l = &x->a->launches[i];
        add_work(x, KERNELS, l->process, l->agent, l->start, l->end);
    }
    for (size_t i = 0; i < x->a->n_copies; i++) {
        const struct ls_a_copy *c = &x->a->copies[i];
        for (int k = agents_of(c, agents); k-- > 0;)
            add_work(x, COPIES, c->process, agents[k], c->start, c->end);
    }
    for (struct gpu *g = x->gpus; g; g = g->hh.next)
        for (int i = 0; i < WORKS; i++)
            sum_up(&g->work[i]);
}

static void free_work(struct adding *x)
{
    struct gpu *g, *next;
    HASH_ITER(hh, x->gpus, g, next)
    {
        HASH_DEL(x->gpus, g);
        for (int i = 0; i < WORKS; i++) {
            free(g->work[i].lengths.spans.list);
            free(g->work[i].lengths.before);
        }
        free(g);
    }
}

static int64_t pid_of(const struct ls_results *r, int64_t process)
{
    const struct ls_r_process *p = ls_results_process(r, process);
    return p ? p->pid : 0;
}

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* ---- queues ---- */

static int by_queue(const void *a, const void *b)
{
    const struct ls_a_launch *x = *(const struct ls_a_launch *const *)a,
                             *y = *(const struct ls_a_launch *const *)b;
    int o = order(x->process, y->process);
    return o ? o : order(x->queue, y->queue);
}

static void add_queue(struct adding *x, const struct ls_a_launch *const *l, size_t n)
{
    struct spans kernels = {NULL, 0};
    const struct ls_a_agent *agent = ls_activity_agent(x->a, l[0]->agent);
    const struct busy *copies = &gpu_of(x, l[0]->process, l[0]->agent)->work[COPIES];
    struct ls_t_queue *q = LS_PUSH(x->t->queues, x->t->n_queues);
    *q = (struct ls_t_queue){.database = x->path,
                             .pid = pid_of(x->r, l[0]->process),
                             .arch = agent ? ls_arena_string(x->arena, agent->arch) : "",
                             .gpu = agent ? agent->gpu : 0,
                             .queue = l[0]->queue,
                             .kernels = (int64_t)n,
                             .copies = copies->n,
                             .copies_ns = copies->ns,
                             .streams = true};
    for (size_t i = 0; i < n; i++) {
        add_span(&kernels, l[i]->start, l[i]->end);
        q->streams &= l[i]->stream != NULL;
    }
    q->kernels_ns = unite(&kernels);
    q->both_ns = common_time(&kernels, &copies->lengths);
    free(kernels.list);
}

static void add_queues(struct adding *x)
{
    size_t n = x->a->n_launches;
    const struct ls_a_launch **l = ls_realloc(NULL, (n + 1) * sizeof(*l));
    for (size_t i = 0; i < n; i++)
        l[i] = &x->a->launches[i];
    if (n)
        qsort(l, n, sizeof(*l), by_queue);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && !by_queue(&l[i], &l[end]); end++)
            ;
        add_queue(x, l + i, end - i);
    }
    free(l);
}

/* ---- streams ---- */

/* A kernel or copy of a stream, on one GPU. */
struct item {
    const struct ls_a_stream *stream;
    int64_t agent, start, end;
    uint32_t queue; /* 0: a copy */
};

static int by_stream(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int o = order(x->stream->process, y->stream->process);
    o = o ? o : order(x->agent, y->agent);
    o = o ? o : order(x->stream->number, y->stream->number);
    return o ? o : order(x->stream->id, y->stream->id);
}

static int by_stream_and_queue(const void *a, const void *b)
{
    int o = by_stream(a, b);
    return o ? o : order(((const struct item *)a)->queue, ((const struct item *)b)->queue);
}

static const char *kind_name(int64_t kind)
{
    return kind == LS_STREAM_NULL ? "null" : kind == LS_STREAM_PER_THREAD ? "per-thread" : "created";
}

static void add_to_stream(struct ls_t_stream *s, struct spans work[WORKS], const struct item *i)
{
    add_span(&work[i->queue ? KERNELS : COPIES], i->start, i->end);
    *(i->queue ? &s->kernels : &s->copies) += 1;
    if (i->queue && !(s->n_queues && s->queues[s->n_queues - 1] == i->queue))
        *LS_PUSH(s->queues, s->n_queues) = i->queue;
}

static void add_stream(struct adding *x, const struct item *i, size_t n)
{
    const struct ls_a_stream *stream = i->stream;
    const struct ls_a_agent *agent = ls_activity_agent(x->a, i->agent);
    const struct gpu *g = gpu_of(x, stream->process, i->agent);
    struct spans work[WORKS] = {{NULL, 0}, {NULL, 0}};
    char *name = ls_stream_name(stream);
    struct ls_t_stream *s = LS_PUSH(x->t->streams, x->t->n_streams);
    *s = (struct ls_t_stream){.database = x->path,
                              .pid = pid_of(x->r, stream->process),
                              .arch = agent ? ls_arena_string(x->arena, agent->arch) : "",
                              .gpu = agent ? agent->gpu : 0,
                              .name = ls_arena_string(x->arena, name ? name : ""),
                              .number = stream->number,
                              .kind = kind_name(stream->kind),
                              .thread = stream->thread};
    for (size_t k = 0; k < n; k++)
        add_to_stream(s, work, &i[k]);
    s->kernels_ns = unite(&work[KERNELS]);
    s->copies_ns = unite(&work[COPIES]);
    s->kernels_hidden_ns = common_time(&work[KERNELS], &g->work[COPIES].lengths);
    s->copies_hidden_ns = common_time(&work[COPIES], &g->work[KERNELS].lengths);
    free(work[KERNELS].list);
    free(work[COPIES].list);
    free(name);
}

static void add_streams(struct adding *x)
{
    struct item *list = NULL;
    size_t n = 0;
    int64_t agents[2];
    for (size_t i = 0; i < x->a->n_launches; i++) {
        const struct ls_a_launch *l = &x->a->launches[i];
        if (l->stream)
            *LS_PUSH(list, n) = (struct item){l->stream, l->agent, l->start, l->end, l->queue};
    }
    for (size_t i = 0; i < x->a->n_copies; i++) {
        const struct ls_a_copy *c = &x->a->copies[i];
        for (int k = c->stream ? agents_of(c, agents) : 0; k-- > 0;)
            *LS_PUSH(list, n) = (struct item){c->stream, agents[k], c->start, c->end, 0};
    }
    if (n)
        qsort(list, n, sizeof(*list), by_stream_and_queue);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && !by_stream(&list[i], &list[end]); end++)
            ;
        add_stream(x, list + i, end - i);
    }
    free(list);
}

void ls_overlap_add(struct ls_times *t, struct ls_arena *arena, struct ls_results *r,
                    const struct ls_activity *a)
{
    struct adding x = {.t = t, .arena = arena, .r = r, .a = a};
    x.path = ls_arena_string(arena, ls_results_text(r, r->path));
    index_work(&x);
    add_queues(&x);
    add_streams(&x);
    free_work(&x);
}

void ls_overlap_free(struct ls_times *t)
{
    for (size_t i = 0; i < t->n_streams; i++)
        free(t->streams[i].queues);
    free(t->streams);
}
