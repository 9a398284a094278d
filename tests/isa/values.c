/* values.c - see values.h. */
#include <stdio.h>
#include "values.h"
#include "ref_num.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const uint32_t special32[] = {0,          1,          2,          15,         16,        31,
                                     32,         33,         63,         64,         65,        127,
                                     128,        255,        256,        0x7fff,     0x8000,    0xffff,
                                     0x10000,    0x7fffff,   0x800000,   0xffffff,   0x1000000, 0x7fffffff,
                                     0x80000000, 0x80000001, 0xffff8000, 0xfffffffe, 0xffffffff};
static const uint32_t special_f32[] = {
    0,          0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x3f800000, 0xbf800000, 0x40000000, 0x3f000000, 0xbf000000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0xffa00000, 0x3effffff, 0x3fc00000, 0x40200000,
    0xc0200000, 0x4b000000, 0x4b000001, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x3e22f983};
static const uint16_t special_f16[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x83ff, 0x400,  0x8400, 0x3c00,
                                       0xbc00, 0x4000, 0x3800, 0xb800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
                                       0xfe01, 0x7c01, 0xfd00, 0x3e00, 0x4100, 0xc100, 0x6400};
static const uint64_t special_f64[] = {0,
                                       1ull << 63,
                                       1,
                                       0x8000000000000001,
                                       0x000fffffffffffff,
                                       0x0010000000000000,
                                       0x8010000000000000,
                                       0x3ff0000000000000,
                                       0xbff0000000000000,
                                       0x3fe0000000000000,
                                       0xbfe0000000000000,
                                       0x4000000000000000,
                                       0x3ff8000000000000,
                                       0x4004000000000000,
                                       0x7fefffffffffffff,
                                       0xffefffffffffffff,
                                       0x7ff0000000000000,
                                       0xfff0000000000000,
                                       0x7ff8000000000000,
                                       0xfff8000000000001,
                                       0x7ff0000000000001,
                                       0x41dfffffffc00000,
                                       0x41e0000000000000,
                                       0xc1e0000000000000,
                                       0x41efffffffe00000,
                                       0x41f0000000000000,
                                       0x36a0000000000000,
                                       0x3810000000000000,
                                       0x47efffffe0000000,
                                       0x47effffff0000000};

static uint32_t random_f32(struct rng *r)
{
    switch (rng_below(r, 6)) {
    case 0:
    case 1:
        return special_f32[rng_below(r, COUNT(special_f32))];
    case 2: /* any bits */
        return (uint32_t)rng64(r);
    case 3: /* small integers and halves */
        return bits_of_f32((float)((int)rng_below(r, 4096) - 2048) / 2);
    default: /* ordinary sizes */
        return ((uint32_t)rng64(r) & 0x807fffff) | (100 + rng_below(r, 56)) << 23;
    }
}
static uint16_t random_f16(struct rng *r)
{
    switch (rng_below(r, 4)) {
    case 0:
        return special_f16[rng_below(r, COUNT(special_f16))];
    case 1:
        return (uint16_t)rng64(r);
    default:
        return (uint16_t)((rng64(r) & 0x83ff) | (8 + rng_below(r, 14)) << 10);
    }
}
static uint64_t random_f64(struct rng *r)
{
    switch (rng_below(r, 6)) {
    case 0:
    case 1:
        return special_f64[rng_below(r, COUNT(special_f64))];
    case 2:
        return rng64(r);
    case 3:
        return bits_of_f64(((int)rng_below(r, 4096) - 2048) / 2.0);
    case 4: /* in the range of binary32 and of 32-bit integers */
        return (rng64(r) & 0x800fffffffffffff) | (uint64_t)(1023 + rng_below(r, 34)) << 52;
    default:
        return (rng64(r) & 0x800fffffffffffff) | (uint64_t)(900 + rng_below(r, 250)) << 52;
    }
}
static uint32_t random_32(struct rng *r)
{
    switch (rng_below(r, 4)) {
    case 0:
        return special32[rng_below(r, COUNT(special32))];
    case 1:
        return rng_below(r, 64);
    default:
        return (uint32_t)rng64(r);
    }
}
static uint16_t random_16(struct rng *r)
{
    static const uint16_t special[] = {0, 1, 15, 16, 17, 255, 256, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff};
    return rng_below(r, 3) ? (uint16_t)rng64(r) : special[rng_below(r, COUNT(special))];
}

uint64_t value_random(struct rng *r, enum value_type t)
{
    switch (t) {
    case T_F32:
        return random_f32(r);
    case T_F16: /* garbage above must not matter */
        return random_f16(r) | (uint32_t)random_f16(r) << 16;
    case T_B16:
    case T_PK16:
        return random_16(r) | (uint32_t)random_16(r) << 16;
    case T_PKF16:
        return random_f16(r) | (uint32_t)random_f16(r) << 16;
    case T_BF16x2:
        return random_f32(r) >> 16 | (random_f32(r) & 0xffff0000);
    case T_F64:
        return random_f64(r);
    case T_PKF32:
        return random_f32(r) | (uint64_t)random_f32(r) << 32;
    case T_B64:
    case T_B128:
    case T_BIT:
        return rng_below(r, 4) ? random_32(r) | (uint64_t)random_32(r) << 32
                               : (uint64_t)(int64_t)(int32_t)random_32(r);
    default:
        return random_32(r);
    }
}

static const struct {
    const char *text;
    uint16_t f16;
    uint32_t f32;
    uint64_t f64;
} inline_float[] = {
    {"0.5", 0x3800, 0x3f000000, 0x3fe0000000000000},
    {"-0.5", 0xb800, 0xbf000000, 0xbfe0000000000000},
    {"1.0", 0x3c00, 0x3f800000, 0x3ff0000000000000},
    {"-1.0", 0xbc00, 0xbf800000, 0xbff0000000000000},
    {"2.0", 0x4000, 0x40000000, 0x4000000000000000},
    {"-2.0", 0xc000, 0xc0000000, 0xc000000000000000},
    {"4.0", 0x4400, 0x40800000, 0x4010000000000000},
    {"-4.0", 0xc400, 0xc0800000, 0xc010000000000000},
    /* 1/(2*pi): 0x3118, 0x3e22f983, 0x3fc45f306dc9c882 (ISA manual, scalar operand table) */
    {"0.15915494309189532", 0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
};

uint64_t value_inline(unsigned encoding, enum value_type t)
{
    if (encoding < 240) {
        int64_t v = encoding <= 192 ? (int64_t)encoding - 128 : 192 - (int64_t)encoding;
        return type_dwords(t) == 1 ? (uint32_t)v : (uint64_t)v;
    }
    switch (t) {
    case T_F16:
    case T_PKF16:
        return inline_float[encoding - 240].f16;
    case T_B64:
    case T_F64:
        return inline_float[encoding - 240].f64;
    default:
        return inline_float[encoding - 240].f32;
    }
}
const char *value_inline_text(unsigned encoding)
{
    static char text[16];
    if (encoding >= 240)
        return inline_float[encoding - 240].text;
    snprintf(text, sizeof text, "%d", encoding <= 192 ? (int)encoding - 128 : 192 - (int)encoding);
    return text;
}
uint64_t value_literal(uint32_t literal, enum value_type t)
{
    return t == T_F64 ? (uint64_t)literal << 32 : literal;
}
