/*
 * wave_timeline.c - handler: which wavefront ran where (die, shader engine, compute unit, SIMD, slot) and
 * when, and how full each compute unit was. Works in summary mode, too: it needs no accesses.
 *
 * Options: rows=N wavefronts in the table (256), waves=N that are kept per dispatch (1048576).
 */
#include <stdbool.h>
#include <stdio.h>

#include "lanescope/sdk/metrics.h"
#include "lanescope/sdk/rows.h"
#include "lanescope/sdk/views.h"
#include "gpus/gpus.h"
#include "common/vector.h"
#include "lanescope/realtime.h"
#include "lanescope/wire.h"
#include "lanescope/sdk/options.h"

enum metric { WAVES, TIME, SPAN, UNITS, PROCESSORS, LOST, METRICS };

struct self {
    const struct lanescope_host *host;
    uint64_t rows, waves;
    uint32_t metric[METRICS];
};

/* Where a wavefront ran. Ids count from 0. */
struct place {
    uint32_t xcc, engine, array, unit, simd, slot;
};

struct wave {
    uint64_t start, end; /* ticks */
    struct place at;
    uint32_t workgroup[3], wave;
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    enum ls_hw_id hw_id;
    uint32_t engines; /* mask of the number of a shader engine in it */
    struct wave *waves;
    size_t n;
    uint64_t lost;
    uint64_t lives, first,
        last; /* of all, in ticks: their sum, the first one's start and the last one's end */
};

/* How reports show the numbers, in order of their columns. */
static int register_views(const struct lanescope_host *host)
{
    static const struct lanescope_named_view views[] = {
        {"Wavefronts", LANESCOPE_VIEW(NULL, WORSE, DETAIL, 0, 1, NONE)},
        {"Wavefront Time", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, TIME)},
        {"Span", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, TIME)},
        {"Compute Units", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, NONE)},
        {"Work-Group Processors", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, NONE)},
        {"Wavefronts Not Kept", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, NONE)},
        {"Resident Wavefronts", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, NONE)},
    };
    return lanescope_set_views(host, "wave_timeline", NULL, views, sizeof views / sizeof *views);
}

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    static const struct lanescope_metric metrics[METRICS] = {
        [WAVES] = {"Wavefronts", "wavefronts", "wavefronts that reported when they ended"},
        [TIME] = {"Wavefront Time", "ns", "sum of their lives"},
        [SPAN] = {"Span", "ns", "from the first one's start to the last one's end"},
        [UNITS] = {"Compute Units", "units", "compute units that ran one; sums over dispatches"},
        [PROCESSORS] = {"Work-Group Processors", "processors",
                        "of RDNA, two compute units each: those that ran one; sums over dispatches"},
        [LOST] = {"Wavefronts Not Kept", "wavefronts", "of these, beyond the limit: without row and unit"},
    };
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    *self = (struct self){.host = host, .rows = 256, .waves = 1u << 20};
    const struct lanescope_option list[] = {{"rows", &self->rows, 0, 1u << 24, false},
                                            {"waves", &self->waves, 1, 1u << 24, false}};
    int rc = lanescope_parse_options(host, "wave_timeline", options, list, sizeof list / sizeof list[0]);
    if (!rc)
        rc = lanescope_set_metrics(host, metrics, METRICS, self->metric);
    /* Wavefronts resident at once, on average over the span. */
    const struct lanescope_ratio resident = {.name = "Resident Wavefronts",
                                             .unit = "wavefronts",
                                             .description = "wavefronts that ran at once, on average",
                                             .scale = 1,
                                             .a = self->metric[TIME],
                                             .c = self->metric[SPAN]};
    if (!rc)
        rc = host->ratio(host, &resident);
    if (!rc)
        rc = register_views(host);
    if (rc)
        free(self);
    else
        *out = self;
    return rc;
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct state *st = calloc(1, sizeof *st);
    if (!st)
        return -ENOMEM;
    st->self = handler;
    st->dispatch = d;
    const struct ls_gpu_family *gpu = ls_gpu_family_of(d->arch);
    st->hw_id = gpu ? gpu->hw_id : LS_HW_ID1;
    st->first = ~0ull;
    st->engines = (1u << (gpu ? gpu->engine_bits : 2)) - 1;
    *out = st;
    return 0;
}

/* The fields: gpus.h, enum ls_hw_id. */
static struct place place_of(const struct state *st, const struct lanescope_wavefront *w)
{
    uint32_t id = w->hw_id, engines = st->engines;
    if (st->hw_id == LS_HW_ID)
        return (struct place){w->xcc_id,    id >> 13 & engines, id >> 12 & 1,
                              id >> 8 & 15, id >> 4 & 3,        id & 15};
    return (struct place){w->xcc_id, id >> 18 & engines, id >> 16 & 1, id >> 10 & 15, id >> 8 & 3, id & 31};
}

static struct wave *new_wave(struct state *st)
{
    return st->n < st->self->waves && LS_ROOM(st->waves, st->n) ? &st->waves[st->n++] : NULL;
}

static void note(struct state *st, uint64_t lives, uint64_t first, uint64_t last)
{
    st->lives += lives;
    st->first = first < st->first ? first : st->first;
    st->last = last > st->last ? last : st->last;
}

static void events(void *state, const struct lanescope_event *e, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        if (e[i].kind != LANESCOPE_EVENT_END)
            continue;
        note(st, e[i].duration, e[i].start, e[i].start + e[i].duration);
        struct wave *w = st->n < st->self->waves ? new_wave(st) : NULL;
        if (!w) {
            st->lost++;
            continue;
        }
        *w = (struct wave){.start = e[i].start,
                           .end = e[i].start + e[i].duration,
                           .at = place_of(st, e[i].wave),
                           .wave = e[i].wave->wave};
        memcpy(w->workgroup, e[i].wave->workgroup, sizeof w->workgroup);
    }
}

static void merge(void *state, void *other)
{
    struct state *to = state, *from = other;
    to->lost += from->lost;
    note(to, from->lives, from->first, from->last);
    for (size_t i = 0; i < from->n; i++) {
        struct wave *w = to->n < to->self->waves ? new_wave(to) : NULL;
        if (w)
            *w = from->waves[i];
        else
            to->lost++;
    }
    free(from->waves);
    free(from);
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_start(const void *a, const void *b)
{
    const struct wave *x = a, *y = b;
    int c = compare(x->start, y->start);
    for (int i = 2; i >= 0 && !c; i--)
        c = compare(x->workgroup[i], y->workgroup[i]);
    return c ? c : compare(x->wave, y->wave);
}

static uint64_t unit_of(const struct wave *w)
{
    return (uint64_t)w->at.xcc << 24 | w->at.engine << 16 | w->at.array << 8 | w->at.unit;
}

static int by_unit(const void *a, const void *b)
{
    int c = compare(unit_of(a), unit_of(b));
    return c ? c : by_start(a, b);
}

#define TABLE(name_, columns_) {name_, columns_, sizeof(columns_) / sizeof *(columns_)}
static const struct lanescope_column wave_columns[] = {
    {"workgroup", LANESCOPE_TEXT},       {"wave", LANESCOPE_UNSIGNED},  {"xcc", LANESCOPE_UNSIGNED},
    {"engine", LANESCOPE_UNSIGNED},      {"array", LANESCOPE_UNSIGNED}, {"unit", LANESCOPE_UNSIGNED},
    {"simd", LANESCOPE_UNSIGNED},        {"slot", LANESCOPE_UNSIGNED},  {"start_ns", LANESCOPE_UNSIGNED},
    {"duration_ns", LANESCOPE_UNSIGNED},
};
static const struct lanescope_table waves = TABLE("waves", wave_columns);

static void wave_row(const struct state *st, const struct wave *w, uint64_t origin,
                     struct lanescope_results *r)
{
    char workgroup[40];
    snprintf(workgroup, sizeof workgroup, "%u,%u,%u", w->workgroup[0], w->workgroup[1], w->workgroup[2]);
    const struct lanescope_value row[] = {
        lanescope_text(workgroup),
        lanescope_unsigned(w->wave),
        lanescope_unsigned(w->at.xcc),
        lanescope_unsigned(w->at.engine),
        lanescope_unsigned(w->at.array),
        lanescope_unsigned(w->at.unit),
        lanescope_unsigned(w->at.simd),
        lanescope_unsigned(w->at.slot),
        lanescope_unsigned((w->start - origin) * LS_REALTIME_NS),
        lanescope_unsigned((w->end - w->start) * LS_REALTIME_NS),
    };
    lanescope_add_row(st->self->host, r, &waves, LANESCOPE_NO_SITE, row);
}

/* What a compute unit did: n wavefronts, sorted by start. */
struct unit {
    uint64_t busy, lives, first, last; /* ticks */
    size_t peak;                       /* wavefronts at once */
};

static int by_value(const void *a, const void *b)
{
    return compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* A wavefront that starts in the tick in which another one ends does not run at once with it. */
static size_t peak_of(const struct wave *w, size_t n)
{
    uint64_t *ends = malloc(n * sizeof *ends);
    size_t peak = 0, ended = 0;
    for (size_t i = 0; ends && i < n; i++)
        ends[i] = w[i].end;
    if (ends)
        qsort(ends, n, sizeof *ends, by_value);
    for (size_t i = 0; ends && i < n; i++) {
        while (ended < i && ends[ended] <= w[i].start)
            ended++;
        peak = i + 1 - ended > peak ? i + 1 - ended : peak;
    }
    free(ends);
    return peak;
}

static struct unit unit_sums(const struct wave *w, size_t n)
{
    struct unit u = {.first = w->start, .last = w->start, .peak = peak_of(w, n)};
    for (size_t i = 0; i < n; i++) {
        uint64_t from = w[i].start > u.last ? w[i].start : u.last;
        u.busy += w[i].end > from ? w[i].end - from : 0;
        u.lives += w[i].end - w[i].start;
        u.last = w[i].end > u.last ? w[i].end : u.last;
    }
    return u;
}

static const struct lanescope_column unit_columns[] = {
    {"xcc", LANESCOPE_UNSIGNED},     {"engine", LANESCOPE_UNSIGNED},     {"array", LANESCOPE_UNSIGNED},
    {"unit", LANESCOPE_UNSIGNED},    {"wavefronts", LANESCOPE_UNSIGNED}, {"first_ns", LANESCOPE_UNSIGNED},
    {"last_ns", LANESCOPE_UNSIGNED}, {"busy_ns", LANESCOPE_UNSIGNED},    {"wavefront_ns", LANESCOPE_UNSIGNED},
    {"peak", LANESCOPE_UNSIGNED},
};
static const struct lanescope_table units_table = TABLE("units", unit_columns);

static void unit_row(const struct state *st, const struct wave *w, size_t n, uint64_t origin,
                     struct lanescope_results *r)
{
    const struct unit u = unit_sums(w, n);
    const struct lanescope_value row[] = {
        lanescope_unsigned(w->at.xcc),
        lanescope_unsigned(w->at.engine),
        lanescope_unsigned(w->at.array),
        lanescope_unsigned(w->at.unit),
        lanescope_unsigned(n),
        lanescope_unsigned((u.first - origin) * LS_REALTIME_NS),
        lanescope_unsigned((u.last - origin) * LS_REALTIME_NS),
        lanescope_unsigned(u.busy * LS_REALTIME_NS),
        lanescope_unsigned(u.lives * LS_REALTIME_NS),
        lanescope_unsigned(u.peak),
    };
    lanescope_add_row(st->self->host, r, &units_table, LANESCOPE_NO_SITE, row);
}

/* One row per compute unit; returns their number. Leaves the wavefronts sorted by unit. */
static size_t report_units(struct state *st, uint64_t origin, struct lanescope_results *r)
{
    size_t units = 0;
    qsort(st->waves, st->n, sizeof *st->waves, by_unit);
    for (size_t i = 0, n; i < st->n; i += n, units++) {
        for (n = 1; i + n < st->n && unit_of(&st->waves[i + n]) == unit_of(&st->waves[i]);)
            n++;
        unit_row(st, &st->waves[i], n, origin, r);
    }
    return units;
}

static void report(struct state *st, struct lanescope_results *r)
{
    struct self *self = st->self;
    int64_t value[METRICS] = {[WAVES] = (int64_t)(st->n + st->lost),
                              [LOST] = (int64_t)st->lost,
                              [TIME] = (int64_t)(st->lives * LS_REALTIME_NS),
                              [SPAN] = (int64_t)((st->last - st->first) * LS_REALTIME_NS)};
    qsort(st->waves, st->n, sizeof *st->waves, by_start);
    for (size_t i = 0; i < st->n && i < self->rows; i++)
        wave_row(st, &st->waves[i], st->first, r);
    /* The register names the one or the other. */
    const enum metric units = st->hw_id == LS_HW_ID1 ? PROCESSORS : UNITS;
    value[units] = (int64_t)report_units(st, st->first, r);
    for (unsigned m = 0; m < METRICS; m++)
        if (m == units || (m != UNITS && m != PROCESSORS))
            self->host->add(r, LANESCOPE_NO_SITE, self->metric[m], value[m]);
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    if (st->n)
        report(st, r);
    free(st->waves);
    free(st);
}

/* In summary mode accesses are counted on the GPU; none of them is needed here. */
static void repeated(void *state, const struct lanescope_access *a, uint64_t count)
{
    (void)state, (void)a, (void)count;
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "wave_timeline",
    .version = LANESCOPE_VERSION,
    .description = "which wavefront ran on which compute unit, and when",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .events = events,
    .merge = merge,
    .dispatch_end = dispatch_end,
    .close = free,
    .repeated = repeated,
    .needs = LANESCOPE_NEEDS_LIVES,
};
