/*
 * bulk.c - plans: for which dispatches there is one, and which work-groups are done by it.
 */
#include <stdlib.h>
#include "bulk_plan.h"

enum {
    MIN_WAVES = 64,     /* fewer are done by the interpreter in no time */
    RUN_BYTES = 1 << 20 /* of one sg_bulk_run: long against the lock, short against an abort */
};

/* Lanes are counted along x first, then y, then z ("work-item ids" of AMDGPUUsage). The shape of a wavefront
 * of whole rows; false when wavefronts of this work-group have none. */
static bool wave_shape(uint32_t lanes, const uint16_t group[SG_AXES], uint32_t wave[SG_AXES])
{
    uint32_t left = lanes;
    for (unsigned i = 0; i < SG_AXES; i++) {
        wave[i] = group[i] < left ? group[i] : left;
        if (group[i] % wave[i] || left % wave[i])
            return false;
        left /= wave[i];
    }
    return true;
}

/* A smaller work-group at the edge has rows of its own: then all lanes are where others are only if the short
 * axis is the last one. */
static bool edges_fit(const struct sg_dispatch *d)
{
    for (unsigned i = 0; i < SG_AXES; i++)
        for (unsigned k = i + 1; k < SG_AXES; k++)
            if (d->grid[i] % d->workgroup[i] && d->workgroup[k] > 1)
                return false;
    return true;
}

/* Masks of lanes are pairs of scalar registers for bulk_eval.c, as they are on GPUs whose wavefronts usually have 64
 * lanes. */
static bool suits(const struct ls_gpu *arch, const struct sg_dispatch *d, const struct sg_shape *shape)
{
    return arch->family->lanes == SG_MAX_LANES && !d->private_bytes &&
           shape->n_groups * shape->max_waves >= MIN_WAVES && edges_fit(d);
}

static uint64_t groups_left(const struct sg_bulk *p)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < p->n_left; i++)
        n += sg_items_number(p->left[i]);
    return n;
}

static void choose_run(struct sg_bulk *p)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < p->n_stores; i++)
        bytes += sg_items_number(p->stores[i].items) * p->stores[i].bytes;
    uint64_t per_group = bytes / p->n_groups + 1;
    p->groups_per_run = RUN_BYTES / per_group ? RUN_BYTES / per_group : 1;
}

struct sg_bulk *sg_bulk_plan(const struct ls_gpu *arch, struct sg_tlb *tlb, const struct sg_dispatch *d,
                             const struct sg_kernel *k, const struct sg_user_sgprs *user,
                             const struct sg_shape *shape)
{
    struct sg_bulk *p = suits(arch, d, shape) ? calloc(1, sizeof *p) : NULL;
    if (!p)
        return NULL;
    for (unsigned i = 0; i < SG_AXES; i++) {
        p->group[i] = d->workgroup[i];
        p->groups[i] = shape->groups[i];
        p->grid.to[i] = d->grid[i];
    }
    p->n_groups = shape->n_groups;
    p->lanes = shape->lanes;
    if (wave_shape(shape->lanes, d->workgroup, p->wave) && sg_bulk_evaluate(p, arch, tlb, k, user) &&
        groups_left(p) <= p->n_groups / 2 && sg_bulk_is_sound(p, tlb)) {
        choose_run(p);
        return p;
    }
    sg_bulk_free(p);
    return NULL;
}

void sg_bulk_free(struct sg_bulk *p)
{
    if (!p)
        return;
    free(p->stores);
    free(p->loads);
    free(p);
}

/* Groups from `group` to the next one that is left to the interpreter, or to the end of their row. */
static uint64_t done_in_row(const struct sg_bulk *p, uint64_t group)
{
    const uint64_t x = group % p->groups[0], y = group / p->groups[0] % p->groups[1];
    const uint64_t z = group / p->groups[0] / p->groups[1];
    uint64_t end = p->groups[0];
    for (unsigned i = 0; i < p->n_left; i++) {
        const struct sg_items *l = &p->left[i];
        if (y < l->from[1] || y >= l->to[1] || z < l->from[2] || z >= l->to[2] || x >= l->to[0])
            continue;
        if (l->from[0] < end)
            end = l->from[0] > x ? l->from[0] : x;
    }
    return end - x;
}

uint64_t sg_bulk_groups(const struct sg_bulk *p, uint64_t group)
{
    uint64_t n = 0;
    while (n < p->groups_per_run && group + n < p->n_groups) {
        uint64_t more = done_in_row(p, group + n);
        n += more;
        if (!more || (group + n) % p->groups[0])
            break;
    }
    /* Rows may be long. */
    return n < p->groups_per_run || p->groups[0] <= p->groups_per_run ? n : p->groups_per_run;
}

void sg_bulk_counters(const struct sg_bulk *p, uint64_t *wave_instructions, uint64_t *lane_operations)
{
    /* Work-groups that were left in the middle have been counted up to there: their share is taken off. */
    uint64_t left = groups_left(p);
    uint64_t done = left < p->n_groups ? p->n_groups - left : 0;
    *wave_instructions = (uint64_t)((unsigned __int128)p->n_inst * done / p->n_groups);
    *lane_operations = (uint64_t)((unsigned __int128)p->n_lane_ops * done / p->n_groups);
}
