/*
 * valu_wmma_gfx12.c - v_wmma_* and v_swmmac_* of gfx12: D = A B + C with 16 x K, K x 16 and 16 x 16 matrices, which all lanes
 * hold together, each element once; EXEC does not matter. Of the sparse ones (v_swmmac) D is C, too, and of four
 * neighbours of a row of A only two are there; the third operand says which.
 *
 * Layouts (AMD's matrix instruction calculator, "rdna4") stand in the functions below, which say where an element is.
 *
 * NEG ("RDNA4 Instruction Set Architecture", section 7.9): of 16-bit elements NEG_LO[1:0] negates those with even k,
 * NEG_HI[1:0] those with odd k, NEG_LO[2] negates C and NEG_HI[2] takes its absolute value before; of integers NEG_LO[1:0]
 * says which are signed. What it does to the two of four elements of a sparse matrix is not documented: such code is refused.
 *
 * AMD publishes neither the order of additions nor what is rounded: here the products and C are summed in f64, and the sum
 * is rounded to f32, and from there to the 16 bits of narrow results, which may differ from hardware in the last place.
 */
#include "soft-gpu/isa/vector/valu_minifloat.h"
#include "valu_matrix.h"

enum { EDGE = 16, LONGEST = 64 };

enum element { F16, BF16, FP8, BF8, INTEGER, F32 };

struct form {
    uint16_t op;
    uint8_t a, b, to; /* enum element */
    uint8_t bits;     /* of an element of A and B */
    uint8_t k;
    bool sparse;
};

static const struct form forms[] = {
    {GCN_OP_V_WMMA_F32_16X16X16_F16, F16, F16, F32, 16, 16, false},
    {GCN_OP_V_WMMA_F32_16X16X16_BF16, BF16, BF16, F32, 16, 16, false},
    {GCN_OP_V_WMMA_F16_16X16X16_F16, F16, F16, F16, 16, 16, false},
    {GCN_OP_V_WMMA_BF16_16X16X16_BF16, BF16, BF16, BF16, 16, 16, false},
    {GCN_OP_V_WMMA_F32_16X16X16_FP8_FP8, FP8, FP8, F32, 8, 16, false},
    {GCN_OP_V_WMMA_F32_16X16X16_FP8_BF8, FP8, BF8, F32, 8, 16, false},
    {GCN_OP_V_WMMA_F32_16X16X16_BF8_FP8, BF8, FP8, F32, 8, 16, false},
    {GCN_OP_V_WMMA_F32_16X16X16_BF8_BF8, BF8, BF8, F32, 8, 16, false},
    {GCN_OP_V_WMMA_I32_16X16X16_IU8, INTEGER, INTEGER, INTEGER, 8, 16, false},
    {GCN_OP_V_WMMA_I32_16X16X16_IU4, INTEGER, INTEGER, INTEGER, 4, 16, false},
    {GCN_OP_V_WMMA_I32_16X16X32_IU4, INTEGER, INTEGER, INTEGER, 4, 32, false},
    {GCN_OP_V_SWMMAC_F32_16X16X32_F16, F16, F16, F32, 16, 32, true},
    {GCN_OP_V_SWMMAC_F32_16X16X32_BF16, BF16, BF16, F32, 16, 32, true},
    {GCN_OP_V_SWMMAC_F16_16X16X32_F16, F16, F16, F16, 16, 32, true},
    {GCN_OP_V_SWMMAC_BF16_16X16X32_BF16, BF16, BF16, BF16, 16, 32, true},
    {GCN_OP_V_SWMMAC_F32_16X16X32_FP8_FP8, FP8, FP8, F32, 8, 32, true},
    {GCN_OP_V_SWMMAC_F32_16X16X32_FP8_BF8, FP8, BF8, F32, 8, 32, true},
    {GCN_OP_V_SWMMAC_F32_16X16X32_BF8_FP8, BF8, FP8, F32, 8, 32, true},
    {GCN_OP_V_SWMMAC_F32_16X16X32_BF8_BF8, BF8, BF8, F32, 8, 32, true},
    {GCN_OP_V_SWMMAC_I32_16X16X32_IU8, INTEGER, INTEGER, INTEGER, 8, 32, true},
    {GCN_OP_V_SWMMAC_I32_16X16X32_IU4, INTEGER, INTEGER, INTEGER, 4, 32, true},
    {GCN_OP_V_SWMMAC_I32_16X16X64_IU4, INTEGER, INTEGER, INTEGER, 4, 64, true},
};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

/* Flags of the micro-operation; imm is the index into `forms`; a, b, c and d are rows (c of constants: the scalar; of sparse
 * forms what says where elements are); x: which part of that row. */
enum {
    FLAG_NEG_LOW = 0,  /* 3 bits: NEG_LO */
    FLAG_NEG_HIGH = 3, /* 3 bits: NEG_HI */
    FLAG_CONSTANT_C = 1 << 6,
    FLAG_CLAMP = 1 << 7,
};

/* Where an element is: bits from `bit` on in a register of a lane. */
struct spot {
    unsigned reg, bit, lane;
};

/* Element (i, k) of A, or (k, i) of B, of forms that are not sparse. */
static struct spot dense(const struct form *f, unsigned lanes, unsigned i, unsigned k)
{
    const unsigned bit = f->bits * (k % (32 / f->bits));
    const bool wide = lanes == SG_MAX_LANES;
    if (f->bits == 16)
        return wide ? (struct spot){k / 2 % 2, bit, 32 * (k / 8 % 2) + 16 * (k / 4 % 2) + i}
                    : (struct spot){2 * (k / 8) + k / 2 % 2, bit, 16 * (k / 4 % 2) + i};
    if (f->bits == 8)
        return wide ? (struct spot){0, bit, 32 * (k / 4 % 2) + 16 * (k / 8 % 2) + i}
                    : (struct spot){k / 4 % 2, bit, 16 * (k / 8) + i};
    if (f->k == 16)
        return (struct spot){0, bit, 16 * (k / 8) + i};
    return wide ? (struct spot){0, bit, 32 * (k / 8 % 2) + 16 * (k / 16 % 2) + i}
                : (struct spot){k / 8 % 2, bit, 16 * (k / 16) + i};
}

/* Element (k, j) of B of sparse forms, which is whole. */
static struct spot dense_of_sparse(const struct form *f, unsigned lanes, unsigned j, unsigned k)
{
    const unsigned bit = f->bits * (k % (32 / f->bits));
    const bool wide = lanes == SG_MAX_LANES;
    if (f->bits == 16)
        return wide ? (struct spot){k / 2 % 4, bit, 16 * (k / 8) + j}
                    : (struct spot){4 * (k / 16) + k / 2 % 4, bit, 16 * (k / 8 % 2) + j};
    if (f->bits == 8)
        return wide ? (struct spot){k / 4 % 2, bit, 32 * (k / 8 % 2) + 16 * (k / 16) + j}
                    : (struct spot){k / 4 % 4, bit, 16 * (k / 16) + j};
    if (f->k == 32)
        return wide ? (struct spot){0, bit, 32 * (k / 8 % 2) + 16 * (k / 16) + j}
                    : (struct spot){k / 8 % 2, bit, 16 * (k / 16) + j};
    return wide ? (struct spot){k / 8 % 2, bit, 32 * (k / 16 % 2) + 16 * (k / 32) + j}
                : (struct spot){k / 8 % 4, bit, 16 * (k / 32) + j};
}

/* The first of the two elements that there are of four neighbours of A, from column k on. */
static struct spot two_of_four(const struct form *f, unsigned lanes, unsigned i, unsigned k)
{
    const bool wide = lanes == SG_MAX_LANES;
    if (f->bits == 16)
        return wide ? (struct spot){k / 4 % 2, 0, 16 * (k / 8) + i}
                    : (struct spot){2 * (k / 16) + k / 4 % 2, 0, 16 * (k / 8 % 2) + i};
    if (f->bits == 8)
        return wide ? (struct spot){0, 16 * (k / 4 % 2), 32 * (k / 8 % 2) + 16 * (k / 16) + i}
                    : (struct spot){k / 8 % 2, 16 * (k / 4 % 2), 16 * (k / 16) + i};
    if (f->k == 32)
        return (struct spot){0, 8 * (k / 4 % 4), 16 * (k / 16) + i};
    return wide ? (struct spot){0, 8 * (k / 4 % 4), 32 * (k / 16 % 2) + 16 * (k / 32) + i}
                : (struct spot){k / 16 % 2, 8 * (k / 4 % 4), 16 * (k / 32) + i};
}

/* Where the register that says which of four they are has the 4 bits for these, in the same lane; `part` chooses between the
 * registers' parts, which serve several instructions. */
static unsigned places_bit(const struct form *f, unsigned lanes, unsigned k, unsigned part)
{
    const bool wide = lanes == SG_MAX_LANES;
    if (f->bits == 4 && f->k == 64 && !wide)
        return 4 * (k / 4 % 8);
    if (wide && f->bits > 4)
        return 4 * (k / 4 % 2) + 8 * (part & 3);
    return (f->bits == 16 ? 8 * (k / 16) + 4 * (k / 4 % 2) : 4 * (k / 4 % 4)) + 16 * (part & 1);
}

static double number(uint32_t bits, enum element type, unsigned width, bool is_signed)
{
    switch (type) {
    case F16:
        return (double)sg_f32_of_f16(bits & 0xffff);
    case BF16:
        return (double)sg_f32_of_bf16(bits & 0xffff);
    case FP8:
        return (double)sg_mini_decode(&sg_mini_fp8_ocp, bits & 255);
    case BF8:
        return (double)sg_mini_decode(&sg_mini_bf8_ocp, bits & 255);
    case F32:
        return (double)sg_f32(bits);
    default:
        bits <<= 32 - width;
        return is_signed ? (double)((int32_t)bits >> (32 - width)) : (double)(bits >> (32 - width));
    }
}

/* Element k of matrix `which` (0: A) with the signs that flags have for it. */
static double signed_number(const struct sg_uop *u, const struct form *f, unsigned which, unsigned k,
                            uint32_t bits)
{
    const enum element type = (enum element)(which ? f->b : f->a);
    const double value = number(bits, type, f->bits, u->flags >> (FLAG_NEG_LOW + which) & 1);
    const bool negated = f->bits == 16 && u->flags >> ((k & 1 ? FLAG_NEG_HIGH : FLAG_NEG_LOW) + which) & 1;
    return negated ? -value : value;
}

static uint32_t at(sg_rows v, unsigned row, struct spot x)
{
    return v[row + x.reg][x.lane] >> x.bit;
}

static void read_sparse(const struct sg_wave *w, const struct sg_uop *u, sg_rows v, double a[EDGE][LONGEST])
{
    const struct form *f = &forms[u->imm];
    for (unsigned i = 0; i < EDGE; i++)
        for (unsigned k = 0; k < f->k; k += 4) {
            const struct spot first = two_of_four(f, w->lanes, i, k);
            const uint32_t places = v[u->c][first.lane] >> places_bit(f, w->lanes, k, u->x);
            for (unsigned e = 0; e < 2; e++)
                a[i][k + (places >> 2 * e & 3)] =
                    signed_number(u, f, 0, k, at(v, u->a, first) >> f->bits * e);
        }
}

static void read_sources(const struct sg_wave *w, const struct sg_uop *u, sg_rows v, double a[EDGE][LONGEST],
                         double b[EDGE][LONGEST])
{
    const struct form *f = &forms[u->imm];
    if (f->sparse)
        read_sparse(w, u, v, a);
    for (unsigned i = 0; i < EDGE; i++)
        for (unsigned k = 0; k < f->k; k++) {
            const struct spot x = f->sparse ? dense_of_sparse(f, w->lanes, i, k) : dense(f, w->lanes, i, k);
            b[i][k] = signed_number(u, f, 1, k, at(v, u->b, x));
            if (!f->sparse)
                a[i][k] = signed_number(u, f, 0, k, at(v, u->a, x));
        }
}

/* Element (i, j) of C and D. */
static struct spot place(const struct form *f, unsigned lanes, unsigned i, unsigned j)
{
    const bool wide = lanes == SG_MAX_LANES, half = f->to == F16 || f->to == BF16;
    const unsigned rows = wide ? 4 : 8;
    const unsigned lane = (wide ? 32 * (i / 4 % 2) : 0) + 16 * (i / 8) + j;
    return half ? (struct spot){i / 2 % (rows / 2), 16 * (i % 2), lane} : (struct spot){i % rows, 0, lane};
}

static double addend(const struct sg_uop *u, const struct form *f, uint32_t bits)
{
    double c = number(bits, (enum element)f->to, 32, true);
    if (f->to == INTEGER)
        return c;
    if (u->flags >> (FLAG_NEG_HIGH + 2) & 1)
        c = __builtin_fabs(c);
    return u->flags >> (FLAG_NEG_LOW + 2) & 1 ? -c : c;
}

/* To the nearest, ties to even; a NaN becomes a quiet one. */
static uint32_t bf16_of(float f)
{
    const uint32_t bits = sg_u32(f);
    return f != f ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static void put(sg_rows v, unsigned row, const struct form *f, struct spot x, double sum, bool clamp)
{
    uint32_t *d = &v[row + x.reg][x.lane];
    const double limited = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    if (f->to == F32)
        *d = sg_u32((float)sum);
    else if (f->to == INTEGER)
        *d = (uint32_t)(int64_t)(clamp ? limited : sum);
    else
        *d = (*d & ~(0xffffu << x.bit)) |
             (f->to == F16 ? (uint32_t)sg_f16_of_f32((float)sum) & 0xffff : bf16_of((float)sum)) << x.bit;
}

static int multiply(SG_ARGS)
{
    const struct form *f = &forms[u->imm];
    const unsigned c = f->sparse ? u->d : u->c;
    double a[EDGE][LONGEST] = {{0}}, b[EDGE][LONGEST], sum[EDGE][EDGE];
    read_sources(w, u, v, a, b);
    for (unsigned i = 0; i < EDGE; i++)
        for (unsigned j = 0; j < EDGE; j++) {
            const struct spot x = place(f, w->lanes, i, j);
            sum[i][j] = addend(u, f, u->flags & FLAG_CONSTANT_C ? s[c] : at(v, c, x));
            for (unsigned k = 0; k < f->k; k++)
                sum[i][j] += a[i][k] * b[j][k];
        }
    for (unsigned i = 0; i < EDGE; i++)
        for (unsigned j = 0; j < EDGE; j++)
            put(v, u->d, f, place(f, w->lanes, i, j), sum[i][j], u->flags & FLAG_CLAMP);
    SG_NEXT();
}

bool sg_build_wmma_gfx12(struct sg_builder *b, const struct gcn_inst *in)
{
    unsigned form = 0;
    while (form < N_FORMS && forms[form].op != in->op)
        form++;
    if (form == N_FORMS || !sg_valu_is_row(&in->src[0]) || !sg_valu_is_row(&in->src[1]))
        return false;
    const struct form *f = &forms[form];
    const bool scalar = !sg_valu_is_row(&in->src[2]);
    if (f->sparse && (scalar || (f->bits == 16 && ((in->neg | in->neg_hi) & 3))))
        return false;
    const enum sg_vtype type = f->to == F16 ? SG_T_F16 : f->to == BF16 ? SG_T_BF16 : SG_T_B32;
    const unsigned c = scalar ? sg_valu_scalar(b, &in->src[2], type) : sg_row(&in->src[2]);
    struct sg_uop *u = sg_emit(b, multiply, sg_row(&in->dst), sg_row(&in->src[0]), sg_row(&in->src[1]), c);
    u->imm = (int32_t)form;
    u->x = in->op_sel & 3u;
    u->flags = (in->neg & 7u) << FLAG_NEG_LOW | (in->neg_hi & 7u) << FLAG_NEG_HIGH;
    u->flags |= (scalar ? FLAG_CONSTANT_C : 0) | (in->clamp ? FLAG_CLAMP : 0);
    return true;
}
