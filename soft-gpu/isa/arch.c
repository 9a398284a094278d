/*
 * arch.c - the emulated targets.
 *
 * gfx_version numbers: KFD's gfx_target_version (major * 10000 + minor * 100 + stepping). LDS sizes and
 * compute units: AMD CDNA2, CDNA3 and CDNA4 architecture white papers (MI250X one GCD 110, MI300X 304, MI355X
 * 256).
 */
#include <string.h>
#include "engine.h"

/* The driver's setting for GFX9 and GC 9.4.3: 4 pipes, 16 banks, 4 shader engines. On MI200 part of the
 * register comes from the hardware; who takes layouts from here sees no difference. */
#define GB_ADDR_CONFIG 0x2a114042

static const struct sg_arch gfx90a = {.name = "gfx90a",
                                      .gfx_version = 90010,
                                      .lds_bytes = 65536,
                                      .compute_units = 110,
                                      .gb_addr_config = GB_ADDR_CONFIG};
static const struct sg_arch gfx942 = {.name = "gfx942",
                                      .gfx_version = 90402,
                                      .lds_bytes = 65536,
                                      .compute_units = 304,
                                      .architected_flat_scratch = true,
                                      .gb_addr_config = GB_ADDR_CONFIG};
static const struct sg_arch gfx950 = {.name = "gfx950",
                                      .gfx_version = 90500,
                                      .lds_bytes = 163840,
                                      .compute_units = 256,
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
