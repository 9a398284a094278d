/* metadata.c - the metadata note of a code object, in its own memory, and in the image that it stands in. */
#include "fuzz.h"
#include "objects/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"k", "bb", ""};
    struct ls_metadata *all[] = {ls_metadata_of_note(data, size), ls_metadata_of_image(data, size)};
    for (unsigned i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        struct ls_isa_registers r;
        ls_metadata_registers(all[i % 2], names[i / 2], &r);
    }
    ls_metadata_free(all[0]);
    ls_metadata_free(all[1]);
    return 0;
}
