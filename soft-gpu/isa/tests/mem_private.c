/*
 * Tests of buffer_* and scratch_*: the address formula of buffers, swizzle, bounds, the interleaved layout of
 * private memory, formats.
 */
#include "mem_one.h"
#include "soft-gpu/isa/code/bits.h"

enum { SWIZZLE = 1u << 31, ADD_TID = 1 << 23, INDEX_STRIDE_16 = 1 << 21, INDEX_STRIDE_64 = 3 << 21 };
enum { V_SHARP = 4, SOFFSET = 8 }; /* SGPRs of the tests */

static int open_numbered(void **state)
{
    bench_setup(state);
    for (unsigned i = 0; i < BENCH_BYTES / 4; i++)
        put_host32(&t, 4 * i, 0x40000000 + i);
    return 0;
}

static void descriptor(unsigned stride, uint32_t word1_bits, uint32_t num_records, uint32_t word3)
{
    t.image->s[V_SHARP] = (uint32_t)GPU_BASE;
    t.image->s[V_SHARP + 1] = (uint32_t)(GPU_BASE >> 32) | stride << 16 | word1_bits;
    t.image->s[V_SHARP + 2] = num_records;
    t.image->s[V_SHARP + 3] = word3;
}

/* What ROCr puts into s[0:3]: stride bits 17:14 in DATA_FORMAT (4: 64 KiB), 64 lanes interleaved. */
static void scratch_descriptor(void)
{
    descriptor(0, SWIZZLE, 1 << 17, 4u << 15 | 1u << 19 | INDEX_STRIDE_64 | ADD_TID);
}

/* The dword that stands at byte `at`, a multiple of 4. */
static uint32_t word(size_t at)
{
    return 0x40000000 + (uint32_t)(at / 4);
}

static void raw_buffer_with_bounds(void **state)
{
    (void)state;
    descriptor(0, 0, 256, 0x27000);
    t.image->s[SOFFSET] = 64;
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = 4 * i;
        t.image->v[9][i] = 7;
    }
    t.image->v[2][3] = 0x80000000; /* the usual way to mask a lane */
    run_ok(&t, "buffer_load_dword v9, v2, s[4:7], s8 offen offset:12");
    for (unsigned i = 0; i < 64; i++) /* inside: 4 i + 12 + 4 <= 256 - 64, so i <= 44 */
        assert_int_equal(t.image->v[9][i], i <= 44 && i != 3 ? word(64 + 12 + 4 * i) : 0);

    for (unsigned i = 0; i < 64; i++)
        t.image->v[9][i] = i;
    run_ok(&t, "buffer_store_dword v9, v2, s[4:7], s8 offen offset:12");
    assert_int_equal(host32(&t, 64 + 12 + 4 * 44), 44);
    assert_int_equal(host32(&t, 64 + 12 + 4 * 45), word(64 + 12 + 4 * 45));
    assert_int_equal(host32(&t, 64 + 12 + 4 * 3), word(64 + 12 + 4 * 3));
}

/* v[2:5] loaded through v2, some lanes out of bounds. */
static void raw_buffer_over_its_address(void **state)
{
    (void)state;
    descriptor(0, 0, 1024, 0x27000);
    for (unsigned i = 0; i < 64; i++)
        t.image->v[2][i] = i % 2 ? 1u << 31 : 16 * i;
    run_ok(&t, "buffer_load_dwordx4 v[2:5], v2, s[4:7], 0 offen");
    for (unsigned i = 0; i < 64; i++)
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(t.image->v[2 + k][i], i % 2 ? 0 : word(16 * i + 4 * k));
}

static void bounds_hold_for_each_dword(void **state)
{
    (void)state;
    descriptor(0, 0, 106, 0x27000); /* 26 dwords and a half */
    for (unsigned i = 0; i < 64; i++)
        t.image->v[2][i] = 4 * i;
    run_ok(&t, "buffer_load_dwordx4 v[10:13], v2, s[4:7], 0 offen");
    for (unsigned i = 0; i < 64; i++)
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(t.image->v[10 + k][i], i + k < 26 ? word(4 * (i + k)) : 0);
}

/* soffset beyond num_records: nothing is inside. */
static void soffset_beyond_the_buffer(void **state)
{
    (void)state;
    descriptor(0, 0, 64, 0x27000);
    t.image->s[SOFFSET] = 128;
    run_ok(&t, "buffer_load_dword v9, v2, s[4:7], s8 offen");
    assert_int_equal(t.image->v[9][0], 0);
}

/*
 * A register just below 2^32 and an instruction offset that leads past it: compilers fold constants into the
 * instruction offset whatever the sign of the rest, so the sum has 32 bits, and the lane is inside.
 */
static void raw_offsets_wrap_around(void **state)
{
    (void)state;
    descriptor(0, 0, 1024, 0x27000);
    t.image->s[SOFFSET] = 64;
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = 4 * i - 96; /* lanes 0 to 23: negative; to 7 also with the offset */
        t.image->v[3][i] = 16 * i - 4096;
        t.image->v[9][i] = 500 + i;
    }
    run_ok(&t, "buffer_load_ubyte v10, v3, s[4:7], 0 offen offset:4095");
    for (unsigned i = 0; i < 64; i++) /* the byte before 16 i, the highest of its word */
        assert_int_equal(t.image->v[10][i], i ? word(16 * i - 4) >> 24 : 0);
    run_ok(&t, "buffer_load_dword v10, v2, s[4:7], s8 offen offset:64");
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(t.image->v[10][i], i < 8 ? 0 : word(64 + 4 * i - 32));

    run_ok(&t, "buffer_store_dword v9, v2, s[4:7], s8 offen offset:64");
    assert_int_equal(host32(&t, 60), word(60));
    for (unsigned i = 8; i < 64; i++)
        assert_int_equal(host32(&t, 64 + 4 * i - 32), 500 + i);
    run_ok(&t, "buffer_atomic_add v9, v2, s[4:7], s8 offen offset:64");
    assert_int_equal(host32(&t, 64), 508 + 508);
}

static void other_offsets_wrap_around(void **state)
{
    (void)state;
    descriptor(24, 0, 24 * 50, 0x27000);
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = i;
        t.image->v[3][i] = 0u - 8;
    }
    run_ok(&t, "buffer_load_dword v10, v[2:3], s[4:7], 0 idxen offen offset:12");
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(t.image->v[10][i], i < 50 ? word(24 * i + 4) : 0);
    scratch_descriptor();
    run_ok(&t, "buffer_load_dword v10, v3, s[4:7], 0 offen offset:12");
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(t.image->v[10][i], word(256 + 4 * i));
}

static void structured_linear(void **state)
{
    (void)state;
    descriptor(24, 0, 24 * 50, 0x27000);
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = 63 - i; /* index */
        t.image->v[3][i] = 8;      /* offset */
    }
    run_ok(&t, "buffer_load_dwordx2 v[10:11], v[2:3], s[4:7], 0 idxen offen offset:4");
    for (unsigned i = 0; i < 64; i++) {
        unsigned at = 12 + 24 * (63 - i); /* last dword at + 4 ends at 24 * index + 20 <= 1200: index <= 49 */
        assert_int_equal(t.image->v[10][i], 63 - i <= 49 ? word(at) : 0);
        assert_int_equal(t.image->v[11][i], 63 - i <= 49 ? word(at + 4) : 0);
    }
}

static void structured_swizzled(void **state)
{
    (void)state;
    descriptor(32, SWIZZLE, 150, 0x27000 | INDEX_STRIDE_16);
    t.image->s[SOFFSET] = 1024;
    for (unsigned i = 0; i < 64; i++)
        t.image->v[2][i] = 3 * i;
    run_ok(&t, "buffer_load_dword v10, v2, s[4:7], s8 idxen offset:20");
    /* index 3 * 7 = 21: group 1, place 5: 1024 + (1 * 32 + 20) * 16 + 5 * 4 = 1876 */
    assert_int_equal(t.image->v[10][7], word(1876));
    for (unsigned i = 0; i < 64; i++) {
        unsigned index = 3 * i, at = 1024 + (index / 16 * 32 + 20) * 16 + index % 16 * 4;
        assert_int_equal(t.image->v[10][i], index < 150 ? word(at) : 0);
    }
    /* An offset at the stride is outside, also for small indices. */
    run_ok(&t, "buffer_load_dword v10, v2, s[4:7], s8 idxen offset:32");
    assert_int_equal(t.image->v[10][0], 0);
    /* x2 at offset 28: the first dword is inside. */
    run_ok(&t, "buffer_load_dwordx2 v[10:11], v2, s[4:7], s8 idxen offset:28");
    assert_int_equal(t.image->v[10][0], word(1024 + 28 * 16));
    assert_int_equal(t.image->v[11][0], 0);
}

static void private_segment_through_mubuf(void **state)
{
    (void)state;
    scratch_descriptor();
    t.image->s[SOFFSET] = 640; /* stack pointer in bytes of the wavefront: 10 per lane */
    for (unsigned i = 0; i < 64; i++)
        t.image->v[9][i] = 100 + i;
    set_exec(&t, ~1ull);
    run_ok(&t, "buffer_store_dword v9, off, s[4:7], s8 offset:12");
    /* offset 12: row 3 behind the stack pointer: 640 + 768 = 1408 */
    assert_int_equal(host32(&t, 1408), word(1408));
    for (unsigned i = 1; i < 64; i++)
        assert_int_equal(host32(&t, 1408 + 4 * i), 100 + i);
    set_exec(&t, ~0ull);
    run_ok(&t, "buffer_load_dword v10, off, s[4:7], s8 offset:12");
    assert_int_equal(t.image->v[10][0], word(1408));
    assert_int_equal(t.image->v[10][63], 163);
    run_ok(&t, "buffer_load_dwordx3 v[10:12], off, s[4:7], s8 offset:8");
    for (unsigned i = 1; i < 64; i++) {
        assert_int_equal(t.image->v[10][i], word(640 + 512 + 4 * i));
        assert_int_equal(t.image->v[11][i], 100 + i);
        assert_int_equal(t.image->v[12][i], word(640 + 1024 + 4 * i));
    }
}

static void private_array_with_lane_dependent_index(void **state)
{
    (void)state;
    scratch_descriptor();
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = 4 * (i % 5);
        t.image->v[10][i] = 0xa000 + i;
        t.image->v[11][i] = 0xb000 + i;
    }
    run_ok(&t, "buffer_store_dwordx2 v[10:11], v2, s[4:7], 0 offen offset:16");
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(host32(&t, (i % 5 + 4) * 256 + i * 4), 0xa000 + i);
        assert_int_equal(host32(&t, (i % 5 + 5) * 256 + i * 4), 0xb000 + i);
    }
    run_ok(&t, "buffer_load_dwordx2 v[2:3], v2, s[4:7], 0 offen offset:16");
    assert_int_equal(t.image->v[2][13], 0xa00d);
    assert_int_equal(t.image->v[3][13], 0xb00d);
}

static void private_bytes(void **state)
{
    (void)state;
    scratch_descriptor();
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = i % 8; /* bytes and halves at any place */
        t.image->v[9][i] = 0xe0 + i % 8;
    }
    run_ok(&t, "buffer_store_byte v9, v2, s[4:7], 0 offen offset:5");
    /* lane 6: offset 11 = dword 2, byte 3 */
    assert_int_equal(t.host[2 * 256 + 6 * 4 + 3], 0xe6);
    run_ok(&t, "buffer_load_ubyte v10, v2, s[4:7], 0 offen offset:5");
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(t.image->v[10][i], 0xe0 + i % 8);
    run_ok(&t, "buffer_store_byte v9, off, s[4:7], 0 offset:21"); /* uniform */
    assert_int_equal(t.host[5 * 256 + 63 * 4 + 1], 0xe7);
    /* A dword at offset 3 takes byte 3 of row 0 and bytes 0..2 of row 1. */
    for (unsigned i = 0; i < 64; i++)
        t.image->v[9][i] = 0x44332211;
    run_ok(&t, "buffer_store_dword v9, off, s[4:7], 0 offset:3");
    assert_int_equal(t.host[8 * 4 + 3], 0x11);
    assert_int_equal(t.host[256 + 8 * 4], 0x22);
    assert_int_equal(t.host[256 + 8 * 4 + 2], 0x44);
    run_ok(&t, "buffer_load_dword v11, off, s[4:7], 0 offset:3");
    assert_int_equal(t.image->v[11][8], 0x44332211);
    put_host32(&t, 4, 0x8001ffff);
    run_ok(&t, "buffer_load_sshort v11, off, s[4:7], 0 offset:2");
    assert_int_equal(t.image->v[11][1], 0xffff8001);
}

/* gfx942: offsets in bytes of the lane; SGPR, VGPR, both, neither. */
static void scratch_instructions(void **state)
{
    (void)state;
    set_s64(&t, 102, GPU_BASE + 4096);
    t.image->s[33] = 32;
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = 4 * (i % 3);
        t.image->v[9][i] = 100 + i;
    }
    run_ok(&t, "scratch_store_dword off, v9, s33 offset:-8"); /* 24: row 6 */
    assert_int_equal(host32(&t, 4096 + 6 * 256 + 4 * 63), 163);
    run_ok(&t, "scratch_store_dword v2, v9, s33"); /* rows 8..10 */
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(host32(&t, 4096 + (8 + i % 3) * 256 + 4 * i), 100 + i);
    run_ok(&t, "scratch_load_dwordx2 v[10:11], v2, off offset:32");
    assert_int_equal(t.image->v[10][17], 117);
    run_ok(&t, "scratch_load_dword v10, off, off offset:24");
    assert_int_equal(t.image->v[10][5], 105);
    run_ok(&t, "scratch_load_dwordx4 v[10:13], off, off offset:16");
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(t.image->v[10][i], word(4096 + 4 * 256 + 4 * i));
        assert_int_equal(t.image->v[12][i], 100 + i);
        assert_int_equal(t.image->v[13][i], word(4096 + 7 * 256 + 4 * i));
    }
    set_s64(&t, 102, GPU_BASE + BENCH_BYTES);
    set_exec(&t, 1ull << 40);
    assert_int_equal(run(&t, "scratch_load_dword v10, off, off offset:24"), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_PAGE);
    assert_int_equal(t.fault.lane, 40);
    assert_true(t.fault.va == GPU_BASE + BENCH_BYTES + 6 * 256 + 160);
}

static void buffer_atomic_respects_bounds(void **state)
{
    (void)state;
    descriptor(0, 0, 128, 0x27000);
    for (unsigned i = 0; i < 64; i++) {
        t.image->v[2][i] = 4 * i;
        t.image->v[9][i] = 5;
    }
    run_ok(&t, "buffer_atomic_add v9, v2, s[4:7], 0 offen glc");
    assert_int_equal(t.image->v[9][31], word(124));
    assert_int_equal(host32(&t, 124), word(124) + 5);
    assert_int_equal(t.image->v[9][32], 0);
    assert_int_equal(host32(&t, 128), word(128));
}

static void buffer_to_and_from_lds(void **state)
{
    (void)state;
    descriptor(0, 0, 200, 0x27000);
    t.image->s[124] = 1000;
    for (unsigned i = 0; i < 64; i++)
        t.image->v[2][i] = 4 * i;
    memset(t.lds, 0xee, LDS_BYTES);
    run_ok(&t, "buffer_load_dword v2, s[4:7], 0 offen offset:8 lds");
    /* lane 10: memory 48, LDS 1000 + 8 + 40; lane 48 is outside: 4 * 48 + 8 = 200 */
    assert_int_equal(lds32(&t, 1048), word(48));
    assert_int_equal(lds32(&t, 1000 + 8 + 4 * 47), word(196));
    assert_int_equal(lds32(&t, 1000 + 8 + 4 * 48), 0);
    assert_int_equal(lds32(&t, 1004), 0xeeeeeeee);
    for (unsigned i = 0; i < 64; i++)
        put_lds32(&t, 1024 + 4 * i, 70 + i);
    t.image->s[124] = 1024;
    descriptor(4, SWIZZLE * 0, 4096, 0x27000 | ADD_TID);
    run_ok(&t, "buffer_store_lds_dword s[4:7], 0 lds");
    /* DATA_FORMAT 4 of 0x27000 becomes stride bits 17:14 with ADD_TID, so lane 1 is far outside. */
    assert_int_equal(host32(&t, 0), 70);
    assert_int_equal(host32(&t, 4), word(4));
}

/* Memory is coherent already. */
static void cache_control_does_nothing(void **state)
{
    (void)state;
    run_ok(&t, "buffer_wbl2");
    run_ok(&t, "buffer_invl2");
    run_ok(&t, "buffer_wbinvl1");
    run_ok(&t, "buffer_wbinvl1_vol");
    bench_close(&t);
    bench_open(&t, "gfx942");
    run_ok(&t, "buffer_wbl2");
    run_ok(&t, "buffer_inv");
}

/* Without offen all lanes read one place. */
static void buffer_without_an_offset(void **state)
{
    (void)state;
    descriptor(0, 0, 256, 0x27000);
    t.image->s[SOFFSET] = 64;
    run_ok(&t, "buffer_load_dwordx2 v[10:11], off, s[4:7], s8 offset:16");
    assert_int_equal(t.image->v[10][33], word(80));
    assert_int_equal(t.image->v[11][33], word(84));
    run_ok(&t, "buffer_load_dwordx2 v[10:11], off, s[4:7], s8 offset:192");
    assert_int_equal(t.image->v[10][33], 0);
}

/* In range and out of it (which reads 0), the half that a D16 load does not fill becomes 0. */
static void buffer_d16_clears_the_other_half(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        uint32_t inside;
    } cases[] = {{"short_d16", 0x9281}, {"short_d16_hi", 0x92810000}, {"format_d16_hi_x", 0x92810000}};
    enum { UINT = 4, F_16 = 2 };
    descriptor(0, 0, 64, 4 | UINT << 12 | F_16 << 15);
    put_host32(&t, 0, 0x77779281);
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (unsigned lane = 0; lane < 64; lane++) {
            t.image->v[2][lane] = lane % 2 ? 64 : 0;
            t.image->v[9][lane] = 0x12345678;
        }
        run_ok(&t, "buffer_load_%s v9, v2, s[4:7], 0 offen", cases[c].op);
        assert_int_equal(t.image->v[9][4], cases[c].inside);
        assert_int_equal(t.image->v[9][5], 0);
    }
}

enum { F_2_10_10_10 = 9, F_8_8_8_8 = 10, UNORM = 0, UINT = 4 };
static const uint32_t xyzw = 4 | 5 << 3 | 6 << 6 | 7 << 9, bgr1 = 6 | 5 << 3 | 4 << 6 | 1 << 9;

static void formats_of_bytes(void **state)
{
    (void)state;
    descriptor(0, 0, 64, xyzw);
    put_host32(&t, 0, 0x8033ff00); /* bytes 0, 255, 51, 128 */
    run_ok(&t, "tbuffer_load_format_xyzw v[10:13], off, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8]");
    assert_true(sg_f32(t.image->v[10][5]) == 0.0f && sg_f32(t.image->v[11][5]) == 1.0f);
    assert_true(sg_f32(t.image->v[12][5]) == 0.2f && sg_f32(t.image->v[13][5]) == 128.0f / 255.0f);
    run_ok(&t, "tbuffer_load_format_xyzw v[10:13], off, s[4:7], 0 "
               "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_SINT]");
    assert_int_equal(t.image->v[11][5], UINT32_MAX);
    assert_int_equal(t.image->v[13][5], (uint32_t)-128);
    run_ok(&t, "tbuffer_load_format_xyzw v[10:13], off, s[4:7], 0 "
               "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_SNORM]");
    assert_true(sg_f32(t.image->v[13][5]) == -1.0f && sg_f32(t.image->v[12][5]) == 51.0f / 127.0f);

    t.image->s[V_SHARP + 3] = bgr1 | UINT << 12 | F_8_8_8_8 << 15;
    run_ok(&t, "buffer_load_format_xyzw v[10:13], off, s[4:7], 0");
    assert_int_equal(t.image->v[10][0], 51);
    assert_int_equal(t.image->v[12][0], 0);
    assert_int_equal(t.image->v[13][0], 1);
    /* The typed form does not look at the selects. */
    run_ok(&t, "tbuffer_load_format_xyzw v[10:13], off, s[4:7], 0 "
               "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UINT]");
    assert_int_equal(t.image->v[10][0], 0);
    assert_int_equal(t.image->v[13][0], 128);
    /* A store through a V# that permutes components is refused, not guessed. */
    assert_int_equal(run(&t, "buffer_store_format_xyzw v[10:13], off, s[4:7], 0"), -1);
    assert_int_equal(t.fault.kind, SG_FAULT_UNIMPLEMENTED);
}

static void formats_of_floats(void **state)
{
    (void)state;
    descriptor(0, 0, 64, xyzw);
    put_host32(&t, 0, 0xc0003c00); /* f16: x 1.0, y -2.0 */
    run_ok(&t, "tbuffer_load_format_xyzw v[10:13], off, s[4:7], 0 "
               "format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT]");
    assert_true(sg_f32(t.image->v[10][0]) == 1.0f && sg_f32(t.image->v[11][0]) == -2.0f);
    assert_true(sg_f32(t.image->v[12][0]) == 0.0f && sg_f32(t.image->v[13][0]) == 0.0f); /* missing: 0 */
    run_ok(
        &t,
        "tbuffer_load_format_d16_xy v10, off, s[4:7], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT]");
    assert_int_equal(t.image->v[10][0], 0xc0003c00);
    /* An odd number of components leaves half a register: 0. */
    run_ok(
        &t,
        "tbuffer_load_format_d16_x v10, off, s[4:7], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT]");
    assert_int_equal(t.image->v[10][0], 0x3c00);
    t.image->v[11][0] = UINT32_MAX;
    run_ok(&t, "tbuffer_load_format_d16_xyz v[10:11], off, s[4:7], 0 "
               "format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT]");
    assert_int_equal(t.image->v[11][0], 0);

    /* x = 11 bits 0x3c0: exponent 15, mantissa 0: 1.0; y = 0x400: exponent 16: 2.0; z (10 bits) = 0x1c0: 0.5 */
    put_host32(&t, 0, 0x1c0u << 22 | 0x400u << 11 | 0x3c0u);
    run_ok(&t, "tbuffer_load_format_xyzw v[10:13], off, s[4:7], 0 "
               "format:[BUF_DATA_FORMAT_10_11_11,BUF_NUM_FORMAT_FLOAT]");
    assert_true(sg_f32(t.image->v[10][0]) == 1.0f && sg_f32(t.image->v[11][0]) == 2.0f &&
                sg_f32(t.image->v[12][0]) == 0.5f);
}

/* Through MUBUF the V# has the format. */
static void formats_of_descriptors(void **state)
{
    (void)state;
    descriptor(0, 0, 64, xyzw);
    t.image->s[V_SHARP + 3] = xyzw | UINT << 12 | F_2_10_10_10 << 15;
    put_host32(&t, 0, 3u << 30 | 0x3ffu << 20 | 2u << 10 | 1u);
    run_ok(&t, "buffer_load_format_xyzw v[10:13], off, s[4:7], 0");
    assert_int_equal(t.image->v[10][0], 1);
    assert_int_equal(t.image->v[11][0], 2);
    assert_int_equal(t.image->v[12][0], 0x3ff);
    assert_int_equal(t.image->v[13][0], 3);

    t.image->s[V_SHARP + 3] = xyzw | UNORM << 12 | F_8_8_8_8 << 15;
    const float in[4] = {0.5f, 2.0f, -1.0f, 1.0f / 255};
    for (unsigned k = 0; k < 4; k++)
        memcpy(&t.image->v[10 + k][7], &in[k], 4);
    set_exec(&t, 1 << 7);
    run_ok(&t, "buffer_store_format_xyzw v[10:13], off, s[4:7], 0");
    assert_int_equal(host32(&t, 0), 0x0100ff80); /* 127.5 rounds to the even 128 */

    descriptor(0, 0, 15, xyzw); /* an element that is not wholly inside */
    run_ok(&t, "tbuffer_load_format_x v10, off, s[4:7], 0 "
               "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UINT] offset:12");
    assert_int_equal(t.image->v[10][7], 0);
    assert_int_equal(run(&t, "tbuffer_load_format_x v10, off, s[4:7], 0 "
                             "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_RESERVED_6]"),
                     -1);
    assert_int_equal(t.fault.kind, SG_FAULT_UNIMPLEMENTED);
}

int main(void)
{
#define T(f) ON("gfx90a", open_numbered, f)
    const struct CMUnitTest tests[] = {
        T(raw_buffer_with_bounds),
        T(raw_buffer_over_its_address),
        T(bounds_hold_for_each_dword),
        T(soffset_beyond_the_buffer),
        T(raw_offsets_wrap_around),
        T(other_offsets_wrap_around),
        T(structured_linear),
        T(structured_swizzled),
        T(private_segment_through_mubuf),
        T(private_array_with_lane_dependent_index),
        T(private_bytes),
        ON("gfx942", open_numbered, scratch_instructions),
        T(buffer_atomic_respects_bounds),
        T(buffer_to_and_from_lds),
        T(cache_control_does_nothing),
        T(buffer_without_an_offset),
        T(buffer_d16_clears_the_other_half),
        T(formats_of_bytes),
        T(formats_of_floats),
        T(formats_of_descriptors),
    };
    return cmocka_run_group_tests_name("mem_private", tests, NULL, NULL);
}
