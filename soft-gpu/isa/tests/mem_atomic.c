/*
 * Tests of atomics on global memory, through flat and in LDS: every operation on one pair of values, order of
 * lanes on one address, returned values, alignment, two wavefronts at once.
 */
#include "mem_test.h"
#include <pthread.h>

enum {
    SWAP = 64,
    CMPSWAP,
    ADD,
    SUB,
    SMIN,
    UMIN,
    SMAX,
    UMAX,
    AND,
    OR,
    XOR,
    INC,
    DEC,
    ADD_F32,
    PK_ADD_F16,
    ADD_F64,
    MIN_F64,
    MAX_F64,
    PK_ADD_BF16,
    X2 = 32, /* 64-bit integer forms */
};

static struct bench t;

static int open_90a(void **state)
{
    (void)state;
    bench_open(&t, "gfx90a");
    return 0;
}

static int open_942(void **state)
{
    (void)state;
    bench_open(&t, "gfx942");
    return 0;
}

static int open_950(void **state)
{
    (void)state;
    bench_open(&t, "gfx950");
    return 0;
}

static int close_bench(void **state)
{
    (void)state;
    bench_close(&t);
    return 0;
}

static uint32_t bits(float x)
{
    uint32_t y;
    memcpy(&y, &x, sizeof y);
    return y;
}
static uint64_t bits64(double x)
{
    uint64_t y;
    memcpy(&y, &x, sizeof y);
    return y;
}

struct row {
    unsigned op;
    uint64_t old, a, b, expected;
};

/* b: the compare value of CMPSWAP. */
static const struct row rows32[] = {
    {SWAP, 7, 9, 0, 9},
    {CMPSWAP, 7, 9, 7, 9},
    {CMPSWAP, 7, 9, 8, 7},
    {ADD, 0xffffffff, 3, 0, 2},
    {SUB, 2, 3, 0, 0xffffffff},
    {SMIN, 5, 0xfffffffe, 0, 0xfffffffe},
    {UMIN, 5, 0xfffffffe, 0, 5},
    {SMAX, 5, 0xfffffffe, 0, 5},
    {UMAX, 5, 0xfffffffe, 0, 0xfffffffe},
    {AND, 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
    {OR, 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0},
    {XOR, 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0},
    {INC, 4, 5, 0, 5},
    {INC, 5, 5, 0, 0},
    {INC, 9, 5, 0, 0},
    {DEC, 4, 5, 0, 3},
    {DEC, 0, 5, 0, 5},
    {DEC, 6, 5, 0, 5},
    {ADD_F32, 0x3fc00000, 0x40000000, 0, 0x40600000},    /* 1.5 + 2 = 3.5 */
    {PK_ADD_F16, 0xc0003c00, 0x3c004000, 0, 0xbc004200}, /* 1 + 2 = 3, -2 + 1 = -1 */
};
static const struct row rows64[] = {
    {SWAP + X2, 7, 1ull << 40, 0, 1ull << 40},
    {CMPSWAP + X2, 1ull << 40, 9, 1ull << 40, 9},
    {CMPSWAP + X2, 1ull << 40, 9, 0, 1ull << 40},
    {ADD + X2, 0xffffffff, 1, 0, 1ull << 32},
    {SUB + X2, 0, 1, 0, UINT64_MAX},
    {SMIN + X2, 5, 1ull << 63, 0, 1ull << 63},
    {UMIN + X2, 5, 1ull << 63, 0, 5},
    {SMAX + X2, 5, 1ull << 63, 0, 5},
    {UMAX + X2, 5, 1ull << 63, 0, 1ull << 63},
    {AND + X2, 0xff00000000ffull, 0x0ff00000000full, 0, 0x0f000000000full},
    {OR + X2, 0xff00000000f0ull, 0x0ff00000000full, 0, 0xfff0000000ffull},
    {XOR + X2, 0xff00000000ffull, 0x0ff00000000full, 0, 0xf0f0000000f0ull},
    {INC + X2, 1ull << 40, 1ull << 41, 0, (1ull << 40) + 1},
    {DEC + X2, 1ull << 41, 1ull << 40, 0, 1ull << 40},
    {ADD_F64, 0x3ff8000000000000, 0x4000000000000000, 0, 0x400c000000000000}, /* 1.5 + 2 = 3.5 */
    {MIN_F64, 0x3ff8000000000000, 0xc000000000000000, 0, 0xc000000000000000},
    {MAX_F64, 0x3ff8000000000000, 0xc000000000000000, 0, 0x3ff8000000000000},
};

/* One lane, active alone; the neighbouring lane's word must not change. */
static void global_row(const struct row *r, bool wide, unsigned seg, bool returns)
{
    const unsigned size = wide ? 8 : 4;
    memset(t.image->v, 0, sizeof t.image->v);
    memset(t.host, 0, 256);
    memcpy(t.host + 64, &r->old, size);
    set_exec(&t, 2);
    set_v64(&t, 2, 1, GPU_BASE + 64 - (seg == SEG_FLAT ? 16 : 0));
    if (wide) {
        set_v64(&t, 10, 1, r->a);
        set_v64(&t, 12, 1, r->b);
    } else {
        t.image->v[10][1] = (uint32_t)r->a;
        t.image->v[11][1] = (uint32_t)r->b;
    }
    t.image->v[20][1] = 0x5555;
    run_ok(&t, flat(seg, r->op, 20, 2, 10, seg == SEG_FLAT ? 0 : SADDR_OFF, seg == SEG_FLAT ? 16 : 0,
                    returns ? GLC : 0));
    uint64_t got = 0, old = t.image->v[20][1] | (wide ? (uint64_t)t.image->v[21][1] << 32 : 0);
    memcpy(&got, t.host + 64, size);
    if (got != r->expected)
        fail_msg("operation %u: got %llx", r->op, (unsigned long long)got);
    assert_true(old == (returns ? r->old : 0x5555));
    assert_int_equal(host32(&t, 64 + size), 0);
}

static void global_operations(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof rows32 / sizeof *rows32; i++)
        for (unsigned returns = 0; returns < 2; returns++)
            global_row(&rows32[i], false, SEG_GLOBAL, returns);
    for (unsigned i = 0; i < sizeof rows64 / sizeof *rows64; i++)
        for (unsigned returns = 0; returns < 2; returns++)
            global_row(&rows64[i], true, SEG_GLOBAL, returns);
    global_row(&rows32[3], false, SEG_FLAT, true);
    global_row(&rows64[3], true, SEG_FLAT, true);
}

/* Denormals: 0x00400000 + 0x00400000 is the smallest normal number; gfx90a flushes its operands. */
static void f32_denormals_by_target(void **state)
{
    (void)state;
    const struct row flushed = {ADD_F32, 0x00400000, 0x00400000, 0, 0};
    const struct row kept = {ADD_F32, 0x00400000, 0x00400000, 0, 0x00800000};
    global_row(&flushed, false, SEG_GLOBAL, false);
    bench_close(&t);
    bench_open(&t, "gfx942");
    global_row(&kept, false, SEG_GLOBAL, false);
}

/* bf16: 1 + 2^-8 is halfway and goes to the even 1; 1 + 3 * 2^-8 goes up to 1 + 2^-6 (0x3f82). */
static void packed_bf16(void **state)
{
    (void)state;
    const struct row r = {PK_ADD_BF16, 0x3f803f80, 0x3c403b80, 0, 0x3f823f80};
    global_row(&r, false, SEG_GLOBAL, true);
}

/* All lanes on one word: lane i sees the sum of the lanes before it. */
static void lanes_in_order(void **state)
{
    (void)state;
    set_s64(&t, 10, GPU_BASE);
    set_exec(&t, ~1ull);
    put_host32(&t, 400, 1000);
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = 300;
        t.image->v[3][i] = i;
        t.image->v[9][i] = 77;
    }
    run_ok(&t, flat(SEG_GLOBAL, ADD, 9, 2, 3, 10, 100, GLC));
    uint32_t sum = 1000;
    for (unsigned i = 1; i < 64; i++) {
        assert_int_equal(t.image->v[9][i], sum);
        sum += i;
    }
    assert_int_equal(host32(&t, 400), sum);
    assert_int_equal(t.image->v[9][0], 77);
}

/* All lanes but one on one word at once, against the same lanes one by one, each alone in EXEC: memory and
 * returned values must agree. */
static void at_once_and_one_by_one(const struct row *r, bool wide)
{
    const unsigned size = wide ? 8 : 4;
    uint32_t returned[2][2][64];
    uint64_t memory[2] = {0, 0};
    for (unsigned each = 0; each < 2; each++) {
        memset(t.host, 0, 256);
        memcpy(t.host + 64, &r->old, size);
        set_s64(&t, 10, GPU_BASE);
        memset(t.image->v, 0x11, sizeof t.image->v);
        for (unsigned i = 0; i < 64; i++) {
            t.image->v[2][i] = 64;
            set_v64(&t, 12, i, r->a + (i % 5) * (wide ? 0x100000001ull : 1));
            set_v64(&t, 14, i, r->b + i % 3);
            if (!wide) /* the second operand follows the first directly */
                t.image->v[13][i] = (uint32_t)r->b + i % 3;
        }
        for (unsigned i = 0; i < (each ? 64 : 1); i++) {
            set_exec(&t, (each ? 1ull << i : ~0ull) & ~(1ull << 37));
            run_ok(&t, flat(SEG_GLOBAL, r->op, 20, 2, 12, 10, 0, GLC));
        }
        memcpy(&memory[each], t.host + 64, size);
        memcpy(returned[each], t.image->v[20], sizeof returned[each]);
    }
    if (memory[0] != memory[1])
        fail_msg("operation %u: %llx at once, %llx one by one", r->op, (unsigned long long)memory[0],
                 (unsigned long long)memory[1]);
    assert_memory_equal(returned[0], returned[1], sizeof returned[0]);
}

static void lanes_on_one_word(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof rows32 / sizeof *rows32; i++)
        at_once_and_one_by_one(&rows32[i], false);
    for (unsigned i = 0; i < sizeof rows64 / sizeof *rows64; i++)
        at_once_and_one_by_one(&rows64[i], true);
}

static void flat_atomics_reach_lds_and_private(void **state)
{
    (void)state;
    set_s64(&t, 102, GPU_BASE + 8192);
    put_lds32(&t, 40, 11);
    put_host32(&t, 100, 12);
    put_host32(&t, 8192 + 3 * 256 + 2 * 4, 13);
    put_host32(&t, 8192 + 4 * 256 + 2 * 4, 1);
    set_v64(&t, 2, 0, (1ull << 48) + 40);
    set_v64(&t, 2, 1, GPU_BASE + 100);
    set_v64(&t, 2, 2, (2ull << 48) + 12);
    for (unsigned i = 0; i < 3; i++)
        t.image->v[9][i] = 100;
    set_exec(&t, 7);
    run_ok(&t, flat(SEG_FLAT, ADD, 8, 2, 9, 0, 0, GLC));
    assert_int_equal(lds32(&t, 40), 111);
    assert_int_equal(host32(&t, 100), 112);
    assert_int_equal(host32(&t, 8192 + 3 * 256 + 2 * 4), 113);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(t.image->v[8][i], 11 + i);
    /* 64 bits in private memory: two rows. 1 * 2^32 + 113 + 0xffffffff carries. */
    set_exec(&t, 4);
    set_v64(&t, 2, 2, (2ull << 48) + 16); /* 8-byte aligned: rows 4 and 5 */
    set_v64(&t, 9, 2, 0xffffffff);
    run_ok(&t, flat(SEG_FLAT, ADD + X2, 12, 2, 9, 0, 0, GLC));
    assert_int_equal(host32(&t, 8192 + 4 * 256 + 8), 0);
    assert_int_equal(host32(&t, 8192 + 5 * 256 + 8), 1);
    assert_int_equal(t.image->v[12][2], 1);
}

static void misaligned_atomic_is_a_fault(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        set_v64(&t, 2, i, GPU_BASE + 8 * i);
    set_v64(&t, 2, 9, GPU_BASE + 4);
    run_ok(&t, flat(SEG_GLOBAL, ADD, 9, 2, 3, SADDR_OFF, 0, 0));
    assert_int_equal(run(&t, flat(SEG_GLOBAL, ADD + X2, 9, 2, 3, SADDR_OFF, 0, 0)), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_APERTURE);
    assert_int_equal(t.fault.lane, 9);
    set_v64(&t, 2, 9, GPU_BASE + BENCH_BYTES);
    assert_int_equal(run(&t, flat(SEG_GLOBAL, ADD + X2, 9, 2, 3, SADDR_OFF, 0, 0)), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_PAGE);
    assert_true(t.fault.is_write);
}

/* ---- LDS ---- */

enum {
    DS_ADD = 0,
    DS_SUB,
    DS_RSUB,
    DS_INC,
    DS_DEC,
    DS_MIN_I,
    DS_MAX_I,
    DS_MIN_U,
    DS_MAX_U,
    DS_AND,
    DS_OR,
    DS_XOR,
    DS_MSKOR,
    DS_CMPST_B = 16,
    DS_CMPST_F,
    DS_MIN_F,
    DS_MAX_F,
    DS_ADD_F = 21,
    DS_PK_ADD_F16 = 23,
    DS_PK_ADD_BF16,
    DS_RTN = 32,
    DS_64 = 64,
    DS_WRXCHG = 45,
    DS_WRXCHG2,
    DS_WRXCHG2ST64,
    DS_WRAP = 52,
    DS_ADD_F64 = 92,
    DS_ADD_RTN_F64 = 124,
    DS_CONDXCHG32 = 126,
    DS_PK_ADD_RTN_F16 = 183,
};

/* Operations with the same number + 32 when they return, + 64 for 64 bits. b: second data operand. */
static const struct row lds32_rows[] = {
    {DS_ADD, 0xffffffff, 3, 0, 2},
    {DS_SUB, 2, 3, 0, 0xffffffff},
    {DS_RSUB, 2, 3, 0, 1},
    {DS_INC, 5, 5, 0, 0},
    {DS_DEC, 0, 5, 0, 5},
    {DS_MIN_I, 5, 0xfffffffe, 0, 0xfffffffe},
    {DS_MAX_I, 5, 0xfffffffe, 0, 5},
    {DS_MIN_U, 5, 0xfffffffe, 0, 5},
    {DS_MAX_U, 5, 0xfffffffe, 0, 0xfffffffe},
    {DS_AND, 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
    {DS_OR, 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0},
    {DS_XOR, 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0},
    {DS_MSKOR, 0xffff, 0x0ff0, 0x0120, 0xf12f},
    {DS_CMPST_B, 7, 7, 9, 9}, /* compare value first */
    {DS_CMPST_B, 7, 9, 7, 7},
    {DS_CMPST_F, 0x80000000, 0, 9, 9}, /* -0 equals +0 */
    {DS_MIN_F, 0x3f800000, 0xbf800000, 0, 0xbf800000},
    {DS_MAX_F, 0x3f800000, 0xbf800000, 0, 0x3f800000},
    {DS_ADD_F, 0x3fc00000, 0x40000000, 0, 0x40600000},
};

static void lds_row(const struct row *r, unsigned op, bool wide, bool returns)
{
    memset(t.image->v, 0, sizeof t.image->v);
    memset(t.lds, 0, 256);
    memcpy(t.lds + 72, &r->old, wide ? 8 : 4);
    set_exec(&t, 1ull << 33);
    t.image->v[2][33] = 64;
    set_v64(&t, 10, 33, r->a);
    set_v64(&t, 12, 33, r->b);
    t.image->v[20][33] = 0x5555;
    run_ok(&t, ds(op, 20, 2, 10, 12, 8));
    uint64_t got = 0, old = t.image->v[20][33] | (wide ? (uint64_t)t.image->v[21][33] << 32 : 0);
    memcpy(&got, t.lds + 72, wide ? 8 : 4);
    if (got != r->expected)
        fail_msg("DS operation %u: got %llx", op, (unsigned long long)got);
    assert_true(old == (returns ? r->old : 0x5555));
    assert_int_equal(lds32(&t, wide ? 80 : 76), 0);
}

static uint64_t widened(unsigned op, uint64_t x)
{
    float f;
    uint32_t low = (uint32_t)x;
    switch (op) {
    case DS_CMPST_F:
    case DS_MIN_F:
    case DS_MAX_F:
        memcpy(&f, &low, sizeof f);
        return bits64(f);
    case DS_MIN_I:
    case DS_MAX_I:
    case DS_SUB:
        return (uint64_t)(int64_t)(int32_t)low;
    default:
        return x;
    }
}

static void lds_operations(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof lds32_rows / sizeof *lds32_rows; i++) {
        const struct row *r = &lds32_rows[i];
        lds_row(r, r->op, false, false);
        lds_row(r, r->op + DS_RTN, false, true);
        if (r->op == DS_ADD || r->op == DS_ADD_F)
            continue;
        struct row wide = {r->op, widened(r->op, r->old), widened(r->op, r->a),
                           r->op == DS_CMPST_F ? r->b : widened(r->op, r->b),
                           r->op == DS_CMPST_F ? r->expected : widened(r->op, r->expected)};
        lds_row(&wide, r->op + DS_64, true, false);
        lds_row(&wide, r->op + DS_64 + DS_RTN, true, true);
    }
    const struct row carry = {0, 0xffffffff, 1, 0, 1ull << 32};
    lds_row(&carry, DS_ADD + DS_64, true, false);
    lds_row(&carry, DS_ADD + DS_64 + DS_RTN, true, true);
    const struct row f64 = {0, bits64(1.5), bits64(2), 0, bits64(3.5)};
    lds_row(&f64, DS_ADD_F64, true, false);
    lds_row(&f64, DS_ADD_RTN_F64, true, true);
    const struct row exchange = {0, 1, 2, 0, 2};
    lds_row(&exchange, DS_WRXCHG, false, true);
    lds_row(&exchange, DS_WRXCHG + DS_64, true, true);
    const struct row wrap_down = {0, 9, 5, 3, 4}, wrap_up = {0, 4, 5, 3, 7};
    lds_row(&wrap_down, DS_WRAP, false, true);
    lds_row(&wrap_up, DS_WRAP, false, true);
    /* Only the upper dword's data has bit 31 set: it is exchanged, without that bit. */
    const struct row cond = {0, 0x1111111122222222, 0x8000000333333333, 0, 0x0000000322222222};
    lds_row(&cond, DS_CONDXCHG32, true, true);
}

static void lds_packed_on_gfx950(void **state)
{
    (void)state;
    const struct row f16 = {0, 0xc0003c00, 0x3c004000, 0, 0xbc004200};
    lds_row(&f16, DS_PK_ADD_F16, false, false);
    lds_row(&f16, DS_PK_ADD_RTN_F16, false, true);
    const struct row bf16 = {0, 0x3f803f80, 0x3c403b80, 0, 0x3f823f80};
    lds_row(&bf16, DS_PK_ADD_BF16, false, false);
}

/* A histogram: eight lanes per bin. */
static void lds_histogram(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = 4 * (i * 5 % 8);
        t.image->v[3][i] = 1;
    }
    run_ok(&t, ds(DS_ADD, 0, 2, 3, 0, 256));
    for (unsigned bin = 0; bin < 8; bin++)
        assert_int_equal(lds32(&t, 256 + 4 * bin), 8);
    run_ok(&t, ds(DS_ADD + DS_RTN, 9, 2, 3, 0, 256));
    assert_int_equal(t.image->v[9][0], 8);
    assert_int_equal(t.image->v[9][56], 15);
}

static void lds_bounds_and_alignment(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = LDS_BYTES - 32 + 4 * i;
        t.image->v[3][i] = 6;
        t.image->v[9][i] = 1;
    }
    run_ok(&t, ds(DS_ADD + DS_RTN, 9, 2, 3, 0, 0));
    assert_int_equal(lds32(&t, LDS_BYTES - 4), 6);
    assert_int_equal(t.image->v[9][8], 0);
    t.image->v[2][2] = 2;
    assert_int_equal(run(&t, ds(DS_ADD, 9, 2, 3, 0, 0)), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_APERTURE);
    assert_int_equal(t.fault.lane, 2);
    set_exec(&t, 7); /* all inside */
    assert_int_equal(run(&t, ds(DS_ADD, 9, 2, 3, 0, 0)), -1);
    assert_int_equal(t.fault.lane, 2);
    t.image->v[2][2] = 4;
    assert_int_equal(run(&t, ds(DS_ADD + DS_64, 9, 2, 3, 0, 4)), -1); /* LDS_BYTES - 32 + 4 */
    assert_int_equal(t.fault.lane, 0);
}

static void lds_double_exchange(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = 4 * i;
        t.image->v[3][i] = 100 + i;
        t.image->v[4][i] = 200 + i;
        put_lds32(&t, 256 + 4 * i, 300 + i);
        put_lds32(&t, 768 + 4 * i, 400 + i);
    }
    /* The result covers the address and the first operand. */
    run_ok(&t, ds(DS_WRXCHG2ST64, 2, 2, 3, 4, 1 | 3 << 8));
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(t.image->v[2][i], 300 + i);
        assert_int_equal(t.image->v[3][i], 400 + i);
        assert_int_equal(lds32(&t, 256 + 4 * i), 100 + i);
        assert_int_equal(lds32(&t, 768 + 4 * i), 200 + i);
    }
}

/* ---- Two wavefronts on two threads add to the same words ---- */

static void *adder(void *arg)
{
    struct inst code[64];
    struct bench *b = arg;
    for (unsigned i = 0; i < 64; i++)
        code[i] = flat(SEG_GLOBAL, i % 2 ? ADD_F32 : ADD, 9, 2, i % 2 ? 4 : 3, 10, i % 2 ? 4 : 0, 0);
    for (unsigned n = 0; n < 50; n++)
        if (sg_engine_exec_raw(b->arch, b->mem, code[0].w, 128, b->image, &b->fault))
            return b;
    return NULL;
}

static void concurrent_adds_lose_nothing(void **state)
{
    (void)state;
    struct bench *two[2] = {&t, NULL};
    struct bench other;
    bench_open(&other, "gfx90a");
    sg_mem_destroy(other.mem);
    other.mem = t.mem;
    two[1] = &other;
    pthread_t thread[2];
    for (unsigned k = 0; k < 2; k++) {
        set_s64(two[k], 10, GPU_BASE);
        for (unsigned i = 0; i < 64; i++) {
            two[k]->image->v[3][i] = 1;
            two[k]->image->v[4][i] = bits(1);
        }
        assert_int_equal(pthread_create(&thread[k], NULL, adder, two[k]), 0);
    }
    for (unsigned k = 0; k < 2; k++) {
        void *failed;
        pthread_join(thread[k], &failed);
        assert_null(failed);
    }
    assert_int_equal(host32(&t, 0), 2 * 50 * 32 * 64);
    assert_int_equal(host32(&t, 4), bits(2 * 50 * 32 * 64));
    other.mem = sg_mem_create();
    bench_close(&other);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, open_90a, close_bench)
    const struct CMUnitTest tests[] = {
        T(global_operations),
        T(f32_denormals_by_target),
        cmocka_unit_test_setup_teardown(packed_bf16, open_942, close_bench),
        T(lanes_in_order),
        T(lanes_on_one_word),
        T(flat_atomics_reach_lds_and_private),
        T(misaligned_atomic_is_a_fault),
        T(lds_operations),
        cmocka_unit_test_setup_teardown(lds_packed_on_gfx950, open_950, close_bench),
        T(lds_histogram),
        T(lds_bounds_and_alignment),
        T(lds_double_exchange),
        T(concurrent_adds_lose_nothing),
    };
    return cmocka_run_group_tests_name("mem_atomic", tests, NULL, NULL);
}
