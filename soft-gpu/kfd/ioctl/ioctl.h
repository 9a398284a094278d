/*
 * ioctl.h - the ioctls of our device files.
 *
 * Each KFD ioctl has a function, int kfd_...(struct driver *, void *arg), in the room of its subject. It gets a copy of
 * the argument, extended with zeros to the length of the newest structure, and returns 0 or -errno.
 */
#ifndef SOFT_GPU_KFD_IOCTL_H
#define SOFT_GPU_KFD_IOCTL_H

/* As ioctl(2) does, 0 or -errno; drm_ioctl: of the render node of a GPU. */
int kfd_ioctl(unsigned long request, void *arg);
int drm_ioctl(unsigned gpu, unsigned long request, void *arg);

#endif
