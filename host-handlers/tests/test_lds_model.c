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

static uint32_t any(void)
{
    static uint64_t x = 88172645463325252; /* Marsaglia's xorshift */
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (uint32_t)(x >> 32);
}

/* Whether the dword is one of the lane's. */
static bool has_dword(uint32_t addr, unsigned bytes, uint32_t dword)
{
    return (uint32_t)(dword * 4 - addr / 4 * 4) < addr % 4 + bytes;
}

/* Cycles by the definition: for each group and bank the dwords that a lane touches and no lane before it does. */
static struct ls_lds_cost counted(const struct ls_lds_phases *p, bool is_atomic, unsigned bytes,
                                  uint64_t exec, const uint32_t addr[64])
{
    struct ls_lds_cost c = {0};
    for (unsigned g = 0; g < p->n; g++) {
        unsigned bank[64] = {0}, busiest = 1, crowd = 1;
        for (unsigned lane = 0; lane < 64; lane++)
            for (unsigned k = 0; (exec & p->groups[g]) >> lane & 1 && 4 * k < addr[lane] % 4 + bytes; k++) {
                const uint32_t dword = (addr[lane] / 4 + k) % (1u << 30);
                unsigned lower = 0, all = 0;
                for (unsigned other = 0; other < 64; other++) {
                    const bool too =
                        (exec & p->groups[g]) >> other & 1 && has_dword(addr[other], bytes, dword);
                    all += too;
                    lower += too && other < lane;
                }
                bank[dword % p->banks] += !lower;
                crowd = all > crowd ? all : crowd;
            }
        for (unsigned b = 0; b < 64; b++)
            busiest = bank[b] > busiest ? bank[b] : busiest;
        c.index_cycles += busiest;
        c.conflict_cycles += busiest - 1;
        c.address_conflict += is_atomic ? crowd - 1 : 0;
    }
    return c;
}

/* All lanes at once, one lane after the other, and by the definition: the same. */
static void by_dwords(void **state)
{
    static const char *const arch[] = {"gfx90a", "gfx950", "gfx1030"};
    static const unsigned width[] = {4, 4, 4, 1, 2, 8, 12, 16}, range[] = {4, 64, 300, 2048, 65536, ~0u};
    (void)state;
    for (unsigned i = 0; i < 1500; i++) {
        const struct ls_gpu *gpu = ls_gpu_with_lds(arch[any() % 3]);
        const unsigned bytes = width[any() % 8], size = range[any() % 6], how = any() % 4, step = any() % 40;
        const bool is_write = any() % 2, is_atomic = bytes == 4 && any() % 2;
        const struct ls_lds_phases *p = ls_lds_phases(gpu, is_write, bytes);
        const uint32_t from = any() % 3 ? 0 : any();
        uint64_t exec = any() % 2 ? ~0ull : (uint64_t)any() << 32 | any();
        uint32_t addr[64];
        exec = ls_gpu_wave(gpu) == 32 ? exec & 0xffffffff : exec;
        for (uint32_t lane = 0; lane < 64; lane++)
            addr[lane] = how == 0   ? from + any() % size
                         : how == 1 ? from / 4 * 4 + lane * step * 4
                                    : any() % size / 4 * 4;
        const struct ls_lds_cost c = counted(p, is_atomic, bytes, exec, addr);
        for (unsigned way = 0; way < 2; way++) {
            const struct ls_lds_cost got =
                way ? ls_lds_access_by_lane(gpu, is_write, is_atomic, bytes, exec, addr)
                    : ls_lds_access(gpu, is_write, is_atomic, bytes, exec, addr);
            assert_int_equal(got.index_cycles, c.index_cycles);
            assert_int_equal(got.conflict_cycles, c.conflict_cycles);
            assert_int_equal(got.address_conflict, c.address_conflict);
            assert_int_equal(got.assumed_cycles, p->measured ? 0 : c.index_cycles + c.address_conflict);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mi300x_read_strides),   cmocka_unit_test(mi250_one_bank),
        cmocka_unit_test(phase_groups),          cmocka_unit_test(transpose_tile),
        cmocka_unit_test(broadcast_and_atomics), cmocka_unit_test(unknown_architecture),
        cmocka_unit_test(around_the_end),        cmocka_unit_test(by_dwords),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
