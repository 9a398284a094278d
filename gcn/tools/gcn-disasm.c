/*
 * gcn-disasm.c - disassembles hexadecimal words: one instruction per line of stdin, for the round-trip test
 * against LLVM.
 *
 *   gcn-disasm gfx1030 64 < words    for wavefronts of 64 lanes, where a GPU has two sizes
 *   gcn-disasm gfx942 < words     each line "w0 w1 ..." in hexadecimal; prints "BYTES<TAB>text", BYTES 0 where
 *                                 they are no instruction
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gcn/gcn.h"
#include "gpus/gpus.h"

int main(int argc, char **argv)
{
    char line[256], text[256];
    struct gcn_target target;
    if (argc < 2 || argc > 3 || !gcn_target_find(argv[1], &target)) {
        fprintf(stderr, "usage: gcn-disasm GPU [LANES] < words\n");
        return 2;
    }
    if (argc == 3)
        target.lanes = !strcmp(argv[2], "64") ? 64 : 32;
    while (fgets(line, sizeof line, stdin)) {
        uint32_t words[GCN_WORDS];
        unsigned n = 0;
        struct gcn_inst in;
        for (char *p = line, *end; n < 5; p = end, n++) {
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
