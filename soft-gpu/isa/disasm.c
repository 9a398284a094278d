/*
 * disasm.c - struct sg_inst to text.
 */
#include <stdio.h>
#include "disasm.h"

unsigned sg_disassemble(const struct sg_arch *arch, const uint32_t *words, unsigned dwords, uint64_t pc,
                        char *text, unsigned size)
{
    struct sg_inst in;
    unsigned n = sg_decode(arch, words, dwords, pc, &in);
    if (n)
        snprintf(text, size, "%s (%08x %08x)", sg_op_name(in.op), in.words[0], in.words[1]);
    else
        snprintf(text, size, ".long 0x%08x", dwords ? words[0] : 0);
    return n ? n : dwords ? 4 : 0;
}
