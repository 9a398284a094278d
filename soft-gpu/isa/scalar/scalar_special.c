/*
 * scalar_special.c - hardware registers, clocks, and register access relative to M0.
 */
#include "scalar.h"
#include "soft-gpu/isa/code/place.h"

/* Hardware register numbers: LLVM AMDGPUUsage, "hwreg";
 * fields: "AMD Instinct MI300 ISA" chapter 3 and 5.8. */
enum {
    HW_MODE = 1,
    HW_STATUS = 2,
    HW_TRAPSTS = 3,
    HW_ID = 4,
    HW_GPR_ALLOC = 5,
    HW_LDS_ALLOC = 6,
    HW_IB_STS = 7,
    HW_SH_MEM_BASES = 15,
    HW_XCC_ID = 20,
    /* Beside HW_ID1: "AMD RDNA 2 Instruction Set Architecture", section Hardware Registers. */
    HW_FLAT_SCRATCH_LO = 20,
    HW_FLAT_SCRATCH_HI = 21,
    HW_ID1 = 23,
    HW_SHADER_CYCLES = 29,
    /* gfx12 ("RDNA4 Instruction Set Architecture", section Hardware Registers): what exceptions there were, none */
    HW_EXCP_FLAG_PRIV = 17,
    HW_EXCP_FLAG_USER = 18,
    HW_SHADER_CYCLES_HI = 30,
};

/* The hardware registers of gfx10 and later. */
static bool has_id1(const struct ls_gpu *arch)
{
    return arch->family->hw_id == LS_HW_ID1;
}

bool sg_hwreg_readable(const struct ls_gpu *arch, unsigned id)
{
    if (arch->family->cycles_hi &&
        (id == HW_EXCP_FLAG_PRIV || id == HW_EXCP_FLAG_USER || id == HW_SHADER_CYCLES_HI))
        return true;
    if (has_id1(arch))
        return (id >= HW_MODE && id <= HW_IB_STS && id != HW_ID) || id == HW_SH_MEM_BASES ||
               id == HW_FLAT_SCRATCH_LO || id == HW_FLAT_SCRATCH_HI || id == HW_ID1 || id == HW_SHADER_CYCLES;
    return (id >= HW_MODE && id <= HW_IB_STS) || id == HW_SH_MEM_BASES || id == HW_XCC_ID;
}

bool sg_hwreg_writable(const struct ls_gpu *arch, unsigned id)
{
    return id == HW_MODE ||
           (!arch->family->flat_scratch_sgpr && (id == HW_FLAT_SCRATCH_LO || id == HW_FLAT_SCRATCH_HI));
}

/* Bits of w->mode that MODE does not have there. */
static uint32_t fixed_mode(const struct ls_gpu *arch)
{
    return arch->family->always_ieee ? SG_MODE_IEEE | SG_MODE_DX10_CLAMP : 0;
}

static uint32_t read_later_hwreg(const struct sg_wave *w, const uint32_t *s, unsigned id)
{
    switch (id) {
    case HW_FLAT_SCRATCH_LO:
    case HW_FLAT_SCRATCH_HI:
        return s[SG_S_FLAT_SCRATCH + (id - HW_FLAT_SCRATCH_LO)];
    case HW_ID1:
        return sg_wave_hw_id1(w);
    case HW_EXCP_FLAG_PRIV:
    case HW_EXCP_FLAG_USER:
        return 0;
    case HW_SHADER_CYCLES_HI:
        return (uint32_t)(__builtin_ia32_rdtsc() >> 32);
    default: /* SHADER_CYCLES: 20 bits, where it is one register */
        return (uint32_t)__builtin_ia32_rdtsc() & (w->arch->family->cycles_hi ? ~0u : 0xfffff);
    }
}

static uint32_t read_hwreg(const struct sg_wave *w, const uint32_t *s, unsigned id)
{
    if (has_id1(w->arch) && id > HW_SH_MEM_BASES)
        return read_later_hwreg(w, s, id);
    switch (id) {
    case HW_MODE:
        return w->mode & ~fixed_mode(w->arch);
    case HW_STATUS: /* SCC 0, EXECZ 9, VCCZ 10, IN_TG 11, VALID 16 */
        return s[SG_S_SCC] | (uint32_t)!w->exec << 9 | (uint32_t)!sg_vcc_register(w, s) << 10 | 1u << 11 |
               1u << 16;
    case HW_ID:
        return sg_wave_hw_id(w);
    case HW_LDS_ALLOC: /* size in granules of 512 bytes in 20:12 */
        return (w->wg->lds_bytes + 511) / 512 << 12;
    case HW_SH_MEM_BASES: /* private base 15:0, shared base 31:16, both bits 63:48 of the aperture */
        return s[SG_S_APERTURES + 5] >> 16 | (s[SG_S_APERTURES + 1] & 0xffff0000);
    case HW_XCC_ID:
        return sg_wave_xcc_id(w);
    default:
        return 0;
    }
}

/* simm16: register 5:0, first bit 10:6, width - 1 15:11. */
static uint32_t field_mask(int32_t simm16)
{
    unsigned width = ((unsigned)simm16 >> 11 & 31) + 1;
    return width == 32 ? ~0u : (1u << width) - 1;
}

int sg_h_s_getreg(SG_ARGS)
{
    s[u->d] = read_hwreg(w, s, (unsigned)u->imm & 63) >> ((unsigned)u->imm >> 6 & 31) & field_mask(u->imm);
    SG_NEXT();
}

int sg_h_s_setreg(SG_ARGS)
{
    unsigned shift = (unsigned)u->imm >> 6 & 31, id = (unsigned)u->imm & 63;
    uint32_t mask = field_mask(u->imm) << shift;
    if (id != HW_MODE) {
        uint32_t *part = &s[SG_S_FLAT_SCRATCH + (id - HW_FLAT_SCRATCH_LO)];
        *part = (*part & ~mask) | (s[u->a] << shift & mask);
        SG_NEXT();
    }
    mask &= ~fixed_mode(w->arch);
    uint32_t mode = (w->mode & ~mask) | (s[u->a] << shift & mask);
    /* Both change how the code that follows is decoded; their own instructions do that. */
    const uint32_t own = SG_MODE_GPR_IDX_EN | SG_MODE_VSKIP;
    if ((mode ^ w->mode) & own)
        return sg_fault_at(
            w, u, SG_FAULT_UNIMPLEMENTED, 0, 0, false,
            "s_setreg of MODE.VSKIP or GPR_IDX_EN: only s_setvskip and s_set_gpr_idx are followed");
    w->mode = mode;
    SG_NEXT();
}

int sg_h_s_mode(SG_ARGS)
{
    w->mode = (w->mode & ~u->x) | (uint32_t)u->imm;
    SG_NEXT();
}

int sg_h_s_memtime(SG_ARGS)
{
    sg_set_s64(s, u->d, __builtin_ia32_rdtsc());
    SG_NEXT();
}

int sg_h_s_memrealtime(SG_ARGS)
{
    sg_set_s64(s, u->d, sg_ticks());
    SG_NEXT();
}

/* ---- M0 as a register index ---- */

int sg_h_s_gpr_idx_on(SG_ARGS)
{
    s[SG_S_M0] = (s[SG_S_M0] & ~0xf0ffu) | (s[u->a] & 255) | ((uint32_t)u->imm & 15) << 12;
    SG_NEXT();
}

int sg_h_s_gpr_idx_mode(SG_ARGS)
{
    s[SG_S_M0] = (s[SG_S_M0] & ~0xf000u) | ((uint32_t)u->imm & 15) << 12;
    SG_NEXT();
}

int sg_h_s_gpr_idx_idx(SG_ARGS)
{
    s[SG_S_M0] = (s[SG_S_M0] & ~0xffu) | (s[u->a] & 255);
    SG_NEXT();
}

static int out_of_range(struct sg_wave *w, const struct sg_uop *u)
{
    return sg_fault_at(w, u, SG_FAULT_ILLEGAL, 0, 0, false, "scalar register number plus M0 is out of range");
}

int sg_h_s_movrels_b32(SG_ARGS)
{
    uint32_t i = u->a + s[SG_S_M0];
    if (i > 127)
        return out_of_range(w, u);
    s[u->d] = s[i];
    SG_NEXT();
}

int sg_h_s_movrels_b64(SG_ARGS)
{
    uint32_t i = u->a + s[SG_S_M0];
    if (i > 126)
        return out_of_range(w, u);
    sg_set_s64(s, u->d, sg_s64(s, i));
    SG_NEXT();
}

int sg_h_s_movreld_b32(SG_ARGS)
{
    uint32_t i = u->d + s[SG_S_M0];
    if (i > 127)
        return out_of_range(w, u);
    s[i] = s[u->a];
    SG_NEXT();
}

int sg_h_s_movreld_b64(SG_ARGS)
{
    uint32_t i = u->d + s[SG_S_M0];
    if (i > 126)
        return out_of_range(w, u);
    sg_set_s64(s, i, sg_s64(s, u->a));
    SG_NEXT();
}
