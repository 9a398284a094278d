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
    return u->unit && e->config.arch->family->simds <= SG_SIMDS && u->n <= 32 * SG_UNIT_WORDS;
}

void sg_units_destroy(struct sg_engine *e)
{
    free(e->units.unit);
}

struct sg_needs sg_needs_of(const struct ls_gpu *arch, const struct sg_kernel *k,
                            const struct sg_shape *shape)
{
    const struct ls_wave_registers r = ls_wave_registers(arch->family, &k->registers);
    return (struct sg_needs){
        .waves = shape->max_waves, .vgprs = r.vgprs, .sgprs = r.sgprs, .lds = shape->lds_bytes};
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

/* How the wavefronts of a work-group would spread over the unit's SIMDs. False when they do not fit. */
static bool fits(const struct ls_gpu_family *f, const struct sg_unit *unit, const struct sg_needs *n,
                 uint8_t waves[SG_SIMDS])
{
    unsigned left[SG_SIMDS], all = 0;
    if (f->lds_bytes - unit->lds < n->lds)
        return false;
    for (unsigned i = 0; i < f->simds; i++)
        all += left[i] = room(f, &unit->simd[i], n);
    if (all < n->waves)
        return false;
    memset(waves, 0, SG_SIMDS);
    for (unsigned wave = 0; wave < n->waves; wave++) {
        unsigned most = 0;
        for (unsigned i = 1; i < f->simds; i++)
            if (left[i] > left[most])
                most = i;
        left[most]--;
        waves[most]++;
    }
    return true;
}

/* Adds a work-group's share to what the unit has given out, or takes it off. */
static void account(struct sg_unit *unit, const struct sg_needs *n, const struct sg_place *place, int sign)
{
    unit->lds += (uint32_t)sign * n->lds;
    for (unsigned i = 0; i < SG_SIMDS; i++) {
        const unsigned waves = place->waves[i];
        unit->simd[i].waves = (uint16_t)(unit->simd[i].waves + sign * (int)waves);
        unit->simd[i].vgprs = (uint16_t)(unit->simd[i].vgprs + sign * (int)(waves * n->vgprs));
        unit->simd[i].sgprs = (uint16_t)(unit->simd[i].sgprs + sign * (int)(waves * n->sgprs));
    }
}

/* The next unit that has room. */
static bool find(struct sg_engine *e, const struct sg_dispatch *d, const struct sg_needs *n,
                 struct sg_place *place)
{
    struct sg_units *u = &e->units;
    for (unsigned k = 0; k < u->n; k++) {
        const unsigned i = (u->next + k) % u->n;
        if (sg_dispatch_allows(d, i) && fits(e->config.arch->family, &u->unit[i], n, place->waves)) {
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
    account(&u->unit[place->unit], &j->needs, place, 1);
    u->next = (place->unit + 1u) % u->n;
    return true;
}

void sg_units_give(struct sg_engine *e, const struct sg_job *j, const struct sg_place *place)
{
    account(&e->units.unit[place->unit], &j->needs, place, -1);
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
    const unsigned groups[] = {
        f->simds * f->waves_per_simd / n->waves,
        f->simds * (f->vgprs / n->vgprs) / n->waves,
        n->sgprs ? f->simds * (f->sgprs / n->sgprs) / n->waves : UINT32_MAX,
        n->lds ? f->lds_bytes / n->lds : UINT32_MAX,
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
