/* markers.c - see markers.h. The preloaded library hears roctx and serialises the events. */
#include "markers.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "drain.h"
#include "preload.h"
#include "record.h"

struct open_range {
    uint64_t id; /* key */
    struct ls_marker *marker;
    UT_hash_handle hh;
};

static struct open_range *open_ranges; /* under the preloaded library's lock */

void ls_marker_free(struct ls_marker *m)
{
    if (m)
        free(m->text);
    free(m);
}

static struct ls_marker *new_marker(const struct ls_marker_event *e, int kind)
{
    struct ls_marker *m = calloc(1, sizeof *m);
    if (!m || !(m->text = strdup(e->text))) {
        free(m);
        return NULL;
    }
    m->kind = kind;
    m->thread = e->thread;
    m->start = e->ns;
    return m;
}

static void begin(const struct ls_marker_event *e, int kind)
{
    struct open_range *r = calloc(1, sizeof *r);
    struct ls_marker *m = r ? new_marker(e, kind) : NULL;
    if (!m) {
        free(r);
        return;
    }
    r->id = e->id;
    r->marker = m;
    HASH_ADD(hh, open_ranges, id, sizeof r->id, r);
}

static void end(const struct ls_marker_event *e)
{
    struct open_range *r;
    HASH_FIND(hh, open_ranges, &e->id, sizeof e->id, r);
    if (!r)
        return;
    r->marker->end = e->ns;
    ls_drain_marker(r->marker);
    HASH_DEL(open_ranges, r);
    free(r);
}

static void on_event(const struct ls_marker_event *e)
{
    struct ls_marker *m;
    switch (e->kind) {
    case LS_MARKER_MARK:
        m = new_marker(e, 0);
        if (m) {
            m->end = m->start;
            ls_drain_marker(m);
        }
        break;
    case LS_MARKER_PUSH:
        begin(e, 1);
        break;
    case LS_MARKER_START:
        begin(e, 2);
        break;
    case LS_MARKER_POP:
    case LS_MARKER_STOP:
        end(e);
        break;
    }
}

static void listen_with(ls_marker_listener f)
{
    ls_preload_markers set = (ls_preload_markers)dlsym(RTLD_DEFAULT, LS_PRELOAD_MARKERS);
    if (set)
        set(f);
}

void ls_markers_start(void)
{
    listen_with(on_event);
}

void ls_markers_stop(void)
{
    struct open_range *r, *next;
    listen_with(NULL);
    HASH_ITER(hh, open_ranges, r, next)
    {
        ls_record_marker(r->marker);
        HASH_DEL(open_ranges, r);
        free(r);
    }
}
