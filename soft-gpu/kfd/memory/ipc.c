/*
 * ipc.c - memory shared between processes (hipIpcGetMemHandle, hipIpcOpenMemHandle).
 *
 * The memory of an emulated GPU is a memfd of its process, so sharing an object means that another process
 * maps the same memfd. A handle has room for 16 bytes: it names the exporting process and a small file there,
 * the record, which describes the object. Both files are opened through /proc/PID/fd, which the system allows
 * to the same user; the inode numbers make sure that they are still the ones that were meant.
 *
 * As with the real driver, an object lives on in the processes that have it open when its owner has ended.
 * When the owner frees it earlier, they see zeros: CUDA and HIP leave that case undefined.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"
#include "soft-gpu/kfd/raw.h"

#define MAGIC 0x4350494c53534e41ull

/* Content of the record file. */
struct record {
    uint64_t magic;
    uint64_t size, offset; /* of the object in its memory file */
    uint64_t inode;        /* of the memory file */
    int32_t file;          /* its descriptor in the exporting process */
    uint32_t bo_flags;     /* KFD_MEM_* */
    uint32_t thunk_flags;
    uint32_t unused;
};

/* struct kfd_ipc_export.share_handle. */
struct share {
    int32_t pid, record;
    uint32_t inode[2]; /* of the record file */
};
_Static_assert(sizeof(struct share) == sizeof((struct kfd_ipc_export){0}.share_handle), "16 bytes");

static uint64_t inode_of(int fd)
{
    struct stat st;
    return raw_fstat(fd, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

/* ---- Export ---- */

static int write_record(const struct bo *bo, int file, uint32_t thunk_flags)
{
    struct record r = {.magic = MAGIC,
                       .size = bo->size,
                       .offset = bo->ipc.bytes ? bo->ipc.at : bo->offset,
                       .inode = inode_of(file),
                       .file = file,
                       .bo_flags = bo->flags,
                       .thunk_flags = thunk_flags};
    int fd = memfd_create("lanescope-ipc", MFD_CLOEXEC);
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 600); /* low ones are the application's */
    if (fd >= 0)
        close(fd);
    if (high < 0)
        return -errno;
    if (write(high, &r, sizeof r) == (ssize_t)sizeof r)
        return high;
    close(high);
    return -ENOSPC;
}

int kfd_ipc_export(struct driver *d, void *arg)
{
    struct kfd_ipc_export *a = arg;
    int err = 0;
    pthread_mutex_lock(&d->lock);
    struct bo *bo = bo_find(d, a->handle);
    if (!bo || !(bo->flags & (KFD_MEM_VRAM | KFD_MEM_GTT)) || bo->flags & KFD_MEM_USERPTR)
        err = -EINVAL;
    if (!err && !bo->ipc.record) {
        int file = bo->ipc.bytes ? bo->ipc.file - 1 : sg_vram_fd(d->gpu[bo->gpu].vram);
        int fd = write_record(bo, file, a->flags);
        if (fd < 0)
            err = fd;
        else
            bo->ipc.record = fd + 1;
    }
    if (!err) {
        uint64_t inode = inode_of(bo->ipc.record - 1);
        struct share s = {getpid(), bo->ipc.record - 1, {(uint32_t)inode, (uint32_t)(inode >> 32)}};
        memcpy(a->share_handle, &s, sizeof s);
    }
    pthread_mutex_unlock(&d->lock);
    return err;
}

/* ---- Import ---- */

/* Opens a descriptor of another process; its inode must be the given one. */
static int open_theirs(int32_t pid, int32_t fd, uint64_t inode, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, (int)fd);
    int own = raw_openat(AT_FDCWD, path, flags | O_CLOEXEC, 0);
    if (own < 0)
        return errno == ENOENT ? -EINVAL : -errno;
    if (inode_of(own) == inode)
        return own;
    close(own);
    return -EINVAL;
}

static int read_record(const struct share *s, struct record *r)
{
    int fd = open_theirs(s->pid, s->record, s->inode[0] | (uint64_t)s->inode[1] << 32, O_RDONLY);
    if (fd < 0)
        return fd;
    bool good = pread(fd, r, sizeof *r, 0) == (ssize_t)sizeof *r && r->magic == MAGIC;
    close(fd);
    return good ? 0 : -EINVAL;
}

static int map_theirs(struct bo *bo, const struct ipc_source *s)
{
    int fd = open_theirs(s->pid, s->file, s->inode, O_RDWR);
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 600);
    if (fd < 0)
        return fd;
    close(fd);
    if (high < 0)
        return -errno;
    bo->ipc.bytes = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, high, (off_t)s->offset);
    if (bo->ipc.bytes == MAP_FAILED) {
        bo->ipc.bytes = NULL;
        close(high);
        return -ENOMEM;
    }
    bo->ipc.file = high + 1;
    bo->ipc.at = s->offset;
    return 0;
}

/* The application maps what it gets at an offset of our own memory file. That place stays empty: the mmap
 * hook takes the real memory instead (ipc_redirect), and ipc_show puts it over what was mapped before. */
int ipc_import(struct driver *d, struct gpu *g, uint64_t va, const struct ipc_source *s, struct bo **out)
{
    struct bo *bo = calloc(1, sizeof *bo);
    if (!bo)
        return -ENOMEM;
    *bo = (struct bo){.flags = s->flags, .gpu = g->index, .va = va, .size = s->size};
    int err = map_theirs(bo, s);
    if (!err)
        err = sg_vram_alloc(g->vram, bo->size, &bo->offset);
    if (err) {
        ipc_release(bo);
        free(bo);
        return err;
    }
    bo->handle = d->next_handle++;
    HASH_ADD(hh, d->bos, handle, sizeof bo->handle, bo);
    atomic_fetch_add(&d->imported, 1);
    *out = bo;
    return 0;
}

int kfd_ipc_import(struct driver *d, void *arg)
{
    struct kfd_ipc_import *a = arg;
    struct gpu *g = driver_gpu(d, a->gpu_id);
    struct share s;
    struct record r;
    memcpy(&s, a->share_handle, sizeof s);
    int err = g && a->va ? read_record(&s, &r) : -EINVAL;
    if (err)
        return err;
    const struct ipc_source source = {s.pid, r.file, r.inode, r.offset, r.size, r.bo_flags};
    struct bo *bo;
    pthread_mutex_lock(&d->lock);
    err = ipc_import(d, g, a->va, &source, &bo);
    pthread_mutex_unlock(&d->lock);
    if (err)
        return err;
    a->handle = bo->handle;
    a->mmap_offset = bo->offset;
    a->flags = r.thunk_flags;
    return 0;
}

uint64_t ipc_inode(int fd)
{
    return inode_of(fd);
}

bool ipc_is_of(const struct bo *bo, const struct ipc_source *s)
{
    return bo->ipc.bytes && bo->size == s->size && bo->ipc.at == s->offset &&
           inode_of(bo->ipc.file - 1) == s->inode;
}

bool ipc_redirect(struct driver *d, unsigned gpu, int *fd, uint64_t *offset, uint64_t size)
{
    bool found = false;
    pthread_mutex_lock(&d->lock);
    for (struct bo *bo = d->bos; bo && !found; bo = bo->hh.next) {
        found = bo->ipc.bytes && bo->gpu == gpu && *offset >= bo->offset && *offset < bo->offset + bo->size &&
                size <= bo->offset + ((bo->size + 4095) & ~4095ull) - *offset;
        if (found) {
            *offset = bo->ipc.at + (*offset - bo->offset);
            *fd = bo->ipc.file - 1;
        }
    }
    pthread_mutex_unlock(&d->lock);
    return found;
}

int ipc_show(const struct bo *bo)
{
    void *at = mmap((void *)(uintptr_t)bo->va, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                    bo->ipc.file - 1, (off_t)bo->ipc.at);
    return at == MAP_FAILED ? -errno : 0;
}

void ipc_release(struct bo *bo)
{
    if (bo->ipc.bytes)
        munmap(bo->ipc.bytes, bo->size);
    if (bo->ipc.file)
        close(bo->ipc.file - 1);
    if (bo->ipc.record)
        close(bo->ipc.record - 1);
    bo->ipc = (struct ipc){0};
}
