/*
 * test_scalar.c - scalar instructions, jumps, M0-relative registers and faults on raw code.
 *
 * Results are from "AMD Instinct MI300 ISA", chapters 6 and 12.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../engine.h"
#include "gcn/tests/assemble.h"

enum { M0 = 124, EXEC = 126 };

static struct sg_wave_image *image;
static struct sg_fault fault;

static int setup(void **state)
{
    (void)state;
    image = calloc(1, sizeof *image);
    image->s[EXEC] = image->s[EXEC + 1] = ~0u;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(image);
    return 0;
}

static int run_on(const char *arch, const char *text)
{
    const struct code *c = assemble(arch, text);
    return sg_engine_exec_raw(ls_gpu_find_emulated(arch), NULL, c->words, c->n, image, &fault);
}

static void run(const char *text)
{
    if (run_on("gfx90a", text))
        fail_msg("%s: %s", fault.instruction, fault.message);
}

/* One SOP2 on 32-bit registers s0, s1 -> s2 with SCC as given; expects s2 and SCC. */
static void check32(const char *name, uint32_t a, uint32_t b, unsigned scc, uint32_t d, unsigned scc_after)
{
    char text[64];
    snprintf(text, sizeof text, "%s s2, s0, s1", name);
    image->s[0] = a;
    image->s[1] = b;
    image->scc = scc;
    run(text);
    if (image->s[2] != d || image->scc != scc_after)
        fail_msg("%s (%x, %x, %u): %x, %u instead of %x, %u", name, a, b, scc, image->s[2], image->scc, d,
                 scc_after);
}

static void test_sop2(void **state)
{
    (void)state;
    check32("s_add_u32", 0xffffffff, 1, 0, 0, 1);          /* carry */
    check32("s_add_u32", 0x7fffffff, 1, 1, 0x80000000, 0); /* no unsigned carry */
    check32("s_sub_u32", 1, 2, 0, 0xffffffff, 1);          /* borrow */
    check32("s_add_i32", 0x7fffffff, 1, 0, 0x80000000, 1); /* signed overflow */
    check32("s_add_i32", 0xffffffff, 1, 0, 0, 0);
    check32("s_sub_i32", 0x80000000, 1, 0, 0x7fffffff, 1);
    check32("s_addc_u32", 0xffffffff, 0, 1, 0, 1);
    check32("s_subb_u32", 0, 0xffffffff, 1, 0, 1);         /* 0 - ffffffff - 1 */
    check32("s_min_i32", 5, 0xfffffffe, 1, 0xfffffffe, 0); /* SCC says the first is smaller */
    check32("s_max_i32", 7, 7, 0, 7, 1);                   /* equal counts for the first */
    check32("s_cselect_b32", 3, 4, 1, 3, 1);
    check32("s_andn2_b32", 0xff, 0xff, 1, 0, 0);
    check32("s_lshl_b32", 1, 35, 0, 8, 1); /* five bits of shift */
    check32("s_ashr_i32", 0x80000000, 31, 0, 0xffffffff, 1);
    check32("s_bfm_b32", 4, 8, 1, 0xf00, 1);         /* keeps SCC */
    check32("s_mul_i32", 0x10000, 0x10000, 1, 0, 1); /* keeps SCC */
    check32("s_bfe_u32", 0x12345678, 8 | 8 << 16, 0, 0x56, 1);
    check32("s_bfe_i32", 0x0000f000, 12 | 4 << 16, 0, 0xffffffff, 1);
    check32("s_bfe_i32", 0x12345678, 4, 1, 0, 0);                     /* width 0 */
    check32("s_bfe_u32", 0x12345678, 0 | 32 << 16, 0, 0x12345678, 1); /* width 32 */
    check32("s_absdiff_i32", 3, 10, 0, 7, 1);
    check32("s_mul_hi_u32", 0xffffffff, 0xffffffff, 0, 0xfffffffe, 0);
    check32("s_mul_hi_i32", 0xffffffff, 0xffffffff, 0, 0, 0); /* -1 * -1 */
    check32("s_lshl4_add_u32", 0x10000001, 0x10, 0, 0x20, 1); /* carry out of the shift */
    check32("s_pack_lh_b32_b16", 0x11112222, 0x33334444, 0, 0x33332222, 0);
}

/* `b`: the second source, s2 or s[2:3], which hold y. */
static void check64(const char *name, const char *b, uint64_t x, uint64_t y, uint64_t d, unsigned scc_after)
{
    char text[64];
    snprintf(text, sizeof text, "%s s[4:5], s[0:1], %s", name, b);
    memcpy(&image->s[0], &x, 8);
    memcpy(&image->s[2], &y, 8);
    run(text);
    uint64_t result;
    memcpy(&result, &image->s[4], 8);
    if (result != d || image->scc != scc_after)
        fail_msg("%s: %llx, %u", name, (unsigned long long)result, image->scc);
}

static void test_sop2_64(void **state)
{
    (void)state;
    check64("s_and_b64", "s[2:3]", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0x0f000f000f000f00, 1);
    check64("s_xnor_b64", "s[2:3]", 5, 5, ~0ull, 1);
    check64("s_lshl_b64", "s2", 1, 63, 1ull << 63, 1);
    check64("s_ashr_i64", "s2", 1ull << 63, 63, ~0ull, 1);
    check64("s_bfe_u64", "s2", 0x123456789abcdef0, 32 | 16 << 16, 0x5678, 1);
    check64("s_bfe_i64", "s2", 0x8000000000000000, 60 | 4 << 16, 0xfffffffffffffff8, 1);
}

/* A name that ends in two types, as s_bcnt1_i32_b64, has a source of the second. */
static void check_sop1(const char *name, uint64_t a, uint64_t d, unsigned d_dwords, int scc_after)
{
    char text[64];
    snprintf(text, sizeof text, "%s %s, %s", name, registers("s", 4, d_dwords),
             registers("s", 0, strstr(name, "_i32_b64") ? 2 : 1));
    uint64_t result = 0;
    memcpy(&image->s[0], &a, 8);
    image->s[4] = image->s[5] = 0;
    image->scc = 1;
    run(text);
    memcpy(&result, &image->s[4], 4 * d_dwords);
    if (result != d || image->scc != (uint32_t)scc_after)
        fail_msg("%s: %llx, %u", name, (unsigned long long)result, image->scc);
}

static void test_sop1(void **state)
{
    (void)state;
    check_sop1("s_not_b32", 0xffffffff, 0, 1, 0);
    check_sop1("s_wqm_b32", 0x00000100, 0x00000f00, 1, 1);
    check_sop1("s_brev_b32", 1, 0x80000000, 1, 1);
    check_sop1("s_bcnt0_i32_b32", 0xffffffff, 0, 1, 0);
    check_sop1("s_bcnt1_i32_b64", ~0ull, 64, 1, 1);
    check_sop1("s_ff0_i32_b32", 0xffffffff, 0xffffffff, 1, 1); /* none */
    check_sop1("s_ff1_i32_b64", 1ull << 40, 40, 1, 1);
    check_sop1("s_flbit_i32_b32", 0x00010000, 15, 1, 1);
    check_sop1("s_flbit_i32", 0xffff0000, 16, 1, 1);         /* first bit unlike the sign */
    check_sop1("s_flbit_i32", 0xffffffff, 0xffffffff, 1, 1); /* all alike */
    check_sop1("s_sext_i32_i8", 0x80, 0xffffff80, 1, 1);
    check_sop1("s_quadmask_b32", 0xf000000f, 0x81, 1, 1);
    check_sop1("s_abs_i32", 0x80000000, 0x80000000, 1, 1); /* of INT_MIN */
    check_sop1("s_bitreplicate_b64_b32", 5, 0x33, 2, 1);   /* 101 -> 110011 */
}

static void test_sopk(void **state)
{
    (void)state;
#define MINUS_7 "s_movk_i32 s0, -2\ns_addk_i32 s0, 3\ns_mulk_i32 s0, -7\n"
    run(MINUS_7 "s_cmpk_eq_u32 s0, 0xfff9"); /* zero-extended */
    assert_int_equal(image->s[0], 0xfffffff9);
    assert_int_equal(image->scc, 0);
    run(MINUS_7 "s_cmpk_eq_i32 s0, -7"); /* sign-extended */
    assert_int_equal(image->scc, 1);
}

static void test_constants(void **state)
{
    (void)state;
    image->scc = 1;
    run("s_mov_b64 s[0:1], -1\ns_mov_b64 s[2:3], 1.0\ns_mov_b64 s[4:5], 0x89abcdef\n"
        "s_mov_b64 s[6:7], src_shared_base\ns_mov_b32 s8, 0.5\ns_mov_b32 s9, src_scc\n");
    const uint32_t expected[] = {~0u, ~0u, 0, 0x3ff00000, 0x89abcdef, 0, 0, 0x00010000, 0x3f000000, 1};
    assert_memory_equal(image->s, expected, sizeof expected);
}

static void test_saveexec(void **state)
{
    (void)state;
    /* s[0:1] = 0xf0: EXEC becomes 0xf0, v_mov writes only those lanes; then everything again. */
    image->s[0] = 0xf0;
    image->s[1] = 0;
    run("s_and_saveexec_b64 s[2:3], s[0:1]\nv_mov_b32 v5, 1\ns_mov_b64 exec, s[2:3]\nv_mov_b32 v6, 2\n"
        "s_cmp_eq_u64 exec, s[2:3]\n");
    assert_int_equal(image->s[2], ~0u);
    for (unsigned lane = 0; lane < 64; lane++) {
        assert_int_equal(image->v[5][lane], lane >= 4 && lane < 8 ? 1 : 0);
        assert_int_equal(image->v[6][lane], 2);
    }
    assert_int_equal(image->scc, 1);
}

static void test_loop_and_calls(void **state)
{
    (void)state;
    /* s1 = 10 + 9 + ... + 1, then a subroutine through s_swappc and one through s_call. */
    run("s_movk_i32 s0, 10\n"
        "s_movk_i32 s1, 0\n"
        "again: s_add_u32 s1, s1, s0\n"
        "s_sub_u32 s0, s0, 1\n"
        "s_cmp_lg_u32 s0, 0\n"
        "s_cbranch_scc1 again\n"
        "s_getpc_b64 s[2:3]\n"   /* 24: 28, of the next one */
        "s_add_u32 s2, s2, 20\n" /* 48, of the subroutine */
        "s_swappc_b64 s[4:5], s[2:3]\n"
        "s_call_b64 s[4:5], subroutine\n"
        "s_endpgm\n" /* 40 */
        "s_nop 0\n"
        "subroutine: s_addk_i32 s1, 100\n"
        "s_setpc_b64 s[4:5]\n");
    assert_int_equal(image->s[1], 55 + 200);
    assert_int_equal(image->pc_out, 40);
}

static void test_gpr_index(void **state)
{
    (void)state;
    /* s_set_gpr_idx_on s0, SRC0: v10 = v[20 + s0]; then DST: v[10 + s0] = v30; off: plain again. */
    for (unsigned i = 0; i < 64; i++)
        for (unsigned lane = 0; lane < 64; lane++)
            image->v[i][lane] = i * 100 + lane;
    image->s[0] = 7;
    run("s_set_gpr_idx_on s0, gpr_idx(SRC0)\nv_mov_b32 v10, v20\ns_set_gpr_idx_mode gpr_idx(DST)\n"
        "v_mov_b32 v10, v30\ns_set_gpr_idx_off\nv_mov_b32 v11, v20\n");
    for (unsigned lane = 0; lane < 64; lane++) {
        assert_int_equal(image->v[10][lane], 2700 + lane);
        assert_int_equal(image->v[17][lane], 3000 + lane);
        assert_int_equal(image->v[11][lane], 2000 + lane);
    }
    assert_int_equal(image->s[M0], 7 | 8 << 12);
}

static void test_movrel(void **state)
{
    (void)state;
    image->s[M0] = 3;
    image->s[13] = 99;
    image->s[1] = 55;
    run("s_movrels_b32 s0, s10\ns_movreld_b32 s20, s1"); /* s0 = s[10 + M0]; s[20 + M0] = s1 */
    assert_int_equal(image->s[0], 99);
    assert_int_equal(image->s[23], 55);
}

static void test_hardware_registers(void **state)
{
    (void)state;
    /* Bits 4..7 of MODE are about denormals. */
    image->mode = 0x3c0;
    image->s[0] = 0x5;
    run("s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s0\ns_getreg_b32 s1, hwreg(HW_REG_MODE)\n"
        "s_getreg_b32 s2, hwreg(HW_REG_SH_MEM_BASES)\n");
    assert_int_equal(image->s[1], 0x350);
    assert_int_equal(image->mode, 0x350);
    assert_int_equal(image->s[2], 1u << 16 | 2); /* SH_MEM_BASES of the apertures 1 << 48 and 2 << 48 */
}

/* Jumps to where there is no code, near and far: the jump itself is the place of the fault. */
static void test_wild_jumps(void **state)
{
    (void)state;
    static const uint64_t bad[] = {4096, 0x123456788000, 0x7fffffffc, 0x1002};
    static const char set[] = "s_nop 0\ns_setpc_b64 s[4:5]", swap[] = "s_nop 0\ns_swappc_b64 s[2:3], s[4:5]";
    for (unsigned i = 0; i < 2 * sizeof bad / sizeof *bad; i++) {
        image->s[4] = (uint32_t)bad[i / 2];
        image->s[5] = (uint32_t)(bad[i / 2] >> 32);
        assert_int_equal(run_on("gfx942", i % 2 ? swap : set), -1);
        assert_int_equal(fault.kind, bad[i / 2] % 4 ? SG_FAULT_ILLEGAL : SG_FAULT_PAGE);
        assert_int_equal(fault.va, bad[i / 2]);
        assert_int_equal(fault.pc, 4);
        assert_non_null(strstr(fault.instruction, i % 2 ? "s_swappc_b64" : "s_setpc_b64"));
        char text[40];
        snprintf(text, sizeof text, "jump to 0x%llx,", (unsigned long long)bad[i / 2]);
        assert_non_null(strstr(fault.message, text));
    }
}

static void test_faults(void **state)
{
    (void)state;
    assert_int_equal(run_on("gfx942", "s_nop 0\ns_trap 2"), -1);
    assert_int_equal(fault.kind, SG_FAULT_TRAP);
    assert_int_equal(fault.pc, 4);
    assert_int_equal(run_on("gfx942", "s_trap 3\ns_movk_i32 s0, 5"), 0);
    assert_int_equal(image->s[0], 5);
    assert_int_equal(run_on("gfx942", ".long 0xfe000000"), -1); /* no instruction has a text for it */
    assert_int_equal(fault.kind, SG_FAULT_ILLEGAL);
    assert_int_equal(run_on("gfx942", "s_endpgm_ordered_ps_done"), -1); /* graphics */
    assert_int_equal(fault.kind, SG_FAULT_UNIMPLEMENTED);
    assert_non_null(strstr(fault.instruction, "s_endpgm_ordered_ps_done"));
    image->s[0] = 0x1000;
    image->s[1] = 0;
    assert_int_equal(run_on("gfx942", "s_load_dword s1, s[0:1], 0x10"), -1);
    assert_int_equal(fault.kind, SG_FAULT_PAGE);
    assert_true(fault.va == 0x1010);
}

/* 3000 different literals: the constant pool grows beyond its first size. */
static void test_many_constants(void **state)
{
    (void)state;
    enum { N = 3000 };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < N; i++) {
        fprintf(out, "s_add_u32 s0, s0, 0x%x\n", 1000003u * (i + 1));
        sum += 1000003u * (i + 1);
    }
    fclose(out);
    image->s[0] = 0;
    run(text);
    assert_int_equal(image->s[0], sum);
    free(text);
}

static void test_scalar_memory(void **state)
{
    (void)state;
    static uint32_t data[64];
    struct sg_mem *mem = sg_mem_create();
    const uint64_t va = 0x7000000000;
    assert_int_equal(sg_mem_map(mem, va, sizeof data, data, SG_RANGE_READ | SG_RANGE_WRITE), 0);
    for (uint32_t i = 0; i < 64; i++)
        data[i] = i * 3;
    image->s[0] = (uint32_t)(va + 40);
    image->s[1] = va >> 32;
    image->s[12] = (uint32_t)va;
    image->s[13] = va >> 32;
    image->s[14] = 12; /* bytes of the buffer */
    const struct code *c =
        assemble("gfx90a", "s_load_dwordx4 s[4:7], s[0:1], -8\ns_buffer_load_dwordx2 s[8:9], s[12:15], 8");
    assert_int_equal(sg_engine_exec_raw(ls_gpu_find_emulated("gfx90a"), mem, c->words, c->n, image, &fault),
                     0);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(image->s[4 + i], (8 + i) * 3);
    assert_int_equal(image->s[8], 6);
    assert_int_equal(image->s[9], 0); /* beyond num_records */
    sg_mem_destroy(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sop2, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sop2_64, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sop1, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sopk, setup, teardown),
        cmocka_unit_test_setup_teardown(test_constants, setup, teardown),
        cmocka_unit_test_setup_teardown(test_saveexec, setup, teardown),
        cmocka_unit_test_setup_teardown(test_loop_and_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_gpr_index, setup, teardown),
        cmocka_unit_test_setup_teardown(test_movrel, setup, teardown),
        cmocka_unit_test_setup_teardown(test_hardware_registers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wild_jumps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_constants, setup, teardown),
        cmocka_unit_test_setup_teardown(test_scalar_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
