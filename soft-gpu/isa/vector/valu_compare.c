/*
 * valu_compare.c - v_cmp and v_cmpx, all types, and v_cmp_class. Semantics: MI200 ISA chapter 12, VOPC.
 *
 * A handler computes one of five base conditions; the others are the same with the operands exchanged or the
 * result inverted. Inactive lanes get 0 in either form; v_cmpx writes EXEC as well as its scalar destination.
 */
#include "valu_float.h"

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;

enum { FLAG_INVERT = 1, FLAG_EXEC = 2 };

/* Ends a compare: d and c are the scalars of the mask's halves. `hit` has the top bit set where the condition holds, for
 * the first `lanes` lanes. */
static inline void write_mask(struct sg_wave *w, const struct sg_uop *u, uint32_t *s, const u32 *hit,
                              unsigned lanes)
{
    u64 bits = sg_top_bits(hit, lanes);
    if (u->flags & FLAG_INVERT)
        bits = ~bits;
    bits &= w->exec;
    s[u->d] = (u32)bits;
    s[u->c] = (u32)(bits >> 32);
    if (u->flags & FLAG_EXEC)
        sg_set_s64(s, SG_S_EXEC, bits);
}

/* The lane loop under another float mode stands apart: its result is forced into memory before the mode is
 * restored, or the compiler would move compares behind that. Rounding does not matter here, denormals do. */
#define SLOW_NONE(mode) 0
#define SLOW_32(mode) (((mode) & 0x30) != 0x30)
#define SLOW_64(mode) (((mode) & 0xc0) != 0xc0)
#define SLOW_16(mode) 0
#define BEGIN_NONE
#define BEGIN_32
#define BEGIN_64
#define BEGIN_16 const u32 flush_in = mode & 0x40 ? 0 : 0x3ff;

static inline unsigned enter_flushing(void)
{
    return sg_fp_enter(0, 0);
}

#define COMPARE_HANDLER(NAME, OP, KA, KB, FP)                                                                \
    COMPARE_HANDLER_OF(NAME, SG_MAX_LANES, OP, KA, KB, FP)                                                   \
    COMPARE_HANDLER_OF(NAME##_low, SG_HALF_LANES, OP, KA, KB, FP) SG_LOW(NAME)
#define COMPARE_HANDLER_OF(NAME, LANES, OP, KA, KB, FP)                                                      \
    SG_WIDE static int NAME(SG_ARGS)                                                                         \
    {                                                                                                        \
        SG_LOAD_##KA(a) SG_LOAD_##KB(b) const u32 mode = w->mode;                                            \
        (void)mode;                                                                                          \
        BEGIN_##FP if (__builtin_expect(SLOW_##FP(mode), 0))                                                 \
        {                                                                                                    \
            _Alignas(64) u32 hit[LANES];                                                                     \
            const unsigned csr = enter_flushing();                                                           \
            SG_EACH_OF(LANES)                                                                                \
            hit[i] = OP(SG_AT_##KA(a), SG_AT_##KB(b)) ? ~0u : 0;                                             \
            __asm__ volatile("" ::"r"(hit) : "memory");                                                      \
            sg_fp_leave(csr);                                                                                \
            write_mask(w, u, s, hit, LANES);                                                                 \
        }                                                                                                    \
        else                                                                                                 \
        {                                                                                                    \
            _Alignas(64) u32 hit[LANES];                                                                     \
            SG_EACH_OF(LANES)                                                                                \
            hit[i] = OP(SG_AT_##KA(a), SG_AT_##KB(b)) ? ~0u : 0;                                             \
            write_mask(w, u, s, hit, LANES);                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }
#define COMPARE_FAMILY(NAME, W, FP)                                                                          \
    COMPARE_HANDLER(NAME##_vv, op_##NAME, V##W, V##W, FP)                                                    \
    COMPARE_HANDLER(NAME##_sv, op_##NAME, S##W, V##W, FP)                                                    \
    COMPARE_HANDLER(NAME##_vs, op_##NAME, V##W, S##W, FP)                                                    \
    static const sg_fn NAME##_fns[8] = {NAME##_vv, NAME##_sv, NAME##_vs};

#define AS_i32(a) (i32)(a)
#define AS_u32(a) (a)
#define AS_i64(a) (i64)(a)
#define AS_u64(a) (a)
#define AS_i16(a) (int16_t)(a)
#define AS_u16(a) (uint16_t)(a)
#define AS_f32(a) sg_f32(a)
#define AS_f64(a) sg_f64(a)
#define AS_f16(a) SG_F16_IN(a)

#define INTEGER_CONDITIONS(T, W)                                                                             \
    COMPARE_FAMILY(lt_##T, W, NONE)                                                                          \
    COMPARE_FAMILY(le_##T, W, NONE)
#define FLOAT_CONDITIONS(T, W, FP)                                                                           \
    COMPARE_FAMILY(lt_##T, W, FP)                                                                            \
    COMPARE_FAMILY(le_##T, W, FP)                                                                            \
    COMPARE_FAMILY(eq_##T, W, FP)                                                                            \
    COMPARE_FAMILY(lg_##T, W, FP)                                                                            \
    COMPARE_FAMILY(o_##T, W, FP)

#define op_lt_i32(a, b) (AS_i32(a) < AS_i32(b))
#define op_le_i32(a, b) (AS_i32(a) <= AS_i32(b))
#define op_lt_u32(a, b) (AS_u32(a) < AS_u32(b))
#define op_le_u32(a, b) (AS_u32(a) <= AS_u32(b))
#define op_lt_i64(a, b) (AS_i64(a) < AS_i64(b))
#define op_le_i64(a, b) (AS_i64(a) <= AS_i64(b))
#define op_lt_u64(a, b) (AS_u64(a) < AS_u64(b))
#define op_le_u64(a, b) (AS_u64(a) <= AS_u64(b))
#define op_lt_i16(a, b) (AS_i16(a) < AS_i16(b))
#define op_le_i16(a, b) (AS_i16(a) <= AS_i16(b))
#define op_lt_u16(a, b) (AS_u16(a) < AS_u16(b))
#define op_le_u16(a, b) (AS_u16(a) <= AS_u16(b))
#define op_eq_u16(a, b) (AS_u16(a) == AS_u16(b))
#define op_eq_u32(a, b) ((a) == (b))
#define op_eq_u64(a, b) ((a) == (b))
INTEGER_CONDITIONS(i16, 32)
INTEGER_CONDITIONS(u16, 32)
INTEGER_CONDITIONS(i32, 32)
INTEGER_CONDITIONS(u32, 32)
INTEGER_CONDITIONS(i64, 64)
INTEGER_CONDITIONS(u64, 64)
COMPARE_FAMILY(eq_u16, 32, NONE)
COMPARE_FAMILY(eq_u32, 32, NONE)
COMPARE_FAMILY(eq_u64, 64, NONE)

#define op_lt_f32(a, b) (AS_f32(a) < AS_f32(b))
#define op_le_f32(a, b) (AS_f32(a) <= AS_f32(b))
#define op_eq_f32(a, b) (AS_f32(a) == AS_f32(b))
#define op_lg_f32(a, b) __builtin_islessgreater(AS_f32(a), AS_f32(b))
#define op_o_f32(a, b) (!__builtin_isunordered(AS_f32(a), AS_f32(b)))
#define op_lt_f64(a, b) (AS_f64(a) < AS_f64(b))
#define op_le_f64(a, b) (AS_f64(a) <= AS_f64(b))
#define op_eq_f64(a, b) (AS_f64(a) == AS_f64(b))
#define op_lg_f64(a, b) __builtin_islessgreater(AS_f64(a), AS_f64(b))
#define op_o_f64(a, b) (!__builtin_isunordered(AS_f64(a), AS_f64(b)))
#define op_lt_f16(a, b) (AS_f16(a) < AS_f16(b))
#define op_le_f16(a, b) (AS_f16(a) <= AS_f16(b))
#define op_eq_f16(a, b) (AS_f16(a) == AS_f16(b))
#define op_lg_f16(a, b) __builtin_islessgreater(AS_f16(a), AS_f16(b))
#define op_o_f16(a, b) (!__builtin_isunordered(AS_f16(a), AS_f16(b)))
FLOAT_CONDITIONS(f16, 32, 16)
FLOAT_CONDITIONS(f32, 32, 32)
FLOAT_CONDITIONS(f64, 64, 64)

/* Never; inverted: always. */
static int compare_false(SG_ARGS)
{
    static const _Alignas(64) u32 none[SG_MAX_LANES];
    (void)v;
    write_mask(w, u, s, none, SG_MAX_LANES);
    SG_NEXT();
}
static const sg_fn false_fns[8] = {compare_false, compare_false, compare_false, compare_false};

/* ---- v_cmp_class: bit of the class that `a` belongs to, out of the mask b. ---- */
enum {
    CLASS_SNAN,
    CLASS_QNAN,
    CLASS_NEG_INF,
    CLASS_NEG_NORMAL,
    CLASS_NEG_DENORMAL,
    CLASS_NEG_ZERO,
    CLASS_POS_ZERO,
    CLASS_POS_DENORMAL,
    CLASS_POS_NORMAL,
    CLASS_POS_INF
};

static inline u32 class_of(bool nan, bool quiet, bool negative, bool inf, bool normal, bool zero)
{
    u32 positive = inf      ? CLASS_POS_INF
                   : normal ? CLASS_POS_NORMAL
                   : zero   ? CLASS_POS_ZERO
                            : CLASS_POS_DENORMAL;
    u32 minus = CLASS_NEG_INF + (CLASS_POS_INF - positive);
    return nan ? (quiet ? CLASS_QNAN : CLASS_SNAN) : negative ? minus : positive;
}
static inline u32 class_f32(u32 a)
{
    u32 m = a & 0x7fffffff;
    return class_of(m > 0x7f800000, a >> 22 & 1, a >> 31, m == 0x7f800000, m >= 0x00800000, m == 0);
}
static inline u32 class_f64(u64 a)
{
    u64 m = a & 0x7fffffffffffffff;
    return class_of(m > 0x7ff0000000000000, a >> 51 & 1, a >> 63, m == 0x7ff0000000000000, m >> 52 != 0,
                    m == 0);
}
static inline u32 class_f16(u32 a)
{
    u32 m = a & 0x7fff;
    return class_of(m > 0x7c00, a >> 9 & 1, a >> 15 & 1, m == 0x7c00, m >= 0x0400, m == 0);
}
#define op_class_f32(a, b) ((b) >> class_f32(a) & 1)
#define op_class_f64(a, b) ((b) >> class_f64(a) & 1)
#define op_class_f16(a, b) ((b) >> class_f16(a) & 1)
COMPARE_HANDLER(class_f32_vv, op_class_f32, V32, V32, NONE)
COMPARE_HANDLER(class_f32_vs, op_class_f32, V32, S32, NONE)
COMPARE_HANDLER(class_f64_vv, op_class_f64, V64, V32, NONE)
COMPARE_HANDLER(class_f64_vs, op_class_f64, V64, S32, NONE)
COMPARE_HANDLER(class_f16_vv, op_class_f16, V32, V32, NONE)
COMPARE_HANDLER(class_f16_vs, op_class_f16, V32, S32, NONE)
static const sg_fn class_f32_fns[8] = {class_f32_vv, NULL, class_f32_vs};
static const sg_fn class_f64_fns[8] = {class_f64_vv, NULL, class_f64_vs};
static const sg_fn class_f16_fns[8] = {class_f16_vv, NULL, class_f16_vs};

/* ---- Builder ---- */
enum { AUX_SWAP = 1, AUX_INVERT = 2, AUX_EXEC = 4 };

static void splat_source(struct sg_builder *b, struct sg_valu_source *src, enum sg_vtype type)
{
    const bool wide = type == SG_T_F64 || type == SG_T_B64;
    unsigned d = sg_temp_rows(b, wide ? 2 : 1);
    sg_emit(b, wide ? sg_valu_splat64 : sg_valu_splat32, d, src->index, 0, 0);
    *src = (struct sg_valu_source){.scalar = false, .index = (uint16_t)d};
}

static bool build_compare(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    struct sg_valu_source src[2] = {sg_valu_source(b, in, 0, op->src[0]),
                                    sg_valu_source(b, in, 1, op->src[1])};
    if (op->aux & AUX_SWAP) {
        struct sg_valu_source first = src[0];
        src[0] = src[1];
        src[1] = first;
    }
    for (unsigned k = 0; k < 2; k++)
        if (!op->fns[src[0].scalar | src[1].scalar << 1] && src[k].scalar)
            splat_source(b, &src[k], op->src[k]);
    const bool to_exec = in->sdst.kind == GCN_OPND_NONE; /* gfx10: v_cmpx writes EXEC only */
    const uint32_t place = sg_mask_place(b, to_exec ? SG_S_EXEC : in->sdst.index);
    struct sg_uop *u = sg_emit(b, op->fns[src[0].scalar | src[1].scalar << 1], place & 0xffff, src[0].index,
                               src[1].index, place >> 16);
    u->flags = (op->aux & AUX_INVERT ? FLAG_INVERT : 0u) | (op->aux & AUX_EXEC && !to_exec ? FLAG_EXEC : 0u);
    if ((op->aux & AUX_EXEC) || sg_valu_is_exec(&in->sdst))
        sg_emit_exec_refresh(b);
    return true;
}

#define ENTRY(NAME, T, FNS, AUX)                                                                             \
    {.op = GCN_OP_V_CMP_##NAME, .src = {T, T}, .fns = FNS##_fns, .aux = AUX, .build = build_compare},        \
    {                                                                                                        \
        .op = GCN_OP_V_CMPX_##NAME, .src = {T, T}, .fns = FNS##_fns, .aux = (AUX) | AUX_EXEC,                \
        .build = build_compare                                                                               \
    }
#define INTEGER_TYPE(NAME, T, L, EQ)                                                                         \
    ENTRY(F_##NAME, T, false, 0), ENTRY(LT_##NAME, T, lt_##L, 0), ENTRY(EQ_##NAME, T, EQ, 0),                \
        ENTRY(LE_##NAME, T, le_##L, 0), ENTRY(GT_##NAME, T, lt_##L, AUX_SWAP),                               \
        ENTRY(NE_##NAME, T, EQ, AUX_INVERT), ENTRY(GE_##NAME, T, le_##L, AUX_SWAP),                          \
        ENTRY(T_##NAME, T, false, AUX_INVERT)
#define FLOAT_TYPE(NAME, T, L)                                                                               \
    ENTRY(F_##NAME, T, false, 0), ENTRY(LT_##NAME, T, lt_##L, 0), ENTRY(EQ_##NAME, T, eq_##L, 0),            \
        ENTRY(LE_##NAME, T, le_##L, 0), ENTRY(GT_##NAME, T, lt_##L, AUX_SWAP),                               \
        ENTRY(LG_##NAME, T, lg_##L, 0), ENTRY(GE_##NAME, T, le_##L, AUX_SWAP), ENTRY(O_##NAME, T, o_##L, 0), \
        ENTRY(U_##NAME, T, o_##L, AUX_INVERT), ENTRY(NGE_##NAME, T, le_##L, AUX_SWAP | AUX_INVERT),          \
        ENTRY(NLG_##NAME, T, lg_##L, AUX_INVERT), ENTRY(NGT_##NAME, T, lt_##L, AUX_SWAP | AUX_INVERT),       \
        ENTRY(NLE_##NAME, T, le_##L, AUX_INVERT), ENTRY(NEQ_##NAME, T, eq_##L, AUX_INVERT),                  \
        ENTRY(NLT_##NAME, T, lt_##L, AUX_INVERT), ENTRY(TRU_##NAME, T, false, AUX_INVERT)
#define CLASS_ENTRY(PREFIX, NAME, T, FNS, AUX)                                                               \
    {.op = GCN_OP_V_##PREFIX##_CLASS_##NAME,                                                                 \
     .src = {T, SG_T_B32},                                                                                   \
     .fns = FNS##_fns,                                                                                       \
     .aux = AUX,                                                                                             \
     .build = build_compare}

const struct sg_valu_op sg_valu_compare_ops[] = {
    FLOAT_TYPE(F16, SG_T_F16, f16),
    FLOAT_TYPE(F32, SG_T_F32, f32),
    FLOAT_TYPE(F64, SG_T_F64, f64),
    INTEGER_TYPE(I16, SG_T_B16, i16, eq_u16),
    INTEGER_TYPE(U16, SG_T_B16, u16, eq_u16),
    INTEGER_TYPE(I32, SG_T_B32, i32, eq_u32),
    INTEGER_TYPE(U32, SG_T_B32, u32, eq_u32),
    INTEGER_TYPE(I64, SG_T_B64, i64, eq_u64),
    INTEGER_TYPE(U64, SG_T_B64, u64, eq_u64),
    CLASS_ENTRY(CMP, F16, SG_T_F16, class_f16, 0),
    CLASS_ENTRY(CMP, F32, SG_T_F32, class_f32, 0),
    CLASS_ENTRY(CMP, F64, SG_T_F64, class_f64, 0),
    CLASS_ENTRY(CMPX, F16, SG_T_F16, class_f16, AUX_EXEC),
    CLASS_ENTRY(CMPX, F32, SG_T_F32, class_f32, AUX_EXEC),
    CLASS_ENTRY(CMPX, F64, SG_T_F64, class_f64, AUX_EXEC),
    {0},
};
