/*
 * occupancy.c - see occupancy.h. Numbers of registers per SIMD and their granules: LLVM, AMDGPUBaseInfo.cpp
 * (IsaInfo::getTotalNumVGPRs, getVGPRAllocGranule, getVGPREncodingGranule, getTotalNumSGPRs,
 * getMaxWorkGroupsPerCU); LDS: ISA documents, and LLVM's FeatureAddressableLocalMemorySize.
 */
#include "occupancy.h"

#include <string.h>

/* Offsets in the descriptor. */
enum { RSRC1 = 48, CODE_PROPERTIES = 56, WAVE32_BIT = 10 };

struct target {
    const char *prefix;
    uint32_t simds;            /* per compute unit */
    uint32_t vgprs;            /* per SIMD and lane, for wavefronts of 64 */
    uint32_t granule;          /* VGPRs are given out in so many, to wavefronts of 64 */
    uint32_t sgprs;            /* per SIMD; 0: each wavefront has enough */
    uint32_t lds, lds_granule; /* bytes of a compute unit */
};

/* The first whose prefix fits. Wavefronts of 32 get twice as many registers, in granules twice as large. Of
 * gfx11 and gfx12 some have half as many registers again; the smaller number and the larger granule hold for
 * all. */
static const struct target targets[] = {
    {"gfx950", 4, 512, 8, 800, 160 * 1024, 1280}, {"gfx94", 4, 512, 8, 800, 64 * 1024, 512},
    {"gfx90a", 4, 512, 8, 800, 64 * 1024, 512},   {"gfx9-4-generic", 4, 512, 8, 800, 64 * 1024, 1280},
    {"gfx9", 4, 256, 4, 800, 64 * 1024, 512},     {"gfx101", 2, 512, 4, 0, 64 * 1024, 512},
    {"gfx103", 2, 512, 8, 0, 64 * 1024, 1024},    {"gfx10", 2, 512, 8, 0, 64 * 1024, 1024},
    {"gfx11", 2, 512, 12, 0, 64 * 1024, 1024},    {"gfx12", 2, 512, 12, 0, 64 * 1024, 1024},
};

/* Work-groups of more than one wavefront need a barrier each. */
enum { BARRIERS = 16 };

struct ls_kernel_registers ls_registers_of(const void *descriptor)
{
    uint32_t rsrc1;
    uint16_t properties;
    memcpy(&rsrc1, (const char *)descriptor + RSRC1, sizeof rsrc1);
    memcpy(&properties, (const char *)descriptor + CODE_PROPERTIES, sizeof properties);
    return (struct ls_kernel_registers){.known = true,
                                        .wave32 = properties >> WAVE32_BIT & 1,
                                        .vgpr_blocks = rsrc1 & 0x3f,
                                        .sgpr_blocks = rsrc1 >> 6 & 0xf};
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t round_up(uint32_t n, uint32_t granule)
{
    return (n + granule - 1) / granule * granule;
}

static const struct target *target_of(const char *arch)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (!strncmp(arch, targets[i].prefix, strlen(targets[i].prefix)))
            return &targets[i];
    return NULL;
}

/* Wavefronts of this kernel that the registers of one SIMD hold. */
static uint32_t waves_by_registers(const struct target *t, const struct ls_kernel_registers *r)
{
    bool unified = t->simds == 4 && t->vgprs == 512; /* VGPRs and AccVGPRs in one file, encoded by 8 */
    uint32_t size = r->wave32 ? 2 : 1;
    uint32_t used = (r->vgpr_blocks + 1u) * (unified ? 8 : 4 * size);
    uint32_t n = t->vgprs * size / round_up(used, t->granule * size);
    /* gfx9 encodes SGPRs by 16, in steps of two blocks of 8. */
    if (t->sgprs)
        n = least(n, t->sgprs / ((r->sgpr_blocks / 2 + 1u) * 16));
    return n;
}

uint32_t ls_occupancy(const char *arch, uint32_t waves_per_cu, const struct ls_kernel_registers *r,
                      uint32_t waves, uint32_t lds_bytes)
{
    const struct target *t = target_of(arch);
    if (!t || !r->known || !waves)
        return 1;
    uint32_t per_simd = least(waves_per_cu / t->simds, waves_by_registers(t, r));
    uint32_t groups = per_simd * t->simds / waves;
    if (lds_bytes)
        groups = least(groups, t->lds / round_up(lds_bytes, t->lds_granule));
    if (waves > 1)
        groups = least(groups, BARRIERS);
    return groups ? groups : 1;
}
