/* output.h - how a file that a user named is opened for writing, alike in every part that does so. */
#ifndef LANESCOPE_OUTPUT_H
#define LANESCOPE_OUTPUT_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether an open ordinary file may be replaced: it is empty, or begins with the `n` bytes of `mark`, by
 * which files of its kind are known (256 at most; 0: any file may be). */
static inline bool lanescope_may_replace(int fd, const void *mark, size_t n)
{
    char found[256];
    ssize_t got = n ? pread(fd, found, n, 0) : 0;
    return got == 0 || (got == (ssize_t)n && memcmp(found, mark, n) == 0);
}

/* Opens `path` for writing from its beginning, or creates it. An ordinary file that is not empty and does not
 * begin with the mark is left alone: -1 with EEXIST. Links are not followed: -1 with ELOOP; but what stands
 * in /dev or /proc is opened as it is (/dev/stdout), and so are FIFOs and devices. -1 with errno. */
static inline int lanescope_open_output(const char *path, const void *mark, size_t n)
{
    struct stat st;
    if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
        return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
    int fd = open(path, (n ? O_RDWR : O_WRONLY) | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (fd < 0)
        return -1;
    int why = fstat(fd, &st) != 0                   ? errno
              : !S_ISREG(st.st_mode)                ? EEXIST
              : !lanescope_may_replace(fd, mark, n) ? EEXIST
              : ftruncate(fd, 0) != 0               ? errno
                                                    : 0;
    if (why) {
        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

#endif
