/*
 * wave_timeline.c - handler: which wavefront ran where (die, shader engine, compute unit, SIMD, slot) and
 * when, and how full each compute unit was. Works in summary mode, too: it needs no accesses.
 *
 * Options: rows=N wavefronts in the table (256), waves=N that are kept per dispatch (1048576).
 */
#include <stdbool.h>
#include <stdio.h>

#include "lanescope/wire.h"
#include "options.h"

enum metric { WAVES, TIME, SPAN, UNITS, LOST, METRICS };
enum { TICK_NS = 10 }; /* the 100 MHz counter */

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
    uint32_t generation; /* 9, 10, 11, ...: of the target's name */
    bool many_engines;   /* the number of a shader engine has 3 bits */
    struct wave *waves;
    size_t n, room;
    uint64_t lost;
};

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    static const char *const names[METRICS][3] = {
        [WAVES] = {"Wavefronts", "wavefronts", "wavefronts that reported when they ended"},
        [TIME] = {"Wavefront Time", "ns", "sum of their lives"},
        [SPAN] = {"Span", "ns", "from the first one's start to the last one's end"},
        [UNITS] = {"Compute Units", "units", "compute units that ran one; sums over dispatches"},
        [LOST] = {"Wavefronts Not Kept", "wavefronts", "of these, beyond the limit: without row and unit"},
    };
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    *self = (struct self){.host = host, .rows = 256, .waves = 1u << 20};
    const struct option_number list[] = {{"rows", &self->rows, 0, 1u << 24, false},
                                         {"waves", &self->waves, 1, 1u << 24, false}};
    int rc = parse_numbers(host, "wave_timeline", options, list, sizeof list / sizeof list[0]);
    for (unsigned i = 0; i < METRICS && !rc; i++)
        if (!(self->metric[i] = host->metric(host, names[i][0], names[i][1], names[i][2])))
            rc = -ENOMEM;
    /* Wavefronts resident at once, on average over the span. */
    const struct lanescope_ratio resident = {.name = "Resident Wavefronts",
                                             .unit = "wavefronts",
                                             .description = "wavefronts that ran at once, on average",
                                             .scale = 1,
                                             .a = self->metric[TIME],
                                             .c = self->metric[SPAN]};
    if (!rc)
        rc = host->ratio(host, &resident);
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
    /* "gfx90a", "gfx942": major 9; "gfx1030": two digits of minor and stepping behind the major. */
    size_t digits = strlen(d->arch) - 5;
    for (size_t i = 0; i < digits && i < 2 && strlen(d->arch) > 5; i++)
        st->generation = st->generation * 10 + (uint32_t)(d->arch[3 + i] - '0');
    st->many_engines = st->generation == 11 || !strcmp(d->arch, "gfx908") || !strcmp(d->arch, "gfx90a");
    *out = st;
    return 0;
}

/* HW_ID of gfx9: wave 3:0, SIMD 5:4, compute unit 11:8, shader array 12, shader engine from 13 (comment of
 * ROCm-Device-Libs, smid.cl). HW_ID1 from gfx10 on: wave 4:0, SIMD 9:8, work-group processor 13:10, shader
 * array 16, shader engine from 18 (RDNA2 ISA document). The engine has 3 bits in gfx908, gfx90a and gfx11, 2
 * in all others (HIP's amd_device_functions.h, __smid). */
static struct place place_of(const struct state *st, const struct lanescope_wavefront *w)
{
    uint32_t id = w->hw_id, engines = st->many_engines ? 7 : 3;
    if (st->generation < 10)
        return (struct place){w->xcc_id,    id >> 13 & engines, id >> 12 & 1,
                              id >> 8 & 15, id >> 4 & 3,        id & 15};
    return (struct place){w->xcc_id, id >> 18 & engines, id >> 16 & 1, id >> 10 & 15, id >> 8 & 3, id & 31};
}

static struct wave *new_wave(struct state *st)
{
    if (st->n == st->room) {
        size_t room = st->room ? 2 * st->room : 256;
        struct wave *grown = st->n < st->self->waves ? realloc(st->waves, room * sizeof *grown) : NULL;
        if (!grown)
            return NULL;
        st->waves = grown;
        st->room = room;
    }
    return &st->waves[st->n++];
}

static void events(void *state, const struct lanescope_event *e, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        if (e[i].kind != LS_KIND_WAVE)
            continue;
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

static void wave_row(const struct state *st, const struct wave *w, uint64_t origin,
                     struct lanescope_results *r)
{
    char json[512];
    snprintf(json, sizeof json,
             "{\"workgroup\": \"%u,%u,%u\", \"wave\": %u, \"xcc\": %u, \"engine\": %u, \"array\": %u, "
             "\"unit\": %u, \"simd\": %u, \"slot\": %u, \"start_ns\": %llu, \"duration_ns\": %llu}",
             w->workgroup[0], w->workgroup[1], w->workgroup[2], w->wave, w->at.xcc, w->at.engine, w->at.array,
             w->at.unit, w->at.simd, w->at.slot, (unsigned long long)(w->start - origin) * TICK_NS,
             (unsigned long long)(w->end - w->start) * TICK_NS);
    st->self->host->row(r, "waves", LANESCOPE_NO_SITE, json);
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

static void unit_row(const struct state *st, const struct wave *w, size_t n, uint64_t origin,
                     struct lanescope_results *r)
{
    const struct unit u = unit_sums(w, n);
    char json[512];
    snprintf(
        json, sizeof json,
        "{\"xcc\": %u, \"engine\": %u, \"array\": %u, \"unit\": %u, \"wavefronts\": %zu, "
        "\"first_ns\": %llu, \"last_ns\": %llu, \"busy_ns\": %llu, \"wavefront_ns\": %llu, \"peak\": %zu}",
        w->at.xcc, w->at.engine, w->at.array, w->at.unit, n, (unsigned long long)(u.first - origin) * TICK_NS,
        (unsigned long long)(u.last - origin) * TICK_NS, (unsigned long long)u.busy * TICK_NS,
        (unsigned long long)u.lives * TICK_NS, u.peak);
    st->self->host->row(r, "units", LANESCOPE_NO_SITE, json);
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
    int64_t value[METRICS] = {[WAVES] = (int64_t)(st->n + st->lost), [LOST] = (int64_t)st->lost};
    qsort(st->waves, st->n, sizeof *st->waves, by_start);
    uint64_t origin = st->waves[0].start, last = origin;
    for (size_t i = 0; i < st->n; i++) {
        const struct wave *w = &st->waves[i];
        value[TIME] += (int64_t)((w->end - w->start) * TICK_NS);
        last = w->end > last ? w->end : last;
        if (i < self->rows)
            wave_row(st, w, origin, r);
    }
    value[SPAN] = (int64_t)((last - origin) * TICK_NS);
    value[UNITS] = (int64_t)report_units(st, origin, r);
    for (unsigned m = 0; m < METRICS; m++)
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

__attribute__((visibility("default"))) const struct lanescope_handler lanescope_handler = {
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
