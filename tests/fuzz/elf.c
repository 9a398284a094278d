/* elf.c - a code object as the tool library reads it: sections, symbols, site table; a program as `run` does. */
#include "objects/elf_image.h"
#include "objects/fat_binary.h"
#include "fuzz.h"
#include "objects/sites.h"

#include <lanescope/sites.h>
#include <stdlib.h>
#include <string.h>

/* Touches every byte, so that one outside the image is seen. */
static void read_all(const void *data, size_t size)
{
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + ((const uint8_t *)data)[i]);
}

static void read_name(void *context, const char *target)
{
    (void)context;
    read_all(target, strlen(target));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"k", "k.kd", "__ls_k", ""};
    const void *section;
    size_t bytes, n;
    struct ls_module *modules;
    const char *why;
    if (ls_elf_section(data, size, LS_SITES_SECTION, &section, &bytes) == 1) {
        read_all(section, bytes);
        if (!ls_sites_parse(section, bytes, &modules, &n, &why))
            ls_sites_free(modules, n);
    }
    ls_fat_binary(data, size, read_name, NULL);
    struct ls_elf_names *symbols = ls_elf_names_open(data, size);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ls_elf_code code;
        if (ls_elf_names_object(symbols, names[i], &code))
            read_all(code.code, code.size);
        if (ls_elf_names_function(symbols, names[i], &code))
            read_all(code.code, code.size);
    }
    ls_elf_names_close(symbols);
    return 0;
}
