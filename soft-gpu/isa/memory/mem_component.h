/*
 * mem_component.h - one component of a formatted element, between its bits in memory and the register's view
 * of it; shared by formatted buffer accesses and by images.
 *
 * Formats: CDNA3 ISA guide, "Buffer Resource Descriptor" (DATA_FORMAT, NUM_FORMAT); a format name lists its
 * components from the most significant one, so X is the last. Conversions follow the rules that all graphics
 * interfaces share: stores clamp to the range of the format and round to nearest even.
 */
#ifndef SOFT_GPU_ISA_MEM_COMPONENT_H
#define SOFT_GPU_ISA_MEM_COMPONENT_H

#include <math.h>
#include "mem_atomic_ops.h"

enum sg_num_format {
    SG_NUM_UNORM,
    SG_NUM_SNORM,
    SG_NUM_USCALED,
    SG_NUM_SSCALED,
    SG_NUM_UINT,
    SG_NUM_SINT,
    SG_NUM_RESERVED,
    SG_NUM_FLOAT,
    SG_NUM_SRGB = 9 /* images only */
};

enum { SG_DATA_FORMATS = 20 };
/* Bits of X, Y, Z, W by DATA_FORMAT; all 0: not known here. From 16 on they are formats of images only. */
extern const uint8_t sg_format_widths[SG_DATA_FORMATS][4];
/* mem_format_codes.c: what the FORMAT of gfx10 and later means, of images and of buffers: DATA_FORMAT and enum sg_num_format. False, and
 * both 0: nothing that is known here. */
bool sg_format_of_code(const struct ls_gpu *gpu, unsigned code, unsigned *data, unsigned *num);

SG_INLINE uint32_t sg_component_extract(const uint32_t *data, unsigned at, unsigned width)
{
    uint64_t two = data[at / 32] | (at % 32 + width > 32 ? (uint64_t)data[at / 32 + 1] << 32 : 0);
    return (uint32_t)(two >> at % 32 & (width == 32 ? UINT32_MAX : (1u << width) - 1));
}

SG_INLINE void sg_component_insert(uint32_t *data, unsigned at, unsigned width, uint32_t value)
{
    for (unsigned i = 0; i < width; i++, at++)
        data[at / 32] = (data[at / 32] & ~(1u << at % 32)) | (value >> i & 1) << at % 32;
}

SG_INLINE float sg_half_to_float(uint16_t h)
{
    _Float16 f;
    memcpy(&f, &h, sizeof f);
    return (float)f;
}

SG_INLINE uint16_t sg_float_to_half(float x)
{
    _Float16 f = (_Float16)x;
    uint16_t h;
    memcpy(&h, &f, sizeof h);
    return h;
}

SG_INLINE bool sg_num_is_integer(unsigned num)
{
    return num == SG_NUM_UINT || num == SG_NUM_SINT;
}

/* A component as the register shows it: f32 bits, or an integer. */
static inline uint32_t sg_component_decode(uint32_t raw, unsigned width, unsigned num)
{
    const uint32_t max = width == 32 ? UINT32_MAX : (1u << width) - 1;
    const int32_t sign = (int32_t)(raw << (32 - width)) >> (32 - width);
    switch (num) {
    case SG_NUM_UNORM:
        return sg_u32((float)((double)raw / max));
    case SG_NUM_SNORM: {
        double x = (double)sign / (max >> 1);
        return sg_u32((float)(x < -1 ? -1 : x));
    }
    case SG_NUM_USCALED:
        return sg_u32((float)raw);
    case SG_NUM_SSCALED:
        return sg_u32((float)sign);
    case SG_NUM_SINT:
        return (uint32_t)sign;
    case SG_NUM_FLOAT:
        if (width == 16)
            return sg_u32(sg_half_to_float((uint16_t)raw));
        if (width == 10 || width == 11) /* unsigned: exponent as f16, 5 or 6 bits of mantissa */
            return sg_u32(sg_half_to_float((uint16_t)(raw << (15 - width))));
        return raw;
    default:
        return raw;
    }
}

/* Nearest integer inside [low, high]; NaN gives 0. */
SG_INLINE int64_t sg_to_integer(double x, int64_t low, int64_t high)
{
    if (isnan(x))
        return 0;
    if (x <= (double)low)
        return low;
    if (x >= (double)high)
        return high;
    return (int64_t)nearbyint(x);
}

static inline uint32_t sg_component_encode(uint32_t value, unsigned width, unsigned num)
{
    const int64_t umax = (int64_t)((1ull << width) - 1), smax = umax >> 1;
    const double x = (double)sg_f32(value);
    switch (num) {
    case SG_NUM_UNORM:
        return (uint32_t)sg_to_integer(x * (double)umax, 0, umax);
    case SG_NUM_SNORM:
        return (uint32_t)sg_to_integer(x * (double)smax, -smax, smax);
    case SG_NUM_USCALED:
        return (uint32_t)sg_to_integer(x, 0, umax);
    case SG_NUM_SSCALED:
        return (uint32_t)sg_to_integer(x, -smax - 1, smax);
    case SG_NUM_UINT:
        return value > umax ? (uint32_t)umax : value;
    case SG_NUM_SINT: {
        int64_t i = (int32_t)value;
        return (uint32_t)(i > smax ? smax : i < -smax - 1 ? -smax - 1 : i);
    }
    default:
        return width == 16 ? sg_float_to_half(sg_f32(value)) : value;
    }
}

/* Between a register's component and the 16 bits that D16 instructions keep of it. */
SG_INLINE uint32_t sg_component_narrow(uint32_t value, unsigned num)
{
    return sg_num_is_integer(num) ? value & 0xffff : sg_float_to_half(sg_f32(value));
}

SG_INLINE uint32_t sg_component_widen(uint32_t half, unsigned num)
{
    if (num == SG_NUM_SINT)
        return (uint32_t)(int16_t)half;
    return num == SG_NUM_UINT ? half : sg_u32(sg_half_to_float((uint16_t)half));
}

#endif
