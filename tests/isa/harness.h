/*
 * harness.h - the differential test's frame. A generator makes cases (one instruction as assembler text, how
 * to fill the registers, how the reference changes them); the harness assembles all of them with one llvm-mc
 * run per target, executes each on the engine and on the reference, and compares the whole state.
 */
#ifndef TESTS_ISA_HARNESS_H
#define TESTS_ISA_HARNESS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "soft-gpu/isa/engine.h"

/* ---- Random numbers: xorshift, seeded per case, so that a failure repeats alone. ---- */
struct rng {
    uint64_t s;
};
uint64_t rng64(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t n);

/* ---- What the reference says. ---- */
enum value_type {
    T_NONE,
    T_B16,
    T_F16,
    T_B32,
    T_F32,
    T_B64,
    T_F64,
    T_PK16,  /* two 16-bit integers in a dword */
    T_PKF16, /* two binary16 in a dword */
    T_PKF32, /* two binary32 in a register pair */
    T_BF16x2,
    T_B128,
    T_BIT, /* one bit per lane in a scalar pair */
};
unsigned type_dwords(enum value_type t);

enum { MAX_ALT = 8 };
/* How one destination may differ from the reference's value and still be right: NaN payloads are free, the
 * result may be off by `ulp` units,
 * or equal to one of the alternatives that the documentation leaves open. */
struct note {
    uint16_t row; /* vector row, or scalar index if `scalar` */
    uint8_t lane, dwords;
    uint8_t type; /* enum value_type */
    bool scalar;
    bool any; /* not defined for these inputs */
    uint8_t n_alt;
    uint64_t alt[MAX_ALT];
    uint64_t ignore; /* bits of a scalar that are not defined */
    double ulp;      /* in units of the destination's format */
    double abs;      /* absolute tolerance */
};

enum { MEM_BYTES = 16384 };
/* GPU address at which the test's global memory appears. */
#define MEM_VA 0x7000000000ull

struct expect {
    const struct ls_gpu *arch;
    struct sg_wave_image *w;
    uint8_t *mem;
    struct note *note;
    size_t n_notes, cap_notes;
};
/* A fresh, zeroed note. */
struct note *expect_note(struct expect *e);

static inline uint64_t img_s64(const struct sg_wave_image *w, unsigned i)
{
    return (uint64_t)w->s[i] | (uint64_t)w->s[i + 1] << 32;
}
static inline void img_set_s64(struct sg_wave_image *w, unsigned i, uint64_t v)
{
    w->s[i] = (uint32_t)v;
    w->s[i + 1] = (uint32_t)(v >> 32);
}

/* ---- Cases. ---- */
enum arch_bit { A_90A = 1, A_942 = 2, A_950 = 4, A_ALL = 7, A_1030 = 8 /* what it alone has of these */ };

struct tcase {
    const char *name; /* base mnemonic, static text; the summary counts by it */
    char text[224];   /* assembler line(s) separated by ';' */
    uint32_t words[24];
    unsigned n_words;
    bool rejected;  /* the assembler does not accept it on this target */
    uint8_t rounds; /* executions with different EXEC patterns and values; 0 = default */
    bool uses_mem;  /* give it LDS and global memory, compare them */
    uint8_t fault;  /* enum sg_fault_kind with which it must stop; 0: none. Nothing else is compared then. */
    void (*fill)(const struct tcase *c, struct rng *r, struct sg_wave_image *w, uint8_t *mem);
    void (*ref)(const struct tcase *c, struct expect *e);
    void *data; /* owned by the case; freed with free() */
    uint64_t seed;
};

struct suite {
    const struct ls_gpu *arch;
    enum arch_bit bit;
    bool gfx11;       /* with `rdna`: gfx11 */
    bool rdna;        /* gfx10, in wavefronts of 64 lanes: cases are written with gfx9's names */
    const char *only; /* mnemonic prefix, or NULL */
    unsigned scale;   /* 1: default ctest run; more: exhaustive; 0: a third of the rounds */
    struct tcase *cases;
    size_t n, cap;
};

/* Appends a case, zeroed but for name, seed and its data, which is that many bytes of zero (0: the
 * caller sets it). Exits the program when memory
 * runs out. */
struct tcase *suite_add(struct suite *s, const char *name, size_t bytes);
void text_add(struct tcase *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends n registers from row `row` on (0..255 VGPRs, 256..511 AccVGPRs) as the assembler names them. */
void text_rows(struct tcase *c, unsigned row, unsigned n);
/* prefix and rest as one name that lives as long as the program. Exits the program when memory runs out. */
const char *keep_name(const char *prefix, const char *rest);
/* True if the suite's filter selects the mnemonic. */
bool suite_wants(const struct suite *s, const char *name);

/* Generators, one per instruction family. */
void gen_valu(struct suite *s);
void gen_salu(struct suite *s);
void gen_lane(struct suite *s);
void gen_ds(struct suite *s);
void gen_global(struct suite *s);
void gen_buffer(struct suite *s);
void gen_mfma(struct suite *s);
void gen_scaled(struct suite *s);
void gen_sparse(struct suite *s);
void gen_blocks(struct suite *s);
void gen_smem_write(struct suite *s);
void gen_format(struct suite *s);
void gen_lds_special(struct suite *s);
void gen_stochastic(struct suite *s);
void gen_bitop(struct suite *s);
void gen_control(struct suite *s);

#endif
