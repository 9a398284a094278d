/* mapped.h - the bytes of a program or library. */
#ifndef OBJECTS_MAPPED_H
#define OBJECTS_MAPPED_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

struct mapped {
    const unsigned char *bytes;
    size_t size;
};

/* Maps an ordinary file that is not empty; give it to unmap_file(). False: it is none, or cannot be read. */
bool map_file(const char *path, struct mapped *m);
void unmap_file(struct mapped *m);

/* Program headers of a 64-bit ELF file, n of them, as long as it is mapped; NULL for anything else. */
const Elf64_Phdr *mapped_headers(const struct mapped *m, size_t *n);
/* Whether the file has all of a segment's bytes. */
bool mapped_holds(const struct mapped *m, const Elf64_Phdr *segment);

#endif
