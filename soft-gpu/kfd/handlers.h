/*
 * handlers.h - one function per KFD ioctl. Each gets a copy of the argument, extended with zeros to the
 * length of the newest structure, and returns 0 or -errno.
 */
#ifndef SOFT_GPU_KFD_HANDLERS_H
#define SOFT_GPU_KFD_HANDLERS_H

#include "abi.h"
#include "driver.h"

/* memory.c */
int kfd_alloc_memory(struct driver *d, void *arg);
int kfd_free_memory(struct driver *d, void *arg);
int kfd_map_memory(struct driver *d, void *arg);
int kfd_unmap_memory(struct driver *d, void *arg);
int kfd_available_memory(struct driver *d, void *arg);
int kfd_export_dmabuf(struct driver *d, void *arg);

/* ipc.c */
int kfd_ipc_export(struct driver *d, void *arg);
int kfd_ipc_import(struct driver *d, void *arg);
/* Puts the other process's memory where the application sees the object. 0 or -errno. */
int ipc_show(const struct bo *bo);
/* Before the object is freed. */
void ipc_release(struct bo *bo);

/* queue.c */
int kfd_create_queue(struct driver *d, void *arg);
int kfd_update_queue(struct driver *d, void *arg);
int kfd_destroy_queue(struct driver *d, void *arg);

/* svm.c: works on the caller's structure itself, which has a variable length. */
int kfd_svm(struct driver *d, struct kfd_svm *args, size_t size);
/* The application unmaps [address, address+size). */
void svm_unmapped(struct driver *d, uint64_t address, uint64_t size);

#endif
