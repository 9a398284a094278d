/*
 * place.h - where a wavefront runs, as its hardware registers say it.
 */
#ifndef SOFT_GPU_ISA_PLACE_H
#define SOFT_GPU_ISA_PLACE_H

#include "soft-gpu/isa/code/uop.h"

/* The die, on GPUs of several. */
static inline uint32_t sg_wave_xcc_id(const struct sg_wave *w)
{
    return (uint32_t)(w->wg->log_id % w->arch->card->dies);
}

/* The compute unit of its die, or in WGP mode one of the two. */
static inline uint32_t sg_wave_unit(const struct sg_wave *w)
{
    const struct ls_gpu_card *card = w->arch->card;
    return (uint32_t)(w->wg->log_id / card->dies % (card->compute_units / card->dies));
}

/* Where the work-group would run if the dispatcher dealt work-groups round robin: over the dies of the
 * package first, then over the engines of the die, then over the units of an engine. HW_ID: slot 3:0, SIMD
 * 5:4, compute unit 11:8, array 12, engine from 13. */
static inline uint32_t sg_wave_hw_id(const struct sg_wave *w)
{
    const struct ls_gpu_card *card = w->arch->card;
    const struct ls_gpu_family *f = w->arch->family;
    unsigned unit = sg_wave_unit(w), engine = unit % card->engines;
    unsigned simd = w->wave_in_group % f->simds;
    unsigned slot = w->wave_in_group / f->simds % f->waves_per_simd;
    return slot | simd << 4 | unit / card->engines << 8 | engine << 13;
}

/* The SIMD, numbered through both units of a work-group processor; in WGP mode wavefronts are dealt over all of the four. */
static inline uint32_t sg_wave_simd(const struct sg_wave *w)
{
    const uint32_t simds = w->arch->family->simds;
    return (w->units == 1 ? sg_wave_unit(w) % 2 * simds : 0) + w->wave_in_group % (w->units * simds);
}

/* The unit whose L0 it loads through, of its die: in WGP mode wavefronts of a work-group are on both units of a work-group
 * processor, and each unit has an L0 of its own (LLVM AMDGPUUsage, "Memory Model GFX10-GFX11"). */
static inline uint32_t sg_wave_cache_unit(const struct sg_wave *w)
{
    const uint32_t unit = sg_wave_unit(w);
    return w->units == 1 ? unit : unit / 2 * 2 + sg_wave_simd(w) / w->arch->family->simds;
}

/* The same on gfx10 and later, where a work-group processor is two units of an array, whose SIMDs are numbered as one, and an
 * engine has two arrays. HW_ID1: slot 4:0, SIMD 9:8, work-group
 * processor 13:10, array 16, engine from 18. */
static inline uint32_t sg_wave_hw_id1(const struct sg_wave *w)
{
    const struct ls_gpu_card *card = w->arch->card;
    const struct ls_gpu_family *f = w->arch->family;
    const unsigned arrays = card->arrays * card->engines, unit = sg_wave_unit(w);
    const unsigned pair = unit / 2, array = pair % arrays;
    const unsigned slot = w->wave_in_group / (w->units * f->simds) % f->waves_per_simd;
    return slot | sg_wave_simd(w) << 8 | pair / arrays << 10 | (array & 1) << 16 | array / 2 << 18;
}

/* The one of the two that its GPU has. */
static inline uint32_t sg_wave_place(const struct sg_wave *w)
{
    return w->arch->family->hw_id == LS_HW_ID1 ? sg_wave_hw_id1(w) : sg_wave_hw_id(w);
}

#endif
