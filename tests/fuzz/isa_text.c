/* isa_text.c - what the text of an instruction says, whoever wrote it. */
#include "fuzz.h"
#include "isa.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool pair, store;
    uint32_t bytes;
    char *text = fuzz_text(data, size);
    ls_isa_classify(text, &pair, &store, &bytes);
    ls_isa_form(text);
    free(text);
    return 0;
}
