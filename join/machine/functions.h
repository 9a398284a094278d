/*
 * functions.h - the functions of a code object that are no kernels, by their addresses. Pure: no I/O, no state of its own.
 */
#ifndef JOIN_FUNCTIONS_H
#define JOIN_FUNCTIONS_H

#include <stdbool.h>
#include "objects/elf_image.h"

/* Functions that share code, as where assembly has symbols inside of others, are one of the first one's name. */
struct ls_function {
    const char *name; /* in the image */
    struct ls_elf_code code;
    bool taken; /* the caller's; false at first */
};

/* Sorted by address, and apart. */
struct ls_functions {
    struct ls_function *items;
    size_t n;
};

/* Those of the image, which must outlive them. False: out of memory. Free *out with ls_functions_free in either case. */
bool ls_functions_read(const struct ls_elf_names *names, struct ls_functions *out);
void ls_functions_free(struct ls_functions *f);
/* The one that has code at the address; NULL: none. */
struct ls_function *ls_function_at(const struct ls_functions *f, uint64_t address);

#endif
