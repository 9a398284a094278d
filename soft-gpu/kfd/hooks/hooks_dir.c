/*
 * hooks_dir.c - reading our directories: opendir to closedir, scandir.
 *
 * A directory stream of ours is an object of our own behind the opaque DIR pointer. A table of them tells it
 * from the C library's; while it is empty, which is nearly always, a call costs one load.
 */
#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/vector.h"
#include "hooks.h"
#include "soft-gpu/kfd/raw.h"
#include "soft-gpu/kfd/driver/driver.h"
#include "soft-gpu/kfd/topology/vfs.h"

struct our_dir {
    struct vfs_node node;
    long position; /* 0 ".", 1 "..", then the entries */
    int fd;        /* made when dirfd is asked for, -1 before */
    struct dirent entry;
};
_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one struct dirent");

#define OPEN_MAX_OURS 64
static struct our_dir *_Atomic open_dirs[OPEN_MAX_OURS];
static _Atomic unsigned open_count;

static struct our_dir *ours(DIR *dir)
{
    if (!atomic_load_explicit(&open_count, memory_order_relaxed))
        return NULL;
    for (unsigned i = 0; i < OPEN_MAX_OURS; i++)
        if ((void *)atomic_load(&open_dirs[i]) == (void *)dir)
            return (struct our_dir *)(void *)dir;
    return NULL;
}

static DIR *open_node(const struct vfs_node *node, int fd)
{
    struct our_dir *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->node = *node;
    d->fd = fd;
    for (unsigned i = 0; i < OPEN_MAX_OURS; i++) {
        struct our_dir *none = NULL;
        if (atomic_compare_exchange_strong(&open_dirs[i], &none, d)) {
            atomic_fetch_add(&open_count, 1);
            return (DIR *)(void *)d;
        }
    }
    free(d);
    errno = EMFILE;
    return NULL;
}

HOOK DIR *opendir(const char *path)
{
    struct vfs_node node;
    vfs_lookup(path, &node);
    vfs_follow(&node);
    switch (node.kind) {
    case VFS_NONE:
        return REAL(opendir)(path);
    case VFS_DIR:
        return open_node(&node, -1);
    case VFS_MISSING:
        errno = ENOENT;
        return NULL;
    default:
        errno = ENOTDIR;
        return NULL;
    }
}

HOOK DIR *fdopendir(int fd)
{
    struct vfs_node node;
    char path[VFS_PATH_MAX];
    DIR *dir = REAL(fdopendir)(fd);
    if (dir || errno != ENOTDIR || !vfs_fd_path(fd, path) || vfs_lookup(path, &node) != VFS_DIR)
        return dir;
    return open_node(&node, fd);
}

static struct dirent *next_entry(struct our_dir *d)
{
    bool is_dir = true;
    if (d->position < 2)
        strcpy(d->entry.d_name, d->position ? ".." : ".");
    else if (!vfs_entry(d->node.path, (unsigned)d->position - 2, d->entry.d_name, &is_dir))
        return NULL;
    d->entry.d_ino = 1 + (ino_t)d->position;
    d->entry.d_off = ++d->position;
    d->entry.d_reclen = sizeof d->entry;
    d->entry.d_type = is_dir ? DT_DIR : DT_UNKNOWN;
    return &d->entry;
}
_Static_assert(sizeof(((struct dirent *)0)->d_name) >= VFS_PATH_MAX, "vfs_entry writes into d_name");

HOOK struct dirent *readdir(DIR *dir)
{
    struct our_dir *d = ours(dir);
    return d ? next_entry(d) : REAL(readdir)(dir);
}

HOOK struct dirent64 *readdir64(DIR *dir)
{
    struct our_dir *d = ours(dir);
    return d ? (struct dirent64 *)(void *)next_entry(d) : REAL(readdir64)(dir);
}

HOOK int closedir(DIR *dir)
{
    struct our_dir *d = ours(dir);
    if (!d)
        return REAL(closedir)(dir);
    for (unsigned i = 0; i < OPEN_MAX_OURS; i++) {
        struct our_dir *me = d;
        if (atomic_compare_exchange_strong(&open_dirs[i], &me, NULL))
            atomic_fetch_sub(&open_count, 1);
    }
    if (d->fd >= 0)
        close(d->fd);
    free(d);
    return 0;
}

HOOK int dirfd(DIR *dir)
{
    struct our_dir *d = ours(dir);
    if (!d)
        return REAL(dirfd)(dir);
    if (d->fd < 0)
        d->fd = vfs_open(&d->node, O_RDONLY | O_CLOEXEC, driver_live);
    return d->fd;
}

HOOK void rewinddir(DIR *dir)
{
    struct our_dir *d = ours(dir);
    if (d)
        d->position = 0;
    else
        REAL(rewinddir)(dir);
}

HOOK long telldir(DIR *dir)
{
    struct our_dir *d = ours(dir);
    return d ? d->position : REAL(telldir)(dir);
}

HOOK void seekdir(DIR *dir, long position)
{
    struct our_dir *d = ours(dir);
    if (d)
        d->position = position;
    else
        REAL(seekdir)(dir, position);
}

typedef int (*filter_fn)(const struct dirent *);
typedef int (*compare_fn)(const struct dirent **, const struct dirent **);

static int compare_with(const void *a, const void *b, void *compare)
{
    return ((compare_fn)compare)((const struct dirent **)a, (const struct dirent **)b);
}

static int scan(DIR *dir, struct dirent ***list, filter_fn filter, compare_fn compare)
{
    struct dirent **found = NULL, *e;
    size_t count = 0;
    while ((e = readdir(dir))) {
        if (filter && !filter(e))
            continue;
        if (!LS_ROOM(found, count) || !(found[count] = malloc(sizeof *e))) {
            while (count--)
                free(found[count]);
            free(found);
            return -1;
        }
        memcpy(found[count++], e, sizeof *e);
    }
    if (count && compare)
        qsort_r(found, count, sizeof *found, compare_with, (void *)compare);
    *list = found;
    return (int)count;
}

static int scan_ours(const char *path, struct dirent ***list, filter_fn filter, compare_fn compare)
{
    DIR *dir = opendir(path);
    if (!dir)
        return -1;
    int n = scan(dir, list, filter, compare);
    closedir(dir);
    return n;
}

HOOK int scandir(const char *path, struct dirent ***list, filter_fn filter, compare_fn compare)
{
    struct vfs_node node;
    if (vfs_lookup(path, &node) == VFS_NONE)
        return REAL(scandir)(path, list, filter, compare);
    return scan_ours(path, list, filter, compare);
}

HOOK int scandir64(const char *path, struct dirent64 ***list, int (*filter)(const struct dirent64 *),
                   int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
    struct vfs_node node;
    if (vfs_lookup(path, &node) == VFS_NONE)
        return REAL(scandir64)(path, list, filter, compare);
    return scan_ours(path, (struct dirent ***)(void *)list, (filter_fn)filter, (compare_fn)compare);
}
