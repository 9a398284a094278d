/* waves.c - see waves.h. */
#include "waves.h"
#include "cli/common/cli.h"
#include "common/sorted.h"
#include "lanescope/printable.h"
#include "results/reader/saturate.h"

#include <jansson.h>
#include <stdlib.h>

/* The launch of that id; launches stand in the order of their ids. false: there is none. */
static bool find_launch(const struct trace_part *p, int64_t id, size_t *launch)
{
    *launch = LS_FIRST_NOT(p->n_launches, at, p->launches[at]->id < id);
    return *launch < p->n_launches && p->launches[*launch]->id == id;
}

static bool number(const json_t *row, const char *key, int64_t *value)
{
    const json_t *j = json_object_get(row, key);
    *value = json_integer_value(j);
    return json_is_integer(j);
}

static bool read_row(const struct trace_part *p, int64_t dispatch, const char *text, struct wave *w)
{
    json_t *row = text ? json_loads(text, 0, NULL) : NULL;
    const char *workgroup = json_string_value(json_object_get(row, "workgroup"));
    int64_t offset, ns;
    bool good = workgroup && number(row, "wave", &w->wave) && number(row, "xcc", &w->xcc) &&
                number(row, "engine", &w->engine) && number(row, "array", &w->array) &&
                number(row, "unit", &w->unit) && number(row, "simd", &w->simd) &&
                number(row, "slot", &w->slot) && number(row, "start_ns", &offset) &&
                number(row, "duration_ns", &w->ns) && offset >= 0 && w->ns >= 0 &&
                find_launch(p, dispatch, &w->launch) &&
                ls_interval(p->launches[w->launch]->start, p->launches[w->launch]->end, &ns);
    if (good) {
        w->start = ls_add(p->launches[w->launch]->start, offset, NULL);
        ls_printable_cut(w->workgroup, sizeof(w->workgroup), workgroup);
    }
    json_decref(row);
    return good;
}

struct reading {
    struct wave **waves;
    size_t *n, *lost;
};

static void add_wave(void *to, const struct trace_part *p, sqlite3_stmt *st)
{
    struct reading *r = to;
    struct wave w;
    if (read_row(p, sqlite3_column_int64(st, 1), (const char *)sqlite3_column_text(st, 2), &w))
        *LS_PUSH(*r->waves, *r->n) = w;
    else
        ++*r->lost;
}

int waves_of(const struct trace_part *p, struct wave **waves, size_t *n, size_t *lost)
{
    struct reading reading = {waves, n, lost};
    *waves = NULL;
    *n = *lost = 0;
    return trace_rows_of(
        p, TRACE_WAVES,
        "SELECT d.process, r.dispatch, r.json FROM handler_row r JOIN dispatch d ON d.id = r.dispatch"
        " WHERE r.handler = 'wave_timeline' AND r.table_name = 'waves' ORDER BY d.process, r.id",
        add_wave, &reading);
}
