/*
 * dispatch.c - kernel descriptor and dispatch to work-groups and start registers.
 *
 * Source of bit positions and register order: LLVM AMDGPUUsage, "Kernel Descriptor", "Initial Kernel
 * Execution State" and "Preloaded Kernel Arguments".
 */
#include <stdio.h>
#include <string.h>
#include "common/numbers.h"
#include "dispatch.h"

enum {
    PRELOAD_PROLOGUE_BYTES = 256,
};

/* One register file of 512 rows is split at ACCUM_OFFSET. */
static void split_registers(struct sg_kernel *k)
{
    unsigned total = k->vgprs, split = ((k->says.rsrc3 & 63) + 1) * 4;
    k->vgprs = total < split ? total : split;
    k->agprs = total - k->vgprs;
}

bool sg_kernel_read(const struct ls_gpu *arch, struct sg_tlb *tlb, uint64_t address, struct sg_kernel *k)
{
    const void *bytes = sg_tlb_ptr(tlb, address, LS_DESCRIPTOR_BYTES);
    if (!bytes)
        return false;
    const struct ls_descriptor says = ls_descriptor_of(bytes);
    *k = (struct sg_kernel){
        .entry = address + (uint64_t)says.entry, .says = says, .registers = ls_registers_of(bytes)};
    k->lanes = ls_registers_lanes(&k->registers, arch->family->lanes);
    /* Code that wants preloaded arguments begins with a prologue which loads them itself, for firmware that
     * does not; firmware that does starts behind it. */
    if (says.preload_dwords)
        k->entry += PRELOAD_PROLOGUE_BYTES;
    k->vgprs = ls_vgprs_asked(arch->family, &k->registers);
    if (arch->family->unified_vgprs)
        split_registers(k);
    if (k->vgprs > 256)
        k->vgprs = 256;
    if (k->agprs > 256)
        k->agprs = 256;
    return true;
}

static bool refuse(struct sg_fault *fault, const char *message)
{
    fault->kind = SG_FAULT_RESOURCES;
    snprintf(fault->message, sizeof fault->message, "%s", message);
    return false;
}

bool sg_kernel_preload(struct sg_tlb *tlb, const struct sg_dispatch *d, const struct sg_kernel *k,
                       uint32_t preloaded[SG_USER_SGPRS_MAX], struct sg_fault *fault)
{
    if (!k->says.preload_dwords)
        return true;
    if (k->says.preload_dwords > SG_USER_SGPRS_MAX)
        return refuse(fault, "the kernel descriptor preloads more arguments than there are user SGPRs");
    uint64_t address = d->kernarg + 4ull * k->says.preload_first;
    for (unsigned i = 0; i < k->says.preload_dwords; i++) {
        const void *from = sg_tlb_ptr(tlb, address + 4 * i, 4);
        if (!from) {
            fault->kind = SG_FAULT_PAGE;
            fault->va = address + 4 * i;
            snprintf(fault->message, sizeof fault->message, "the kernel arguments to preload are not mapped");
            return false;
        }
        memcpy(&preloaded[i], from, 4);
    }
    return true;
}

unsigned sg_dispatch_units(const struct ls_gpu *arch, const struct sg_dispatch *d)
{
    unsigned n = 0;
    for (unsigned i = 0; i < arch->card->compute_units; i++)
        n += sg_dispatch_allows(d, i);
    return n;
}

/* Whether one work-group fits where it has the units to itself. */
static bool one_fits(const struct ls_gpu *arch, const struct sg_kernel *k, const struct sg_shape *shape)
{
    const struct ls_gpu_family *f = arch->family;
    return shape->max_waves <= ls_units_of_group(f, &k->registers) * f->simds *
                                   (f->vgprs / ls_wave_registers(f, &k->registers).vgprs);
}

bool sg_shape_make(const struct ls_gpu *arch, const struct sg_dispatch *d, const struct sg_kernel *k,
                   struct sg_shape *shape, struct sg_fault *fault)
{
    memset(shape, 0, sizeof *shape);
    uint64_t items = 1;
    shape->n_groups = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!d->workgroup[i] || !d->grid[i])
            return refuse(fault, "the grid or the work-group has a dimension of zero");
        shape->groups[i] = (d->grid[i] - 1) / d->workgroup[i] + 1;
        items *= d->workgroup[i];
        if (__builtin_mul_overflow(shape->n_groups, shape->groups[i], &shape->n_groups))
            return refuse(fault, "the grid has 2^64 work-groups or more");
    }
    if (items > 1024)
        return refuse(fault, "the work-group has more than 1024 work-items");
    if (d->group_bytes > arch->family->lds_bytes)
        return refuse(fault, "the work-group asks for more LDS than a compute unit has");
    shape->lanes = k->lanes;
    shape->max_waves = (unsigned)(items + shape->lanes - 1) / shape->lanes;
    shape->lds_bytes = (uint32_t)ls_round_up(d->group_bytes, arch->family->lds_granule);
    if (!one_fits(arch, k, shape))
        return refuse(fault, "the registers of one work-group are more than a compute unit has");
    shape->resident = ls_occupancy(arch->name, sg_dispatch_units(arch, d),
                                   arch->family->simds * arch->family->waves_per_simd, &k->registers,
                                   shape->max_waves, shape->lds_bytes);
    if (d->private_bytes) {
        const struct ls_gpu_family *f = arch->family;
        uint64_t bytes = ls_round_up((uint64_t)d->private_bytes * shape->lanes, f->scratch_granule);
        if (bytes / f->scratch_granule >= 1ull << f->scratch_size_bits)
            return refuse(fault, "the kernel needs more private memory than a wavefront can have");
        shape->scratch_bytes = (uint32_t)bytes;
        shape->scratch_per_lane = shape->scratch_bytes / shape->lanes;
        if (!d->scratch_base || d->scratch_bytes / shape->scratch_bytes < shape->max_waves)
            return refuse(fault, "the queue's scratch memory is too small for one work-group");
    }
    return true;
}

unsigned sg_shape_group(const struct sg_shape *shape, const struct sg_dispatch *d, uint64_t flat,
                        uint32_t id[3], uint32_t size[3])
{
    uint32_t items = 1;
    id[0] = (uint32_t)(flat % shape->groups[0]);
    id[1] = (uint32_t)(flat / shape->groups[0] % shape->groups[1]);
    id[2] = (uint32_t)(flat / shape->groups[0] / shape->groups[1]);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t left = d->grid[i] - id[i] * d->workgroup[i];
        size[i] = left < d->workgroup[i] ? left : d->workgroup[i];
        items *= size[i];
    }
    return (items + shape->lanes - 1) / shape->lanes;
}

/* Writes `n` dwords at user SGPR *next and advances it. `value` may be NULL when there are none. */
static void put(uint32_t *s, unsigned *next, const void *value, unsigned n)
{
    if (n)
        memcpy(&s[*next], value, n * sizeof *s);
    *next += n;
}

/* The same as LS_BUFFER_GFX10 (ROCr: SQ_BUF_RSRC_WORD3): FORMAT_32_UINT 18:12, INDEX_STRIDE 22:21,
 * ADD_TID_ENABLE 23, RESOURCE_LEVEL 24, OOB_SELECT 29:28 = 2, which checks nothing. */
static void later_scratch_resource(const struct sg_dispatch *d, const struct sg_kernel *k, uint32_t v[4])
{
    enum { FORMAT_32_UINT = 20 };
    v[0] = (uint32_t)d->scratch_base;
    v[1] = ((uint32_t)(d->scratch_base >> 32) & 0xffff) | 1u << 31; /* SWIZZLE_ENABLE */
    v[2] = d->scratch_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)d->scratch_bytes;
    v[3] = 4u | 5u << 3 | 6u << 6 | 7u << 9 | FORMAT_32_UINT << 12 | (k->lanes == 32 ? 2u : 3u) << 21 |
           1u << 23 | 1u << 24 | 2u << 28;
}

/* The scratch resource of ROCr (amd_aql_queue.cpp): swizzled, 4-byte elements, ADD_TID. INDEX_STRIDE is the
 * wavefront's lanes; of RDNA, where kernels of one queue have two sizes, it is the command processor that
 * fills it in (comment there). */
static void private_segment_buffer(const struct ls_gpu *arch, const struct sg_dispatch *d,
                                   const struct sg_kernel *k, uint32_t v[4])
{
    memcpy(v, d->scratch_srd, 4 * sizeof *v);
    const bool later = arch->family->buffers == LS_BUFFER_GFX10;
    if (later)
        v[3] = (v[3] & ~(3u << 21)) | (k->lanes == 32 ? 2u : 3u) << 21;
    if (v[0] || v[1] || v[2] || d->scratch_srd[3])
        return;
    if (later) {
        later_scratch_resource(d, k, v);
        return;
    }
    v[0] = (uint32_t)d->scratch_base;
    v[1] = ((uint32_t)(d->scratch_base >> 32) & 0xffff) | 1u << 31; /* SWIZZLE_ENABLE */
    v[2] = d->scratch_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)d->scratch_bytes;
    v[3] = 4u | 5u << 3 | 6u << 6 | 7u << 9 | 4u << 15 | 1u << 19 | 3u << 21 | 1u << 23; /* ADD_TID_ENABLE */
}

void sg_user_sgprs(const struct ls_gpu *arch, const struct sg_dispatch *d, const struct sg_kernel *k,
                   const uint32_t *preloaded, struct sg_user_sgprs *user)
{
    uint32_t resource[4], *s = user->dword;
    unsigned next = 0;
    if (k->says.properties & LS_KERNEL_PRIVATE_SEGMENT_BUFFER) {
        private_segment_buffer(arch, d, k, resource);
        put(s, &next, resource, 4);
    }
    if (k->says.properties & LS_KERNEL_DISPATCH_PTR)
        put(s, &next, &d->packet, 2);
    if (k->says.properties & LS_KERNEL_QUEUE_PTR)
        put(s, &next, &d->queue, 2);
    if (k->says.properties & LS_KERNEL_KERNARG_PTR)
        put(s, &next, &d->kernarg, 2);
    if (k->says.properties & LS_KERNEL_DISPATCH_ID)
        put(s, &next, &d->dispatch_id, 2);
    if (k->says.properties & LS_KERNEL_FLAT_SCRATCH_INIT)
        put(s, &next, &d->scratch_base, 2);
    if (k->says.properties & LS_KERNEL_PRIVATE_SEGMENT_SIZE)
        put(s, &next, &d->private_bytes, 1);
    put(s, &next, preloaded, k->says.preload_dwords);
    user->n = next;
}

/* Trap registers, "RDNA4 Instruction Set Architecture", table of scalar operands: 108 is ttmp0. */
static void put_ids_in_ttmp(struct sg_wave *w)
{
    enum { TTMP0 = 108, XY = 7, X = 9 };
    const uint32_t *id = w->wg->id;
    w->s[TTMP0 + X] = id[0];
    w->s[TTMP0 + XY] = (id[1] & 0xffff) | id[2] << 16;
}

static void put_ids(struct sg_wave *w, const struct sg_kernel *k, unsigned *next)
{
    for (unsigned i = 0; i < 3; i++)
        if (k->says.rsrc2 >> (7 + i) & 1)
            put(w->s, next, &w->wg->id[i], 1);
}

static void set_system_sgprs(struct sg_wave *w, const struct sg_kernel *k)
{
    unsigned next = k->says.rsrc2 >> 1 & 31;
    if (w->arch->family->ids_in_ttmp)
        put_ids_in_ttmp(w);
    else
        put_ids(w, k, &next);
    if (k->says.rsrc2 >> 10 & 1) { /* work-group info: wavefronts in 5:0, first wavefront in 31 */
        uint32_t info = w->wg->n_waves | (w->wave_in_group ? 0 : 1u << 31);
        put(w->s, &next, &info, 1);
    }
    if ((k->says.rsrc2 & 1) && !w->arch->family->architected_flat_scratch) {
        uint32_t offset = (uint32_t)(w->scratch_wave_base - w->dispatch->scratch_base);
        put(w->s, &next, &offset, 1);
    }
}

/* n words from `to` on: `from`, and each `step` more than the one before. */
static void count_up(uint32_t *to, uint32_t n, uint32_t from, uint32_t step)
{
    enum { CHUNK = 16 };
#pragma clang loop unroll(disable)
    for (; n >= CHUNK; n -= CHUNK, to += CHUNK, from += CHUNK * step)
        for (uint32_t i = 0; i < CHUNK; i++)
            to[i] = from + i * step;
#pragma clang loop vectorize(disable) unroll(disable)
    for (uint32_t i = 0; i < n; i++)
        to[i] = from + i * step;
}

void sg_wave_clear_low(struct sg_wave *w, unsigned rows)
{
    /* Vectors, and no loop over them: compilers make it a call of memset for each row. */
    typedef uint32_t part __attribute__((vector_size(sizeof w->v[0] / 4)));
    sg_rows v = w->v;
    for (unsigned row = 0; row < rows; row++)
        ((part *)(void *)v[row])[0] = ((part *)(void *)v[row])[1] = (part){0};
}

/* Work-item ids, packed as x | y << 10 | z << 20 in v0, or apart in v0, v1 and v2, those that the kernel asks for, and the mask of
 * lanes that have a work-item. Of a kernel that asks for x alone, compilers take v0 as it is (LLVM's SITargetLowering,
 * allocateSpecialEntryInputVGPRs). */
static uint64_t set_work_items(struct sg_wave *w, const struct sg_kernel *k, const uint32_t size[3],
                               unsigned index)
{
    const uint32_t items = size[0] * size[1] * size[2], first = index * w->lanes;
    const uint32_t lanes = items - first < w->lanes ? items - first : w->lanes;
    const bool apart = w->arch->family->separate_ids;
    const unsigned asked = sg_kernel_asks_ids(k);
    uint32_t x = first, y = 0, z = 0;
    if (first >= size[0]) {
        x = first % size[0];
        y = first / size[0] % size[1];
        z = first / size[0] / size[1];
    }
    for (uint32_t lane = 0; lane < lanes;) { /* one row of work-items after the other */
        uint32_t n = size[0] - x;
        if (n > lanes - lane)
            n = lanes - lane;
        const uint32_t others = (asked >= 1 ? y << 10 : 0) | (asked >= 2 ? z << 20 : 0);
        count_up(w->v[0] + lane, n, apart ? x : x | others, 1);
        if (apart && asked >= 1)
            count_up(w->v[1] + lane, n, y, 0);
        if (apart && asked >= 2)
            count_up(w->v[2] + lane, n, z, 0);
        lane += n;
        x = 0;
        if (++y == size[1]) {
            y = 0;
            z++;
        }
    }
    return ls_low_bits(lanes);
}

void sg_wave_set_registers(struct sg_wave *w, const struct sg_kernel *k, const struct sg_user_sgprs *user,
                           const struct sg_shape *shape, const uint32_t size[3], unsigned index)
{
    sg_wave_set_lanes(w, shape->lanes);
    memcpy(w->s, user->dword, user->n * sizeof *w->s);
    set_system_sgprs(w, k);
    if (w->arch->family->architected_flat_scratch)
        sg_set_s64(w->s, sg_flat_scratch(w->arch), w->scratch_wave_base);
    w->scratch_lane_bytes = shape->scratch_per_lane;
    sg_set_s64(w->s, SG_S_EXEC, set_work_items(w, k, size, index));
    w->s[SG_S_SCC] = 0;
    /* FLOAT_MODE 19:12, DX10_CLAMP 21, IEEE_MODE 23. */
    w->mode = (k->says.rsrc1 >> 12 & 255) | (k->says.rsrc1 >> 21 & 1) << 8 | (k->says.rsrc1 >> 23 & 1) << 9;
    if (w->arch->family->always_ieee)
        w->mode |= SG_MODE_DX10_CLAMP | SG_MODE_IEEE;
}
