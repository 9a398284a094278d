/* elf_image.h - sections and symbols of a code object in memory. Everything stays within the image's bytes.
 */
#ifndef HSA_PLUGIN_ELF_IMAGE_H
#define HSA_PLUGIN_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Contents of a section inside the image. 1, 0 when there is none of that name, -1 when the file is damaged.
 */
int ls_elf_section(const void *image, size_t bytes, const char *name, const void **data, size_t *size);
struct ls_elf_code {
    uint64_t address; /* of the first instruction, as the file numbers addresses */
    const uint8_t *code;
    size_t size;
};
/* Contents of variable `name`, a kernel descriptor for example; `address` is its own. */
bool ls_elf_object(const void *image, size_t bytes, const char *name, struct ls_elf_code *out);
/* Machine code of function `name`. */
bool ls_elf_function(const void *image, size_t bytes, const char *name, struct ls_elf_code *out);

#endif
