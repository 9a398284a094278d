/* descriptor.c - see descriptor.h. */
#include "descriptor.h"

#include <string.h>

/* As it lies in memory; the bytes between are reserved. */
struct layout {
    uint32_t sizes[3], reserved; /* of group, private and kernarg segments */
    int64_t entry;
    uint32_t reserved_too[5], rsrc3, rsrc1, rsrc2;
    uint16_t properties, preload; /* preload: 7 bits of length, 9 of offset */
    uint32_t reserved_last;
};
_Static_assert(sizeof(struct layout) == LS_DESCRIPTOR_BYTES, "a kernel descriptor has 64 bytes");

struct ls_descriptor ls_descriptor_of(const void *bytes)
{
    struct layout l;
    memcpy(&l, bytes, sizeof l);
    return (struct ls_descriptor){.entry = l.entry,
                                  .rsrc1 = l.rsrc1,
                                  .rsrc2 = l.rsrc2,
                                  .rsrc3 = l.rsrc3,
                                  .properties = l.properties,
                                  .preload_dwords = l.preload & 127u,
                                  .preload_first = l.preload >> 7};
}

struct ls_kernel_registers ls_registers_of(const void *bytes)
{
    const struct ls_descriptor d = ls_descriptor_of(bytes);
    return (struct ls_kernel_registers){.known = true,
                                        .wave32 = d.properties & LS_KERNEL_WAVEFRONT_SIZE32,
                                        .wgp_mode = d.rsrc1 >> 29 & 1,
                                        .vgpr_blocks = d.rsrc1 & 0x3f,
                                        .sgpr_blocks = d.rsrc1 >> 6 & 0xf};
}
