/* activity.c - see activity.h. */
#include "activity.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "columns.h"
#include "results/file/error_text.h"

/* ---- queues ---- */

struct queue {
    int64_t key[2]; /* process, queue as recorded */
    uint32_t number;
    UT_hash_handle hh;
};
struct count {
    int64_t process;
    uint32_t n;
    UT_hash_handle hh;
};
struct reading {
    struct ls_results *r;
    struct ls_activity *a;
    struct queue *queues;
    struct count *counts; /* queues of a process */
    struct count *gpus;   /* agents of a process */
};

static uint32_t next_of(struct reading *x, struct count **counts, int64_t process)
{
    struct count *c;
    HASH_FIND(hh, *counts, &process, sizeof(process), c);
    if (!c) {
        c = ls_arena_alloc(&x->r->arena, sizeof(*c));
        c->process = process;
        HASH_ADD(hh, *counts, process, sizeof(c->process), c);
    }
    return ++c->n;
}

static uint32_t queue_number(struct reading *x, int64_t process, int64_t handle)
{
    const int64_t key[2] = {process, handle};
    struct queue *q;
    HASH_FIND(hh, x->queues, key, sizeof(key), q);
    if (!q) {
        q = ls_arena_alloc(&x->r->arena, sizeof(*q));
        memcpy(q->key, key, sizeof(key));
        q->number = next_of(x, &x->counts, process);
        HASH_ADD(hh, x->queues, key, sizeof(q->key), q);
    }
    return q->number;
}

/* ---- tables ---- */

static void load_agent(struct reading *x, sqlite3_stmt *st)
{
    *LS_PUSH(x->a->agents, x->a->n_agents) = (struct ls_a_agent){.id = number(st, 0),
                                                                 .process = number(st, 1),
                                                                 .arch = text0(x->r, st, 2),
                                                                 .name = text0(x->r, st, 3),
                                                                 .compute_units = number32(st, 4),
                                                                 .lanes = number32(st, 5),
                                                                 .gpu = next_of(x, &x->gpus, number(st, 1))};
}

static void load_stream(struct reading *x, sqlite3_stmt *st)
{
    *LS_PUSH(x->a->streams, x->a->n_streams) = (struct ls_a_stream){.id = number(st, 0),
                                                                    .process = number(st, 1),
                                                                    .number = number(st, 2),
                                                                    .kind = number(st, 3),
                                                                    .thread = number(st, 4)};
}

/* Rows begin with their ids. */
static int by_id(const void *id, const void *row)
{
    int64_t a = *(const int64_t *)id, b = *(const int64_t *)row;
    return (a > b) - (a < b);
}

/* NULL: unknown, or 0. */
static const struct ls_a_stream *stream_of(const struct ls_activity *a, int64_t id)
{
    _Static_assert(!offsetof(struct ls_a_stream, id), "by_id");
    return id && a->n_streams ? bsearch(&id, a->streams, a->n_streams, sizeof *a->streams, by_id) : NULL;
}

static void load_launch(struct reading *x, sqlite3_stmt *st)
{
    struct ls_a_launch *l = LS_PUSH(x->a->launches, x->a->n_launches);
    *l = (struct ls_a_launch){.id = number(st, 0),
                              .process = number(st, 1),
                              .number = number(st, 2),
                              .kernel = number(st, 3),
                              .agent = number(st, 4),
                              .queue = queue_number(x, number(st, 1), number(st, 5)),
                              .start = number(st, 6),
                              .end = number(st, 7),
                              .lds_bytes = number32(st, 14),
                              .scratch_bytes = number32(st, 15),
                              .submit = number(st, 16),
                              .thread = number(st, 17),
                              .stream = stream_of(x->a, number(st, 18))};
    for (int i = 0; i < 3; i++) {
        l->grid[i] = number32(st, 8 + i);
        l->workgroup[i] = number32(st, 11 + i);
    }
}

static void load_copy(struct reading *x, sqlite3_stmt *st)
{
    *LS_PUSH(x->a->copies, x->a->n_copies) = (struct ls_a_copy){.process = number(st, 0),
                                                                .number = number(st, 1),
                                                                .source = number(st, 2),
                                                                .destination = number(st, 3),
                                                                .bytes = number(st, 4),
                                                                .start = number(st, 5),
                                                                .end = number(st, 6),
                                                                .submit = number(st, 7),
                                                                .thread = number(st, 8),
                                                                .stream = stream_of(x->a, number(st, 9))};
}

static void load_marker(struct reading *x, sqlite3_stmt *st)
{
    *LS_PUSH(x->a->markers, x->a->n_markers) = (struct ls_a_marker){.process = number(st, 0),
                                                                    .thread = number(st, 1),
                                                                    .kind = number(st, 2),
                                                                    .text = text0(x->r, st, 3),
                                                                    .start = number(st, 4),
                                                                    .end = number(st, 5)};
}

#define LAUNCH                                                                                               \
    "SELECT id, process, number, kernel, agent, queue, start_ns, end_ns, grid_x, grid_y, grid_z,"            \
    " workgroup_x, workgroup_y, workgroup_z, lds_bytes, scratch_bytes,"
#define DISPATCHES " FROM dispatch ORDER BY id"
#define COPIES " FROM copy ORDER BY process, number"
#define COPY "SELECT process, number, source, destination, bytes, start_ns, end_ns,"

static const struct {
    const char *table, *query;
    const char *older[2]; /* the same of recordings that lack columns; newer ones first */
    void (*row)(struct reading *x, sqlite3_stmt *st);
} tables[] = {
    {"agent",
     "SELECT id, process, arch, name, compute_units, lanes FROM agent ORDER BY id",
     {NULL, NULL},
     load_agent},
    {"stream", "SELECT id, process, number, kind, thread FROM stream ORDER BY id", {NULL, NULL}, load_stream},
    {"dispatch",
     LAUNCH " submit_ns, thread, stream" DISPATCHES,
     {LAUNCH " submit_ns, thread, 0" DISPATCHES, LAUNCH " 0, 0, 0" DISPATCHES},
     load_launch},
    {"copy",
     COPY " submit_ns, thread, stream" COPIES,
     {COPY " submit_ns, thread, 0" COPIES, COPY " 0, 0, 0" COPIES},
     load_copy},
    {"marker",
     "SELECT process, thread, kind, text, start_ns, end_ns FROM marker"
     " ORDER BY process, start_ns, end_ns IS NULL DESC, end_ns DESC, id",
     {NULL, NULL},
     load_marker},
};

static int load_table(struct reading *x, size_t table, char **error)
{
    sqlite3_stmt *st = NULL;
    if (!ls_results_has_table(x->r, tables[table].table))
        return 0;
    int rc = prepare_rows(x->r, tables[table].query, tables[table].older[0], &st);
    if (rc == SQLITE_ERROR && tables[table].older[1])
        rc = prepare_rows(x->r, tables[table].older[1], NULL, &st);
    while (next_row(st, &rc))
        tables[table].row(x, st);
    return end_rows(x->r, st, rc, error);
}

int ls_activity_load(struct ls_results *r, struct ls_activity *a, char **error)
{
    struct reading x = {.r = r, .a = a};
    int rc = 0;
    memset(a, 0, sizeof(*a));
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && !rc; i++)
        rc = load_table(&x, i, error);
    HASH_CLEAR(hh, x.queues);
    HASH_CLEAR(hh, x.counts);
    HASH_CLEAR(hh, x.gpus);
    return rc;
}

void ls_activity_free(struct ls_activity *a)
{
    free(a->agents);
    free(a->streams);
    free(a->launches);
    free(a->copies);
    free(a->markers);
    memset(a, 0, sizeof(*a));
}

const struct ls_a_agent *ls_activity_agent(const struct ls_activity *a, int64_t id)
{
    _Static_assert(!offsetof(struct ls_a_agent, id), "by_id");
    return a->n_agents ? bsearch(&id, a->agents, a->n_agents, sizeof *a->agents, by_id) : NULL;
}

const struct ls_a_launch *ls_activity_launch(const struct ls_activity *a, int64_t id)
{
    _Static_assert(!offsetof(struct ls_a_launch, id), "by_id");
    return a->n_launches ? bsearch(&id, a->launches, a->n_launches, sizeof *a->launches, by_id) : NULL;
}

char *ls_stream_name(const struct ls_a_stream *s)
{
    const long long number = s->number, thread = s->thread;
    return s->kind == LS_STREAM_NULL         ? ls_text("stream %lld (null)", number)
           : s->kind == LS_STREAM_PER_THREAD ? ls_text("stream %lld (of thread %lld)", number, thread)
                                             : ls_text("stream %lld", number);
}

const char *ls_copy_direction(const struct ls_a_copy *c)
{
    return c->source        ? c->destination ? "DEVICE_TO_DEVICE" : "DEVICE_TO_HOST"
           : c->destination ? "HOST_TO_DEVICE"
                            : "HOST_TO_HOST";
}

bool ls_interval(int64_t start, int64_t end, int64_t *ns)
{
    bool known = start > 0 && end >= start;
    *ns = known ? end - start : 0;
    return known;
}
