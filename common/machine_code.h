/* machine_code.h - files of machine code, told from scripts and from what was not written to its end. */
#ifndef COMMON_MACHINE_CODE_H
#define COMMON_MACHINE_CODE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Whether a file begins as ELF files do. */
static inline bool ls_is_machine_code(const char *path)
{
    char magic[4];
    FILE *f = fopen(path, "re");
    const bool is = f && fread(magic, sizeof magic, 1, f) == 1 && !memcmp(magic, "\177ELF", sizeof magic);
    if (f)
        fclose(f);
    return is;
}

#endif
