/*
 * test_lds_model.c - the LDS model against every published measurement, and against lane groups written out
 * here a second time from the same documents.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "host-handlers/models/lds_model.h"

static struct ls_lds_cost strided(const char *arch, bool is_write, unsigned bytes, unsigned stride,
                                  uint64_t exec)
{
    uint32_t addr[64];
    for (unsigned lane = 0; lane < 64; lane++)
        addr[lane] = lane * stride;
    return ls_lds_access(ls_gpu_with_lds(arch), is_write, false, bytes, exec, addr);
}

/* MI300X, SQ_LDS_BANK_CONFLICT of a block of 64 reads by one wavefront (amd-shark-ai
 * docs/empirical-lds/cdna3info.md). -1: not measured. gfx90a has the same groups by assumption and must give
 * the same. */
static void mi300x_read_strides(void **state)
{
    (void)state;
    static const unsigned stride[] = {4, 8, 16, 32, 64, 128, 256, 512};
    static const struct {
        unsigned bytes;
        int conflicts[8];
    } row[] = {
        {4, {0, 128, 384, 896, 1920, 3968, 3968, 3968}},
        {8, {-1, 0, 256, 768, 1792, 3840, 3840, 3840}},
        {16, {-1, -1, 0, 512, 1536, 3584, 3584, 3584}},
    };
    for (unsigned r = 0; r < 3; r++)
        for (unsigned i = 0; i < 8; i++) {
            if (row[r].conflicts[i] < 0)
                continue;
            for (unsigned a = 0; a < 2; a++) {
                struct ls_lds_cost c =
                    strided(a ? "gfx90a" : "gfx942", false, row[r].bytes, stride[i], ~0ull);
                assert_int_equal(64 * c.conflict_cycles, row[r].conflicts[i]);
            }
        }
}

/* MI250, ROCm Compute Profiler's lds.hip: n work-items read array[threadIdx.x * 32]. n = 1: Index Accesses 2,
 * Bank Conflict 0; both grow by one per work-item up to the 20 that were shown. Beyond, by the phase rule:
 * lanes 32..63 are a second phase, so lane 32 is free again: conflicts(n) = n - 1 for n <= 32, 31 + (n - 33)
 * above. */
static void mi250_one_bank(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 64; n++) {
        struct ls_lds_cost c = strided("gfx90a", false, 4, 128, n == 64 ? ~0ull : (1ull << n) - 1);
        unsigned conflicts = n <= 32 ? n - 1 : 31 + (n - 33);
        assert_int_equal(c.conflict_cycles, conflicts);
        assert_int_equal(c.index_cycles, 2 + conflicts);
    }
}

/* The groups as the documents print them: "0-3+20-23" and so on. */
struct group {
    const char *text;
};

static uint64_t mask_of(const char *text)
{
    uint64_t mask = 0;
    while (*text) {
        unsigned first = 0, last;
        for (; *text >= '0' && *text <= '9'; text++)
            first = first * 10 + (unsigned)(*text - '0');
        last = first;
        if (*text == '-')
            for (text++, last = 0; *text >= '0' && *text <= '9'; text++)
                last = last * 10 + (unsigned)(*text - '0');
        for (unsigned lane = first; lane <= last; lane++)
            mask |= 1ull << lane;
        text += *text != 0;
    }
    return mask;
}

/* Two lanes on the same bank and different dwords conflict exactly when they are in the same group. */
static void check_groups(const char *arch, bool is_write, unsigned bytes, unsigned lanes, unsigned banks,
                         const char *const *groups)
{
    const struct ls_gpu *a = ls_gpu_with_lds(arch);
    assert_non_null(a);
    assert_int_equal(a->family->lanes, lanes);
    for (unsigned i = 0; i < lanes; i++)
        for (unsigned j = i + 1; j < lanes; j++) {
            uint32_t addr[64] = {0};
            addr[j] = banks * 4 * 7;
            uint64_t pair = 1ull << i | 1ull << j;
            unsigned together = 0;
            for (unsigned g = 0; groups[g]; g++)
                together |= (mask_of(groups[g]) & pair) == pair;
            struct ls_lds_cost c = ls_lds_access(a, is_write, false, bytes, pair, addr);
            /* each of the access's dwords meets the other lane's in its own bank: one extra cycle in that
             * phase */
            assert_int_equal(c.conflict_cycles, together);
            /* half the banks away there is no conflict as long as the access is narrower than that */
            addr[j] = banks * 2;
            if (bytes <= banks * 2)
                assert_int_equal(ls_lds_access(a, is_write, false, bytes, pair, addr).conflict_cycles, 0);
        }
}

static void phase_groups(void **state)
{
    (void)state;
    static const char *const halves[] = {"0-31", "32-63", NULL};
    static const char *const sixteens[] = {"0-15", "16-31", "32-47", "48-63", NULL};
    static const char *const eights[] = {"0-7",   "8-15",  "16-23", "24-31", "32-39",
                                         "40-47", "48-55", "56-63", NULL};
    static const char *const cdna3[] = {"0-3+20-23",   "32-35+52-55", "4-7+16-19",
                                        "36-39+48-51", "8-11+28-31",  "40-43+60-63",
                                        "12-15+24-27", "44-47+56-59", NULL};
    static const char *const cdna4[] = {"0-3,12-15,20-27", "32-35,44-47,52-59", "4-11,16-19,28-31",
                                        "36-43,48-51,60-63", NULL};
    static const char *const whole64[] = {"0-63", NULL}, *const whole32[] = {"0-31", NULL};
    static const char *const half16[] = {"0-15", "16-31", NULL};
    static const char *const rdna3[] = {"0-3+20-23", "4-7+16-19", "8-11+28-31", "12-15+24-27", NULL};
    static const char *const rdna4[] = {"0-7", "8-15", "16-23", "24-31", NULL};
    for (unsigned i = 0; i < 2; i++) {
        const char *arch = i ? "gfx90a" : "gfx942";
        for (unsigned bytes = 1; bytes <= 4; bytes *= 2)
            check_groups(arch, false, bytes, 64, 32, halves);
        check_groups(arch, false, 8, 64, 32, sixteens);
        check_groups(arch, false, 16, 64, 32, cdna3);
        check_groups(arch, true, 16, 64, 32, eights);
    }
    check_groups("gfx950", false, 4, 64, 64, whole64);
    check_groups("gfx950", false, 8, 64, 64, halves);
    check_groups("gfx950", false, 16, 64, 64, cdna4);
    check_groups("gfx1100", false, 4, 32, 32, whole32);
    check_groups("gfx1100", false, 8, 32, 32, half16);
    check_groups("gfx1100", false, 16, 32, 32, rdna3);
    check_groups("gfx1201", false, 4, 32, 32, whole32);
    check_groups("gfx1201", false, 8, 32, 32, half16);
    check_groups("gfx1201", false, 16, 32, 32, rdna4);
}

/* A 32x32 float tile, column access by 32 lanes: 32 dwords in one bank, 31 conflicts per half; pitch 33:
 * none. */
static void transpose_tile(void **state)
{
    (void)state;
    assert_int_equal(strided("gfx90a", false, 4, 32 * 4, ~0ull).conflict_cycles, 62);
    assert_int_equal(strided("gfx90a", false, 4, 33 * 4, ~0ull).conflict_cycles, 0);
}

static void broadcast_and_atomics(void **state)
{
    (void)state;
    uint32_t addr[64] = {0};
    const struct ls_gpu *a = ls_gpu_with_lds("gfx90a:sramecc+:xnack-");
    assert_non_null(a);
    struct ls_lds_cost c = ls_lds_access(a, false, false, 4, ~0ull, addr);
    assert_int_equal(c.conflict_cycles, 0); /* one dword: shared */
    assert_int_equal(c.index_cycles, 2);
    assert_int_equal(c.address_conflict, 0);
    c = ls_lds_access(a, false, true, 4, ~0ull, addr); /* 32 lanes of each half on one dword */
    assert_int_equal(c.conflict_cycles, 0);
    assert_int_equal(c.address_conflict, 2 * 31);
    for (unsigned lane = 0; lane < 64; lane++)
        addr[lane] = lane; /* bytes: four lanes a dword, 8 dwords in 8 banks per half */
    c = ls_lds_access(a, false, false, 1, ~0ull, addr);
    assert_int_equal(c.conflict_cycles, 0);
}

static void unknown_architecture(void **state)
{
    (void)state;
    assert_null(ls_gpu_with_lds("gfx9"));
    assert_null(ls_gpu_with_lds(""));
    assert_null(ls_gpu_with_lds("gfx90a0"));
}

/* Addresses have 32 bits. The four bytes from 0xfffffffe on are in the last dword, of bank 31, and the first one, of bank 0. The last
 * is in conflict with the dword at 124: 2 cycles, of which one is lost; the other group takes one. */
static void around_the_end(void **state)
{
    (void)state;
    const uint32_t addr[64] = {0xfffffffe, 124};
    const struct ls_lds_cost c = ls_lds_access(ls_gpu_with_lds("gfx90a"), false, false, 4, 3, addr);
    assert_int_equal(c.index_cycles, 3);
    assert_int_equal(c.conflict_cycles, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mi300x_read_strides),   cmocka_unit_test(mi250_one_bank),
        cmocka_unit_test(phase_groups),          cmocka_unit_test(transpose_tile),
        cmocka_unit_test(broadcast_and_atomics), cmocka_unit_test(unknown_architecture),
        cmocka_unit_test(around_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
