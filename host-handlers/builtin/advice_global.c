/*
 * advice_global.c - tells why an access to global memory touches more cache lines than its bytes fill: lanes
 * that are apart, an array of structures, a misaligned start, or no pattern at all; and replays it without
 * that.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanescope/sdk/rows.h"
#include "advice.h"
#include "common/numbers.h"
#include "host-handlers/models/layout_model.h"

/* A structure is at most so many bytes long: lanes that are further apart walk rows. */
enum { STRUCTURE_LIMIT = 256, FIELDS = 16, PERIOD = 128 };

struct seen {
    uint64_t lines, needed;
    uint64_t aligned;      /* lines with the lowest address at the start of a line */
    uint64_t side_by_side; /* lines with the active lanes side by side; with idle ones between them: */
    uint64_t in_their_place;
    uint64_t executions;
    uint64_t lanes, bytes;
    uint64_t pieces;   /* lanes that continue what the lane before them accesses are one piece with it */
    int64_t step;      /* distance of neighbouring active lanes; 0: no single one */
    int64_t lane_step; /* of neighbouring lanes, idle ones among them; 0: no single one */
};

/* Lines that an access touches; wider ones in pieces of 16 bytes, as memory_coalescing counts them. What these
 * cost comes again after the largest line, so that the work does not grow with the length. */
static void lines_of(const struct advice *a, uint32_t bytes, uint64_t exec, const uint64_t addr[64],
                     uint64_t *lines, uint64_t *needed)
{
    uint64_t at[64];
    const uint32_t rounds = bytes / PERIOD;
    *lines = *needed = 0;
    for (uint64_t done = 0; done < bytes; done += 16) {
        if (rounds > 1 && done == PERIOD)
            done = (uint64_t)rounds * PERIOD;
        if (done >= bytes)
            break;
        for (uint64_t m = exec; m; m &= m - 1)
            at[__builtin_ctzll(m)] = addr[__builtin_ctzll(m)] + done;
        const uint64_t times = rounds > 1 && done < PERIOD ? rounds : 1;
        struct ls_cache_cost c = ls_cache_access(a->cache_gpu, ls_cache_piece(bytes, done), exec, at);
        *lines += times * c.l1_lines;
        *needed += times * c.l1_needed;
    }
}

static uint64_t lines_aligned(const struct advice *a, uint32_t bytes, uint64_t exec, const uint64_t addr[64])
{
    uint64_t low = ~0ull, at[64], lines, needed;
    for (uint64_t m = exec; m; m &= m - 1)
        low = addr[__builtin_ctzll(m)] < low ? addr[__builtin_ctzll(m)] : low;
    for (uint64_t m = exec; m; m &= m - 1)
        at[__builtin_ctzll(m)] = addr[__builtin_ctzll(m)] - low % a->cache_gpu->l1_line;
    lines_of(a, bytes, exec, at, &lines, &needed);
    return lines;
}

/* Of each lane the first one on the same address: by a table of addresses, as each site of each dispatch asks for it. */
static void first_on_address(uint64_t exec, const uint64_t addr[64], uint8_t first[64])
{
    enum { PLACES = 128, NOBODY = 64 };
    uint8_t place[PLACES];
    memset(place, NOBODY, sizeof place);
    for (uint64_t m = exec; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        unsigned at = (unsigned)(addr[lane] * 0x9e3779b97f4a7c15 >> 57);
        while (place[at] != NOBODY && addr[place[at]] != addr[lane])
            at = (at + 1) % PLACES;
        if (place[at] == NOBODY)
            place[at] = (uint8_t)lane;
        first[lane] = place[at];
    }
}

/* Lines with the lanes side by side; where idle ones have their place, or with the active ones moved together. Lanes on one
 * address, as the rows of a work-group that read the same, stay together. */
static uint64_t lines_laid(const struct advice *a, uint32_t bytes, uint64_t exec, const uint8_t first[64],
                           bool in_place)
{
    uint64_t at[64], lines, needed, next = 0;
    for (uint64_t m = exec; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        const bool alone = first[lane] == lane;
        at[lane] = alone ? ADVICE_BASE + bytes * (in_place ? lane : next) : at[first[lane]];
        next += alone;
    }
    lines_of(a, bytes, exec, at, &lines, &needed);
    return lines;
}

static uint64_t pieces_of(uint32_t bytes, uint64_t exec, const uint64_t addr[64])
{
    uint64_t n = 0, end = 0;
    for (uint64_t m = exec; m; m &= m - 1) {
        n += m == exec || addr[__builtin_ctzll(m)] != end;
        end = addr[__builtin_ctzll(m)] + bytes;
    }
    return n;
}

static struct seen look_at(const struct advice *a, const struct sample *s)
{
    struct seen seen = {0};
    struct ls_steps steps = {0}, lane_steps = {0};
    for (uint32_t i = 0; i < s->n; i++) {
        const struct sample_pattern *p = &s->pattern[i];
        uint64_t addr[64], lines, needed, exec = p->access.exec, lanes = p->access.active;
        const uint32_t bytes = (uint32_t)p->access.length;
        lanescope_addresses(&p->access, addr);
        lines_of(a, bytes, exec, addr, &lines, &needed);
        seen.lines += p->count * lines;
        seen.needed += p->count * needed;
        seen.aligned += p->count * lines_aligned(a, bytes, exec, addr);
        uint8_t first[64];
        first_on_address(exec, addr, first);
        seen.side_by_side += p->count * lines_laid(a, bytes, exec, first, false);
        seen.in_their_place += p->count * lines_laid(a, bytes, exec, first, true);
        seen.executions += p->count;
        seen.pieces += p->count * pieces_of(bytes, exec, addr);
        seen.lanes += p->count * lanes;
        seen.bytes += p->count * lanes * bytes;
        advice_add_steps(&steps, exec, addr, p->count);
        advice_add_lane_steps(&lane_steps, exec, addr, p->count);
    }
    seen.step = advice_step(&steps);
    seen.lane_step = advice_step(&lane_steps);
    seen.lane_step = seen.lane_step == INT64_MAX ? 0 : seen.lane_step;
    return seen;
}

struct field {
    uint64_t at, bytes;
};

static int by_offset(const void *x, const void *y)
{
    uint64_t a = ((const struct field *)x)->at, b = ((const struct field *)y)->at;
    return (a > b) - (a < b);
}

/* Whether both are parts of one access of the source, which some compilers take apart. */
static bool same_place(const struct lanescope_site *a, const struct lanescope_site *b)
{
    return a == b ||
           (a->n_frames && b->n_frames && a->frames[0].line && a->frames[0].line == b->frames[0].line &&
            a->frames[0].column == b->frames[0].column && !strcmp(a->frames[0].file, b->frames[0].file));
}

/* The source's accesses that walk the same structures: equal steps, lowest addresses less than a step apart.
 * By offset in the structure. one_place: all are parts of one of them. */
static unsigned find_fields(struct advice *a, const struct seen *seen, uint32_t site,
                            struct field field[FIELDS], uint64_t *own, bool *one_place)
{
    uint64_t step = ls_magnitude(seen->step), low = a->field[site].lowest;
    unsigned n = 0;
    *one_place = true;
    for (int pass = 0; pass < 2; pass++) /* first the structure's start, then the fields */
        for (uint32_t i = 0; i < a->dispatch->n_sites; i++) {
            if (a->field[i].lowest == ~0ull || a->field[i].step != seen->step || a->field[i].moves)
                continue;
            uint64_t at = a->field[i].lowest, distance = at > low ? at - low : low - at;
            if (distance >= step)
                continue;
            if (pass == 0) {
                low = at < low ? at : low;
                continue;
            }
            *one_place &= same_place(&a->dispatch->sites[i], &a->dispatch->sites[site]);
            unsigned k = 0;
            while (k < n && field[k].at != at - low)
                k++;
            if (k == n && n < FIELDS)
                field[n++] = (struct field){.at = at - low};
            if (k < n && a->dispatch->sites[i].bytes > field[k].bytes)
                field[k].bytes = a->dispatch->sites[i].bytes;
        }
    qsort(field, n, sizeof *field, by_offset);
    *own = a->field[site].lowest - low;
    return n;
}

/* Whether the fields, by offset, are all of the structure, in parts of one width. */
static bool fields_fill(const struct field *field, unsigned n, uint64_t size)
{
    uint64_t end = 0;
    for (unsigned i = 0; i < n; end += field[i++].bytes)
        if (field[i].at != end || field[i].bytes != field[0].bytes)
            return false;
    return n > 1 && end == size;
}

/* Lines of accesses that take whole structures, of which this site accesses the part at `own`. */
static uint64_t lines_whole(const struct advice *a, const struct sample *s, uint64_t own, uint64_t size)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t addr[64], lines, needed;
        const struct sample_pattern *p = &s->pattern[i];
        lanescope_addresses(&p->access, addr);
        for (uint64_t m = p->access.exec; m; m &= m - 1)
            addr[__builtin_ctzll(m)] -= own;
        lines_of(a, (uint32_t)size, p->access.exec, addr, &lines, &needed);
        sum += p->count * lines;
    }
    return sum;
}

/* Whether lanes are idle, and the others' addresses are a matter of the lane's number. */
static bool has_idle_lanes(const struct advice *a, const struct seen *s)
{
    return s->lane_step && 4 * s->lanes <= 3 * s->executions * a->dispatch->lanes;
}

/* Whether where the access begins explains most of the lines that are too many. */
static bool is_misaligned(const struct seen *s)
{
    return s->aligned < s->lines && 2 * (s->lines - s->aligned) >= s->lines - s->needed;
}

static void write_row(struct advice *a, const struct seen *s, uint32_t site, struct lanescope_results *r)
{
    const struct sample *sample = advice_global(a)[site];
    const uint64_t bytes = s->bytes / s->lanes;
    const bool idle = has_idle_lanes(a, s);
    const int64_t step = idle ? s->lane_step : s->step;
    const uint64_t size = ls_magnitude(step);
    struct field field[FIELDS];
    uint64_t after = s->lines, own = 0;
    unsigned n = 0;
    bool one_place = false;
    const char *kind = "irregular";
    if (idle && size <= bytes && s->in_their_place * 4 >= s->lines * 3 && !is_misaligned(s)) {
        kind = "idle"; /* all lanes' data lie side by side */
    } else if (size > bytes) {
        n = size <= STRUCTURE_LIMIT && !a->field[site].moves
                ? find_fields(a, s, site, field, &own, &one_place)
                : 0;
        kind = n > 1 ? "structures" : "stride";
        after = idle ? s->in_their_place : s->side_by_side;
    } else if (is_misaligned(s)) {
        kind = "misaligned";
        after = s->aligned;
    } else if (size && size == bytes && s->side_by_side < s->lines) {
        kind = "pieces";
        after = s->side_by_side;
    }
    struct lanescope_json row;
    lanescope_json_begin(&row);
    lanescope_json_unsigned(&row, "executions", sample->total);
    lanescope_json_unsigned(&row, "replayed", sample->recorded);
    lanescope_json_unsigned(&row, "bytes", bytes);
    lanescope_json_unsigned(&row, "lines", s->lines);
    lanescope_json_unsigned(&row, "needed", s->needed);
    lanescope_json_text(&row, "kind", kind);
    lanescope_json_integer(&row, "stride", step);
    if (idle)
        lanescope_json_unsigned(&row, "idle", 1);
    const unsigned lanes = advice_row(a->dispatch);
    const struct advice_reach reach =
        advice_reach(sample, step, idle ? ADVICE_COUNTED : ADVICE_ACTIVE, lanes);
    lanescope_json_unsigned(&row, "step_executions", reach.executions);
    lanescope_json_unsigned(&row, "line_bytes", a->cache_gpu->l1_line);
    lanescope_json_unsigned(&row, "after", after);
    lanescope_json_open(&row, "fields", '[');
    for (unsigned i = 0; i < n && n > 1; i++)
        lanescope_json_unsigned(&row, NULL, field[i].at);
    lanescope_json_close(&row, ']');
    lanescope_json_open(&row, "field_bytes", '[');
    for (unsigned i = 0; i < n && n > 1; i++)
        lanescope_json_unsigned(&row, NULL, field[i].bytes);
    lanescope_json_close(&row, ']');
    if (step > 0 && fields_fill(field, n, size)) /* of which each of n sites has its share */
        lanescope_json_unsigned(&row, "whole", lines_whole(a, sample, own, size));
    if (n > 1 && one_place)
        lanescope_json_unsigned(&row, "one_place", 1);
    lanescope_json_unsigned(&row, "pieces", s->pieces);
    lanescope_json_unsigned(&row, "piece_bytes", s->bytes / s->pieces);
    advice_put_pairs(&row, &reach, lanes);
    lanescope_json_end(&row, a->host, r, "global", site);
}

/* Most sites have none, and need no other layout to be looked at. */
static bool has_excess(const struct advice *a, const struct sample *s)
{
    uint64_t sum = 0, enough = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct sample_pattern *p = &s->pattern[i];
        uint64_t addr[64], lines, needed;
        lanescope_addresses(&p->access, addr);
        lines_of(a, (uint32_t)p->access.length, p->access.exec, addr, &lines, &needed);
        sum += p->count * lines;
        enough += p->count * needed;
    }
    return sum > enough;
}

void advice_write_global(struct advice *a, struct lanescope_results *r)
{
    struct sample **sample = advice_global(a);
    for (uint32_t i = 0; i < a->dispatch->n_sites; i++)
        if (sample[i] && has_excess(a, sample[i])) {
            const struct seen seen = look_at(a, sample[i]);
            write_row(a, &seen, i, r);
        }
}
