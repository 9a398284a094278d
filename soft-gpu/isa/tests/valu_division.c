/*
 * valu_division.c - a division as compilers emit it, against the host's: all results must be correctly
 * rounded, also where v_div_scale and v_div_fmas have work to do. The sequences are those of LLVM's AMDGPU
 * back end.
 */
#include <math.h>
#include "valu_test.h"

/* v0 = v1 / v2 */
static const char divide_f32[] = "v_div_scale_f32 v3, s[4:5], v2, v2, v1\n" /* the denominator, scaled */
                                 "v_div_scale_f32 v4, vcc, v1, v2, v1\n"    /* the numerator, scaled */
                                 "v_rcp_f32 v5, v3\n"
                                 "v_fma_f32 v6, -v3, v5, 1.0\n"
                                 "v_fma_f32 v5, v6, v5, v5\n"
                                 "v_mul_f32 v7, v4, v5\n"
                                 "v_fma_f32 v6, -v3, v7, v4\n"
                                 "v_fma_f32 v7, v6, v5, v7\n"
                                 "v_fma_f32 v6, -v3, v7, v4\n"
                                 "v_div_fmas_f32 v7, v6, v5, v7\n"
                                 "v_div_fixup_f32 v0, v7, v2, v1\n";

/* v[0:1] = v[2:3] / v[4:5] */
static const char divide_f64[] = "v_div_scale_f64 v[6:7], s[4:5], v[4:5], v[4:5], v[2:3]\n"
                                 "v_div_scale_f64 v[8:9], vcc, v[2:3], v[4:5], v[2:3]\n"
                                 "v_rcp_f64 v[10:11], v[6:7]\n"
                                 "v_fma_f64 v[12:13], -v[6:7], v[10:11], 1.0\n"
                                 "v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]\n"
                                 "v_fma_f64 v[12:13], -v[6:7], v[10:11], 1.0\n"
                                 "v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]\n"
                                 "v_mul_f64 v[14:15], v[8:9], v[10:11]\n"
                                 "v_fma_f64 v[12:13], -v[6:7], v[14:15], v[8:9]\n"
                                 "v_div_fmas_f64 v[14:15], v[12:13], v[10:11], v[14:15]\n"
                                 "v_div_fixup_f64 v[0:1], v[14:15], v[4:5], v[2:3]\n";

static uint64_t state = 88172645463325252ull;
static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static const uint32_t special_f32[] = {0,          0x80000000, 1,          0x007fffff, 0x00800000, 0x3f800000,
                                       0x7f7fffff, 0x7f000000, 0x7e800001, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0x40000000, 0x0c000000, 0xbf800001, 0x00000200};
enum { SPECIALS = sizeof special_f32 / sizeof special_f32[0] };

static void check_f32(void)
{
    run_on("gfx90a", divide_f32);
    for (unsigned lane = 0; lane < 64; lane++) {
        volatile float n = sg_f32(image.v[1][lane]), d = sg_f32(image.v[2][lane]);
        volatile float expected = n / d;
        uint32_t got = image.v[0][lane];
        if (isnan(expected) ? !isnan(sg_f32(got)) : got != sg_u32(expected))
            fail_msg("%a / %a: got %08x, expected %a", (double)n, (double)d, got, (double)expected);
    }
}

static void quotients_f32(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < 3000; round++) {
        reset();
        for (unsigned lane = 0; lane < 64; lane++) {
            uint64_t r = next_random();
            uint32_t n = (uint32_t)r, d = (uint32_t)(r >> 32);
            if (round % 3 == 0) /* quotients near and below the smallest normal number */
                d = (d & 0x807fffff) | (((n >> 23 & 255) + 124 + lane % 28) & 255) << 23;
            image.v[1][lane] = n;
            image.v[2][lane] = d;
        }
        check_f32();
    }
    for (unsigned i = 0; i < SPECIALS; i++) {
        reset();
        for (unsigned lane = 0; lane < 64; lane++) {
            image.v[1][lane] = special_f32[i];
            image.v[2][lane] = special_f32[lane % SPECIALS];
        }
        check_f32();
    }
}

static double double_at(unsigned row, unsigned lane)
{
    uint64_t u = image.v[row][lane] | (uint64_t)image.v[row + 1][lane] << 32;
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}

static void quotients_f64(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < 3000; round++) {
        reset();
        for (unsigned lane = 0; lane < 64; lane++) {
            uint64_t n = next_random(), d = next_random();
            if (round % 3 == 0)
                d = (d & 0x800fffffffffffff) | (((n >> 52 & 2047) + 1000 + lane) & 2047) << 52;
            if (round % 50 == 1 && lane < 4)
                d = 0x7fe0000000000000 + lane; /* the reciprocal is denormal */
            image.v[2][lane] = (uint32_t)n;
            image.v[3][lane] = (uint32_t)(n >> 32);
            image.v[4][lane] = (uint32_t)d;
            image.v[5][lane] = (uint32_t)(d >> 32);
        }
        run_on("gfx90a", divide_f64);
        for (unsigned lane = 0; lane < 64; lane++) {
            volatile double n = double_at(2, lane), d = double_at(4, lane);
            volatile double expected = n / d, got = double_at(0, lane);
            if (isnan(expected) ? !isnan(got) : got != expected || signbit(got) != signbit(expected))
                fail_msg("%a / %a: got %a, expected %a", n, d, got, expected);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quotients_f32), cmocka_unit_test(quotients_f64)};
    return cmocka_run_group_tests_name("valu_division", tests, NULL, NULL);
}
