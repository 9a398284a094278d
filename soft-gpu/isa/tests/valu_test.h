/*
 * valu_test.h - what the tests of vector instructions share: one wavefront, and assembly text that it runs.
 */
#ifndef SOFT_GPU_ISA_VALU_TEST_H
#define SOFT_GPU_ISA_VALU_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "gcn/tests/assemble.h"
#include "engine.h"
#include "soft-gpu/isa/code/bits.h"

enum { VCC = 106, EXEC = 126, MODE_DEFAULT = 0x3f0 };

static struct sg_wave_image image;

static inline void set_exec(uint64_t exec)
{
    image.s[EXEC] = (uint32_t)exec;
    image.s[EXEC + 1] = (uint32_t)(exec >> 32);
}
static inline uint64_t pair(unsigned s)
{
    return image.s[s] | (uint64_t)image.s[s + 1] << 32;
}
/* All registers 0, all lanes on. */
static inline void reset(void)
{
    memset(&image, 0, sizeof image);
    image.mode = MODE_DEFAULT;
    set_exec(~0ull);
}
/* Runs lines of assembly. */
static inline void run_on(const char *arch, const char *text)
{
    const struct code *c = assemble(arch, text);
    struct sg_fault fault = {0};
    if (sg_engine_exec_raw(ls_gpu_find_emulated(arch), NULL, c->words, c->n, &image, &fault))
        fail_msg("%s: %s", fault.instruction, fault.message);
}
static inline void set_row(unsigned row, uint32_t value)
{
    for (unsigned lane = 0; lane < 64; lane++)
        image.v[row][lane] = value;
}
#endif
