/*
 * image_sample.c - the image sampler (S#): which texels a sample is made of, and with what weights.
 *
 * Word 0: CLAMP_X 2:0, CLAMP_Y 5:3, CLAMP_Z 8:6, FORCE_UNNORMALIZED 15, FORCE_DEGAMMA 20, TRUNC_COORD 27,
 * FILTER_MODE 30:29. Word 2: XY_MAG_FILTER 21:20, XY_MIN_FILTER 23:22, Z_FILTER 25:24. Word 3:
 * BORDER_COLOR_TYPE 31:30. (ROCr, resource_ai.h, resource_nv.h, resource_gfx11.h, resource_gfx12.h: they have these fields at the same places.) With
 * one mip level, what concerns levels has no effect.
 *
 * Coordinates are rounded to 8 fractional bits, to nearest even, before anything is cut off; point sampling
 * does the same unless TRUNC_COORD is set. So do AMD's GPUs in vkd3d-proton's measurements
 * ("test_sampler_rounding", pull request 1884), and AMD's device library counts on it: for point sampling
 * with normalised coordinates it passes floor(x * width) / width, which falls below the texel by a rounding
 * error (ockl, image.cl).
 */
#include <stdio.h>
#include "mem_image.h"

enum { FRACTION = 256 };

static uint32_t field(uint32_t word, unsigned low, unsigned n)
{
    return word >> low & ((1u << n) - 1);
}

static bool refuse(char *why, const char *what, unsigned value)
{
    snprintf(why, SG_IMAGE_WHY, "sampler with %s %u is not supported: ROCr makes none", what, value);
    return false;
}

bool sg_sampler_describe(const uint32_t s[SG_SAMPLER_WORDS], struct sg_sampler *out, char why[SG_IMAGE_WHY])
{
    const unsigned mag = field(s[2], 20, 2), min = field(s[2], 22, 2), z = field(s[2], 24, 2);
    for (unsigned i = 0; i < 3; i++) {
        out->wrap[i] = (uint8_t)field(s[0], 3 * i, 3);
        if (out->wrap[i] == 4 || out->wrap[i] == 5)
            return refuse(why, "address mode (half border)", out->wrap[i]);
    }
    if (mag > 1 || min > 1)
        return refuse(why, "anisotropic filter", mag > 1 ? mag : min);
    if (mag != min)
        return refuse(why, "different filters for magnifying and minifying:", mag);
    if (field(s[0], 29, 2))
        return refuse(why, "filter mode (minimum or maximum)", field(s[0], 29, 2));
    if (field(s[0], 20, 1))
        return refuse(why, "forced gamma decoding", 1);
    out->border = (uint8_t)(s[3] >> 30);
    if (out->border == 3)
        return refuse(why, "border colour from memory, type", 3);
    out->normalised = !field(s[0], 15, 1);
    out->truncate = field(s[0], 27, 1);
    out->linear = mag;
    /* 0, "none": as in the plane. ROCr and Mesa set nothing else and get linearly filtered volumes. */
    out->linear_z = z ? z == 2 : mag;
    return true;
}

/* Index of a texel for index i of an endless row; -1: border. */
static int32_t wrap(int64_t i, int64_t n, enum sg_wrap mode)
{
    if ((mode == SG_MIRROR_ONCE || mode == SG_MIRROR_ONCE_BORDER) && i < 0)
        i = -1 - i;
    switch (mode) {
    case SG_WRAP:
        i %= n;
        return (int32_t)(i < 0 ? i + n : i);
    case SG_MIRROR:
        i %= 2 * n;
        i = i < 0 ? i + 2 * n : i;
        return (int32_t)(i < n ? i : 2 * n - 1 - i);
    case SG_CLAMP:
    case SG_MIRROR_ONCE:
        return (int32_t)(i < 0 ? 0 : i >= n ? n - 1 : i);
    default:
        return i < 0 || i >= n ? -1 : (int32_t)i;
    }
}

/* One axis: up to two texels and the second one's weight. */
struct axis {
    int32_t at[2];
    double second;
    unsigned n;
};

static struct axis sample_axis(float coord, uint32_t size, const struct sg_sampler *sampler,
                               enum sg_wrap mode, bool linear)
{
    double u = isnan(coord) ? 0 : coord;
    const double far = 1ll << 40; /* beyond all images, and exact in what follows */
    if (sampler->normalised)
        u *= size;
    u = u > far ? far : u < -far ? -far : u;
    if (!linear) {
        double texel = sampler->truncate ? floor(u) : floor(nearbyint(u * FRACTION) / FRACTION);
        return (struct axis){{wrap((int64_t)texel, size, mode), 0}, 0, 1};
    }
    const int64_t fixed = (int64_t)nearbyint((u - 0.5) * FRACTION);
    const int64_t fraction = fixed & (FRACTION - 1), texel = (fixed - fraction) / FRACTION;
    return (struct axis){
        {wrap(texel, size, mode), wrap(texel + 1, size, mode)}, (double)fraction / FRACTION, 2};
}

/* Slices are not filtered: the nearest one, inside the image. */
static struct axis slice_axis(float coord, uint32_t n)
{
    double u = isnan(coord) ? 0 : nearbyint(coord);
    double last = n ? n - 1 : 0;
    return (struct axis){{(int32_t)(u < 0 ? 0 : u > last ? last : u), 0}, 0, 1};
}

void sg_sample_taps(const struct sg_image *im, const struct sg_sampler *sampler, const float coord[3],
                    struct sg_taps *taps)
{
    struct axis axis[3];
    for (unsigned i = 0; i < 3; i++) {
        if (i < im->n_coord)
            axis[i] = sample_axis(coord[i], im->size[i], sampler, sampler->wrap[i],
                                  i == 2 ? sampler->linear_z : sampler->linear);
        else
            axis[i] = slice_axis(i == 2 && im->array ? coord[2] : 0, i == 2 ? im->size[2] : 1);
    }
    taps->n = 0;
    for (unsigned k = 0; k < 8; k++) {
        double weight = 1;
        unsigned which[3] = {k & 1, k >> 1 & 1, k >> 2};
        for (unsigned i = 0; i < 3; i++)
            weight *= which[i] >= axis[i].n ? 0 : which[i] ? axis[i].second : 1 - axis[i].second;
        if (weight == 0)
            continue;
        for (unsigned i = 0; i < 3; i++)
            taps->tap[taps->n].at[i] = axis[i].at[which[i]];
        taps->tap[taps->n++].weight = weight;
    }
}

void sg_gather_places(const struct sg_image *im, const struct sg_sampler *sampler, const float coord[3],
                      int32_t at[4][3])
{
    static const uint8_t right[4] = {0, 1, 1, 0}, up[4] = {1, 1, 0, 0};
    const struct axis x = sample_axis(coord[0], im->size[0], sampler, sampler->wrap[0], true);
    const struct axis y = sample_axis(coord[1], im->size[1], sampler, sampler->wrap[1], true);
    const struct axis z = slice_axis(im->array ? coord[2] : 0, im->size[2]);
    for (unsigned t = 0; t < 4; t++) {
        at[t][0] = x.at[right[t]];
        at[t][1] = y.at[up[t]];
        at[t][2] = z.at[0];
    }
}

void sg_border_color(const struct sg_image *im, const struct sg_sampler *sampler, uint32_t component[4])
{
    const uint32_t one = sg_num_is_integer(im->num) ? 1 : 0x3f800000u;
    for (unsigned c = 0; c < 4; c++)
        component[c] = sampler->border == 2 || (sampler->border == 1 && c == im->alpha) ? one : 0;
}
