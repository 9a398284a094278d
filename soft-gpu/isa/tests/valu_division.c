/*
 * valu_division.c - a division as compilers emit it, against the host's: all results must be correctly
 * rounded, also where v_div_scale and v_div_fmas have work to do. The sequences are those of LLVM's AMDGPU
 * back end.
 */
#include <math.h>
#include "valu_test.h"

enum {
    OP_MUL_F32 = 5,
    OP_RCP_F32 = 34,
    OP_RCP_F64 = 37,
    OP_FMA_F32 = 459,
    OP_FMA_F64 = 460,
    OP_FIXUP_F32 = 478,
    OP_FIXUP_F64 = 479,
    OP_SCALE_F32 = 480,
    OP_SCALE_F64 = 481,
    OP_FMAS_F32 = 482,
    OP_FMAS_F64 = 483,
    OP_MUL_F64 = 641,
    ONE = 242
};

/* v0 = v1 / v2 */
static void divide_f32(struct program *p)
{
    vop3(p, OP_SCALE_F32, 3, 4 << 8, V + 2, V + 2, V + 1, 0);   /* v3: denominator, scaled */
    vop3(p, OP_SCALE_F32, 4, VCC << 8, V + 1, V + 2, V + 1, 0); /* v4: numerator, scaled */
    vop1(p, OP_RCP_F32, 5, V + 3);
    vop3(p, OP_FMA_F32, 6, 0, V + 3, V + 5, ONE, 1);
    vop3(p, OP_FMA_F32, 5, 0, V + 6, V + 5, V + 5, 0);
    vop2(p, OP_MUL_F32, 7, V + 4, 5);
    vop3(p, OP_FMA_F32, 6, 0, V + 3, V + 7, V + 4, 1);
    vop3(p, OP_FMA_F32, 7, 0, V + 6, V + 5, V + 7, 0);
    vop3(p, OP_FMA_F32, 6, 0, V + 3, V + 7, V + 4, 1);
    vop3(p, OP_FMAS_F32, 7, 0, V + 6, V + 5, V + 7, 0);
    vop3(p, OP_FIXUP_F32, 0, 0, V + 7, V + 2, V + 1, 0);
}

/* v[0:1] = v[2:3] / v[4:5] */
static void divide_f64(struct program *p)
{
    vop3(p, OP_SCALE_F64, 6, 4 << 8, V + 4, V + 4, V + 2, 0);
    vop3(p, OP_SCALE_F64, 8, VCC << 8, V + 2, V + 4, V + 2, 0);
    vop1(p, OP_RCP_F64, 10, V + 6);
    for (unsigned i = 0; i < 2; i++) {
        vop3(p, OP_FMA_F64, 12, 0, V + 6, V + 10, ONE, 1);
        vop3(p, OP_FMA_F64, 10, 0, V + 10, V + 12, V + 10, 0);
    }
    vop3(p, OP_MUL_F64, 14, 0, V + 8, V + 10, 0, 0);
    vop3(p, OP_FMA_F64, 12, 0, V + 6, V + 14, V + 8, 1);
    vop3(p, OP_FMAS_F64, 14, 0, V + 12, V + 10, V + 14, 0);
    vop3(p, OP_FIXUP_F64, 0, 0, V + 14, V + 4, V + 2, 0);
}

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
    struct program p = {0};
    divide_f32(&p);
    run_on("gfx90a", &p);
    for (unsigned lane = 0; lane < 64; lane++) {
        volatile float n = float_of(image.v[1][lane]), d = float_of(image.v[2][lane]);
        volatile float expected = n / d;
        uint32_t got = image.v[0][lane];
        if (isnan(expected) ? !isnan(float_of(got)) : got != bits_of(expected))
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
    struct program p = {0};
    divide_f64(&p);
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
        run_on("gfx90a", &p);
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
