/*
 * ref_valu_cmp.c - reference of the vector comparisons: every predicate of every type, as v_cmp (writes one
 * bit per lane) and v_cmpx (writes EXEC as well), and v_cmp_class.
 */
#include "ref_valu.h"

/* Bits of the class mask, ISA manual V_CMP_CLASS: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal,
 * +normal, +inf. */
static int class_bit(bool snan, double v, bool negative, bool denormal)
{
    if (v != v)
        return snan ? 0 : 1;
    if (isinf(v))
        return negative ? 2 : 9;
    if (v == 0)
        return negative ? 5 : 6;
    if (denormal)
        return negative ? 4 : 7;
    return negative ? 3 : 8;
}
static void class_f32(struct ref_lane *l)
{
    l->cout = U1 >> class_bit(is_snan32(U0), F0, U0 >> 31, is_denorm32(U0)) & 1;
}
static void class_f64(struct ref_lane *l)
{
    bool denormal = fpclassify(D0) == FP_SUBNORMAL;
    l->cout = U1 >> class_bit(is_snan64(Q0), D0, Q0 >> 63, denormal) & 1;
}
static void class_f16(struct ref_lane *l)
{
    l->cout = U1 >> class_bit(is_snan16(H0), HF0, H0 >> 15, is_denorm16(H0)) & 1;
}

#define PREDICATE(pred, ty, ctype, a, b, expr)                                                               \
    static void pred##_##ty(struct ref_lane *l)                                                              \
    {                                                                                                        \
        ctype x = (ctype)(a), y = (ctype)(b);                                                                \
        (void)x, (void)y;                                                                                    \
        l->cout = (expr);                                                                                    \
    }
#define INT_PREDICATES(P, ...)                                                                               \
    P(f, __VA_ARGS__, false)                                                                                 \
    P(lt, __VA_ARGS__, x < y)                                                                                \
    P(eq, __VA_ARGS__, x == y)                                                                               \
    P(le, __VA_ARGS__, x <= y)                                                                               \
    P(gt, __VA_ARGS__, x > y)                                                                                \
    P(ne, __VA_ARGS__, x != y)                                                                               \
    P(ge, __VA_ARGS__, x >= y)                                                                               \
    P(t, __VA_ARGS__, true)
#define FLOAT_PREDICATES(P, ...)                                                                             \
    P(f, __VA_ARGS__, false)                                                                                 \
    P(lt, __VA_ARGS__, x < y)                                                                                \
    P(eq, __VA_ARGS__, x == y)                                                                               \
    P(le, __VA_ARGS__, x <= y)                                                                               \
    P(gt, __VA_ARGS__, x > y)                                                                                \
    P(lg, __VA_ARGS__, x<y || x> y)                                                                          \
    P(ge, __VA_ARGS__, x >= y)                                                                               \
    P(o, __VA_ARGS__, x == x && y == y)                                                                      \
    P(u, __VA_ARGS__, x != x || y != y)                                                                      \
    P(nge, __VA_ARGS__, !(x >= y))                                                                           \
    P(nlg, __VA_ARGS__, !(x < y || x > y))                                                                   \
    P(ngt, __VA_ARGS__, !(x > y))                                                                            \
    P(nle, __VA_ARGS__, !(x <= y))                                                                           \
    P(neq, __VA_ARGS__, !(x == y))                                                                           \
    P(nlt, __VA_ARGS__, !(x < y))                                                                            \
    P(tru, __VA_ARGS__, true)

INT_PREDICATES(PREDICATE, i16, int16_t, Q0, Q1)
INT_PREDICATES(PREDICATE, u16, uint16_t, Q0, Q1)
INT_PREDICATES(PREDICATE, i32, int32_t, Q0, Q1)
INT_PREDICATES(PREDICATE, u32, uint32_t, Q0, Q1)
INT_PREDICATES(PREDICATE, i64, int64_t, Q0, Q1)
INT_PREDICATES(PREDICATE, u64, uint64_t, Q0, Q1)
FLOAT_PREDICATES(PREDICATE, f16, double, HF0, HF1)
FLOAT_PREDICATES(PREDICATE, f32, float, F0, F1)
FLOAT_PREDICATES(PREDICATE, f64, double, D0, D1)

#define ROWS(pred, ty, type, unused)                                                                         \
    {"v_cmp_" #pred "_" #ty, E_VOPC, T_BIT, {type, type}, 0, A_ALL, pred##_##ty},                            \
        {"v_cmpx_" #pred "_" #ty, E_VOPC, T_BIT, {type, type}, F_CMPX, A_ALL, pred##_##ty},
#define CLASS(ty, type, second)                                                                              \
    {"v_cmp_class_" #ty, E_VOPC, T_BIT, {type, second}, 0, A_ALL, class_##ty},                               \
        {"v_cmpx_class_" #ty, E_VOPC, T_BIT, {type, second}, F_CMPX, A_ALL, class_##ty},

static const struct ref_op table[] = {
    INT_PREDICATES(ROWS, i16, T_B16) INT_PREDICATES(ROWS, u16, T_B16) INT_PREDICATES(ROWS, i32, T_B32)
        INT_PREDICATES(ROWS, u32, T_B32) INT_PREDICATES(ROWS, i64, T_B64) INT_PREDICATES(ROWS, u64, T_B64)
            FLOAT_PREDICATES(ROWS, f16, T_F16) FLOAT_PREDICATES(ROWS, f32, T_F32)
                FLOAT_PREDICATES(ROWS, f64, T_F64) CLASS(f16, T_F16, T_B16) CLASS(f32, T_F32, T_B32)
                    CLASS(f64, T_F64, T_B32)};
const struct ref_list ref_cmp_ops = {table, sizeof table / sizeof *table};
