/* markers.c - see markers.h. The preloaded library hears roctx and serialises the events. */
#include "markers.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "hsa-plugin/transport/drain.h"
#include "hsa-plugin/preload/preload.h"
#include "hsa-plugin/record/record.h"
#include "state.h"

struct marker {
    struct ls_marker record;
    char text[];
};

struct open_range {
    uint64_t id; /* key */
    struct marker *marker;
    UT_hash_handle hh;
};

static struct open_range *open_ranges; /* under the preloaded library's lock */

static void record(void *marker)
{
    struct marker *m = marker;
    ls_record_marker(&m->record);
    free(m);
}

static void over(struct marker *m)
{
    if (!ls_drain_post(record, m))
        free(m);
}

static struct marker *new_marker(const struct ls_marker_event *e, int kind)
{
    size_t bytes = strlen(e->text) + 1;
    struct marker *m = calloc(1, sizeof *m + bytes);
    if (!m)
        return NULL;
    memcpy(m->text, e->text, bytes);
    m->record = (struct ls_marker){.kind = kind, .thread = e->thread, .start = e->ns, .text = m->text};
    return m;
}

static void begin(const struct ls_marker_event *e, int kind)
{
    struct open_range *r = calloc(1, sizeof *r);
    struct marker *m = r ? new_marker(e, kind) : NULL;
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
    r->marker->record.end = e->ns;
    over(r->marker);
    HASH_DEL(open_ranges, r);
    free(r);
}

static bool selected_regions;

/* It holds for all threads, whichever one is named, as in rocprofv3. */
static void choose(bool wanted)
{
    ls_tool_region(wanted ? LS_REGION_WANTED : selected_regions ? LS_REGION_NOT_CHOSEN : LS_REGION_PAUSED);
}

static void on_event(const struct ls_marker_event *e)
{
    struct marker *m;
    switch (e->kind) {
    case LS_MARKER_MARK:
        m = new_marker(e, 0);
        if (m) {
            m->record.end = m->record.start;
            over(m);
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
    case LS_MARKER_PAUSE:
    case LS_MARKER_RESUME:
        choose(e->kind == LS_MARKER_RESUME);
        break;
    }
}

static void listen_with(ls_marker_listener f)
{
    ls_preload_markers set = (ls_preload_markers)dlsym(RTLD_DEFAULT, LS_PRELOAD_MARKERS);
    if (set)
        set(f);
}

void ls_markers_start(bool selected)
{
    selected_regions = selected;
    choose(!selected);
    listen_with(on_event); /* it hears of what was called before, too */
}

void ls_markers_stop(void)
{
    struct open_range *r, *next;
    listen_with(NULL);
    HASH_ITER(hh, open_ranges, r, next)
    {
        record(r->marker);
        HASH_DEL(open_ranges, r);
        free(r);
    }
}
