/*
 * aperture.h - what a flat address means. KFD gives every gfx9 GPU the same apertures: LDS at 1 << 48,
 * private memory at 2 << 48, each 4 GiB (Linux drivers/gpu/drm/amd/amdkfd/kfd_flat_memory.c); all other
 * addresses are global.
 */
#ifndef HOST_HANDLERS_APERTURE_H
#define HOST_HANDLERS_APERTURE_H

#include <stdint.h>

enum aperture { APERTURE_GLOBAL = 0, APERTURE_LDS = 1, APERTURE_PRIVATE = 2 };

static inline enum aperture aperture_of(uint64_t address)
{
    uint64_t high = address >> 32;
    return high == 1u << 16 ? APERTURE_LDS : high == 2u << 16 ? APERTURE_PRIVATE : APERTURE_GLOBAL;
}

#endif
