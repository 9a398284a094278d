/*
 * dmabuf.c - descriptors that stand for buffer objects: hsa_amd_portable_export_dmabuf, the virtual memory
 * calls, and from ROCr 7 on memory shared between processes, which get them over a Unix socket (RCCL does the
 * same).
 *
 * Such a descriptor is a memfd of the object's size, because libdrm asks for the size with lseek; it holds
 * the object's metadata. What it stands for is its name, which nobody can change: the exporting process, the
 * object there, and the file that has its bytes. In that process it leads to the object itself. Any other
 * process maps the same bytes through /proc (ipc.c), while the exporter lives; with a real driver they would
 * outlive it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soft-gpu/mem/file_size.h"
#include "memory.h"
#include "soft-gpu/kfd/raw.h"

#define NAME "lanescope-dmabuf:"

/* An object, as the name tells it. */
struct told {
    struct ipc_source source;
    uint64_t handle;
    unsigned gpu;
};

static void write_name(const struct told *t, char name[200])
{
    const struct ipc_source *s = &t->source;
    snprintf(name, 200, NAME "%d:%" PRIx64 ":%u:%d:%" PRIx64 ":%" PRIx64 ":%" PRIx64 ":%x", (int)s->pid,
             t->handle, t->gpu, (int)s->file, s->inode, s->offset, s->size, s->flags);
}

static int read_name(int fd, struct told *t)
{
    char link[32], name[300];
    int pid, file, end = 0;
    struct ipc_source *s = &t->source;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = raw_readlinkat(AT_FDCWD, link, name, sizeof name - 1);
    if (n < 0)
        return errno == ENOENT ? -EBADF : -errno;
    name[n] = 0;
    sscanf(name, "/memfd:" NAME "%d:%" SCNx64 ":%u:%d:%" SCNx64 ":%" SCNx64 ":%" SCNx64 ":%x%n", &pid,
           &t->handle, &t->gpu, &file, &s->inode, &s->offset, &s->size, &s->flags, &end);
    if (!end)
        return -EINVAL; /* no descriptor of ours */
    s->pid = pid;
    s->file = file;
    return 0;
}

static bool is_exportable(const struct bo *bo)
{
    return bo && bo->flags & (KFD_MEM_VRAM | KFD_MEM_GTT) && !(bo->flags & KFD_MEM_USERPTR);
}

int kfd_export_dmabuf(struct driver *d, void *arg)
{
    struct kfd_export_dmabuf *a = arg;
    char name[200];
    int err = -EINVAL;
    pthread_mutex_lock(&d->lock);
    struct bo *bo = bo_find(d, a->handle);
    if (is_exportable(bo)) {
        const int file = bo->ipc.bytes ? bo->ipc.file - 1 : sg_vram_fd(d->gpu[bo->gpu].vram);
        const uint64_t at = bo->ipc.bytes ? bo->ipc.at : bo->offset;
        const struct told t = {
            {getpid(), file, ipc_inode(file), at, bo->size, bo->flags}, bo->handle, bo->gpu};
        write_name(&t, name);
        int fd = memfd_create(name, a->flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
        err = fd >= 0 && sg_set_file_size(fd, bo->size) == 0 &&
                      pwrite(fd, &bo->metadata, sizeof bo->metadata, 0) == (ssize_t)sizeof bo->metadata
                  ? 0
                  : -errno;
        if (err && fd >= 0)
            close(fd);
        a->fd = (uint32_t)fd;
    }
    pthread_mutex_unlock(&d->lock);
    return err;
}

int dmabuf_find(struct driver *d, const struct gpu *g, int fd, struct bo **bo)
{
    struct told t;
    int err = read_name(fd, &t);
    *bo = NULL;
    if (err)
        return err;
    if (t.source.pid != getpid()) {
        for (struct bo *b = d->bos; b && !*bo; b = b->hh.next)
            if (b->of_drm && b->gpu == g->index && ipc_is_of(b, &t.source))
                *bo = b;
        return 0;
    }
    *bo = bo_find(d, t.handle);
    return *bo ? 0 : -EINVAL; /* freed */
}

int dmabuf_open(struct driver *d, struct gpu *g, uint64_t va, int fd, struct bo **bo)
{
    struct told t;
    int err = read_name(fd, &t);
    if (!err)
        err = ipc_import(d, g, va, &t.source, bo);
    if (!err && pread(fd, &(*bo)->metadata, sizeof(*bo)->metadata, 0) < 0)
        (*bo)->metadata = (struct bo_metadata){0};
    return err;
}

int kfd_dmabuf_info(struct driver *d, void *arg)
{
    struct kfd_dmabuf_info *a = arg;
    struct told t;
    int err = read_name((int)a->dmabuf_fd, &t);
    if (err)
        return err;
    if (t.gpu >= d->gpus)
        return -ENODEV; /* the exporter has more GPUs than this process */
    a->size = t.source.size;
    a->metadata_size = 0;
    a->gpu_id = gpu_id_of(t.gpu);
    a->flags = t.source.flags;
    return 0;
}

int kfd_import_dmabuf(struct driver *d, void *arg)
{
    struct kfd_import_dmabuf *a = arg;
    struct gpu *g = driver_gpu(d, a->gpu_id);
    struct bo *bo;
    if (!g)
        return -EINVAL;
    pthread_mutex_lock(&d->lock);
    int err = dmabuf_open(d, g, a->va, (int)a->dmabuf_fd, &bo);
    pthread_mutex_unlock(&d->lock);
    if (!err)
        a->handle = bo->handle;
    return err;
}
