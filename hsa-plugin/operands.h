/*
 * operands.h - operands in the text of a disassembled instruction: LLVM's assembler syntax for AMDGPU. Pure:
 * no I/O, no state.
 */
#ifndef HSA_PLUGIN_OPERANDS_H
#define HSA_PLUGIN_OPERANDS_H

#include <stdbool.h>
#include <string.h>

enum { LS_OPERANDS = 6, LS_REGISTERS = 512 };

struct ls_range {
    int file; /* 0 vector, 1 accumulation, 2 scalar registers; -1: something else */
    unsigned first, n;
};

static inline bool ls_text_starts(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* "v5", "v[4:7]", "s[2:3]", "a1"; also with modifiers in front: "-v5", "|v5|". */
struct ls_range ls_operand_range(const char *s);
/* Starts of the operands behind the mnemonic; returns how many there are. */
unsigned ls_operands(const char *text, const char *operand[LS_OPERANDS]);

#endif
