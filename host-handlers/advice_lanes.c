/*
 * advice_lanes.c - tells of lanes that were idle, and of the branches that may have switched them off: those
 * around the access of which lanes can go different ways (struct lanescope_branch).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"

static void put_string(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            fputc('\\', out);
        if ((unsigned char)*s >= ' ')
            fputc(*s, out);
    }
    fputc('"', out);
}

static void put_branches(FILE *out, const struct lanescope_branch *b)
{
    const struct lanescope_frame *last = NULL;
    for (const char *before = ""; b; b = b->outer) {
        const struct lanescope_frame *w = b->where;
        /* of a loop there are the end and what skips all of it */
        if (!w->line ||
            (last && last->line == w->line && last->column == w->column && !strcmp(last->file, w->file)))
            continue;
        last = w;
        fprintf(out, "%s{\"file\":", before);
        put_string(out, w->file);
        fprintf(out, ",\"line\":%u,\"column\":%u,\"loop\":%u}", w->line, w->column, b->loop);
        before = ",";
    }
}

static void write_row(struct advice *a, uint32_t site, struct lanescope_results *r)
{
    const struct lanescope_dispatch *d = a->dispatch;
    const struct lanescope_detail *detail = lanescope_detail_of(d, site);
    char *json = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&json, &size);
    if (!out)
        return;
    fprintf(out,
            "{\"executions\":%" PRIu64 ",\"active\":%" PRIu64 ",\"lanes\":%u,\"workgroup\":%" PRIu64
            ",\"branches\":[",
            a->lanes[site].executions, a->lanes[site].active, d->lanes,
            (uint64_t)d->workgroup[0] * d->workgroup[1] * d->workgroup[2]);
    put_branches(out, detail ? detail->branch : NULL);
    fprintf(out, "]}");
    if (!fclose(out))
        a->host->row(r, "lanes", site, json);
    free(json);
}

void advice_write_lanes(struct advice *a, struct lanescope_results *r)
{
    for (uint32_t i = 0; i < a->dispatch->n_sites; i++)
        if (a->lanes[i].executions &&
            4 * a->lanes[i].active <= 3 * a->lanes[i].executions * a->dispatch->lanes)
            write_row(a, i, r);
}
