/* values.h - random operand values with the special cases of each type over-represented. */
#ifndef TESTS_ISA_VALUES_H
#define TESTS_ISA_VALUES_H

#include "harness.h"

/* A random value of the type in its low type_dwords(t) * 32 bits (128-bit types: call twice). */
uint64_t value_random(struct rng *r, enum value_type t);
/* Value of an inline constant (scalar source encoding 128..208, 240..248) as an operand of the type. */
uint64_t value_inline(unsigned encoding, enum value_type t);
/* Assembler text of an inline constant. */
const char *value_inline_text(unsigned encoding);
/* Value of a 32-bit literal as an operand of the type. */
uint64_t value_literal(uint32_t literal, enum value_type t);

#endif
