/*
 * ref_valu.h - reference of the vector ALU: one function per operation, one lane per call. The driver
 * (gen_valu_reference.c) fetches operands (register, constant, SDWA select, op_sel, DPP), applies abs and neg, calls
 * the function, then applies clamp and writes.
 */
#ifndef TESTS_ISA_REF_VALU_H
#define TESTS_ISA_REF_VALU_H

#include "harness.h"
#include "ref_num.h"

struct ref_lane {
    uint64_t s[3]; /* source bits, modifiers applied; packed sources with op_sel applied */
    uint64_t x[2]; /* upper halves of 128-bit sources: x[0] belongs to s[2] */
    uint32_t old;  /* first destination register before the instruction */
    uint64_t d, d_hi;
    bool cin, cout;
    bool clamp;    /* integer saturation asked for */
    bool ocp;      /* 8-bit floats are OCP formats (gfx950), else FNUZ (gfx942) */
    uint8_t n_alt; /* other allowed results */
    uint64_t alt[MAX_ALT];
    bool any;   /* result not defined for these inputs */
    double ulp; /* allowed error in units of the destination's last place */
    double abs; /* allowed absolute error */
};
typedef void (*ref_fn)(struct ref_lane *l);

enum ref_enc { E_VOP1, E_VOP2, E_VOPC, E_VOP3, E_VOP3P };

enum ref_flags {
    F_CO = 1 << 0,       /* writes a carry (one bit per lane) */
    F_CI = 1 << 1,       /* reads a carry */
    F_ACC = 1 << 2,      /* the destination is also source 2 */
    F_K = 1 << 3,        /* 32-bit literal is source 1 (fmamk, madmk) */
    F_AK = 1 << 4,       /* 32-bit literal is source 2 (fmaak, madak) */
    F_KEEP = 1 << 5,     /* 16-bit result: the other half of the register stays */
    F_HALF = 1 << 6,     /* 16-bit result: other half zero or unchanged, documentation leaves it open */
    F_ICLAMP = 1 << 7,   /* clamp saturates the integer result */
    F_VCCIN = 1 << 8,    /* reads VCC implicitly in VOP3 (div_fmas) */
    F_CMPX = 1 << 9,     /* writes EXEC as well */
    F_DWORD = 1 << 10,   /* function computes the whole 32-bit destination from `old` */
    F_MIX = 1 << 11,     /* op_sel_hi means "source is f16", neg_hi means abs */
    F_NOMOD = 1 << 12,   /* no abs, neg, clamp, omod although the types are float */
    F_NOCLAMP = 1 << 13, /* no clamp or omod */
    F_NOOPSEL = 1 << 14, /* VOP3P without op_sel (dot4, dot8) */
    F_OPSEL3 = 1 << 15,  /* VOP3 with op_sel */
    F_NOCONST = 1 << 16, /* sources only registers: the value of a constant is not defined */
};

struct ref_op {
    const char *name;
    uint8_t enc, dst, src[3];
    uint32_t flags;
    uint8_t arch; /* enum arch_bit mask */
    ref_fn fn;
};

struct ref_list {
    const struct ref_op *op;
    size_t n;
};
extern const struct ref_list ref_int_ops, ref_f32_ops, ref_f64_ops, ref_f16_ops, ref_pk_ops, ref_cvt_ops,
    ref_cmp_ops;

#define U0 ((uint32_t)l->s[0])
#define U1 ((uint32_t)l->s[1])
#define U2 ((uint32_t)l->s[2])
#define I0 ((int32_t)l->s[0])
#define I1 ((int32_t)l->s[1])
#define I2 ((int32_t)l->s[2])
#define H0 ((uint16_t)l->s[0])
#define H1 ((uint16_t)l->s[1])
#define H2 ((uint16_t)l->s[2])
#define Q0 (l->s[0])
#define Q1 (l->s[1])
#define Q2 (l->s[2])
#define F0 f32_of(l->s[0])
#define F1 f32_of(l->s[1])
#define F2 f32_of(l->s[2])
#define D0 f64_of(l->s[0])
#define D1 f64_of(l->s[1])
#define D2 f64_of(l->s[2])
#define HF0 f16_of(l->s[0])
#define HF1 f16_of(l->s[1])
#define HF2 f16_of(l->s[2])

/* A list X(name, encoding, dst, src0, src1, src2, flags, arch, body) becomes functions and table rows. */
#define REF_DEFINE(name, enc, dst, s0, s1, s2, flags, arch, ...)                                             \
    static void fn_##name(struct ref_lane *l)                                                                \
    {                                                                                                        \
        __VA_ARGS__;                                                                                         \
    }
#define REF_ROW(name, enc, dst, s0, s1, s2, flags, arch, ...)                                                \
    {#name, enc, dst, {s0, s1, s2}, flags, arch, fn_##name},

/* Shared by several files. */
/* Value of an 8-bit float; ocp: OCP format (gfx950), else FNUZ (gfx942). */
double ref_fp8_value(uint32_t v, bool bf8, bool ocp);
uint32_t ref_min_f16(uint32_t a, uint32_t b);
uint32_t ref_max_f16(uint32_t a, uint32_t b);

#endif
