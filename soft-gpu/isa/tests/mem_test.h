/*
 * mem_test.h - what the tests of memory instructions share: encoders for the memory formats (AMD's ISA
 * guides, microcode formats), and a wavefront with a memory map around it.
 */
#ifndef SOFT_GPU_ISA_MEM_TEST_H
#define SOFT_GPU_ISA_MEM_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "engine.h"

struct inst {
    uint32_t w[2];
};

static inline struct inst ds(unsigned op, unsigned vdst, unsigned addr, unsigned d0, unsigned d1,
                             unsigned offset)
{
    return (struct inst){
        {0x36u << 26 | op << 17 | (offset & 0xffff), vdst << 24 | d1 << 16 | d0 << 8 | addr}};
}

enum { SEG_FLAT, SEG_SCRATCH, SEG_GLOBAL, SADDR_OFF = 0x7f, GLC = 1 << 16, SVE = 1 << 13 };

/* `bits`: GLC (sc0), SVE. */
static inline struct inst flat(unsigned seg, unsigned op, unsigned vdst, unsigned addr, unsigned data,
                               unsigned saddr, int offset, uint32_t bits)
{
    return (struct inst){{0x37u << 26 | op << 18 | seg << 14 | ((unsigned)offset & 0x1fff) | bits,
                          vdst << 24 | saddr << 16 | data << 8 | addr}};
}

enum { OFFEN = 1 << 12, IDXEN = 1 << 13, MUBUF_GLC = 1 << 14, MUBUF_LDS = 1 << 16, INLINE_0 = 128 };

/* srsrc: first SGPR, a multiple of 4. */
static inline struct inst mubuf(unsigned op, unsigned vdata, unsigned vaddr, unsigned srsrc, unsigned soffset,
                                unsigned offset, uint32_t bits)
{
    return (struct inst){
        {0x38u << 26 | op << 18 | offset | bits, soffset << 24 | (srsrc / 4) << 16 | vdata << 8 | vaddr}};
}

static inline struct inst mtbuf(unsigned op, unsigned vdata, unsigned vaddr, unsigned srsrc, unsigned soffset,
                                unsigned offset, unsigned dfmt, unsigned nfmt, uint32_t bits)
{
    return (struct inst){{0x3au << 26 | nfmt << 23 | dfmt << 19 | op << 15 | offset | bits,
                          soffset << 24 | (srsrc / 4) << 16 | vdata << 8 | vaddr}};
}

/* Image instructions. Bits of the first word; `sampler` and `resource`: first SGPRs, multiples of 4. */
enum {
    MIMG_UNRM = 1 << 12,
    MIMG_GLC = 1 << 13,
    MIMG_DA = 1 << 14,
    MIMG_A16 = 1 << 15,
    MIMG_LWE = 1 << 17,
    MIMG_D16 = 1u << 31 /* stands in the second word */
};
static inline struct inst mimg(unsigned op, unsigned vdata, unsigned vaddr, unsigned resource,
                               unsigned sampler, unsigned dmask, uint32_t bits)
{
    return (struct inst){{0x3cu << 26 | op << 18 | dmask << 8 | (bits & ~MIMG_D16),
                          (bits & MIMG_D16) | sampler / 4 << 21 | resource / 4 << 16 | vdata << 8 | vaddr}};
}

struct bench {
    const struct sg_arch *arch;
    struct sg_mem *mem;
    struct sg_wave_image *image;
    struct sg_fault fault;
    uint8_t *host; /* BENCH_BYTES, mapped at GPU_BASE */
    uint8_t *lds;  /* LDS_BYTES */
};

/* The GPU address differs from the host's, so that a missing translation shows. */
#define GPU_BASE 0x123400000000ull
enum { BENCH_BYTES = 1 << 18, LDS_BYTES = 8192 };

static inline void bench_open(struct bench *t, const char *arch)
{
    memset(t, 0, sizeof *t);
    t->arch = sg_arch_find(arch);
    t->mem = sg_mem_create();
    t->image = calloc(1, sizeof *t->image);
    t->host = calloc(1, BENCH_BYTES);
    t->lds = calloc(1, LDS_BYTES);
    assert_non_null(t->arch);
    assert_int_equal(sg_mem_map(t->mem, GPU_BASE, BENCH_BYTES, t->host, SG_RANGE_READ | SG_RANGE_WRITE), 0);
    t->image->s[126] = t->image->s[127] = UINT32_MAX;
    t->image->lds = t->lds;
    t->image->lds_bytes = LDS_BYTES;
}

static inline void bench_close(struct bench *t)
{
    sg_mem_destroy(t->mem);
    free(t->image);
    free(t->host);
    free(t->lds);
}

static inline void set_exec(struct bench *t, uint64_t exec)
{
    t->image->s[126] = (uint32_t)exec;
    t->image->s[127] = (uint32_t)(exec >> 32);
}

static inline void set_s64(struct bench *t, unsigned i, uint64_t value)
{
    t->image->s[i] = (uint32_t)value;
    t->image->s[i + 1] = (uint32_t)(value >> 32);
}

static inline void set_v64(struct bench *t, unsigned row, unsigned lane, uint64_t value)
{
    t->image->v[row][lane] = (uint32_t)value;
    t->image->v[row + 1][lane] = (uint32_t)(value >> 32);
}

static inline int run(struct bench *t, struct inst i)
{
    return sg_engine_exec_raw(t->arch, t->mem, i.w, 2, t->image, &t->fault);
}

static inline void run_ok(struct bench *t, struct inst i)
{
    int status = run(t, i);
    if (status)
        fail_msg("stopped: %s: %s", t->fault.instruction, t->fault.message);
}

static inline uint32_t host32(const struct bench *t, size_t at)
{
    uint32_t x;
    memcpy(&x, t->host + at, sizeof x);
    return x;
}
static inline void put_host32(struct bench *t, size_t at, uint32_t x)
{
    memcpy(t->host + at, &x, sizeof x);
}
static inline uint32_t lds32(const struct bench *t, size_t at)
{
    uint32_t x;
    memcpy(&x, t->lds + at, sizeof x);
    return x;
}
static inline void put_lds32(struct bench *t, size_t at, uint32_t x)
{
    memcpy(t->lds + at, &x, sizeof x);
}

#endif
