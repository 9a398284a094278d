/*
 * op_text.h - an instruction by the disassembler's text, in LLVM's assembler syntax for AMDGPU: for GPUs that gcn/ does not
 * decode. The one place where the join reads text; what it says is op.h, as of decoded instructions. Pure: no I/O, no state.
 */
#ifndef JOIN_OP_TEXT_H
#define JOIN_OP_TEXT_H

#include "join/machine/op/op.h"

/* Of an instruction at `offset`; `word`: its first. `lanes`: of a wavefront. */
struct ls_op ls_op_text(const char *text, unsigned lanes, uint32_t word, int64_t offset);

/* The memory access alone. */
struct ls_isa_form ls_isa_form(const char *text);

#endif
