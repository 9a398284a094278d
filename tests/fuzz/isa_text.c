/* isa_text.c - what the text of an instruction says, whoever wrote it. */
#include "fuzz.h"
#include "join/machine/text/op_text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    ls_op_text(text, 64, 0, 0);
    ls_op_text(text, 32, 0, 0);
    free(text);
    return 0;
}
