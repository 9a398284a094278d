/*
 * table.c - the table of GPUs. README.md says what to do for a new one.
 *
 * Sources of the lane groups: nod-ai/amd-shark-ai docs/empirical-lds (cdna3info.md, lds_summary.md: measured
 * on MI300X, MI350X, W7900, RX 9070 XT); ROCm Compute Profiler documentation, "LDS examples" (MI250); ROCm
 * documentation, "Understanding AMD GPU LDS and Bank Conflicts" (b128 writes); HipKittens
 * analysis/paper_experiments/phases (gfx950 b96 reads and b64 writes); triton-lang/triton pull request 11365.
 * docs/hardware.md lists which number comes from which.
 *
 * Sources of the cache lines: ROCm Compute Profiler documentation and its panel definitions for gfx90a and
 * gfx942; the 128 bytes of RDNA are an assumption.
 */
#include "cards.h"
#include "table.h"

/* ---- families ---- */

enum {
    GFX8,
    GFX9,
    GFX908,
    GFX90A,
    GFX94,
    GFX9_4_GENERIC,
    GFX950,
    GFX10,
    GFX101,
    GFX103,
    GFX11,
    GFX1100,
    GFX1101,
    GFX1102,
    GFX1103,
    GFX115,
    GFX1151,
    GFX12
};

/* What all of gfx9 share; of those with VGPRs and AccVGPRs in one file; of gfx10 and later. A row says the
 * rest. */
#define OF_GFX9                                                                                              \
    .lanes = 64, .encoding = 9, .simds = 4, .sgprs = 800, .special_sgprs = 4, .counts_requests = true,       \
    .hw_id = LS_HW_ID, .cycle_bits = 64, .flat_scratch_sgpr = 102, .scratch_granule = 1024,                  \
    .scratch_size_bits = 13, .buffers = LS_BUFFER_GFX9, .images = LS_IMAGE_GFX9, .permuted_lanes = 64
#define SEPARATE_VGPRS .waves_per_simd = 10, .vgprs = 256, .vgpr_granule = 4
#define UNIFIED_VGPRS .waves_per_simd = 8, .vgprs = 512, .vgpr_granule = 8, .unified_vgprs = true
#define OF_RDNA                                                                                              \
    .lanes = 32, .simds = 2, .lds_bytes = 64 * KIB, .hw_id = LS_HW_ID1, .buffers = LS_BUFFER_GFX10,          \
    .counts_stores = true
#define OF_GFX10                                                                                             \
    OF_RDNA, .encoding = 10, .images = LS_IMAGE_GFX10, .permuted_lanes = 32, .separate_ids = true,           \
        .scratch_granule = 1024, .scratch_size_bits = 13, .probes = 10
/* gfx11 and later. */
#define OF_LATER_RDNA                                                                                        \
    OF_RDNA, .architected_flat_scratch = true, .scratch_granule = 256, .scratch_by_engine = true,            \
        .frees_vgprs = true, .dot2_adds_first = true, .probes = 11
#define OF_RDNA3                                                                                             \
    OF_LATER_RDNA, .encoding = 11, .images = LS_IMAGE_GFX10, .scratch_size_bits = 15, .permuted_lanes = 32,  \
        .waves_per_simd = 16, .lds_granule = 1024, .engine_bits = 3, .cycle_bits = 20
/* The usual number of VGPRs, and half as many again (LLVM, feature "1_5x_vgprs"). */
#define RDNA_VGPRS .vgprs = 512, .vgpr_granule = 8
#define RDNA_MORE_VGPRS .vgprs = 768, .vgpr_granule = 12

const struct ls_gpu_family ls_gpu_families[] = {
    [GFX8] = {.prefix = "gfx8",
              .generation = "GCN",
              .lanes = 64,
              .encoding = 9,
              .special_sgprs = 4,
              .probes = 9,
              .hw_id = LS_HW_ID,
              .engine_bits = 2,
              .cycle_bits = 64,
              .flat_scratch_sgpr = 102,
              .scratch_granule = 1024,
              .scratch_size_bits = 13,
              .permuted_lanes = 64},
    [GFX9] = {.prefix = "gfx9",
              .generation = "GCN",
              OF_GFX9,
              SEPARATE_VGPRS,
              .lds_bytes = 64 * KIB,
              .lds_granule = 512,
              .probes = 9,
              .ready = "gfx906",
              .engine_bits = 2},
    [GFX908] = {.prefix = "gfx908",
                .generation = "CDNA1",
                OF_GFX9,
                SEPARATE_VGPRS,
                .lds_bytes = 64 * KIB,
                .lds_granule = 512,
                .probes = 9,
                .ready = "gfx908",
                .engine_bits = 3},
    [GFX90A] = {.prefix = "gfx90a",
                .generation = "CDNA2",
                OF_GFX9,
                UNIFIED_VGPRS,
                .lds_bytes = 64 * KIB,
                .lds_granule = 512,
                .probes = 9,
                .ready = "gfx90a",
                .engine_bits = 3},
    [GFX94] = {.prefix = "gfx94",
               .generation = "CDNA3",
               OF_GFX9,
               UNIFIED_VGPRS,
               .lds_bytes = 64 * KIB,
               .lds_granule = 512,
               .architected_flat_scratch = true,
               .probes = 94,
               .ready = "gfx942",
               .engine_bits = 2},
    /* gfx940 to gfx950: the smaller LDS, the larger granule */
    [GFX9_4_GENERIC] = {.prefix = "gfx9-4-generic",
                        .generation = "CDNA3 and later",
                        OF_GFX9,
                        UNIFIED_VGPRS,
                        .lds_bytes = 64 * KIB,
                        .lds_granule = 1280,
                        .architected_flat_scratch = true,
                        .probes = 94,
                        .engine_bits = 2},
    [GFX950] = {.prefix = "gfx950",
                .generation = "CDNA4",
                OF_GFX9,
                UNIFIED_VGPRS,
                .lds_bytes = 160 * KIB,
                .lds_granule = 1280,
                .architected_flat_scratch = true,
                .probes = 94,
                .ready = "gfx950",
                .engine_bits = 2},
    [GFX10] = {.prefix = "gfx10",
               .generation = "RDNA1 or RDNA2",
               OF_GFX10,
               RDNA_VGPRS,
               .waves_per_simd = 16,
               .lds_granule = 1024,
               .engine_bits = 2,
               .cycle_bits = 64},
    [GFX101] = {.prefix = "gfx101",
                .generation = "RDNA1",
                OF_GFX10,
                .waves_per_simd = 20,
                .vgprs = 512,
                .vgpr_granule = 4,
                .lds_granule = 512,
                .engine_bits = 2,
                .cycle_bits = 64},
    [GFX103] = {.prefix = "gfx103",
                .generation = "RDNA2",
                OF_GFX10,
                RDNA_VGPRS,
                .waves_per_simd = 16,
                .lds_granule = 1024,
                .ready = "gfx1030",
                .engine_bits = 2,
                .cycle_bits = 64},
    /* Of gfx11 some have half as many VGPRs again; the smaller number and the larger granule hold for all. */
    [GFX11] = {.prefix = "gfx11", OF_RDNA3, .generation = "RDNA3", .vgprs = 512, .vgpr_granule = 12},
    [GFX1100] = {.prefix = "gfx1100", OF_RDNA3, .generation = "RDNA3", RDNA_MORE_VGPRS, .ready = "gfx1100"},
    [GFX1101] = {.prefix = "gfx1101", OF_RDNA3, .generation = "RDNA3", RDNA_MORE_VGPRS},
    [GFX1102] = {.prefix = "gfx1102", OF_RDNA3, .generation = "RDNA3", RDNA_VGPRS},
    [GFX1103] = {.prefix = "gfx1103", OF_RDNA3, .generation = "RDNA3", RDNA_VGPRS},
    [GFX115] = {.prefix = "gfx115", OF_RDNA3, .generation = "RDNA3.5", RDNA_VGPRS},
    [GFX1151] = {.prefix = "gfx1151", OF_RDNA3, .generation = "RDNA3.5", RDNA_MORE_VGPRS},
    [GFX12] = {.prefix = "gfx12",
               .generation = "RDNA4",
               OF_LATER_RDNA,
               RDNA_MORE_VGPRS,
               .encoding = 12,
               .images = LS_IMAGE_GFX12,
               .repeats_component = true,
               .permuted_lanes = 64,
               .waves_per_simd = 16,
               .lds_granule = 1024,
               .ready = "gfx1201",
               .ready_too = "gfx1200",
               .engine_bits = 2,
               .cycle_bits = 64,
               .ids_in_ttmp = true,
               .split_barriers = true,
               .always_ieee = true,
               .wide_rect = true,
               .wmma_once = true,
               .scratch_size_bits = 18,
               .cycles_hi = true},
};
const size_t ls_n_gpu_families = sizeof ls_gpu_families / sizeof ls_gpu_families[0];

/* ---- groups of lanes that LDS serves together ---- */

#define LANES(first, last) ((~0ull >> (63 - (last) + (first))) << (first))

/* b8..b32, two halves of 32 lanes. */
static const uint64_t halves[] = {LANES(0, 31), LANES(32, 63)};
static const uint64_t whole64[] = {LANES(0, 63)};
static const uint64_t whole32[] = {LANES(0, 31)};
static const uint64_t sixteens64[] = {LANES(0, 15), LANES(16, 31), LANES(32, 47), LANES(48, 63)};
static const uint64_t sixteens32[] = {LANES(0, 15), LANES(16, 31)};
static const uint64_t eights64[] = {LANES(0, 7),   LANES(8, 15),  LANES(16, 23), LANES(24, 31),
                                    LANES(32, 39), LANES(40, 47), LANES(48, 55), LANES(56, 63)};
static const uint64_t eights32[] = {LANES(0, 7), LANES(8, 15), LANES(16, 23), LANES(24, 31)};

/* b128 reads of CDNA3, in the order of service (shark-ai cdna3info.md; Triton pull request 11365). */
static const uint64_t cdna3_b128[] = {
    LANES(0, 3) | LANES(20, 23),   LANES(32, 35) | LANES(52, 55), LANES(4, 7) | LANES(16, 19),
    LANES(36, 39) | LANES(48, 51), LANES(8, 11) | LANES(28, 31),  LANES(40, 43) | LANES(60, 63),
    LANES(12, 15) | LANES(24, 27), LANES(44, 47) | LANES(56, 59),
};
/* b128 reads of CDNA4 (shark-ai lds_summary.md, MI350X). */
static const uint64_t cdna4_b128[] = {
    LANES(0, 3) | LANES(12, 15) | LANES(20, 27),
    LANES(32, 35) | LANES(44, 47) | LANES(52, 59),
    LANES(4, 11) | LANES(16, 19) | LANES(28, 31),
    LANES(36, 43) | LANES(48, 51) | LANES(60, 63),
};
/* b128 reads of RDNA3: CDNA3's groups of the first 32 lanes (shark-ai, W7900). */
static const uint64_t rdna3_b128[] = {
    LANES(0, 3) | LANES(20, 23),
    LANES(4, 7) | LANES(16, 19),
    LANES(8, 11) | LANES(28, 31),
    LANES(12, 15) | LANES(24, 27),
};

#define PHASES(bank_count, is_measured, table)                                                               \
    {.banks = bank_count, .n = sizeof(table) / sizeof(table[0]), .measured = is_measured, .groups = table}
#define MEASURED(banks, table) PHASES(banks, true, table)
#define ASSUMED(banks, table) PHASES(banks, false, table)

/* Each in the order b32 (and narrower), b64, b96, b128. MI250: b32 reads measured; the wider forms are
 * assumed to be CDNA3's. */
static const struct ls_gpu_lds gfx90a_lds = {
    .read = {MEASURED(32, halves), ASSUMED(32, sixteens64), ASSUMED(32, cdna3_b128), ASSUMED(32, cdna3_b128)},
    .write = {ASSUMED(32, halves), ASSUMED(32, sixteens64), ASSUMED(32, eights64), ASSUMED(32, eights64)}};
static const struct ls_gpu_lds gfx942_lds = {
    .read = {MEASURED(32, halves), MEASURED(32, sixteens64), ASSUMED(32, cdna3_b128),
             MEASURED(32, cdna3_b128)},
    .write = {ASSUMED(32, halves), ASSUMED(32, sixteens64), ASSUMED(32, eights64), MEASURED(32, eights64)}};
/* Reads of b32, b64, b128 use 64 banks; b96 reads and writes behave as 32 banks. */
static const struct ls_gpu_lds gfx950_lds = {
    .read = {MEASURED(64, whole64), MEASURED(64, halves), MEASURED(32, cdna3_b128), MEASURED(64, cdna4_b128)},
    .write = {ASSUMED(64, whole64), MEASURED(32, sixteens64), ASSUMED(32, eights64), ASSUMED(32, eights64)}};
static const struct ls_gpu_lds gfx1100_lds = {
    .read = {MEASURED(32, whole32), MEASURED(32, sixteens32), ASSUMED(32, rdna3_b128),
             MEASURED(32, rdna3_b128)},
    .write = {ASSUMED(32, whole32), ASSUMED(32, sixteens32), ASSUMED(32, eights32), ASSUMED(32, eights32)}};
/* Nobody has measured RDNA2, nor others of RDNA3; the groups are gfx1100's. */
static const struct ls_gpu_lds rdna3_lds = {
    .read = {ASSUMED(32, whole32), ASSUMED(32, sixteens32), ASSUMED(32, rdna3_b128), ASSUMED(32, rdna3_b128)},
    .write = {ASSUMED(32, whole32), ASSUMED(32, sixteens32), ASSUMED(32, eights32), ASSUMED(32, eights32)}};
static const struct ls_gpu_lds gfx1201_lds = {
    .read = {MEASURED(32, whole32), MEASURED(32, sixteens32), ASSUMED(32, eights32), MEASURED(32, eights32)},
    .write = {ASSUMED(32, whole32), ASSUMED(32, sixteens32), ASSUMED(32, eights32), ASSUMED(32, eights32)}};
/* Nobody has measured gfx1200; the groups are gfx1201's. */
static const struct ls_gpu_lds rdna4_lds = {
    .read = {ASSUMED(32, whole32), ASSUMED(32, sixteens32), ASSUMED(32, eights32), ASSUMED(32, eights32)},
    .write = {ASSUMED(32, whole32), ASSUMED(32, sixteens32), ASSUMED(32, eights32), ASSUMED(32, eights32)}};

/* RDNA with wavefronts of 64 lanes: the lower 32 as a wavefront of their own, then the upper ones. Nobody has measured it;
 * an instruction of 64 lanes is issued as two of 32 ("RDNA Architecture" white paper, "Wave64"). */
static const struct ls_gpu_lds rdna3_wide_lds = {
    .read = {ASSUMED(32, halves), ASSUMED(32, sixteens64), ASSUMED(32, cdna3_b128), ASSUMED(32, cdna3_b128)},
    .write = {ASSUMED(32, halves), ASSUMED(32, sixteens64), ASSUMED(32, eights64), ASSUMED(32, eights64)}};
static const struct ls_gpu_lds rdna4_wide_lds = {
    .read = {ASSUMED(32, halves), ASSUMED(32, sixteens64), ASSUMED(32, eights64), ASSUMED(32, eights64)},
    .write = {ASSUMED(32, halves), ASSUMED(32, sixteens64), ASSUMED(32, eights64), ASSUMED(32, eights64)}};

/* ---- GPUs ---- */

#define WIDE(gpu_name, family_of, version_of, lds_of)                                                        \
    {.name = gpu_name,                                                                                       \
     .family = &ls_gpu_families[family_of],                                                                  \
     .version = version_of,                                                                                  \
     .lds = lds_of,                                                                                          \
     .l1_line = 128,                                                                                         \
     .l2_line = 128,                                                                                         \
     .lines_assumed = true,                                                                                  \
     .is_wide = true}
#define OF_RDNA3_ISA .scratch_sve = true, .keeps_high_half = true, .d16_keeps_half = true
#define OF_GFX1100 .isa = LS_GPU_ISA_GFX1100, OF_RDNA3_ISA
#define OF_GFX1150 .isa = LS_GPU_ISA_GFX1150, OF_RDNA3_ISA
#define OF_GFX1200 .isa = LS_GPU_ISA_GFX1200, .fp8 = LS_FP8_OCP, OF_RDNA3_ISA
/* Relatives of gfx1100, on which nobody has measured anything: its phases, assumed. */
#define LIKE_GFX11 .lds = &rdna3_lds, .l1_line = 128, .l2_line = 128, .lines_assumed = true

static const struct ls_gpu gfx1030_wide = WIDE("gfx1030", GFX103, 100300, &rdna3_wide_lds);
static const struct ls_gpu gfx1100_wide = WIDE("gfx1100", GFX1100, 110000, &rdna3_wide_lds);
static const struct ls_gpu gfx1101_wide = WIDE("gfx1101", GFX1101, 110001, &rdna3_wide_lds);
static const struct ls_gpu gfx1102_wide = WIDE("gfx1102", GFX1102, 110002, &rdna3_wide_lds);
static const struct ls_gpu gfx1103_wide = WIDE("gfx1103", GFX1103, 110003, &rdna3_wide_lds);
static const struct ls_gpu gfx1150_wide = WIDE("gfx1150", GFX115, 110500, &rdna3_wide_lds);
static const struct ls_gpu gfx1151_wide = WIDE("gfx1151", GFX1151, 110501, &rdna3_wide_lds);
static const struct ls_gpu gfx1200_wide = WIDE("gfx1200", GFX12, 120000, &rdna4_wide_lds);
static const struct ls_gpu gfx1201_wide = WIDE("gfx1201", GFX12, 120001, &rdna4_wide_lds);

const struct ls_gpu ls_gpus[] = {
    {.name = "gfx90a",
     .family = &ls_gpu_families[GFX90A],
     .version = 90010,
     .lds = &gfx90a_lds,
     .l1_line = 64,
     .l2_line = 128,
     .isa = LS_GPU_ISA_GFX90A,
     .card = &mi210,
     .matrix_flushes_f16 = true,
     .atomic_add_flushes_f32 = true},
    {.name = "gfx942",
     .family = &ls_gpu_families[GFX94],
     .version = 90402,
     .lds = &gfx942_lds,
     .l1_line = 128,
     .l2_line = 128,
     .isa = LS_GPU_ISA_GFX940,
     .card = &mi300x,
     .fp8 = LS_FP8_FNUZ,
     .scratch_sve = true,
     .sc_cache_bits = true,
     .f64_matrix_neg = true},
    {.name = "gfx950",
     .family = &ls_gpu_families[GFX950],
     .version = 90500,
     .lds = &gfx950_lds,
     .l1_line = 128,
     .l2_line = 128,
     .isa = LS_GPU_ISA_GFX950,
     .card = &mi350x,
     .fp8 = LS_FP8_OCP,
     .scratch_sve = true,
     .sc_cache_bits = true,
     .f64_matrix_neg = true},
    {.name = "gfx1030",
     .family = &ls_gpu_families[GFX103],
     .version = 100300,
     .lds = &rdna3_lds,
     .wide = &gfx1030_wide,
     .l1_line = 128,
     .l2_line = 128,
     .lines_assumed = true,
     .isa = LS_GPU_ISA_GFX1030,
     .card = &rx6800xt,
     .keeps_high_half = true,
     .d16_keeps_half = true},
    {.name = "gfx1100",
     .family = &ls_gpu_families[GFX1100],
     .version = 110000,
     .lds = &gfx1100_lds,
     .wide = &gfx1100_wide,
     .l1_line = 128,
     .l2_line = 128,
     .lines_assumed = true,
     .card = &rx7900xtx,
     OF_GFX1100},
    {.name = "gfx1101",
     .family = &ls_gpu_families[GFX1101],
     .version = 110001,
     .wide = &gfx1101_wide,
     .card = &rx7800xt,
     LIKE_GFX11,
     OF_GFX1100},
    {.name = "gfx1102",
     .family = &ls_gpu_families[GFX1102],
     .version = 110002,
     .wide = &gfx1102_wide,
     .card = &rx7600,
     LIKE_GFX11,
     OF_GFX1100},
    {.name = "gfx1103",
     .family = &ls_gpu_families[GFX1103],
     .version = 110003,
     .wide = &gfx1103_wide,
     LIKE_GFX11,
     OF_GFX1100},
    {.name = "gfx1150",
     .family = &ls_gpu_families[GFX115],
     .version = 110500,
     .wide = &gfx1150_wide,
     LIKE_GFX11,
     OF_GFX1150},
    {.name = "gfx1151",
     .family = &ls_gpu_families[GFX1151],
     .version = 110501,
     .wide = &gfx1151_wide,
     .card = &radeon8060s,
     LIKE_GFX11,
     OF_GFX1150},
    {.name = "gfx1200",
     .family = &ls_gpu_families[GFX12],
     .version = 120000,
     .lds = &rdna4_lds,
     .wide = &gfx1200_wide,
     .l1_line = 128,
     .l2_line = 128,
     .lines_assumed = true,
     .card = &rx9060xt,
     OF_GFX1200},
    {.name = "gfx1201",
     .family = &ls_gpu_families[GFX12],
     .version = 120001,
     .lds = &gfx1201_lds,
     .wide = &gfx1201_wide,
     .l1_line = 128,
     .l2_line = 128,
     .lines_assumed = true,
     .card = &rx9070xt,
     OF_GFX1200},
#ifdef LANESCOPE_EXTRA_GPU
#include LANESCOPE_EXTRA_GPU
#endif
};
const size_t ls_n_gpus = sizeof ls_gpus / sizeof ls_gpus[0];
