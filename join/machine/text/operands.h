/*
 * operands.h - operands in the text of a disassembled instruction: LLVM's assembler syntax for AMDGPU. Pure: no I/O, no state.
 */
#ifndef JOIN_OPERANDS_H
#define JOIN_OPERANDS_H

#include <stdbool.h>
#include <string.h>
#include "join/machine/op/op.h"

enum { LS_OPERANDS = 6 };

static inline bool ls_text_starts(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* "v5", "v[4:7]", "s[2:3]", "a1"; also with modifiers in front: "-v5", "|v5|". */
struct ls_registers ls_operand_range(const char *s);
/* Starts of the operands behind the mnemonic; returns how many there are. */
unsigned ls_operands(const char *text, const char *operand[LS_OPERANDS]);

#endif
