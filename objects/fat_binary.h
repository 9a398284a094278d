/* fat_binary.h - for which GPUs a program holds code: the bundles that the compiler puts into its section
 * .hip_fatbin (clang's documentation, "Clang Offload Bundler", binary bundle format and compressed format). */
#ifndef OBJECTS_FAT_BINARY_H
#define OBJECTS_FAT_BINARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls `each` for each GPU's code of each bundle in an ELF program's bytes, with the name as the compiler
 * writes it ("gfx90a", "gfx90a:xnack+", "gfx9-4-generic"), which lives as long as the call. Of code itself nothing
 * is read, of what is compressed the beginning. False: what the program holds is not to be told, for it holds
 * no bundle, a damaged one, or one that is compressed in another way.
 */
bool ls_fat_binary(const void *image, size_t bytes, void (*each)(void *context, const char *target),
                   void *context);

#endif
