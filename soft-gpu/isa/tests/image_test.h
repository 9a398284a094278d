/*
 * image_test.h - what the tests of image instructions share: a surface's and a sampler's descriptor in the registers of
 * mem_test.h's wavefront.
 */
#ifndef SOFT_GPU_ISA_IMAGE_TEST_H
#define SOFT_GPU_ISA_IMAGE_TEST_H

#include "soft-gpu/isa/image/mem_image.h"
#include "mem_test.h"
#include "soft-gpu/isa/code/bits.h"

enum { T = 8, S = 16, ADDRESS = 2, DATA = 10 }; /* first SGPR of T# and S#, first VGPRs */
enum { XYZW = 4 | 5 << 3 | 6 << 6 | 7 << 9, X001 = 4 | 1 << 9, ZYXW = 6 | 5 << 3 | 4 << 6 | 7 << 9 };
enum { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT = 7, SRGB = 9 };

struct resource {
    unsigned type, mode, data, num, select, w, h, d, pitch, first_slice;
};

static inline void put_resource(struct bench *t, const struct resource *r)
{
    uint32_t *s = &t->image->s[T];
    s[0] = (uint32_t)(GPU_BASE >> 8);
    s[1] = (uint32_t)(GPU_BASE >> 40) | r->data << 20 | r->num << 26;
    s[2] = (r->w - 1) | (r->h - 1) << 14;
    s[3] = r->select | r->mode << 20 | r->type << 28;
    s[4] = (r->d - 1) | (r->pitch - 1) << 13;
    s[5] = r->first_slice;
    s[6] = s[7] = 0;
}

static inline void put_sampler(struct bench *t, unsigned wrap, bool linear, bool unnormalised)
{
    uint32_t *s = &t->image->s[S];
    s[0] = wrap | wrap << 3 | wrap << 6 | (uint32_t)unnormalised << 15;
    s[1] = 4095 << 12;
    s[2] = linear ? 5u << 20 : 0;
    s[3] = 0;
}

#endif
