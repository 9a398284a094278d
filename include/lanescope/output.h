/* output.h - how a file that a user named is opened for writing, alike in every part that does so. */
#ifndef LANESCOPE_OUTPUT_H
#define LANESCOPE_OUTPUT_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef F_DUPFD_CLOEXEC
#error "lanescope/output.h uses POSIX: compile with -std=gnu11, or with -D_POSIX_C_SOURCE=200809L"
#endif

/* Whether an open ordinary file may be replaced: it is empty, or begins with the `n` bytes of `mark`, by
 * which files of its kind are known (256 at most; 0: any file may be). */
static inline bool lanescope_may_replace(int fd, const void *mark, size_t n)
{
    char found[256];
    ssize_t got = n ? pread(fd, found, n, 0) : 0;
    return got == 0 || (got == (ssize_t)n && memcmp(found, mark, n) == 0);
}

/* Whether the system gave a device or a descriptor that name: links are followed there (/dev/stdout is one). /dev/shm is a
 * folder that everybody writes to, and who goes up from /dev is elsewhere. */
static inline bool lanescope_is_system_name(const char *path)
{
    int end = 0;
    if (strncmp(path, "/dev/", 5) == 0)
        return strncmp(path, "/dev/shm/", 9) != 0 && strstr(path, "/..") == NULL;
    return sscanf(path, "/proc/self/fd/%*d%n", &end) == 0 && end > 0 && path[end] == 0;
}

/* The descriptor of this process that the name stands for; -1: none. */
static inline int lanescope_own_descriptor(const char *path)
{
    int fd = -1, end = 0;
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    if (sscanf(path, "/dev/fd/%d%n", &fd, &end) == 1 && path[end] == 0)
        return fd;
    return sscanf(path, "/proc/self/fd/%d%n", &fd, &end) == 1 && path[end] == 0 ? fd : -1;
}

/* Opens `path` for writing from its beginning, or creates it. An ordinary file that is not empty and does not
 * begin with the mark is left alone: -1 with EEXIST. Links are not followed: -1 with ELOOP; but devices and names of the
 * system are opened as they are. Names of open descriptors (/dev/stdout) go on where these are: what another program has
 * written there stays. -1 with errno. */
static inline int lanescope_open_output(const char *path, const void *mark, size_t n)
{
    struct stat st;
    if (lanescope_own_descriptor(path) >= 0)
        return fcntl(lanescope_own_descriptor(path), F_DUPFD_CLOEXEC, 0);
    if (lanescope_is_system_name(path))
        return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
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
