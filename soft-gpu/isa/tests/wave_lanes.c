/*
 * wave_lanes.c - the wavefront size is what the GPU's family says: a made-up GPU with wavefronts of 32 lanes and
 * the instructions of gfx942. What a dispatch gives its wavefronts, and instructions between lanes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "gcn/tests/assemble.h"
#include "soft-gpu/isa/engine.h"
#include "soft-gpu/isa/wave/dispatch.h"

static struct ls_gpu_family family;
static struct ls_gpu gpu;

static int make_gpu(void **state)
{
    (void)state;
    gpu = *ls_gpu_find_emulated("gfx942");
    family = *gpu.family;
    family.lanes = 32;
    gpu.family = &family;
    return 0;
}

/* 80 work-items in rows of 20: 2 1/2 wavefronts. 100 bytes each of private memory: 3200 of a wavefront, which
 * become 4096, by granules of 1024, and so 128 of a lane. */
static void shapes(void **state)
{
    (void)state;
    const struct sg_dispatch d = {.grid = {20, 8, 1},
                                  .workgroup = {20, 4, 1},
                                  .private_bytes = 100,
                                  .scratch_base = 4096,
                                  .scratch_bytes = 65536};
    const struct sg_kernel k = {.lanes = 32, .vgprs = 8};
    struct sg_shape shape;
    struct sg_fault fault;
    uint32_t id[3], size[3];
    assert_true(sg_shape_make(&gpu, &d, &k, &shape, &fault));
    assert_int_equal(shape.lanes, 32);
    assert_int_equal(shape.max_waves, 3);
    assert_int_equal(shape.scratch_bytes, 4096);
    assert_int_equal(shape.scratch_per_lane, 128);
    assert_int_equal(sg_shape_group(&shape, &d, 1, id, size), 3);
}

/* What would be 0 in as many bits as the numbers have: 2^27 bytes of 32 lanes, 2^31 * 2^31 * 4 work-groups. */
static void shapes_that_do_not_fit(void **state)
{
    (void)state;
    const struct sg_kernel k = {.lanes = 32, .vgprs = 8};
    struct sg_dispatch d = {.grid = {32, 1, 1},
                            .workgroup = {32, 1, 1},
                            .private_bytes = 1u << 27,
                            .scratch_base = 4096,
                            .scratch_bytes = 1ull << 40};
    struct sg_shape shape;
    struct sg_fault fault;
    assert_false(sg_shape_make(&gpu, &d, &k, &shape, &fault));
    assert_non_null(strstr(fault.message, "private memory"));
    d = (struct sg_dispatch){.grid = {1u << 31, 1u << 31, 4}, .workgroup = {1, 1, 1}};
    assert_false(sg_shape_make(&gpu, &d, &k, &shape, &fault));
    assert_non_null(strstr(fault.message, "work-groups"));
}

/* Wavefront 1 begins with work-item 32, which is 12 of row 1; wavefront 2 has 16 work-items. */
static void first_registers(void **state)
{
    (void)state;
    const struct sg_dispatch d = {.grid = {20, 4, 1}, .workgroup = {20, 4, 1}};
    const struct sg_kernel k = {.lanes = 32, .vgprs = 8, .says.rsrc2 = 1 << 11 /* asks for x and y */};
    const uint64_t masks[] = {0xffffffff, 0xffffffff, 0xffff};
    struct sg_workgroup wg = {.n_waves = 3};
    struct sg_shape shape;
    struct sg_fault fault;
    assert_true(sg_shape_make(&gpu, &d, &k, &shape, &fault));
    struct sg_wave *w = aligned_alloc(64, (sizeof *w + 63) / 64 * 64);
    assert_non_null(w);
    memset(w, 0, sizeof *w);
    assert_true(sg_wave_alloc(w));
    w->arch = &gpu;
    w->dispatch = &d;
    w->wg = &wg;
    for (unsigned i = 0; i < 3; i++) {
        sg_wave_set_registers(w, &k, &(struct sg_user_sgprs){0}, &shape, (const uint32_t[]){20, 4, 1}, i);
        assert_int_equal(sg_s64(w->s, SG_S_EXEC), masks[i]);
        assert_int_equal(w->v[0][0], 32 * i % 20 | 32 * i / 20 << 10);
        assert_int_equal(w->v[0][15], (32 * i + 15) % 20 | (32 * i + 15) / 20 << 10);
    }
    sg_wave_free(w);
    free(w);
}

/* Numbers of lanes count modulo 32. */
static void between_lanes(void **state)
{
    (void)state;
    const struct code *code = assemble("gfx942", "v_readlane_b32 s0, v1, s1\nv_writelane_b32 v2, 7, s1\n"
                                                 "ds_bpermute_b32 v4, v3, v1\ns_waitcnt lgkmcnt(0)");
    struct sg_wave_image *image = calloc(1, sizeof *image);
    struct sg_fault fault;
    assert_non_null(image);
    image->s[SG_S_EXEC] = ~0u;
    image->s[1] = 35; /* lane 3 */
    for (unsigned i = 0; i < 32; i++) {
        image->v[1][i] = 100 + i;
        image->v[3][i] = 4 * (i + 40); /* bytes: 8 lanes on */
    }
    if (sg_engine_exec_raw(&gpu, NULL, code->words, code->n, image, &fault))
        fail_msg("%s: %s", fault.instruction, fault.message);
    assert_int_equal(image->s[0], 103);
    assert_int_equal(image->v[2][3], 7);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(image->v[4][i], 100 + (i + 8) % 32);
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(shapes_that_do_not_fit),
        cmocka_unit_test(first_registers),
        cmocka_unit_test(between_lanes),
    };
    return cmocka_run_group_tests(tests, make_gpu, NULL);
}
