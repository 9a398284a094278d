/*
 * test_scalar.c - scalar instructions, jumps, M0-relative registers and faults on raw code.
 *
 * Encodings are composed here from the instruction formats; opcode numbers and results are from "AMD Instinct
 * MI300 ISA" chapters 6 and 12.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../engine.h"

enum { VCC = 106, M0 = 124, EXEC = 126, LITERAL = 255 };

static uint32_t sop2(unsigned op, unsigned d, unsigned a, unsigned b)
{
    return 2u << 30 | op << 23 | d << 16 | b << 8 | a;
}
static uint32_t sop1(unsigned op, unsigned d, unsigned a)
{
    return 0x17du << 23 | d << 16 | op << 8 | a;
}
static uint32_t sopc(unsigned op, unsigned a, unsigned b)
{
    return 0x17eu << 23 | op << 16 | b << 8 | a;
}
static uint32_t sopp(unsigned op, int immediate)
{
    return 0x17fu << 23 | op << 16 | (uint16_t)immediate;
}
static uint32_t sopk(unsigned op, unsigned d, int immediate)
{
    return 0xbu << 28 | op << 23 | d << 16 | (uint16_t)immediate;
}
static uint32_t v_mov(unsigned d, unsigned source)
{
    return 0x3fu << 25 | d << 17 | 1u << 9 | source;
}

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

static int run_on(const char *arch, const uint32_t *code, size_t n)
{
    return sg_engine_exec_raw(sg_arch_find(arch), NULL, code, n, image, &fault);
}

static void run(const uint32_t *code, size_t n)
{
    if (run_on("gfx90a", code, n))
        fail_msg("%s: %s", fault.instruction, fault.message);
}

/* One SOP2 on 32-bit registers s0, s1 -> s2 with SCC as given; expects s2 and SCC. */
static void check32(unsigned op, uint32_t a, uint32_t b, unsigned scc, uint32_t d, unsigned scc_after)
{
    uint32_t code[] = {sop2(op, 2, 0, 1)};
    image->s[0] = a;
    image->s[1] = b;
    image->scc = scc;
    run(code, 1);
    if (image->s[2] != d || image->scc != scc_after)
        fail_msg("SOP2 %u (%x, %x, %u): %x, %u instead of %x, %u", op, a, b, scc, image->s[2], image->scc, d,
                 scc_after);
}

static void test_sop2(void **state)
{
    (void)state;
    check32(0, 0xffffffff, 1, 0, 0, 1);          /* s_add_u32: carry */
    check32(0, 0x7fffffff, 1, 1, 0x80000000, 0); /* no unsigned carry */
    check32(1, 1, 2, 0, 0xffffffff, 1);          /* s_sub_u32: borrow */
    check32(2, 0x7fffffff, 1, 0, 0x80000000, 1); /* s_add_i32: signed overflow */
    check32(2, 0xffffffff, 1, 0, 0, 0);
    check32(3, 0x80000000, 1, 0, 0x7fffffff, 1);             /* s_sub_i32 */
    check32(4, 0xffffffff, 0, 1, 0, 1);                      /* s_addc_u32 */
    check32(5, 0, 0xffffffff, 1, 0, 1);                      /* s_subb_u32: 0 - ffffffff - 1 */
    check32(6, 5, 0xfffffffe, 1, 0xfffffffe, 0);             /* s_min_i32: SCC says the first is smaller */
    check32(8, 7, 7, 0, 7, 1);                               /* s_max_i32: equal counts for the first */
    check32(10, 3, 4, 1, 3, 1);                              /* s_cselect_b32 */
    check32(18, 0xff, 0xff, 1, 0, 0);                        /* s_andn2_b32 */
    check32(28, 1, 35, 0, 8, 1);                             /* s_lshl_b32: five bits of shift */
    check32(32, 0x80000000, 31, 0, 0xffffffff, 1);           /* s_ashr_i32 */
    check32(34, 4, 8, 1, 0xf00, 1);                          /* s_bfm_b32 keeps SCC */
    check32(36, 0x10000, 0x10000, 1, 0, 1);                  /* s_mul_i32 keeps SCC */
    check32(37, 0x12345678, 8 | 8 << 16, 0, 0x56, 1);        /* s_bfe_u32 */
    check32(38, 0x0000f000, 12 | 4 << 16, 0, 0xffffffff, 1); /* s_bfe_i32 */
    check32(38, 0x12345678, 4, 1, 0, 0);                     /* width 0 */
    check32(37, 0x12345678, 0 | 32 << 16, 0, 0x12345678, 1); /* width 32 */
    check32(42, 3, 10, 0, 7, 1);                             /* s_absdiff_i32 */
    check32(44, 0xffffffff, 0xffffffff, 0, 0xfffffffe, 0);   /* s_mul_hi_u32 */
    check32(45, 0xffffffff, 0xffffffff, 0, 0, 0);            /* s_mul_hi_i32: -1 * -1 */
    check32(49, 0x10000001, 0x10, 0, 0x20, 1);               /* s_lshl4_add_u32: carry out of the shift */
    check32(51, 0x11112222, 0x33334444, 0, 0x33332222, 0);   /* s_pack_lh_b32_b16 */
}

static void check64(unsigned op, uint64_t a, uint64_t b, uint64_t d, unsigned scc_after)
{
    uint32_t code[] = {sop2(op, 4, 0, 2)};
    memcpy(&image->s[0], &a, 8);
    memcpy(&image->s[2], &b, 8);
    run(code, 1);
    uint64_t result;
    memcpy(&result, &image->s[4], 8);
    if (result != d || image->scc != scc_after)
        fail_msg("SOP2 %u: %llx, %u", op, (unsigned long long)result, image->scc);
}

static void test_sop2_64(void **state)
{
    (void)state;
    check64(13, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0x0f000f000f000f00, 1); /* s_and_b64 */
    check64(27, 5, 5, ~0ull, 1);                                                /* s_xnor_b64 */
    check64(29, 1, 63, 1ull << 63, 1);                                          /* s_lshl_b64 */
    check64(33, 1ull << 63, 63, ~0ull, 1);                                      /* s_ashr_i64 */
    check64(39, 0x123456789abcdef0, 32 | 16 << 16, 0x5678, 1);                  /* s_bfe_u64 */
    check64(40, 0x8000000000000000, 60 | 4 << 16, 0xfffffffffffffff8, 1);       /* s_bfe_i64 */
}

static void check_sop1(unsigned op, uint64_t a, uint64_t d, unsigned d_dwords, int scc_after)
{
    uint32_t code[] = {sop1(op, 4, 0)};
    uint64_t result = 0;
    memcpy(&image->s[0], &a, 8);
    image->s[4] = image->s[5] = 0;
    image->scc = 1;
    run(code, 1);
    memcpy(&result, &image->s[4], 4 * d_dwords);
    if (result != d || image->scc != (uint32_t)scc_after)
        fail_msg("SOP1 %u: %llx, %u", op, (unsigned long long)result, image->scc);
}

static void test_sop1(void **state)
{
    (void)state;
    check_sop1(4, 0xffffffff, 0, 1, 0);           /* s_not_b32 */
    check_sop1(6, 0x00000100, 0x00000f00, 1, 1);  /* s_wqm_b32 */
    check_sop1(8, 1, 0x80000000, 1, 1);           /* s_brev_b32 */
    check_sop1(10, 0xffffffff, 0, 1, 0);          /* s_bcnt0_i32_b32 */
    check_sop1(13, ~0ull, 64, 1, 1);              /* s_bcnt1_i32_b64 */
    check_sop1(14, 0xffffffff, 0xffffffff, 1, 1); /* s_ff0_i32_b32: none */
    check_sop1(17, 1ull << 40, 40, 1, 1);         /* s_ff1_i32_b64 */
    check_sop1(18, 0x00010000, 15, 1, 1);         /* s_flbit_i32_b32 */
    check_sop1(20, 0xffff0000, 16, 1, 1);         /* s_flbit_i32: first bit unlike the sign */
    check_sop1(20, 0xffffffff, 0xffffffff, 1, 1); /* all alike */
    check_sop1(22, 0x80, 0xffffff80, 1, 1);       /* s_sext_i32_i8 */
    check_sop1(40, 0xf000000f, 0x81, 1, 1);       /* s_quadmask_b32 */
    check_sop1(48, 0x80000000, 0x80000000, 1, 1); /* s_abs_i32 of INT_MIN */
    check_sop1(55, 5, 0x33, 2, 1);                /* s_bitreplicate_b64_b32: 101 -> 110011 */
}

static void test_sopk(void **state)
{
    (void)state;
    uint32_t code[] = {sopk(0, 0, -2),      /* s_movk_i32 s0, -2 */
                       sopk(14, 0, 3),      /* s_addk_i32 s0, 3 -> 1 */
                       sopk(15, 0, -7),     /* s_mulk_i32 s0, -7 */
                       sopk(8, 0, 0xfff9)}; /* s_cmpk_eq_u32 s0, 0xfff9: zero-extended */
    run(code, 4);
    assert_int_equal(image->s[0], 0xfffffff9);
    assert_int_equal(image->scc, 0);
    code[3] = sopk(2, 0, -7); /* s_cmpk_eq_i32: sign-extended */
    run(code, 4);
    assert_int_equal(image->scc, 1);
}

static void test_constants(void **state)
{
    (void)state;
    uint32_t code[] = {sop1(1, 0, 193), sop1(1, 2, 242), sop1(1, 4, LITERAL), 0x89abcdef,
                       sop1(1, 6, 235), sop1(0, 8, 240), sop1(0, 9, 253)};
    image->scc = 1;
    run(code, 7);
    const uint32_t expected[] = {~0u, ~0u, 0, 0x3ff00000, 0x89abcdef, 0, 0, 0x00010000, 0x3f000000, 1};
    assert_memory_equal(image->s, expected, sizeof expected);
}

static void test_saveexec(void **state)
{
    (void)state;
    /* s[0:1] = 0xf0: EXEC becomes 0xf0, v_mov writes only those lanes; then everything again. */
    uint32_t code[] = {sop1(32, 2, 0), v_mov(5, 129), sop1(1, EXEC, 2), v_mov(6, 130), sopc(18, EXEC, 2)};
    image->s[0] = 0xf0;
    image->s[1] = 0;
    run(code, 5);
    assert_int_equal(image->s[2], ~0u);
    for (unsigned lane = 0; lane < 64; lane++) {
        assert_int_equal(image->v[5][lane], lane >= 4 && lane < 8 ? 1 : 0);
        assert_int_equal(image->v[6][lane], 2);
    }
    assert_int_equal(image->scc, 1); /* s_cmp_eq_u64 exec, saved */
}

static void test_loop_and_calls(void **state)
{
    (void)state;
    /* s1 = 10 + 9 + ... + 1, then a subroutine through s_swappc and one through s_call. */
    uint32_t code[] = {
        sopk(0, 0, 10),          /* 0: s0 = 10 */
        sopk(0, 1, 0),           /* 4: s1 = 0 */
        sop2(0, 1, 1, 0),        /* 8: s1 += s0 */
        sop2(1, 0, 0, 129),      /* 12: s0 -= 1 */
        sopc(7, 0, 128),         /* 16: SCC = s0 != 0 */
        sopp(5, -4),             /* 20: s_cbranch_scc1 8 */
        sop1(28, 2, 0),          /* 24: s_getpc s[2:3] -> 28 */
        sop2(0, 2, 2, 128 + 20), /* 28: 48 */
        sop1(30, 4, 2),          /* 32: s_swappc s[4:5], s[2:3] */
        sopk(21, 4, 2),          /* 36: s_call_b64 s[4:5], 48 */
        sopp(1, 0),              /* 40: s_endpgm */
        sopp(0, 0),              /* 44 */
        sopk(14, 1, 100),        /* 48: s1 += 100 */
        sop1(29, 0, 4),          /* 52: s_setpc s[4:5] */
    };
    run(code, sizeof code / sizeof *code);
    assert_int_equal(image->s[1], 55 + 200);
    assert_int_equal(image->pc_out, 40);
}

static void test_gpr_index(void **state)
{
    (void)state;
    /* s_set_gpr_idx_on s0, SRC0: v10 = v[20 + s0]; then DST: v[10 + s0] = v30; off: plain again. */
    uint32_t code[] = {sopc(17, 0, 1),      v_mov(10, 256 + 20), sopp(29, 8),
                       v_mov(10, 256 + 30), sopp(28, 0),         v_mov(11, 256 + 20)};
    for (unsigned i = 0; i < 64; i++)
        for (unsigned lane = 0; lane < 64; lane++)
            image->v[i][lane] = i * 100 + lane;
    image->s[0] = 7;
    run(code, 6);
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
    uint32_t code[] = {sop1(42, 0, 10), sop1(44, 20, 1)}; /* s0 = s[10 + M0]; s[20 + M0] = s1 */
    image->s[M0] = 3;
    image->s[13] = 99;
    image->s[1] = 55;
    run(code, 2);
    assert_int_equal(image->s[0], 99);
    assert_int_equal(image->s[23], 55);
}

static void test_hardware_registers(void **state)
{
    (void)state;
    /* s_setreg MODE bits 4..7 (denormals) from s0, read all of MODE and STATUS. */
    uint32_t code[] = {sopk(18, 0, 1 | 4 << 6 | 3 << 11), sopk(17, 1, 1 | 31 << 11),
                       sopk(17, 2, 15 | 31 << 11)};
    image->mode = 0x3c0;
    image->s[0] = 0x5;
    run(code, 3);
    assert_int_equal(image->s[1], 0x350);
    assert_int_equal(image->mode, 0x350);
    assert_int_equal(image->s[2], 1u << 16 | 2); /* SH_MEM_BASES of the apertures 1 << 48 and 2 << 48 */
}

/* Jumps to where there is no code, near and far: the jump itself is the place of the fault. */
static void test_wild_jumps(void **state)
{
    (void)state;
    static const uint64_t bad[] = {4096, 0x123456788000, 0x7fffffffc, 0x1002};
    uint32_t set[] = {sopp(0, 0), sop1(29, 0, 4)}, swap[] = {sopp(0, 0), sop1(30, 2, 4)};
    for (unsigned i = 0; i < 2 * sizeof bad / sizeof *bad; i++) {
        image->s[4] = (uint32_t)bad[i / 2];
        image->s[5] = (uint32_t)(bad[i / 2] >> 32);
        assert_int_equal(run_on("gfx942", i % 2 ? swap : set, 2), -1);
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
    uint32_t trap[] = {sopp(0, 0), sopp(18, 2)};
    assert_int_equal(run_on("gfx942", trap, 2), -1);
    assert_int_equal(fault.kind, SG_FAULT_TRAP);
    assert_int_equal(fault.pc, 4);
    uint32_t debug_trap[] = {sopp(18, 3), sopk(0, 0, 5)};
    assert_int_equal(run_on("gfx942", debug_trap, 2), 0);
    assert_int_equal(image->s[0], 5);
    uint32_t illegal[] = {0xfe000000};
    assert_int_equal(run_on("gfx942", illegal, 1), -1);
    assert_int_equal(fault.kind, SG_FAULT_ILLEGAL);
    uint32_t unknown[] = {0xbf9e0000}; /* s_endpgm_ordered_ps_done: graphics */
    assert_int_equal(run_on("gfx942", unknown, 1), -1);
    assert_int_equal(fault.kind, SG_FAULT_UNIMPLEMENTED);
    assert_non_null(strstr(fault.instruction, "s_endpgm_ordered_ps_done"));
    uint32_t load[] = {0xc0020000 | 1 << 6, 0x10}; /* s_load_dword s1, s[0:1], 0x10 */
    image->s[0] = 0x1000;
    image->s[1] = 0;
    assert_int_equal(run_on("gfx942", load, 2), -1);
    assert_int_equal(fault.kind, SG_FAULT_PAGE);
    assert_true(fault.va == 0x1010);
}

/* 3000 different literals: the constant pool grows beyond its first size. */
static void test_many_constants(void **state)
{
    (void)state;
    enum { N = 3000 };
    static uint32_t code[3 * N];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < N; i++) {
        code[2 * i] = sop2(0, 0, 0, LITERAL);
        code[2 * i + 1] = 1000003u * (i + 1);
        sum += code[2 * i + 1];
    }
    image->s[0] = 0;
    run(code, 2 * N);
    assert_int_equal(image->s[0], sum);
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
    /* s_load_dwordx4 s[4:7], s[0:1], -8 (21-bit signed); s_buffer_load_dwordx2 s[8:9], s[12:15], 8 with 12
     * bytes */
    uint32_t code[] = {0xc00a0000 | 4 << 6 | 0, 0x1ffff8, 0xc0260000 | 8 << 6 | 6, 8};
    image->s[0] = (uint32_t)(va + 40);
    image->s[1] = va >> 32;
    image->s[12] = (uint32_t)va;
    image->s[13] = va >> 32;
    image->s[14] = 12;
    assert_int_equal(sg_engine_exec_raw(sg_arch_find("gfx90a"), mem, code, 4, image, &fault), 0);
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
