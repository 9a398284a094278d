/*
 * dispatch.h - what a kernel descriptor and a dispatch mean for its wavefronts: pure functions, no threads.
 */
#ifndef SOFT_GPU_ISA_DISPATCH_H
#define SOFT_GPU_ISA_DISPATCH_H

#include "gpus/occupancy.h"
#include "wave.h"

enum { SG_USER_SGPRS_MAX = 16 };

/* User SGPRs that the dispatcher sets, from s0 on, the same for all wavefronts of a dispatch. */
struct sg_user_sgprs {
    uint32_t dword[32];
    unsigned n;
};

/* A kernel, as its descriptor describes it. */
struct sg_kernel {
    uint64_t entry; /* GPU address of the first instruction that runs */
    struct ls_descriptor says;
    struct ls_kernel_registers registers;
    unsigned lanes;        /* of its wavefronts */
    unsigned vgprs, agprs; /* rows that a wavefront owns */
};

/* Shape of a dispatch. */
struct sg_shape {
    uint32_t groups[3];
    uint64_t n_groups;
    unsigned lanes;         /* of a wavefront */
    unsigned max_waves;     /* wavefronts of a full work-group */
    uint64_t resident;      /* work-groups that the emulated GPU holds when it runs nothing else */
    uint32_t lds_bytes;     /* allocated per work-group, a multiple of the granule */
    uint32_t scratch_bytes; /* per wavefront, a multiple of the granule; 0: none */
    uint32_t scratch_per_lane;
};

/* Work-item ids that the kernel asks for beside x: 0 none, 1 y, 2 y and z (AMDGPUUsage, compute_pgm_rsrc2, ENABLE_VGPR_WORKITEM_ID). */
static inline unsigned sg_kernel_asks_ids(const struct sg_kernel *k)
{
    return k->says.rsrc2 >> 11 & 3;
}
/* Whether compute unit `unit` may run it. */
static inline bool sg_dispatch_allows(const struct sg_dispatch *d, unsigned unit)
{
    return !d->masked || (d->units[unit / 32] >> unit % 32 & 1);
}
/* How many may. */
unsigned sg_dispatch_units(const struct ls_gpu *arch, const struct sg_dispatch *d);

/* Reads the descriptor at `address`. False when it is not mapped. */
bool sg_kernel_read(const struct ls_gpu *arch, struct sg_tlb *tlb, uint64_t address, struct sg_kernel *k);

/* Reads the kernel arguments that the kernel wants in SGPRs. False with a fault filled when they are not
 * mapped or more than there are registers for. */
bool sg_kernel_preload(struct sg_tlb *tlb, const struct sg_dispatch *d, const struct sg_kernel *k,
                       uint32_t preloaded[SG_USER_SGPRS_MAX], struct sg_fault *fault);

/* False with a fault filled when the dispatch cannot run on the GPU. */
bool sg_shape_make(const struct ls_gpu *arch, const struct sg_dispatch *d, const struct sg_kernel *k,
                   struct sg_shape *shape, struct sg_fault *fault);

/* Id of the flat-numbered work-group, its work-items per dimension (partial ones at the grid's edge are
 * smaller). Returns its wavefronts. */
unsigned sg_shape_group(const struct sg_shape *shape, const struct sg_dispatch *d, uint64_t flat,
                        uint32_t id[3], uint32_t size[3]);

/* `preloaded`: from sg_kernel_preload. */
void sg_user_sgprs(const struct ls_gpu *arch, const struct sg_dispatch *d, const struct sg_kernel *k,
                   const uint32_t *preloaded, struct sg_user_sgprs *user);

/* Zeroes the first `rows` VGPRs of a wavefront of 32 lanes. */
void sg_wave_clear_low(struct sg_wave *w, unsigned rows);

/* Sets the registers of wavefront `index` of a work-group as the dispatcher does: user and system SGPRs,
 * work-item ids in v0 (where they are apart, in as many of v0 to v2 as the kernel asks for), EXEC, MODE, flat_scratch.
 * w->dispatch, w->wg and w->scratch_wave_base are set already. */
void sg_wave_set_registers(struct sg_wave *w, const struct sg_kernel *k, const struct sg_user_sgprs *user,
                           const struct sg_shape *shape, const uint32_t size[3], unsigned index);

#endif
