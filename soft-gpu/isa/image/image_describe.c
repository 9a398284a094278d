/*
 * image_describe.c - the image resource (T#): fields, and what a texel's bits mean.
 *
 *                  gfx9       gfx10      gfx11       gfx12
 *   word 0  address bits 39:8
 *   word 1  address bits 47:40 in 7:0
 *           FORMAT  25:20      28:20      27:20       24:17; gfx9: with a number format in 29:26
 *           WIDTH              31:30                  31:30, its lowest bits
 *           MAX_MIP                                   16:12
 *           BASE_LEVEL                                29:25
 *   word 2  WIDTH   13:0       11:0                   13:0, the rest; all of them less 1
 *           HEIGHT  27:14                             29:14, less 1
 *   word 3  DST_SEL 11:0, SW_MODE 24:20, TYPE 31:28
 *           BASE_LEVEL 15:12
 *           LAST_LEVEL 19:16                          19:15
 *           BC_SWIZZLE         27:25
 *   word 4  DEPTH   12:0                              13:0, depth - 1, or the last slice
 *           PITCH   28:13      13:0                   15:0, less 1; from gfx10 on in place of DEPTH; 0: that of the width
 *           BC_SWIZZLE 31:29
 *           BASE_ARRAY         28:16                  29:16
 *   word 5  BASE_ARRAY 12:0
 *   word 6  COMPRESSION_EN 21                         and for stores 20
 *
 * (ROCr, resource_ai.h, resource_nv.h, resource_gfx11.h, resource_gfx12.h.)
 */
#include <stdio.h>
#include "mem_image.h"

static uint32_t field(uint32_t word, unsigned low, unsigned n)
{
    return word >> low & ((1u << n) - 1);
}

/* The fields that stand at different places; sizes and slices as they are there, less 1. */
struct fields {
    uint32_t width, height, depth, pitch, base_array;
    bool levels, compressed;
    uint8_t bc_swizzle;
};

static struct fields take_fields(const struct ls_gpu *gpu, const uint32_t *t)
{
    switch (gpu->family->images) {
    case LS_IMAGE_GFX9:
        return (struct fields){.width = field(t[2], 0, 14),
                               .height = field(t[2], 14, 14),
                               .depth = field(t[4], 0, 13),
                               .pitch = field(t[4], 13, 16),
                               .base_array = field(t[5], 0, 13),
                               .levels = field(t[3], 12, 8),
                               .compressed = field(t[6], 21, 1),
                               .bc_swizzle = (uint8_t)field(t[4], 29, 3)};
    case LS_IMAGE_GFX10:
        return (struct fields){.width = field(t[1], 30, 2) | field(t[2], 0, 12) << 2,
                               .height = field(t[2], 14, 14),
                               .depth = field(t[4], 0, 13),
                               .pitch = field(t[4], 0, 14),
                               .base_array = field(t[4], 16, 13),
                               .levels = field(t[3], 12, 8),
                               .compressed = field(t[6], 21, 1),
                               .bc_swizzle = (uint8_t)field(t[3], 25, 3)};
    default:
        return (struct fields){.width = field(t[1], 30, 2) | field(t[2], 0, 14) << 2,
                               .height = field(t[2], 14, 16),
                               .depth = field(t[4], 0, 14),
                               .pitch = field(t[4], 0, 16),
                               .base_array = field(t[4], 16, 14),
                               .levels = field(t[3], 15, 5) || field(t[1], 12, 5) || field(t[1], 25, 5),
                               .compressed = field(t[6], 20, 2),
                               .bc_swizzle = (uint8_t)field(t[3], 25, 3)};
    }
}

static bool take_format(const struct ls_gpu *gpu, const uint32_t *t, struct sg_image *im, char *why)
{
    unsigned data = field(t[1], 20, 6), num = field(t[1], 26, 4), bits = 0;
    if (gpu->family->images == LS_IMAGE_GFX10)
        sg_format_of_code(gpu, field(t[1], 20, 9), &data, &num);
    else if (gpu->family->images == LS_IMAGE_GFX12)
        sg_format_of_code(gpu, field(t[1], 17, 8), &data, &num);
    im->num = (uint8_t)num;
    for (unsigned c = 0; c < 4 && data < SG_DATA_FORMATS; c++) {
        im->width[c] = sg_format_widths[data][c];
        bits += im->width[c];
    }
    im->bytes = (uint8_t)(bits / 8);
    bool known_num = im->num <= SG_NUM_SINT || im->num == SG_NUM_FLOAT || im->num == SG_NUM_SRGB;
    bool small_float = im->num == SG_NUM_FLOAT && im->width[0] < 10;
    bool wide_srgb = im->num == SG_NUM_SRGB && im->width[0] != 8;
    /* 96-bit texels: no address library mode but linear, and ROCr has none of them. */
    if (bits && bits != 96 && known_num && !small_float && !wide_srgb)
        return true;
    snprintf(why, SG_IMAGE_WHY, "image with data format %u and number format %u is not supported", data,
             im->num);
    return false;
}

static bool take_type(const struct fields *f, const uint32_t *t, struct sg_image *im, char *why)
{
    const unsigned type = field(t[3], 28, 4), depth = f->depth + 1;
    im->type = (enum sg_image_type)type;
    im->size[0] = f->width + 1;
    im->size[1] = f->height + 1;
    im->size[2] = 1;
    im->first_slice = 0;
    im->array = false;
    switch (im->type) {
    case SG_IMAGE_1D_ARRAY:
    case SG_IMAGE_2D_ARRAY:
        im->array = true;
        im->first_slice = f->base_array;
        im->size[2] = depth > im->first_slice ? depth - im->first_slice : 0;
        break;
    case SG_IMAGE_3D:
        im->size[2] = depth;
        break;
    case SG_IMAGE_1D:
    case SG_IMAGE_2D:
        break;
    default:
        snprintf(why, SG_IMAGE_WHY,
                 type < 8 ? "image instruction whose resource is no image (type %u)"
                          : "image of type %u (cube or multisampled) is not supported: ROCr makes none",
                 type);
        return false;
    }
    if (type == SG_IMAGE_1D || type == SG_IMAGE_1D_ARRAY)
        im->size[1] = 1; /* HEIGHT is meaningless */
    im->n_coord = type == SG_IMAGE_3D ? 3 : type == SG_IMAGE_2D || type == SG_IMAGE_2D_ARRAY ? 2 : 1;
    return true;
}

/* Texels from row to row. Rows of linear images of gfx10 and gfx11 begin at multiples of 256 bytes, those of gfx12 of 128 (its
 * address library in ROCr); swizzled ones are as wide as their blocks. */
static uint32_t pitch_of(const struct ls_gpu *gpu, const struct fields *f, unsigned mode,
                         const struct sg_image *im)
{
    if (gpu->family->images == LS_IMAGE_GFX9)
        return f->pitch + 1;
    const uint32_t unit = (gpu->family->images == LS_IMAGE_GFX12 ? 128u : 256u) / im->bytes;
    const bool has_depth = im->array || im->type == SG_IMAGE_3D;
    if (mode != 0)
        return im->size[0];
    return !has_depth && f->pitch ? f->pitch + 1 : (im->size[0] + unit - 1) / unit * unit;
}

static bool take_layout(const struct ls_gpu *gpu, const struct fields *f, const uint32_t *t,
                        struct sg_image *im, char *why)
{
    unsigned mode = field(t[3], 20, 5), texel_log2 = (unsigned)__builtin_ctz(im->bytes);
    if (f->levels) {
        snprintf(why, SG_IMAGE_WHY, "image with mip levels is not supported: ROCr makes none");
        return false;
    }
    if (f->compressed) {
        snprintf(why, SG_IMAGE_WHY, "compressed image is not supported: ROCr makes none");
        return false;
    }
    if (sg_layout_describe(&im->layout, gpu, mode, im->type, texel_log2, pitch_of(gpu, f, mode, im),
                           im->size[1]))
        return true;
    snprintf(why, SG_IMAGE_WHY, "image of type %u has no swizzle mode %u", im->type, mode);
    return false;
}

/* The predefined border colours differ in alpha only, so BC_SWIZZLE matters by where it puts alpha (W). */
static uint8_t alpha_component(unsigned bc_swizzle)
{
    static const uint8_t at[8] = {3, 1, 0, 0, 3, 2, 3, 3}; /* XYZW, XWYZ, WZYX, WXYZ, ZYXW, YXWZ */
    return at[bc_swizzle];
}

static bool describe(struct sg_image *im, const uint32_t *t, const struct ls_gpu *gpu, char *why)
{
    const struct fields f = take_fields(gpu, t);
    im->gpu = gpu;
    memcpy(im->words, t, sizeof im->words);
    im->base = (uint64_t)t[0] << 8 | (uint64_t)field(t[1], 0, 8) << 40;
    for (unsigned c = 0; c < 4; c++)
        im->select[c] = (uint8_t)field(t[3], 3 * c, 3);
    im->alpha = alpha_component(f.bc_swizzle);
    return take_format(gpu, t, im, why) && take_type(&f, t, im, why) && take_layout(gpu, &f, t, im, why);
}

/* Kernels use the same few images again and again, and the layout's tables cost more than a load. */
const struct sg_image *sg_image_describe(const uint32_t words[SG_IMAGE_WORDS], const struct ls_gpu *gpu,
                                         char why[SG_IMAGE_WHY])
{
    enum { WAYS = 8 };
    static _Thread_local struct sg_image cache[WAYS];
    static _Thread_local bool valid[WAYS];
    uint32_t hash = 0;
    for (unsigned i = 0; i < SG_IMAGE_WORDS; i++)
        hash = (hash ^ words[i]) * 0x9e3779b1u;
    const unsigned way = hash >> 29;
    if (valid[way] && cache[way].gpu == gpu && !memcmp(cache[way].words, words, sizeof cache[way].words))
        return &cache[way];
    valid[way] = describe(&cache[way], words, gpu, why);
    return valid[way] ? &cache[way] : NULL;
}

static uint32_t one(const struct sg_image *im)
{
    return sg_num_is_integer(im->num) ? 1 : 0x3f800000u;
}

void sg_image_select(const struct sg_image *im, const uint32_t component[4], uint32_t out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = im->select[c] >= SG_SELECT_X   ? component[im->select[c] - SG_SELECT_X]
                 : im->select[c] == SG_SELECT_1 ? one(im)
                                                : 0;
}

/* IEC 61966-2-1, "sRGB": the linear value of an 8-bit component. */
static float srgb(uint32_t raw)
{
    const double x = raw / 255.0, a = (x + 0.055) / 1.055, square = a * a;
    if (x <= 0.04045)
        return (float)(x / 12.92);
    double root = 1; /* a to the 2.4 is its square times the fifth root of that; Newton's iteration */
    for (unsigned i = 0; i < 40; i++)
        root = (4 * root + square / (root * root * root * root)) / 5;
    return (float)(square * root);
}

void sg_image_decode(const struct sg_image *im, const uint32_t texel[SG_TEXEL_BYTES / 4 + 1],
                     uint32_t component[4])
{
    if (im->width[0] == 32) { /* no conversion whatever the format, unless it is scaled */
        for (unsigned c = 0; c < 4; c++)
            component[c] = im->width[c] ? sg_component_decode(texel[c], 32, im->num) : c == 3 ? one(im) : 0;
        return;
    }
    for (unsigned c = 0, at = 0; c < 4; at += im->width[c++]) {
        if (!im->width[c]) {
            component[c] = c == 3 ? one(im) : 0;
            continue;
        }
        uint32_t raw = sg_component_extract(texel, at, im->width[c]);
        if (im->num == SG_NUM_SRGB)
            component[c] = c < 3 ? sg_u32(srgb(raw)) : sg_component_decode(raw, im->width[c], SG_NUM_UNORM);
        else
            component[c] = sg_component_decode(raw, im->width[c], im->num);
    }
}

/* Stores undo the destination select: ROCr gives images of order BGRA for writing with the same descriptor as
 * for reading. */
bool sg_image_encode(const struct sg_image *im, const uint32_t value[4],
                     uint32_t texel[SG_TEXEL_BYTES / 4 + 1])
{
    memset(texel, 0, SG_TEXEL_BYTES + 4);
    if (im->num == SG_NUM_SRGB || (im->num == SG_NUM_FLOAT && im->width[0] < 16))
        return false;
    for (unsigned c = 0, at = 0; c < 4; at += im->width[c++]) {
        unsigned from = 0;
        while (from < 4 && im->select[from] != SG_SELECT_X + c)
            from++;
        if (im->width[c] && from < 4)
            sg_component_insert(texel, at, im->width[c],
                                sg_component_encode(value[from], im->width[c], im->num));
    }
    return true;
}
