/* sites.c - the section ".lanescope.sites" of a code object. */
#include "fuzz.h"
#include "objects/sites.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ls_module *modules = NULL;
    size_t n = 0, length = 0;
    const char *why = NULL;
    if (ls_sites_parse(data, size, &modules, &n, &why))
        return 0;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < modules[i].n_kernels; k++)
            length += strlen(modules[i].kernels[k].name);
        for (uint32_t k = 0; k < modules[i].n_sites; k++)
            length += strlen(modules[i].functions[k]);
        for (uint32_t k = 0; modules[i].first_lead && k < modules[i].first_lead[modules[i].n_sites]; k++)
            length += modules[i].leads[k].follower < modules[i].n_sites;
    }
    ls_sites_free(modules, n);
    return length == SIZE_MAX;
}
