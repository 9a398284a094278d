/*
 * queue.c - creating, changing and destroying user queues.
 */
#include <errno.h>
#include <string.h>

#include "queue.h"

/* A queue id tells GPU and doorbell: no table is needed. */
static uint32_t queue_id(const struct gpu *g, uint32_t doorbell)
{
    return g->index * DOORBELLS + doorbell;
}

static struct gpu *gpu_of_queue(struct driver *d, uint32_t id, uint32_t *doorbell)
{
    *doorbell = id % DOORBELLS;
    if (id / DOORBELLS >= d->gpus)
        return NULL;
    struct gpu *g = &d->gpu[id / DOORBELLS];
    return g->queue_used[*doorbell / 32] >> *doorbell % 32 & 1 ? g : NULL;
}

static int take_doorbell(struct gpu *g, uint32_t *doorbell)
{
    for (uint32_t i = 0; i < DOORBELLS; i++) {
        if (g->queue_used[i / 32] >> i % 32 & 1)
            continue;
        g->queue_used[i / 32] |= 1u << i % 32;
        atomic_store(&g->doorbell[i], 0);
        *doorbell = i;
        return 0;
    }
    return -ENOMEM;
}

static void give_doorbell(struct gpu *g, uint32_t doorbell)
{
    g->queue_used[doorbell / 32] &= ~(1u << doorbell % 32);
}

static int create(struct driver *d, struct kfd_create_queue *a)
{
    struct gpu *g = driver_gpu(d, a->gpu_id);
    struct sg_queue_desc desc = {
        .ring = a->ring_base,
        .ring_bytes = a->ring_size,
        .read_pointer = a->read_pointer,
        .write_pointer = a->write_pointer,
    };
    uint32_t doorbell;
    if (!g)
        return -EINVAL;
    switch (a->queue_type) {
    case KFD_QUEUE_COMPUTE_AQL:
        desc.kind = SG_QUEUE_AQL;
        break;
    case KFD_QUEUE_SDMA:
    case KFD_QUEUE_SDMA_XGMI:
    case KFD_QUEUE_SDMA_BY_ENGINE:
        desc.kind = SG_QUEUE_SDMA;
        break;
    default:
        return -EINVAL; /* raw PM4 queues: no runtime makes them */
    }
    int err = driver_start_gpu(g);
    if (!err)
        err = take_doorbell(g, &doorbell);
    if (err)
        return err;
    desc.id = queue_id(g, doorbell);
    desc.doorbell = (const void *)&g->doorbell[doorbell];
    err = sg_cp_add_queue(g->cp, &desc);
    if (err) {
        give_doorbell(g, doorbell);
        return err;
    }
    if (!a->percentage)
        sg_cp_update_queue(g->cp, desc.id, 0, 0, false);
    a->queue_id = desc.id;
    a->doorbell_offset = DOORBELL_OFFSET(g->index) + doorbell * 8;
    return 0;
}

int kfd_create_queue(struct driver *d, void *arg)
{
    pthread_mutex_lock(&d->lock);
    int err = create(d, arg);
    pthread_mutex_unlock(&d->lock);
    return err;
}

int kfd_update_queue(struct driver *d, void *arg)
{
    struct kfd_update_queue *a = arg;
    uint32_t doorbell;
    pthread_mutex_lock(&d->lock);
    struct gpu *g = gpu_of_queue(d, a->queue_id, &doorbell);
    int err =
        g ? sg_cp_update_queue(g->cp, a->queue_id, a->ring_base, a->ring_size, a->percentage != 0) : -EINVAL;
    pthread_mutex_unlock(&d->lock);
    return err;
}

/* Of a work-group processor both units or none. */
static bool has_halves(const uint32_t *mask)
{
    for (size_t i = 0; i < SG_UNIT_WORDS; i++)
        if ((mask[i] ^ mask[i] >> 1) & 0x55555555)
            return true;
    return false;
}

/* As the kernel driver (kfd_ioctl_set_cu_mask): whole words, at least one; from gfx10 on pairs (pqm_update_mqd). */
int kfd_set_cu_mask(struct driver *d, void *arg)
{
    const struct kfd_set_cu_mask *a = arg;
    uint32_t doorbell, mask[SG_UNIT_WORDS] = {0};
    const size_t words = a->bits / 32;
    if (!words || a->bits % 32)
        return -EINVAL;
    const size_t used = words < SG_UNIT_WORDS ? words : SG_UNIT_WORDS;
    memcpy(mask, (const void *)(uintptr_t)a->mask, used * sizeof *mask);
    if (d->config->arch->family->hw_id == LS_HW_ID1 && has_halves(mask))
        return -EINVAL;
    pthread_mutex_lock(&d->lock);
    struct gpu *g = gpu_of_queue(d, a->queue_id, &doorbell);
    int err = g ? sg_cp_set_units(g->cp, a->queue_id, mask, used) : -EINVAL;
    pthread_mutex_unlock(&d->lock);
    return err;
}

int kfd_destroy_queue(struct driver *d, void *arg)
{
    struct kfd_id *a = arg;
    uint32_t doorbell;
    pthread_mutex_lock(&d->lock);
    struct gpu *g = gpu_of_queue(d, a->id, &doorbell);
    int err = g ? sg_cp_remove_queue(g->cp, a->id) : -EINVAL;
    if (!err)
        give_doorbell(g, doorbell);
    pthread_mutex_unlock(&d->lock);
    return err;
}
