/*
 * Image instructions: the layout of surfaces against what AMD's address library gives, addresses, atomics, and what is
 * refused.
 */
#include "image_test.h"

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
            assert_true(sg_layout_describe(&l, ls_gpu_find("gfx90a"), layouts[i].mode, layouts[i].type, e,
                                           1024, 512));
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
        cmocka_unit_test(layout),  cmocka_unit_test(every_texel_once), cmocka_unit_test(addresses),
        cmocka_unit_test(atomics), cmocka_unit_test(every_atomic),     cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
