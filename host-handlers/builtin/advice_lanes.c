/*
 * advice_lanes.c - tells of lanes that were idle, and of the branches that may have switched them off: those
 * around the access of which lanes can go different ways (struct lanescope_branch).
 */
#include <string.h>

#include "advice.h"
#include "lanescope/sdk/rows.h"

static void put_branches(struct lanescope_json *row, const struct lanescope_branch *b)
{
    const struct lanescope_frame *last = NULL;
    for (; b; b = b->outer) {
        const struct lanescope_frame *w = b->where;
        /* of a loop there are the end and what skips all of it */
        if (!w->line ||
            (last && last->line == w->line && last->column == w->column && !strcmp(last->file, w->file)))
            continue;
        last = w;
        lanescope_json_open(row, NULL, '{');
        lanescope_json_text(row, "file", w->file);
        lanescope_json_unsigned(row, "line", w->line);
        lanescope_json_unsigned(row, "column", w->column);
        lanescope_json_unsigned(row, "loop", b->loop);
        lanescope_json_close(row, '}');
    }
}

static void write_row(struct advice *a, uint32_t site, struct lanescope_results *r)
{
    const struct lanescope_dispatch *d = a->dispatch;
    const struct lanescope_detail *detail = lanescope_detail_of(d, site);
    struct lanescope_json row;
    lanescope_json_begin(&row);
    lanescope_json_unsigned(&row, "executions", a->lanes[site].executions);
    lanescope_json_unsigned(&row, "active", a->lanes[site].active);
    lanescope_json_unsigned(&row, "empty", a->lanes[site].empty);
    lanescope_json_unsigned(&row, "lanes", d->lanes);
    lanescope_json_unsigned(&row, "workgroup", (uint64_t)d->workgroup[0] * d->workgroup[1] * d->workgroup[2]);
    lanescope_json_open(&row, "branches", '[');
    put_branches(&row, detail ? detail->branch : NULL);
    lanescope_json_close(&row, ']');
    lanescope_json_end(&row, a->host, r, "lanes", site);
}

void advice_write_lanes(struct advice *a, struct lanescope_results *r)
{
    for (uint32_t i = 0; i < a->dispatch->n_sites; i++)
        if (a->lanes[i].executions &&
            4 * a->lanes[i].active <= 3 * a->lanes[i].executions * a->dispatch->lanes)
            write_row(a, i, r);
}
