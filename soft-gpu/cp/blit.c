/*
 * blit.c - recognises ROCr's blit kernels by the first instructions of their code.
 *
 * ROCr 5.2 and 6.1 upload every code object to VRAM with CopyAligned, so these kernels are on the path of any
 * program; done natively they run at memory speed. The kernels are hand-written and load their arguments with
 * a fixed sequence of s_load instructions whose words identify each (ROCr amd_blit_shaders.h; the arguments
 * are BlitKernel::KernelArgs in amd_blit_kernel.h).
 */
#include "blit.h"

#include <string.h>

#include "internal.h"

struct blit_kernel {
    const char *name;
    uint32_t word[12];
    unsigned words;
    unsigned args; /* 64-bit kernel arguments that are read */
    void (*describe)(const uint64_t *arg, struct copy_job *job);
};

/* phase1_src, phase1_dst, ..., phase4_src_end at 8 */
static void copy_aligned(const uint64_t *arg, struct copy_job *job)
{
    *job = (struct copy_job){.src = arg[0], .dst = arg[1], .bytes = arg[8] - arg[0]};
}

/* phase1_src, phase1_dst, phase2_src, phase2_dst, phase2_src_end */
static void copy_misaligned(const uint64_t *arg, struct copy_job *job)
{
    *job = (struct copy_job){.src = arg[0], .dst = arg[1], .bytes = arg[4] - arg[0]};
}

/* phase1_dst, phase2_dst, phase2_dst_end, value and number of work-items as two 32-bit words */
static void fill(const uint64_t *arg, struct copy_job *job)
{
    *job = (struct copy_job){
        .dst = arg[0], .bytes = arg[2] - arg[0], .pattern = (uint32_t)arg[3], .is_fill = true};
}

static const struct blit_kernel blit_kernels[] = {
    {"CopyAligned",
     {0xc00a0100, 0, 0xc00a0200, 0x10, 0xc00a0300, 0x20, 0xc00a0400, 0x30, 0xc00a0500, 0x40, 0xc0020600,
      0x50},
     12,
     10,
     copy_aligned},
    {"CopyMisaligned",
     {0xc00a0100, 0, 0xc00a0200, 0x10, 0xc00a0300, 0x20, 0xc0020400, 0x30},
     8,
     6,
     copy_misaligned},
    {"CopyAligned of gfx10",
     {0xf4080100, 0xfa000000, 0xf4080200, 0xfa000010, 0xf4080300, 0xfa000020, 0xf4080400, 0xfa000030,
      0xf4080500, 0xfa000040, 0xf4000600, 0xfa000050},
     12,
     10,
     copy_aligned},
    {"CopyMisaligned of gfx10",
     {0xf4080100, 0xfa000000, 0xf4080200, 0xfa000010, 0xf4080300, 0xfa000020, 0xf4000400, 0xfa000030},
     8,
     6,
     copy_misaligned},
    {"Fill of gfx10", {0xf4080100, 0xfa000000, 0xf4080200, 0xfa000010, 0xbf8cc07f}, 5, 4, fill},
    {"Fill", {0xc00a0100, 0, 0xc00a0200, 0x10, 0xbf8c007f}, 5, 4, fill},
};

bool blit_recognise(struct sg_cp *cp, uint64_t kernel_object, uint64_t kernarg, struct copy_job *job)
{
    /* kernel_code_entry_byte_offset lies at byte 16 of the descriptor, old and new. */
    const uint8_t *descriptor = cp_host(cp, kernel_object, 64);
    int64_t entry;
    if (!descriptor)
        return false;
    memcpy(&entry, descriptor + 16, sizeof entry);
    for (size_t i = 0; i < sizeof blit_kernels / sizeof blit_kernels[0]; i++) {
        const struct blit_kernel *k = &blit_kernels[i];
        const void *code = cp_host(cp, kernel_object + (uint64_t)entry, k->words * 4);
        const uint64_t *arg = kernarg % 8 ? NULL : cp_host(cp, kernarg, k->args * 8);
        if (code && arg && !memcmp(code, k->word, k->words * 4)) {
            k->describe(arg, job);
            return true;
        }
    }
    return false;
}
