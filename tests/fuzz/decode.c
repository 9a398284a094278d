/* decode.c - instruction words of all GPUs: the decoder and the disassembler read no further than they are
 * told, agree on the length, and end their text. */
#include "engine.h"
#include "fuzz.h"
#include "gcn/gcn.h"

#include <stdlib.h>
#include <string.h>

static void one(const struct ls_gpu *arch, const uint32_t *words, unsigned n, unsigned room)
{
    char text[160];
    struct gcn_inst inst;
    for (unsigned at = 0; at < n;) {
        unsigned decoded = gcn_decode(gcn_target_of(arch), words + at, n - at, 0x1000 + at * 4, &inst);
        unsigned shown =
            gcn_disassemble(gcn_target_of(arch), words + at, n - at, 0x1000 + at * 4, text, room);
        if (!shown || shown % 4 || shown > (n - at) * 4 || (decoded && decoded != shown) ||
            memchr(text, 0, room) == NULL)
            abort();
        at += shown / 4;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned n = (unsigned)(size / 4);
    uint32_t *words = malloc(n * 4 + 1);
    if (!words)
        return 0;
    memcpy(words, data, n * 4);
    const struct ls_gpu *gpu;
    for (size_t i = 0; (gpu = ls_gpu_emulated_at(i)); i++) {
        one(gpu, words, n, 160);
        one(gpu, words, n, 8);
    }
    free(words);
    return 0;
}
