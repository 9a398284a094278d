/*
 * Formats of images: what loads and stores do to a texel's components, against the definitions of their kinds of numbers.
 */
#include <math.h>
#include "image_test.h"

struct format {
    unsigned data, bytes, width[4];
};
/* Names of the formats: 8, 16, 8_8, 32, 16_16, 2_10_10_10 (X lowest), 8_8_8_8, 32_32, 16_16_16_16,
 * 32_32_32_32, 5_6_5, 1_5_5_5: what ROCr makes. */
static const struct format formats[] = {
    {1, 1, {8}},
    {2, 2, {16}},
    {3, 2, {8, 8}},
    {4, 4, {32}},
    {5, 4, {16, 16}},
    {9, 4, {10, 10, 10, 2}},
    {10, 4, {8, 8, 8, 8}},
    {11, 8, {32, 32}},
    {12, 8, {16, 16, 16, 16}},
    {14, 16, {32, 32, 32, 32}},
    {16, 2, {5, 6, 5}},
    {17, 2, {5, 5, 5, 1}},
};

/* Bits [at, at + n) of little-endian bytes. */
static uint64_t raw_bits(const uint8_t *p, unsigned at, unsigned n)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < n; i++)
        x |= (uint64_t)(p[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return x;
}

static float from_half(uint32_t h)
{
    int exponent = (int)(h >> 10 & 31), mantissa = (int)(h & 1023);
    float x = exponent == 31  ? mantissa ? NAN : INFINITY
              : exponent == 0 ? ldexpf((float)mantissa, -24)
                              : ldexpf((float)(mantissa + 1024), exponent - 25);
    return h & 0x8000 ? -x : x;
}

/* The component as a register shows it. */
static uint32_t reference_component(uint64_t raw, unsigned n, unsigned num, unsigned which)
{
    int64_t sign = raw >> (n - 1) & 1 ? (int64_t)raw - (1ll << n) : (int64_t)raw;
    double unorm = (double)raw / (double)((1ull << n) - 1),
           snorm = (double)sign / (double)((1ull << (n - 1)) - 1);
    switch (num) {
    case UNORM:
        return sg_u32((float)unorm);
    case SNORM:
        return sg_u32((float)(snorm < -1 ? -1 : snorm));
    case UINT:
        return (uint32_t)raw;
    case SINT:
        return (uint32_t)sign;
    case SRGB:
        return sg_u32((float)(which == 3         ? unorm
                              : unorm <= 0.04045 ? unorm / 12.92
                                                 : pow((unorm + 0.055) / 1.055, 2.4)));
    default:
        return n == 16 ? sg_u32(from_half((uint32_t)raw)) : (uint32_t)raw;
    }
}

/* Whether ROCr has the pair. */
static bool has(const struct format *f, unsigned num)
{
    switch (num) {
    case FLOAT:
        return f->width[0] >= 16;
    case SRGB:
        return f->data == 10;
    case UNORM:
        return f->width[0] < 32;
    case SNORM:
        return f->width[0] == 8 || f->width[0] == 16;
    default:
        return (num == UINT || num == SINT) && f->width[0] >= 8 && f->data != 9;
    }
}

static void check_format(struct bench *t, const struct format *f, unsigned num)
{
    const struct resource r = {.type = SG_IMAGE_1D,
                               .data = f->data,
                               .num = num,
                               .select = XYZW,
                               .w = 60,
                               .h = 16384,
                               .d = 1,
                               .pitch = 256};
    put_resource(t, &r);
    for (unsigned i = 0; i < 1024; i++)
        t->host[i] = (uint8_t)(i * 73 + i / 7 + num);
    for (unsigned lane = 0; lane < 64; lane++)
        t->image->v[ADDRESS][lane] = lane; /* 60 to 63 are outside */
    run_ok(t, "image_load v[10:13], v2, s[8:15] dmask:0xf unorm");
    const uint32_t one = num == UINT || num == SINT ? 1 : sg_u32(1);
    for (unsigned lane = 0; lane < 64; lane++) {
        unsigned at = lane * f->bytes * 8;
        for (unsigned c = 0; c < 4; at += f->width[c++]) {
            uint32_t want = f->width[c]
                                ? reference_component(raw_bits(t->host, at, f->width[c]), f->width[c], num, c)
                            : c == 3 ? one
                                     : 0;
            uint32_t got = t->image->v[DATA + c][lane];
            if (lane >= 60)
                assert_int_equal(got, 0);
            else if (got != want && !(num == FLOAT && isnan(sg_f32(got)) && isnan(sg_f32(want))) &&
                     !(num == SRGB && fabsf(sg_f32(got) - sg_f32(want)) < 1e-7f))
                fail_msg("format %u %u component %u of texel %u: %x, not %x", f->data, num, c, lane, got,
                         want);
        }
    }
}

/* What was loaded, stored one row on, gives the same bits: all values of these formats are exact. */
static void check_store(struct bench *t, const struct format *f, unsigned num)
{
    enum { PLACE = 4096 };
    memset(t->host + PLACE, 0xcc, 1024);
    t->image->s[T] += PLACE >> 8;
    run_ok(t, "image_store v[10:13], v2, s[8:15] dmask:0xf unorm");
    for (unsigned at = 0; at < 60 * f->bytes * 8; at += f->bytes * 8)
        for (unsigned c = 0, b = at; c < 4; b += f->width[c++]) {
            if (!f->width[c])
                continue;
            uint64_t was = raw_bits(t->host, b, f->width[c]), is = raw_bits(t->host + PLACE, b, f->width[c]);
            bool lowest = num == SNORM && was == 1ull << (f->width[c] - 1); /* -1 has two codes */
            bool nan = num == FLOAT && f->width[c] == 16 && (was & 0x7c00) == 0x7c00;
            if (was != (lowest ? is - 1 : is) && !nan)
                fail_msg("format %u %u component %u at %u: stored %llx, not %llx", f->data, num, c, at / 8,
                         (unsigned long long)is, (unsigned long long)was);
        }
    for (unsigned i = 60 * f->bytes; i < 1024; i++)
        assert_int_equal(t->host[PLACE + i], 0xcc);
}

static void all_formats(void **state)
{
    struct bench t;
    (void)state;
    bench_open(&t, "gfx90a");
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++)
        for (unsigned num = 0; num < 10; num++)
            if (has(&formats[i], num)) {
                check_format(&t, &formats[i], num);
                if (num != SRGB)
                    check_store(&t, &formats[i], num);
            }
    bench_close(&t);
}

/* DMASK packs what it asks for; selects reorder; stores undo them and clear what is left out. */
static void selects_and_masks(void **state)
{
    struct bench t;
    (void)state;
    bench_open(&t, "gfx90a");
    struct resource r = {
        .type = SG_IMAGE_1D, .data = 10, .num = UINT, .select = ZYXW, .w = 64, .h = 1, .d = 1, .pitch = 64};
    put_resource(&t, &r);
    put_host32(&t, 0, 0x44332211);
    t.image->v[DATA + 2][0] = 99;
    set_exec(&t, 1);
    run_ok(&t, "image_load v[10:12], v2, s[8:15] dmask:0xb unorm"); /* Z, Y, W */
    assert_int_equal(t.image->v[DATA][0], 0x33);
    assert_int_equal(t.image->v[DATA + 1][0], 0x22);
    assert_int_equal(t.image->v[DATA + 2][0], 0x44);
    run_ok(&t, "image_load v[10:11], v2, s[8:15] dmask:0xf unorm d16");
    assert_int_equal(t.image->v[DATA][0], 0x220033);
    assert_int_equal(t.image->v[DATA + 1][0], 0x440011);
    t.image->v[DATA][0] = t.image->v[DATA + 1][0] = UINT32_MAX;
    run_ok(&t, "image_load v[10:11], v2, s[8:15] dmask:0x7 unorm d16"); /* three: half a register is left */
    assert_int_equal(t.image->v[DATA][0], 0x220033);
    assert_int_equal(t.image->v[DATA + 1][0], 0x11);
    t.image->v[DATA][0] = 5, t.image->v[DATA + 1][0] = 300; /* beyond 255: saturates */
    run_ok(&t, "image_store v[10:11], v2, s[8:15] dmask:0x3 unorm");
    assert_int_equal(host32(&t, 0), 0x0005ff00);
    r.select = X001;
    r.num = UNORM;
    r.data = 1;
    put_resource(&t, &r);
    t.host[0] = 255;
    run_ok(&t, "image_load v[10:11], v2, s[8:15] dmask:0xf unorm d16");
    assert_int_equal(t.image->v[DATA][0], 0x3c00);          /* 1, 0 */
    assert_int_equal(t.image->v[DATA + 1][0], 0x3c000000u); /* 0, 1 */
    bench_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formats),
        cmocka_unit_test(selects_and_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
