/*
 * Tests of atomics on global memory, through flat and in LDS: every operation on one pair of values, order of
 * lanes on one address, returned values, alignment, two wavefronts at once.
 */
#include "mem_one.h"
#include "soft-gpu/isa/code/bits.h"
#include <pthread.h>
#include <stdio.h>

struct row {
    const char *op;
    uint64_t old, a, b, expected;
};

/* b: the compare value of CMPSWAP. */
static const struct row rows32[] = {
    {"swap", 7, 9, 0, 9},
    {"cmpswap", 7, 9, 7, 9},
    {"cmpswap", 7, 9, 8, 7},
    {"add", 0xffffffff, 3, 0, 2},
    {"sub", 2, 3, 0, 0xffffffff},
    {"smin", 5, 0xfffffffe, 0, 0xfffffffe},
    {"umin", 5, 0xfffffffe, 0, 5},
    {"smax", 5, 0xfffffffe, 0, 5},
    {"umax", 5, 0xfffffffe, 0, 0xfffffffe},
    {"and", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
    {"or", 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0},
    {"xor", 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0},
    {"inc", 4, 5, 0, 5},
    {"inc", 5, 5, 0, 0},
    {"inc", 9, 5, 0, 0},
    {"dec", 4, 5, 0, 3},
    {"dec", 0, 5, 0, 5},
    {"dec", 6, 5, 0, 5},
    {"add_f32", 0x3fc00000, 0x40000000, 0, 0x40600000},    /* 1.5 + 2 = 3.5 */
    {"pk_add_f16", 0xc0003c00, 0x3c004000, 0, 0xbc004200}, /* 1 + 2 = 3, -2 + 1 = -1 */
};
static const struct row rows64[] = {
    {"swap_x2", 7, 1ull << 40, 0, 1ull << 40},
    {"cmpswap_x2", 1ull << 40, 9, 1ull << 40, 9},
    {"cmpswap_x2", 1ull << 40, 9, 0, 1ull << 40},
    {"add_x2", 0xffffffff, 1, 0, 1ull << 32},
    {"sub_x2", 0, 1, 0, UINT64_MAX},
    {"smin_x2", 5, 1ull << 63, 0, 1ull << 63},
    {"umin_x2", 5, 1ull << 63, 0, 5},
    {"smax_x2", 5, 1ull << 63, 0, 5},
    {"umax_x2", 5, 1ull << 63, 0, 1ull << 63},
    {"and_x2", 0xff00000000ffull, 0x0ff00000000full, 0, 0x0f000000000full},
    {"or_x2", 0xff00000000f0ull, 0x0ff00000000full, 0, 0xfff0000000ffull},
    {"xor_x2", 0xff00000000ffull, 0x0ff00000000full, 0, 0xf0f0000000f0ull},
    {"inc_x2", 1ull << 40, 1ull << 41, 0, (1ull << 40) + 1},
    {"dec_x2", 1ull << 41, 1ull << 40, 0, 1ull << 40},
    {"add_f64", 0x3ff8000000000000, 0x4000000000000000, 0, 0x400c000000000000}, /* 1.5 + 2 = 3.5 */
    {"min_f64", 0x3ff8000000000000, 0xc000000000000000, 0, 0xc000000000000000},
    {"max_f64", 0x3ff8000000000000, 0xc000000000000000, 0, 0x3ff8000000000000},
};

/* Of gfx10 alone. Floats are compared as such: -0 is 0, and NaN is equal to nothing. */
static const struct row rows32_gfx10[] = {
    {"fmin", 0x3fc00000, 0xc0000000, 0, 0xc0000000}, /* 1.5, -2 */
    {"fmax", 0x3fc00000, 0xc0000000, 0, 0x3fc00000},
    {"fmax", 0x3fc00000, 0x40000000, 0, 0x40000000}, /* 1.5, 2 */
    {"fcmpswap", 0x80000000, 9, 0, 9},
    {"fcmpswap", 0x3fc00000, 9, 0x40000000, 0x3fc00000},
    {"fcmpswap", 0x7fc00000, 9, 0x7fc00000, 0x7fc00000},
    {"csub", 7, 3, 0, 4},
    {"csub", 3, 7, 0, 0},
};
static const struct row rows64_gfx10[] = {
    {"fmin_x2", 0x3ff8000000000000, 0xc000000000000000, 0, 0xc000000000000000},
    {"fmax_x2", 0x3ff8000000000000, 0xc000000000000000, 0, 0x3ff8000000000000},
    {"fcmpswap_x2", 1ull << 63, 9, 0, 9},
};

/* The word for "returns the old value". */
static const char *returning(const struct ls_gpu *arch)
{
    return !strcmp(arch->name, "gfx942") || !strcmp(arch->name, "gfx950") ? " sc0" : " glc";
}

/* One lane, active alone; the neighbouring lane's word must not change. */
static void global_row(const struct row *r, bool wide, bool flat, bool returns)
{
    const unsigned size = wide ? 8 : 4;
    memset(t.image->v, 0, sizeof t.image->v);
    memset(t.host, 0, 256);
    memcpy(t.host + 64, &r->old, size);
    set_exec(&t, 2);
    set_v64(&t, 2, 1, GPU_BASE + 64 - (flat ? 16 : 0));
    if (wide) {
        set_v64(&t, 10, 1, r->a);
        set_v64(&t, 12, 1, r->b);
    } else {
        t.image->v[10][1] = (uint32_t)r->a;
        t.image->v[11][1] = (uint32_t)r->b;
    }
    t.image->v[20][1] = 0x5555;
    run_ok(&t, "%s_atomic_%s %s%sv[2:3], %s%s%s", flat ? "flat" : "global", r->op,
           returns ? registers("v", 20, 1 + wide) : "", returns ? ", " : "",
           registers("v", 10, (1 + wide) * (strstr(r->op, "cmpswap") ? 2 : 1)), flat ? " offset:16" : ", off",
           returns ? returning(t.arch) : "");
    uint64_t got = 0, old = t.image->v[20][1] | (wide ? (uint64_t)t.image->v[21][1] << 32 : 0);
    memcpy(&got, t.host + 64, size);
    if (got != r->expected)
        fail_msg("%s: got %llx", r->op, (unsigned long long)got);
    assert_true(old == (returns ? r->old : 0x5555));
    assert_int_equal(host32(&t, 64 + size), 0);
}

static void global_operations(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof rows32 / sizeof *rows32; i++)
        for (unsigned returns = 0; returns < 2; returns++)
            global_row(&rows32[i], false, false, returns);
    for (unsigned i = 0; i < sizeof rows64 / sizeof *rows64; i++)
        for (unsigned returns = 0; returns < 2; returns++)
            global_row(&rows64[i], true, false, returns);
    global_row(&rows32[3], false, true, true);
    global_row(&rows64[3], true, true, true);
}

static void gfx10_operations(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof rows32_gfx10 / sizeof *rows32_gfx10; i++)
        for (unsigned returns = !strcmp(rows32_gfx10[i].op, "csub"); returns < 2;
             returns++) /* csub: always */
            global_row(&rows32_gfx10[i], false, false, returns);
    for (unsigned i = 0; i < sizeof rows64_gfx10 / sizeof *rows64_gfx10; i++)
        for (unsigned returns = 0; returns < 2; returns++)
            global_row(&rows64_gfx10[i], true, false, returns);
    global_row(&rows32_gfx10[0], false, true, true);
    global_row(&rows64_gfx10[2], true, true, true);
}

/* Denormals: 0x00400000 + 0x00400000 is the smallest normal number; gfx90a flushes its operands. */
static void f32_denormals_by_target(void **state)
{
    (void)state;
    const struct row flushed = {"add_f32", 0x00400000, 0x00400000, 0, 0};
    const struct row kept = {"add_f32", 0x00400000, 0x00400000, 0, 0x00800000};
    global_row(&flushed, false, false, false);
    bench_close(&t);
    bench_open(&t, "gfx942");
    global_row(&kept, false, false, false);
}

/* bf16: 1 + 2^-8 is halfway and goes to the even 1; 1 + 3 * 2^-8 goes up to 1 + 2^-6 (0x3f82). */
static void packed_bf16(void **state)
{
    (void)state;
    const struct row r = {"pk_add_bf16", 0x3f803f80, 0x3c403b80, 0, 0x3f823f80};
    global_row(&r, false, false, true);
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
    run_ok(&t, "global_atomic_add v9, v2, v3, s[10:11] offset:100 glc");
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
            run_ok(&t, "global_atomic_%s %s, v2, %s, s[10:11] glc", r->op, registers("v", 20, 1 + wide),
                   registers("v", 12, (1 + wide) * (strstr(r->op, "cmpswap") ? 2 : 1)));
        }
        memcpy(&memory[each], t.host + 64, size);
        memcpy(returned[each], t.image->v[20], sizeof returned[each]);
    }
    if (memory[0] != memory[1])
        fail_msg("%s: %llx at once, %llx one by one", r->op, (unsigned long long)memory[0],
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
        t.image->v[10][i] = 100;
    set_exec(&t, 7);
    run_ok(&t, "flat_atomic_add v8, v[2:3], v10 glc");
    assert_int_equal(lds32(&t, 40), 111);
    assert_int_equal(host32(&t, 100), 112);
    assert_int_equal(host32(&t, 8192 + 3 * 256 + 2 * 4), 113);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(t.image->v[8][i], 11 + i);
    /* 64 bits in private memory: two rows. 1 * 2^32 + 113 + 0xffffffff carries. */
    set_exec(&t, 4);
    set_v64(&t, 2, 2, (2ull << 48) + 16); /* 8-byte aligned: rows 4 and 5 */
    set_v64(&t, 10, 2, 0xffffffff);
    run_ok(&t, "flat_atomic_add_x2 v[14:15], v[2:3], v[10:11] glc");
    assert_int_equal(host32(&t, 8192 + 4 * 256 + 8), 0);
    assert_int_equal(host32(&t, 8192 + 5 * 256 + 8), 1);
    assert_int_equal(t.image->v[14][2], 1);
}

static void misaligned_atomic_is_a_fault(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        set_v64(&t, 2, i, GPU_BASE + 8 * i);
    set_v64(&t, 2, 9, GPU_BASE + 4);
    run_ok(&t, "global_atomic_add v[2:3], v3, off");
    assert_int_equal(run(&t, "global_atomic_add_x2 v[2:3], v[4:5], off"), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_APERTURE);
    assert_int_equal(t.fault.lane, 9);
    set_v64(&t, 2, 9, GPU_BASE + BENCH_BYTES);
    assert_int_equal(run(&t, "global_atomic_add_x2 v[2:3], v[4:5], off"), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_PAGE);
    assert_true(t.fault.is_write);
}

/* ---- LDS ---- */

/* Names without what returns and the width. b: second data operand. */
static const struct row lds32_rows[] = {
    {"add_u", 0xffffffff, 3, 0, 2},
    {"sub_u", 2, 3, 0, 0xffffffff},
    {"rsub_u", 2, 3, 0, 1},
    {"inc_u", 5, 5, 0, 0},
    {"dec_u", 0, 5, 0, 5},
    {"min_i", 5, 0xfffffffe, 0, 0xfffffffe},
    {"max_i", 5, 0xfffffffe, 0, 5},
    {"min_u", 5, 0xfffffffe, 0, 5},
    {"max_u", 5, 0xfffffffe, 0, 0xfffffffe},
    {"and_b", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
    {"or_b", 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0},
    {"xor_b", 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0},
    {"mskor_b", 0xffff, 0x0ff0, 0x0120, 0xf12f},
    {"cmpst_b", 7, 7, 9, 9}, /* compare value first */
    {"cmpst_b", 7, 9, 7, 7},
    {"cmpst_f", 0x80000000, 0, 9, 9}, /* -0 equals +0 */
    {"min_f", 0x3f800000, 0xbf800000, 0, 0xbf800000},
    {"max_f", 0x3f800000, 0xbf800000, 0, 0x3f800000},
    {"add_f", 0x3fc00000, 0x40000000, 0, 0x40600000},
};

/* "add_u": ds_add_u32, wide ds_add_u64, returning ds_add_rtn_u32. */
static const char *lds_name(const char *op, bool wide, bool returns)
{
    static char name[64];
    const char *type = strrchr(op, '_');
    snprintf(name, sizeof name, "ds_%.*s%s%s%s", (int)(type - op), op, returns ? "_rtn" : "", type,
             wide ? "64" : "32");
    return name;
}

/* What `name` does with one pair of values, or with one value. */
static void lds_row(const struct row *r, const char *name, bool wide, bool returns)
{
    const bool two = strstr(name, "mskor") || strstr(name, "cmpst") || strstr(name, "wrap");
    memset(t.image->v, 0, sizeof t.image->v);
    memset(t.lds, 0, 256);
    memcpy(t.lds + 72, &r->old, wide ? 8 : 4);
    set_exec(&t, 1ull << 33);
    t.image->v[2][33] = 64;
    set_v64(&t, 10, 33, r->a);
    set_v64(&t, 12, 33, r->b);
    t.image->v[20][33] = 0x5555;
    run_ok(&t, "%s %s%sv2, %s%s%s offset:8", name, returns ? registers("v", 20, 1 + wide) : "",
           returns ? ", " : "", registers("v", 10, 1 + wide), two ? ", " : "",
           two ? registers("v", 12, 1 + wide) : "");
    uint64_t got = 0, old = t.image->v[20][33] | (wide ? (uint64_t)t.image->v[21][33] << 32 : 0);
    memcpy(&got, t.lds + 72, wide ? 8 : 4);
    if (got != r->expected)
        fail_msg("%s: got %llx", name, (unsigned long long)got);
    assert_true(old == (returns ? r->old : 0x5555));
    assert_int_equal(lds32(&t, wide ? 80 : 76), 0);
}

static uint64_t widened(const char *op, uint64_t x)
{
    float f;
    uint32_t low = (uint32_t)x;
    memcpy(&f, &low, sizeof f);
    if (strstr(op, "_f"))
        return sg_u64(f);
    return strstr(op, "_i") || !strcmp(op, "sub_u") ? (uint64_t)(int64_t)(int32_t)low : x;
}

static void lds_operations(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof lds32_rows / sizeof *lds32_rows; i++) {
        const struct row *r = &lds32_rows[i];
        lds_row(r, lds_name(r->op, false, false), false, false);
        lds_row(r, lds_name(r->op, false, true), false, true);
        if (!strncmp(r->op, "add_", 4))
            continue;
        struct row wide = {r->op, widened(r->op, r->old), widened(r->op, r->a),
                           !strcmp(r->op, "cmpst_f") ? r->b : widened(r->op, r->b),
                           !strcmp(r->op, "cmpst_f") ? r->expected : widened(r->op, r->expected)};
        lds_row(&wide, lds_name(r->op, true, false), true, false);
        lds_row(&wide, lds_name(r->op, true, true), true, true);
    }
    const struct row carry = {NULL, 0xffffffff, 1, 0, 1ull << 32};
    lds_row(&carry, "ds_add_u64", true, false);
    lds_row(&carry, "ds_add_rtn_u64", true, true);
    const struct row f64 = {NULL, sg_u64(1.5), sg_u64(2), 0, sg_u64(3.5)};
    lds_row(&f64, "ds_add_f64", true, false);
    lds_row(&f64, "ds_add_rtn_f64", true, true);
    const struct row exchange = {NULL, 1, 2, 0, 2};
    lds_row(&exchange, "ds_wrxchg_rtn_b32", false, true);
    lds_row(&exchange, "ds_wrxchg_rtn_b64", true, true);
    const struct row wrap_down = {NULL, 9, 5, 3, 4}, wrap_up = {NULL, 4, 5, 3, 7};
    lds_row(&wrap_down, "ds_wrap_rtn_b32", false, true);
    lds_row(&wrap_up, "ds_wrap_rtn_b32", false, true);
    /* Only the upper dword's data has bit 31 set: it is exchanged, without that bit. */
    const struct row cond = {NULL, 0x1111111122222222, 0x8000000333333333, 0, 0x0000000322222222};
    lds_row(&cond, "ds_condxchg32_rtn_b64", true, true);
}

static void lds_packed_on_gfx950(void **state)
{
    (void)state;
    const struct row f16 = {NULL, 0xc0003c00, 0x3c004000, 0, 0xbc004200};
    lds_row(&f16, "ds_pk_add_f16", false, false);
    lds_row(&f16, "ds_pk_add_rtn_f16", false, true);
    const struct row bf16 = {NULL, 0x3f803f80, 0x3c403b80, 0, 0x3f823f80};
    lds_row(&bf16, "ds_pk_add_bf16", false, false);
}

/* A histogram: eight lanes per bin. */
static void lds_histogram(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = 4 * (i * 5 % 8);
        t.image->v[3][i] = 1;
    }
    run_ok(&t, "ds_add_u32 v2, v3 offset:256");
    for (unsigned bin = 0; bin < 8; bin++)
        assert_int_equal(lds32(&t, 256 + 4 * bin), 8);
    run_ok(&t, "ds_add_rtn_u32 v9, v2, v3 offset:256");
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
    run_ok(&t, "ds_add_rtn_u32 v9, v2, v3");
    assert_int_equal(lds32(&t, LDS_BYTES - 4), 6);
    assert_int_equal(t.image->v[9][8], 0);
    t.image->v[2][2] = 2;
    assert_int_equal(run(&t, "ds_add_u32 v2, v3"), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_APERTURE);
    assert_int_equal(t.fault.lane, 2);
    set_exec(&t, 7); /* all inside */
    assert_int_equal(run(&t, "ds_add_u32 v2, v3"), -1);
    assert_int_equal(t.fault.lane, 2);
    t.image->v[2][2] = 4;
    assert_int_equal(run(&t, "ds_add_u64 v2, v[4:5] offset:4"), -1); /* LDS_BYTES - 32 + 4 */
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
    run_ok(&t, "ds_wrxchg2st64_rtn_b32 v[2:3], v2, v3, v4 offset0:1 offset1:3");
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(t.image->v[2][i], 300 + i);
        assert_int_equal(t.image->v[3][i], 400 + i);
        assert_int_equal(lds32(&t, 256 + 4 * i), 100 + i);
        assert_int_equal(lds32(&t, 768 + 4 * i), 200 + i);
    }
}

/* ---- Two wavefronts on two threads add to the same words ---- */

static const struct code *adds;

static void *adder(void *arg)
{
    struct bench *b = arg;
    for (unsigned n = 0; n < 50; n++)
        if (sg_engine_exec_raw(b->arch, b->mem, adds->words, adds->n, b->image, &b->fault))
            return b;
    return NULL;
}

static void concurrent_adds_lose_nothing(void **state)
{
    (void)state;
    struct bench *two[2] = {&t, NULL};
    adds = assemble("gfx90a", ".rept 32\nglobal_atomic_add v2, v3, s[10:11]\n"
                              "global_atomic_add_f32 v2, v4, s[10:11] offset:4\n.endr\n");
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
            two[k]->image->v[4][i] = sg_u32(1);
        }
        assert_int_equal(pthread_create(&thread[k], NULL, adder, two[k]), 0);
    }
    for (unsigned k = 0; k < 2; k++) {
        void *failed;
        pthread_join(thread[k], &failed);
        assert_null(failed);
    }
    assert_int_equal(host32(&t, 0), 2 * 50 * 32 * 64);
    assert_int_equal(host32(&t, 4), sg_u32(2 * 50 * 32 * 64));
    other.mem = sg_mem_create();
    bench_close(&other);
}

int main(void)
{
#define T(f) ON("gfx90a", bench_setup, f)
    const struct CMUnitTest tests[] = {
        T(global_operations),
        ON("gfx1030", bench_setup, gfx10_operations),
        T(f32_denormals_by_target),
        ON("gfx942", bench_setup, packed_bf16),
        T(lanes_in_order),
        T(lanes_on_one_word),
        T(flat_atomics_reach_lds_and_private),
        T(misaligned_atomic_is_a_fault),
        T(lds_operations),
        ON("gfx950", bench_setup, lds_packed_on_gfx950),
        T(lds_histogram),
        T(lds_bounds_and_alignment),
        T(lds_double_exchange),
        T(concurrent_adds_lose_nothing),
    };
#ifdef SG_THREADS_ALONE /* what has one thread tells the thread sanitizer nothing */
    cmocka_set_test_filter("concurrent_*");
#endif
    return cmocka_run_group_tests_name("mem_atomic", tests, NULL, NULL);
}
