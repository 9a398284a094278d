/*
 * raw.h - system calls that do not pass through our own hooks.
 *
 * The hooks replace open, ioctl, stat and friends for the whole process, ourselves included. They may run
 * before any constructor and inside another library's malloc, so the kernel is called directly instead of
 * looking the C library's functions up. On x86-64 the kernel's struct stat is the C library's.
 */
#ifndef SOFT_GPU_KFD_RAW_H
#define SOFT_GPU_KFD_RAW_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int raw_openat(int dir, const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, dir, path, flags, mode);
}

static inline int raw_ioctl(int fd, unsigned long request, void *arg)
{
    return (int)syscall(SYS_ioctl, fd, request, arg);
}

static inline int raw_fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

static inline int raw_fstatat(int dir, const char *path, struct stat *st, int flags)
{
    return (int)syscall(SYS_newfstatat, dir, path, st, flags);
}

static inline ssize_t raw_readlinkat(int dir, const char *path, char *out, size_t size)
{
    return syscall(SYS_readlinkat, dir, path, out, size);
}

#endif
