/*
 * image_sample against the formulas of the HIP programming guide ("Texture fetching") with coordinates of 8 fractional bits.
 */
#include <math.h>
#include "image_test.h"

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
        assert_true(sg_layout_describe(&l, t.arch, r->mode, (enum sg_image_type)r->type, 2, r->pitch, r->h));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples),
        cmocka_unit_test(sample_details),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
