/*
 * disasm.h - machine code to text in the syntax of LLVM's assembler, for fault messages and tools.
 */
#ifndef SOFT_GPU_ISA_DISASM_H
#define SOFT_GPU_ISA_DISASM_H

#include "inst.h"

/* Writes one instruction; a word that is none becomes ".long 0x...". Returns its size in bytes (4 for .long),
 * 0 when there are no words. */
unsigned sg_disassemble(const struct sg_arch *arch, const uint32_t *words, unsigned dwords, uint64_t pc,
                        char *text, unsigned size);

#endif
