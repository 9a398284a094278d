/*
 * cards.h - the cards that the software GPU shows, for table.c alone. Sources stand in gpus.h, struct ls_gpu_card.
 */
#ifndef GPUS_CARDS_H
#define GPUS_CARDS_H

#include "gpus.h"

enum { KIB = 1024 };

#define GIB (1024ull * 1024 * 1024)
/* Family of the gfx9 GPUs in libdrm. */
#define FAMILY_AI 141
/* Of those of gfx10, gfx11 and gfx12. */
#define FAMILY_NV 143
#define FAMILY_GC_11_0_0 145
#define FAMILY_GC_11_5_0 150
#define FAMILY_GC_12_0_0 152
/* The driver's setting for GFX9 and GC 9.4.3: 4 pipes, 16 banks, 4 shader engines. On MI200 part of the
 * register comes from the hardware; who takes layouts from here sees no difference. */
#define GB_ADDR_CONFIG 0x2a114042

/* Firmware versions of MI300X and MI350X stay below those (177, 24) from which ROCr expects the command
 * processor to give scratch memory back asynchronously. */
static const struct ls_gpu_card mi210 = {
    .name = "MI210", /* a die of an MI250X has 110 compute units */
    .runtime = "ROCr and HIP 5.2",
    .device_id = 0x740f,
    .revision = 0x02,
    .firmware = 68,
    .driver_family = FAMILY_AI,
    .dies = 1,
    .engines = 8,
    .arrays = 1,
    .array_units = 14,
    .compute_units = 104,
    .memory_bytes = 64 * GIB,
    .l1_kib = 16,
    .l2_kib = 8 * KIB,
    .gb_addr_config = GB_ADDR_CONFIG,
    .blocks = {.gc = {9, 4, 2}, .sdma = {4, 4, 0}, .nbif = {7, 4, 0}},
};
static const struct ls_gpu_card mi300x = {
    .name = "MI300X",
    .runtime = "ROCr 6.1 and HIP 5.7",
    .device_id = 0x74a1,
    .revision = 0x00,
    .firmware = 150,
    .driver_family = FAMILY_AI,
    .dies = 8,
    .engines = 4,
    .arrays = 1,
    .array_units = 10,
    .compute_units = 304,
    .memory_bytes = 192 * GIB,
    .l1_kib = 32,
    .l2_kib = 4 * KIB,
    .gb_addr_config = GB_ADDR_CONFIG,
    .blocks = {.gc = {9, 4, 3}, .sdma = {4, 4, 2}, .nbif = {7, 9, 0}},
};
static const struct ls_gpu_card mi350x = {
    .name = "MI350X",
    .runtime = "ROCr 6.4 and HIP 7",
    .device_id = 0x75a0,
    .revision = 0x00,
    .firmware = 20,
    .driver_family = FAMILY_AI,
    .dies = 8,
    .engines = 4,
    .arrays = 1,
    .array_units = 8,
    .compute_units = 256,
    .memory_bytes = 288 * GIB,
    .l1_kib = 32,
    .l2_kib = 4 * KIB,
    .gb_addr_config = GB_ADDR_CONFIG,
    .blocks = {.gc = {9, 5, 0}, .sdma = {4, 4, 5}, .nbif = {7, 9, 1}},
};

/* The layout of images on RDNA: 16 pipes (2:0), 16 packers (10:8). Navi 21 has it (Mesa's tests of surfaces); of the others it
 * is assumed, which no program sees. */
#define GB_ADDR_CONFIG_RDNA 0x444
/* Navi 21: 4 engines of two arrays of five work-group processors, of which 36 are enabled; 16 KiB of L0 in a
 * compute unit, 4 MiB of L2 (AMD's RDNA 2 whitepaper). */
static const struct ls_gpu_card rx6800xt = {
    .name = "RX 6800 XT",
    .runtime = "ROCr and HIP 5.2",
    .device_id = 0x73bf,
    .revision = 0xc1,
    .firmware = 100,
    .driver_family = FAMILY_NV,
    .dies = 1,
    .engines = 4,
    .arrays = 2,
    .array_units = 10,
    .compute_units = 72,
    .memory_bytes = 16 * GIB,
    .l1_kib = 16,
    .l2_kib = 4 * KIB,
    .gb_addr_config = GB_ADDR_CONFIG_RDNA,
    .blocks = {.gc = {10, 3, 0}, .sdma = {5, 2, 0}, .nbif = {2, 3, 0}},
};

/* Navi 31: 6 engines of two arrays of four work-group processors; 32 KiB of L0 in a compute unit, 6 MiB of L2 (AMD's
 * RDNA 3 presentation; Linux amdgpu_discovery.c: versions). */
static const struct ls_gpu_card rx7900xtx = {
    .name = "RX 7900 XTX",
    .runtime = "ROCr and HIP 6.4",
    .device_id = 0x744c,
    .revision = 0xc8,
    .firmware = 100,
    .driver_family = FAMILY_GC_11_0_0,
    .dies = 1,
    .engines = 6,
    .arrays = 2,
    .array_units = 8,
    .compute_units = 96,
    .memory_bytes = 24 * GIB,
    .l1_kib = 32,
    .l2_kib = 6 * KIB,
    .gb_addr_config = GB_ADDR_CONFIG_RDNA,
    .blocks = {.gc = {11, 0, 0}, .sdma = {6, 0, 0}, .nbif = {4, 3, 0}},
};

/* Navi 32 as RX 7800 XT: 3 engines of two arrays of five work-group processors; 4 MiB of L2. Navi 33 as RX 7600: 2
 * engines of two arrays of four; 2 MiB. Strix Halo as Radeon 8060S: 2 engines of two arrays of five; 2 MiB; it has no memory
 * of its own, and is shown with what its host may set aside for it. Names and compute units are those by which AMD sells
 * them (libdrm's amdgpu.ids has the names); how units are spread over engines, the version of NBIF and the memory of
 * the last are assumed. */
static const struct ls_gpu_card rx7800xt = {
    .name = "RX 7800 XT",
    .runtime = "ROCr and HIP 6.4",
    .device_id = 0x747e,
    .revision = 0xc8,
    .firmware = 100,
    .driver_family = FAMILY_GC_11_0_0,
    .dies = 1,
    .engines = 3,
    .arrays = 2,
    .array_units = 10,
    .compute_units = 60,
    .memory_bytes = 16 * GIB,
    .l1_kib = 32,
    .l2_kib = 4 * KIB,
    .gb_addr_config = GB_ADDR_CONFIG_RDNA,
    .blocks = {.gc = {11, 0, 3}, .sdma = {6, 0, 3}, .nbif = {4, 3, 1}},
};
static const struct ls_gpu_card rx7600 = {
    .name = "RX 7600",
    .runtime = "ROCr and HIP 6.4",
    .device_id = 0x7480,
    .revision = 0xcf,
    .firmware = 100,
    .driver_family = FAMILY_GC_11_0_0,
    .dies = 1,
    .engines = 2,
    .arrays = 2,
    .array_units = 8,
    .compute_units = 32,
    .memory_bytes = 8 * GIB,
    .l1_kib = 32,
    .l2_kib = 2 * KIB,
    .gb_addr_config = GB_ADDR_CONFIG_RDNA,
    .blocks = {.gc = {11, 0, 2}, .sdma = {6, 0, 2}, .nbif = {4, 3, 0}},
};
static const struct ls_gpu_card radeon8060s = {
    .name = "Radeon 8060S",
    .runtime = "ROCr and HIP 6.4",
    .device_id = 0x1586,
    .revision = 0xc1,
    .firmware = 100,
    .driver_family = FAMILY_GC_11_5_0,
    .dies = 1,
    .engines = 2,
    .arrays = 2,
    .array_units = 10,
    .compute_units = 40,
    .memory_bytes = 16 * GIB,
    .l1_kib = 32,
    .l2_kib = 2 * KIB,
    .gb_addr_config = GB_ADDR_CONFIG_RDNA,
    .blocks = {.gc = {11, 5, 1}, .sdma = {6, 1, 1}, .nbif = {7, 11, 1}},
};

/* Navi 48 as RX 9070 XT: 4 engines of two arrays of four work-group processors; 32 KiB of L0 in a compute unit, 8 MiB of L2.
 * Navi 44 as RX 9060 XT: 2 engines; 4 MiB. Names are libdrm's (amdgpu.ids), compute units and memory those by which AMD
 * sells them, versions those of Linux amdgpu (amdgpu_discovery.c); how units are spread over engines is assumed. */
static const struct ls_gpu_card rx9070xt = {
    .name = "RX 9070 XT",
    .runtime = "ROCr and HIP 6.4",
    .device_id = 0x7550,
    .revision = 0xc0,
    .firmware = 100,
    .driver_family = FAMILY_GC_12_0_0,
    .dies = 1,
    .engines = 4,
    .arrays = 2,
    .array_units = 8,
    .compute_units = 64,
    .memory_bytes = 16 * GIB,
    .l1_kib = 32,
    .l2_kib = 8 * KIB,
    .blocks = {.gc = {12, 0, 1}, .sdma = {7, 0, 1}, .nbif = {6, 3, 1}},
};
static const struct ls_gpu_card rx9060xt = {
    .name = "RX 9060 XT",
    .runtime = "ROCr and HIP 6.4",
    .device_id = 0x7590,
    .revision = 0xc0,
    .firmware = 100,
    .driver_family = FAMILY_GC_12_0_0,
    .dies = 1,
    .engines = 2,
    .arrays = 2,
    .array_units = 8,
    .compute_units = 32,
    .memory_bytes = 16 * GIB,
    .l1_kib = 32,
    .l2_kib = 4 * KIB,
    .blocks = {.gc = {12, 0, 0}, .sdma = {7, 0, 0}, .nbif = {6, 3, 1}},
};

#endif
