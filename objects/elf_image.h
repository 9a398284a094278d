/* elf_image.h - sections and symbols of a code object in memory.
 * Everything stays within the image's bytes. */
#ifndef OBJECTS_ELF_IMAGE_H
#define OBJECTS_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Contents of a section inside the image.
 * 1, 0 when there is none of that name, -1 when the file is damaged. */
int ls_elf_section(const void *image, size_t bytes, const char *name, const void **data, size_t *size);
struct ls_elf_code {
    uint64_t address; /* of the first instruction, as the file numbers addresses */
    const uint8_t *code;
    size_t size;
};
/* Contents of variable `name`, a kernel descriptor for example; `address` is its own. */
bool ls_elf_object(const void *image, size_t bytes, const char *name, struct ls_elf_code *out);
/* Calls f for every function that has code and a name, perhaps twice for one. Strings live during the call. */
void ls_elf_each_function(const void *image, size_t bytes,
                          void (*f)(void *user, const char *name, const struct ls_elf_code *code),
                          void *user);
/* Machine code of function `name`. */
bool ls_elf_function(const void *image, size_t bytes, const char *name, struct ls_elf_code *out);

#endif
