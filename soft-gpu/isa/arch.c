/*
 * arch.c - the emulated targets.
 *
 * gfx_version numbers: KFD's gfx_target_version (major * 10000 + minor * 100 + stepping). LDS sizes and
 * compute units: AMD CDNA2, CDNA3 and CDNA4 architecture white papers, of the cards that the driver's device
 * ids name (soft-gpu/kfd/topology.c): MI210 104 (a die of an MI250X has 110), MI300X 304, MI350X 256. Engines
 * and arrays: Linux amdgpu (8 engines on MI200, else 4 of each of 8 dies). Wavefronts of a SIMD: LLVM, AMDGPU
 * getMaxWavesPerEU, 8 from gfx90a on.
 */
#include <string.h>
#include "engine.h"

/* The driver's setting for GFX9 and GC 9.4.3: 4 pipes, 16 banks, 4 shader engines. On MI200 part of the
 * register comes from the hardware; who takes layouts from here sees no difference. */
#define GB_ADDR_CONFIG 0x2a114042

static const struct sg_arch gfx90a = {.name = "gfx90a",
                                      .gfx_version = 90010,
                                      .lds_bytes = 65536,
                                      .dies = 1,
                                      .engines = 8,
                                      .array_units = 14,
                                      .compute_units = 104,
                                      .waves_per_simd = 8,
                                      .gb_addr_config = GB_ADDR_CONFIG};
static const struct sg_arch gfx942 = {.name = "gfx942",
                                      .gfx_version = 90402,
                                      .lds_bytes = 65536,
                                      .dies = 8,
                                      .engines = 4,
                                      .array_units = 10,
                                      .compute_units = 304,
                                      .waves_per_simd = 8,
                                      .architected_flat_scratch = true,
                                      .gb_addr_config = GB_ADDR_CONFIG};
static const struct sg_arch gfx950 = {.name = "gfx950",
                                      .gfx_version = 90500,
                                      .lds_bytes = 163840,
                                      .dies = 8,
                                      .engines = 4,
                                      .array_units = 8,
                                      .compute_units = 256,
                                      .waves_per_simd = 8,
                                      .architected_flat_scratch = true,
                                      .gb_addr_config = GB_ADDR_CONFIG};

static const struct sg_arch *const all[] = {&gfx90a, &gfx942, &gfx950, NULL};

const struct sg_arch *const *sg_arch_list(void)
{
    return all;
}

const struct sg_arch *sg_arch_find(const char *name)
{
    for (const struct sg_arch *const *a = all; *a; a++)
        if (name && !strcmp((*a)->name, name))
            return *a;
    return NULL;
}
