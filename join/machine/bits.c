/* bits.c - see bits.h. */
#include "bits.h"

/* Bits up to the highest one of a number of up to 64 bits, of which the hardware keeps 32. */
static uint32_t up_to(uint64_t most)
{
    if (most > UINT32_MAX)
        return UINT32_MAX;
    return most ? UINT32_MAX >> __builtin_clz((uint32_t)most) : 0;
}

/* Without as many of the lowest bits. */
static uint32_t from(uint32_t bits, unsigned lowest)
{
    return lowest < 32 ? bits & (UINT32_MAX << lowest) : 0;
}

static uint32_t sum(uint32_t a, uint32_t b)
{
    return a | b ? from(up_to((uint64_t)a + b), (unsigned)__builtin_ctz(a | b)) : 0;
}

static uint32_t product(uint32_t a, uint32_t b)
{
    return a && b ? from(up_to((uint64_t)a * b), (unsigned)(__builtin_ctz(a) + __builtin_ctz(b))) : 0;
}

uint32_t ls_bits_shifted(const struct ls_op *op, const uint32_t *may)
{
    return op->source[1].constant ? may[0] << (op->source[1].value & 31) : UINT32_MAX;
}

static uint32_t field(const struct ls_op *op, const uint32_t *may)
{
    const uint32_t width = op->source[2].value & 31;
    return op->source[1].constant && op->source[2].constant
               ? may[0] >> (op->source[1].value & 31) & ((1u << width) - 1)
               : UINT32_MAX;
}

uint32_t ls_bits_computed(const struct ls_op *op, const uint32_t *may)
{
    const uint32_t third = op->n_sources > 2 ? may[2] : 0, low = 0xffffff, positive = 0x7fffff;
    switch (op->kind) {
    case LS_OP_MOVE:
        return may[0];
    case LS_OP_ADD:
    case LS_OP_ADD_OUT:
    case LS_OP_SCALAR_ADD:
        return sum(may[0], may[1]);
    case LS_OP_MULTIPLY_U24:
        return sum(product(may[0] & low, may[1] & low), third);
    case LS_OP_MULTIPLY_I24:
        return (may[0] | may[1]) & ~positive ? UINT32_MAX : sum(product(may[0], may[1]), third);
    case LS_OP_MULTIPLY:
        return sum(product(may[0], may[1]), third);
    case LS_OP_SHIFT_LEFT:
        return sum(ls_bits_shifted(op, may), third);
    case LS_OP_SHIFT_RIGHT:
        return op->source[1].constant ? may[0] >> (op->source[1].value & 31) : UINT32_MAX;
    case LS_OP_FIELD:
        return field(op, may);
    case LS_OP_VECTOR_AND:
        return may[0] & may[1];
    case LS_OP_VECTOR_OR:
        return may[0] | may[1];
    case LS_OP_VECTOR_AND_OR:
        return (may[0] & may[1]) | third;
    case LS_OP_SHIFT_LEFT_OR:
        return ls_bits_shifted(op, may) | third;
    default:
        return UINT32_MAX;
    }
}
