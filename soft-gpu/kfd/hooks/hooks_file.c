/*
 * hooks_file.c - open and its relatives, ioctl and munmap.
 *
 * dup, close and poll need no hook: device descriptors are memfds. mmap needs one for objects of other
 * processes alone.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "hooks.h"
#include "soft-gpu/kfd/ioctl/ioctl.h"
#include "soft-gpu/kfd/memory/memory.h"
#include "soft-gpu/kfd/raw.h"
#include "soft-gpu/kfd/driver/driver.h"
#include "soft-gpu/kfd/topology/vfs.h"

/* A path relative to a descriptor of one of our directories, made absolute. */
static const char *absolute(int dir, const char *path, char buffer[2 * VFS_PATH_MAX])
{
    char base[VFS_PATH_MAX];
    if (path[0] == '/' || dir == AT_FDCWD || !vfs_fd_path(dir, base))
        return NULL;
    snprintf(buffer, 2 * VFS_PATH_MAX, "%s/%s", base, path);
    return buffer;
}

/* True when the path is ours: *fd is the answer (-1 and errno). */
static bool open_ours(const char *path, int flags, int *fd)
{
    struct vfs_node node;
    vfs_lookup(path, &node);
    if (node.kind == VFS_LINK && !(flags & O_NOFOLLOW))
        vfs_follow(&node);
    switch (node.kind) {
    case VFS_NONE:
        return false;
    case VFS_KFD:
        *fd = driver_open(DEVICE_KFD, 0, flags);
        return true;
    case VFS_RENDER:
        *fd = driver_open(DEVICE_RENDER, node.gpu, flags);
        return true;
    case VFS_FILE:
    case VFS_DIR:
        *fd = vfs_open(&node, flags, driver_live);
        return true;
    default:
        errno = ENOENT;
        *fd = -1;
        return true;
    }
}

static int do_open(int dir, const char *path, int flags, mode_t mode)
{
    char buffer[2 * VFS_PATH_MAX];
    int fd;
    if ((dir == AT_FDCWD || (path && path[0] == '/')) && open_ours(path, flags, &fd))
        return fd;
    fd = raw_openat(dir, path, flags, mode);
    /* Only a descriptor that is no directory can be one of our directories: the common case pays nothing. */
    if (fd < 0 && errno == ENOTDIR && dir != AT_FDCWD) {
        const char *full = absolute(dir, path, buffer);
        if (full && open_ours(full, flags, &fd))
            return fd;
        errno = ENOTDIR;
    }
    return fd;
}

static mode_t mode_argument(int flags, va_list args)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
}

#define OPEN_BODY(dir)                                                                                       \
    va_list args;                                                                                            \
    va_start(args, flags);                                                                                   \
    mode_t mode = mode_argument(flags, args);                                                                \
    va_end(args);                                                                                            \
    return do_open(dir, path, flags, mode)

HOOK int open(const char *path, int flags, ...)
{
    OPEN_BODY(AT_FDCWD);
}

HOOK int open64(const char *path, int flags, ...)
{
    OPEN_BODY(AT_FDCWD);
}

HOOK int openat(int dir, const char *path, int flags, ...)
{
    OPEN_BODY(dir);
}

HOOK int openat64(int dir, const char *path, int flags, ...)
{
    OPEN_BODY(dir);
}

/* The fortified forms: programs built with _FORTIFY_SOURCE call these when no mode is given. */
HOOK int __open_2(const char *path, int flags);
HOOK int __open_2(const char *path, int flags)
{
    return do_open(AT_FDCWD, path, flags, 0);
}

HOOK int __open64_2(const char *path, int flags);
HOOK int __open64_2(const char *path, int flags)
{
    return do_open(AT_FDCWD, path, flags, 0);
}

HOOK int __openat_2(int dir, const char *path, int flags);
HOOK int __openat_2(int dir, const char *path, int flags)
{
    return do_open(dir, path, flags, 0);
}

HOOK int __openat64_2(int dir, const char *path, int flags);
HOOK int __openat64_2(int dir, const char *path, int flags)
{
    return do_open(dir, path, flags, 0);
}

/* fopen does not pass through open inside the C library. */
static bool fopen_ours(const char *path, const char *mode, FILE **out)
{
    int fd, flags = mode[0] == 'r' && !strchr(mode, '+') ? O_RDONLY : O_RDWR;
    if (!open_ours(path, flags | O_CLOEXEC, &fd))
        return false;
    *out = fd < 0 ? NULL : fdopen(fd, mode);
    return true;
}

HOOK FILE *fopen(const char *path, const char *mode)
{
    FILE *f;
    return fopen_ours(path, mode, &f) ? f : REAL(fopen)(path, mode);
}

HOOK FILE *fopen64(const char *path, const char *mode)
{
    FILE *f;
    return fopen_ours(path, mode, &f) ? f : REAL(fopen64)(path, mode);
}

/* Console ioctls use type 'K' too: only the inode tells. */
static bool ioctl_ours(int fd, unsigned long request, void *arg, int *result)
{
    unsigned type = _IOC_TYPE(request), gpu = 0;
    int err;
    if (type != KFD_IOCTL_TYPE && type != DRM_IOCTL_TYPE)
        return false;
    switch (driver_identify(fd, &gpu)) {
    case DEVICE_KFD:
        err = type == KFD_IOCTL_TYPE ? kfd_ioctl(request, arg) : -ENOTTY;
        break;
    case DEVICE_RENDER:
        err = type == DRM_IOCTL_TYPE ? drm_ioctl(gpu, request, arg) : -ENOTTY;
        break;
    default:
        return false;
    }
    if (err)
        errno = -err;
    *result = err ? -1 : 0;
    return true;
}

HOOK int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    int result;
    va_start(args, request);
    void *arg = va_arg(args, void *);
    va_end(args);
    return ioctl_ours(fd, request, arg, &result) ? result : raw_ioctl(fd, request, arg);
}

/* An object of another process has no bytes in our memory file: the mapping gets the file that has them. */
static void *do_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    struct driver *d = fd < 0 ? NULL : driver_peek();
    uint64_t at = (uint64_t)offset;
    unsigned gpu;
    if (d && atomic_load_explicit(&d->imported, memory_order_relaxed) &&
        driver_identify(fd, &gpu) == DEVICE_RENDER)
        (void)ipc_redirect(d, gpu, &fd, &at, size);
    return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, (off_t)at);
}

HOOK void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return do_mmap(address, size, protection, flags, fd, offset);
}

HOOK void *mmap64(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return do_mmap(address, size, protection, flags, fd, offset);
}

/* Shared virtual memory ends where the host's mapping ends; before the pages go, so that no kernel still
 * finds the range in the map. */
HOOK int munmap(void *address, size_t size)
{
    struct driver *d = driver_peek();
    if (d && atomic_load_explicit(&d->svm_ranges, memory_order_relaxed))
        svm_unmapped(d, (uintptr_t)address, (size + 4095) & ~4095ull);
    return (int)syscall(SYS_munmap, address, size);
}
