/*
 * hooks_stat.c - stat and its relatives, access, readlink, realpath.
 *
 * libdrm knows a device node by S_ISCHR and its device number; our descriptors are memfds.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "soft-gpu/kfd/driver/driver.h"
#include "hooks.h"
#include "soft-gpu/kfd/raw.h"
#include "soft-gpu/kfd/topology/vfs.h"

/* True when the path is ours: *result is the answer. */
static bool stat_ours(const char *path, struct stat *st, int flags, int *result)
{
    struct vfs_node node;
    switch (vfs_lookup(path, &node)) {
    case VFS_NONE:
        return false;
    case VFS_MISSING:
        errno = ENOENT;
        *result = -1;
        return true;
    default:
        if (!(flags & AT_SYMLINK_NOFOLLOW))
            vfs_follow(&node);
        vfs_stat(&node, st);
        *result = 0;
        return true;
    }
}

static int do_fstat(int fd, struct stat *st)
{
    int result = raw_fstat(fd, st);
    unsigned gpu = 0;
    if (result == 0 && driver_peek() && S_ISREG(st->st_mode)) {
        enum device_kind kind = driver_identify(fd, &gpu);
        if (kind != DEVICE_NONE) {
            st->st_mode = S_IFCHR | 0666;
            st->st_rdev =
                kind == DEVICE_KFD ? makedev(KFD_MAJOR, 0) : makedev(DRM_MAJOR, RENDER_MINOR_FIRST + gpu);
            st->st_size = 0;
        }
    }
    return result;
}

static int do_stat(int dir, const char *path, struct stat *st, int flags)
{
    int result;
    if (flags & AT_EMPTY_PATH && path && !path[0])
        return do_fstat(dir, st);
    if (stat_ours(path, st, flags, &result))
        return result;
    result = raw_fstatat(dir, path, st, flags);
    if (result < 0 && errno == ENOTDIR && dir != AT_FDCWD) {
        char base[VFS_PATH_MAX], full[2 * VFS_PATH_MAX];
        if (vfs_fd_path(dir, base)) {
            snprintf(full, sizeof full, "%s/%s", base, path);
            if (stat_ours(full, st, flags, &result))
                return result;
        }
        errno = ENOTDIR;
    }
    return result;
}

/* struct stat64 is struct stat on x86-64. */
#define AS_STAT(p) ((struct stat *)(void *)(p))
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one struct stat");

HOOK int stat(const char *path, struct stat *st)
{
    return do_stat(AT_FDCWD, path, st, 0);
}

HOOK int stat64(const char *path, struct stat64 *st)
{
    return do_stat(AT_FDCWD, path, AS_STAT(st), 0);
}

HOOK int lstat(const char *path, struct stat *st)
{
    return do_stat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

HOOK int lstat64(const char *path, struct stat64 *st)
{
    return do_stat(AT_FDCWD, path, AS_STAT(st), AT_SYMLINK_NOFOLLOW);
}

HOOK int fstat(int fd, struct stat *st)
{
    return do_fstat(fd, st);
}

HOOK int fstat64(int fd, struct stat64 *st)
{
    return do_fstat(fd, AS_STAT(st));
}

HOOK int fstatat(int dir, const char *path, struct stat *st, int flags)
{
    return do_stat(dir, path, st, flags);
}

HOOK int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
    return do_stat(dir, path, AS_STAT(st), flags);
}

/* What stat was before glibc 2.33: a version number first. */
#define OLD_STAT(name, key_type, key, call)                                                                  \
    HOOK int name(int version, key_type key, struct stat *st);                                               \
    HOOK int name(int version, key_type key, struct stat *st)                                                \
    {                                                                                                        \
        (void)version;                                                                                       \
        return call;                                                                                         \
    }
OLD_STAT(__xstat, const char *, path, do_stat(AT_FDCWD, path, st, 0))
OLD_STAT(__xstat64, const char *, path, do_stat(AT_FDCWD, path, st, 0))
OLD_STAT(__lxstat, const char *, path, do_stat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW))
OLD_STAT(__lxstat64, const char *, path, do_stat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW))
OLD_STAT(__fxstat, int, fd, do_fstat(fd, st))
OLD_STAT(__fxstat64, int, fd, do_fstat(fd, st))

HOOK int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags);
HOOK int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags)
{
    (void)version;
    return do_stat(dir, path, st, flags);
}

HOOK int __fxstatat64(int version, int dir, const char *path, struct stat *st, int flags);
HOOK int __fxstatat64(int version, int dir, const char *path, struct stat *st, int flags)
{
    (void)version;
    return do_stat(dir, path, st, flags);
}

static void to_statx(const struct stat *st, struct statx *out)
{
    *out = (struct statx){
        .stx_mask = STATX_BASIC_STATS,
        .stx_blksize = (uint32_t)st->st_blksize,
        .stx_nlink = (uint32_t)st->st_nlink,
        .stx_mode = (uint16_t)st->st_mode,
        .stx_ino = st->st_ino,
        .stx_size = (uint64_t)st->st_size,
        .stx_rdev_major = major(st->st_rdev),
        .stx_rdev_minor = minor(st->st_rdev),
    };
}

HOOK int statx(int dir, const char *path, int flags, unsigned mask, struct statx *out)
{
    struct stat st;
    int result;
    unsigned gpu;
    if (flags & AT_EMPTY_PATH && !path[0] && driver_peek() && driver_identify(dir, &gpu) != DEVICE_NONE) {
        result = do_fstat(dir, &st);
        to_statx(&st, out);
        return result;
    }
    if (stat_ours(path, &st, flags, &result)) {
        if (result == 0)
            to_statx(&st, out);
        return result;
    }
    return (int)syscall(SYS_statx, dir, path, flags, mask, out);
}

static bool access_ours(const char *path, int mode, int *result)
{
    struct stat st;
    if (!stat_ours(path, &st, 0, result))
        return false;
    bool writable = S_ISCHR(st.st_mode), executable = S_ISDIR(st.st_mode);
    if (*result == 0 && ((mode & W_OK && !writable) || (mode & X_OK && !executable))) {
        errno = EACCES;
        *result = -1;
    }
    return true;
}

HOOK int access(const char *path, int mode)
{
    int result;
    return access_ours(path, mode, &result) ? result : (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

HOOK int faccessat(int dir, const char *path, int mode, int flags)
{
    int result;
    if (access_ours(path, mode, &result))
        return result;
    return REAL(faccessat)(dir, path, mode, flags);
}

static bool readlink_ours(const char *path, char *out, size_t size, ssize_t *result)
{
    struct vfs_node node;
    enum vfs_kind kind = vfs_lookup(path, &node);
    if (kind == VFS_NONE)
        return false;
    if (kind != VFS_LINK) {
        errno = kind == VFS_MISSING ? ENOENT : EINVAL;
        *result = -1;
        return true;
    }
    size_t n = strlen(node.content);
    *result = (ssize_t)(n < size ? n : size);
    memcpy(out, node.content, (size_t)*result);
    return true;
}

HOOK ssize_t readlink(const char *path, char *out, size_t size)
{
    ssize_t n;
    return readlink_ours(path, out, size, &n) ? n : raw_readlinkat(AT_FDCWD, path, out, size);
}

HOOK ssize_t readlinkat(int dir, const char *path, char *out, size_t size)
{
    ssize_t n;
    return readlink_ours(path, out, size, &n) ? n : raw_readlinkat(dir, path, out, size);
}

static bool realpath_ours(const char *path, char *out, char **result)
{
    struct vfs_node node;
    enum vfs_kind kind = vfs_lookup(path, &node);
    if (kind == VFS_NONE)
        return false;
    if (kind == VFS_MISSING) {
        errno = ENOENT;
        *result = NULL;
    } else {
        *result = out ? strcpy(out, node.path) : strdup(node.path);
    }
    return true;
}

HOOK char *realpath(const char *path, char *out)
{
    char *result;
    return realpath_ours(path, out, &result) ? result : REAL(realpath)(path, out);
}

char *__realpath_chk(const char *path, char *out, size_t size);
HOOK char *__realpath_chk(const char *path, char *out, size_t size)
{
    char *result;
    return realpath_ours(path, out, &result) ? result : REAL(__realpath_chk)(path, out, size);
}
