/* launch.c - see launch.h. */
#include "launch.h"

#include <string.h>
#include "common/wavefronts.h"
#include "kernarg.h"

/* Looks at the host's heartbeat while it may stand still. Between two of them a wavefront naps 64 times for 8128 cycles
 * (device-lib/chunk.h), 200 us at 2.6 GHz or more: so this is at least 52 s, time enough for a host that a
 * debugger or a full disk holds up. */
enum { DEAD_AFTER = 1 << 18 };

bool ls_launch_shape(const hsa_kernel_dispatch_packet_t *p, uint32_t lanes, struct ls_launch_shape *o)
{
    uint32_t dims = p->setup & ((1u << HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS) - 1);
    uint32_t grid[3] = {p->grid_size_x, dims > 1 ? p->grid_size_y : 1, dims > 2 ? p->grid_size_z : 1};
    uint32_t size[3] = {p->workgroup_size_x, dims > 1 ? p->workgroup_size_y : 1,
                        dims > 2 ? p->workgroup_size_z : 1};
    uint64_t n = 1, items = 1;
    for (int i = 0; i < 3; i++) {
        if (!grid[i] || !size[i])
            return false;
        o->workgroup[i] = size[i];
        o->n_workgroups[i] = (uint32_t)(((uint64_t)grid[i] + size[i] - 1) / size[i]);
        items *= size[i];
        if (__builtin_mul_overflow(n, o->n_workgroups[i], &n))
            return false;
    }
    o->waves_per_workgroup = (uint32_t)((items + lanes - 1) / lanes);
    o->real_waves = (uint64_t)ls_wavefronts(grid, o->workgroup, lanes);
    /* ls_wave.flat has 32 bits. */
    return !__builtin_mul_overflow(n, o->waves_per_workgroup, &o->n_waves) && o->n_waves <= UINT32_MAX;
}

uint32_t ls_launch_group(uint32_t packet, uint32_t original, uint32_t clone)
{
    uint32_t dynamic = packet > original ? packet - original : 0;
    return clone + dynamic;
}

uint32_t ls_launch_private(uint32_t packet, uint32_t original, uint32_t clone)
{
    uint32_t extra = packet > original ? packet - original : 0;
    return clone + extra;
}

uint16_t ls_launch_header(uint16_t header, bool from_outside)
{
    const unsigned mask = ((1u << HSA_PACKET_HEADER_WIDTH_SCACQUIRE_FENCE_SCOPE) - 1)
                          << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE;
    const unsigned least = (from_outside ? HSA_FENCE_SCOPE_SYSTEM : HSA_FENCE_SCOPE_AGENT)
                           << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE;
    return (header & mask) < least ? (uint16_t)((header & ~mask) | least) : header;
}

/* All of them alike, but for the counters of their dies. */
static void write_contexts(struct ls_slot *s, struct ls_ctx *x)
{
    for (uint32_t i = 0; i < s->agent->dies; i++, x->summary += x->die_bytes)
        memcpy(&s->ctx[i], x, sizeof *x);
}

/* map: of a kernel without a clone; else NULL. */
static void fill_context(const struct ls_config *c, struct ls_slot *s, const struct ls_launch_shape *shape,
                         uint32_t sites, const struct ls_code_map *map)
{
    struct ls_agent *a = s->agent;
    struct ls_host_ring *r = &a->ring;
    struct ls_ctx x = {
        .magic = LS_CTX_MAGIC,
        .version = LS_WIRE_VERSION,
        .slot = s->index + 1, /* 0 is nobody's chunk */
        .flags = a->ctx_flags | (c->filter_blocks ? LS_CTX_FILTER : 0u) |
                 (c->sample_waves > 1 ? LS_CTX_SAMPLE : 0u) | (c->lives ? LS_CTX_LIVES : 0u),
        .ring = (uint64_t)(uintptr_t)r->ring,
        .chunks = (uint64_t)(uintptr_t)r->chunks,
        .done = (uint64_t)(uintptr_t)r->done,
        .free = (uint64_t)(uintptr_t)r->free,
        .waves = (uint64_t)(uintptr_t)s->waves,
        .chunk_bytes = 1u << r->chunk_shift,
        .list_mask = r->mask,
        .waves_per_workgroup = shape->waves_per_workgroup,
        .sample_every = c->sample_waves,
        .dead_after = DEAD_AFTER,
        .code = (uint64_t)(uintptr_t)map,
    };
    if (s->use.summary) {
        x.flags |= LS_CTX_SUMMARY;
        x.summary = x.first_summary = (uint64_t)(uintptr_t)s->summary;
        const struct ls_plan *plan = s->use.reduction ? s->use.reduction->plan : NULL;
        x.die_bytes = (uint32_t)LS_SUMMARY_DIE(sites, plan ? plan->n_passes : 0);
        x.summary_sites = sites;
        x.n_waves = (uint32_t)shape->real_waves;
        x.plan = plan ? (uint64_t)(uintptr_t)atomic_load(&s->use.reduction->placed) : 0;
        x.simple = plan ? plan->simple : 0;
        if (plan && s->use.reduction->open)
            x.evidence = x.summary + (uint64_t)a->dies * x.die_bytes;
        if (x.flags & LS_CTX_HOLD && !x.evidence && shape->real_waves <= c->summary_few)
            x.flags |= LS_CTX_FEW;
    }
    x.first_cursor = LS_FIRST_CURSOR(x.flags, x.chunks, x.chunk_bytes);
    memcpy(x.n_workgroups, shape->n_workgroups, sizeof x.n_workgroups);
    memcpy(x.workgroup_size, shape->workgroup, sizeof x.workgroup_size);
    memcpy(x.filter_lo, c->block_lo, sizeof x.filter_lo);
    memcpy(x.filter_hi, c->block_hi, sizeof x.filter_hi);
    write_contexts(s, &x);
}

/* The copy engine has written counters or the plan, and no dispatch has acquired them yet. */
static bool reads_copies(const struct ls_slot *s)
{
    const struct ls_reduction *r = s->use.reduction;
    return s->use.summary && (s->summary_fresh || (r && !atomic_load(&r->seen)));
}

/* The work-groups of a cooperative launch wait for each other. */
static bool all_resident(const struct ls_agent *a, uint32_t units, const struct ls_kernel *k,
                         const struct ls_launch_shape *s, uint32_t lds_bytes)
{
    uint64_t groups = s->n_waves / s->waves_per_workgroup;
    return groups <= ls_occupancy(a->arch, units, a->waves_per_cu, &k->clone_registers,
                                  s->waves_per_workgroup, lds_bytes);
}

/* Whether the GPU counts. Where a kernel's instructions are not known yet, the accesses tell them: few wavefronts send these, which
 * costs less than evidence and counters of all its sites. */
static bool counts(const struct ls_api *api, const struct ls_config *c, struct ls_slot *s,
                   const struct ls_kernel *k, const struct ls_launch_shape *shape)
{
    const struct ls_reduction *r = s->use.reduction;
    const bool open = r && r->open;
    return c->summary && !(open && shape->real_waves <= c->summary_few) &&
           ls_slot_summary(api, s, k->entry->numbers.n, r ? r->plan->n_passes : 0, open);
}

const char *ls_launch_clone(const struct ls_api *api, const struct ls_config *c, struct ls_slot *s,
                            const struct ls_kernel *k, uint32_t units, hsa_kernel_dispatch_packet_t *p)
{
    struct ls_agent *a = s->agent;
    struct ls_launch_shape shape;
    const char *failed;
    if (!a->lanes || !ls_launch_shape(p, ls_registers_lanes(&k->registers, a->lanes), &shape))
        return "a grid of this size has no wavefront numbers";
    s->use.n_waves = shape.n_waves;
    if (units && !all_resident(a, units, k, &shape,
                               ls_launch_group(p->group_segment_size, k->original.group, k->clone.group)))
        return "cooperative launch: with the clone's registers not all of its work-groups fit on the queue's "
               "compute units at "
               "once";
    if (!p->kernarg_address && k->original.kernarg)
        return "the launch has no kernel arguments";
    failed = ls_agent_ring(api, a, c);
    if (failed)
        return failed;
    failed = ls_slot_buffers(api, s, k->clone.kernarg, shape.n_waves * sizeof(struct ls_wave));
    if (failed)
        return failed;
    s->use.summary = counts(api, c, s, k, &shape);
    fill_context(c, s, &shape, k->entry->numbers.n, NULL);
    ls_kernarg_build(s->kernarg, k->clone.kernarg, p->kernarg_address, k->original.kernarg,
                     k->entry->ctx_offset, (uint64_t)(uintptr_t)s->ctx);
    p->header = ls_launch_header(p->header, reads_copies(s));
    p->kernel_object = k->clone_object;
    p->kernarg_address = s->kernarg;
    p->group_segment_size = ls_launch_group(p->group_segment_size, k->original.group, k->clone.group);
    p->private_segment_size =
        ls_launch_private(p->private_segment_size, k->original.private, k->clone.private);
    return NULL;
}

const char *ls_launch_alone(const struct ls_api *api, const struct ls_config *c, struct ls_slot *s,
                            const struct ls_kernel *k, const struct ls_code_map *map,
                            hsa_kernel_dispatch_packet_t *p)
{
    struct ls_agent *a = s->agent;
    struct ls_launch_shape shape;
    const char *failed;
    if (!a->lanes || !ls_launch_shape(p, ls_registers_lanes(&k->registers, a->lanes), &shape))
        return "a grid of this size has no wavefront numbers";
    s->use.n_waves = shape.n_waves;
    failed = ls_agent_ring(api, a, c);
    if (!failed)
        failed = ls_slot_buffers(api, s, 0, 0);
    if (failed)
        return failed;
    fill_context(c, s, &shape, 0, map);
    p->reserved2 = (uint64_t)(uintptr_t)s->ctx;
    return NULL;
}
