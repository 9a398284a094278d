/*
 * memory.c - buffer objects: VRAM, GTT, user memory, doorbell and MMIO pages.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soft-gpu/mem/file_size.h"
#include "soft-gpu/kfd/findings/counts.h"
#include "soft-gpu/kfd/findings/findings.h"
#include "memory.h"
#include "soft-gpu/kfd/raw.h"

struct bo *bo_find(struct driver *d, uint64_t handle)
{
    struct bo *bo;
    HASH_FIND(hh, d->bos, &handle, sizeof handle, bo);
    return bo;
}

static bool in_vram_file(const struct bo *bo)
{
    return bo->flags & (KFD_MEM_VRAM | KFD_MEM_GTT);
}

/* Our view of the object's bytes. */
static uint8_t *bo_host(struct driver *d, const struct bo *bo)
{
    struct gpu *owner = &d->gpu[bo->gpu];
    if (bo->flags & KFD_MEM_USERPTR)
        return (uint8_t *)(uintptr_t)bo->user;
    if (bo->flags & KFD_MEM_DOORBELL)
        return (uint8_t *)owner->doorbell;
    if (bo->flags & KFD_MEM_MMIO_REMAP)
        return owner->mmio;
    if (bo->ipc.bytes)
        return bo->ipc.bytes;
    return sg_vram_host(owner->vram, bo->offset);
}

/* Memory of the host across PCIe is coherent because the L2 does not keep it (LLVM AMDGPUUsage, "Memory Model
 * GFX942": MTYPE UC), unless the runtime gives that up: neither coherent nor uncached. So is fine-grained memory of
 * the GPU. */
static bool is_uncached(const struct bo *bo)
{
    return bo->flags & (KFD_MEM_UNCACHED | KFD_MEM_COHERENT | KFD_MEM_DOORBELL | KFD_MEM_MMIO_REMAP);
}

int bo_map(struct driver *d, struct bo *bo, struct gpu *g, uint64_t va, uint64_t size, uint64_t offset)
{
    uint32_t flags = SG_RANGE_READ;
    if (bo->flags & KFD_MEM_WRITABLE)
        flags |= SG_RANGE_WRITE;
    if (bo->flags & KFD_MEM_EXECUTABLE)
        flags |= SG_RANGE_EXEC;
    if (is_uncached(bo))
        flags |= SG_RANGE_UNCACHED;
    if (offset > bo->size || size > bo->size - offset)
        return -EINVAL;
    return sg_mem_map(g->mem, va, size, bo_host(d, bo) + offset, flags);
}

void bo_unmap(struct driver *d, struct gpu *g, uint64_t va, uint64_t size)
{
    (void)d;
    if (g->engine) /* before its memory is anybody else's */
        sg_engine_fence(g->engine, SG_WEAK_SYSTEM, SG_WEAK_SYSTEM);
    (void)sg_mem_unmap(g->mem, va, size);
    if (g->cp)
        sg_cp_memory_gone(g->cp, va, size);
    findings_code_gone(va, size);
    counts_code_gone(va, size);
}

/* Where the bytes of an object in the memory file are counted. */
static uint64_t *bytes_used(struct gpu *g, const struct bo *bo)
{
    return bo->flags & KFD_MEM_VRAM ? &g->used : &g->host_used;
}

static int place(struct driver *d, struct gpu *g, struct bo *bo, uint64_t *mmap_offset)
{
    int err = 0;
    if (bo->flags & KFD_MEM_USERPTR) {
        bo->user = *mmap_offset; /* an input here: the host address */
        return bo->user ? 0 : -EINVAL;
    }
    if (bo->flags & KFD_MEM_DOORBELL) {
        bo->offset = DOORBELL_OFFSET(g->index);
    } else if (bo->flags & KFD_MEM_MMIO_REMAP) {
        bo->offset = MMIO_OFFSET(g->index);
    } else if (in_vram_file(bo)) {
        if (bo->flags & KFD_MEM_VRAM && bo->size > g->card->memory_bytes - g->used)
            return -ENOMEM;
        err = sg_vram_alloc(g->vram, bo->size, &bo->offset);
        if (!err)
            *bytes_used(g, bo) += bo->size;
    } else {
        err = -EINVAL;
    }
    *mmap_offset = bo->offset;
    (void)d;
    return err;
}

int kfd_alloc_memory(struct driver *d, void *arg)
{
    struct kfd_alloc_memory *a = arg;
    struct gpu *g = driver_gpu(d, a->gpu_id);
    if (!g || !a->size || a->size > UINT64_MAX - 4095)
        return -EINVAL;
    struct bo *bo = calloc(1, sizeof *bo);
    if (!bo)
        return -ENOMEM;
    /* Whole pages, as the kernel rounds it: clients without libhsakmt leave that to it. */
    const uint64_t size = (a->size + 4095) & ~4095ull;
    *bo = (struct bo){.flags = a->flags, .gpu = g->index, .va = a->va, .size = size};
    pthread_mutex_lock(&d->lock);
    int err = place(d, g, bo, &a->mmap_offset);
    if (!err) {
        bo->handle = d->next_handle++;
        a->handle = bo->handle;
        HASH_ADD(hh, d->bos, handle, sizeof bo->handle, bo);
    }
    pthread_mutex_unlock(&d->lock);
    if (err)
        free(bo);
    return err;
}

static void unmap_everywhere(struct driver *d, struct bo *bo)
{
    for (unsigned i = 0; i < d->gpus; i++)
        if (bo->mapped >> i & 1)
            bo_unmap(d, &d->gpu[i], bo->va, bo->size);
    bo->mapped = 0;
}

/* The render node's mappings of an imported object, whose bytes go away with it. */
static void unmap_imported(struct driver *d, const struct bo *bo)
{
    const uint64_t first = (uintptr_t)bo->ipc.bytes, end = first + bo->size;
    struct sg_range r;
    for (unsigned i = 0; i < d->gpus; i++)
        for (uint64_t at = 0; sg_mem_next(d->gpu[i].mem, at, &r); at = r.hi) {
            const uint64_t host = r.lo + (uint64_t)r.delta;
            if (host >= first && host < end)
                bo_unmap(d, &d->gpu[i], r.lo, r.hi - r.lo);
        }
}

void bo_free(struct driver *d, struct bo *bo)
{
    struct gpu *g = &d->gpu[bo->gpu];
    unmap_everywhere(d, bo);
    if (bo->ipc.bytes)
        unmap_imported(d, bo);
    if (bo->flags & KFD_MEM_DOORBELL && g->cp)
        sg_cp_watch_doorbells(g->cp, NULL, 0);
    if (in_vram_file(bo)) {
        sg_vram_free(g->vram, bo->offset, bo->size);
        if (!bo->ipc.bytes)
            *bytes_used(g, bo) -= bo->size;
    }
    ipc_release(bo);
    HASH_DEL(d->bos, bo);
    free(bo);
}

int kfd_free_memory(struct driver *d, void *arg)
{
    struct kfd_free_memory *a = arg;
    pthread_mutex_lock(&d->lock);
    struct bo *bo = bo_find(d, a->handle);
    if (bo)
        bo_free(d, bo);
    pthread_mutex_unlock(&d->lock);
    return bo ? 0 : -EINVAL;
}

static int map_on(struct driver *d, struct bo *bo, struct gpu *g)
{
    int err = bo->ipc.bytes && !bo->mapped ? ipc_show(bo) : 0;
    if (!err && bo->va)
        err = bo_map(d, bo, g, bo->va, bo->size, 0);
    if (err)
        return err;
    bo->mapped |= (uint8_t)(1u << g->index);
    /* The thunk maps the page at the object's address before it asks for the GPU mapping. */
    if (bo->flags & KFD_MEM_DOORBELL && g->cp)
        sg_cp_watch_doorbells(g->cp, (void *)(uintptr_t)bo->va, bo->size);
    return 0;
}

static int for_devices(struct driver *d, struct kfd_map_memory *a, bool map)
{
    const uint32_t *id = (const uint32_t *)(uintptr_t)a->device_ids;
    struct bo *bo = bo_find(d, a->handle);
    if (!bo)
        return -EINVAL;
    for (; a->n_success < a->n_devices; a->n_success++) {
        struct gpu *g = driver_gpu(d, id[a->n_success]);
        int err = g ? 0 : -EINVAL;
        if (g && map) {
            err = map_on(d, bo, g);
        } else if (g && bo->mapped >> g->index & 1) {
            bo_unmap(d, g, bo->va, bo->size);
            bo->mapped &= (uint8_t)~(1u << g->index);
        }
        if (err)
            return err;
    }
    return 0;
}

int kfd_map_memory(struct driver *d, void *arg)
{
    pthread_mutex_lock(&d->lock);
    int err = for_devices(d, arg, true);
    pthread_mutex_unlock(&d->lock);
    return err;
}

int kfd_unmap_memory(struct driver *d, void *arg)
{
    pthread_mutex_lock(&d->lock);
    int err = for_devices(d, arg, false);
    pthread_mutex_unlock(&d->lock);
    return err;
}

int kfd_available_memory(struct driver *d, void *arg)
{
    struct kfd_available_memory *a = arg;
    struct gpu *g = driver_gpu(d, a->gpu_id);
    if (!g)
        return -EINVAL;
    pthread_mutex_lock(&d->lock);
    a->available = g->card->memory_bytes - g->used;
    pthread_mutex_unlock(&d->lock);
    return 0;
}
