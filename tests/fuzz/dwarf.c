/*
 * dwarf.c - line tables of a code object, with the disassembly that they belong to. Not its metadata, the
 * note "AMDGPU": libamd_comgr takes them apart, and LLVM's reader in it ends the process when a key is no
 * scalar; ROCr has read them with it before.
 */
#include "fuzz.h"
#include "join/machine/isa.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *why = NULL;
    struct ls_isa_listing list = {0};
    if (memmem(data, size, "AMDGPU", 6))
        return 0;
    struct ls_isa *isa = ls_isa_open(data, size, "amdgcn-amd-amdhsa--gfx90a", &why);
    if (!isa)
        return 0;
    if (!ls_isa_list(isa, "k", &list, &why))
        ls_isa_listing_free(&list);
    ls_isa_close(isa);
    return 0;
}
