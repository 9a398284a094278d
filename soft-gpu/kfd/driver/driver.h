/*
 * driver.h - the state of the emulated kernel driver in this process.
 */
#ifndef SOFT_GPU_KFD_DRIVER_H
#define SOFT_GPU_KFD_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uthash.h>

#include "soft-gpu/cp/cp.h"
#include "soft-gpu/isa/engine.h"
#include "soft-gpu/mem/mem.h"
#include "soft-gpu/mem/vram.h"
#include "soft-gpu/kfd/config/config.h"
#include "soft-gpu/kfd/events/events.h"
#include "soft-gpu/kfd/topology/topology.h"

#define DOORBELL_BYTES 8192u
#define DOORBELLS (DOORBELL_BYTES / 8u)
/* The thunk takes the low 32 bits of the offset as the place inside the page, so every GPU's page starts at a
 * multiple of 4 GiB. */
#define DOORBELL_OFFSET(gpu) ((uint64_t)((gpu) + 1) << 32)
#define MMIO_OFFSET(gpu) ((uint64_t)(gpu) * 4096)

/* What makes a buffer object shared with another process (ipc.c). Zero: it is not. */
struct ipc {
    int record;     /* exported: 1 + descriptor of the record */
    int file;       /* imported: 1 + descriptor of the other process's memory file, ... */
    uint8_t *bytes; /* ... the object in our own mapping of it, ... */
    uint64_t at;    /* ... and its offset there */
};

/* What the client notes at an object: drm_amdgpu_gem_metadata's `data`. ROCr 7 puts a number there to
 * recognise memory that it imports. */
struct bo_metadata {
    uint64_t flags, tiling;
    uint32_t bytes, data[64];
};

struct bo {
    uint64_t handle; /* key; also the GEM handle */
    uint32_t flags;
    unsigned gpu; /* owner */
    uint64_t va, size;
    uint64_t offset; /* VRAM and GTT: in the memfd; doorbell and MMIO: in /dev/kfd */
    uint64_t user;   /* USERPTR: host address */
    uint8_t mapped;  /* bit per GPU */
    bool of_drm;     /* made by the render node's import, and freed by its close */
    struct ipc ipc;
    struct bo_metadata metadata;
    UT_hash_handle hh;
};

struct gpu {
    unsigned index;
    struct driver *driver;
    const struct ls_gpu_card *card;
    struct sg_mem *mem;
    struct sg_vram *vram;
    struct sg_engine *engine; /* made with the first queue */
    struct sg_cp *cp;
    _Atomic uint64_t *doorbell; /* our mapping */
    void *mmio;
    uint64_t used, host_used; /* bytes of VRAM and of GTT allocated */
    uint32_t queue_used[DOORBELLS / 32];
};

struct driver {
    const struct soft_config *config;
    pthread_mutex_t lock; /* buffer objects, queues, `used`, `host_used` */
    int kfd_fd;
    dev_t device;
    ino_t kfd_inode, render_inode[GPUS_MAX];
    unsigned gpus;
    struct gpu gpu[GPUS_MAX];
    struct bo *bos;
    uint64_t next_handle;
    bool xnack;
    struct events *events;
    _Atomic unsigned svm_ranges; /* ever registered: munmap then has to look */
    _Atomic unsigned imported;   /* objects of other processes, ever: mmap then has to look */
};

/* Which of our devices a descriptor is. */
enum device_kind {
    DEVICE_NONE,
    DEVICE_KFD,
    DEVICE_RENDER,
};

/* The driver; made at first use. NULL (with errno) when there is no software GPU or no memory. */
struct driver *driver_get(void);
/* The driver if it exists already. */
struct driver *driver_peek(void);
/* A new descriptor for the application. */
int driver_open(enum device_kind kind, unsigned gpu, int flags);
/* By inode, so that dup and dup2 need no bookkeeping. */
enum device_kind driver_identify(int fd, unsigned *gpu);
/* What a live file of GPU `gpu` says now: bytes; 0 before the driver exists. */
uint64_t driver_live(enum topology_live what, unsigned gpu);
struct gpu *driver_gpu(struct driver *d, uint32_t gpu_id);
/* Engine and command processor of a GPU, made at first use; under d->lock. 0 or -errno. */
int driver_start_gpu(struct gpu *g);

#endif
