/*
 * ref_mem.h - reference of memory operations: what a load, a store or an atomic does to the bytes at one
 * address. Shared by LDS, global, flat and buffer instructions.
 */
#ifndef TESTS_ISA_REF_MEM_H
#define TESTS_ISA_REF_MEM_H

#include "harness.h"

enum mem_kind { M_LOAD, M_STORE, M_ATOMIC };
enum mem_flags {
    M_SIGNED = 1,  /* sub-dword load: sign-extend */
    M_D16 = 2,     /* load into the low half */
    M_D16_HI = 4,  /* load into, or store from, the high half */
    M_FLOAT = 8,   /* data is float: no NaN, no denormals in the test's values */
    M_CMP = 16,    /* two data operands: value and compare (order differs between LDS and global) */
    M_HALVES = 32, /* packed binary16 or bfloat16 values */
};
typedef uint64_t (*atomic_fn)(uint64_t old, uint64_t data, uint64_t data2);
struct mem_op {
    const char *name;
    uint8_t kind, bytes; /* bytes per access */
    uint8_t flags;
    uint8_t arch;
    atomic_fn fn;
};
struct mem_list {
    const struct mem_op *op;
    size_t n;
};
/* Names without prefix ("load_dword", "atomic_add"), for global_, flat_, buffer_. */
extern const struct mem_list ref_vmem_ops;
/* LDS: single-address forms. Atomics stand once; the generator adds the returning form. */
extern const struct mem_list ref_ds_ops;

/* Data operand of up to 8 bytes that a lane holds in rows from `row` on. */
static inline uint64_t mem_data(const struct sg_wave_image *w, unsigned row, unsigned lane, unsigned bytes)
{
    uint64_t v = w->v[row][lane];
    return bytes > 4 ? v | (uint64_t)w->v[row + 1][lane] << 32 : v;
}
/* The bits of a register that a D16 load into that half of it leaves. With ECC, and on gfx90a without it, too, none:
 * LLVM's review D112635 found so, and AMD's Tensile relies on it (HasEccHalf). RDNA has no ECC there, and its document
 * calls these loads masked. */
static inline uint32_t mem_kept(const struct ls_gpu *arch, bool high)
{
    return arch->family->encoding < 10 ? 0 : high ? 0xffff : 0xffff0000;
}
/* Destination dword of a load of up to 4 bytes, which held `old`. */
uint32_t mem_extend(const struct ls_gpu *arch, const struct mem_op *op, uint32_t raw, uint32_t old);
/* A value for an operand or the memory cell of the operation. */
uint64_t mem_value(const struct mem_op *op, struct rng *r);

#endif
