/*
 * svm.c - shared virtual memory: host memory that the GPU reaches at its host address.
 *
 * An emulated GPU in the same process needs no migration, so all that counts is whether a range is
 * accessible. The kernel would learn of a munmap by itself; here the munmap hook tells.
 */
#include <errno.h>

#include "memory.h"

#define SVM_RANGE (SG_RANGE_READ | SG_RANGE_WRITE | SG_RANGE_EXEC | SG_RANGE_HOST | SG_RANGE_UNCACHED)

static int map_range(struct driver *d, struct gpu *g, const struct kfd_svm *s)
{
    int err = sg_mem_map(g->mem, s->start, s->size, (void *)(uintptr_t)s->start, SVM_RANGE);
    if (!err)
        atomic_fetch_add(&d->svm_ranges, 1);
    return err;
}

static int set_attribute(struct driver *d, const struct kfd_svm *s, const struct kfd_svm_attribute *a)
{
    struct gpu *g;
    int err = 0;
    switch (a->type) {
    case KFD_SVM_ACCESS:
    case KFD_SVM_ACCESS_IN_PLACE:
        g = driver_gpu(d, a->value);
        return g ? map_range(d, g, s) : -EINVAL;
    case KFD_SVM_NO_ACCESS:
        g = driver_gpu(d, a->value);
        if (!g)
            return -EINVAL;
        bo_unmap(d, g, s->start, s->size);
        return 0;
    case KFD_SVM_SET_FLAGS:
        for (unsigned i = 0; a->value & KFD_SVM_FLAG_GPU_ALWAYS_MAPPED && i < d->gpus && !err; i++)
            err = map_range(d, &d->gpu[i], s);
        return err;
    case KFD_SVM_PREFERRED_LOC:
    case KFD_SVM_PREFETCH_LOC:
    case KFD_SVM_CLR_FLAGS:
    case KFD_SVM_GRANULARITY:
        return 0; /* placement: there is one memory */
    default:
        return -EINVAL;
    }
}

static int get_attribute(struct kfd_svm_attribute *a)
{
    switch (a->type) {
    case KFD_SVM_PREFERRED_LOC:
    case KFD_SVM_PREFETCH_LOC:
        a->value = KFD_SVM_LOCATION_UNDEFINED;
        return 0;
    case KFD_SVM_ACCESS:
        a->type = KFD_SVM_ACCESS_IN_PLACE;
        return 0;
    case KFD_SVM_SET_FLAGS:
        a->value = 0;
        return 0;
    case KFD_SVM_CLR_FLAGS:
        a->value = UINT32_MAX;
        return 0;
    case KFD_SVM_GRANULARITY:
        a->value = 9; /* 2 MiB */
        return 0;
    default:
        return -EINVAL;
    }
}

int kfd_svm(struct driver *d, struct kfd_svm *s, size_t size)
{
    int err = 0;
    if (size < sizeof *s || s->nattr > (size - sizeof *s) / sizeof s->attr[0])
        return -EINVAL;
    if (s->op != KFD_SVM_SET_ATTR && s->op != KFD_SVM_GET_ATTR)
        return -EINVAL;
    pthread_mutex_lock(&d->lock);
    for (uint32_t i = 0; i < s->nattr && !err; i++)
        err = s->op == KFD_SVM_SET_ATTR ? set_attribute(d, s, &s->attr[i]) : get_attribute(&s->attr[i]);
    pthread_mutex_unlock(&d->lock);
    return err;
}

/* Only identity ranges die with their host memory: buffer objects are freed by ioctl, and the GPU keeps
 * using VRAM whose host mapping is gone. */
void svm_unmapped(struct driver *d, uint64_t address, uint64_t size)
{
    for (unsigned i = 0; i < d->gpus; i++) {
        struct gpu *g = &d->gpu[i];
        struct sg_range r;
        uint64_t at = address;
        while (at < address + size && sg_mem_next(g->mem, at, &r) && r.lo < address + size) {
            uint64_t lo = r.lo > address ? r.lo : address;
            uint64_t hi = r.hi < address + size ? r.hi : address + size;
            if (r.flags & SG_RANGE_HOST)
                (void)sg_mem_unmap(g->mem, lo, hi - lo);
            at = r.hi;
        }
    }
}
