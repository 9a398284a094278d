/*
 * schedule_units.c - the compute units: which work-groups of all dispatches fit on the GPU at the same time.
 *
 * A work-group stays on its unit until it ends; nothing is moved to make room. So work-groups that wait for one
 * that found no place wait for ever, as on hardware, where queues that fit its slots are not preempted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpus/occupancy.h"
#include "schedule_group.h"

bool sg_units_create(struct sg_engine *e)
{
    struct sg_units *u = &e->units;
    u->n = e->config.arch->card->compute_units;
    u->unit = calloc(u->n, sizeof *u->unit);
    const struct ls_gpu_family *f = e->config.arch->family;
    const struct ls_kernel_registers widest = {.wgp_mode = true};
    return u->unit && f->simds * ls_units_of_group(f, &widest) <= SG_SIMDS && u->n <= 32 * SG_UNIT_WORDS;
}

void sg_units_destroy(struct sg_engine *e)
{
    free(e->units.unit);
}

struct sg_needs sg_needs_of(const struct ls_gpu *arch, const struct sg_kernel *k,
                            const struct sg_shape *shape)
{
    const struct ls_wave_registers r = ls_wave_registers(arch->family, &k->registers);
    return (struct sg_needs){.waves = shape->max_waves,
                             .units = ls_units_of_group(arch->family, &k->registers),
                             .vgprs = r.vgprs,
                             .sgprs = r.sgprs,
                             .lds = shape->lds_bytes};
}

/* Wavefronts that a SIMD still takes. */
static unsigned room(const struct ls_gpu_family *f, const struct sg_simd *s, const struct sg_needs *n)
{
    unsigned waves = f->waves_per_simd - s->waves, by_vgprs = (f->vgprs - s->vgprs) / n->vgprs;
    if (by_vgprs < waves)
        waves = by_vgprs;
    if (n->sgprs && (f->sgprs - s->sgprs) / n->sgprs < waves)
        waves = (f->sgprs - s->sgprs) / n->sgprs;
    return waves;
}

/* What a work-group would take of the LDS of its units, which is one piece. False when it does not fit. */
static bool lds_fits(const struct ls_gpu_family *f, const struct sg_unit *unit, const struct sg_needs *n,
                     uint32_t lds[SG_UNITS_OF_GROUP])
{
    uint32_t missing = n->lds;
    for (unsigned i = 0; i < n->units; i++) {
        const uint32_t left = f->lds_bytes - unit[i].lds;
        lds[i] = left < missing ? left : missing;
        missing -= lds[i];
    }
    return !missing;
}

/* Deals wavefronts over SIMDs, each to one that takes the most of those that are `left`. */
static void deal(unsigned *left, unsigned simds, unsigned waves, uint8_t to[SG_SIMDS])
{
    bool even = true;
    for (unsigned i = 1; i < simds; i++)
        even &= left[i] == left[0];
    memset(to, 0, SG_SIMDS);
    for (unsigned i = 0; even && i < simds; i++) /* as usual: the same, at once */
        to[i] = (uint8_t)((waves + simds - 1 - i) / simds);
    for (unsigned wave = 0; !even && wave < waves; wave++) {
        unsigned most = 0;
        for (unsigned i = 1; i < simds; i++)
            if (left[i] > left[most])
                most = i;
        left[most]--;
        to[most]++;
    }
}

/* How the wavefronts of a work-group would spread over the SIMDs of its units. False when they do not fit. */
static bool fits(const struct ls_gpu_family *f, const struct sg_unit *unit, const struct sg_needs *n,
                 struct sg_place *place)
{
    unsigned left[SG_SIMDS], simds = 0, all = 0;
    if (!lds_fits(f, unit, n, place->lds))
        return false;
    for (unsigned k = 0; k < n->units; k++)
        for (unsigned i = 0; i < f->simds; i++)
            all += left[simds++] = room(f, &unit[k].simd[i], n);
    if (all < n->waves)
        return false;
    deal(left, simds, n->waves, place->waves);
    return true;
}

static void account_simd(struct sg_simd *simd, const struct sg_needs *n, int waves)
{
    simd->waves = (uint16_t)(simd->waves + waves);
    simd->vgprs = (uint16_t)(simd->vgprs + waves * (int)n->vgprs);
    simd->sgprs = (uint16_t)(simd->sgprs + waves * (int)n->sgprs);
}

/* Adds a work-group's share to what its units have given out, or takes it off. */
static void account(struct sg_engine *e, const struct sg_needs *n, const struct sg_place *place, int sign)
{
    struct sg_unit *unit = &e->units.unit[place->unit];
    const uint8_t *waves = place->waves;
    for (unsigned k = 0; k < n->units; k++) {
        unit[k].lds += (uint32_t)sign * place->lds[k];
        for (unsigned i = 0; i < e->config.arch->family->simds; i++)
            account_simd(&unit[k].simd[i], n, sign * *waves++);
    }
}

/* Units i and on are those of one work-group processor, or i is one, and the dispatch may run there. */
static bool is_place(const struct sg_units *u, const struct sg_dispatch *d, const struct sg_needs *n,
                     unsigned i)
{
    if (i % n->units || i + n->units > u->n)
        return false;
    for (unsigned k = 0; k < n->units; k++)
        if (!sg_dispatch_allows(d, i + k))
            return false;
    return true;
}

/* The next unit, or pair of units, that has room. */
static bool find(struct sg_engine *e, const struct sg_dispatch *d, const struct sg_needs *n,
                 struct sg_place *place)
{
    struct sg_units *u = &e->units;
    for (unsigned k = 0; k < u->n; k++) {
        const unsigned i = (u->next + k) % u->n;
        if (is_place(u, d, n, i) && fits(e->config.arch->family, &u->unit[i], n, place)) {
            place->unit = (uint16_t)i;
            u->next = i;
            return true;
        }
    }
    return false;
}

bool sg_units_fit(struct sg_engine *e, const struct sg_dispatch *d, const struct sg_needs *n)
{
    struct sg_place place;
    return find(e, d, n, &place);
}

bool sg_units_have_room(struct sg_engine *e, struct sg_job *j)
{
    struct sg_units *u = &e->units;
    if (j->refused && j->refused_at == u->given)
        return false;
    j->refused = !sg_units_fit(e, &j->dispatch, &j->needs);
    j->refused_at = u->given;
    return !j->refused;
}

bool sg_units_take(struct sg_engine *e, const struct sg_job *j, struct sg_place *place)
{
    struct sg_units *u = &e->units;
    if (!find(e, &j->dispatch, &j->needs, place))
        return false;
    account(e, &j->needs, place, 1);
    u->next = (place->unit + j->needs.units) % u->n;
    return true;
}

void sg_units_give(struct sg_engine *e, const struct sg_job *j, const struct sg_place *place)
{
    account(e, &j->needs, place, -1);
    e->units.given++;
}

bool sg_units_refused(const struct sg_job *j)
{
    return j->ready && !j->stopped && j->next_group < j->shape.n_groups && j->refused;
}

bool sg_units_wanted(const struct sg_engine *e)
{
    for (const struct sg_job *j = e->jobs; j; j = j->next)
        if (sg_units_refused(j))
            return true;
    return false;
}

/* What a unit runs out of first. */
static const char *scarce(const struct ls_gpu_family *f, const struct sg_needs *n)
{
    static const char *const names[] = {"places for wavefronts", "VGPRs", "SGPRs", "LDS"};
    const unsigned simds = n->units * f->simds;
    const unsigned groups[] = {
        simds * f->waves_per_simd / n->waves,
        simds * (f->vgprs / n->vgprs) / n->waves,
        n->sgprs ? simds * (f->sgprs / n->sgprs) / n->waves : UINT32_MAX,
        n->lds ? n->units * f->lds_bytes / n->lds : UINT32_MAX,
    };
    unsigned least = 0;
    for (unsigned i = 1; i < 4; i++)
        if (groups[i] < groups[least])
            least = i;
    return names[least];
}

int sg_say_room(const struct sg_engine *e, const struct sg_job *j, char *out, size_t size)
{
    const struct ls_gpu *arch = e->config.arch;
    const unsigned units = sg_dispatch_units(arch, &j->dispatch);
    char mask[64] = "";
    if (units < e->units.n)
        snprintf(mask, sizeof mask, ", the queue's mask, of %u", e->units.n);
    if (!units)
        return snprintf(out, size, "the queue's mask leaves no compute unit");
    return snprintf(out, size,
                    "%llu of its %llu work-groups run; %u compute units%s hold at most %llu, for want of %s",
                    (unsigned long long)j->live, (unsigned long long)j->shape.n_groups, units, mask,
                    (unsigned long long)j->shape.resident, scarce(arch->family, &j->needs));
}
