/*
 * valu.h - what the vector ALU files share: the descriptor of an operation, the macros that turn one scalar
 * function into row handlers, bit casts, and the float mode.
 *
 * How an instruction becomes micro-operations (build_valu.c): SDWA selects, DPP permutations, abs/neg on rows
 * and half-word selects are micro-operations of their own that write a temporary row; the operation itself
 * then sees plain rows and scalars; clamp, omod, SDWA destination selects and half-word writes follow it. So
 * an operation is written once, and only the frequent ones carry variants for speed.
 *
 * Each valu_<subject>.c ends with a table of struct sg_valu_op, one entry per mnemonic.
 */
#ifndef SOFT_GPU_ISA_VALU_H
#define SOFT_GPU_ISA_VALU_H

#include <immintrin.h>
#include <string.h>
#include "soft-gpu/isa/code/uop.h"
#include "soft-gpu/isa/code/bits.h"

/* A lane loop that stays scalar is slower, not wrong. */
#pragma clang diagnostic ignored "-Wpass-failed"

/* Kind of an operand: its width in rows, the modifiers that it takes, and its inline constants. */
enum sg_vtype {
    SG_T_NONE,
    SG_T_B32, /* 32-bit integer or bits */
    SG_T_B64,
    SG_T_F32,
    SG_T_F64,
    SG_T_F16,  /* low half of a row */
    SG_T_B16,  /* 16-bit integer in the low half of a row */
    SG_T_BF16, /* likewise, with inline constants of bf16 */
};

enum {
    SG_VOP_KEEP_HIGH = 1 << 0,    /* 16-bit result leaves the other half of the row as it was */
    SG_VOP_CLAMP_IGNORED = 1 << 1 /* result is in range by itself */
};

/* MODE register (MI200 ISA section 3.5): bits 1:0 round f32, 3:2 round f64/f16, 5:4 denormals f32, 7:6
 * denormals f64/f16, 8 DX10_CLAMP, 9 IEEE. */
enum {
    SG_MODE_F32_MASK = 0x33,
    SG_MODE_F32_DEFAULT = 0x30,
    SG_MODE_F64_MASK = 0xcc,
    SG_MODE_F64_DEFAULT = 0xc0,
};

struct sg_valu_op {
    uint16_t op;      /* enum gcn_op; 0 ends a table */
    uint8_t dst;      /* enum sg_vtype */
    uint8_t src[3];   /* enum sg_vtype */
    uint8_t flags;    /* SG_VOP_* */
    uint8_t aux;      /* meaning belongs to `build` */
    const sg_fn *fns; /* by operand kinds: bit i of the index = source i is scalar; 8 entries, NULL where
                         there is no such variant; entry 0 always exists */
    const sg_fn *modifier_fns; /* the same with abs and neg of row sources in flags; NULL: none */
    sg_fn clamp_fn;            /* all-row variant that saturates an integer result; NULL: none */
    /* NULL: sg_valu_build_plain. Returns false, with nothing appended, when it does not know the case. */
    bool (*build)(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op);
};

/* The tables; one per subject, ended by op 0. */
extern const struct sg_valu_op sg_valu_integer_ops[], sg_valu_bit_ops[], sg_valu_float32_ops[],
    sg_valu_float64_ops[], sg_valu_float16_ops[], sg_valu_compare_ops[], sg_valu_convert_ops[],
    sg_valu_transcendental_ops[], sg_valu_division_ops[], sg_valu_lane_ops[], sg_valu_carry_ops[],
    sg_valu_packed_ops[], sg_valu_dot_ops[], sg_valu_sad_ops[], sg_valu_exponent_ops[],
    sg_valu_float_num_ops[];
/* Ended by a pair without functions. */
extern const struct sg_pair sg_valu_carry_pairs[];

/* ---- Builder services (build_valu.c) ---- */

/* A source after its modifiers were dealt with. */
struct sg_valu_source {
    bool scalar;
    uint16_t index; /* row or scalar; 64-bit: the first of two */
};

/* Appends an instruction of the formats VOP* (uop.h), DPP and SDWA included, but of matrices. */
bool sg_build_valu(struct sg_builder *b, const struct gcn_inst *in);
/* Appends an instruction of scalar floating point (valu_scalar.c). */
bool sg_build_scalar_float(struct sg_builder *b, const struct gcn_inst *in);
/* As sg_build_valu, by its descriptor, which lives for the call; NULL: not known. */
bool sg_valu_build(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op);
bool sg_valu_build_plain(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op);
/* The lower half of row `from` goes into one half of row `d`, whose other half stays. */
void sg_valu_insert_half(struct sg_builder *b, unsigned d, unsigned from, bool high);
static inline bool sg_valu_is_row(const struct gcn_operand *o)
{
    return o->kind == GCN_OPND_VGPR || o->kind == GCN_OPND_AGPR;
}
/* Scalar index of a scalar operand read as `type`, before modifiers. */
unsigned sg_valu_scalar(struct sg_builder *b, const struct gcn_operand *o, enum sg_vtype type);
/* Source k read as `type` with abs, neg and op_sel applied. */
struct sg_valu_source sg_valu_source(struct sg_builder *b, const struct gcn_inst *in, unsigned k,
                                     enum sg_vtype type);
/* The same, always as a row. */
unsigned sg_valu_source_row(struct sg_builder *b, const struct gcn_inst *in, unsigned k, enum sg_vtype type);
/* Source k of a packed 16-bit operation as a row with both halves in place (valu_packed.c). */
unsigned sg_valu_packed_row(struct sg_builder *b, const struct gcn_inst *in, unsigned k, bool is_float);
/* Appends clamp and omod on the result in row `d`. */
void sg_valu_finish(struct sg_builder *b, const struct gcn_inst *in, enum sg_vtype type, unsigned d);
/* True when operand o is EXEC or a part of it. */
bool sg_valu_is_exec(const struct gcn_operand *o);

/* ---- Preparing and finishing micro-operations (valu_modifier.c) ---- */
int sg_valu_splat32(SG_ARGS); /* row d = scalar a, all lanes */
int sg_valu_splat64(SG_ARGS);
int sg_valu_bits32(SG_ARGS);        /* row d = (row a >> imm & flags) ^ x, all lanes */
int sg_valu_scalar_bits32(SG_ARGS); /* the same on scalars */
int sg_valu_bits64(SG_ARGS);        /* row pair d = pair a with the high row & flags, ^ x, all lanes */
int sg_valu_scalar_bits64(SG_ARGS);
int sg_valu_halves(
    SG_ARGS); /* row d: low half = half imm & 1 of row a, high half = half imm >> 1; then ^ x */
int sg_valu_extract(
    SG_ARGS); /* SDWA source: row d = imm bits of row a from bit x on, flags 1: sign-extended */
int sg_valu_insert(SG_ARGS);  /* SDWA destination: imm low bits of row a into row d from bit x on; flags:
                                 dst_unused. Active lanes */
int sg_valu_clamp32(SG_ARGS); /* row d in place, active lanes */
int sg_valu_clamp64(SG_ARGS);
int sg_valu_clamp16(SG_ARGS);
int sg_valu_clamp_pk16(SG_ARGS);
int sg_valu_omod32(SG_ARGS); /* imm = the omod field */
int sg_valu_omod64(SG_ARGS);
int sg_valu_omod16(SG_ARGS);
enum { SG_DPP_FETCH_INACTIVE = 1 }; /* flag of both permutations: lanes that are not active are read, too */
int sg_valu_dpp8(SG_ARGS);          /* imm rows from d on = rows from a on, permuted among eight lanes */
int sg_valu_dpp(SG_ARGS);           /* likewise, in the ways of DPP16; narrows EXEC for what follows */
int sg_valu_dpp_end(SG_ARGS);       /* EXEC as s[126..127] say */

/* ---- Bits ---- */
static inline float sg_f32_of_f16(uint32_t bits)
{
    uint16_t low = (uint16_t)bits;
    _Float16 h;
    memcpy(&h, &low, sizeof h);
    return (float)h;
}
static inline uint32_t sg_f16_of_f32(float f)
{
    _Float16 h = (_Float16)f;
    uint16_t u;
    memcpy(&u, &h, sizeof u);
    return u;
}
static inline float sg_f32_of_bf16(uint32_t bits)
{
    return sg_f32(bits << 16);
}

/* ---- Float mode ---- */

/* Sets the host's MXCSR to the given 2-bit round and denormal fields; returns what to restore. */
__attribute__((preserve_most, cold)) unsigned sg_fp_enter(unsigned round, unsigned denorm);
static inline void sg_fp_leave(unsigned csr)
{
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(csr);
}
static inline unsigned sg_fp32_begin(uint32_t mode)
{
    if (__builtin_expect((mode & SG_MODE_F32_MASK) != SG_MODE_F32_DEFAULT, 0))
        return sg_fp_enter(mode & 3, mode >> 4 & 3);
    return 0;
}
static inline unsigned sg_fp64_begin(uint32_t mode)
{
    if (__builtin_expect((mode & SG_MODE_F64_MASK) != SG_MODE_F64_DEFAULT, 0))
        return sg_fp_enter(mode >> 2 & 3, mode >> 6 & 3);
    return 0;
}
/* f16 is computed in f32, whose flushing does not help: the handler's conversions flush by these masks. */
static inline unsigned sg_fp16_begin(uint32_t mode)
{
    if (__builtin_expect((mode & SG_MODE_F64_MASK) != SG_MODE_F64_DEFAULT, 0))
        return sg_fp_enter(mode >> 2 & 3, 3);
    return 0;
}
#define SG_FP_NONE_BEGIN
#define SG_FP_NONE_END
#define SG_FP_32_BEGIN const unsigned csr_ = sg_fp32_begin(mode);
#define SG_FP_32_END                                                                                         \
    if (__builtin_expect(csr_ != 0, 0))                                                                      \
        sg_fp_leave(csr_);
#define SG_FP_64_BEGIN const unsigned csr_ = sg_fp64_begin(mode);
#define SG_FP_64_END SG_FP_32_END
#define SG_FP_16_BEGIN                                                                                       \
    const unsigned csr_ = sg_fp16_begin(mode);                                                               \
    const uint32_t flush_in = mode & 0x40 ? 0 : 0x3ff, flush_out = mode & 0x80 ? 0 : 0x3ff;                  \
    (void)flush_in;                                                                                          \
    (void)flush_out;
#define SG_FP_16_END SG_FP_32_END

/* f16 with the flushing of SG_FP_16_BEGIN: a denormal has a zero exponent. */
static inline uint32_t sg_flush16(uint32_t bits, uint32_t mask)
{
    return bits & 0x7c00 ? bits : bits & ~mask;
}
#define SG_F16_IN(bits) sg_f32_of_f16(sg_flush16((bits), flush_in))
#define SG_F16_OUT(value) sg_flush16(sg_f16_of_f32(value), flush_out)

static inline uint32_t sg_blend(uint32_t mask, uint32_t yes, uint32_t no)
{
    return (yes & mask) | (no & ~mask);
}

/* ---- Handlers from scalar functions ---- */

/* A handler that is there twice: with rows in four registers of AVX-512 and in eight of AVX2. The dynamic linker takes the one that the
 * processor has, so that an address in a table is that of the code itself. A sanitizer's run-time is not ready yet when
 * the linker asks. */
#ifdef SG_ONE_VERSION
#define SG_WIDE
#else
#define SG_WIDE __attribute__((target_clones("arch=x86-64-v4", "default")))
#endif

#define SG_EACH_OF(LANES)                                                                                    \
    _Pragma("clang loop vectorize(assume_safety) vectorize_width(16)") for (int i = 0; i < (LANES); i++)
#define SG_EACH_LANE SG_EACH_OF(SG_MAX_LANES)

/* Operand access by kind (V row, S scalar, M row with abs/neg from u->flags) and width. `n` is the name of
 * the operand and of the uop's field at once. */
#define SG_LOAD_V32(n) const uint32_t *n##0_ = v[u->n];
#define SG_AT_V32(n) n##0_ [i]
#define SG_LOAD_S32(n) const uint32_t n##0_ = s[u->n];
#define SG_AT_S32(n) n##0_
#define SG_LOAD_V64(n) const uint32_t *n##0_ = v[u->n], *n##1_ = v[u->n + 1];
#define SG_AT_V64(n) ((uint64_t)n##1_ [i] << 32 | n##0_ [i])
#define SG_LOAD_S64(n) const uint64_t n##0_ = sg_s64(s, u->n);
#define SG_AT_S64(n) n##0_
enum { SG_BIT_a = 0, SG_BIT_b = 1, SG_BIT_c = 2 };
#define SG_LOAD_M32(n)                                                                                       \
    const uint32_t *n##0_ = v[u->n];                                                                         \
    const uint32_t n##and_ = u->flags >> (3 + SG_BIT_##n) & 1 ? 0x7fffffffu : ~0u,                           \
                   n##xor_ = (u->flags >> SG_BIT_##n & 1) << 31;
#define SG_AT_M32(n) ((n##0_ [i] & n##and_) ^ n##xor_)
#define SG_LOAD_M64(n)                                                                                       \
    const uint32_t *n##1_ = v[u->n + 1], *n##0_ = v[u->n];                                                   \
    const uint32_t n##and_ = u->flags >> (3 + SG_BIT_##n) & 1 ? 0x7fffffffu : ~0u,                           \
                   n##xor_ = (u->flags >> SG_BIT_##n & 1) << 31;
#define SG_AT_M64(n) ((uint64_t)((n##1_ [i] & n##and_) ^ n##xor_) << 32 | n##0_ [i])

#define SG_DST_32 uint32_t *d0_ = v[u->d];
#define SG_PUT_32(value) d0_[i] = (value)
#define SG_MASKED_PUT_32(value) d0_[i] = sg_blend(m[i], (value), d0_[i])
#define SG_DST_64 uint32_t *d0_ = v[u->d], *d1_ = v[u->d + 1];
#define SG_PUT_64(value)                                                                                     \
    do {                                                                                                     \
        const uint64_t r_ = (value);                                                                         \
        d0_[i] = (uint32_t)r_;                                                                               \
        d1_[i] = (uint32_t)(r_ >> 32);                                                                       \
    } while (0)
#define SG_MASKED_PUT_64(value)                                                                              \
    do {                                                                                                     \
        const uint64_t r_ = (value);                                                                         \
        d0_[i] = sg_blend(m[i], (uint32_t)r_, d0_[i]);                                                       \
        d1_[i] = sg_blend(m[i], (uint32_t)(r_ >> 32), d1_[i]);                                               \
    } while (0)

/* The lane loop in two parts: DW width of the result, FP the mode it depends on, `value` the result of lane
 * i. `mode` is in scope for value. Operands are loaded between the two: loaded before the mode is set,
 * arithmetic on scalars alone could be moved up there by the compiler. */
#define SG_ROW_MODE(FP)                                                                                      \
    const uint32_t mode = w->mode;                                                                           \
    (void)mode;                                                                                              \
    SG_FP_##FP##_BEGIN
#define SG_ROW_LOOP(DW, FP, value) SG_ROW_LOOP_OF(SG_MAX_LANES, DW, FP, value)
#define SG_ROW_LOOP_OF(LANES, DW, FP, value)                                                                 \
    SG_DST_##DW if (sg_all_active(w, LANES))                                                                 \
    {                                                                                                        \
        SG_EACH_OF(LANES)                                                                                    \
        SG_PUT_##DW(value);                                                                                  \
    }                                                                                                        \
    else                                                                                                     \
    {                                                                                                        \
        const uint32_t *m = w->xm;                                                                           \
        SG_EACH_OF(LANES)                                                                                    \
        SG_MASKED_PUT_##DW(value);                                                                           \
    }                                                                                                        \
    SG_FP_##FP##_END SG_NEXT();

/* The compiler does not know what u points to from here on. Around the condition of a loop over micro-operations with one
 * handler: their addresses are compared in memory, and the next one's is loaded behind the loop. */
#define SG_HIDE(u) __asm__("" : "+r"(u))

/* For the lower half of rows. Half as many lanes for what each micro-operation costs beside them: as many as follow each
 * other with this handler run in one call, when all lanes are active. LOAD loads the operands. */
#define SG_LOW_HANDLER(NAME, DW, FP, LOAD, value)                                                            \
    SG_WIDE static int NAME##_low(SG_ARGS)                                                                   \
    {                                                                                                        \
        const sg_fn self = u->fn;                                                                            \
        SG_ROW_MODE(FP)                                                                                      \
        if (sg_all_active(w, SG_HALF_LANES))                                                                 \
            do {                                                                                             \
                LOAD SG_DST_##DW SG_EACH_OF(SG_HALF_LANES) SG_PUT_##DW(value);                               \
                u++;                                                                                         \
                SG_HIDE(u);                                                                                  \
            } while (u->fn == self);                                                                         \
        else {                                                                                               \
            const uint32_t *m = w->xm;                                                                       \
            LOAD SG_DST_##DW SG_EACH_OF(SG_HALF_LANES) SG_MASKED_PUT_##DW(value);                            \
            u++;                                                                                             \
        }                                                                                                    \
        SG_HIDE(u);                                                                                          \
        SG_FP_##FP##_END SG_GOTO(u);                                                                         \
    }                                                                                                        \
    SG_LOW(NAME)

/* Each twice: for all lanes of a row, and for its lower half. */
#define SG_HANDLER1(NAME, OP, DW, KA, FP)                                                                    \
    SG_WIDE static int NAME(SG_ARGS){SG_ROW_MODE(FP) SG_LOAD_##KA(a) SG_ROW_LOOP(                            \
        DW, FP, OP(SG_AT_##KA(a)))} SG_LOW_HANDLER(NAME, DW, FP, SG_LOAD_##KA(a), OP(SG_AT_##KA(a)))
#define SG_HANDLER2(NAME, OP, DW, KA, KB, FP)                                                                \
    SG_WIDE static int NAME(SG_ARGS){SG_ROW_MODE(FP) SG_LOAD_##KA(a) SG_LOAD_##KB(b) SG_ROW_LOOP(            \
        DW, FP, OP(SG_AT_##KA(a), SG_AT_##KB(b)))} SG_LOW_HANDLER(NAME, DW, FP,                              \
                                                                  SG_LOAD_##KA(a) SG_LOAD_##KB(b),           \
                                                                  OP(SG_AT_##KA(a), SG_AT_##KB(b)))
#define SG_HANDLER3(NAME, OP, DW, KA, KB, KC, FP)                                                            \
    SG_WIDE static int NAME(SG_ARGS){SG_ROW_MODE(FP) SG_LOAD_##KA(a) SG_LOAD_##KB(b) SG_LOAD_##KC(           \
        c) SG_ROW_LOOP(DW, FP,                                                                               \
                       OP(SG_AT_##KA(a), SG_AT_##KB(b),                                                      \
                          SG_AT_##KC(c)))} SG_LOW_HANDLER(NAME, DW, FP,                                      \
                                                          SG_LOAD_##KA(a) SG_LOAD_##KB(b) SG_LOAD_##KC(c),   \
                                                          OP(SG_AT_##KA(a), SG_AT_##KB(b), SG_AT_##KC(c)))

/* Families: NAME_fns is the table for struct sg_valu_op. AW, BW, CW are operand widths. */
#define SG_FAMILY1(NAME, DW, AW, FP)                                                                         \
    SG_HANDLER1(NAME##_v, op_##NAME, DW, V##AW, FP)                                                          \
    static const sg_fn NAME##_fns[8] = {NAME##_v};
#define SG_FAMILY2(NAME, DW, AW, BW, FP)                                                                     \
    SG_HANDLER2(NAME##_vv, op_##NAME, DW, V##AW, V##BW, FP)                                                  \
    SG_HANDLER2(NAME##_sv, op_##NAME, DW, S##AW, V##BW, FP)                                                  \
    SG_HANDLER2(NAME##_vs, op_##NAME, DW, V##AW, S##BW, FP)                                                  \
    static const sg_fn NAME##_fns[8] = {NAME##_vv, NAME##_sv, NAME##_vs};
#define SG_FAMILY3(NAME, DW, AW, BW, CW, FP)                                                                 \
    SG_HANDLER3(NAME##_vvv, op_##NAME, DW, V##AW, V##BW, V##CW, FP)                                          \
    static const sg_fn NAME##_fns[8] = {NAME##_vvv};
/* Frequent three-source operations: all operand kinds. */
#define SG_FAMILY3_FAST(NAME, DW, AW, BW, CW, FP)                                                            \
    SG_HANDLER3(NAME##_vvv, op_##NAME, DW, V##AW, V##BW, V##CW, FP)                                          \
    SG_HANDLER3(NAME##_svv, op_##NAME, DW, S##AW, V##BW, V##CW, FP)                                          \
    SG_HANDLER3(NAME##_vsv, op_##NAME, DW, V##AW, S##BW, V##CW, FP)                                          \
    SG_HANDLER3(NAME##_ssv, op_##NAME, DW, S##AW, S##BW, V##CW, FP)                                          \
    SG_HANDLER3(NAME##_vvs, op_##NAME, DW, V##AW, V##BW, S##CW, FP)                                          \
    SG_HANDLER3(NAME##_svs, op_##NAME, DW, S##AW, V##BW, S##CW, FP)                                          \
    SG_HANDLER3(NAME##_vss, op_##NAME, DW, V##AW, S##BW, S##CW, FP)                                          \
    static const sg_fn NAME##_fns[8] = {NAME##_vvv, NAME##_svv, NAME##_vsv, NAME##_ssv,                      \
                                        NAME##_vvs, NAME##_svs, NAME##_vss};
/* abs and neg on row sources without a preparing micro-operation. */
#define SG_FAMILY2_MODIFIED(NAME, DW, AW, BW, FP)                                                            \
    SG_HANDLER2(NAME##_mm, op_##NAME, DW, M##AW, M##BW, FP)                                                  \
    SG_HANDLER2(NAME##_sm, op_##NAME, DW, S##AW, M##BW, FP)                                                  \
    SG_HANDLER2(NAME##_ms, op_##NAME, DW, M##AW, S##BW, FP)                                                  \
    static const sg_fn NAME##_modifier_fns[8] = {NAME##_mm, NAME##_sm, NAME##_ms};
#define SG_FAMILY3_MODIFIED(NAME, DW, AW, BW, CW, FP)                                                        \
    SG_HANDLER3(NAME##_mmm, op_##NAME, DW, M##AW, M##BW, M##CW, FP)                                          \
    SG_HANDLER3(NAME##_smm, op_##NAME, DW, S##AW, M##BW, M##CW, FP)                                          \
    SG_HANDLER3(NAME##_msm, op_##NAME, DW, M##AW, S##BW, M##CW, FP)                                          \
    SG_HANDLER3(NAME##_mms, op_##NAME, DW, M##AW, M##BW, S##CW, FP)                                          \
    static const sg_fn NAME##_modifier_fns[8] = {NAME##_mmm, NAME##_smm, NAME##_msm, NULL, NAME##_mms};

/* Bits of a lane mask, one per lane of the first `lanes` whose 32-bit word in `row` has its top bit set. */
static inline uint64_t sg_top_bits(const uint32_t *row, unsigned lanes)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < lanes; i += 8) {
        __m256 part = _mm256_load_ps((const float *)(row + i));
        bits |= (uint64_t)(uint8_t)_mm256_movemask_ps(part) << i;
    }
    return bits;
}
/* The other way round: all-ones words for set bits. */
static inline void sg_spread_bits(uint64_t bits, uint32_t *row, unsigned lanes)
{
    const __m256i select = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    for (unsigned i = 0; i < lanes; i += 8) {
        __m256i word = _mm256_and_si256(_mm256_set1_epi32((int)(bits >> i & 255)), select);
        _mm256_store_si256((__m256i *)(row + i), _mm256_cmpeq_epi32(word, select));
    }
}

#endif
