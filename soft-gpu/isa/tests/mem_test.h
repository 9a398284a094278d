/*
 * mem_test.h - what the tests of memory instructions share: a wavefront with a memory map around it, and
 * assembly text that it runs.
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
#include "gcn/tests/assemble.h"
#include "engine.h"

struct bench {
    const struct ls_gpu *arch;
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
    t->arch = ls_gpu_find_emulated(arch);
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

/* Runs one instruction: what sg_engine_exec_raw answers. */
__attribute__((format(printf, 2, 3))) static inline int run(struct bench *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const struct code *c = assemble_format(t->arch->name, format, list);
    va_end(list);
    return sg_engine_exec_raw(t->arch, t->mem, c->words, c->n, t->image, &t->fault);
}

/* Likewise; it must be able to. */
__attribute__((format(printf, 2, 3))) static inline void run_ok(struct bench *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const struct code *c = assemble_format(t->arch->name, format, list);
    va_end(list);
    if (sg_engine_exec_raw(t->arch, t->mem, c->words, c->n, t->image, &t->fault))
        fail_msg("stopped: %s: %s", t->fault.instruction, t->fault.message);
}

/* Registers of an element. */
static inline unsigned dwords_of(unsigned bytes)
{
    return bytes < 4 ? 1 : bytes / 4;
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
