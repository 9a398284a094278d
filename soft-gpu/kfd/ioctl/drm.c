/*
 * drm.c - the render node: the few ioctls that libdrm_amdgpu makes.
 *
 * libdrm identifies the driver (VERSION), asks for device facts (AMDGPU_INFO), and from ROCm 7 on maps
 * exported buffers into the GPU's address space (GEM_VA). Structures: Linux include/uapi/drm.
 */
#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "ioctl.h"
#include "lanescope/realtime.h"
#include "soft-gpu/kfd/memory/memory.h"

#define DRIVER_MAJOR 3
#define DRIVER_MINOR 54

/* Copies at most the caller's length; the length becomes the whole one. */
static void give_string(char *to, __kernel_size_t *length, const char *text)
{
    size_t n = strlen(text);
    if (to && *length)
        memcpy(to, text, *length < n ? *length : n);
    *length = n;
}

static int get_version(void *arg)
{
    struct drm_version *v = arg;
    v->version_major = DRIVER_MAJOR;
    v->version_minor = DRIVER_MINOR;
    v->version_patchlevel = 0;
    give_string(v->name, &v->name_len, "amdgpu");
    give_string(v->date, &v->date_len, "20150101");
    give_string(v->desc, &v->desc_len, "AMD GPU");
    return 0;
}

static void device_info(const struct ls_gpu *gpu, struct drm_amdgpu_info_device *i)
{
    const struct ls_gpu_card *card = gpu->card;
    i->device_id = card->device_id;
    i->pci_rev = card->revision;
    i->family = card->driver_family;
    i->num_shader_engines = card->dies * card->engines;
    i->num_shader_arrays_per_engine = card->arrays;
    i->gpu_counter_freq = LS_REALTIME_MHZ * 1000; /* kHz */
    i->max_engine_clock = 1700000;
    i->max_memory_clock = 1600000;
    i->cu_active_number = card->compute_units;
    i->virtual_address_offset = 2ull << 20;
    i->virtual_address_max = 1ull << 47;
    i->virtual_address_alignment = 4096;
    i->pte_fragment_size = 2u << 20;
    i->gart_page_size = 4096;
    i->vram_type = AMDGPU_VRAM_TYPE_HBM;
    i->vram_bit_width = 4096;
    i->wave_front_size = gpu->family->lanes;
    i->num_cu_per_sh = card->array_units;
}

static int get_info(struct gpu *g, void *arg)
{
    struct drm_amdgpu_info *a = arg;
    void *out = (void *)(uintptr_t)a->return_pointer;
    struct drm_amdgpu_info_device device = {0};
    uint32_t one = 1;
    if (!out || !a->return_size)
        return -EINVAL;
    memset(out, 0, a->return_size);
    switch (a->query) {
    case AMDGPU_INFO_ACCEL_WORKING:
        memcpy(out, &one, a->return_size < sizeof one ? a->return_size : sizeof one);
        return 0;
    case AMDGPU_INFO_DEV_INFO:
        device_info(g->driver->config->arch, &device);
        memcpy(out, &device, a->return_size < sizeof device ? a->return_size : sizeof device);
        return 0;
    default:
        return 0; /* registers, firmware versions, heaps: zero, which libdrm takes as "nothing special" */
    }
}

/* Our own object; or that of another process, which has one handle however often it comes, as DRM's table of the file
 * has it: ROCr 7 does not close what it imported only to look at. */
static int prime_to_handle(struct driver *d, struct gpu *g, void *arg)
{
    struct drm_prime_handle *a = arg;
    struct bo *bo;
    int err = dmabuf_find(d, g, a->fd, &bo);
    if (!err && !bo) {
        err = dmabuf_open(d, g, 0, a->fd, &bo);
        if (!err)
            bo->of_drm = true;
    }
    if (!err)
        a->handle = (uint32_t)bo->handle;
    return err;
}

/* Objects of KFD are freed there. */
static int gem_close(struct driver *d, void *arg)
{
    const struct drm_gem_close *a = arg;
    struct bo *bo = bo_find(d, a->handle);
    if (bo && bo->of_drm)
        bo_free(d, bo);
    return 0;
}

static int gem_metadata(struct driver *d, void *arg)
{
    struct drm_amdgpu_gem_metadata *a = arg;
    struct bo *bo = bo_find(d, a->handle);
    _Static_assert(sizeof bo->metadata.data == sizeof a->data.data, "as much as the kernel keeps");
    if (!bo)
        return -ENOENT;
    struct bo_metadata *m = &bo->metadata;
    if (a->op == AMDGPU_GEM_METADATA_OP_SET_METADATA) {
        if (a->data.data_size_bytes > sizeof m->data)
            return -EINVAL;
        *m = (struct bo_metadata){a->data.flags, a->data.tiling_info, a->data.data_size_bytes, {0}};
        memcpy(m->data, a->data.data, m->bytes);
    } else if (a->op == AMDGPU_GEM_METADATA_OP_GET_METADATA) {
        a->data.flags = m->flags;
        a->data.tiling_info = m->tiling;
        a->data.data_size_bytes = m->bytes;
        memcpy(a->data.data, m->data, sizeof m->data);
    } else {
        return -EINVAL;
    }
    return 0;
}

/* What the object was made with. */
static int gem_op(struct driver *d, void *arg)
{
    const struct drm_amdgpu_gem_op *a = arg;
    const struct bo *bo = bo_find(d, a->handle);
    struct drm_amdgpu_gem_create_in *out = (struct drm_amdgpu_gem_create_in *)(uintptr_t)a->value;
    if (!bo)
        return -ENOENT;
    if (a->op != AMDGPU_GEM_OP_GET_GEM_CREATE_INFO || !out)
        return -EINVAL;
    *out = (struct drm_amdgpu_gem_create_in){.bo_size = bo->size,
                                             .alignment = 4096,
                                             .domains = bo->flags & KFD_MEM_VRAM ? AMDGPU_GEM_DOMAIN_VRAM
                                                                                 : AMDGPU_GEM_DOMAIN_GTT,
                                             .domain_flags = AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED};
    return 0;
}

static int gem_mmap(struct driver *d, void *arg)
{
    union drm_amdgpu_gem_mmap *a = arg;
    struct bo *bo = bo_find(d, a->in.handle);
    if (!bo)
        return -ENOENT;
    a->out.addr_ptr = bo->offset;
    return 0;
}

static int gem_va(struct driver *d, struct gpu *g, void *arg)
{
    struct drm_amdgpu_gem_va *a = arg;
    struct bo *bo;
    switch (a->operation) {
    case AMDGPU_VA_OP_MAP:
    case AMDGPU_VA_OP_REPLACE:
        bo = bo_find(d, a->handle);
        return bo ? bo_map(d, bo, g, a->va_address, a->map_size, a->offset_in_bo) : -ENOENT;
    case AMDGPU_VA_OP_UNMAP:
    case AMDGPU_VA_OP_CLEAR:
        bo_unmap(d, g, a->va_address, a->map_size);
        return 0;
    default:
        return -EINVAL;
    }
}

static int locked(struct driver *d, struct gpu *g, unsigned nr, void *arg)
{
    switch (nr) {
    case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE):
        return prime_to_handle(d, g, arg);
    case _IOC_NR(DRM_IOCTL_AMDGPU_GEM_MMAP):
        return gem_mmap(d, arg);
    case _IOC_NR(DRM_IOCTL_AMDGPU_GEM_VA):
        return gem_va(d, g, arg);
    case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
        return gem_close(d, arg);
    case _IOC_NR(DRM_IOCTL_AMDGPU_GEM_METADATA):
        return gem_metadata(d, arg);
    case _IOC_NR(DRM_IOCTL_AMDGPU_GEM_OP):
        return gem_op(d, arg);
    default:
        return -EINVAL;
    }
}

int drm_ioctl(unsigned gpu, unsigned long request, void *arg)
{
    struct driver *d = driver_get();
    unsigned nr = _IOC_NR(request);
    if (!d)
        return -ENODEV;
    switch (nr) {
    case _IOC_NR(DRM_IOCTL_VERSION):
        return get_version(arg);
    case _IOC_NR(DRM_IOCTL_GET_CAP):
        ((struct drm_get_cap *)arg)->value = 0;
        return 0;
    case _IOC_NR(DRM_IOCTL_AMDGPU_INFO):
        return get_info(&d->gpu[gpu], arg);
    }
    pthread_mutex_lock(&d->lock);
    int err = locked(d, &d->gpu[gpu], nr, arg);
    pthread_mutex_unlock(&d->lock);
    return err;
}
