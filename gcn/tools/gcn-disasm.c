/*
 * gcn-disasm.c - disassembles hexadecimal words: one instruction per line of stdin, for the round-trip test
 * against LLVM.
 *
 *   gcn-disasm gfx942 < words     each line "w0 w1 ..." in hexadecimal; prints "BYTES<TAB>text", BYTES 0 where
 *                                 they are no instruction
 */
#include <stdio.h>
#include <stdlib.h>
#include "gcn/gcn.h"
#include "gpus/gpus.h"

int main(int argc, char **argv)
{
    char line[256], text[256];
    struct gcn_target target;
    if (argc != 2 || !gcn_target_find(argv[1], &target)) {
        fprintf(stderr, "usage: gcn-disasm %s < words\n", ls_gpu_names(text, sizeof text, "", "|", "|"));
        return 2;
    }
    while (fgets(line, sizeof line, stdin)) {
        uint32_t words[4];
        unsigned n = 0;
        struct gcn_inst in;
        for (char *p = line, *end; n < 4; p = end, n++) {
            unsigned long w = strtoul(p, &end, 16);
            if (end == p)
                break;
            words[n] = (uint32_t)w;
        }
        gcn_disassemble(target, words, n, 0, text, sizeof text);
        printf("%u\t%s\n", gcn_decode(target, words, n, 0, &in), text);
    }
    return 0;
}
