/*
 * gfx12.c - what gfx1201 has beside gfx1151: minimum and maximum of IEEE 754-2019, scalar loads of less than a dword, 64-bit
 * scalar arithmetic, atomics, transposing loads, exchange of lanes, 8-bit floats. Expected: "RDNA4 Instruction Set Architecture", chapter 16;
 * arithmetic stands beside the numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "gcn/tests/assemble.h"
#include "soft-gpu/isa/code/uop.h"
#include "soft-gpu/mem/mem.h"

#define WAVE32 "gfx1201"
#define WAVE64 "gfx1201 -mattr=+wavefrontsize64,-wavefrontsize32"

static struct sg_wave_image *image;
static struct sg_mem *memory;
static uint8_t lds[256], page[4096] __attribute__((aligned(4096)));

/* All lanes active, v0 the lane's number, v1 ten times that; s[4:5] where `page` is. */
static int begin(void **state)
{
    (void)state;
    image = calloc(1, sizeof *image);
    memory = sg_mem_create();
    for (unsigned i = 0; image && i < 64; i++) {
        image->v[0][i] = i;
        image->v[1][i] = 10 * i;
    }
    memset(page, 0, sizeof page);
    return image && memory &&
                   !sg_mem_map(memory, (uintptr_t)page, sizeof page, page, SG_RANGE_READ | SG_RANGE_WRITE)
               ? 0
               : -1;
}

static int end(void **state)
{
    (void)state;
    free(image);
    sg_mem_destroy(memory);
    return 0;
}

static void run(unsigned lanes, const char *text)
{
    const struct code *c = assemble(lanes == 32 ? WAVE32 : WAVE64, text);
    struct sg_fault fault;
    image->lanes = lanes;
    image->mode = 0x3f0;
    image->lds = lds;
    image->lds_bytes = sizeof lds;
    image->s[SG_S_EXEC] = ~0u;
    image->s[SG_S_EXEC + 1] = lanes == 64 ? ~0u : 0;
    sg_set_s64(image->s, 4, (uintptr_t)page);
    if (sg_engine_exec_raw(ls_gpu_find("gfx1201"), memory, c->words, c->n, image, &fault))
        fail_msg("%s: %s", fault.instruction, fault.message);
}

enum { QNAN = 0x7fc00001, SNAN = 0x7f800001, ONE = 0x3f800000, TWO = 0x40000000, NEGATIVE_0 = 0x80000000u };

/* *_num gives the number, and of two NaNs the first one, quieted; minimum and maximum give a NaN, a signalling one first. */
static void minimum_and_maximum(void **state)
{
    (void)state;
    image->v[2][0] = QNAN;
    image->v[3][0] = SNAN;
    image->v[4][0] = ONE;
    image->v[5][0] = TWO;
    image->v[6][0] = NEGATIVE_0;
    image->v[7][0] = 0;
    run(32, "v_max_num_f32 v10, v3, v4\nv_min_num_f32 v11, v4, v2\nv_max_num_f32 v12, v3, v2\nv_min_num_f32 "
            "v13, v2, v3\n"
            "v_min_num_f32 v14, v7, v6\nv_max_num_f32 v15, v6, v7\nv_min_num_f32 v16, v4, v5");
    assert_int_equal(image->v[10][0], ONE);
    assert_int_equal(image->v[11][0], ONE);
    assert_int_equal(image->v[12][0], SNAN | 0x400000);
    assert_int_equal(image->v[13][0], QNAN);
    assert_int_equal(image->v[14][0], NEGATIVE_0); /* -0 is less than +0 */
    assert_int_equal(image->v[15][0], 0);
    assert_int_equal(image->v[16][0], ONE);
    run(32, "v_maximum_f32 v10, v4, v2\nv_minimum_f32 v11, v2, v3\nv_minimum_f32 v12, v5, v4\nv_maximum_f32 "
            "v13, v4, v5\n"
            "v_med3_num_f32 v14, v5, v4, v2\nv_med3_num_f32 v15, v5, v7, v4\nv_minimum3_f32 v16, v4, v5, v7\n"
            "v_minmax_num_f32 v17, v4, v5, v2\nv_maximumminimum_f32 v18, v4, v5, v7");
    assert_int_equal(image->v[10][0], QNAN);
    assert_int_equal(image->v[11][0], SNAN | 0x400000);
    assert_int_equal(image->v[12][0], ONE);
    assert_int_equal(image->v[13][0], TWO);
    assert_int_equal(image->v[14][0], ONE); /* with a NaN the least of the others */
    assert_int_equal(image->v[15][0], ONE);
    assert_int_equal(image->v[16][0], 0);
    assert_int_equal(image->v[17][0], ONE); /* max(min(1, 2), NaN) */
    assert_int_equal(image->v[18][0], 0);   /* min(max(1, 2), 0) */
}

/* f16: 1 is 0x3c00, 2 0x4000, a quiet NaN 0x7e00; f64: 1 is 0x3ff00000 above. */
static void other_widths(void **state)
{
    (void)state;
    run(32,
        "v_mov_b32 v2, 0x40003c00\nv_mov_b32 v3, 0x3c007e00\nv_pk_max_num_f16 v4, v2, v3\nv_pk_minimum_f16 "
        "v5, v2, v3\n"
        "v_mov_b32 v6, 0xaaaabbbb\nv_min_num_f16 v6, v2, v3\nv_mov_b32 v7, 0\nv_maximum3_f16 v7, v2, v2, v2 "
        "op_sel:[0,1,0,0]\ns_mov_b32 s6, 0x3c00\ns_max_num_f16 s7, s6, 0x4000\ns_minimum_f32 s8, 1.0, "
        "0x7fc00001");
    assert_int_equal(image->v[4][9], 0x40003c00);
    assert_int_equal(image->v[5][9], 0x3c007e00);
    assert_int_equal(image->v[6][9], 0xaaaa3c00); /* the other half stays */
    assert_int_equal(image->v[7][9], 0x4000);
    assert_int_equal(image->s[7], 0x4000);
    assert_int_equal(image->s[8], QNAN);
    run(32, "v_mov_b32 v2, 0\nv_mov_b32 v3, 0x3ff00000\nv_mov_b32 v4, 0\nv_mov_b32 v5, 0x7ff80000\n"
            "v_max_num_f64 v[6:7], v[2:3], v[4:5]\nv_maximum_f64 v[8:9], v[2:3], v[4:5]");
    assert_int_equal(image->v[7][0], 0x3ff00000);
    assert_int_equal(image->v[9][0], 0x7ff80000);
}

/* (2^32 + 5) + (2^32 - 1) = 2^33 + 4; (2^32 + 5) * 3 = 3 * 2^32 + 15. SCC stays. */
static void scalar_64(void **state)
{
    (void)state;
    run(32, "s_mov_b32 s6, 5\ns_mov_b32 s7, 1\ns_mov_b32 s8, -1\ns_mov_b32 s9, 0\ns_cmp_eq_u32 s7, s7\n"
            "s_add_nc_u64 s[10:11], s[6:7], s[8:9]\ns_mul_u64 s[12:13], s[6:7], 3\ns_sub_nc_u64 s[14:15], "
            "s[8:9], s[6:7]");
    assert_int_equal(sg_s64(image->s, 10), (2ull << 32) + 4);
    assert_int_equal(sg_s64(image->s, 12), (3ull << 32) + 15);
    assert_int_equal(sg_s64(image->s, 14), 0xffffffffull - (1ull << 32) - 5);
    assert_int_equal(image->scc, 1);
}

static void scalar_loads(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16; i++)
        page[i] = (uint8_t)(0x80 + i);
    run(32, "s_load_u8 s10, s[4:5], 0x3\ns_load_i8 s11, s[4:5], 0x5\ns_load_u16 s12, s[4:5], 0x6\ns_load_i16 "
            "s13, s[4:5], "
            "0xe\ns_load_b96 s[16:18], s[4:5], 0x4\ns_mov_b32 s6, 2\ns_load_u8 s14, s[4:5], s6 "
            "offset:0x5\ns_wait_kmcnt 0");
    assert_int_equal(image->s[10], 0x83);
    assert_int_equal(image->s[11], 0xffffff85);
    assert_int_equal(image->s[12], 0x8786);
    assert_int_equal(image->s[13], 0xffff8f8e);
    assert_int_equal(image->s[14], 0x87);
    assert_int_equal(image->s[16], 0x87868584);
    assert_int_equal(image->s[18], 0x8f8e8d8c);
}

/* 10 - 3 twice, then 4 - 10 is not done, or gives 0. */
static void atomics(void **state)
{
    (void)state;
    uint32_t *words = (uint32_t *)(void *)page, *shared = (uint32_t *)(void *)lds;
    words[0] = words[1] = shared[0] = shared[1] = 10;
    words[2] = QNAN;
    words[3] = TWO;
    shared[2] = ONE;
    run(32,
        "s_mov_b32 exec_lo, 1\nv_mov_b32 v2, 0\nv_mov_b32 v3, 3\nv_mov_b32 v4, 10\nv_mov_b32 v5, "
        "1.0\nv_mov_b32 v6, 2.0\n"
        "global_atomic_cond_sub_u32 v10, v2, v3, s[4:5] th:TH_ATOMIC_RETURN\n"
        "global_atomic_cond_sub_u32 v11, v2, v4, s[4:5] th:TH_ATOMIC_RETURN\n"
        "global_atomic_sub_clamp_u32 v12, v2, v3, s[4:5] offset:4 th:TH_ATOMIC_RETURN\n"
        "global_atomic_sub_clamp_u32 v2, v4, s[4:5] offset:4\n"
        "global_atomic_max_num_f32 v2, v5, s[4:5] offset:8\nglobal_atomic_min_num_f32 v2, v5, s[4:5] "
        "offset:12\n"
        "ds_cond_sub_rtn_u32 v13, v2, v3\nds_cond_sub_u32 v2, v4\nds_sub_clamp_rtn_u32 v14, v2, v4 offset:4\n"
        "ds_sub_clamp_u32 v2, v4 offset:4\nds_max_num_f32 v2, v6 offset:8");
    assert_int_equal(image->v[10][0], 10);
    assert_int_equal(image->v[11][0], 7);
    assert_int_equal(image->v[12][0], 10);
    assert_int_equal(words[0], 7);
    assert_int_equal(words[1], 0);
    assert_int_equal(words[2], ONE);
    assert_int_equal(words[3], ONE);
    assert_int_equal(image->v[13][0], 10);
    assert_int_equal(image->v[14][0], 10);
    assert_int_equal(shared[0], 7);
    assert_int_equal(shared[1], 0);
    assert_int_equal(shared[2], TWO);
}

/* A matrix of 16 x 16 elements, whose numbers are 16 * row + column; lanes address rows as mem_cross.c tells. */
static void transposed_loads(void **state)
{
    (void)state;
    for (unsigned size = 1; size <= 2; size++) {
        memset(page, 0, sizeof page);
        for (unsigned i = 0; i < 256; i++)
            page[i * size] = (uint8_t)i;
        for (unsigned l = 0; l < 32; l++) {
            const unsigned row = size == 2 ? 8 * (l / 16) + l % 8 : 4 * (l / 8) + l % 4;
            const unsigned column = size == 2 ? 8 * (l / 8 % 2) : 8 * (l / 4 % 2);
            const uint64_t at = (uintptr_t)page + (row * 16 + column) * size;
            image->v[2][l] = (row * 16 + column) * size;
            image->v[4][l] = (uint32_t)at, image->v[5][l] = (uint32_t)(at >> 32);
        }
        run(32, size == 2
                    ? "global_load_tr_b128 v[10:13], v2, s[4:5]\nglobal_load_tr_b128 v[14:17], v[4:5], off"
                    : "global_load_tr_b64 v[10:11], v2, s[4:5]\nglobal_load_tr_b64 v[14:15], v[4:5], off");
        for (unsigned l = 0; l < 32; l++)
            for (unsigned e = 0; e < 8; e++)
                for (unsigned first = 10; first <= 14; first += 4) {
                    const uint32_t dword = image->v[first + e * size / 4][l];
                    assert_int_equal(dword >> e * size % 4 * 8 & (size == 2 ? 0xffff : 0xff),
                                     16 * (8 * (l / 16) + e) + l % 16);
                }
    }
}

/* The same with 64 lanes: those from 32 on have addresses that nobody may look at, and get rows 4 to 7 of the eight that a lane
 * has with 32. */
static void transposed_loads_64(void **state)
{
    (void)state;
    for (unsigned size = 1; size <= 2; size++) {
        memset(page, 0, sizeof page);
        for (unsigned i = 0; i < 256; i++)
            page[i * size] = (uint8_t)i;
        for (unsigned l = 0; l < 64; l++) {
            const unsigned row = size == 2 ? 8 * (l / 16) + l % 8 : 4 * (l / 8) + l % 4;
            const unsigned column = size == 2 ? 8 * (l / 8 % 2) : 8 * (l / 4 % 2);
            const uint64_t at = l < 32 ? (uintptr_t)page + (row * 16 + column) * size : 0;
            image->v[2][l] = l < 32 ? (row * 16 + column) * size : 0x7fffffff;
            image->v[4][l] = (uint32_t)at, image->v[5][l] = (uint32_t)(at >> 32);
        }
        run(64, size == 2
                    ? "global_load_tr_b128 v[10:11], v2, s[4:5]\nglobal_load_tr_b128 v[14:15], v[4:5], off"
                    : "global_load_tr_b64 v10, v2, s[4:5]\nglobal_load_tr_b64 v14, v[4:5], off");
        for (unsigned l = 0; l < 64; l++)
            for (unsigned e = 0; e < 4; e++)
                for (unsigned first = 10; first <= 14; first += 4) {
                    const uint32_t dword = image->v[first + e * size / 4][l];
                    assert_int_equal(dword >> e * size % 4 * 8 & (size == 2 ? 0xffff : 0xff),
                                     16 * (8 * (l % 32 / 16) + 4 * (l / 32) + e) + l % 16);
                }
    }
}

/* What is not defined stops the kernel. */
static void refused_transposes(void **state)
{
    static const struct {
        const char *gpu, *text;
        unsigned lanes;
    } cases[] = {{WAVE32, "global_load_tr_b64 v[10:11], v2, s[4:5]", 32},
                 {WAVE64, "global_load_tr_b64 v10, v2, s[4:5]", 64},
                 {WAVE64, "global_load_tr_b128 v[10:11], v2, s[4:5]", 64}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct code *c = assemble(cases[i].gpu, cases[i].text);
        struct sg_fault fault;
        image->lanes = cases[i].lanes;
        image->s[SG_S_EXEC] = ~(i == 2 ? 0 : 1u);
        image->s[SG_S_EXEC + 1] = cases[i].lanes == 32 ? 0 : i == 2 ? ~1u : ~0u;
        sg_set_s64(image->s, 4, (uintptr_t)page);
        assert_int_not_equal(
            sg_engine_exec_raw(ls_gpu_find("gfx1201"), memory, c->words, c->n, image, &fault), 0);
        assert_int_equal(fault.kind, SG_FAULT_UNIMPLEMENTED);
        assert_non_null(strstr(fault.message, "transposing load"));
    }
}

/* Lane i takes that of lane 63 - i, from the other half of the wavefront too; "fi" from lanes that are off as well. */
static void lanes_64(void **state)
{
    (void)state;
    run(64,
        "v_sub_nc_u32 v2, 63, v0\nv_lshlrev_b32 v2, 2, v2\nds_bpermute_b32 v3, v2, v1\ns_mov_b64 exec, 1\n"
        "v_mov_b32 v4, 7\nv_mov_b32 v5, 7\nds_bpermute_b32 v4, v2, v1\nds_bpermute_fi_b32 v5, v2, v1");
    assert_int_equal(image->v[3][0], 630);
    assert_int_equal(image->v[3][40], 230);
    assert_int_equal(image->v[4][0], 0);
    assert_int_equal(image->v[5][0], 630);
    run(32, "v_xor_b32 v2, 15, v0\nv_permlane16_var_b32 v3, v1, v2\nv_permlanex16_var_b32 v4, v1, v2");
    assert_int_equal(image->v[3][3], 120);  /* lane 12 */
    assert_int_equal(image->v[4][3], 280);  /* lane 28 */
    assert_int_equal(image->v[4][20], 110); /* lane 11 */
}

/* OCP's E4M3: 1 is 0x38, 2 0x40; E5M2: 1 is 0x3c, 2 0x40. 3 + 1 * 1 + 2 * 2 + 1 * 2 + 2 * 1 = 12. */
static void small_floats(void **state)
{
    (void)state;
    run(32, "v_mov_b32 v2, 0x40384038\nv_mov_b32 v3, 0x3c40403c\nv_mov_b32 v4, "
            "0x40400000\nv_dot4_f32_fp8_bf8 v5, v2, v3, v4\n"
            "v_cvt_f32_fp8 v6, v2\nv_cvt_f32_fp8_e64 v7, v2 byte_sel:1\nv_cvt_pk_fp8_f32 v8, 1.0, "
            "2.0\nv_mov_b32 v12, 0x40380000\n"
            "v_cvt_f32_fp8_e64 v9, v12 byte_sel:2\nv_cvt_pk_f32_fp8_e64 v[10:11], v12 op_sel:[1,0]");
    assert_int_equal(image->v[5][0], 0x41400000);
    assert_int_equal(image->v[6][0], ONE);
    assert_int_equal(image->v[7][0], TWO);
    assert_int_equal(image->v[8][0] & 0xffff, 0x4038);
    assert_int_equal(image->v[9][0], ONE);
    assert_int_equal(image->v[10][0], ONE);
    assert_int_equal(image->v[11][0], TWO);
}

/* Scalar operands and results, whatever EXEC says: 2^3, sqrt(4), 1 / 4 exactly. */
static void scalar_transcendentals(void **state)
{
    (void)state;
    run(32, "s_mov_b32 exec_lo, 0\ns_mov_b32 s6, 0x40400000\ns_mov_b32 s7, 4.0\nv_s_exp_f32 s8, "
            "s6\nv_s_sqrt_f32 s9, s7\n"
            "v_s_rcp_f32 s10, s7\nv_s_rcp_f32 s11, -s7");
    assert_int_equal(image->s[8], 0x41000000);
    assert_int_equal(image->s[9], TWO);
    assert_int_equal(image->s[10], 0x3e800000);
    assert_int_equal(image->s[11], 0xbe800000);
}

/* The upper half read around the lower one does not go backwards. */
static void clocks(void **state)
{
    (void)state;
    run(32,
        "s_getreg_b32 s6, hwreg(HW_REG_SHADER_CYCLES_HI)\ns_getreg_b32 s7, hwreg(HW_REG_SHADER_CYCLES_LO)\n"
        "s_getreg_b32 s8, hwreg(HW_REG_SHADER_CYCLES_HI)\ns_getreg_b32 s9, hwreg(HW_REG_WAVE_MODE)");
    assert_true(image->s[8] >= image->s[6]);
    assert_int_equal(image->s[9] & 0x300, 0); /* neither IEEE nor DX10_CLAMP */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(minimum_and_maximum, begin, end),
        cmocka_unit_test_setup_teardown(other_widths, begin, end),
        cmocka_unit_test_setup_teardown(scalar_64, begin, end),
        cmocka_unit_test_setup_teardown(scalar_loads, begin, end),
        cmocka_unit_test_setup_teardown(atomics, begin, end),
        cmocka_unit_test_setup_teardown(transposed_loads, begin, end),
        cmocka_unit_test_setup_teardown(transposed_loads_64, begin, end),
        cmocka_unit_test_setup_teardown(refused_transposes, begin, end),
        cmocka_unit_test_setup_teardown(lanes_64, begin, end),
        cmocka_unit_test_setup_teardown(small_floats, begin, end),
        cmocka_unit_test_setup_teardown(scalar_transcendentals, begin, end),
        cmocka_unit_test_setup_teardown(clocks, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
