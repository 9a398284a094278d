/*
 * aperture.h - what a flat address means. KFD gives every gfx9 GPU the same apertures: LDS at 1 << 48,
 * private memory at 2 << 48, each 4 GiB (Linux drivers/gpu/drm/amd/amdkfd/kfd_flat_memory.c); all other
 * addresses are global.
 */
#ifndef LANESCOPE_SDK_APERTURE_H
#define LANESCOPE_SDK_APERTURE_H

#include <stdint.h>

enum lanescope_aperture {
    LANESCOPE_APERTURE_GLOBAL = 0,
    LANESCOPE_APERTURE_LDS = 1,
    LANESCOPE_APERTURE_PRIVATE = 2
};

static inline enum lanescope_aperture lanescope_aperture_of(uint64_t address)
{
    uint64_t high = address >> 32;
    return high == 1u << 16   ? LANESCOPE_APERTURE_LDS
           : high == 2u << 16 ? LANESCOPE_APERTURE_PRIVATE
                              : LANESCOPE_APERTURE_GLOBAL;
}

/* Of the lanes `exec` those whose flat address lies in that memory. */
static inline uint64_t lanescope_lanes_in(enum lanescope_aperture where, uint64_t exec,
                                          const uint64_t addr[64])
{
    uint64_t lanes = exec;
    for (uint64_t m = exec; m; m &= m - 1)
        if (lanescope_aperture_of(addr[__builtin_ctzll(m)]) != where)
            lanes &= ~(m & -m);
    return lanes;
}

#endif
