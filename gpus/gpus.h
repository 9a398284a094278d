/*
 * gpus.h - what a GPU is: one table that the models, the occupancy, the software GPU, the command line and
 * the compiler plugin read. Who must do something on one GPU and not on another asks a field of the table for
 * it, never a name. table.c holds the rows, README.md says how to add one.
 *
 *     const struct ls_gpu *gpu = ls_gpu_find("gfx942:sramecc+:xnack-");
 *     if (gpu && gpu->lds)
 *         printf("%s: %u phases\n", gpu->name, gpu->lds->read[LS_LDS_B128].n);
 *
 * All that is returned is constant and lives as long as the program. Nothing allocates, nothing fails but by
 * its return value, and all may be called from any thread.
 */
#ifndef GPUS_GPUS_H
#define GPUS_GPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets of instructions, one bit each, so that a table of opcodes can say in a mask who has one. */
enum ls_gpu_isa {
    LS_GPU_ISA_NONE = 0, /* there is no decoder for it */
    LS_GPU_ISA_GFX90A = 1u << 0,
    LS_GPU_ISA_GFX940 = 1u << 1, /* gfx940 to gfx942 */
    LS_GPU_ISA_GFX950 = 1u << 2,
    LS_GPU_ISA_GFX1030 = 1u << 3, /* gfx1030 to gfx1036 */
    LS_GPU_ISA_GFX1100 = 1u << 4, /* gfx1100 to gfx1103 */
    LS_GPU_ISA_GFX1150 = 1u << 5, /* gfx1150 to gfx1153 */
    LS_GPU_ISA_GFX1200 = 1u << 6, /* gfx1200 and gfx1201 */
};

/* What the conversions and matrix products named fp8 and bf8 mean. FNUZ has one NaN, at 0x80, no infinity, no
 * negative zero and a bias one higher ("AMD Instinct MI300 ISA"); OCP is the Open Compute Project's format
 * ("AMD Instinct CDNA4 ISA"). */
enum ls_fp8 { LS_FP8_NONE, LS_FP8_FNUZ, LS_FP8_OCP };

/* The hardware registers (s_getreg), named by the one in which a wavefront reads where it runs. */
enum ls_hw_id {
    LS_HW_ID,  /* up to gfx9: wave 3:0, SIMD 5:4, unit 11:8, array 12, engine from 13 (ROCm-Device-Libs,
                  smid.cl) */
    LS_HW_ID1, /* wave 4:0, SIMD 9:8, work-group processor 13:10, array 16, engine from 18 (RDNA2 ISA
                  document) */
};

/* The words of a buffer resource, the V# of buffer instructions ("AMD Instinct MI200 ISA" and "RDNA 2 Instruction Set
 * Architecture", "Buffer Resource Descriptor"). */
enum ls_buffer_words {
    LS_BUFFER_GFX9,  /* data and number format; with ADD_TID the former is the stride's upper bits */
    LS_BUFFER_GFX10, /* one field for both formats; OOB_SELECT says what bounds an access */
};

/* The words of an image resource, the T# of image instructions (ROCr: resource_ai.h, resource_nv.h and resource_gfx11.h,
 * resource_gfx12.h). */
enum ls_image_words {
    LS_IMAGE_GFX9,
    LS_IMAGE_GFX10,
    LS_IMAGE_GFX12,
};

/* What holds for all GPUs whose names begin alike: what a compute unit holds, and what compilers know. It is
 * all that is known of a GPU that has no row of its own, and of the generic targets ("gfx9-4-generic"). */
struct ls_gpu_family {
    const char *prefix;     /* of the names: "gfx94" */
    const char *generation; /* "CDNA3" */
    uint8_t lanes; /* of a wavefront, unless a compiler option chooses the other size of two: 64, 32 */
    /* Of instructions: 9, 10, 11 or 12, the gfx number that brought it (8 and 9: 9). For who decodes or writes them: what
     * instructions do on some GPUs only, the fields below say. */
    uint8_t encoding;
    /* One compute unit; RDNA: half a work-group processor. Sources: LLVM, AMDGPUBaseInfo.cpp (IsaInfo:
     * getEUsPerCU, getMaxWavesPerEU, getTotalNumVGPRs, getVGPRAllocGranule, getTotalNumSGPRs); LDS: the ISA
     * documents, and LLVM's FeatureAddressableLocalMemorySize. */
    uint8_t simds;          /* 0: nothing is known of a unit */
    uint8_t waves_per_simd; /* wavefronts that one SIMD can hold */
    uint16_t vgprs;         /* of a SIMD, for each lane of wavefronts of 64; those of 32 get twice as many */
    /* VGPRs are given out in so many to wavefronts of 64, and twice that to those of 32 */
    uint8_t vgpr_granule;
    bool unified_vgprs;   /* VGPRs and AccVGPRs are one file, encoded by 8 in the kernel descriptor */
    uint16_t sgprs;       /* of a SIMD; 0: each wavefront has all that it can name */
    uint32_t lds_bytes;   /* that a work-group can have */
    uint32_t lds_granule; /* bytes */
    /* LLVM 15 takes the registers with special uses off the number that "amdgpu-num-sgpr" gives: so many
     * (AMDGPUBaseInfo.cpp, getNumExtraSGPRs). */
    uint8_t special_sgprs;
    /* The hardware sets the base of scratch: no SGPRs, no V# for it (LLVM AMDGPUUsage, "Processors":
     * Architected flat scratch). */
    bool architected_flat_scratch;
    /* The first of the two SGPRs that are FLAT_SCRATCH; 0: it is no SGPR, but two hardware registers (LLVM AMDGPUUsage,
     * "Flat Scratch"). */
    uint8_t flat_scratch_sgpr;
    /* Bytes of a wavefront's scratch: the unit of COMPUTE_TMPRING_SIZE (ROCr, FillComputeTmpRingSize). */
    uint16_t scratch_granule;
    enum ls_buffer_words buffers;
    enum ls_image_words images;
    /* Stores to images give the components that the instruction lacks the value of the first one that it has, else 0 (LLVM,
     * FeatureDefaultComponentBroadcast and FeatureDefaultComponentZero). */
    bool repeats_component;
    /* Lanes among which ds_permute and ds_bpermute exchange; wavefronts of more do so in each part (LLVM,
     * GCNSubtarget::supportsWaveWideBPermute). */
    uint8_t permuted_lanes;
    /* s_sendmsg MSG_DEALLOC_VGPRS gives a wavefront's registers back before it ends ("RDNA3 Instruction Set Architecture",
     * S_SENDMSG). */
    bool frees_vgprs;
    /* Stores without a result have a counter of their own (s_waitcnt_vscnt), which s_waitcnt does not wait for (LLVM,
     * GCNSubtarget::hasVscnt). */
    bool counts_stores;
    /* Work-group ids start in the trap registers ttmp9 (x) and ttmp7 (y in 15:0, z in 31:16), not in SGPRs (LLVM AMDGPUUsage,
     * "Initial Kernel Execution State", architected work-group ids). */
    bool ids_in_ttmp;
    bool
        split_barriers; /* s_barrier_signal and s_barrier_wait are the barrier (LLVM, FeatureSplitBarriers) */
    /* Float modes that kernels cannot choose: IEEE and DX10_CLAMP are on ("RDNA4 Instruction Set Architecture", MODE has
     * neither; LLVM AMDGPUUsage, "Kernel Descriptor"). */
    bool always_ieee;
    /* SDMA's packet for rectangles has offsets of 16 and 14 bits and a pitch of 16 (ROCr, SDMA_PKT_COPY_LINEAR_RECT_GFX12). */
    bool wide_rect;
    /* COMPUTE_TMPRING_SIZE: bits of WAVESIZE, from bit 12 on; and WAVES are those of one shader engine (ROCr, its registers
     * and FillComputeTmpRingSize_Gfx11). */
    uint8_t scratch_size_bits;
    bool scratch_by_engine;
    bool
        wmma_once; /* v_wmma has each element of A and B once, not twice ("RDNA4 Instruction Set Architecture", WMMA) */
    bool
        cycles_hi; /* hardware register SHADER_CYCLES has a second one for its upper half (the same document) */
    bool dot2_adds_first; /* v_dot2_f32_bf16 begins with the addend (the same, V_DOT2_F32_BF16) */
    bool separate_ids; /* work-item ids start in v0, v1 and v2, else packed in v0 (LLVM AMDGPUUsage, "Initial
                          Kernel Execution State") */
    uint8_t probes; /* LS_GFX of the device library's variant (device-lib/device.h); 0: there are no probes */
    /* The one GPU of it whose machine code of the device library the compiler plugin brings along; for others each
     * file compiles the library again. NULL: none. */
    const char *ready;
    const char *ready_too; /* another GPU of it, for which that code is the same word by word; NULL: none */
    bool
        counts_requests; /* counters TA_TOTAL_WAVEFRONTS and TCP_TOTAL_ACCESSES: ROCm Compute Profiler has them for
                             CDNA; for RDNA it has none of their kind */
    enum ls_hw_id hw_id;
    uint8_t engine_bits; /* of the shader engine in it (HIP, amd_device_functions.h, __smid) */
    /* of the counter that times blocks: 64, gfx11's SHADER_CYCLES 20 (RDNA3 ISA document) */
    uint8_t cycle_bits;
};

enum ls_lds_width { LS_LDS_B32, LS_LDS_B64, LS_LDS_B96, LS_LDS_B128, LS_LDS_WIDTHS };

/* How LDS serves one width in one direction: in phases, each for the lanes of one fixed group. */
struct ls_lds_phases {
    uint8_t banks;
    uint8_t n;              /* phases */
    bool measured;          /* on that GPU; otherwise assumed */
    const uint64_t *groups; /* n lane masks */
};

struct ls_gpu_lds {
    struct ls_lds_phases read[LS_LDS_WIDTHS], write[LS_LDS_WIDTHS];
};

/* The card that the software GPU shows to the driver's clients, for a GPU that it can run. A device is one or
 * more dies (XCC) of shader engines with an array of compute units each, or two; of an array some units are
 * disabled, which ones differs from chip to chip. Sources: AMD's CDNA2, CDNA3 and CDNA4 white papers (units,
 * caches, memory); Linux amdgpu (device ids, 8 engines on MI200, else 4 of each of 8 dies); libdrm's amdgpu.ids. */
struct ls_gpu_card {
    const char *name; /* "MI210" */
    const char
        *runtime; /* the oldest runtimes that were seen to know it (docs/runtimes.md): "ROCr and HIP 5.2" */
    uint16_t device_id;     /* of PCI */
    uint8_t revision;       /* of PCI; libdrm finds the marketing name by both */
    uint16_t firmware;      /* of the command processor */
    uint16_t driver_family; /* AMDGPU_FAMILY_* */
    uint8_t dies, engines;  /* dies; shader engines of one die */
    uint8_t arrays;         /* of an engine */
    uint16_t array_units;   /* compute units of an engine's array, with the disabled ones */
    uint16_t compute_units; /* enabled ones of the device */
    uint64_t memory_bytes;
    uint16_t l1_kib, l2_kib; /* vector data cache of a compute unit; L2 of a die */
    uint32_t gb_addr_config; /* what KFD reports; with it the layout of images is computed */
    struct {
        uint8_t gc[3], sdma[3], nbif[3]; /* versions: amdgpu_discovery.c and AMD's register headers */
    } blocks;
};

struct ls_gpu {
    const char *name; /* "gfx90a" */
    const struct ls_gpu_family *family;
    uint32_t version; /* KFD's gfx_target_version: 90010 is major 9, minor 0, stepping 10 */

    /* What the models know. */
    const struct ls_gpu_lds *lds; /* NULL: how LDS serves lanes is not known */
    uint16_t l1_line, l2_line;    /* bytes of a cache line; 0: not known */
    bool lines_assumed;           /* nobody has measured or documented these */
    /* The same GPU as kernels see it whose wavefronts have the other size: 64 lanes. NULL: the models do not know it. */
    const struct ls_gpu *wide;
    bool is_wide; /* it is such a row itself */

    /* Its instructions can be decoded, and with a card the software GPU can run it. */
    enum ls_gpu_isa isa;
    const struct ls_gpu_card *card;

    /* Traits of the instruction set, in which GPUs with equal instructions differ. */
    enum ls_fp8 fp8;
    bool scratch_sve;   /* scratch_*: bit SVE says that there is a VGPR address; before: SADDR off says so */
    bool sc_cache_bits; /* cache bits are sc0, nt, sc1; before: glc, slc, scc */
    bool keeps_high_half;        /* 16-bit results leave the other half of the register as it was (LLVM,
                             GCNSubtarget::zeroesHigh16BitsOfDest) */
    bool d16_keeps_half;         /* 16-bit loads into half a register leave the other as it was: no ECC (LLVM,
                             GCNSubtarget::d16PreservesUnusedBits); with ECC they make it 0 */
    bool f64_matrix_neg;         /* v_mfma of f64 negates operands with the bits that are BLGP elsewhere */
    bool matrix_flushes_f16;     /* v_mfma takes denormal f16 and bf16 operands as zero */
    bool atomic_add_flushes_f32; /* L2 flushes denormals in f32 additions (LLVM: absence of the feature
                                    memory-atomic-fadd-f32-denormal-support) */
};

/* The table's rows in order; NULL behind the last. */
const struct ls_gpu *ls_gpu_at(size_t i);
/* The row of a GPU by the name that the runtime or a code object gives, with or without ":feature" suffixes;
 * NULL when there is none, or no name. */
const struct ls_gpu *ls_gpu_find(const char *name);
/* The GPU for kernels with wavefronts of so many lanes, which the models price; NULL: they cannot, or gpu is NULL. */
const struct ls_gpu *ls_gpu_in_waves(const struct ls_gpu *gpu, unsigned lanes);
/* Whether a kernel that ran on `ran_on` with wavefronts of so many lanes would have such on this GPU, too: they are what it has otherwise,
 * or both GPUs are of RDNA, where the program chooses. */
bool ls_gpu_takes_waves(const struct ls_gpu *gpu, const char *ran_on, unsigned lanes);
/* Lanes of the wavefronts that the models price with it. */
unsigned ls_gpu_wave(const struct ls_gpu *gpu);
/* What is known of a GPU or generic target by its name, in the table or not; NULL: nothing. */
const struct ls_gpu_family *ls_gpu_family_of(const char *name);
/* Whether the dies of such a GPU count for themselves in summary mode, as its variant of the device library does
 * (device-lib/wave.c). False for NULL. */
bool ls_gpu_counts_by_die(const struct ls_gpu_family *family);
/* Lanes of its wavefronts, where nothing says that a kernel has the other size. Of GPUs of which nothing is known, those of
 * most compute GPUs: 64. */
unsigned ls_gpu_lanes(const char *name);

/* Whether code of that target ("gfx90a:xnack+", "gfx9-4-generic"), whatever its features, may run on the GPU of that name:
 * targets that are not known may. */
bool ls_gpu_may_run(const char *gpu, const char *target);

/* Whether the models know its LDS or its cache lines; NULL: they do not. Without, accesses and lanes are counted, no costs. */
bool ls_gpu_has_models(const struct ls_gpu *gpu);
/* Whether they know those of a GPU that the target ("gfx9-4-generic", "gfx90a") serves. */
bool ls_gpu_target_has_models(const char *target);
/* Whether the software GPU can run it. */
bool ls_gpu_emulated(const struct ls_gpu *gpu);
/* As ls_gpu_at and ls_gpu_find, of those that it can run alone. */
const struct ls_gpu *ls_gpu_emulated_at(size_t i);
const struct ls_gpu *ls_gpu_find_emulated(const char *name);
/* The emulated GPU that is taken when none is named. */
const struct ls_gpu *ls_gpu_default(void);
/* Writes the names of the emulated GPUs, each behind `before`, with `between` them and `last` in front of the
 * last: ("soft:", ", ", " or ") gives "soft:gfx90a, soft:gfx942 or soft:gfx950". Cut to `size`, and always
 * ended with a zero. Returns out. */
char *ls_gpu_names(char *out, size_t size, const char *before, const char *between, const char *last);

/* Whether any way in which this GPU's LDS serves lanes is measured, and whether any is assumed. */
bool ls_gpu_lds_any(const struct ls_gpu *gpu, bool measured);

#ifdef __cplusplus
}
#endif

#endif
