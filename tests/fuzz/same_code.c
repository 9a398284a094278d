/* same_code.c - two object files that the tool library compares: a program's own, and what a compiler outside made of the same source. */
#include "fuzz.h"
#include "hsa-plugin/rtc/same_code.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    size_t first = fuzz_take(&in, 2);
    if (first > in.size)
        first = in.size;
    /* Each in memory of its own, so that one byte too many is seen. */
    char *a = fuzz_text(in.data, first), *b = fuzz_text(in.data + first, in.size - first);
    a = realloc(a, first ? first : 1);
    b = realloc(b, in.size - first ? in.size - first : 1);
    if (!a || !b)
        abort();
    rtc_same_code(a, first, b, in.size - first);
    rtc_same_code(b, in.size - first, a, first);
    free(a);
    free(b);
    return 0;
}
