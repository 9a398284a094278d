/*
 * Tests of DS instructions: reads and writes of all widths and patterns, the "2" forms, bounds, data exchange
 * between lanes. Atomics are in mem_atomic.c.
 */
#include "mem_one.h"

static int open_mixed(void **state)
{
    bench_setup(state);
    for (size_t k = 0; k < LDS_BYTES; k++)
        t.lds[k] = (uint8_t)(k * 5 ^ k >> 8);
    return 0;
}

enum { KINDS = 8 };

static uint32_t pattern(unsigned kind, unsigned lane, unsigned bytes)
{
    switch (kind) {
    case 0:
        return 512 + lane * bytes; /* contiguous */
    case 1:
        return 768; /* uniform */
    case 2:
        return (lane * 7919) % 4000; /* scattered, unaligned */
    case 3:
        return 512 + lane / 16 * 1024 + lane % 16 * bytes; /* rows of 16 lanes */
    case 4:
        return 512 + lane / 16 * 1024; /* one place for 16 lanes */
    case 5:
        return lane * bytes - 36; /* below 0 in the first lanes: the sum with the offset wraps */
    case 6:
        return 0u - 4; /* likewise, uniform */
    default:           /* nearly rows of 16 lanes */
        return 512 + lane / 16 * 256 + lane % 16 * bytes + (lane == 40 ? 8 : 0);
    }
}

static const uint64_t execs[] = {~0ull, 0x00000000ffffffffull, 0x8000000000000001ull, 0xfff0ff00f0f0aaaaull};

static void read_case(const char *op, unsigned bytes, unsigned kind, uint64_t exec)
{
    const unsigned dwords = dwords_of(bytes);
    memset(t.image->v, 0xcc, sizeof t.image->v);
    set_exec(&t, exec);
    for (unsigned i = 0; i < 64; i++)
        t.image->v[2][i] = exec >> i & 1 ? pattern(kind, i, bytes) : 0xdeadbeef;
    run_ok(&t, "ds_%s %s, v2 offset:36", op, registers("v", 20, dwords));
    for (unsigned i = 0; i < 64; i++)
        for (unsigned k = 0; k < dwords; k++) {
            uint32_t expected = 0;
            memcpy(&expected, t.lds + (uint32_t)(pattern(kind, i, bytes) + 36) + 4 * k,
                   bytes < 4 ? bytes : 4);
            if (!strcmp(op, "read_i8"))
                expected = (uint32_t)(int8_t)expected;
            if (!strcmp(op, "read_i16"))
                expected = (uint32_t)(int16_t)expected;
            assert_int_equal(t.image->v[20 + k][i], exec >> i & 1 ? expected : 0xcccccccc);
        }
}

static void reads(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        unsigned bytes;
    } ops[] = {{"read_u8", 1},  {"read_i8", 1},  {"read_u16", 2},  {"read_i16", 2},
               {"read_b32", 4}, {"read_b64", 8}, {"read_b96", 12}, {"read_b128", 16}};
    for (unsigned o = 0; o < 8; o++)
        for (unsigned kind = 0; kind < KINDS; kind++)
            for (unsigned e = 0; e < 4; e++)
                read_case(ops[o].op, ops[o].bytes, kind, execs[e]);
}

static void write_case(const char *op, unsigned bytes, unsigned kind, uint64_t exec)
{
    uint8_t expected[LDS_BYTES];
    const unsigned shift = strstr(op, "_d16_hi") ? 2 : 0;
    memset(t.lds, 0x11, LDS_BYTES);
    memset(expected, 0x11, LDS_BYTES);
    set_exec(&t, exec);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t data[4];
        for (unsigned k = 0; k < 4; k++)
            t.image->v[30 + k][i] = data[k] = 0x01020304u * (i + 1) + 0x10203u * k;
        t.image->v[2][i] = pattern(kind, i, bytes);
        if (exec >> i & 1)
            memcpy(expected + (uint32_t)(pattern(kind, i, bytes) + 36), (uint8_t *)data + shift, bytes);
    }
    run_ok(&t, "ds_%s v2, %s offset:36", op, registers("v", 30, dwords_of(bytes)));
    assert_memory_equal(t.lds, expected, LDS_BYTES);
}

static void writes(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        unsigned bytes;
    } ops[] = {{"write_b8", 1},  {"write_b8_d16_hi", 1}, {"write_b16", 2},  {"write_b16_d16_hi", 2},
               {"write_b32", 4}, {"write_b64", 8},       {"write_b96", 12}, {"write_b128", 16}};
    for (unsigned o = 0; o < 8; o++)
        for (unsigned kind = 0; kind < KINDS; kind++)
            for (unsigned e = 0; e < 4; e++)
                write_case(ops[o].op, ops[o].bytes, kind, execs[e]);
}

static void d16_reads_clear_the_other_half(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        uint32_t expected;
    } cases[] = {{"read_u8_d16", 0x00000081},  {"read_u8_d16_hi", 0x00810000},
                 {"read_i8_d16", 0x0000ff81},  {"read_i8_d16_hi", 0xff810000},
                 {"read_u16_d16", 0x00009281}, {"read_u16_d16_hi", 0x92810000}};
    put_lds32(&t, 64, 0x9281);
    for (unsigned c = 0; c < 6; c++) {
        for (unsigned i = 0; i < 64; i++) {
            t.image->v[2][i] = 0;
            t.image->v[9][i] = 0x12345678;
        }
        run_ok(&t, "ds_%s v9, v2 offset:64", cases[c].op);
        assert_int_equal(t.image->v[9][0], cases[c].expected);
        assert_int_equal(t.image->v[9][63], cases[c].expected);
    }
}

/* Out of the work-group's LDS: 0 is read, writes vanish; the rest of the wavefront goes on. */
static void bounds(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = LDS_BYTES - 64 + 4 * i; /* lanes 0..15 inside */
        t.image->v[10][i] = 9;
    }
    t.image->v[2][1] = 0xfffffffc; /* + 8 wraps to 4 */
    run_ok(&t, "ds_read_b32 v10, v2 offset:8");
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(t.image->v[10][i], i == 1   ? lds32(&t, 4)
                                            : i < 14 ? lds32(&t, LDS_BYTES - 56 + 4 * i)
                                                     : 0);
    run_ok(&t, "ds_write_b32 v2, v2 offset:8");
    assert_int_equal(lds32(&t, 4), 0xfffffffc);
    assert_int_equal(lds32(&t, LDS_BYTES - 4), LDS_BYTES - 64 + 4 * 13);
    /* A 64-bit access that is only half inside reads 0 as a whole. */
    t.image->v[2][0] = LDS_BYTES - 4;
    run_ok(&t, "ds_read_b64 v[10:11], v2");
    assert_int_equal(t.image->v[10][0], 0);
    assert_int_equal(t.image->v[11][0], 0);
    /* The two halves of a pair are checked apart. */
    t.image->v[2][0] = LDS_BYTES - 8;
    run_ok(&t, "ds_read2_b32 v[10:11], v2 offset0:1 offset1:2");
    assert_int_equal(t.image->v[10][0], lds32(&t, LDS_BYTES - 4));
    assert_int_equal(t.image->v[11][0], 0);
}

static void pair_case(const char *op, unsigned unit, unsigned dwords, unsigned o1, unsigned o2,
                      uint32_t stride)
{
    memset(t.lds, 0, LDS_BYTES);
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = stride * i;
        for (unsigned k = 0; k < 4; k++)
            t.image->v[10 + k][i] = 1000 * (k + 1) + i;
    }
    run_ok(&t, "ds_write%s v2, %s, %s offset0:%u offset1:%u", op, registers("v", 10, dwords),
           registers("v", 12, dwords), o1, o2);
    uint8_t expected[LDS_BYTES] = {0};
    for (unsigned part = 0; part < 2; part++)
        for (unsigned i = 0; i < 64; i++)
            for (unsigned k = 0; k < dwords; k++)
                memcpy(expected + stride * i + (part ? o2 : o1) * unit + 4 * k,
                       &t.image->v[10 + 2 * part + k][i], 4);
    assert_memory_equal(t.lds, expected, LDS_BYTES);
    /* The destination covers the address. */
    run_ok(&t, "ds_read%s %s, v2 offset0:%u offset1:%u", op, registers("v", 2, 2 * dwords), o1, o2);
    for (unsigned i = 0; i < 64; i++)
        for (unsigned k = 0; k < 2 * dwords; k++) {
            uint32_t x;
            memcpy(&x, expected + stride * i + (k < dwords ? o1 : o2) * unit + 4 * (k % dwords), 4);
            assert_int_equal(t.image->v[2 + k][i], x);
        }
}

static void pairs(void **state)
{
    (void)state;
    pair_case("2_b32", 4, 1, 0, 1, 8);    /* one contiguous block */
    pair_case("2_b32", 4, 1, 0, 64, 4);   /* two */
    pair_case("2_b32", 4, 1, 0, 3, 8);    /* interleaved */
    pair_case("2_b32", 4, 1, 255, 3, 36); /* scattered */
    pair_case("2_b32", 4, 1, 7, 9, 0);    /* uniform */
    pair_case("2st64_b32", 256, 1, 2, 5, 4);
    pair_case("2_b64", 8, 2, 0, 1, 16);
    pair_case("2_b64", 8, 2, 64, 0, 8);
    pair_case("2_b64", 8, 2, 5, 200, 24);
    pair_case("2st64_b64", 512, 2, 1, 3, 8);
}

static void addtid(void **state)
{
    (void)state;
    t.image->s[124] = 0xabcd0100; /* M0[15:0] counts */
    for (unsigned i = 0; i < 64; i++)
        t.image->v[9][i] = 3000 + i;
    run_ok(&t, "ds_write_addtid_b32 v9 offset:4112");
    assert_int_equal(lds32(&t, 0x1110 + 4 * 10), 3010);
    run_ok(&t, "ds_read_addtid_b32 v10 offset:4116");
    assert_int_equal(t.image->v[10][10], 3011);
}

static void append_and_consume(void **state)
{
    (void)state;
    t.image->s[124] = 256;
    put_lds32(&t, 264, 100);
    set_exec(&t, 0x70000000000000ffull);
    run_ok(&t, "ds_append v9 offset:8");
    assert_int_equal(lds32(&t, 264), 111);
    assert_int_equal(t.image->v[9][7], 100);
    assert_int_equal(t.image->v[9][8], 0);
    run_ok(&t, "ds_consume v9 offset:8");
    assert_int_equal(lds32(&t, 264), 100);
    assert_int_equal(t.image->v[9][60], 111);
}

static void bpermute(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = 4 * (63 - i) + 256 * i + i % 4; /* upper bits and the low two are ignored */
        t.image->v[3][i] = 700 + i;
        t.image->v[9][i] = 5;
    }
    set_exec(&t, ~(1ull << 10));
    run_ok(&t, "ds_bpermute_b32 v9, v2, v3");
    assert_int_equal(t.image->v[9][0], 763);
    assert_int_equal(t.image->v[9][53], 0); /* reads lane 10, which is off */
    assert_int_equal(t.image->v[9][10], 5);
    run_ok(&t, "ds_bpermute_b32 v9, v2, v3 offset:8"); /* two lanes further */
    assert_int_equal(t.image->v[9][20], 745);
    assert_int_equal(t.image->v[9][0], 701); /* 65 % 64 */
}

static void permute(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = 4 * (i / 2);
        t.image->v[3][i] = 700 + i;
        t.image->v[9][i] = 5;
    }
    set_exec(&t, ~0x28ull); /* lanes 3 and 5 off */
    run_ok(&t, "ds_permute_b32 v9, v2, v3");
    assert_int_equal(t.image->v[9][0], 701); /* lanes 0 and 1 collide: the higher wins */
    assert_int_equal(t.image->v[9][1], 702); /* lane 3 is off */
    assert_int_equal(t.image->v[9][3], 5);
    assert_int_equal(t.image->v[9][31], 763);
    assert_int_equal(t.image->v[9][32], 0); /* nobody writes there */
}

static void swizzle_case(unsigned offset, const uint8_t expected[32])
{
    for (unsigned i = 0; i < 64; i++)
        t.image->v[2][i] = i;
    run_ok(&t, "ds_swizzle_b32 v9, v2 offset:0x%x", offset);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(t.image->v[9][i], (i & 32) + expected[i % 32]);
}

static void swizzle(void **state)
{
    (void)state;
    uint8_t e[32];
    for (unsigned i = 0; i < 32; i++)
        e[i] = i ^ 5; /* swap: and 31, or 0, xor 5 */
    swizzle_case(31 | 5 << 10, e);
    for (unsigned i = 0; i < 32; i++)
        e[i] = (uint8_t)((i & 0x18) | 3); /* lane 3 of every 8 */
    swizzle_case(0x18 | 3 << 5, e);
    for (unsigned i = 0; i < 32; i++)
        e[i] = (uint8_t)(i / 4 * 4 + (const uint8_t[]){3, 1, 0, 2}[i % 4]);
    swizzle_case(0x8000 | 3 | 1 << 2 | 0 << 4 | 2 << 6, e);
    for (unsigned i = 0; i < 32; i++)
        e[i] = (i + 3) % 32;
    swizzle_case(0xc000 | 3 << 5, e);
    for (unsigned i = 0; i < 32; i++)
        e[i] = (uint8_t)((i & 24) | ((i - 2) & 7)); /* groups of 8, the other way */
    swizzle_case(0xc400 | 2 << 5 | 24, e);
    /* Tables of the ISA guide, which counts lanes from 1. */
    static const uint8_t fft0[32] = {0x1,  0x11, 0x9,  0x19, 0x5,  0x15, 0xd,  0x1d, 0x3,  0x13, 0xb,
                                     0x1b, 0x7,  0x17, 0xf,  0x1f, 0x2,  0x12, 0xa,  0x1a, 0x6,  0x16,
                                     0xe,  0x1e, 0x4,  0x14, 0xc,  0x1c, 0x8,  0x18, 0x10, 0x20};
    static const uint8_t fft16[32] = {0x1,  0x9,  0x5,  0xd,  0x3,  0xb,  0x7,  0xf,  0x2,  0xa,  0x6,
                                      0xe,  0x4,  0xc,  0x8,  0x10, 0x11, 0x19, 0x15, 0x1d, 0x13, 0x1b,
                                      0x17, 0x1f, 0x12, 0x1a, 0x16, 0x1e, 0x14, 0x1c, 0x18, 0x20};
    for (unsigned i = 0; i < 32; i++)
        e[i] = fft0[i] - 1;
    swizzle_case(0xe000, e);
    for (unsigned i = 0; i < 32; i++)
        e[i] = fft16[i] - 1;
    swizzle_case(0xe010, e);
    /* Inactive lanes give 0. */
    set_exec(&t, ~1ull);
    run_ok(&t, "ds_swizzle_b32 v9, v2 offset:swizzle(SWAP,1)");
    assert_int_equal(t.image->v[9][1], 0);
    assert_int_equal(t.image->v[9][2], 3);
}

/* gfx950: lane l of 16 gets column l of the matrix that the 16 lanes read. */
static void transposing_reads(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        t.image->v[2][i] = 8 * (i ^ 3); /* any address per lane */
    /* b16: four rows of 16; row r is read by lanes 4r..4r+3. Element (row, column) of group g: */
    for (unsigned i = 0; i < 64; i++)
        for (unsigned e = 0; e < 4; e++) {
            uint16_t value = (uint16_t)(i / 16 << 12 | (i % 16 / 4) << 8 | (i % 4 * 4 + e));
            memcpy(t.lds + 8 * (i ^ 3) + 2 * e, &value, 2);
        }
    run_ok(&t, "ds_read_b64_tr_b16 v[10:11], v2");
    for (unsigned i = 0; i < 64; i++) {
        uint32_t group = i / 16 << 12, column = i % 16;
        assert_int_equal(t.image->v[10][i], (group | column) | (group | 0x100 | column) << 16);
        assert_int_equal(t.image->v[11][i], (group | 0x200 | column) | (group | 0x300 | column) << 16);
    }
    /* b8: eight rows of 16; row r is read by lanes 2r and 2r + 1. */
    for (unsigned i = 0; i < 64; i++)
        for (unsigned e = 0; e < 8; e++)
            t.lds[8 * (i ^ 3) + e] = (uint8_t)(i % 16 / 2 << 4 | (i % 2 * 8 + e));
    run_ok(&t, "ds_read_b64_tr_b8 v[10:11], v2");
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(t.image->v[10][i], 0x30201000 + 0x01010101 * (i % 16));
        assert_int_equal(t.image->v[11][i], 0x70605040 + 0x01010101 * (i % 16));
    }
    /* b4: sixteen rows; lane r reads row r. All elements of row r are r. */
    for (unsigned i = 0; i < 64; i++)
        memset(t.lds + 8 * (i ^ 3), (int)(i % 16 * 0x11), 8);
    run_ok(&t, "ds_read_b64_tr_b4 v[10:11], v2");
    assert_int_equal(t.image->v[10][40], 0x76543210);
    assert_int_equal(t.image->v[11][40], 0xfedcba98);
    /* b6: the same with 96 bits; row r is all r. */
    for (unsigned i = 0; i < 64; i++) {
        unsigned r = i % 16;
        uint32_t four = r | r << 6 | r << 12 | r << 18;
        t.image->v[2][i] = 12 * i;
        for (unsigned k = 0; k < 4; k++)
            memcpy(t.lds + 12 * i + 3 * k, &four, 3);
    }
    run_ok(&t, "ds_read_b96_tr_b6 v[10:12], v2");
    /* 0 | 1 << 6 | 2 << 12 | 3 << 18 | 4 << 24 | (5 & 3) << 30 */
    assert_int_equal(t.image->v[10][20], 0u | 1u << 6 | 2u << 12 | 3u << 18 | 4u << 24 | 1u << 30);
    set_exec(&t, 1);
    assert_int_equal(run(&t, "ds_read_b64_tr_b16 v[10:11], v2"), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_UNIMPLEMENTED);
}

int main(void)
{
#define T(f) ON("gfx90a", open_mixed, f)
    const struct CMUnitTest tests[] = {
        T(reads),
        T(writes),
        T(d16_reads_clear_the_other_half),
        T(bounds),
        T(pairs),
        T(addtid),
        T(append_and_consume),
        T(bpermute),
        T(permute),
        T(swizzle),
        ON("gfx950", open_mixed, transposing_reads),
    };
    return cmocka_run_group_tests_name("mem_lds", tests, NULL, NULL);
}
