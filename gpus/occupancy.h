/*
 * occupancy.h - what a kernel takes of a compute unit, from its descriptor, and how many of its work-groups fit
 * there at once. What a compute unit holds stands in table.c.
 */
#ifndef GPUS_OCCUPANCY_H
#define GPUS_OCCUPANCY_H

#include "descriptor.h"
#include "gpus.h"

#ifdef __cplusplus
extern "C" {
#endif

/* VGPRs that a kernel's descriptor asks for, each as wide as its wavefronts; AccVGPRs are among them where they are one
 * file with VGPRs. */
uint32_t ls_vgprs_asked(const struct ls_gpu_family *f, const struct ls_kernel_registers *r);

/* What a wavefront takes of its SIMD, in the units of ls_gpu_family.vgprs and .sgprs: VGPRs of 64 lanes. */
struct ls_wave_registers {
    uint32_t vgprs, sgprs; /* sgprs: 0 where the family has no limit */
};
struct ls_wave_registers ls_wave_registers(const struct ls_gpu_family *f,
                                           const struct ls_kernel_registers *r);

/* Compute units that each work-group of the kernel has to itself: both of a work-group processor when it runs in WGP mode, with
 * the SIMDs and the LDS of both in one, else 1 (LLVM AMDGPUUsage, "Kernel Descriptor" and "Memory Model GFX10"). */
uint32_t ls_units_of_group(const struct ls_gpu_family *f, const struct ls_kernel_registers *r);

/* Work-groups of `waves` wavefronts and `lds_bytes` that fit on `units` compute units of `arch` ("gfx90a"), each of which
 * holds at most waves_per_cu wavefronts. At least one for the units of each: any work-group that can be launched fits. A
 * lower bound: of what is not known the worst is assumed. */
uint64_t ls_occupancy(const char *arch, uint32_t units, uint32_t waves_per_cu,
                      const struct ls_kernel_registers *r, uint32_t waves, uint32_t lds_bytes);

#ifdef __cplusplus
}
#endif

#endif
