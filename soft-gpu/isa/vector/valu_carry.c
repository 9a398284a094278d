/*
 * valu_carry.c - operations with a lane mask in a scalar pair: additions and subtractions with carry,
 * v_cndmask, v_mad_u64_u32 and v_mad_i64_i32. Semantics: MI200 ISA chapter 12. Inactive lanes get a 0 in a
 * mask written.
 *
 * Fields of the micro-operations: d, a, b as usual, c the mask read (or the 64-bit addend), imm where the
 * mask written goes.
 */
#include "valu.h"
#include "soft-gpu/isa/code/code.h"

typedef uint32_t u32;
typedef uint64_t u64;

/* ---- Words of sixteen lanes: one register of AVX-512, two of AVX2. ---- */

enum { SIXTEEN = 16 };
typedef u32 w16 __attribute__((vector_size(4 * SIXTEEN)));
typedef int32_t signed16 __attribute__((vector_size(4 * SIXTEEN)));
typedef bool mask16 __attribute__((ext_vector_type(SIXTEEN)));
#define INLINE static inline __attribute__((always_inline))

INLINE w16 load16(const u32 *row, unsigned g)
{
    return *(const w16 *)(const void *)(row + g);
}

/* `yes` where the mask's words are all ones. */
INLINE void put16(u32 *row, unsigned g, w16 value, const u32 *mask)
{
    if (mask)
        value = (value & load16(mask, g)) | (load16(row, g) & ~load16(mask, g));
    *(w16 *)(void *)(row + g) = value;
}

/* All ones for each set bit of bits[g..g+15]. */
INLINE w16 spread16(u64 bits, unsigned g)
{
    const w16 select = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                        1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    return (w16)(((u32)(bits >> g) & select) == select);
}

INLINE u64 top16(w16 words, unsigned g)
{
    const mask16 top = __builtin_convertvector((signed16)words < 0, mask16);
    uint16_t bits;
    memcpy(&bits, &top, sizeof bits);
    return (u64)bits << g;
}

/* Sum or difference, and its carry in the top bit of a word: there the inputs of the top position and its
 * result tell. `in` is all ones where a carry comes in. */
enum carry_kind { ADD, SUB, SUBREV };
struct sum {
    w16 r, carry;
};
INLINE struct sum sum16(enum carry_kind kind, w16 x, w16 y, w16 in)
{
    if (kind == ADD) {
        const w16 r = x + y - in;
        return (struct sum){r, (x & y) | ((x | y) & ~r)};
    }
    if (kind == SUBREV) {
        const w16 t = x;
        x = y;
        y = t;
    }
    const w16 r = x - y + in;
    return (struct sum){r, (~x & y) | ((~x | y) & r)};
}

/* ---- Additions and subtractions ---- */

/* A source: a row, or a scalar. */
struct source {
    bool is_row;
    const u32 *row;
    w16 scalar;
};
INLINE struct source source_of(bool scalar, unsigned index, sg_rows v, const u32 *s)
{
    return scalar ? (struct source){.scalar = s[index] - (w16){0}}
                  : (struct source){.is_row = true, .row = v[index]};
}
INLINE w16 source16(const struct source *x, unsigned g)
{
    return x->is_row ? load16(x->row, g) : x->scalar;
}

/* Kinds of the sources: bit 0 a is scalar, bit 1 b is scalar. flags 1: clamp, which makes a carry saturate
 * the result: to all ones for ADD, to 0 for SUB. */
INLINE u64 carry_row(SG_ARGS, enum carry_kind kind, unsigned scalars, bool takes, bool clamp, const u32 *mask,
                     unsigned lanes)
{
    (void)w;
    const struct source a = source_of(scalars & 1, u->a, v, s), b = source_of(scalars & 2, u->b, v, s);
    const u64 in = takes ? sg_s64(s, u->c) : 0;
    u32 *d = v[u->d];
    u64 out = 0;
    for (unsigned g = 0; g < lanes; g += SIXTEEN) {
        struct sum x = sum16(kind, source16(&a, g), source16(&b, g), takes ? spread16(in, g) : (w16){0});
        out |= top16(x.carry, g);
        if (clamp) {
            const w16 saturate = (w16)((signed16)x.carry >> 31);
            x.r = kind == ADD ? x.r | saturate : x.r & ~saturate;
        }
        put16(d, g, x.r, mask);
    }
    return out;
}

INLINE void carry_all(SG_ARGS, enum carry_kind kind, unsigned scalars, bool takes, unsigned lanes)
{
    u64 out;
    if (__builtin_expect(u->flags & 1, 0))
        out = carry_row(w, u, v, s, kind, scalars, takes, true, w->xm, lanes);
    else if (sg_all_active(w, lanes))
        out = carry_row(w, u, v, s, kind, scalars, takes, false, NULL, lanes);
    else
        out = carry_row(w, u, v, s, kind, scalars, takes, false, w->xm, lanes);
    sg_set_mask(s, (uint32_t)u->imm, out & w->exec);
}

#define CARRY_HANDLER(NAME, KIND, SCALARS, TAKES)                                                            \
    CARRY_HANDLER_OF(NAME, SG_MAX_LANES, KIND, SCALARS, TAKES)                                               \
    CARRY_HANDLER_OF(NAME##_low, SG_HALF_LANES, KIND, SCALARS, TAKES) SG_LOW(NAME)
#define CARRY_HANDLER_OF(NAME, LANES, KIND, SCALARS, TAKES)                                                  \
    SG_WIDE static int NAME(SG_ARGS)                                                                         \
    {                                                                                                        \
        carry_all(w, u, v, s, KIND, SCALARS, TAKES, LANES);                                                  \
        SG_NEXT();                                                                                           \
    }
#define CARRY_FAMILY(NAME, KIND, TAKES)                                                                      \
    CARRY_HANDLER(NAME##_vv, KIND, 0, TAKES)                                                                 \
    CARRY_HANDLER(NAME##_sv, KIND, 1, TAKES)                                                                 \
    CARRY_HANDLER(NAME##_vs, KIND, 2, TAKES)                                                                 \
    static const sg_fn NAME##_fns[8] = {NAME##_vv, NAME##_sv, NAME##_vs};
CARRY_FAMILY(add_co, ADD, false)
CARRY_FAMILY(sub_co, SUB, false)
CARRY_FAMILY(subrev_co, SUBREV, false)
CARRY_FAMILY(addc_co, ADD, true)
CARRY_FAMILY(subb_co, SUB, true)
CARRY_FAMILY(subbrev_co, SUBREV, true)

/* ---- Both halves of a 64-bit addition at once: v_add_co_u32 and the v_addc_co_u32 behind it. Lane by lane
 * the second one sees what the first has written, so rows may be shared in any way. ---- */

static bool carry_pair_fits(const struct sg_uop *low, const struct sg_uop *high)
{
    const unsigned written = (unsigned)low->imm & 0xffff;
    /* A row number that happens to be the same as the mask's index costs a fusion, nothing else. */
    return !low->flags && !high->flags && high->c == written && high->a != written &&
           high->a != written + 1 && high->b != written && high->b != written + 1;
}

/* Sum or difference into which no carry comes; all ones where one goes out. */
struct whole {
    w16 r, carry;
};
INLINE struct whole whole16(enum carry_kind kind, w16 x, w16 y)
{
    const w16 r = kind == ADD ? x + y : x - y;
    return (struct whole){r, (w16)(kind == ADD ? r < x : x < y)};
}

/* `seen`: somebody gets the second one's mask. */
INLINE void carry_pair(SG_ARGS, enum carry_kind kind, unsigned low_scalars, unsigned high_scalars,
                       const u32 *mask, bool seen, unsigned lanes)
{
    const struct sg_uop *h = u + 1;
    const struct source a = source_of(low_scalars & 1, u->a, v, s),
                        b = source_of(low_scalars & 2, u->b, v, s);
    const struct source c = source_of(high_scalars & 1, h->a, v, s),
                        d = source_of(high_scalars & 2, h->b, v, s);
    u32 *low = v[u->d], *high = v[h->d];
    u64 middle = 0, out = 0;
    for (unsigned g = 0; g < lanes; g += SIXTEEN) {
        const struct whole x = whole16(kind, source16(&a, g), source16(&b, g));
        put16(low, g, x.r, mask);
        /* Carries of inactive lanes go into results that are not kept. */
        const struct whole y = whole16(kind, source16(&c, g), source16(&d, g));
        const w16 r = kind == ADD ? y.r - x.carry : y.r + x.carry;
        put16(high, g, r, mask);
        middle |= top16(x.carry, g);
        if (seen)
            out |= top16(y.carry | (x.carry & (w16)((kind == ADD ? r : y.r) == 0)), g);
    }
    sg_set_mask(s, (uint32_t)u->imm, middle & w->exec);
    if (seen)
        sg_set_mask(s, (uint32_t)h->imm, out & w->exec);
}

#define PAIR_HANDLER(NAME, KIND, LOW, HIGH)                                                                  \
    SG_WIDE static int NAME(SG_ARGS)                                                                         \
    {                                                                                                        \
        if (sg_all_active(w, SG_MAX_LANES))                                                                  \
            carry_pair(w, u, v, s, KIND, LOW, HIGH, NULL, true, SG_MAX_LANES);                               \
        else                                                                                                 \
            carry_pair(w, u, v, s, KIND, LOW, HIGH, w->xm, true, SG_MAX_LANES);                              \
        SG_GOTO(u + 2);                                                                                      \
    }                                                                                                        \
    SG_WIDE static int NAME##_low(SG_ARGS)                                                                   \
    {                                                                                                        \
        if (!sg_all_active(w, SG_HALF_LANES))                                                                \
            carry_pair(w, u, v, s, KIND, LOW, HIGH, w->xm, true, SG_HALF_LANES);                             \
        else if (((uint32_t)u[1].imm & 0xffff) == SG_S_NOWHERE)                                              \
            carry_pair(w, u, v, s, KIND, LOW, HIGH, NULL, false, SG_HALF_LANES);                             \
        else                                                                                                 \
            carry_pair(w, u, v, s, KIND, LOW, HIGH, NULL, true, SG_HALF_LANES);                              \
        SG_GOTO(u + 2);                                                                                      \
    }                                                                                                        \
    SG_LOW(NAME)
#define PAIR_HANDLERS(NAME, KIND)                                                                            \
    PAIR_HANDLER(NAME##_vv_vv, KIND, 0, 0)                                                                   \
    PAIR_HANDLER(NAME##_vv_sv, KIND, 0, 1)                                                                   \
    PAIR_HANDLER(NAME##_vv_vs, KIND, 0, 2)                                                                   \
    PAIR_HANDLER(NAME##_sv_vv, KIND, 1, 0)                                                                   \
    PAIR_HANDLER(NAME##_sv_sv, KIND, 1, 1)                                                                   \
    PAIR_HANDLER(NAME##_sv_vs, KIND, 1, 2)                                                                   \
    PAIR_HANDLER(NAME##_vs_vv, KIND, 2, 0)                                                                   \
    PAIR_HANDLER(NAME##_vs_sv, KIND, 2, 1)                                                                   \
    PAIR_HANDLER(NAME##_vs_vs, KIND, 2, 2)
PAIR_HANDLERS(add64, ADD)
PAIR_HANDLERS(sub64, SUB)

#define PAIR(FIRST, SECOND, NAME, K1, K2) {FIRST##_##K1, SECOND##_##K2, NAME##_##K1##_##K2, carry_pair_fits}
#define PAIRS(FIRST, SECOND, NAME)                                                                           \
    PAIR(FIRST, SECOND, NAME, vv, vv), PAIR(FIRST, SECOND, NAME, vv, sv), PAIR(FIRST, SECOND, NAME, vv, vs), \
        PAIR(FIRST, SECOND, NAME, sv, vv), PAIR(FIRST, SECOND, NAME, sv, sv),                                \
        PAIR(FIRST, SECOND, NAME, sv, vs), PAIR(FIRST, SECOND, NAME, vs, vv),                                \
        PAIR(FIRST, SECOND, NAME, vs, sv), PAIR(FIRST, SECOND, NAME, vs, vs)
const struct sg_pair sg_valu_carry_pairs[] = {
    PAIRS(add_co, addc_co, add64), PAIRS(sub_co, subb_co, sub64), {0}};

/* ---- v_cndmask ---- */
#define CNDMASK_HANDLER(NAME, KA, KB)                                                                        \
    CNDMASK_HANDLER_OF(NAME, SG_MAX_LANES, KA, KB)                                                           \
    CNDMASK_HANDLER_OF(NAME##_low, SG_HALF_LANES, KA, KB) SG_LOW(NAME)
#define CNDMASK_HANDLER_OF(NAME, LANES, KA, KB)                                                              \
    SG_WIDE static int NAME(SG_ARGS)                                                                         \
    {                                                                                                        \
        SG_LOAD_##KA(a) SG_LOAD_##KB(b) _Alignas(64) u32 select[LANES];                                      \
        sg_spread_bits(sg_s64(s, u->c), select, LANES);                                                      \
        SG_ROW_MODE(NONE) SG_ROW_LOOP_OF(LANES, 32, NONE, sg_blend(select[i], SG_AT_##KB(b), SG_AT_##KA(a))) \
    }
CNDMASK_HANDLER(cndmask_vv, V32, V32)
CNDMASK_HANDLER(cndmask_sv, S32, V32)
CNDMASK_HANDLER(cndmask_vs, V32, S32)
CNDMASK_HANDLER(cndmask_ss, S32, S32)
static const sg_fn cndmask_fns[8] = {cndmask_vv, cndmask_sv, cndmask_vs, cndmask_ss};

/* ---- 32 x 32 + 64 bits. The mask gets bit 64 of the exact result. ---- */

typedef u64 q8 __attribute__((vector_size(sizeof(w16))));
#define LOWER ((q8){0} + 0xffffffffu)

/* Products of the lanes with even and with odd numbers. */
struct products {
    q8 even, odd;
};
INLINE struct products products16(w16 x, w16 y, bool is_signed)
{
    typedef int64_t signed8 __attribute__((vector_size(sizeof(w16))));
    const q8 a = (q8)x, b = (q8)y;
    if (is_signed)
        return (struct products){(q8)(((signed8)(a << 32) >> 32) * ((signed8)(b << 32) >> 32)),
                                 (q8)(((signed8)a >> 32) * ((signed8)b >> 32))};
    return (struct products){(a & LOWER) * (b & LOWER), (a >> 32) * (b >> 32)};
}

/* Kinds: bit 2 says that the addend is scalar. */
INLINE u64 mad64_row(SG_ARGS, bool is_signed, unsigned scalars, const u32 *mask, unsigned lanes)
{
    (void)w;
    const struct source a = source_of(scalars & 1, u->a, v, s), b = source_of(scalars & 2, u->b, v, s);
    const struct source c0 = source_of(scalars & 4, u->c, v, s), c1 = source_of(scalars & 4, u->c + 1u, v, s);
    u32 *d0 = v[u->d], *d1 = v[u->d + 1];
    u64 out = 0;
    for (unsigned g = 0; g < lanes; g += SIXTEEN) {
        const w16 addend = source16(&c1, g);
        const struct products p = products16(source16(&a, g), source16(&b, g), is_signed);
        const w16 low = (w16)((p.even & LOWER) | p.odd << 32), high = (w16)(p.even >> 32 | (p.odd & ~LOWER));
        const struct sum x = sum16(ADD, low, source16(&c0, g), (w16){0});
        struct sum y = sum16(ADD, high, addend, (w16)((signed16)x.carry >> 31));
        if (is_signed)
            y.carry ^= high ^ addend;
        out |= top16(y.carry, g);
        put16(d0, g, x.r, mask);
        put16(d1, g, y.r, mask);
    }
    return out;
}

#define MAD64_HANDLER(NAME, SIGNED, SCALARS)                                                                 \
    MAD64_HANDLER_OF(NAME, SG_MAX_LANES, SIGNED, SCALARS)                                                    \
    MAD64_HANDLER_OF(NAME##_low, SG_HALF_LANES, SIGNED, SCALARS) SG_LOW(NAME)
#define MAD64_HANDLER_OF(NAME, LANES, SIGNED, SCALARS)                                                       \
    SG_WIDE static int NAME(SG_ARGS)                                                                         \
    {                                                                                                        \
        u64 out = sg_all_active(w, LANES) ? mad64_row(w, u, v, s, SIGNED, SCALARS, NULL, LANES)              \
                                          : mad64_row(w, u, v, s, SIGNED, SCALARS, w->xm, LANES);            \
        sg_set_mask(s, (uint32_t)u->imm, out & w->exec);                                                     \
        SG_NEXT();                                                                                           \
    }
/* The same when nobody gets the mask, as gfx10's NULL says: pairs of words are added as they are multiplied. */
INLINE void mad64_unseen(SG_ARGS, bool is_signed, unsigned scalars, const u32 *mask, unsigned lanes)
{
    (void)w;
    const struct source a = source_of(scalars & 1, u->a, v, s), b = source_of(scalars & 2, u->b, v, s);
    const struct source c0 = source_of(scalars & 4, u->c, v, s), c1 = source_of(scalars & 4, u->c + 1u, v, s);
    u32 *d0 = v[u->d], *d1 = v[u->d + 1];
    for (unsigned g = 0; g < lanes; g += SIXTEEN) {
        const struct products p = products16(source16(&a, g), source16(&b, g), is_signed);
        const q8 low = (q8)source16(&c0, g), high = (q8)source16(&c1, g);
        const q8 even = p.even + ((low & LOWER) | high << 32), odd = p.odd + (low >> 32 | (high & ~LOWER));
        put16(d0, g, (w16)((even & LOWER) | odd << 32), mask);
        put16(d1, g, (w16)(even >> 32 | (odd & ~LOWER)), mask);
    }
}

#define UNSEEN_HANDLER(NAME, SIGNED, SCALARS)                                                                \
    SG_WIDE static int NAME(SG_ARGS)                                                                         \
    {                                                                                                        \
        if (sg_all_active(w, SG_MAX_LANES))                                                                  \
            mad64_unseen(w, u, v, s, SIGNED, SCALARS, NULL, SG_MAX_LANES);                                   \
        else                                                                                                 \
            mad64_unseen(w, u, v, s, SIGNED, SCALARS, w->xm, SG_MAX_LANES);                                  \
        SG_NEXT();                                                                                           \
    }                                                                                                        \
    SG_WIDE static int NAME##_low(SG_ARGS)                                                                   \
    {                                                                                                        \
        const sg_fn self = u->fn;                                                                            \
        if (sg_all_active(w, SG_HALF_LANES))                                                                 \
            do {                                                                                             \
                mad64_unseen(w, u++, v, s, SIGNED, SCALARS, NULL, SG_HALF_LANES);                            \
                SG_HIDE(u);                                                                                  \
            } while (u->fn == self);                                                                         \
        else                                                                                                 \
            mad64_unseen(w, u++, v, s, SIGNED, SCALARS, w->xm, SG_HALF_LANES);                               \
        SG_HIDE(u);                                                                                          \
        SG_GOTO(u);                                                                                          \
    }                                                                                                        \
    SG_LOW(NAME)

#define MAD64_FAMILY(NAME, HANDLER, SIGNED)                                                                  \
    HANDLER(NAME##_vvv, SIGNED, 0)                                                                           \
    HANDLER(NAME##_svv, SIGNED, 1)                                                                           \
    HANDLER(NAME##_vsv, SIGNED, 2)                                                                           \
    HANDLER(NAME##_vvs, SIGNED, 4)                                                                           \
    HANDLER(NAME##_svs, SIGNED, 5)                                                                           \
    HANDLER(NAME##_vss, SIGNED, 6)                                                                           \
    static const sg_fn NAME##_fns[8] = {NAME##_vvv, NAME##_svv, NAME##_vsv, NULL,                            \
                                        NAME##_vvs, NAME##_svs, NAME##_vss};
MAD64_FAMILY(mad_u64_u32, MAD64_HANDLER, false)
MAD64_FAMILY(mad_i64_i32, MAD64_HANDLER, true)
MAD64_FAMILY(mad_u64_u32_unseen, UNSEEN_HANDLER, false)
MAD64_FAMILY(mad_i64_i32_unseen, UNSEEN_HANDLER, true)

/* The same when nobody looks at the upper half of the result: signed or not, the lower one is this. */
#define op_mad_u32(a, b, c) ((a) * (b) + (c))
SG_FAMILY3_FAST(mad_u32, 32, 32, 32, 32, NONE)

/* ---- Builders ---- */

/* Sources 0 and 1; a scalar is spread over a row where the handler table has no such variant (with `extra`
 * kind bits of the third source). */
static unsigned two_sources(struct sg_builder *b, const struct gcn_inst *in, enum sg_vtype type,
                            const sg_fn *fns, unsigned extra, unsigned index[2])
{
    unsigned kinds = extra;
    for (unsigned k = 0; k < 2; k++) {
        struct sg_valu_source src = sg_valu_source(b, in, k, type);
        kinds |= (unsigned)src.scalar << k;
        index[k] = src.index;
    }
    for (unsigned k = 0; k < 2 && !fns[kinds]; k++)
        if (kinds >> k & 1) {
            unsigned row = sg_temp_rows(b, 1);
            sg_emit(b, sg_valu_splat32, row, index[k], 0, 0);
            index[k] = row;
            kinds &= ~(1u << k);
        }
    return kinds;
}

static bool build_carry(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    const bool takes_carry = op->aux;
    if (takes_carry && sg_valu_is_row(&in->src[2]))
        return false;
    unsigned index[2], kinds = two_sources(b, in, SG_T_B32, op->fns, 0, index);
    unsigned carry = takes_carry ? sg_scalar_source64(b, &in->src[2], false) : 0;
    struct sg_uop *u = sg_emit(b, op->fns[kinds], sg_row(&in->dst), index[0], index[1], carry);
    u->imm = (int32_t)sg_mask_place(b, in->sdst.index);
    u->flags = in->clamp;
    if (sg_valu_is_exec(&in->sdst))
        sg_emit_exec_refresh(b);
    return true;
}

static bool build_cndmask(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    if (sg_valu_is_row(&in->src[2]))
        return false;
    unsigned index[2], kinds = two_sources(b, in, SG_T_F32, op->fns, 0, index);
    unsigned select = sg_scalar_source64(b, &in->src[2], false);
    sg_emit(b, op->fns[kinds], sg_row(&in->dst), index[0], index[1], select);
    return true;
}

/* Of halves of rows ("RDNA3 Instruction Set Architecture", V_CNDMASK_B16). */
static bool build_cndmask16(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    if (sg_valu_is_row(&in->src[2]))
        return false;
    unsigned index[2], kinds = two_sources(b, in, SG_T_F16, op->fns, 0, index);
    unsigned select = sg_scalar_source64(b, &in->src[2], false), d = sg_temp_rows(b, 1);
    sg_emit(b, op->fns[kinds], d, index[0], index[1], select);
    sg_valu_insert_half(b, sg_row(&in->dst), d, in->op_sel & 8);
    return true;
}

static bool build_mad64(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    if (in->clamp)
        return false;
    const sg_fn *fns = op->fns;
    if (sg_builder_narrow(b))
        fns = mad_u32_fns;
    else if (in->sdst.index == SG_S_NOWHERE)
        fns = fns == mad_u64_u32_fns ? mad_u64_u32_unseen_fns : mad_i64_i32_unseen_fns;
    struct sg_valu_source addend = sg_valu_source(b, in, 2, SG_T_B64);
    unsigned index[2], kinds = two_sources(b, in, SG_T_B32, fns, addend.scalar ? 4 : 0, index);
    sg_emit(b, fns[kinds], sg_row(&in->dst), index[0], index[1], addend.index)->imm =
        (int32_t)sg_mask_place(b, in->sdst.index);
    if (sg_valu_is_exec(&in->sdst))
        sg_emit_exec_refresh(b);
    return true;
}

#define ENTRY(NAME, FNS, BUILD, AUX) {.op = GCN_OP_V_##NAME, .fns = FNS##_fns, .aux = AUX, .build = BUILD}

const struct sg_valu_op sg_valu_carry_ops[] = {
    ENTRY(ADD_CO_U32, add_co, build_carry, 0),
    ENTRY(SUB_CO_U32, sub_co, build_carry, 0),
    ENTRY(SUBREV_CO_U32, subrev_co, build_carry, 0),
    ENTRY(ADDC_CO_U32, addc_co, build_carry, 1),
    ENTRY(SUBB_CO_U32, subb_co, build_carry, 1),
    ENTRY(SUBBREV_CO_U32, subbrev_co, build_carry, 1),
    ENTRY(CNDMASK_B32, cndmask, build_cndmask, 0),
    ENTRY(MAD_U64_U32, mad_u64_u32, build_mad64, 0),
    ENTRY(MAD_I64_I32, mad_i64_i32, build_mad64, 0),
    ENTRY(CNDMASK_B16, cndmask, build_cndmask16, 0),
    {0},
};
