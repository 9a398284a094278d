/*
 * queue.h - user queues. A kfd_* function is an ioctl's: see ../ioctl/ioctl.h.
 */
#ifndef SOFT_GPU_KFD_QUEUE_H
#define SOFT_GPU_KFD_QUEUE_H

#include "soft-gpu/kfd/driver/driver.h"

int kfd_create_queue(struct driver *d, void *arg);
int kfd_update_queue(struct driver *d, void *arg);
int kfd_set_cu_mask(struct driver *d, void *arg);
int kfd_destroy_queue(struct driver *d, void *arg);

#endif
