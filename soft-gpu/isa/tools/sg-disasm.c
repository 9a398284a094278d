/*
 * sg-disasm.c - disassembles hexadecimal words with the engine's decoder: one instruction per line of stdin,
 * for the round-trip test against LLVM.
 *
 *   sg-disasm gfx942 < words     each line "w0 w1 ..." in hexadecimal; prints "BYTES<TAB>text", BYTES 0:
 * invalid
 */
#include <stdio.h>
#include <stdlib.h>
#include "../disasm.h"
#include "../engine.h"

int main(int argc, char **argv)
{
    char line[256], text[256];
    const struct sg_arch *arch = argc == 2 ? sg_arch_find(argv[1]) : NULL;
    if (!arch) {
        fprintf(stderr, "usage: sg-disasm gfx90a|gfx942|gfx950 < words\n");
        return 2;
    }
    while (fgets(line, sizeof line, stdin)) {
        uint32_t words[4];
        unsigned n = 0;
        struct sg_inst in;
        for (char *p = line, *end; n < 4; p = end, n++) {
            unsigned long w = strtoul(p, &end, 16);
            if (end == p)
                break;
            words[n] = (uint32_t)w;
        }
        sg_disassemble(arch, words, n, 0, text, sizeof text);
        printf("%u\t%s\n", sg_decode(arch, words, n, 0, &in), text);
    }
    return 0;
}
