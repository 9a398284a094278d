/*
 * Image instructions against scalar references: the layout of surfaces against what AMD's address library
 * gives, formats against the definitions of their components, samples against the formulas of the HIP
 * programming guide ("Texture fetching") with coordinates of 8 fractional bits.
 */
#include <math.h>
#include "soft-gpu/isa/image/mem_image.h"
#include "mem_test.h"
#include "soft-gpu/isa/code/bits.h"
#include "gcn/gcn.h"

enum { T = 8, S = 16, ADDRESS = 2, DATA = 10 }; /* first SGPR of T# and S#, first VGPRs */
enum { XYZW = 4 | 5 << 3 | 6 << 6 | 7 << 9, X001 = 4 | 1 << 9, ZYXW = 6 | 5 << 3 | 4 << 6 | 7 << 9 };
enum { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT = 7, SRGB = 9 };

struct resource {
    unsigned type, mode, data, num, select, w, h, d, pitch, first_slice;
};

static void put_resource(struct bench *t, const struct resource *r)
{
    uint32_t *s = &t->image->s[T];
    s[0] = (uint32_t)(GPU_BASE >> 8);
    s[1] = (uint32_t)(GPU_BASE >> 40) | r->data << 20 | r->num << 26;
    s[2] = (r->w - 1) | (r->h - 1) << 14;
    s[3] = r->select | r->mode << 20 | r->type << 28;
    s[4] = (r->d - 1) | (r->pitch - 1) << 13;
    s[5] = r->first_slice;
    s[6] = s[7] = 0;
}

static void put_sampler(struct bench *t, unsigned wrap, bool linear, bool unnormalised)
{
    uint32_t *s = &t->image->s[S];
    s[0] = wrap | wrap << 3 | wrap << 6 | (uint32_t)unnormalised << 15;
    s[1] = 4095 << 12;
    s[2] = linear ? 5u << 20 : 0;
    s[3] = 0;
}

/* ---- Layout ---- */

/* FNV-1a (over whole offsets) of 256 texels of a surface of 1024 x 512 x 64 for each size of texel that the
 * mode has, 1, 2, 4.. bytes, with GB_ADDR_CONFIG 0x2a114042. The numbers are those of
 * Addr2ComputeSurfaceAddrFromCoord in ROCr's address library. */
static const struct {
    enum sg_image_type type;
    unsigned mode, sizes;
    uint64_t hash;
} layouts[] = {
    {SG_IMAGE_2D_ARRAY, 0, 5, 0x37e059f98d64de05},  {SG_IMAGE_2D_ARRAY, 1, 5, 0x35544475b2709655},
    {SG_IMAGE_2D_ARRAY, 2, 5, 0x7ae4c0cbd0ec700d},  {SG_IMAGE_2D_ARRAY, 3, 4, 0x629b44113d5f7f72},
    {SG_IMAGE_2D_ARRAY, 4, 4, 0x8819cee71586a28f},  {SG_IMAGE_2D_ARRAY, 5, 5, 0xf915a82f097bed55},
    {SG_IMAGE_2D_ARRAY, 6, 5, 0xac3ec124d3afc90d},  {SG_IMAGE_2D_ARRAY, 7, 4, 0x7e0019ee3104fb72},
    {SG_IMAGE_2D_ARRAY, 8, 4, 0xb2db1172ea4ea28f},  {SG_IMAGE_2D_ARRAY, 9, 5, 0x29f805b106175d55},
    {SG_IMAGE_2D_ARRAY, 10, 5, 0x2d94e1a794d4d90d}, {SG_IMAGE_2D_ARRAY, 11, 4, 0x5086bd2b3954bb72},
    {SG_IMAGE_2D_ARRAY, 16, 4, 0x26794641ea4b1a8f}, {SG_IMAGE_2D_ARRAY, 17, 5, 0x8b127a3369443e55},
    {SG_IMAGE_2D_ARRAY, 18, 5, 0x97dbc345e507ba0d}, {SG_IMAGE_2D_ARRAY, 19, 4, 0xa2944d1327bcbf72},
    {SG_IMAGE_2D_ARRAY, 20, 4, 0xc2013ee2a3d2028f}, {SG_IMAGE_2D_ARRAY, 21, 5, 0x277652df74c6df55},
    {SG_IMAGE_2D_ARRAY, 22, 5, 0xf317d8934910b10d}, {SG_IMAGE_2D_ARRAY, 23, 4, 0x40211a1b9423a772},
    {SG_IMAGE_2D_ARRAY, 24, 4, 0x22d8154b8bb9828f}, {SG_IMAGE_2D_ARRAY, 25, 5, 0x42345292bbd61f55},
    {SG_IMAGE_2D_ARRAY, 26, 5, 0xf309d9e40c70710d}, {SG_IMAGE_2D_ARRAY, 27, 4, 0x387929e0f0a98772},
    {SG_IMAGE_3D, 0, 5, 0x37e059f98d64de05},        {SG_IMAGE_3D, 4, 5, 0x7cf4d533d3bf88af},
    {SG_IMAGE_3D, 5, 5, 0xbb1f64132eb06b15},        {SG_IMAGE_3D, 6, 5, 0xf915a82f097bed55},
    {SG_IMAGE_3D, 8, 5, 0x4e8cd9de51d2c8af},        {SG_IMAGE_3D, 9, 5, 0x0b52ebdff6642b15},
    {SG_IMAGE_3D, 10, 5, 0x29f805b106175d55},       {SG_IMAGE_3D, 16, 5, 0x6ad33c6270ce88af},
    {SG_IMAGE_3D, 17, 5, 0x70723abb59fb5b15},       {SG_IMAGE_3D, 20, 5, 0x577c4c0a8749e1af},
    {SG_IMAGE_3D, 21, 5, 0x9236df105c977615},       {SG_IMAGE_3D, 22, 5, 0x277652df74c6df55},
    {SG_IMAGE_3D, 24, 5, 0xf9835b5ca683b1af},       {SG_IMAGE_3D, 25, 5, 0x392c0ec9b939e615},
    {SG_IMAGE_3D, 26, 5, 0x42345292bbd61f55},
};

static void layout(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        uint64_t hash = 14695981039346656037ull;
        for (unsigned e = 0; e < layouts[i].sizes; e++) {
            struct sg_layout l;
            uint32_t r = 1;
            assert_true(sg_layout_describe(&l, 0x2a114042, layouts[i].mode, layouts[i].type, e, 1024, 512));
            for (unsigned k = 0; k < 256; k++) {
                r = r * 1664525 + 1013904223;
                uint32_t x = r >> 8 & 1023, y = r >> 18 & 511;
                r = r * 1664525 + 1013904223;
                hash = (hash ^ sg_layout_offset(&l, x, y, r >> 16 & 63)) * 1099511628211ull;
            }
        }
        if (hash != layouts[i].hash)
            fail_msg("type %d mode %u: other places", layouts[i].type, layouts[i].mode);
    }
}

/* All texels of a surface whose sides are no multiples of a block have places of their own inside it. */
static void every_texel_once(void **state)
{
    struct bench t;
    (void)state;
    bench_open(&t, "gfx90a");
    const struct resource r = {.type = SG_IMAGE_2D,
                               .mode = 22,
                               .data = 4,
                               .num = UINT,
                               .select = XYZW,
                               .w = 70,
                               .h = 45,
                               .d = 1,
                               .pitch = 96};
    put_resource(&t, &r);
    for (unsigned i = 0; i < r.w * r.h; i += 64) {
        set_exec(&t, i + 64 <= r.w * r.h ? ~0ull : (1ull << (r.w * r.h - i)) - 1);
        for (unsigned lane = 0; lane < 64; lane++) {
            t.image->v[ADDRESS][lane] = (i + lane) % r.w;
            t.image->v[ADDRESS + 1][lane] = (i + lane) / r.w;
            t.image->v[DATA][lane] = i + lane + 1;
        }
        run_ok(&t, "image_store v10, v2, s[8:15] dmask:0x1 unorm");
    }
    bool seen[70 * 45 + 1] = {0};
    unsigned n = 0;
    for (size_t at = 0; at < BENCH_BYTES; at += 4) {
        uint32_t x = host32(&t, at);
        assert_true(x <= r.w * r.h && (!x || !seen[x]));
        seen[x] = true;
        n += x != 0;
        if (x) /* 96 x 64 texels of 4 bytes in blocks */
            assert_true(at < 96 * 64 * 4);
    }
    assert_int_equal(n, r.w * r.h);
    bench_close(&t);
}

/* ---- Formats ---- */

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

/* Raw texels, 16-bit addresses, mip levels, slices, sizes. */
static void addresses(void **state)
{
    struct bench t;
    (void)state;
    bench_open(&t, "gfx90a");
    struct resource r = {.type = SG_IMAGE_2D_ARRAY,
                         .data = 2,
                         .num = UNORM,
                         .select = XYZW,
                         .w = 100,
                         .h = 7,
                         .d = 6,
                         .pitch = 128,
                         .first_slice = 2};
    put_resource(&t, &r);
    uint16_t value = 0x8765;
    memcpy(t.host + (((2 + 1) * 7 + 3) * 128 + 33) * 2, &value, 2); /* x 33, y 3, second slice of the view */
    set_exec(&t, 1);
    t.image->v[ADDRESS][0] = 33, t.image->v[ADDRESS + 1][0] = 3, t.image->v[ADDRESS + 2][0] = 1;
    run_ok(&t, "image_load_pck v[10:11], v2, s[8:15] dmask:0x3 unorm da");
    assert_int_equal(t.image->v[DATA][0], 0x8765);
    assert_int_equal(t.image->v[DATA + 1][0], 0);
    run_ok(&t, "image_load_pck_sgn v10, v2, s[8:15] dmask:0x1 unorm da");
    assert_int_equal(t.image->v[DATA][0], 0xffff8765);
    run_ok(&t, "image_load_pck v10, v2, s[8:15] dmask:0x1 unorm"); /* first slice */
    assert_int_equal(t.image->v[DATA][0], 0);
    t.image->v[ADDRESS][0] = 33 | 3 << 16, t.image->v[ADDRESS + 1][0] = 1;
    run_ok(&t, "image_load_pck v10, v2, s[8:15] dmask:0x1 unorm a16 da");
    assert_int_equal(t.image->v[DATA][0], 0x8765);
    t.image->v[ADDRESS][0] = 33, t.image->v[ADDRESS + 1][0] = 3, t.image->v[ADDRESS + 2][0] = 1;
    for (unsigned level = 0; level < 2; level++) {
        t.image->v[ADDRESS + 3][0] = level;
        run_ok(&t, "image_load_mip v10, v2, s[8:15] dmask:0x1 unorm da");
        assert_int_equal(t.image->v[DATA][0], level ? 0 : sg_u32((float)(0x8765 / 65535.)));
    }
    run_ok(&t, "image_load_mip_pck v10, v2, s[8:15] dmask:0x1 unorm da");
    assert_int_equal(t.image->v[DATA][0], 0); /* of level 1 */
    t.image->v[ADDRESS + 3][0] = 0;
    run_ok(&t, "image_load_mip_pck v10, v2, s[8:15] dmask:0x1 unorm da");
    assert_int_equal(t.image->v[DATA][0], 0x8765);
    run_ok(&t, "image_load_mip_pck_sgn v10, v2, s[8:15] dmask:0x1 unorm da");
    assert_int_equal(t.image->v[DATA][0], 0xffff8765);
    t.image->v[ADDRESS + 2][0] = 4; /* behind the last slice */
    run_ok(&t, "image_load_pck v10, v2, s[8:15] dmask:0x1 unorm da");
    assert_int_equal(t.image->v[DATA][0], 0);
    t.image->v[ADDRESS][0] = 0;
    run_ok(&t, "image_get_resinfo v[10:13], v2, s[8:15] dmask:0xf unorm");
    const uint32_t info[4] = {100, 7, 4, 1};
    for (unsigned c = 0; c < 4; c++)
        assert_int_equal(t.image->v[DATA + c][0], info[c]);
    t.image->v[DATA][0] = 0xabcd1234;
    run_ok(&t, "image_store_pck v10, v2, s[8:15] dmask:0x1 unorm"); /* x 0, y 3 of the first slice */
    assert_int_equal(host32(&t, (2 * 7 + 3) * 128 * 2), 0x1234);
    for (unsigned level = 2; level--;) { /* without DA the level follows y */
        t.image->v[ADDRESS + 2][0] = level;
        t.image->v[DATA][0] = 0x5678 + level;
        run_ok(&t, "image_store_mip_pck v10, v2, s[8:15] dmask:0x1 unorm");
        assert_int_equal(host32(&t, (2 * 7 + 3) * 128 * 2), level ? 0x1234 : 0x5678);
        t.image->v[DATA][0] = sg_u32(level ? 0 : 1);
        run_ok(&t, "image_store_mip v10, v2, s[8:15] dmask:0x1 unorm");
        assert_int_equal(host32(&t, (2 * 7 + 3) * 128 * 2), level ? 0x1234 : 0xffff);
    }
    bench_close(&t);
}

static void atomics(void **state)
{
    struct bench t;
    (void)state;
    bench_open(&t, "gfx90a");
    struct resource r = {.type = SG_IMAGE_2D,
                         .mode = 26,
                         .data = 4,
                         .num = UINT,
                         .select = XYZW,
                         .w = 64,
                         .h = 2,
                         .d = 1,
                         .pitch = 128};
    put_resource(&t, &r);
    for (unsigned lane = 0; lane < 64; lane++) {
        t.image->v[ADDRESS][lane] = lane == 63 ? 64 : 0; /* one outside */
        t.image->v[ADDRESS + 1][lane] = 0;
        t.image->v[DATA][lane] = lane;
    }
    run_ok(&t, "image_atomic_add v10, v2, s[8:15] dmask:0x1 unorm glc");
    assert_int_equal(host32(&t, 0), 62 * 63 / 2);
    assert_int_equal(t.image->v[DATA][63], 0);
    for (unsigned lane = 0; lane < 63; lane++) /* lanes in order */
        assert_int_equal(t.image->v[DATA][lane], lane * (lane - 1) / 2);
    set_exec(&t, 1);
    t.image->v[DATA][0] = 7, t.image->v[DATA + 1][0] = 62 * 63 / 2;
    run_ok(&t, "image_atomic_cmpswap v[10:11], v2, s[8:15] dmask:0x3 unorm");
    assert_int_equal(host32(&t, 0), 7);
    assert_int_equal(t.image->v[DATA][0], 7); /* not returned */
    r.data = 11;
    put_resource(&t, &r);
    t.image->v[DATA][0] = 1, t.image->v[DATA + 1][0] = 5;
    run_ok(&t, "image_atomic_umax v[10:11], v2, s[8:15] dmask:0x3 unorm glc");
    assert_int_equal(host32(&t, 4), 5);
    assert_int_equal(t.image->v[DATA][0], 7);
    assert_int_equal(t.image->v[DATA + 1][0], 0);
    assert_int_equal(run(&t, "image_atomic_umax v10, v2, s[8:15] dmask:0x1 unorm"), -1);
    assert_non_null(strstr(t.fault.message, "dmask"));
    bench_close(&t);
}

/* By operation: memory, operand, what is compared with, memory then. */
static void every_atomic(void **state)
{
    static const struct {
        const char *op;
        uint32_t old, a, b, then;
    } cases[] = {
        {"swap", 5, 9, 0, 9},
        {"cmpswap", 5, 9, 5, 9},
        {"cmpswap", 5, 9, 6, 5}, /* different: stays */
        {"add", 5, 0xffffffff, 0, 4},
        {"sub", 5, 7, 0, 0xfffffffe},
        {"smin", 5, 0xffffffff, 0, 0xffffffff}, /* -1 */
        {"umin", 5, 0xffffffff, 0, 5},
        {"smax", 5, 0xffffffff, 0, 5},
        {"umax", 5, 0xffffffff, 0, 0xffffffff},
        {"and", 0xff0, 0x0ff, 0, 0x0f0},
        {"or", 0xff0, 0x0ff, 0, 0xfff},
        {"xor", 0xff0, 0x0ff, 0, 0xf0f},
        {"inc", 5, 9, 0, 6},
        {"inc", 9, 9, 0, 0}, /* wraps */
        {"dec", 5, 9, 0, 4},
        {"dec", 0, 9, 0, 9}, /* wraps */
    };
    const struct resource r = {
        .type = SG_IMAGE_1D, .data = 4, .num = UINT, .select = XYZW, .w = 4, .h = 1, .d = 1, .pitch = 64};
    struct bench t;
    (void)state;
    bench_open(&t, "gfx90a");
    put_resource(&t, &r);
    set_exec(&t, 1);
    t.image->v[ADDRESS][0] = 2;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_host32(&t, 8, cases[i].old);
        t.image->v[DATA][0] = cases[i].a, t.image->v[DATA + 1][0] = cases[i].b;
        const bool two = !strcmp(cases[i].op, "cmpswap");
        run_ok(&t, "image_atomic_%s %s, v2, s[8:15] dmask:0x%x unorm glc", cases[i].op,
               registers("v", DATA, 1 + two), two ? 3 : 1);
        if (host32(&t, 8) != cases[i].then || t.image->v[DATA][0] != cases[i].old)
            fail_msg("%s: %x, returned %x", cases[i].op, host32(&t, 8), t.image->v[DATA][0]);
    }
    bench_close(&t);
}

/* ---- Samples ---- */

enum { WRAP, MIRROR, CLAMP, MIRROR_ONCE, BORDER = 6, MIRROR_ONCE_BORDER };

static float texel_value(long x, long y, long z)
{
    return (float)(x * 1.5 - y * 100.25 + z * 1e4 + (x * 7 + y * 3 + z) % 11);
}

/* Texel i of a row, by walking from i into the image. False: border. */
static bool walk(long *i, long n, unsigned mode)
{
    switch (mode) {
    case WRAP:
        while (*i < 0)
            *i += n;
        while (*i >= n)
            *i -= n;
        return true;
    case MIRROR:
        while (*i < 0 || *i >= n)
            *i = *i < 0 ? -1 - *i : 2 * n - 1 - *i;
        return true;
    }
    if (mode & 1 && *i < 0) /* mirrored once about 0 */
        *i = -1 - *i;
    if (mode == CLAMP || mode == MIRROR_ONCE)
        *i = *i < 0 ? 0 : *i >= n ? n - 1 : *i;
    return *i >= 0 && *i < n;
}

static double reference_sample(const struct resource *r, const double u[3], unsigned mode, bool linear)
{
    const long size[3] = {r->w, r->h, r->d};
    const unsigned dims = r->type == SG_IMAGE_3D ? 3 : 2;
    double sum = 0;
    for (unsigned k = 0; k < 1u << dims; k++) {
        double weight = 1;
        long at[3] = {0, 0, 0};
        bool inside = true;
        for (unsigned a = 0; a < dims; a++) {
            /* 1/256 is the grid; +- 1/2 texel is a whole number of steps */
            long steps = lrint(u[a] * 256 - (linear ? 128 : 0)), rest = steps & 255;
            bool upper = k >> a & 1;
            at[a] = (steps - rest) / 256 + upper;
            weight *= linear ? (upper ? rest : 256 - rest) / 256. : !upper;
            inside &= walk(&at[a], size[a], mode);
        }
        sum += inside ? weight * (double)texel_value(at[0], at[1], at[2]) : 0;
    }
    return sum;
}

static void check_samples(struct bench *t, const struct resource *r, unsigned mode, bool linear,
                          bool unnormalised, uint32_t *seed)
{
    const unsigned size[3] = {r->w, r->h, r->d};
    double u[3][64];
    put_sampler(t, mode, linear, unnormalised);
    for (unsigned lane = 0; lane < 64; lane++)
        for (unsigned a = 0; a < 3; a++) {
            *seed = *seed * 1664525 + 1013904223;
            /* Three sizes around the image; every fourth one exactly on a grid point or between two. */
            float f = (float)(*seed >> 8) / (1 << 24) * 3 - 1;
            f *= unnormalised ? (float)size[a] : 1;
            if (unnormalised && lane % 4 == 0)
                f = floorf(f * 512) / 512;
            t->image->v[ADDRESS + a][lane] = sg_u32(f);
            u[a][lane] = unnormalised ? (double)f : (double)f * size[a];
        }
    run_ok(t, "image_sample v[10:11], v2, s[8:15], s[16:19] dmask:0x9");
    for (unsigned lane = 0; lane < 64; lane++) {
        const double at[3] = {u[0][lane], u[1][lane], u[2][lane]};
        double want = reference_sample(r, at, mode, linear), got = (double)sg_f32(t->image->v[DATA][lane]);
        if (fabs(got - want) > 1e-6 * (fabs(want) + 1e4))
            fail_msg("mode %u %s%s at %g %g %g: %g, not %g", mode, linear ? "linear" : "point",
                     unnormalised ? ", unnormalised" : "", at[0], at[1], at[2], got, want);
        assert_int_equal(t->image->v[DATA + 1][lane], sg_u32(1)); /* W of the select */
    }
}

static void samples(void **state)
{
    static const unsigned modes[] = {WRAP, MIRROR, CLAMP, MIRROR_ONCE, BORDER, MIRROR_ONCE_BORDER};
    /* Linear, thin and thick; a surface of 3D in mode 20 is 16 x 16 x 4 texels to the block. */
    const struct resource resources[] = {
        {.type = SG_IMAGE_2D,
         .mode = 0,
         .data = 4,
         .num = FLOAT,
         .select = X001,
         .w = 21,
         .h = 9,
         .d = 1,
         .pitch = 64},
        {.type = SG_IMAGE_2D,
         .mode = 22,
         .data = 4,
         .num = FLOAT,
         .select = X001,
         .w = 37,
         .h = 50,
         .d = 1,
         .pitch = 64},
        {.type = SG_IMAGE_3D,
         .mode = 20,
         .data = 4,
         .num = FLOAT,
         .select = X001,
         .w = 20,
         .h = 9,
         .d = 6,
         .pitch = 32},
    };
    struct bench t;
    uint32_t seed = 3;
    (void)state;
    bench_open(&t, "gfx90a");
    for (unsigned k = 0; k < 3; k++) {
        const struct resource *r = &resources[k];
        struct sg_layout l;
        put_resource(&t, r);
        assert_true(
            sg_layout_describe(&l, 0x2a114042, r->mode, (enum sg_image_type)r->type, 2, r->pitch, r->h));
        for (unsigned z = 0; z < r->d; z++)
            for (unsigned y = 0; y < r->h; y++)
                for (unsigned x = 0; x < r->w; x++)
                    put_host32(&t, sg_layout_offset(&l, x, y, z), sg_u32(texel_value(x, y, z)));
        for (unsigned m = 0; m < sizeof modes / sizeof modes[0]; m++)
            for (unsigned variant = 0; variant < 4; variant++)
                check_samples(&t, r, modes[m], variant & 1, variant >> 1, &seed);
    }
    bench_close(&t);
}

/* Layers are chosen by the nearest whole number, and held inside. Unnormalised by the instruction's bit;
 * borders of other colours; point sampling that truncates. */
static void sample_details(void **state)
{
    struct bench t;
    (void)state;
    bench_open(&t, "gfx90a");
    const struct resource r = {.type = SG_IMAGE_1D_ARRAY,
                               .data = 4,
                               .num = FLOAT,
                               .select = XYZW,
                               .w = 4,
                               .h = 1,
                               .d = 3,
                               .pitch = 64};
    static const float slice[] = {-1, 0.5f, 0.75f, 1.5f, 2.4f, 9};
    static const int want[] = {0, 0, 1, 2, 2, 2}; /* halves to even */
    put_resource(&t, &r);
    put_sampler(&t, CLAMP, false, false);
    for (unsigned z = 0; z < 3; z++)
        for (unsigned x = 0; x < 4; x++)
            put_host32(&t, (z * 64 + x) * 4, sg_u32((float)(10 * z + x)));
    for (unsigned lane = 0; lane < 6; lane++) {
        t.image->v[ADDRESS][lane] = sg_u32(2.25f);
        t.image->v[ADDRESS + 1][lane] = sg_u32(slice[lane]);
    }
    set_exec(&t, 63);
    run_ok(&t, "image_sample v10, v2, s[8:15], s[16:19] dmask:0x1 unorm da");
    for (unsigned lane = 0; lane < 6; lane++)
        assert_int_equal(t.image->v[DATA][lane], sg_u32((float)(10 * want[lane] + 2)));
    set_exec(&t, 1);
    t.image->v[ADDRESS][0] = sg_u32(1.9999f); /* nearer to 2 than 1/512 */
    run_ok(&t, "image_sample v10, v2, s[8:15], s[16:19] dmask:0x1 unorm");
    assert_int_equal(t.image->v[DATA][0], sg_u32(2));
    t.image->s[S] |= 1 << 27; /* TRUNC_COORD */
    run_ok(&t, "image_sample v10, v2, s[8:15], s[16:19] dmask:0x1 unorm");
    assert_int_equal(t.image->v[DATA][0], sg_u32(1));
    t.image->v[ADDRESS][0] = 0x4080; /* f16 2.25, slice 0 in the upper half */
    run_ok(&t, "image_sample v10, v2, s[8:15], s[16:19] dmask:0x1 unorm a16 da");
    assert_int_equal(t.image->v[DATA][0], sg_u32(2));
    put_sampler(&t, BORDER, false, true);
    t.image->v[ADDRESS][0] = sg_u32(-5);
    for (unsigned type = 0; type < 3; type++) { /* transparent black, opaque black, white */
        t.image->s[S + 3] = type << 30;
        run_ok(&t, "image_sample v[10:13], v2, s[8:15], s[16:19] dmask:0xf");
        assert_int_equal(t.image->v[DATA][0], type == 2 ? sg_u32(1) : 0);
        assert_int_equal(t.image->v[DATA + 3][0], type ? sg_u32(1) : 0);
    }
    bench_close(&t);
}

/* ---- What is refused ---- */

static void refused(struct bench *t, const char *text, const char *what)
{
    assert_int_equal(run(t, "%s", text), -1);
    assert_int_equal(t->fault.kind, SG_FAULT_UNIMPLEMENTED);
    if (!strstr(t->fault.message, what))
        fail_msg("%s: no word of %s", t->fault.message, what);
}

static void refusals(void **state)
{
    struct bench t;
    (void)state;
    bench_open(&t, "gfx90a");
    const struct resource good = {
        .type = SG_IMAGE_2D, .data = 4, .num = FLOAT, .select = XYZW, .w = 4, .h = 4, .d = 1, .pitch = 64};
    static const char load[] = "image_load v10, v2, s[8:15] dmask:0x1 unorm",
                      sample[] = "image_sample v10, v2, s[8:15], s[16:19] dmask:0x1";
    const struct {
        unsigned word;
        uint32_t bits;
        const char *what;
    } resource[] = {{1, 31 << 20, "data format 31"},
                    {3, 12 << 20, "swizzle mode 12"},
                    {3, 2u << 28, "type 11"},
                    {3, 1 << 16, "mip"},
                    {6, 1 << 21, "compressed"}},
      sampler[] = {{0, 4, "half border"},
                   {2, 2 << 20, "anisotropic"},
                   {2, 1 << 20, "magnifying"},
                   {0, 1u << 29, "filter mode"},
                   {3, 3u << 30, "border"}};
    for (unsigned i = 0; i < sizeof resource / sizeof resource[0]; i++) {
        put_resource(&t, &good);
        t.image->s[T + resource[i].word] |= resource[i].bits;
        refused(&t, load, resource[i].what);
    }
    put_resource(&t, &good);
    for (unsigned i = 0; i < sizeof sampler / sizeof sampler[0]; i++) {
        put_sampler(&t, 0, false, false);
        t.image->s[S + sampler[i].word] |= sampler[i].bits;
        refused(&t, sample, sampler[i].what);
    }
    refused(&t, "image_load v10, v2, s[8:15] dmask:0x1 lwe", "lwe");
    refused(&t, "image_load v10, v2, s[8:15] dmask:0x0", "dmask");
    t.image->s[T + 1] = (t.image->s[T + 1] & ~(15u << 26)) | UINT << 26;
    put_sampler(&t, 0, true, false);
    refused(&t, sample, "integers");
    t.image->s[T] += BENCH_BYTES >> 8; /* not mapped */
    assert_int_equal(run(&t, "%s", load), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_PAGE);
    assert_true(t.fault.va == GPU_BASE + BENCH_BYTES);
    bench_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout),       cmocka_unit_test(every_texel_once),  cmocka_unit_test(all_formats),
        cmocka_unit_test(addresses),    cmocka_unit_test(selects_and_masks), cmocka_unit_test(atomics),
        cmocka_unit_test(samples),      cmocka_unit_test(sample_details),    cmocka_unit_test(refusals),
        cmocka_unit_test(every_atomic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
