/* occupancy.c - see occupancy.h. */
#include "occupancy.h"
#include "common/numbers.h"

/* Of a unit: work-groups of more than one wavefront need a barrier each (LLVM, AMDGPUBaseInfo.cpp, getMaxWorkGroupsPerCU). */
enum { BARRIERS = 16 };

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t ls_vgprs_asked(const struct ls_gpu_family *f, const struct ls_kernel_registers *r)
{
    return (r->vgpr_blocks + 1u) * (f->unified_vgprs || r->wave32 ? 8 : 4);
}

struct ls_wave_registers ls_wave_registers(const struct ls_gpu_family *f, const struct ls_kernel_registers *r)
{
    uint32_t size = r->wave32 ? 2 : 1;
    /* gfx9 encodes SGPRs by 16, in steps of two blocks of 8. */
    return (struct ls_wave_registers){
        .vgprs = (uint32_t)ls_round_up(ls_vgprs_asked(f, r), f->vgpr_granule * size) / size,
        .sgprs = f->sgprs ? (r->sgpr_blocks / 2 + 1u) * 16 : 0};
}

/* Wavefronts of this kernel that the registers of one SIMD hold. */
static uint32_t waves_by_registers(const struct ls_gpu_family *f, const struct ls_kernel_registers *r)
{
    const struct ls_wave_registers takes = ls_wave_registers(f, r);
    uint32_t n = f->vgprs / takes.vgprs;
    return takes.sgprs ? least(n, f->sgprs / takes.sgprs) : n;
}

uint32_t ls_units_of_group(const struct ls_gpu_family *f, const struct ls_kernel_registers *r)
{
    return r->wgp_mode && f->hw_id == LS_HW_ID1 ? 2 : 1;
}

uint64_t ls_occupancy(const char *arch, uint32_t units, uint32_t waves_per_cu,
                      const struct ls_kernel_registers *r, uint32_t waves, uint32_t lds_bytes)
{
    const struct ls_gpu_family *f = ls_gpu_family_of(arch);
    if (!f || !f->simds || !r->known || !waves)
        return units;
    const uint32_t together = ls_units_of_group(f, r);
    uint32_t per_simd = least(waves_per_cu / f->simds, waves_by_registers(f, r));
    uint32_t groups = per_simd * f->simds * together / waves;
    if (lds_bytes)
        groups = least(groups, together * f->lds_bytes / (uint32_t)ls_round_up(lds_bytes, f->lds_granule));
    if (waves > 1)
        groups = least(groups, together * BARRIERS);
    return (uint64_t)(units / together) * (groups ? groups : 1);
}
