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

/* The symbols of an image, sorted once: a code object may have thousands, each of which is asked for. */
struct ls_elf_names;
/* The image must outlive the result. NULL: no ELF file, or out of memory; every function takes it as a file
 * without symbols. */
struct ls_elf_names *ls_elf_names_open(const void *image, size_t bytes);
void ls_elf_names_close(struct ls_elf_names *x);
/* Machine code of function `name`. */
bool ls_elf_names_function(const struct ls_elf_names *x, const char *name, struct ls_elf_code *out);
/* Contents of variable `name`; `address` is its own. */
bool ls_elf_names_object(const struct ls_elf_names *x, const char *name, struct ls_elf_code *out);
/* The descriptor that a kernel has beside its code. */
bool ls_elf_names_descriptor(const struct ls_elf_names *x, const char *kernel, struct ls_elf_code *out);
/* Calls f for every function that has code and a name, perhaps twice for one, in the file's order. */
void ls_elf_names_each_function(const struct ls_elf_names *x,
                                void (*f)(void *user, const char *name, const struct ls_elf_code *code),
                                void *user);

#endif
