/* lanes.c - see lanes.h. */
#include "lanes.h"
#include "results/reader/arena.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct lanes_name {
    int64_t key[LANES_KEY];
    size_t track;
    UT_hash_handle hh;
};

/* ---- tracks ---- */

struct lanes_track *lanes_track(const struct lanes *l, const int64_t key[LANES_KEY])
{
    struct lanes_name *name;
    HASH_FIND(hh, l->names, key, sizeof(name->key), name);
    return name ? &l->tracks[name->track] : NULL;
}

struct lanes_track *lanes_add_track(struct lanes *l, const int64_t key[LANES_KEY], uint64_t id,
                                    uint64_t parent, const char *name, bool nest)
{
    struct lanes_name *new = ls_realloc(NULL, sizeof(*new));
    *new = (struct lanes_name){.track = l->n_tracks};
    memcpy(new->key, key, sizeof(new->key));
    HASH_ADD(hh, l->names, key, sizeof(new->key), new);
    struct lanes_track *t = LS_PUSH(l->tracks, l->n_tracks);
    *t = (struct lanes_track){.id = id, .parent = parent, .name = strdup(name), .nest = nest};
    if (!t->name)
        abort();
    return t;
}

void lanes_add_slice(struct lanes *l, const struct lanes_track *track, const struct lanes_slice *slice)
{
    struct lanes_slice *s = LS_PUSH(l->slices, l->n_slices);
    *s = *slice;
    s->track = (size_t)(track - l->tracks);
}

void lanes_free(struct lanes *l)
{
    struct lanes_name *name, *next;
    HASH_ITER(hh, l->names, name, next)
    {
        HASH_DEL(l->names, name);
        free(name);
    }
    for (size_t i = 0; i < l->n_tracks; i++)
        free(l->tracks[i].name);
    free(l->tracks);
    free(l->slices);
    *l = (struct lanes){0};
}

/* ---- slices ---- */

/* By track and start; those that hold others come before these. */
static int by_track(const void *a, const void *b)
{
    const struct lanes_slice *x = a, *y = b;
    return x->track != y->track   ? (x->track < y->track ? -1 : 1)
           : x->start != y->start ? (x->start < y->start ? -1 : 1)
           : x->end != y->end     ? (x->end > y->end ? -1 : 1)
           : x->kind != y->kind   ? (x->kind < y->kind ? -1 : 1)
                                  : (x->row > y->row) - (x->row < y->row);
}

/* What one track became. The first lane may hold slices within slices (`open`), the others, a heap by the end of
 * their last slice, hold one after the other. */
struct lane {
    int64_t end;
    uint64_t id;
};
struct writing {
    struct lanes *l;
    const struct lanes_track *track;
    int64_t *open; /* ends */
    struct lane *heap;
    size_t n_open, room_open, n_heap;
};

static void end_open(struct writing *w, int64_t ns)
{
    for (; w->n_open && w->open[w->n_open - 1] <= ns; w->n_open--)
        if (w->open[w->n_open - 1] != LANES_OPEN)
            perfetto_slice_end(w->l->p, w->track->id, w->open[w->n_open - 1]);
}

static void push_open(struct writing *w, int64_t end)
{
    if (w->n_open == w->room_open) {
        w->room_open = 2 * w->room_open + 8;
        w->open = ls_realloc(w->open, w->room_open * sizeof(*w->open));
    }
    w->open[w->n_open++] = end;
}

/* Puts the root, which grew, where it belongs. */
static void sink(struct writing *w)
{
    for (size_t i = 0, child; (child = 2 * i + 1) < w->n_heap; i = child) {
        if (child + 1 < w->n_heap && w->heap[child + 1].end < w->heap[child].end)
            child++;
        if (w->heap[i].end <= w->heap[child].end)
            break;
        struct lane lane = w->heap[i];
        w->heap[i] = w->heap[child];
        w->heap[child] = lane;
    }
}

static void rise(struct writing *w)
{
    for (size_t i = w->n_heap - 1, parent; i; i = parent) {
        parent = (i - 1) / 2;
        if (w->heap[parent].end <= w->heap[i].end)
            break;
        struct lane lane = w->heap[i];
        w->heap[i] = w->heap[parent];
        w->heap[parent] = lane;
    }
}

/* A lane beside the first one, which is free from `start` on, or new. */
static uint64_t other_lane(struct writing *w, int64_t start, int64_t end)
{
    uint64_t id;
    if (w->n_heap && w->heap[0].end <= start) {
        id = w->heap[0].id;
        w->heap[0].end = end;
        sink(w);
    } else {
        id = perfetto_track(w->l->p, w->track->parent, w->track->name);
        *LS_PUSH(w->heap, w->n_heap) = (struct lane){end, id};
        rise(w);
    }
    return id;
}

typedef void opener(void *writer, const struct lanes_slice *s, uint64_t track);

static void write_slice(struct writing *w, const struct lanes_slice *s, opener *open, void *writer)
{
    end_open(w, s->start);
    if (s->instant) {
        open(writer, s, w->track->id);
    } else if (!w->n_open || (w->track->nest && w->open[w->n_open - 1] >= s->end)) {
        open(writer, s, w->track->id);
        push_open(w, s->end);
    } else {
        uint64_t id = other_lane(w, s->start, s->end);
        open(writer, s, id);
        if (s->end != LANES_OPEN)
            perfetto_slice_end(w->l->p, id, s->end);
    }
}

void lanes_write(struct lanes *l, opener *open, void *writer)
{
    struct writing w = {.l = l};
    if (l->n_slices)
        qsort(l->slices, l->n_slices, sizeof(*l->slices), by_track);
    for (size_t i = 0; i < l->n_slices; i++) {
        w.track = &l->tracks[l->slices[i].track];
        write_slice(&w, &l->slices[i], open, writer);
        if (i + 1 < l->n_slices && l->slices[i + 1].track == l->slices[i].track)
            continue;
        end_open(&w, LANES_OPEN);
        w.n_open = w.n_heap = 0;
    }
    free(w.open);
    free(w.heap);
}
