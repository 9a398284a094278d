/* code_place.c - a code object in which the software GPU looks up where a kernel went wrong, and the URI that leads to it. */
#include "fuzz.h"
#include "soft-gpu/kfd/report/codeobject.h"
#include "soft-gpu/kfd/report/symbol.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list of code objects that ROCr would have. */
static struct link_map entry;
static struct r_debug list = {.r_map = &entry};

void *loaded_symbol(const char *library, const char *name)
{
    (void)name;
    return strstr(library, "hsa-runtime") ? &list : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { IN_MEMORY, IN_FILE, NAMED };
    struct fuzz_input in = {data, size};
    unsigned how = fuzz_take(&in, 1) % 3;
    uint64_t kernel = fuzz_take(&in, 4), pc = fuzz_take(&in, 4);
    struct code_place place;
    char uri[128], *text = fuzz_text(in.data, in.size);
    if (how == IN_MEMORY)
        snprintf(uri, sizeof uri, "memory://1#offset=0x%llx&size=%zu", (unsigned long long)(uintptr_t)in.data,
                 in.size);
    else
        snprintf(uri, sizeof uri, "file://%s", fuzz_file(in.data, in.size));
    entry.l_name = how == NAMED ? text : uri;
    code_locate(kernel, pc, &place);
    free(text);
    return 0;
}
