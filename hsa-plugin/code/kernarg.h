/*
 * kernarg.h - the clone's kernel argument block.
 *
 * The compiler pass gives the clone one more pointer argument behind the explicit ones: at H, the original's
 * end of explicit arguments rounded up to 8. Everything from H on (the hidden arguments) moves by 8. See
 * docs on the clone's ABI; sizes come from the two kernel descriptors.
 */
#ifndef HSA_PLUGIN_KERNARG_H
#define HSA_PLUGIN_KERNARG_H

#include <stddef.h>
#include <stdint.h>

/* NULL when a block of the original (orig bytes) holds all that a clone's block (clone bytes, context pointer
 * at h) needs; otherwise the reason, static text. */
const char *ls_kernarg_check(uint32_t orig, uint32_t clone, uint32_t h);
/* Fills dst[0..clone). Only for sizes that ls_kernarg_check accepted. */
void ls_kernarg_build(void *dst, uint32_t clone, const void *src, uint32_t orig, uint32_t h, uint64_t ctx);

#endif
