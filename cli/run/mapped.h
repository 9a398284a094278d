/* mapped.h - the bytes of a program or library that `run` looks into before it starts anything. */
#ifndef CLI_RUN_MAPPED_H
#define CLI_RUN_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

struct mapped {
    const unsigned char *bytes;
    size_t size;
};

/* Maps an ordinary file that is not empty; give it to unmap_file(). False: it is none, or cannot be read. */
bool map_file(const char *path, struct mapped *m);
void unmap_file(struct mapped *m);

#endif
