/* metadata.c - the metadata note of a code object, in its own memory, and in the image that it stands in. */
#include "fuzz.h"
#include "objects/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"k", "bb", ""};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct ls_isa_registers r;
        ls_metadata_find(data, size, names[i], &r);
        ls_metadata_registers(data, size, names[i], &r);
    }
    return 0;
}
