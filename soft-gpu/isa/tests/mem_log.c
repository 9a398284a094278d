/*
 * Tests of the access log that memory instructions write: one record per access, with exactly the addresses
 * that the hardware instruction touches.
 */
#include "mem_one.h"
#include <stdio.h>
#include <unistd.h>
#include "soft-gpu/isa/log/log_reader.h"
#include "soft-gpu/isa/decode/decode.h"
#include "soft-gpu/isa/wave/wave.h"

static struct sg_log_access record[8];
static uint64_t addr[8][SG_MAX_LANES];

/* What the next run is to use and to give. */
static uint32_t scratch_lane_bytes;
static enum sg_stop expected_stop = SG_STOP_END;
static struct sg_fault fault;

/* Runs one instruction with logging; fills record[] and addr[] and returns their number. */
static unsigned logged(const char *text)
{
    char path[] = "/tmp/sg-mem-log-XXXXXX";
    const char *why;
    close(mkstemp(path));
    struct sg_log_file *file = sg_log_create(path, t.arch);
    assert_non_null(file);
    char program[128];
    snprintf(program, sizeof program, "%s\ns_endpgm", text);
    const struct code *machine = assemble(t.arch->name, program);
    struct sg_code_source source = {.words = machine->words, .dwords = machine->n};
    struct sg_code *code = sg_code_create(gcn_target_of(t.arch), &source, 0, SG_OBSERVE_LOG);
    struct sg_workgroup wg = {.lds = t.lds, .lds_bytes = LDS_BYTES - 64, .n_waves = 1, .log_id = 7};
    struct sg_dispatch dispatch = {.shared_aperture = 1ull << 48, .private_aperture = 2ull << 48};
    struct sg_tlb tlb = {0};
    struct sg_wave *w = aligned_alloc(64, (sizeof *w + 63) / 64 * 64);
    memset(w, 0, sizeof *w);
    sg_tlb_init(&tlb, t.mem);
    assert_true(sg_wave_alloc(w));
    w->arch = t.arch;
    w->tlb = &tlb;
    w->wg = &wg;
    w->dispatch = &dispatch;
    w->log = sg_log_sink(file);
    w->wave_in_group = 3;
    w->scratch_lane_bytes = scratch_lane_bytes;
    memcpy(w->v, t.image->v, sizeof t.image->v);
    memcpy(w->s, t.image->s, sizeof t.image->s);
    assert_true(sg_wave_start(w, code, sg_code_find(code, 0)));
    assert_int_equal(sg_wave_run(w, 100), expected_stop);
    fault = w->fault;
    sg_log_sink_close(w->log);
    sg_log_close(file);
    sg_wave_free(w);
    free(w);
    sg_code_release(code);

    unsigned n = 0;
    union sg_log_any any;
    struct sg_log_reader *r = sg_log_open(path, &why);
    assert_non_null(r);
    while (n < 8 && sg_log_next(r, &any, addr[n]) == 1)
        if (any.record.type == SG_LOG_ACCESS)
            record[n++] = any.access;
    sg_log_reader_close(r);
    unlink(path);
    return n;
}

static void expect(unsigned n, enum sg_access_kind kind, enum sg_access_space space, unsigned bytes,
                   unsigned part, uint64_t exec)
{
    assert_int_equal(record[n].kind, kind);
    assert_int_equal(record[n].space, space);
    assert_int_equal(record[n].access_bytes, bytes);
    assert_int_equal(record[n].part, part);
    assert_true(record[n].exec == exec);
    assert_true(record[n].workgroup == 7);
    assert_int_equal(record[n].wave, 3);
}

static void global_load_over_its_address(void **state)
{
    (void)state;
    set_exec(&t, 0xf0);
    for (unsigned i = 0; i < 64; i++)
        set_v64(&t, 2, i, GPU_BASE + 100 * i);
    assert_int_equal(logged("global_load_dwordx3 v[2:4], v[2:3], off offset:-4"), 1);
    expect(0, SG_ACCESS_LOAD, SG_SPACE_GLOBAL, 12, 0, 0xf0);
    for (unsigned i = 4; i < 8; i++)
        assert_true(addr[0][i] == GPU_BASE + 100 * i - 4);
    set_exec(&t, 0);
    assert_int_equal(logged("global_load_dwordx3 v[2:4], v[2:3], off offset:-4"), 0);
}

static void pair_has_two_parts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        t.image->v[2][i] = 4 * i;
    assert_int_equal(logged("ds_read2st64_b32 v[2:3], v2 offset0:1 offset1:31"), 2);
    expect(0, SG_ACCESS_LOAD, SG_SPACE_LDS, 4, 0, ~0ull);
    /* The second: 31 * 256 + 4 * i + 4 <= 8192 - 64, so i <= 47. */
    expect(1, SG_ACCESS_LOAD, SG_SPACE_LDS, 4, 1, 0xffffffffffffull);
    assert_true(addr[0][5] == 256 + 20);
    assert_true(addr[1][5] == 31 * 256 + 20);
}

static void atomic_and_flat_by_space(void **state)
{
    (void)state;
    set_s64(&t, 102, GPU_BASE + 8192);
    set_v64(&t, 2, 0, (1ull << 48) + 40);
    set_v64(&t, 2, 1, GPU_BASE + 100);
    set_v64(&t, 2, 2, (2ull << 48) + 12);
    set_exec(&t, 7);
    assert_int_equal(logged("flat_atomic_add v[2:3], v9"), 3);
    expect(0, SG_ACCESS_ATOMIC, SG_SPACE_GLOBAL, 4, 0, 2);
    expect(1, SG_ACCESS_ATOMIC, SG_SPACE_LDS, 4, 0, 1);
    expect(2, SG_ACCESS_ATOMIC, SG_SPACE_SCRATCH, 4, 0, 4);
    assert_true(addr[0][1] == GPU_BASE + 100);
    assert_true(addr[1][0] == 40);
    assert_true(addr[2][2] == GPU_BASE + 8192 + 3 * 256 + 2 * 4);
}

static void buffer_leaves_out_lanes_beyond_its_end(void **state)
{
    (void)state;
    t.image->s[4] = (uint32_t)GPU_BASE;
    t.image->s[5] = (uint32_t)(GPU_BASE >> 32);
    t.image->s[6] = 64;
    t.image->s[7] = 0x27000;
    for (unsigned i = 0; i < 64; i++)
        t.image->v[2][i] = 8 * i;
    assert_int_equal(logged("buffer_store_dwordx2 v[10:11], v2, s[4:7], 0 offen"), 1);
    expect(0, SG_ACCESS_STORE, SG_SPACE_GLOBAL, 8, 0, 0xff);
    assert_true(addr[0][7] == GPU_BASE + 56);
    /* To LDS: the load, and the store of all lanes. */
    t.image->s[124] = 512;
    assert_int_equal(logged("buffer_load_dword v2, s[4:7], 0 offen offset:4 lds"), 2);
    expect(0, SG_ACCESS_LOAD, SG_SPACE_GLOBAL, 4, 0, 0xff);
    expect(1, SG_ACCESS_STORE, SG_SPACE_LDS, 4, 1, ~0ull);
    assert_true(addr[0][2] == GPU_BASE + 20);
    assert_true(addr[1][2] == 512 + 4 + 8);
    /* Formatted: the V# tells the size. 0x27000 is 32 bits, float. */
    assert_int_equal(logged("buffer_load_format_x v9, v2, s[4:7], 0 offen"), 1);
    expect(0, SG_ACCESS_LOAD, SG_SPACE_GLOBAL, 4, 0, 0xff);
}

static void scratch_is_private(void **state)
{
    (void)state;
    set_s64(&t, 102, GPU_BASE);
    t.image->s[33] = 8;
    assert_int_equal(logged("scratch_store_dword off, v9, s33 offset:4"), 1);
    expect(0, SG_ACCESS_STORE, SG_SPACE_SCRATCH, 4, 0, ~0ull);
    assert_true(addr[0][9] == GPU_BASE + 3 * 256 + 9 * 4);
}

/* 32 bytes per lane: the access at 32 of lane 5 is outside, and neither logged nor done. */
static void private_memory_has_a_bound(void **state)
{
    (void)state;
    scratch_lane_bytes = 32;
    set_s64(&t, 102, GPU_BASE);
    set_exec(&t, 0xff);
    for (unsigned i = 0; i < 64; i++)
        t.image->v[2][i] = i == 5 ? 16 : 12;
    assert_int_equal(logged("scratch_store_dword v2, v9, off offset:12"), 1);
    expected_stop = SG_STOP_FAULT;
    assert_int_equal(logged("scratch_store_dword v2, v9, off offset:16"), 1);
    expect(0, SG_ACCESS_STORE, SG_SPACE_SCRATCH, 4, 0, 0xdf);
    assert_int_equal(fault.kind, SG_FAULT_APERTURE);
    assert_int_equal(fault.lane, 5);
    assert_true(fault.va == (2ull << 48) + 32);
    assert_int_equal(logged("scratch_store_dwordx2 off, v[10:11], off offset:28"), 0);
    assert_int_equal(fault.lane, 0);
    scratch_lane_bytes = 0;
    expected_stop = SG_STOP_END;
}

static void lane_exchange_is_no_access(void **state)
{
    (void)state;
    assert_int_equal(logged("ds_bpermute_b32 v9, v2, v3"), 0);
    assert_int_equal(logged("ds_swizzle_b32 v9, v2 offset:0x41f"), 0);
    t.image->s[124] = 16;
    set_exec(&t, 0xc0);
    assert_int_equal(logged("ds_append v9 offset:4"), 1); /* once for the wavefront */
    expect(0, SG_ACCESS_ATOMIC, SG_SPACE_LDS, 4, 0, 0x40);
    assert_true(addr[0][6] == 20);
}

int main(void)
{
#define T(f) ON("gfx90a", bench_setup, f)
    const struct CMUnitTest tests[] = {
        T(global_load_over_its_address),
        T(pair_has_two_parts),
        T(atomic_and_flat_by_space),
        T(buffer_leaves_out_lanes_beyond_its_end),
        ON("gfx942", bench_setup, scratch_is_private),
        ON("gfx942", bench_setup, private_memory_has_a_bound),
        T(lane_exchange_is_no_access),
    };
    return cmocka_run_group_tests_name("mem_log", tests, NULL, NULL);
}
