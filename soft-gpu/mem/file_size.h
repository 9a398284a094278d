/*
 * file_size.h - sets the size of a file in memory without the signal that ends a process.
 */
#ifndef SG_FILE_SIZE_H
#define SG_FILE_SIZE_H

#include <stdint.h>

/* As ftruncate(fd, size in bytes): 0, or -1 with errno. Above the limit of file sizes (ulimit -f), which
 * holds for memfds, too, errno is EFBIG, and the process gets no SIGXFSZ. */
int sg_set_file_size(int fd, uint64_t size);

#endif
