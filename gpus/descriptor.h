/*
 * descriptor.h - what a kernel descriptor says (LLVM, AMDGPUUsage, "Kernel Descriptor"): the one reader of its 64 bytes.
 */
#ifndef GPUS_DESCRIPTOR_H
#define GPUS_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LS_DESCRIPTOR_BYTES = 64 };

/* Which user SGPRs are set, and the wavefront size: bits of KERNEL_CODE_PROPERTIES. */
enum {
    LS_KERNEL_PRIVATE_SEGMENT_BUFFER = 1 << 0,
    LS_KERNEL_DISPATCH_PTR = 1 << 1,
    LS_KERNEL_QUEUE_PTR = 1 << 2,
    LS_KERNEL_KERNARG_PTR = 1 << 3,
    LS_KERNEL_DISPATCH_ID = 1 << 4,
    LS_KERNEL_FLAT_SCRATCH_INIT = 1 << 5,
    LS_KERNEL_PRIVATE_SEGMENT_SIZE = 1 << 6,
    LS_KERNEL_WAVEFRONT_SIZE32 = 1 << 10,
};

/* What its readers ask; sizes of segments come from the dispatch packet and from the runtime. */
struct ls_descriptor {
    int64_t entry;                /* of the code, in bytes from the descriptor */
    uint32_t rsrc1, rsrc2, rsrc3; /* COMPUTE_PGM_RSRC1..3 */
    uint16_t properties;          /* LS_KERNEL_* */
    /* Kernel arguments that start in SGPRs: number, offset in dwords. */
    unsigned preload_dwords, preload_first;
};
/* From its 64 bytes, which need not be aligned. */
struct ls_descriptor ls_descriptor_of(const void *bytes);

/* What of it occupies a compute unit. */
struct ls_kernel_registers {
    bool known;
    bool wave32;
    bool wgp_mode;                    /* WGP_MODE, of gfx10 and later: see ls_units_of_group */
    uint8_t vgpr_blocks, sgpr_blocks; /* as granulated in COMPUTE_PGM_RSRC1 */
};
/* From the same bytes. */
struct ls_kernel_registers ls_registers_of(const void *bytes);

/* Lanes of a wavefront of the kernel, on an agent whose kernels usually have that many: both sizes may be in one program
 * where 32 are usual. */
static inline uint32_t ls_registers_lanes(const struct ls_kernel_registers *r, uint32_t usual)
{
    return r->known && usual == 32 && !r->wave32 ? 64 : usual;
}

#ifdef __cplusplus
}
#endif

#endif
