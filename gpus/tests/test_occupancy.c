/*
 * Work-groups per compute unit, by hand. gfx90a: 4 SIMDs, 8 wavefronts each, 512 VGPRs in granules of 8, 64
 * KiB of LDS; gfx906: 10 wavefronts, 256 VGPRs in granules of 4; gfx1030: 2 SIMDs, 16 wavefronts, 1024 VGPRs
 * of 32 lanes.
 */
#include "tests/check.h"
#include "gpus/occupancy.h"

/* As compilers do for gfx10 and later, in WGP mode. */
static struct ls_kernel_registers registers(uint32_t vgpr_blocks, uint32_t sgpr_blocks, bool wave32)
{
    unsigned char descriptor[LS_DESCRIPTOR_BYTES] = {0};
    uint32_t rsrc1 = vgpr_blocks | sgpr_blocks << 6 | 0xfffffc00u;
    uint16_t properties = (uint16_t)(wave32 ? 0x400 : 0x3ff);
    memcpy(descriptor + 48, &rsrc1, sizeof rsrc1);
    memcpy(descriptor + 56, &properties, sizeof properties);
    return ls_registers_of(descriptor);
}

static uint32_t groups(const char *arch, uint32_t waves_per_cu, struct ls_kernel_registers r, uint32_t waves,
                       uint32_t lds)
{
    return (uint32_t)ls_occupancy(arch, 2, waves_per_cu, &r, waves, lds) / 2;
}

static void cdna(void **state)
{
    (void)state;
    /* block 7: 64 VGPRs, 8 wavefronts a SIMD, 32 a unit: 8 groups of 4 */
    assert_int_equal(groups("gfx90a", 32, registers(7, 0, false), 4, 0), 8);
    /* block 8: 72 VGPRs, 512 / 72 = 7 wavefronts, 28 a unit */
    assert_int_equal(groups("gfx90a", 32, registers(8, 0, false), 4, 0), 7);
    /* block 63: all 512, one wavefront a SIMD */
    assert_int_equal(groups("gfx942", 32, registers(63, 0, false), 1, 0), 4);
    assert_int_equal(groups("gfx942", 32, registers(63, 0, false), 3, 0), 1);
    /* one VGPR granule: as many as the unit holds; one wavefront needs no barrier, two do */
    assert_int_equal(groups("gfx90a", 32, registers(0, 0, false), 1, 0), 32);
    assert_int_equal(groups("gfx90a", 32, registers(0, 0, false), 2, 0), 16);
    assert_int_equal(groups("gfx906", 40, registers(0, 0, false), 2, 0), 16);
    /* gfx906: block 9 is 40 VGPRs, 6 wavefronts; 112 SGPRs (blocks 12): 7 */
    assert_int_equal(groups("gfx906", 40, registers(9, 0, false), 1, 0), 24);
    assert_int_equal(groups("gfx906", 40, registers(0, 12, false), 1, 0), 28);
}

static void lds(void **state)
{
    (void)state;
    assert_int_equal(groups("gfx90a", 32, registers(0, 0, false), 4, 32 * 1024), 2);
    assert_int_equal(groups("gfx90a", 32, registers(0, 0, false), 4, 32 * 1024 + 1), 1);
    assert_int_equal(groups("gfx90a", 32, registers(0, 0, false), 4, 64 * 1024), 1);
    assert_int_equal(groups("gfx950", 32, registers(0, 0, false), 4, 32 * 1024),
                     4); /* 33280 of 163840 bytes */
    assert_int_equal(groups("gfx950", 32, registers(0, 0, false), 4, 80 * 1024), 2);
}

static void rdna(void **state)
{
    (void)state;
    /* wave32, block 7: 64 VGPRs of 1024, 16 wavefronts a SIMD */
    assert_int_equal(groups("gfx1030", 32, registers(7, 0, true), 1, 0), 32);
    /* block 8: 72, given out as 80: 12 wavefronts */
    assert_int_equal(groups("gfx1030", 32, registers(8, 0, true), 1, 0), 24);
    /* wave64, block 15: 64 of 512: 8 wavefronts */
    assert_int_equal(groups("gfx1030", 32, registers(15, 0, false), 1, 0), 16);
    /* gfx1100 has 1536, in granules of 24: block 11 is 96, 16 wavefronts a SIMD; block 12 is 104, given out as 120: 12 */
    assert_int_equal(groups("gfx1100", 32, registers(11, 0, true), 1, 0), 32);
    assert_int_equal(groups("gfx1100", 32, registers(12, 0, true), 1, 0), 24);
    assert_int_equal(groups("gfx1201", 32, registers(12, 0, true), 1, 0), 24);
    /* gfx1102 has 1024, in granules of 16: 112 for 104, 9 wavefronts */
    assert_int_equal(groups("gfx1102", 32, registers(12, 0, true), 1, 0), 18);
}

/* Two units of 2 SIMDs and 64 KiB each, or one place of 4 SIMDs and 128 KiB. */
static void wgp_mode(void **state)
{
    (void)state;
    struct ls_kernel_registers r = registers(15, 0, true); /* 128 VGPRs: 8 wavefronts a SIMD */
    assert_true(r.wgp_mode);
    /* 32 wavefronts: none has room on one unit, one has on two; 12 wavefronts: two of the 32 */
    assert_int_equal(ls_occupancy("gfx1030", 72, 32, &r, 32, 0), 36);
    assert_int_equal(ls_occupancy("gfx1030", 2, 32, &r, 12, 0), 2);
    /* 40 KiB: 128 / 40; in CU mode one for each unit */
    assert_int_equal(ls_occupancy("gfx1030", 2, 32, &r, 1, 40 * 1024), 3);
    /* barriers: 16 for each unit */
    r = registers(0, 0, true);
    assert_int_equal(ls_occupancy("gfx1030", 2, 32, &r, 2, 0), 32);
    r = registers(15, 0, true);
    r.wgp_mode = false;
    assert_int_equal(ls_occupancy("gfx1030", 2, 32, &r, 12, 0), 2); /* 16 wavefronts of a unit: one each */
    assert_int_equal(ls_occupancy("gfx1030", 2, 32, &r, 1, 40 * 1024), 2);
    assert_int_equal(ls_occupancy("gfx1030", 2, 32, &r, 5, 0),
                     6); /* 3 of the 16, twice; in WGP mode 32 / 5 */
    r.wgp_mode = true;
    assert_int_equal(ls_occupancy("gfx1030", 2, 32, &r, 5, 0), 6);
    /* there is no such mode before gfx10 */
    assert_int_equal(ls_occupancy("gfx90a", 1, 32, &r, 1, 64 * 1024), 1);
}

static void unknown(void **state)
{
    (void)state;
    assert_int_equal(groups("gfx1500", 32, registers(0, 0, true), 1, 0), 1);
    assert_int_equal(groups("gfx90a", 32, (struct ls_kernel_registers){0}, 1, 0), 1);
    assert_int_equal(groups("gfx90a", 32, registers(63, 0, false), 16, 0),
                     1); /* it was launched, so it fits */
}

/* Each field at its place in AMDGPUUsage's table "Kernel Descriptor": the bytes are their own offsets. */
static void descriptor(void **state)
{
    (void)state;
    unsigned char bytes[LS_DESCRIPTOR_BYTES];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    const struct ls_descriptor d = ls_descriptor_of(bytes);
    assert_int_equal(d.entry, 0x1716151413121110);
    assert_int_equal(d.rsrc3, 0x2f2e2d2c);
    assert_int_equal(d.rsrc1, 0x33323130);
    assert_int_equal(d.rsrc2, 0x37363534);
    assert_int_equal(d.properties, 0x3938);
    assert_int_equal(d.preload_dwords, 0x3a);       /* bits 6:0 of 0x3b3a */
    assert_int_equal(d.preload_first, 0x3b3a >> 7); /* bits 15:7 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(descriptor), cmocka_unit_test(cdna),
                                       cmocka_unit_test(lds),        cmocka_unit_test(rdna),
                                       cmocka_unit_test(wgp_mode),   cmocka_unit_test(unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
