/* bundle.c - a compressed bundle in a program, unpacked to see what GPUs it holds code for. The first byte says for how much
 * there is room. */
#include "objects/bundle_head.h"
#include "fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    const size_t room = 16 * (size_t)fuzz_take(&in, 1);
    unsigned char *packed = (unsigned char *)fuzz_text(in.data, in.size), *out = malloc(room ? room : 1);
    volatile unsigned char sum = 0;
    size_t whole = 0;
    packed = realloc(packed, in.size ? in.size : 1); /* so that one byte too many is seen */
    if (!packed || !out)
        abort();
    const size_t got = ls_bundle_head(packed, in.size, out, room, &whole);
    if (got > room || (got && whole > in.size))
        abort(); /* the next bundle is looked for behind this one */
    for (size_t i = 0; i < got; i++)
        sum = (unsigned char)(sum + out[i]);
    free(packed);
    free(out);
    return 0;
}
