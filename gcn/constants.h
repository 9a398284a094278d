/*
 * constants.h - the inline constants among scalar operands ("AMD Instinct MI300 ISA", scalar ALU operands): 128..192 are
 * 0..64, 193..208 are -1..-16, 240..248 floating-point numbers.
 */
#ifndef GCN_CONSTANTS_H
#define GCN_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

enum { GCN_INLINE_ZERO = 128 };

/* Whether operand number `index` is an integer constant, and which. */
static inline bool gcn_inline_integer(unsigned index, int32_t *value)
{
    *value = index <= 192 ? (int32_t)index - GCN_INLINE_ZERO : 192 - (int32_t)index;
    return index >= GCN_INLINE_ZERO && index <= 208;
}

static inline bool gcn_is_inline_float(unsigned index)
{
    return index >= 240 && index <= 248;
}

/* Of those; the last is 1/(2*pi). An operation sees it in the width that it computes with. */
static inline double gcn_inline_float(unsigned index)
{
    static const double value[9] = {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 0.15915494309189532};
    return value[index - 240];
}

#endif
