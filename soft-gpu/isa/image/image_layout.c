/*
 * image_layout.c - where the texels of a surface lie: the "swizzle modes", those of GFX9 in detail.
 *
 * A swizzled surface consists of blocks of 256 B, 4 KiB or 64 KiB, stored in row order. A block of a thin
 * mode covers an area of one slice: 256-byte tiles in Morton order. A thick one (3D images, modes Z and S)
 * covers a volume: 1 KiB tiles in Morton order. Letters say how texels lie in a tile: Z Morton, S standard, D
 * display, R rotated. X and T modes then mix higher address bits into those that choose pipe and bank of the
 * memory controller; how many those are stands in GB_ADDR_CONFIG.
 *
 * Source: AMD's address library in ROCr (gfx9addrlib, addrlib2), surfaces with one mip level and one sample. What lies inside
 * a block of gfx10 and later says image_layout_rdna.c.
 */
#include "mem_image.h"

enum { KIND_Z, KIND_S, KIND_D, KIND_R };

struct mode {
    unsigned block_log2; /* 0: linear */
    unsigned kind;
    bool mix, mix_slice; /* X and T; X */
    bool thick;
};

static bool mode_of(unsigned sw, bool volume, struct mode *m)
{
    static const uint8_t block_log2[8] = {8, 12, 16, 0, 16, 12, 16, 0}; /* by four modes each */
    *m = (struct mode){.kind = sw & 3};
    if (sw == 0)
        return true;
    m->block_log2 = sw < 32 ? block_log2[sw / 4] : 0;
    m->mix = sw >= 16;
    m->mix_slice = sw >= 20;
    m->thick = volume && m->kind <= KIND_S;
    if (volume && m->kind == KIND_D) /* thin slices, but texels in standard order */
        m->kind = KIND_S;
    return m->block_log2 != 0;
}

struct pipes {
    unsigned interleave_log2, pipe_bits, bank_bits;
};

static struct pipes pipes_of(uint32_t gb_addr_config, unsigned block_log2)
{
    struct pipes p = {.interleave_log2 = 8 + (gb_addr_config >> 3 & 7)};
    unsigned pipes_log2 = gb_addr_config & 7, engines_log2 = gb_addr_config >> 19 & 3;
    unsigned banks_log2 = gb_addr_config >> 12 & 7;
    unsigned left = block_log2 > p.interleave_log2 ? block_log2 - p.interleave_log2 : 0;
    p.pipe_bits = left < pipes_log2 + engines_log2 ? left : pipes_log2 + engines_log2;
    left -= p.pipe_bits;
    p.bank_bits = left < banks_log2 ? left : banks_log2;
    return p;
}

static uint32_t bit(uint32_t x, unsigned i)
{
    return x >> i & 1;
}

static uint32_t field(uint32_t x, unsigned low, unsigned n)
{
    return x >> low & ((1u << n) - 1);
}

/* Low n bits of a at even places, of b at odd ones. */
static uint32_t morton2(uint32_t a, uint32_t b, unsigned n)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < n; i++)
        r |= bit(a, i) << 2 * i | bit(b, i) << (2 * i + 1);
    return r;
}

static uint32_t morton3(uint32_t a, uint32_t b, uint32_t c, unsigned n)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < n; i++)
        r |= bit(a, i) << 3 * i | bit(b, i) << (3 * i + 1) | bit(c, i) << (3 * i + 2);
    return r;
}

static uint32_t reverse(uint32_t x, unsigned n)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < n; i++)
        r |= bit(x, n - 1 - i) << i;
    return r;
}

static uint32_t every_second(uint32_t x, unsigned n)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < n; i++)
        r |= bit(x, 2 * i) << i;
    return r;
}

/* log2 of width and height of a 256-byte tile, and of width, height and depth of a 1 KiB one, by the log2 of
 * the texel's bytes. */
static const uint8_t thin_tile[5][2] = {{4, 4}, {4, 3}, {3, 3}, {3, 2}, {2, 2}};
static const uint8_t thick_tile[5][3] = {{4, 3, 3}, {3, 3, 3}, {3, 3, 2}, {3, 2, 2}, {2, 2, 2}};

/* ---- Inside a tile ---- */

static uint32_t thin_standard(uint32_t x, uint32_t y, unsigned e)
{
    const uint32_t bytes = x << e;
    uint32_t r = (bytes & 15) | field(y, 0, 2) << 4;
    if (e >= 3)
        return r | field(bytes, 4, 2) << 6;
    r |= bit(y, 2) << 6;
    return r | (e ? bit(bytes, 4) : bit(y, 3)) << 7;
}

/* Display order; rotated order is the same with x and y exchanged, but for 8-byte texels. */
static uint32_t thin_display(uint32_t x, uint32_t y, unsigned e)
{
    if (e == 4)
        return bit(x, 0) << 4 | bit(y, 0) << 5 | bit(x, 1) << 6 | bit(y, 1) << 7;
    uint32_t r =
        field(x, 0, 3) << e | field(y, 1, 2) << (3 + e) | bit(x, 3) << (5 + e) | bit(y, 3) << (6 + e);
    return field(r, 0, 4) | bit(y, 0) << 4 | field(r, 4, 3) << 5;
}

static uint32_t thin_rotated(uint32_t x, uint32_t y, unsigned e)
{
    uint32_t r =
        field(y, 0, 3) << e | field(x, 1, 2) << (3 + e) | bit(x, 3) << (5 + e) | bit(y, 3) << (6 + e);
    r = field(r, 0, 4) | bit(x, 0) << 4 | field(r, 4, 3) << 5;
    return e == 3 ? field(r, 0, 6) | field(x, 1, 2) << 6 : r;
}

static uint32_t thick_standard(uint32_t x, uint32_t y, uint32_t z, unsigned e)
{
    const uint32_t upper[5] = {bit(z, 2) | bit(y, 2) << 1, bit(z, 2) | bit(y, 2) << 1,
                               bit(y, 2) | bit(x, 2) << 1, field(x, 1, 2), field(x, 0, 2)};
    return upper[e] << 8 | (x << e & 15) | field(y, 0, 2) << 4 | field(z, 0, 2) << 6;
}

static uint32_t thick_morton(uint32_t x, uint32_t y, uint32_t z, unsigned e)
{
    /* How many low bits of each coordinate stand in the first 128 bytes. */
    static const uint8_t used[5][3] = {{3, 2, 2}, {2, 2, 2}, {2, 2, 1}, {2, 1, 1}, {1, 1, 1}};
    const uint32_t square = morton2(x, y, 2);
    uint32_t r = 0;
    switch (e) {
    case 0:
        r = square | field(z, 0, 2) << 4 | bit(x, 2) << 6;
        break;
    case 1:
        r = square << 1 | field(z, 0, 2) << 5;
        break;
    case 2:
        r = (field(square, 0, 3) | bit(z, 0) << 3) << 2 | bit(y, 1) << 6;
        break;
    case 3:
        r = (field(square, 0, 2) | bit(z, 0) << 2 | bit(x, 1) << 3) << 3;
        break;
    default:
        r = (field(square, 0, 2) | bit(z, 0) << 2) << 4;
    }
    return r | (morton3(z >> used[e][2], y >> used[e][1], x >> used[e][0], 1) << 7 & 0x380);
}

/* ---- Inside a block ---- */

static uint32_t thin_tiles(const struct mode *m, uint32_t x, uint32_t y, unsigned e)
{
    if (m->kind == KIND_Z) {
        unsigned pairs = e == 0 || e == 2 ? (6 - e) / 2 : 0; /* x first in these, then y first */
        return (morton2(x, y, pairs ? pairs : 13) |
                (pairs ? morton2(y >> pairs, x >> pairs, 9) << 2 * pairs : 0))
               << e;
    }
    uint32_t inside = m->kind == KIND_S   ? thin_standard(x, y, e)
                      : m->kind == KIND_D ? thin_display(x, y, e)
                                          : thin_rotated(x, y, e);
    return inside | morton2(y >> thin_tile[e][1], x >> thin_tile[e][0], 12) << 8;
}

static uint32_t thick_tiles(const struct mode *m, uint32_t x, uint32_t y, uint32_t z, unsigned e)
{
    uint32_t inside = m->kind == KIND_S ? thick_standard(x, y, z, e) : thick_morton(x, y, z, e);
    const uint8_t *tile = thick_tile[e];
    return inside | morton3(z >> tile[2], y >> tile[1], x >> tile[0], 8) << 10;
}

/* n bits that choose a pipe or a bank, mixed with the bits above them. */
static uint32_t fold(uint32_t v, unsigned n, bool thick)
{
    uint32_t r = field(v, 0, n);
    if (!thick)
        return r ^ reverse(field(v >> n, 0, n), n);
    return r ^ reverse(every_second(v >> n, n), n) ^ reverse(every_second(v >> (n + 1), n), n);
}

static uint32_t mixed(uint32_t offset, const struct pipes *p, bool thick)
{
    const unsigned low = p->interleave_log2;
    uint32_t pipe = fold(offset >> low, p->pipe_bits, thick);
    uint32_t bank = fold(offset >> (low + p->pipe_bits), p->bank_bits, thick);
    uint32_t rest = low + p->pipe_bits + p->bank_bits;
    return field(offset, 0, low) | pipe << low | bank << (low + p->pipe_bits) | offset >> rest << rest;
}

static uint32_t in_block(const struct mode *m, const struct pipes *p, unsigned e, const uint32_t at[3])
{
    const uint32_t mask = (1u << m->block_log2) - 1;
    uint32_t offset = m->thick ? thick_tiles(m, at[0], at[1], at[2], e) : thin_tiles(m, at[0], at[1], e);
    if (m->mix)
        offset = mixed(m->mix_slice ? offset : offset & mask, p, m->thick);
    if (m->mix_slice && !m->thick)
        offset ^= reverse(at[2], p->pipe_bits) << p->interleave_log2 ^
                  reverse(at[2] >> p->pipe_bits, p->bank_bits) << (p->interleave_log2 + p->pipe_bits);
    return offset & mask;
}

static void block_shape(struct sg_layout *l, bool thick)
{
    const unsigned e = l->texel_log2;
    if (thick) {
        unsigned more = l->block_log2 - 10, each = more / 3, rest = more % 3;
        l->block_bits[0] = (uint8_t)(thick_tile[e][0] + each);
        l->block_bits[1] = (uint8_t)(thick_tile[e][1] + each + rest / 2);
        l->block_bits[2] = (uint8_t)(thick_tile[e][2] + each + (rest != 0));
    } else {
        unsigned more = l->block_log2 - 8;
        l->block_bits[0] = (uint8_t)(thin_tile[e][0] + more / 2);
        l->block_bits[1] = (uint8_t)(thin_tile[e][1] + (more - more / 2));
        l->block_bits[2] = 0;
    }
}

/* table[i]: exclusive or of the entries of i's bits. */
static void spread(uint32_t table[128], const uint32_t of_bit[7])
{
    table[0] = 0;
    for (unsigned b = 0; b < 7; b++)
        for (unsigned i = 0; i < 1u << b; i++)
            table[1u << b | i] = table[i] ^ of_bit[b];
}

static bool pattern_gfx9(uint32_t gb_addr_config, unsigned sw, bool volume, unsigned texel_log2,
                         struct sg_layout_pattern *pattern)
{
    struct mode m;
    if (!mode_of(sw, volume, &m) || (volume && (m.block_log2 == 8 || m.kind == KIND_R)))
        return false;
    *pattern = (struct sg_layout_pattern){.block_log2 = (uint8_t)m.block_log2, .thick = m.thick};
    const struct pipes p = pipes_of(gb_addr_config, m.block_log2);
    for (unsigned axis = 0; axis < 3; axis++)
        for (unsigned b = 0; b < SG_COORDINATE_BITS; b++) {
            uint32_t at[3] = {0, 0, 0};
            at[axis] = 1u << b;
            pattern->of_bit[axis][b] = in_block(&m, &p, texel_log2, at);
        }
    return true;
}

bool sg_layout_describe(struct sg_layout *l, const struct ls_gpu *gpu, unsigned sw, enum sg_image_type type,
                        unsigned texel_log2, uint32_t pitch, uint32_t height)
{
    struct sg_layout_pattern pattern;
    const bool volume = type == SG_IMAGE_3D;
    /* Slices of gfx12 lie as if rows began at multiples of 256 bytes (its address library, HwlComputeSurfaceInfo). */
    const uint32_t unit = gpu->family->images == LS_IMAGE_GFX12 ? 256u >> texel_log2 : 1;
    *l = (struct sg_layout){.pitch = pitch,
                            .slice_texels = (pitch + unit - 1) / unit * unit * height,
                            .texel_log2 = (uint8_t)texel_log2};
    if (sw == 0)
        return true;
    /* Lines are linear, but on gfx12, where they may be planes of one row. */
    if ((type == SG_IMAGE_1D || type == SG_IMAGE_1D_ARRAY) && gpu->family->images != LS_IMAGE_GFX12)
        return false;
    if (!(gpu->family->images == LS_IMAGE_GFX9
              ? pattern_gfx9(gpu->card->gb_addr_config, sw, volume, texel_log2, &pattern)
              : sg_layout_pattern(gpu, sw, volume, texel_log2, &pattern)))
        return false;
    l->block_log2 = pattern.block_log2;
    block_shape(l, pattern.thick);
    l->row_blocks = (pitch + (1u << l->block_bits[0]) - 1) >> l->block_bits[0];
    l->slice_blocks = l->row_blocks * ((height + (1u << l->block_bits[1]) - 1) >> l->block_bits[1]);
    for (unsigned axis = 0; axis < 3; axis++) {
        spread(l->low[axis], pattern.of_bit[axis]);
        spread(l->high[axis], pattern.of_bit[axis] + 7);
    }
    return true;
}
