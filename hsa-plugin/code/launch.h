/*
 * launch.h - turns a dispatch of a kernel into a dispatch of its clone: what changes in the packet, the
 * context and the argument block of the slot. Never touches the application's memory.
 */
#ifndef HSA_PLUGIN_LAUNCH_H
#define HSA_PLUGIN_LAUNCH_H

#include "hsa-plugin/transport/agent.h"
#include "kernels.h"

/* Sizes of a launch that follow from its packet. */
struct ls_launch_shape {
    uint32_t n_workgroups[3], workgroup[3];
    uint32_t waves_per_workgroup;
    uint64_t n_waves;
    uint64_t real_waves; /* without the gaps of partial work-groups */
};
/* false: a grid that has no wavefronts or more than can be counted. */
bool ls_launch_shape(const hsa_kernel_dispatch_packet_t *p, uint32_t lanes, struct ls_launch_shape *out);

/* LDS and scratch of the clone's launch. Dynamic LDS and a raised stack stay what the launch asked for. */
uint32_t ls_launch_group(uint32_t packet, uint32_t original, uint32_t clone);
uint32_t ls_launch_private(uint32_t packet, uint32_t original, uint32_t clone);

/* A dispatch's header that acquires at the scope of the agent at least. What the clone reads by the scalar unit - arguments,
 * context, tables of a summary - may lie where those of an earlier dispatch lay, and that unit's cache is emptied by an
 * acquire only (HSA Platform System Architecture 1.2, 2.9.1; AMDGPUUsage, memory models). `from_outside`: the copy engine has
 * written what the clone reads, past the L2: at the scope of the system then. */
uint16_t ls_launch_header(uint16_t header, bool from_outside);

/* Rewrites *p (a copy of the application's packet) for slot s. NULL, or why this dispatch is not observed
 * (static text); *p is unchanged then. `units`: of a cooperative launch, whose work-groups must all be resident at once, the
 * compute units of its queue; else 0. */
const char *ls_launch_clone(const struct ls_api *api, const struct ls_config *c, struct ls_slot *s,
                            const struct ls_kernel *k, uint32_t units, hsa_kernel_dispatch_packet_t *p);
/* The same for a kernel without a clone, which the software GPU observes: the kernel itself runs. `map` lies in
 * memory that the GPU reads. */
const char *ls_launch_alone(const struct ls_api *api, const struct ls_config *c, struct ls_slot *s,
                            const struct ls_kernel *k, const struct ls_code_map *map,
                            hsa_kernel_dispatch_packet_t *p);

#endif
