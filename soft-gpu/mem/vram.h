/*
 * vram.h - the memory of one emulated GPU: a sparse memfd that the application maps through the device file,
 * and our own mapping of all of it.
 *
 * The offset that an allocation ioctl returns is the offset in the memfd, so mmap on the device's file
 * descriptor needs no help from us. The command processor and the engine use `alias`, because the
 * application's view may be PROT_NONE or absent.
 */
#ifndef SOFT_GPU_MEM_VRAM_H
#define SOFT_GPU_MEM_VRAM_H

#include <stdint.h>

struct sg_vram;

/* Offsets are multiples of this: the distance that keeps large pages possible. */
#define SG_VRAM_ALIGN (2ull << 20)

/* Reserves `space` bytes of offsets, a multiple of SG_VRAM_ALIGN (never backed before they are written). The first
 * SG_VRAM_ALIGN bytes are nobody's: no object of the kernel's is mapped at offset 0, and libhsakmt takes 0 for memory that
 * the processor cannot map (hsakmt_fmm_register_shared_memory then leaves the object's node unset). NULL: errno says why. */
struct sg_vram *sg_vram_create(const char *name, uint64_t space);
void sg_vram_destroy(struct sg_vram *v);
/* The memfd; stays owned by the heap. */
int sg_vram_fd(const struct sg_vram *v);
/* Address in this process of offset `offset`. */
void *sg_vram_host(const struct sg_vram *v, uint64_t offset);
/* Takes `size` bytes (rounded up to SG_VRAM_ALIGN), zero-filled. 0 or -ENOMEM. Thread-safe. */
int sg_vram_alloc(struct sg_vram *v, uint64_t size, uint64_t *offset);
/* Gives them back; the pages return to the system at once. */
void sg_vram_free(struct sg_vram *v, uint64_t offset, uint64_t size);

#endif
