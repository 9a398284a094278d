/*
 * valu_test.h - what the tests of vector instructions share: encoders of the vector formats (MI200 ISA
 * chapter 12, "Microcode formats") and one wavefront to run them in.
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
#include "engine.h"

enum { V = 256, VCC = 106, EXEC = 126, MODE_DEFAULT = 0x3f0 };

struct program {
    uint32_t words[256];
    size_t n;
};

static inline void put(struct program *p, uint32_t word)
{
    assert_true(p->n < 256);
    p->words[p->n++] = word;
}
/* Sources are 9-bit: V + n a VGPR, n < 256 a scalar or an inline constant. */
static inline void vop1(struct program *p, unsigned op, unsigned dst, unsigned src0)
{
    put(p, 0x7e000000u | dst << 17 | op << 9 | src0);
}
static inline void vop2(struct program *p, unsigned op, unsigned dst, unsigned src0, unsigned vsrc1)
{
    put(p, op << 25 | dst << 17 | vsrc1 << 9 | src0);
}
static inline void vopc(struct program *p, unsigned op, unsigned src0, unsigned vsrc1)
{
    put(p, 0x7c000000u | op << 17 | vsrc1 << 9 | src0);
}
enum { CLAMP = 1 << 15, OP_SEL = 1 << 11, ABS = 1 << 8 };
/* `low`: clamp, op_sel, abs or (VOP3B) the scalar destination << 8; neg: 3 bits. */
static inline void vop3(struct program *p, unsigned op, unsigned dst, uint32_t low, unsigned a, unsigned b,
                        unsigned c, unsigned neg)
{
    put(p, 0x34u << 26 | op << 16 | low | dst);
    put(p, a | b << 9 | c << 18 | neg << 29);
}
enum { ACC_CD = 1 << 15 };
static inline void mai(struct program *p, unsigned op, unsigned dst, uint32_t low, unsigned a, unsigned b,
                       unsigned c, unsigned blgp)
{
    put(p, 0xd3800000u | op << 16 | low | dst);
    put(p, a | b << 9 | c << 18 | blgp << 29);
}
/* Second dwords after a source of 249 and 250. */
static inline void sdwa(struct program *p, unsigned src0, unsigned dst_sel, unsigned dst_unused,
                        unsigned sel0, bool sext0, unsigned sel1)
{
    put(p, src0 | dst_sel << 8 | dst_unused << 11 | sel0 << 16 | (uint32_t)sext0 << 19 | sel1 << 24);
}
static inline void dpp(struct program *p, unsigned src0, unsigned ctrl, bool bound_ctrl, unsigned bank,
                       unsigned row)
{
    put(p, src0 | ctrl << 8 | (uint32_t)bound_ctrl << 19 | bank << 24 | row << 28);
}

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
static inline void run_on(const char *arch, const struct program *p)
{
    struct sg_fault fault = {0};
    if (sg_engine_exec_raw(sg_arch_find(arch), NULL, p->words, p->n, &image, &fault))
        fail_msg("%s: %s", fault.instruction, fault.message);
}
static inline void set_row(unsigned row, uint32_t value)
{
    for (unsigned lane = 0; lane < 64; lane++)
        image.v[row][lane] = value;
}
static inline uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static inline float float_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

#endif
