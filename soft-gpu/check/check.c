/*
 * check.c - dispatches and work-groups from begin to end, and the way of an access: its clock, its lanes, the
 * dwords that each lane touches, the bytes among them that nobody has written.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"

/* ---- Dispatches ---- */

struct sg_check_job *sg_check_job_begin(unsigned what)
{
    struct sg_check_job *j = calloc(1, sizeof *j);
    if (j) {
        j->what = what;
        pthread_mutex_init(&j->lock, NULL);
    }
    return j;
}

static int by_instruction(const void *x, const void *y)
{
    const struct sg_finding *a = x, *b = y;
    if (a->a.pc != b->a.pc)
        return a->a.pc < b->a.pc ? -1 : 1;
    if (a->b.pc != b->b.pc)
        return a->b.pc < b->b.pc ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

void sg_check_job_end(struct sg_check_job *j, sg_found_fn found, void *user, uint64_t *lost)
{
    struct findings *f = &j->findings;
    size_t n = 0;
    for (size_t i = 0; i < f->size; i++)
        if (f->entry[i].a.pc)
            f->entry[n++] = f->entry[i];
    if (n)
        qsort(f->entry, n, sizeof *f->entry, by_instruction);
    for (size_t i = 0; i < n && found; i++)
        found(user, &f->entry[i]);
    *lost = f->lost + j->global.beyond;
    global_free(&j->global);
    findings_free(f);
    pthread_mutex_destroy(&j->lock);
    free(j);
}

/* ---- Work-groups ---- */

static bool reserve(struct sg_check_group *g, size_t dwords)
{
    if (dwords <= g->capacity)
        return true;
    free(g->lds);
    free(g->written);
    g->capacity = 0;
    g->lds = aligned_alloc(64, dwords * sizeof *g->lds);
    g->written = malloc(dwords);
    if (!g->lds || !g->written)
        return false;
    g->capacity = dwords;
    return true;
}

struct sg_check_group *sg_check_group_begin(struct sg_check_job *j, struct sg_check_group *reuse,
                                            uint64_t flat, unsigned waves, uint32_t lds_bytes)
{
    struct sg_check_group *g = reuse ? reuse : calloc(1, sizeof *g);
    const size_t dwords = (lds_bytes + 3) / 4;
    if (!g)
        return NULL;
    if (!reserve(g, dwords)) {
        sg_check_group_free(g);
        return NULL;
    }
    g->job = j;
    g->flat = flat;
    g->waves = waves;
    g->lds_bytes = lds_bytes;
    sync_start(g);
    memset(g->acquired, 0, sizeof g->acquired);
    g->barrier = 0;
    if (dwords) {
        memset(g->lds, 0, dwords * sizeof *g->lds);
        memset(g->written, 0, dwords);
    }
    return g;
}

void sg_check_group_end(struct sg_check_group *g)
{
    if (g->findings.used || g->findings.lost) {
        pthread_mutex_lock(&g->job->lock);
        findings_merge(&g->job->findings, &g->findings);
        pthread_mutex_unlock(&g->job->lock);
    }
    findings_clear(&g->findings);
    g->job = NULL;
}

void sg_check_group_free(struct sg_check_group *g)
{
    if (!g)
        return;
    sync_free(g);
    findings_free(&g->findings);
    free(g->lds);
    free(g->written);
    free(g);
}

void sg_check_barrier(struct sg_check_group *g)
{
    uint32_t latest = 0;
    sync_barrier(g);
    for (unsigned i = 0; i < g->waves; i++)
        latest = latest > g->acquired[i] ? latest : g->acquired[i];
    for (unsigned i = 0; i < g->waves; i++)
        g->acquired[i] = latest; /* what one has heard, all know */
    g->barrier = g->job->global.clock;
}

void sg_check_found(struct sg_check_group *g, const struct sg_finding *one)
{
    findings_add(&g->findings, one);
}

void sg_check_acquire(struct sg_check_group *g, unsigned wave)
{
    g->acquired[wave] = g->job->global.clock;
}

/* ---- Accesses ---- */

static void not_written(struct sg_check_group *g, const struct piece *p, unsigned missing)
{
    struct sg_finding f = {
        .kind = SG_FOUND_UNINIT,
        .space = p->access->space,
        .a = {p->access->pc, p->access->kind, p->access->wave, p->lane, g->flat},
        .group = g->flat,
        .address = (p->address & ~3ull) + (unsigned)__builtin_ctz(missing),
        .count = 1,
    };
    findings_add(&g->findings, &f);
}

static void check_piece(struct sg_check_group *g, const struct piece *p)
{
    const size_t dword = p->address / 4;
    const unsigned what = g->job->what;
    if (p->access->space == SG_CHECK_MEMORY) {
        struct cell *c = global_cell(&g->job->global, p->address);
        if (c)
            cell_access(g, c, p);
        return;
    }
    if (what & SG_CHECK_UNINIT) {
        unsigned missing = p->bytes & ~g->written[dword];
        if (missing && p->access->kind != SG_CHECK_WRITE)
            not_written(g, p, missing);
        if (p->access->kind != SG_CHECK_READ)
            g->written[dword] |= p->bytes;
    }
    if (what & SG_CHECK_RACES)
        cell_access(g, &g->lds[dword], p);
}

static void check_lane(struct sg_check_group *g, const struct sg_check_access *a, unsigned lane)
{
    const uint64_t first = a->addr[lane], end = first + a->bytes;
    struct piece p = {.access = a, .lane = lane};
    if (a->space == SG_CHECK_LDS && end > g->lds_bytes)
        return; /* reads 0, is not written */
    for (uint64_t at = first; at < end; at = (at | 3) + 1) {
        unsigned n = end - at < 4 - at % 4 ? (unsigned)(end - at) : (unsigned)(4 - at % 4);
        p.address = at;
        p.bytes = (uint8_t)(((1u << n) - 1) << at % 4);
        check_piece(g, &p);
    }
}

/* Lanes that read or change what a lower one has looked at already need no look of their own. */
static uint64_t different_addresses(const struct sg_check_access *a)
{
    enum { SEEN = 64 };
    uint64_t seen[SEEN], lanes = a->lanes;
    memset(seen, 0xff, sizeof seen);
    for (uint64_t m = a->lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint64_t *s = &seen[a->addr[lane] / 4 % SEEN];
        if (*s == a->addr[lane])
            lanes &= ~(1ull << lane);
        *s = a->addr[lane];
    }
    return lanes;
}

void sg_check_access(struct sg_check_group *g, const struct sg_check_access *a)
{
    const uint64_t lanes = a->kind == SG_CHECK_WRITE ? a->lanes : different_addresses(a);
    if (a->space == SG_CHECK_LDS)
        g->clock[a->wave]++;
    else
        g->job->global.clock++;
    for (uint64_t m = lanes; m; m &= m - 1)
        check_lane(g, a, (unsigned)__builtin_ctzll(m));
    if (a->kind == SG_CHECK_ATOMIC)
        sg_check_acquire(g, a->wave);
    if (a->kind == SG_CHECK_READ || a->space != SG_CHECK_LDS || !(g->job->what & SG_CHECK_RACES))
        return;
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        if (a->kind == SG_CHECK_ATOMIC || sync_releases(g, a->wave, a->addr[lane]))
            sync_atomic(g, a->wave, a->addr[lane]);
    }
}
