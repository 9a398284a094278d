/*
 * image_layout_rdna.c - where the texels of a surface lie inside a block: the "swizzle modes" of gfx10, gfx11 and gfx12.
 *
 * Each bit of the address inside a block is the exclusive or of some bits of the coordinates. The strings below name those,
 * from the first bit above a texel's bytes on; the string of a mode with smaller blocks is the beginning of another's.
 * Those of gfx10 and gfx11 are for 16 pipes and 16 packers (NUM_PIPES and NUM_PKRS of GB_ADDR_CONFIG both 4), from which the
 * exclusive ors of the bits 8 to 11 follow; gfx12's are the same for all numbers of pipes.
 *
 * Source: the addresses that AMD's address library in ROCr computes (gfx10addrlib, gfx11addrlib, gfx12addrlib), surfaces with one mip level
 * and one sample; gfx10's for a chip with RB+, as Navi 21 is. Only the modes that ROCr takes for images. No program sees
 * this order: ROCr fills such images by kernels that store texels.
 */
#include "mem_image.h"

enum { TEXELS = 5 }; /* of 1, 2, 4, 8, 16 bytes */

static const char *const gfx10_display[TEXELS] = {
    "x0 x1 x2 y1 y0 y2 x3 y3 y4+x7+z3 x4+y7+z2 y5+x6+z1 x5+y6+z0",
    "x0 x1 x2 y0 y1 y2 x3 y3+x7+z3 x4+y6+z2 y4+x6+z1 x5+y5+z0",
    "x0 x1 y0 y1 x2 y2 y3+x6+z3 x3+y6+z2 y4+x5+z1 x4+y5+z0",
    "x0 y0 x1 x2 y1 y2+x6+z3 x3+y5+z2 y3+x5+z1 x4+y4+z0",
    "x0 y0 x1 y1 y2+x5+z3 x2+y5+z2 y3+x4+z1 x3+y4+z0",
};
static const char *const gfx10_render[TEXELS] = {
    "x0 x1 x2 x3 y0 y1 y2 y3 y4+x8+y8 x4+y4+z3 x7+y5+z2 x5+y7+z1 x6 x7 y7+x8 x6+y6+z0",
    "x0 x1 x2 y0 y1 y2 x3 y4+x8+y8 x4+y4+z3 x7+y5+z2 x5+y7+z1 y3 x6 x7+y7 x6+y6+z0",
    "x0 x1 y0 y1 x2 y2 y4+x8+y8 x4+y4+z3 y5+x7+z2 x5+y7+z1 x3 y3 x6+y7 x6+y6+z0",
    "x0 y0 x1 x2 y1 y4+x8+y8 x4+y4+z3 y5+x7+z2 x5+y7+z1 y2 x3 y3+x7 x6+y6+z0",
    "x0 y0 x1 y1 y4+x8+y8 x4+y4+z2 y5+x7+z1 x5+y7+z0 x2 x3 y3+x6 y2+x6+y6",
};
static const char *const gfx10_thick[TEXELS] = {
    "x0 x1 z0 y0 z1 y1 x2 z2 y2+x6+z6 x3+y5+z5 x5+y4+z3 x4+y3+z4 x4 z4 y4 x5",
    "x0 z0 y0 z1 y1 x1 z2 y2+x5+z6 x2+y5+z5 x4+y4+z3 x3+y3+z4 x3 z4 y4 x4",
    "x0 y0 z0 y1 x1 z1 y2+x5+z5 x2+y5+z4 x4+y4+z2 x3+y3+z3 x3 z3 y4 x4",
    "x0 z0 y0 x1 z1 y1+x5+z5 x2+y4+z4 x4+y3+z2 x3+y2+z3 x3 z3 y3 x4",
    "z0 y0 x0 z1 y1+x4+z5 x1+y4+z4 x3+y3+z2 x2+y2+z3 x2 z3 y3 x3",
};
static const char *const gfx11_display[TEXELS] = {
    "x0 x1 y0 x2 y1 y2 x3 y3 y4+x7+z3 x4+y7+z2 y5+x6+z1 x5+y6+z0",
    "x0 y0 x1 y1 x2 y2 x3 y3+x7+z3 x4+y6+z2 y4+x6+z1 x5+y5+z0",
    "x0 y0 x1 y1 x2 y2 y3+x6+z3 x3+y6+z2 y4+x5+z1 x4+y5+z0",
    "x0 y0 x1 x2 y1 y2+x6+z3 x3+y5+z2 y3+x5+z1 x4+y4+z0",
    "x0 y0 x1 y1 y2+x5+z3 x2+y5+z2 y3+x4+z1 x3+y4+z0",
};
static const char *const gfx11_render64[TEXELS] = {
    "x0 x1 y0 x2 y1 y2 x3 y3 y4+x8+y8 x4+y4+z1 x7+y5+z0 x5+y7 x6 x7 y7+x8 x6+y6",
    "x0 y0 x1 y1 x2 y2 x3 y4+x8+y8 x4+y4+z1 x7+y5+z0 x5+y7 y3 x6 x7+y7 x6+y6",
    "x0 y0 x1 y1 x2 y2 y4+x8+y8 x4+y4+z1 y5+x7+z0 x5+y7 x3 y3 x6+y7 x6+y6",
    "x0 y0 x1 x2 y1 y4+x8+y8 x4+y4+z3 y5+x7+z2 x5+y7+z1 y2 x3 y3+x7 x6+y6+z0",
    "x0 y0 x1 y1 y4+x8+y8 x4+y4+z2 y5+x7+z1 x5+y7+z0 x2 x3 y3+x6 y2+x6+y6",
};
static const char *const gfx11_render256[TEXELS] = {
    "x0 x1 y0 x2 y1 y2 x3 y3 x8+y4+y8 x4+y4+z1 x7+y5+z0 x5+y7 x6 x7 y7+x10 x8+y9 y8+x9 x6+y6",
    "x0 y0 x1 y1 x2 y2 x3 x8+y4+y8 x4+y4+z1 x7+y5+z0 x5+y7 y3 x6 x7+y9 y7+x9 x8+y8 x6+y6",
    "x0 y0 x1 y1 x2 y2 y4+x8+y8 x4+y4+z1 x7+y5+z0 x5+y7 x3 y3 x6+y9 x7+y8 y7+x8 x6+y6",
    "x0 y0 x1 x2 y1 y4+x8+y8 x4+y4+z3 x7+y5+z2 x5+y7+z1 y2 x3 y3+x8 x6+y8 x7+y7 x6+y6+z0",
    "x0 y0 x1 y1 y4+x8+y8 x4+y4+z3 y5+x7+z2 x5+y7+z1 x2 y2 x3+y8 y3+x7 x6+y7 x6+y6+z0",
};
static const char *const gfx11_thick[TEXELS] = {
    "x0 x1 z0 y0 y1 z1 x2 z2 y2+x6+z6 x3+y5+z5 x5+y4+z3 x4+y3+z4 x4 z4 y4 x5 z5 y5",
    "x0 z0 y0 x1 z1 y1 z2 y2+x5+z6 x2+y5+z5 x4+y4+z3 x3+y3+z4 x3 z4 y4 x4 z5 y5",
    "x0 y0 x1 z0 y1 z1 y2+x5+z5 x2+y5+z4 x4+y4+z2 x3+y3+z3 x3 z3 y4 x4 z4 y5",
    "x0 y0 z0 x1 z1 y1+x5+z5 x2+y4+z4 x4+y3+z2 x3+y2+z3 x3 z3 y3 x4 z4 y4",
    "x0 z0 y0 z1 y1+x4+z5 x1+y4+z4 x3+y3+z2 x2+y2+z3 x2 z3 y3 x3 z4 y4",
};

static const char *const gfx12_plane[TEXELS] = {
    "x0 x1 y0 x2 y1 y2 x3 y3 y4 x4 y5 x5 y6 x6 y7 x7 y8 x8",
    "x0 y0 x1 y1 x2 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7 y7 x8",
    "x0 y0 x1 y1 x2 y2 y3 x3 y4 x4 y5 x5 y6 x6 y7 x7",
    "x0 y0 x1 x2 y1 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7",
    "x0 y0 x1 y1 y2 x2 y3 x3 y4 x4 y5 x5 y6 x6",
};
static const char *const gfx12_thick[TEXELS] = {
    "x0 x1 z0 y0 y1 z1 x2 z2 y2 x3 z3 y3 x4 z4 y4 x5 z5 y5",
    "x0 z0 y0 x1 z1 y1 z2 y2 x2 z3 y3 x3 z4 y4 x4 z5 y5",
    "x0 y0 x1 z0 y1 z1 y2 x2 z2 y3 x3 z3 y4 x4 z4 y5",
    "x0 y0 z0 x1 z1 y1 x2 z2 y2 x3 z3 y3 x4 z4 y4",
    "x0 z0 y0 z1 y1 x1 z2 y2 x2 z3 y3 x3 z4 y4",
};

struct mode {
    uint8_t number, block_log2;
    bool volumes, planes; /* whether images of three dimensions, of fewer have it */
    bool thick;
    const char *const *bits;
};
static const struct mode gfx10_modes[] = {{2, 8, false, true, false, gfx10_display},
                                          {21, 12, true, false, true, gfx10_thick},
                                          {22, 12, false, true, false, gfx10_display},
                                          {25, 16, true, false, true, gfx10_thick},
                                          {27, 16, true, true, false, gfx10_render}};
static const struct mode gfx11_modes[] = {
    {2, 8, false, true, false, gfx11_display},     {21, 12, true, false, true, gfx11_thick},
    {22, 12, false, true, false, gfx11_display},   {24, 16, true, false, false, gfx11_render64},
    {25, 16, true, false, true, gfx11_thick},      {27, 16, true, true, false, gfx11_render64},
    {28, 18, true, false, false, gfx11_render256}, {29, 18, true, false, true, gfx11_thick},
    {31, 18, true, true, false, gfx11_render256}};

static const struct mode gfx12_modes[] = {
    {1, 8, false, true, false, gfx12_plane}, {2, 12, true, true, false, gfx12_plane},
    {3, 16, true, true, false, gfx12_plane}, {4, 18, true, true, false, gfx12_plane},
    {5, 12, true, false, true, gfx12_thick}, {6, 16, true, false, true, gfx12_thick},
    {7, 18, true, false, true, gfx12_thick}};

static const struct mode *mode_of(const struct ls_gpu *gpu, unsigned number, bool volume)
{
    static const struct {
        uint32_t gpus; /* enum ls_gpu_isa, several */
        const struct mode *modes;
        size_t n;
    } all[] = {
        {LS_GPU_ISA_GFX1030, gfx10_modes, sizeof gfx10_modes / sizeof gfx10_modes[0]},
        {LS_GPU_ISA_GFX1100 | LS_GPU_ISA_GFX1150, gfx11_modes, sizeof gfx11_modes / sizeof gfx11_modes[0]},
        {LS_GPU_ISA_GFX1200, gfx12_modes, sizeof gfx12_modes / sizeof gfx12_modes[0]}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        for (size_t i = 0; gpu->isa & all[k].gpus && i < all[k].n; i++)
            if (all[k].modes[i].number == number &&
                (volume ? all[k].modes[i].volumes : all[k].modes[i].planes))
                return &all[k].modes[i];
    return NULL;
}

bool sg_layout_pattern(const struct ls_gpu *gpu, unsigned number, bool volume, unsigned texel_log2,
                       struct sg_layout_pattern *p)
{
    enum { COUNTS = 7 | 7 << 8, SIXTEEN_EACH = 4 | 4 << 8 };
    const struct mode *m = mode_of(gpu, number, volume);
    const bool any_pipes = gpu->family->images == LS_IMAGE_GFX12;
    if (!m || (!any_pipes && (gpu->card->gb_addr_config & COUNTS) != SIXTEEN_EACH))
        return false;
    *p = (struct sg_layout_pattern){.block_log2 = m->block_log2, .thick = m->thick};
    unsigned bit = texel_log2;
    for (const char *s = m->bits[texel_log2]; *s && bit < m->block_log2; s++) {
        unsigned axis = (unsigned)(*s - 'x'), index = 0;
        for (s++; *s >= '0' && *s <= '9'; s++)
            index = index * 10 + (unsigned)(*s - '0');
        p->of_bit[axis][index] |= 1u << bit;
        if (*s == ' ')
            bit++;
        if (!*s)
            break;
    }
    return true;
}
