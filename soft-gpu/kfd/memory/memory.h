/*
 * memory.h - memory that the GPU reaches: buffer objects, those of other processes, shared virtual memory. A kfd_*
 * function is an ioctl's: see ../ioctl/ioctl.h.
 */
#ifndef SOFT_GPU_KFD_MEMORY_H
#define SOFT_GPU_KFD_MEMORY_H

#include "soft-gpu/kfd/abi.h"
#include "soft-gpu/kfd/driver/driver.h"

/* ---- memory.c ---- */

int kfd_alloc_memory(struct driver *d, void *arg);
int kfd_free_memory(struct driver *d, void *arg);
int kfd_map_memory(struct driver *d, void *arg);
int kfd_unmap_memory(struct driver *d, void *arg);
int kfd_available_memory(struct driver *d, void *arg);
/* An object by its handle; and the address space calls of every handler: 0 or -errno. */
struct bo *bo_find(struct driver *d, uint64_t handle);
int bo_map(struct driver *d, struct bo *bo, struct gpu *g, uint64_t va, uint64_t size, uint64_t offset);
void bo_unmap(struct driver *d, struct gpu *g, uint64_t va, uint64_t size);
/* Unmaps and forgets an object; under d->lock. */
void bo_free(struct driver *d, struct bo *bo);

/* ---- ipc.c ---- */

int kfd_ipc_export(struct driver *d, void *arg);
int kfd_ipc_import(struct driver *d, void *arg);
/* Where the bytes of an object of some process lie. */
struct ipc_source {
    int32_t pid, file; /* process, and its descriptor of the file that has them */
    uint64_t inode;    /* of that file */
    uint64_t offset, size;
    uint32_t flags; /* KFD_MEM_* */
};
/* A new object with the same bytes, for address `va` (0: none yet); under d->lock. 0 or -errno. */
int ipc_import(struct driver *d, struct gpu *g, uint64_t va, const struct ipc_source *s, struct bo **bo);
uint64_t ipc_inode(int fd);
/* Has the imported object these bytes? */
bool ipc_is_of(const struct bo *bo, const struct ipc_source *s);
/* Does `size` bytes at `*offset` of a GPU's memory file belong to an imported object? Then where they really
 * are; the descriptor stays ours. */
bool ipc_redirect(struct driver *d, unsigned gpu, int *fd, uint64_t *offset, uint64_t size);
/* Puts the other process's memory where the application sees the object. 0 or -errno. */
int ipc_show(const struct bo *bo);
/* Before the object is freed. */
void ipc_release(struct bo *bo);

/* ---- dmabuf.c ---- */

int kfd_export_dmabuf(struct driver *d, void *arg);
int kfd_dmabuf_info(struct driver *d, void *arg);
int kfd_import_dmabuf(struct driver *d, void *arg);
/* The object of this process that `fd` stands for, or what the render node of `g` imported of another one's before;
 * NULL: neither. Under d->lock. 0 or -errno. */
int dmabuf_find(struct driver *d, const struct gpu *g, int fd, struct bo **bo);
/* A new object with the bytes of the one that `fd` stands for; under d->lock. 0 or -errno. */
int dmabuf_open(struct driver *d, struct gpu *g, uint64_t va, int fd, struct bo **bo);

/* ---- svm.c ---- */

/* Works on the caller's structure itself, which has a variable length. */
int kfd_svm(struct driver *d, struct kfd_svm *args, size_t size);
/* The application unmaps [address, address+size). */
void svm_unmapped(struct driver *d, uint64_t address, uint64_t size);

#endif
