/*
 * Images and formatted buffers of gfx10, gfx11 and gfx12: where texels lie, against what AMD's address library gives; registers named
 * one by one, dimensions in the instruction; formats in one number.
 */
#include <stdio.h>
#include "image_test.h"

static const char *const gpus[] = {"gfx1030", "gfx1100", "gfx1201"};
enum { GPUS = sizeof gpus / sizeof gpus[0] };

/* ---- Layout ---- */

/* As in mem_image.c: FNV-1a of 256 texels of a surface of 1024 x 512 x 64 for each size of texel, of the addresses that
 * Addr2ComputeSurfaceAddrFromCoord in ROCr's address library gives with GB_ADDR_CONFIG 0x444 (gfx1030: revision 0x28), of
 * gfx1201 Addr3ComputeSurfaceAddrFromCoord with 0x444 and 0x343. */
static const struct {
    const char *gpu;
    enum sg_image_type type;
    unsigned mode;
    uint64_t hash;
} layouts[] = {
    {"gfx1030", SG_IMAGE_2D_ARRAY, 0, 0x37e059f98d64de05},
    {"gfx1030", SG_IMAGE_2D_ARRAY, 2, 0xfdbe8da5cb6a2aed},
    {"gfx1030", SG_IMAGE_2D_ARRAY, 22, 0xcc4391ffd9bff1ed},
    {"gfx1030", SG_IMAGE_2D_ARRAY, 27, 0x1622fa3207a9a725},
    {"gfx1030", SG_IMAGE_3D, 0, 0x37e059f98d64de05},
    {"gfx1030", SG_IMAGE_3D, 21, 0x33c935c8a7ba0875},
    {"gfx1030", SG_IMAGE_3D, 25, 0x6205b111420ac875},
    {"gfx1030", SG_IMAGE_3D, 27, 0x1622fa3207a9a725},
    {"gfx1100", SG_IMAGE_2D_ARRAY, 0, 0x37e059f98d64de05},
    {"gfx1100", SG_IMAGE_2D_ARRAY, 2, 0x4b81a5430f9c64a5},
    {"gfx1100", SG_IMAGE_2D_ARRAY, 22, 0x9524ee4d23bacba5},
    {"gfx1100", SG_IMAGE_2D_ARRAY, 27, 0x064d06b6a5307ea5},
    {"gfx1100", SG_IMAGE_2D_ARRAY, 31, 0x1ee8fbe9ae141ea5},
    {"gfx1100", SG_IMAGE_3D, 0, 0x37e059f98d64de05},
    {"gfx1100", SG_IMAGE_3D, 21, 0xbd0031fd4df187d5},
    {"gfx1100", SG_IMAGE_3D, 24, 0x064d06b6a5307ea5},
    {"gfx1100", SG_IMAGE_3D, 25, 0xf23d3538190d87d5},
    {"gfx1100", SG_IMAGE_3D, 27, 0x064d06b6a5307ea5},
    {"gfx1100", SG_IMAGE_3D, 28, 0x1ee8fbe9ae141ea5},
    {"gfx1100", SG_IMAGE_3D, 29, 0xb01adda7858c87d5},
    {"gfx1100", SG_IMAGE_3D, 31, 0x1ee8fbe9ae141ea5},
    {"gfx1201", SG_IMAGE_2D_ARRAY, 0, 0x37e059f98d64de05},
    {"gfx1201", SG_IMAGE_2D_ARRAY, 1, 0x4b81a5430f9c64a5},
    {"gfx1201", SG_IMAGE_2D_ARRAY, 2, 0xb07bb6399b08ffa5},
    {"gfx1201", SG_IMAGE_2D_ARRAY, 3, 0x9cafdf9c42722fa5},
    {"gfx1201", SG_IMAGE_2D_ARRAY, 4, 0xba8f4578e55f2fa5},
    {"gfx1201", SG_IMAGE_3D, 0, 0x37e059f98d64de05},
    {"gfx1201", SG_IMAGE_3D, 2, 0xb07bb6399b08ffa5},
    {"gfx1201", SG_IMAGE_3D, 3, 0x9cafdf9c42722fa5},
    {"gfx1201", SG_IMAGE_3D, 4, 0xba8f4578e55f2fa5},
    {"gfx1201", SG_IMAGE_3D, 5, 0xc9e596db28c080d5},
    {"gfx1201", SG_IMAGE_3D, 6, 0xdc17457a67b4c0d5},
    {"gfx1201", SG_IMAGE_3D, 7, 0x892ec86c36b1c0d5},
};

static void layout(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        uint64_t hash = 14695981039346656037ull;
        for (unsigned e = 0; e < 5; e++) {
            struct sg_layout l;
            uint32_t r = 1;
            assert_true(sg_layout_describe(&l, ls_gpu_find(layouts[i].gpu), layouts[i].mode, layouts[i].type,
                                           e, 1024, 512));
            for (unsigned k = 0; k < 256; k++) {
                r = r * 1664525 + 1013904223;
                uint32_t x = r >> 8 & 1023, y = r >> 18 & 511;
                r = r * 1664525 + 1013904223;
                hash = (hash ^ sg_layout_offset(&l, x, y, r >> 16 & 63)) * 1099511628211ull;
            }
        }
        if (hash != layouts[i].hash)
            fail_msg("%s type %d mode %u: other places", layouts[i].gpu, layouts[i].type, layouts[i].mode);
    }
}

/* ---- Descriptors ---- */

static bool is_gfx12(const struct bench *t)
{
    return !strcmp(t->arch->name, "gfx1201");
}

/* gfx11 or later. */
static bool is_gfx11(const struct bench *t)
{
    return !strcmp(t->arch->name, "gfx1100") || is_gfx12(t);
}

/* gfx12's text of an instruction of gfx10: a register of the address each by its name, no bit for normalised coordinates but in
 * samples, another hint and another name of atomics. */
static const char *in_gfx12(const char *text, char out[256])
{
    static const struct {
        const char *old, *now;
    } words[] = {{", v[2:3], s[", ", [v2, v3], s["},
                 {", v[2:4], s[", ", [v2, v3, v4], s["},
                 {" unorm", ""},
                 {" glc", " th:TH_ATOMIC_RETURN"},
                 {"image_atomic_add ", "image_atomic_add_uint "},
                 {", s[8:11], 0 ", ", s[8:11], null "}};
    snprintf(out, 256, "%s", text);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        char rest[256];
        char *at = strstr(out, words[i].old);
        if (!at)
            continue;
        snprintf(rest, sizeof rest, "%s", at + strlen(words[i].old));
        snprintf(at, 256 - (size_t)(at - out), "%s%s", words[i].now, rest);
    }
    return out;
}

/* Runs an instruction, given as gfx10 has it. */
static void run_text(struct bench *t, const char *text)
{
    char other[256];
    run_ok(t, "%s", is_gfx12(t) ? in_gfx12(text, other) : text);
}

/* `data` is the number of the format; `num` has no meaning. */
static void put_rdna(struct bench *t, const struct resource *r)
{
    uint32_t *s = &t->image->s[T];
    const bool deep = r->type == SG_IMAGE_3D || r->type == SG_IMAGE_1D_ARRAY || r->type == SG_IMAGE_2D_ARRAY;
    s[0] = (uint32_t)(GPU_BASE >> 8);
    s[1] = (uint32_t)(GPU_BASE >> 40) | r->data << (is_gfx12(t) ? 17 : 20) | (r->w - 1) << 30;
    s[2] = (r->w - 1) >> 2 | (r->h - 1) << 14;
    s[3] = r->select | r->mode << 20 | r->type << 28;
    s[4] = (deep ? r->d - 1 : r->pitch ? r->pitch - 1 : 0) | r->first_slice << 16;
    s[5] = s[6] = s[7] = 0;
}

/* ---- Texels and samples ---- */

/* The value of a texel is linear in its place, so that what a linear filter gives between texels is known: the same formula
 * half a texel further. */
static float value_at(double x, double y, double z)
{
    return (float)(x + 16 * y + 256 * z);
}

static void fill(struct bench *t, const struct resource *r)
{
    struct sg_layout l;
    assert_true(sg_layout_describe(&l, t->arch, r->mode, (enum sg_image_type)r->type, 2, r->w, r->h));
    memset(t->host, 0xff, BENCH_BYTES);
    for (unsigned z = 0; z < r->d; z++)
        for (unsigned y = 0; y < r->h; y++)
            for (unsigned x = 0; x < r->w; x++)
                put_host32(t, sg_layout_offset(&l, x, y, z), sg_u32(value_at(x, y, z)));
    put_rdna(t, r);
}

/* Places of the lanes in texels, all of them half a texel or more inside and on steps of 1/256. */
static void place(unsigned lane, double at[3])
{
    at[0] = 0.5 + (lane % 8) * 1.25, at[1] = 0.5 + lane / 8 * 0.75, at[2] = 0.5 + (lane % 3) * 0.5;
}

static void put_places(struct bench *t, bool slice)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        double at[3];
        place(lane, at);
        for (unsigned a = 0; a < 3; a++)
            t->image->v[ADDRESS + a][lane] = t->image->v[30 + 3 * a][lane] = sg_u32((float)at[a]);
        if (slice)
            t->image->v[ADDRESS + 2][lane] = sg_u32((float)(lane % 3));
    }
}

enum { PLANE, VOLUME, LAYERS };
static void expect_samples(const struct bench *t, const char *text, unsigned shape, bool linear)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        double at[3], z = shape == LAYERS ? lane % 3 : 0;
        place(lane, at);
        for (unsigned a = 0; a < 3; a++)
            at[a] = linear ? at[a] - 0.5 : floor(at[a]);
        float want = value_at(at[0], at[1], shape == VOLUME ? at[2] : z);
        if (sg_f32(t->image->v[DATA][lane]) != want)
            fail_msg("%s: lane %u: %g, not %g", text, lane, (double)sg_f32(t->image->v[DATA][lane]),
                     (double)want);
    }
}

/* v2 to v4 are the coordinates, v30, v33, v36 once more; v40 and so on are gradients and levels, which have no effect. */
static const struct {
    unsigned shape;
    const char *gfx10, *gfx11, *gfx12; /* NULL: as the one before */
} sampling[] = {
    {PLANE, "image_sample v10, v[2:3], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D", NULL, NULL},
    {PLANE, "image_sample_lz v10, [v30, v33], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D", NULL, NULL},
    {PLANE, "image_sample_l v10, [v30, v33, v40], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D", NULL,
     NULL},
    {PLANE, "image_sample_b v10, [v40, v30, v33], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D", NULL,
     NULL},
    {PLANE,
     "image_sample_d v10, [v40, v41, v42, v43, v30, v33], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D",
     "image_sample_d v10, [v40, v41, v42, v43, v[2:3]], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D",
     "image_sample_d v10, [v40, v41, v42, v[1:3]], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D"},
    {PLANE, "image_sample_d_g16 v10, [v40, v41, v30, v33], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D",
     NULL, NULL},
    {VOLUME, "image_sample_lz v10, v[2:4], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_3D", NULL, NULL},
    {VOLUME, "image_sample_lz v10, [v30, v33, v36], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_3D", NULL,
     NULL},
    /* The longest instruction: 20 bytes. */
    {VOLUME,
     "image_sample_d_cl v10, [v40, v41, v42, v43, v44, v45, v30, v33, v36, v40], s[8:15], s[16:19] dmask:0x1 "
     "dim:SQ_RSRC_IMG_3D",
     "image_sample_l v10, [v30, v33, v36, v40], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_3D", NULL},
    {LAYERS, "image_sample_lz v10, v[2:4], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY", NULL, NULL},
};

static void samples(void **state)
{
    (void)state;
    for (unsigned g = 0; g < GPUS; g++) {
        struct bench t;
        bench_open(&t, gpus[g]);
        const struct resource shapes[] = {{.type = SG_IMAGE_2D,
                                           .mode = is_gfx12(&t) ? 3 : 27,
                                           .data = 22,
                                           .select = XYZW,
                                           .w = 40,
                                           .h = 9,
                                           .d = 1},
                                          {.type = SG_IMAGE_3D,
                                           .mode = is_gfx12(&t) ? 6 : 25,
                                           .data = 22,
                                           .select = XYZW,
                                           .w = 15,
                                           .h = 9,
                                           .d = 5},
                                          {.type = SG_IMAGE_2D_ARRAY,
                                           .mode = is_gfx12(&t) ? 2 : 22,
                                           .data = 22,
                                           .select = XYZW,
                                           .w = 33,
                                           .h = 9,
                                           .d = 3}};
        for (unsigned i = 0; i < sizeof sampling / sizeof sampling[0]; i++)
            for (unsigned linear = 0; linear < 2; linear++) {
                const char *text = is_gfx12(&t) && sampling[i].gfx12   ? sampling[i].gfx12
                                   : is_gfx11(&t) && sampling[i].gfx11 ? sampling[i].gfx11
                                                                       : sampling[i].gfx10;
                fill(&t, &shapes[sampling[i].shape]);
                put_places(&t, sampling[i].shape == LAYERS);
                put_sampler(&t, 2, linear, true);
                run_text(&t, text);
                expect_samples(&t, text, sampling[i].shape, linear);
            }
        bench_close(&t);
    }
}

/* Texels below left of (3.5 + 1/2, 2.5 + 1/4): (3, 2); in the order of a gather those at (3, 3), (4, 3), (4, 2), (3, 2). */
static void gathers(void **state)
{
    struct resource r = {.type = SG_IMAGE_2D, .data = 22, .select = XYZW, .w = 20, .h = 9, .d = 1};
    const float want[4] = {3 + 16 * 3, 4 + 16 * 3, 4 + 16 * 2, 3 + 16 * 2};
    (void)state;
    for (unsigned g = 0; g < GPUS; g++) {
        struct bench t;
        bench_open(&t, gpus[g]);
        r.mode = is_gfx12(&t) ? 1 : 2;
        fill(&t, &r);
        put_sampler(&t, 2, false, true);
        set_exec(&t, 1);
        t.image->v[ADDRESS][0] = sg_u32(4), t.image->v[ADDRESS + 1][0] = sg_u32(2.75f);
        run_text(&t, "image_gather4_lz v[10:13], v[2:3], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D");
        for (unsigned c = 0; c < 4; c++)
            assert_true(sg_f32(t.image->v[DATA + c][0]) == want[c]);
        run_text(&t, "image_gather4_lz v[10:13], v[2:3], s[8:15], s[16:19] dmask:0x8 dim:SQ_RSRC_IMG_2D");
        for (unsigned c = 0; c < 4; c++) /* the format has no W */
            assert_true(sg_f32(t.image->v[DATA + c][0]) == 1);
        bench_close(&t);
    }
}

/* ---- Without sampler ---- */

static void dimensions(void **state)
{
    (void)state;
    for (unsigned g = 0; g < GPUS; g++) {
        struct bench t;
        bench_open(&t, gpus[g]);
        struct resource r = {
            .type = SG_IMAGE_2D_ARRAY, .mode = 0, .data = 20, .select = XYZW, .w = 100, .h = 7, .d = 6};
        set_exec(&t, 1);
        r.first_slice = 2;
        put_rdna(&t, &r);
        /* Rows of 128 texels, for 100 are no multiple of 256 bytes; x 33, y 3, second slice of the view. */
        put_host32(&t, (((2 + 1) * 7 + 3) * 128 + 33) * 4, 0x87654321);
        t.image->v[ADDRESS][0] = 33, t.image->v[ADDRESS + 1][0] = 3, t.image->v[ADDRESS + 2][0] = 1;
        run_text(&t, "image_load v10, v[2:4], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY unorm");
        assert_int_equal(t.image->v[DATA][0], 0x87654321);
        t.image->v[ADDRESS][0] = 33 | 3 << 16, t.image->v[ADDRESS + 1][0] = 1;
        run_text(&t, "image_load v10, v[2:3], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY unorm a16");
        assert_int_equal(t.image->v[DATA][0], 0x87654321);
        t.image->v[ADDRESS][0] = 0;
        run_text(&t, "image_get_resinfo v[10:13], v2, s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm");
        const uint32_t info[4] = {100, 7, 4, 1};
        for (unsigned c = 0; c < 4; c++)
            assert_int_equal(t.image->v[DATA + c][0], info[c]);
        /* A line of layers: the slice is the second coordinate, or the third one where the instruction has three. */
        r = (struct resource){.type = SG_IMAGE_1D_ARRAY, .data = 20, .select = XYZW, .w = 70, .h = 1, .d = 3};
        put_rdna(&t, &r);
        t.image->v[ADDRESS][0] = 5, t.image->v[ADDRESS + 1][0] = 2, t.image->v[DATA][0] = 77;
        run_text(&t, "image_store v10, v[2:3], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_1D_ARRAY unorm");
        assert_int_equal(host32(&t, (2 * 128 + 5) * 4), 77);
        t.image->v[ADDRESS + 1][0] = 0, t.image->v[ADDRESS + 2][0] = 1, t.image->v[DATA][0] = 78;
        run_text(&t, "image_store v10, v[2:4], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY unorm");
        assert_int_equal(host32(&t, (128 + 5) * 4), 78);
        /* A pitch of its own: 192 texels. */
        r = (struct resource){
            .type = SG_IMAGE_2D, .data = 20, .select = XYZW, .w = 70, .h = 4, .d = 1, .pitch = 192};
        put_rdna(&t, &r);
        put_host32(&t, (3 * 192 + 5) * 4, 1000);
        t.image->v[ADDRESS + 1][0] = 3, t.image->v[DATA][0] = 7;
        run_text(&t, "image_atomic_add v10, v[2:3], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm glc");
        assert_int_equal(t.image->v[DATA][0], 1000);
        assert_int_equal(host32(&t, (3 * 192 + 5) * 4), 1007);
        bench_close(&t);
    }
}

/* Rows of blocks are no longer than the image needs: with texels of 4 bytes, 20 of them are three blocks of 8 x 8, 70 are three of
 * 32 x 32. The second row of blocks begins behind those three; on gfx10 and gfx11 y 32 also changes bit 11 (so AMD's address
 * library, too: Addr2ComputeSurfaceAddrFromCoord). */
static void narrow(void **state)
{
    (void)state;
    for (unsigned g = 0; g < GPUS; g++) {
        struct bench t;
        bench_open(&t, gpus[g]);
        set_exec(&t, 1);
        const struct {
            unsigned mode, w, y, at;
        } cases[] = {{is_gfx12(&t) ? 1 : 2, 20, 8, 3 * 256},
                     {is_gfx12(&t) ? 2 : 22, 70, 32, 3 * 4096 + (is_gfx12(&t) ? 0 : 2048)}};
        for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const struct resource r = {.type = SG_IMAGE_2D,
                                       .mode = cases[i].mode,
                                       .data = 20,
                                       .select = XYZW,
                                       .w = cases[i].w,
                                       .h = cases[i].y + 1,
                                       .d = 1};
            put_rdna(&t, &r);
            memset(t.host, 0, BENCH_BYTES);
            t.image->v[ADDRESS][0] = 0, t.image->v[ADDRESS + 1][0] = cases[i].y, t.image->v[DATA][0] = 81;
            run_text(&t, "image_store v10, v[2:3], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm");
            assert_int_equal(host32(&t, cases[i].at), 81);
        }
        bench_close(&t);
    }
}

/* ---- Formats ---- */

static uint32_t f(double x)
{
    return sg_u32((float)x);
}

/* One texel of each format and what it means, by the definitions of its kind of numbers; `word` is its first dwords. */
static void formats(void **state)
{
    const struct {
        unsigned gfx10, gfx11;
        bool images_only;
        unsigned n; /* components of the format */
        uint32_t word[4], want[4];
    } cases[] = {
        {1, 1, false, 1, {0x40}, {f(0x40 / 255.), 0, 0, f(1)}},
        {5, 5, false, 1, {0xab}, {0xab, 0, 0, 1}},
        {12, 12, false, 1, {0x8001}, {0xffff8001, 0, 0, 1}},
        {13, 13, false, 1, {0xc000}, {f(-2), 0, 0, f(1)}},
        {22, 22, false, 1, {0x40490fdb}, {0x40490fdb, 0, 0, f(1)}},
        {24, 24, false, 2, {0x80007fff}, {f(1), f(-1), 0, f(1)}},
        {50, 36, false, 4, {0x400ffc00}, {0, f(1), 0, f(1 / 3.)}},
        {56, 42, false, 4, {0xff804000}, {0, f(0x40 / 255.), f(0x80 / 255.), f(1)}},
        {61, 47, false, 4, {0xff804000}, {0, 0x40, 0xffffff80, 0xffffffff}},
        {64, 50, false, 2, {f(3), f(-4)}, {f(3), f(-4), 0, f(1)}},
        {71, 57, false, 4, {0xc0003c00, 0x7bff3800}, {f(1), f(-2), f(.5), f(65504)}},
        {75, 61, false, 4, {1, 2, 3, 4}, {1, 2, 3, 4}},
        {77, 63, false, 4, {f(1), f(2), f(3), f(4)}, {f(1), f(2), f(3), f(4)}},
        {130,
         66,
         true,
         4,
         {0xff00ff00},
         {0, f(1), 0, f(1)}}, /* sRGB; the ends are the same in linear values */
        {133, 68, true, 3, {0x07e0}, {0, f(1), 0, f(1)}},
    };
    (void)state;
    for (unsigned g = 0; g < GPUS; g++) {
        struct bench t;
        bench_open(&t, gpus[g]);
        set_exec(&t, 1);
        for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const unsigned code = is_gfx11(&t) ? cases[i].gfx11 : cases[i].gfx10;
            const struct resource r = {
                .type = SG_IMAGE_1D, .data = code, .select = XYZW, .w = 1, .h = 1, .d = 1};
            memset(t.host, 0, 64);
            memcpy(t.host, cases[i].word, 16);
            t.image->v[ADDRESS][0] = 0;
            for (unsigned typed = 0; typed < 3; typed++) {
                uint32_t *s = &t.image->s[T];
                put_rdna(&t, &r);
                if (typed && cases[i].images_only)
                    continue;
                if (typed) { /* a buffer of one element, whose stride is that of the widest format */
                    s[0] = (uint32_t)GPU_BASE, s[1] = (uint32_t)(GPU_BASE >> 32) | 16 << 16, s[2] = 1;
                    s[3] = XYZW | (typed == 1 ? code << 12 : 0);
                }
                char tbuffer[96];
                snprintf(tbuffer, sizeof tbuffer,
                         "tbuffer_load_format_xyzw v[10:13], v2, s[8:11], 0 format:%u idxen", code);
                run_text(&t, typed == 2 ? tbuffer
                             : typed ? "buffer_load_format_xyzw v[10:13], v2, s[8:11], 0 idxen"
                                     : "image_load v[10:13], v2, s[8:15] dmask:0xf dim:SQ_RSRC_IMG_1D unorm");
                for (unsigned c = 0; c < (typed == 2 ? cases[i].n : 4); c++)
                    if (t.image->v[DATA + c][0] != cases[i].want[c])
                        fail_msg("%s format %u, way %u, component %u: %x, not %x", gpus[g], code, typed, c,
                                 t.image->v[DATA + c][0], cases[i].want[c]);
            }
        }
        bench_close(&t);
    }
}

static void buffer_stores(void **state)
{
    (void)state;
    for (unsigned g = 0; g < GPUS; g++) {
        struct bench t;
        bench_open(&t, gpus[g]);
        uint32_t *s = &t.image->s[T];
        s[0] = (uint32_t)GPU_BASE, s[1] = (uint32_t)(GPU_BASE >> 32) | 4 << 16, s[2] = 3;
        s[3] = XYZW | (is_gfx11(&t) ? 42u : 56u) << 12; /* 8_8_8_8 UNORM */
        memset(t.host, 0, 64);
        for (unsigned lane = 0; lane < 32; lane++) {
            t.image->v[ADDRESS][lane] = lane;
            for (unsigned c = 0; c < 4; c++)
                t.image->v[DATA + c][lane] = f(c / 3.);
        }
        run_text(&t, "buffer_store_format_xyzw v[10:13], v2, s[8:11], 0 idxen");
        for (unsigned i = 0; i < 4; i++) /* 0, 85, 170, 255 of 255; the fourth element is out of range */
            assert_int_equal(host32(&t, 4 * i), i < 3 ? 0xffaa5500 : 0);
        bench_close(&t);
    }
}

/* ---- What gfx12 alone has ---- */

static void gfx12_images(void **state)
{
    struct bench t;
    (void)state;
    bench_open(&t, "gfx1201");
    set_exec(&t, 1);
    /* Rows of 280 bytes begin at multiples of 128: every 96 texels; slices as if every 128. (x 5, y 3, slice 1 is at byte
     * 3220 by AMD's address library, too.) */
    struct resource r = {.type = SG_IMAGE_2D_ARRAY, .data = 20, .select = XYZW, .w = 70, .h = 4, .d = 3};
    put_rdna(&t, &r);
    t.image->v[ADDRESS][0] = 5, t.image->v[ADDRESS + 1][0] = 3, t.image->v[ADDRESS + 2][0] = 1;
    t.image->v[DATA][0] = 79;
    run_ok(&t, "image_store v10, [v2, v3, v4], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY");
    assert_int_equal(host32(&t, (1 * 4 * 128 + 3 * 96 + 5) * 4), 79);
    r = (struct resource){.type = SG_IMAGE_2D, .data = 20, .select = XYZW, .w = 70, .h = 4, .d = 1};
    put_rdna(&t, &r);
    t.image->v[DATA][0] = 80;
    run_ok(&t, "image_store v10, [v2, v3], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D");
    assert_int_equal(host32(&t, (3 * 96 + 5) * 4), 80);
    /* A swizzled line is the first row of a plane: x 8 is in the second block of 8 x 8 texels. */
    r = (struct resource){
        .type = SG_IMAGE_1D, .mode = 1, .data = 20, .select = XYZW, .w = 70, .h = 1, .d = 1};
    put_rdna(&t, &r);
    t.image->v[ADDRESS][0] = 8, t.image->v[DATA][0] = 82;
    run_ok(&t, "image_store v10, v2, s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_1D");
    assert_int_equal(host32(&t, 256), 82);
    t.image->v[ADDRESS][0] = 5;
    /* Components that are not given get the first one that is: 8_8_8_8 UINT. */
    r = (struct resource){.type = SG_IMAGE_1D, .data = 46, .select = XYZW, .w = 70, .h = 1, .d = 1};
    put_rdna(&t, &r);
    t.image->v[DATA][0] = 0x11, t.image->v[DATA + 1][0] = 0x22;
    run_ok(&t, "image_store v10, v2, s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_1D");
    assert_int_equal(host32(&t, 5 * 4), 0x11111111);
    run_ok(&t, "image_store v[10:11], v2, s[8:15] dmask:0x3 dim:SQ_RSRC_IMG_1D");
    assert_int_equal(host32(&t, 5 * 4), 0x11112211);
    /* Fields at other places than before: levels, compression. */
    const struct {
        unsigned word, bit;
        const char *what;
    } bad[] = {{1, 12, "mip levels"}, {1, 25, "mip levels"}, {3, 15, "mip levels"},
               {3, 19, "mip levels"}, {6, 20, "compressed"}, {6, 21, "compressed"}};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put_rdna(&t, &r);
        t.image->s[T + bad[i].word] |= 1u << bad[i].bit;
        assert_int_equal(run(&t, "image_load v10, v2, s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_1D"), -1);
        assert_non_null(strstr(t.fault.message, bad[i].what));
    }
    bench_close(&t);
}

/* ---- What is refused ---- */

static void refusals(void **state)
{
    static const char load10[] = "image_load v10, v[2:3], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D";
    char other[256];
    (void)state;
    for (unsigned g = 0; g < GPUS; g++) {
        struct bench t;
        bench_open(&t, gpus[g]);
        struct resource r = {.type = SG_IMAGE_2D, .data = 22, .select = XYZW, .w = 4, .h = 4, .d = 1};
        const char *load = is_gfx12(&t) ? in_gfx12(load10, other) : load10;
        const struct {
            unsigned data, mode, type;
            const char *what;
        } bad[] = {{255, 0, SG_IMAGE_2D, "format"},
                   {22, 12, SG_IMAGE_2D, "swizzle mode 12"},
                   {22, 0, 11, "type 11"}};
        for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            r.data = bad[i].data, r.mode = bad[i].mode, r.type = bad[i].type;
            put_rdna(&t, &r);
            assert_int_equal(run(&t, "%s", load), -1);
            assert_int_equal(t.fault.kind, SG_FAULT_UNIMPLEMENTED);
            assert_non_null(strstr(t.fault.message, bad[i].what));
        }
        static const char *const texts[] = {
            "image_load v10, v[2:4], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_CUBE",
            "image_load v[10:11], v[2:3], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D tfe",
            "image_sample_c_lz v10, v[2:4], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D"};
        for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            const char *text = is_gfx12(&t) ? in_gfx12(texts[i], other) : texts[i];
            assert_int_equal(run(&t, "%s", text), -1);
            assert_int_equal(t.fault.kind, SG_FAULT_UNIMPLEMENTED);
            assert_string_equal(t.fault.instruction, text);
        }
        bench_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout),        cmocka_unit_test(samples),      cmocka_unit_test(gathers),
        cmocka_unit_test(dimensions),    cmocka_unit_test(narrow),       cmocka_unit_test(formats),
        cmocka_unit_test(buffer_stores), cmocka_unit_test(gfx12_images), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
