/*
 * valu_wmma.c - v_wmma_* of gfx11: D = A B + C with matrices of 16 x 16, which all lanes hold together; EXEC does not
 * matter.
 *
 * Layouts (AMD's matrix instruction calculator, "rdna3"): lane i holds row i of A, all its k packed low first in
 * consecutive registers, and column i of B likewise; lanes 16 and up repeat what lanes 0 to 15 hold, and are not read.
 * C and D have element (i, j) in register i / (lanes / 16), lane 16 i % lanes + j; those of 16 bits in one half of it,
 * which OPSEL[2] chooses, and the other half of D stays.
 *
 * NEG ("RDNA3 Instruction Set Architecture", section 7.9): of 16-bit elements NEG_LO[1:0] negates those with even k,
 * NEG_HI[1:0] those with odd k, NEG_LO[2] negates C and NEG_HI[2] takes its absolute value before; of integers
 * NEG_LO[1:0] says which are signed.
 *
 * AMD does not publish the order of additions nor what is rounded: here the products and C are summed in f64, and the
 * sum is rounded to f32, and from there to the 16 bits of narrow results, which may differ from hardware in the last place.
 */
#include "valu_matrix.h"

enum { EDGE = 16 };

struct wmma {
    uint16_t op;
    uint8_t from, to; /* enum sg_element */
    uint8_t bits;     /* of an element of A and B */
};

/* `to` F32 of integers: 32-bit integers. */
static const struct wmma forms[] = {
    {GCN_OP_V_WMMA_F32_16X16X16_F16, SG_EL_F16, SG_EL_F32, 16},
    {GCN_OP_V_WMMA_F32_16X16X16_BF16, SG_EL_BF16, SG_EL_F32, 16},
    {GCN_OP_V_WMMA_F16_16X16X16_F16, SG_EL_F16, SG_EL_F16, 16},
    {GCN_OP_V_WMMA_BF16_16X16X16_BF16, SG_EL_BF16, SG_EL_BF16, 16},
    {GCN_OP_V_WMMA_I32_16X16X16_IU8, SG_EL_I8, SG_EL_F32, 8},
    {GCN_OP_V_WMMA_I32_16X16X16_IU4, SG_EL_I8, SG_EL_F32, 4},
};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

/* Flags of the micro-operation; imm is the index into `forms`, a, b, c and d are rows (c of constants: the scalar). */
enum {
    FLAG_NEG_LOW = 0,  /* 3 bits: NEG_LO */
    FLAG_NEG_HIGH = 3, /* 3 bits: NEG_HI */
    FLAG_CONSTANT_C = 1 << 6,
    FLAG_CLAMP = 1 << 7,
    FLAG_HIGH_HALF = 1 << 8,
};

/* Element k of 16 bits of the matrix's row or column i, as a number. */
static double element(sg_rows v, unsigned row, unsigned i, unsigned k, bool bf16, uint32_t flags)
{
    const uint32_t bits = v[row + k / 2][i] >> 16 * (k & 1) & 0xffff;
    const double value = (double)(bf16 ? sg_f32_of_bf16(bits) : sg_f32_of_f16(bits));
    return flags >> (k & 1 ? FLAG_NEG_HIGH : FLAG_NEG_LOW) & 1 ? -value : value;
}

static float number_of(uint32_t word, enum sg_element type)
{
    return type == SG_EL_F32 ? sg_f32(word) : type == SG_EL_F16 ? sg_f32_of_f16(word) : sg_f32_of_bf16(word);
}

/* To the nearest, ties to even; a NaN becomes a quiet one. */
static uint32_t bf16_of(float f)
{
    const uint32_t bits = sg_u32(f);
    if (f != f)
        return bits >> 16 | 0x40;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static float addend(const struct sg_uop *u, uint32_t word, enum sg_element type)
{
    float c = number_of(word, type);
    if (u->flags >> (FLAG_NEG_HIGH + 2) & 1)
        c = __builtin_fabsf(c);
    return u->flags >> (FLAG_NEG_LOW + 2) & 1 ? -c : c;
}

/* Word of C and D in which (i, j) is. */
static uint32_t *place(const struct sg_wave *w, sg_rows v, unsigned row, unsigned i, unsigned j)
{
    return &v[row + i / (w->lanes / EDGE)][EDGE * i % w->lanes + j];
}

static void put(uint32_t *d, float value, enum sg_element type, bool high)
{
    const uint32_t half = type == SG_EL_F16 ? sg_f16_of_f32(value) : bf16_of(value);
    if (type == SG_EL_F32)
        *d = sg_u32(value);
    else
        *d = high ? (*d & 0xffff) | half << 16 : (*d & 0xffff0000) | half;
}

static int wmma_float(SG_ARGS)
{
    const struct wmma *f = &forms[u->imm];
    const bool bf16 = f->from == SG_EL_BF16, high = u->flags & FLAG_HIGH_HALF;
    double a[EDGE][EDGE], b[EDGE][EDGE], sum[EDGE][EDGE];
    for (unsigned i = 0; i < EDGE; i++)
        for (unsigned k = 0; k < EDGE; k++) {
            a[i][k] = element(v, u->a, i, k, bf16, u->flags);
            b[i][k] = element(v, u->b, i, k, bf16, u->flags >> 1);
        }
    for (unsigned i = 0; i < EDGE; i++)
        for (unsigned j = 0; j < EDGE; j++) {
            const uint32_t word = u->flags & FLAG_CONSTANT_C ? s[u->c] : *place(w, v, u->c, i, j);
            const bool above = high && !(u->flags & FLAG_CONSTANT_C);
            sum[i][j] = (double)addend(u, above ? word >> 16 : word, (enum sg_element)f->to);
            for (unsigned k = 0; k < EDGE; k++)
                sum[i][j] += a[i][k] * b[j][k];
        }
    for (unsigned i = 0; i < EDGE; i++)
        for (unsigned j = 0; j < EDGE; j++)
            put(place(w, v, u->d, i, j), (float)sum[i][j], (enum sg_element)f->to, high);
    SG_NEXT();
}

static int64_t integer(sg_rows v, unsigned row, unsigned i, unsigned k, unsigned bits, bool is_signed)
{
    const unsigned at = k * bits;
    const uint32_t top = v[row + at / 32][i] << (32 - bits - at % 32);
    return is_signed ? (int64_t)((int32_t)top >> (32 - bits)) : (int64_t)(top >> (32 - bits));
}

static uint32_t integer_result(int64_t sum, bool clamp)
{
    if (clamp)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

static int wmma_integer(SG_ARGS)
{
    const unsigned bits = forms[u->imm].bits;
    int64_t a[EDGE][EDGE], b[EDGE][EDGE];
    uint32_t d[EDGE][EDGE];
    for (unsigned i = 0; i < EDGE; i++)
        for (unsigned k = 0; k < EDGE; k++) {
            a[i][k] = integer(v, u->a, i, k, bits, u->flags & 1);
            b[i][k] = integer(v, u->b, i, k, bits, u->flags & 2);
        }
    for (unsigned i = 0; i < EDGE; i++)
        for (unsigned j = 0; j < EDGE; j++) {
            int64_t sum = (int32_t)(u->flags & FLAG_CONSTANT_C ? s[u->c] : *place(w, v, u->c, i, j));
            for (unsigned k = 0; k < EDGE; k++)
                sum += a[i][k] * b[j][k];
            d[i][j] = integer_result(sum, u->flags & FLAG_CLAMP);
        }
    for (unsigned i = 0; i < EDGE; i++)
        for (unsigned j = 0; j < EDGE; j++)
            *place(w, v, u->d, i, j) = d[i][j];
    SG_NEXT();
}

bool sg_build_wmma(struct sg_builder *b, const struct gcn_inst *in)
{
    if (sg_builder_arch(b)->family->wmma_once)
        return sg_build_wmma_gfx12(b, in);
    unsigned form = 0;
    while (form < N_FORMS && forms[form].op != in->op)
        form++;
    if (form == N_FORMS || !sg_valu_is_row(&in->src[0]) || !sg_valu_is_row(&in->src[1]))
        return false;
    const struct wmma *f = &forms[form];
    const enum sg_vtype type = f->to == SG_EL_F16 ? SG_T_F16 : f->to == SG_EL_BF16 ? SG_T_BF16 : SG_T_B32;
    const bool scalar = !sg_valu_is_row(&in->src[2]);
    const unsigned c = scalar ? sg_valu_scalar(b, &in->src[2], type) : sg_row(&in->src[2]);
    const bool is_float = f->from != SG_EL_I8;
    struct sg_uop *u = sg_emit(b, is_float ? wmma_float : wmma_integer, sg_row(&in->dst), sg_row(&in->src[0]),
                               sg_row(&in->src[1]), c);
    u->imm = (int32_t)form;
    u->flags = (in->neg & 7u) << FLAG_NEG_LOW | (in->neg_hi & 7u) << FLAG_NEG_HIGH;
    u->flags |=
        (scalar ? FLAG_CONSTANT_C : 0) | (in->clamp ? FLAG_CLAMP : 0) | (in->op_sel & 4 ? FLAG_HIGH_HALF : 0);
    return true;
}
