/*
 * valu_matrix.c - what the differential test of dense matrix instructions leaves out: sparse A, the small
 * float formats and their block scales. Values by hand.
 */
#include "valu_test.h"

/* A 16x32 with two of each four k stored: lane 16g + i holds k = 8g + {its two of 0..3}, 8g + {two of 4..7}.
 * Row i stores 1, 2, 3, 4 there. B[k][j] = k in every column: lane 16g + j holds k = 8g .. 8g+7. */
static void sparse_index_sets(void **unused)
{
    (void)unused;
    static const uint16_t half[32] = {0,      0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700,
                                      0x4800, 0x4880, 0x4900, 0x4980, 0x4a00, 0x4a80, 0x4b00, 0x4b80,
                                      0x4c00, 0x4c40, 0x4c80, 0x4cc0, 0x4d00, 0x4d40, 0x4d80, 0x4dc0,
                                      0x4e00, 0x4e40, 0x4e80, 0x4ec0, 0x4f00, 0x4f40, 0x4f80, 0x4fc0};
    for (unsigned set = 0; set < 2; set++) {
        reset();
        set_row(2, 0x40003c00); /* 1, 2 */
        set_row(3, 0x44004200); /* 3, 4 */
        for (unsigned lane = 0; lane < 64; lane++)
            for (unsigned r = 0; r < 4; r++) {
                const unsigned k = 8 * (lane / 16) + 2 * r;
                image.v[4 + r][lane] = half[k] | (uint32_t)half[k + 1] << 16;
            }
        /* Set 0: positions 0, 1 and 0, 1. Set 1: positions 1, 3 and 2, 3. */
        set_row(8, 0x44 | (1 | 3 << 2 | 2 << 4 | 3 << 6) << 8);
        for (unsigned r = 16; r < 20; r++)
            set_row(r, sg_u32(0.5f));
        run_on("gfx942", set ? "v_smfmac_f32_16x16x32_f16 v[16:19], v[2:3], v[4:7], v8 abid:1"
                             : "v_smfmac_f32_16x16x32_f16 v[16:19], v[2:3], v[4:7], v8");
        /* Sum over g = 0..3: set 0: 1*(8g) + 2*(8g+1) + 3*(8g+4) + 4*(8g+5) = 80g + 34: 616.
         * Set 1: 1*(8g+1) + 2*(8g+3) + 3*(8g+6) + 4*(8g+7) = 80g + 53: 692. */
        assert_true(sg_f32(image.v[16][0]) == (set ? 692.5f : 616.5f));
        assert_true(sg_f32(image.v[19][63]) == (set ? 692.5f : 616.5f));
    }
}

/* 0x40: exponent field 8: 2^(8-8) in FNUZ, 2^(8-7) in OCP. 32 products. */
static void fp8_by_target(void **unused)
{
    (void)unused;
    static const struct {
        const char *arch;
        float sum;
    } cases[] = {{"gfx942", 32.0f}, {"gfx950", 128.0f}};
    for (unsigned i = 0; i < 2; i++) {
        reset();
        for (unsigned r = 2; r < 6; r++)
            set_row(r, 0x40404040);
        run_on(cases[i].arch, "v_mfma_f32_16x16x32_fp8_fp8 v[8:11], v[2:3], v[4:5], 0");
        assert_true(sg_f32(image.v[8][5]) == cases[i].sum);
        assert_true(sg_f32(image.v[11][60]) == cases[i].sum);
    }
}

/* A in fp4, all 1.5 (code 3: 1.1b); B in fp8, all 1 (0x38); 128 products. Scales: A 2^1 from byte 2, B by
 * 32-wide runs of k: 1, 2, 4, 8 from byte 0. */
static void block_scales(void **unused)
{
    (void)unused;
    reset();
    for (unsigned r = 16; r < 20; r++)
        set_row(r, 0x33333333);
    for (unsigned r = 24; r < 32; r++)
        set_row(r, 0x38383838);
    set_row(40, 0x00800000);
    for (unsigned lane = 0; lane < 64; lane++)
        image.v[41][lane] = 127 + lane / 16;
    /* First without scales: 1.5 * 128. op_sel_hi of the scales' A: byte 2. */
    run_on("gfx950", "v_mfma_f32_16x16x128_f8f6f4 v[48:51], v[16:19], v[24:31], 0 cbsz:4\n"
                     "v_mfma_scale_f32_16x16x128_f8f6f4 v[52:55], v[16:19], v[24:31], 0, v40, v41 "
                     "op_sel_hi:[1,0,0] cbsz:4\n");
    assert_true(sg_f32(image.v[48][0]) == 192.0f);
    assert_true(sg_f32(image.v[51][63]) == 192.0f);
    /* 2 * 1.5 * 32 * (1 + 2 + 4 + 8) */
    assert_true(sg_f32(image.v[52][0]) == 1440.0f);
    assert_true(sg_f32(image.v[55][63]) == 1440.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_index_sets),
        cmocka_unit_test(fp8_by_target),
        cmocka_unit_test(block_scales),
    };
    return cmocka_run_group_tests_name("valu_matrix", tests, NULL, NULL);
}
