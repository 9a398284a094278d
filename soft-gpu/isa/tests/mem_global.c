/*
 * Tests of global_* and flat_*: address forms, widths, patterns that take different paths (contiguous,
 * uniform, scattered, partial EXEC), faults.
 */
#include "mem_one.h"

static int open_mixed(void **state)
{
    bench_setup(state);
    /* Byte k of memory is a mix of all bits of k, so that a wrong address gives a wrong value. */
    for (size_t k = 0; k < BENCH_BYTES; k++)
        t.host[k] = (uint8_t)(k ^ k >> 8 ^ k >> 16);
    return 0;
}

/* Address patterns by lane: byte offset from GPU_BASE. */
static uint32_t pattern(unsigned kind, unsigned lane, unsigned bytes)
{
    switch (kind) {
    case 0:
        return 512 + lane * bytes; /* contiguous */
    case 1:
        return 768; /* uniform */
    case 2:
        return (lane * 7919) % 60000; /* scattered, unaligned */
    case 3:
        return 4096 + (63 - lane) * bytes; /* backwards */
    case 4:
        return 512 + lane / 16 * 1024 + lane % 16 * bytes; /* rows of 16 lanes */
    case 5:
        return 512 + lane / 16 * 1024; /* one place for 16 lanes */
    default:                           /* nearly contiguous */
        return 512 + lane * bytes + (lane == 40 ? 8 : 0);
    }
}

static const uint64_t execs[] = {~0ull, 0x00000000ffffffffull, 0x8000000000000001ull, 0xfff0ff00f0f0aaaaull};

static void load_case(const char *op, unsigned bytes, bool saddr, unsigned kind, uint64_t exec)
{
    const unsigned dwords = dwords_of(bytes);
    memset(t.image->v, 0xcc, sizeof t.image->v);
    set_exec(&t, exec);
    set_s64(&t, 10, GPU_BASE + 100);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t at = pattern(kind, i, bytes);
        bool on = exec >> i & 1;
        if (saddr) /* 100 - 64 = 36 bytes too many */
            t.image->v[2][i] = on ? at : 0xdeadbeef;
        else
            set_v64(&t, 2, i, on ? GPU_BASE + at + 36 : 0xdeadbeefdeadbeef);
    }
    run_ok(&t, "global_%s %s, %s", op, registers("v", 20, dwords),
           saddr ? "v2, s[10:11] offset:-64" : "v[2:3], off");
    for (unsigned i = 0; i < 64; i++)
        for (unsigned k = 0; k < dwords; k++) {
            uint32_t expected = 0;
            memcpy(&expected, t.host + pattern(kind, i, bytes) + 36 + 4 * k, bytes < 4 ? bytes : 4);
            if (!strcmp(op, "load_sbyte"))
                expected = (uint32_t)(int8_t)expected;
            if (!strcmp(op, "load_sshort"))
                expected = (uint32_t)(int16_t)expected;
            if (!(exec >> i & 1))
                expected = 0xcccccccc;
            assert_int_equal(t.image->v[20 + k][i], expected);
        }
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(t.image->v[20 + dwords][i], 0xcccccccc);
}

static void loads(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        unsigned bytes;
    } ops[] = {{"load_ubyte", 1}, {"load_sbyte", 1},   {"load_ushort", 2},   {"load_sshort", 2},
               {"load_dword", 4}, {"load_dwordx2", 8}, {"load_dwordx3", 12}, {"load_dwordx4", 16}};
    for (unsigned o = 0; o < 8; o++)
        for (unsigned kind = 0; kind < 7; kind++)
            for (unsigned e = 0; e < 4; e++)
                for (unsigned saddr = 0; saddr < 2; saddr++)
                    load_case(ops[o].op, ops[o].bytes, saddr, kind, execs[e]);
}

static void store_case(const char *op, unsigned bytes, bool saddr, unsigned kind, uint64_t exec)
{
    static uint8_t expected[BENCH_BYTES];
    const unsigned shift = strstr(op, "_d16_hi") ? 2 : 0;
    memset(t.host, 0x11, BENCH_BYTES);
    memset(expected, 0x11, BENCH_BYTES);
    set_exec(&t, exec);
    set_s64(&t, 10, GPU_BASE + 100);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t at = pattern(kind, i, bytes), data[4];
        for (unsigned k = 0; k < 4; k++)
            t.image->v[30 + k][i] = data[k] = 0x01020304u * (i + 1) + 0x10203u * k;
        if (saddr)
            t.image->v[2][i] = at;
        else
            set_v64(&t, 2, i, GPU_BASE + at + 36);
        if (exec >> i & 1) /* ascending: the highest lane wins */
            memcpy(expected + at + 36, (uint8_t *)data + shift, bytes);
    }
    run_ok(&t, "global_%s %s, %s, %s", op, saddr ? "v2" : "v[2:3]", registers("v", 30, dwords_of(bytes)),
           saddr ? "s[10:11] offset:-64" : "off");
    assert_memory_equal(t.host, expected, BENCH_BYTES);
}

static void stores(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        unsigned bytes;
    } ops[] = {{"store_byte", 1},  {"store_byte_d16_hi", 1}, {"store_short", 2},    {"store_short_d16_hi", 2},
               {"store_dword", 4}, {"store_dwordx2", 8},     {"store_dwordx3", 12}, {"store_dwordx4", 16}};
    for (unsigned o = 0; o < 8; o++)
        for (unsigned kind = 0; kind < 7; kind++)
            for (unsigned e = 0; e < 4; e++)
                for (unsigned saddr = 0; saddr < 2; saddr++)
                    store_case(ops[o].op, ops[o].bytes, saddr, kind, execs[e]);
}

static void d16_loads_clear_the_other_half(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        uint32_t expected;
    } cases[] = {{"load_ubyte_d16", 0x00000081}, {"load_ubyte_d16_hi", 0x00810000},
                 {"load_sbyte_d16", 0x0000ff81}, {"load_sbyte_d16_hi", 0xff810000},
                 {"load_short_d16", 0x00009281}, {"load_short_d16_hi", 0x92810000}};
    put_host32(&t, 64, 0x9281);
    for (unsigned c = 0; c < 6; c++) {
        for (unsigned i = 0; i < 64; i++) {
            set_v64(&t, 2, i, GPU_BASE + 64);
            t.image->v[9][i] = 0x12345678;
        }
        run_ok(&t, "global_%s v9, v[2:3], off", cases[c].op);
        assert_int_equal(t.image->v[9][0], cases[c].expected);
        assert_int_equal(t.image->v[9][63], cases[c].expected);
    }
}

/* global_load_dwordx4 v[2:5], v[2:3]: the destination covers the address. */
static void destination_over_address(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        set_v64(&t, 2, i, GPU_BASE + pattern(2, i, 16));
    run_ok(&t, "global_load_dwordx4 v[2:5], v[2:3], off");
    for (unsigned i = 0; i < 64; i++)
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(t.image->v[2 + k][i], host32(&t, pattern(2, i, 16) + 4 * k));
}

static void accumulator_registers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        set_v64(&t, 2, i, GPU_BASE + 4 * i);
        t.image->v[256 + 7][i] = 1000 + i;
    }
    run_ok(&t, "global_store_dword v[2:3], a7, off");
    assert_int_equal(host32(&t, 4 * 63), 1063);
    run_ok(&t, "global_load_dword a8, v[2:3], off");
    assert_int_equal(t.image->v[256 + 8][63], 1063);
    assert_int_equal(t.image->v[8][63], 0);
}

static void page_fault_names_lane_and_address(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        set_v64(&t, 2, i, GPU_BASE + 4 * i);
    set_v64(&t, 2, 37, GPU_BASE + BENCH_BYTES + 16);
    assert_int_equal(run(&t, "global_load_dword v9, v[2:3], off offset:8"), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_PAGE);
    assert_int_equal(t.fault.lane, 37);
    assert_true(t.fault.va == GPU_BASE + BENCH_BYTES + 24);
    assert_false(t.fault.is_write);

    set_exec(&t, ~(1ull << 37)); /* an inactive lane touches nothing */
    run_ok(&t, "global_load_dword v9, v[2:3], off offset:8");
    set_exec(&t, 1ull << 37);
    assert_int_equal(run(&t, "global_store_dword v[2:3], v9, off offset:8"), -1);
    assert_true(t.fault.is_write);
    set_exec(&t, 0);
    run_ok(&t, "global_store_dword v[2:3], v9, off offset:8");
}

/* The last row of a mapping: lanes 16..63 are inactive, their block would lie behind the end. */
static void partial_row_at_the_end_of_a_mapping(void **state)
{
    (void)state;
    set_exec(&t, 0xffff);
    for (unsigned i = 0; i < 64; i++)
        set_v64(&t, 2, i, GPU_BASE + BENCH_BYTES - 64 + 4 * i);
    run_ok(&t, "global_load_dword v9, v[2:3], off");
    assert_int_equal(t.image->v[9][15], host32(&t, BENCH_BYTES - 4));
    run_ok(&t, "global_store_dword v[2:3], v2, off");
    assert_int_equal(host32(&t, BENCH_BYTES - 4), (uint32_t)(GPU_BASE + BENCH_BYTES - 4));
}

/* Two adjacent mappings with different host addresses; one access spans both. */
static void access_over_two_mappings(void **state)
{
    (void)state;
    uint8_t *other = calloc(1, 4096);
    memset(other, 0x77, 4096);
    assert_int_equal(sg_mem_map(t.mem, GPU_BASE + BENCH_BYTES, 4096, other, SG_RANGE_READ | SG_RANGE_WRITE),
                     0);
    for (unsigned i = 0; i < 64; i++)
        set_v64(&t, 2, i, GPU_BASE + BENCH_BYTES - 130 + 4 * i); /* lane 32 has two bytes on either side */
    run_ok(&t, "global_load_dword v9, v[2:3], off");
    assert_int_equal(t.image->v[9][31], host32(&t, BENCH_BYTES - 6));
    assert_int_equal(t.image->v[9][32], 0x77770000u | t.host[BENCH_BYTES - 2] | t.host[BENCH_BYTES - 1] << 8);
    assert_int_equal(t.image->v[9][33], 0x77777777);
    free(other);
}

static void read_only_mapping(void **state)
{
    (void)state;
    static uint8_t page[4096];
    assert_int_equal(sg_mem_map(t.mem, GPU_BASE - 4096, 4096, page, SG_RANGE_READ), 0);
    for (unsigned i = 0; i < 64; i++)
        set_v64(&t, 2, i, GPU_BASE - 4096 + 4 * i);
    run_ok(&t, "global_load_dword v9, v[2:3], off");
    set_exec(&t, ~0ull << 5);
    assert_int_equal(run(&t, "global_store_dword v[2:3], v9, off"), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_PAGE);
    assert_int_equal(t.fault.lane, 5);
    assert_true(t.fault.va == GPU_BASE - 4096 + 20);
    assert_true(t.fault.is_write);
}

/* Lanes 0..15 global, 16..31 LDS (aperture 1 << 48), 32..47 private (2 << 48), the rest inactive. */
static void flat_apertures(void **state)
{
    (void)state;
    const uint64_t scratch = GPU_BASE + 0x10000;
    set_s64(&t, 102, scratch);
    set_exec(&t, 0xffffffffffffull);
    for (unsigned i = 0; i < 64; i++) {
        uint64_t va = i < 16   ? GPU_BASE + 8 * i
                      : i < 32 ? (1ull << 48) + 12 * i
                               : (2ull << 48) + 4 * (i % 4) + 20;
        set_v64(&t, 2, i, va);
        t.image->v[9][i] = 0xabc00000 + i;
    }
    run_ok(&t, "flat_store_dword v[2:3], v9 offset:16");
    assert_int_equal(host32(&t, 8 * 15 + 16), 0xabc0000f);
    assert_int_equal(lds32(&t, 12 * 16 + 16), 0xabc00010);
    /* lane 35: private offset 4 * 3 + 20 + 16 = 48, dword 12: base + 12 * 256 + 35 * 4 */
    assert_int_equal(host32(&t, 0x10000 + 12 * 256 + 35 * 4), 0xabc00023);
    run_ok(&t, "flat_load_dword v10, v[2:3] offset:16");
    for (unsigned i = 0; i < 48; i++)
        assert_int_equal(t.image->v[10][i], 0xabc00000 + i);
    assert_int_equal(t.image->v[10][50], 0);

    set_v64(&t, 2, 20, (1ull << 48) + LDS_BYTES - 16);
    assert_int_equal(run(&t, "flat_load_dword v10, v[2:3] offset:16"), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_APERTURE);
    assert_int_equal(t.fault.lane, 20);
    assert_true(t.fault.va == (1ull << 48) + LDS_BYTES);
}

/* Where byte `at` of a lane's private memory lies in t.host: the wavefront's part begins at 0x10000. */
static size_t private_place(unsigned lane, uint32_t at)
{
    return 0x10000 + at / 4 * 256 + lane * 4 + at % 4;
}

/* All lanes in one aperture; offsets uniform, contiguous, mixed and unaligned. */
static void flat_case(bool lds, unsigned kind, const char *load, const char *store, unsigned bytes,
                      uint64_t exec)
{
    uint32_t at[64];
    memset(t.image->v, 0xcc, sizeof t.image->v);
    set_s64(&t, 102, GPU_BASE + 0x10000);
    set_exec(&t, exec);
    for (unsigned i = 0; i < 64; i++) {
        at[i] = kind == 0 ? 64 : kind == 1 ? i * bytes : kind == 2 ? i % 7 * 16 : i % 9 * 5 + 1;
        set_v64(&t, 2, i, (lds ? 1ull << 48 : 2ull << 48) + at[i]);
        for (unsigned k = 0; k < 4; k++)
            t.image->v[30 + k][i] =
                0x01020304u * (lds && kind != 1 ? at[i] + 1 : i + 1) + k; /* as stores collide */
    }
    run_ok(&t, "flat_%s v[2:3], %s offset:20", store, registers("v", 30, dwords_of(bytes)));
    run_ok(&t, "flat_%s %s, v[2:3] offset:20", load,
           registers("v", 2, dwords_of(bytes))); /* over its address */
    for (unsigned i = 0; i < 64; i++) {
        if (!(exec >> i & 1)) {
            assert_int_equal(t.image->v[2][i], at[i]);
            continue;
        }
        for (unsigned b = 0; b < bytes; b++) {
            uint8_t in_memory = lds ? t.lds[at[i] + 20 + b] : t.host[private_place(i, at[i] + 20 + b)];
            uint8_t in_register = (uint8_t)(t.image->v[2 + b / 4][i] >> 8 * (b % 4));
            uint8_t stored = (uint8_t)(t.image->v[30 + b / 4][i] >> 8 * (b % 4));
            assert_int_equal(in_register, in_memory);
            if (!lds || kind < 2) /* otherwise other lanes may have overwritten it */
                assert_int_equal(in_memory, stored);
        }
    }
}

static void flat_in_one_aperture(void **state)
{
    (void)state;
    static const struct {
        const char *load, *store;
        unsigned bytes;
    } ops[] = {{"load_ubyte", "store_byte", 1},       {"load_ushort", "store_short", 2},
               {"load_dword", "store_dword", 4},      {"load_dwordx2", "store_dwordx2", 8},
               {"load_dwordx3", "store_dwordx3", 12}, {"load_dwordx4", "store_dwordx4", 16}};
    for (unsigned o = 0; o < 6; o++)
        for (unsigned kind = 0; kind < 4; kind++)
            for (unsigned e = 0; e < 4; e++)
                for (unsigned lds = 0; lds < 2; lds++)
                    flat_case(lds, kind, ops[o].load, ops[o].store, ops[o].bytes, execs[e]);
    /* Beyond LDS in one lane. */
    for (unsigned i = 0; i < 64; i++)
        set_v64(&t, 2, i, (1ull << 48) + (i == 63 ? LDS_BYTES - 20 : 0));
    set_exec(&t, ~0ull);
    assert_int_equal(run(&t, "flat_store_dword v[2:3], v30 offset:20"), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_APERTURE);
    assert_int_equal(t.fault.lane, 63);
}

/* LDS address: M0[15:0] + instruction offset + 4 * lane. */
static void load_into_lds(void **state)
{
    (void)state;
    bench_close(&t);
    bench_open(&t, "gfx950");
    for (unsigned i = 0; i < 1024; i++)
        put_host32(&t, 4 * i, 5000 + i);
    for (unsigned i = 0; i < 64; i++)
        set_v64(&t, 2, i, GPU_BASE + 16 * (63 - i));
    t.image->s[124] = 512;
    set_exec(&t, ~2ull);
    run_ok(&t, "global_load_lds_dword v[2:3], off offset:32");
    /* lane 3: memory 16 * 60 + 32 = dword 248; LDS 512 + 32 + 12 */
    assert_int_equal(lds32(&t, 556), 5248);
    assert_int_equal(lds32(&t, 548), 0); /* lane 1 is off */
    assert_int_equal(lds32(&t, 512 + 32 + 4 * 63), 5008);
    set_exec(&t, ~0ull);
    run_ok(&t, "global_load_lds_dwordx4 v[2:3], off offset:32");
    /* 16 bytes per lane: lane 3 at 512 + 32 + 48 */
    assert_int_equal(lds32(&t, 592), 5248);
    assert_int_equal(lds32(&t, 604), 5251);
}

int main(void)
{
#define T(f) ON("gfx90a", open_mixed, f)
    const struct CMUnitTest tests[] = {
        T(loads),
        T(stores),
        T(d16_loads_clear_the_other_half),
        T(destination_over_address),
        T(accumulator_registers),
        T(page_fault_names_lane_and_address),
        T(partial_row_at_the_end_of_a_mapping),
        T(access_over_two_mappings),
        T(read_only_mapping),
        T(flat_apertures),
        T(flat_in_one_aperture),
        T(load_into_lds),
    };
    return cmocka_run_group_tests_name("mem_global", tests, NULL, NULL);
}
