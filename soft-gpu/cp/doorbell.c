/*
 * doorbell.c - userfaultfd write protection of the doorbell page (Linux Documentation/admin-guide/mm/
 * userfaultfd.rst, "Write Protect Notifications").
 */
#include "doorbell.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Not in older headers; values of include/uapi/linux/userfaultfd.h. */
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef UFFD_FEATURE_WP_HUGETLBFS_SHMEM
#define UFFD_FEATURE_WP_HUGETLBFS_SHMEM (1 << 12)
#endif

/* The ioctl symbol of this process is our own hook: go to the kernel directly. */
static long uffd_ioctl(int fd, unsigned long request, void *arg)
{
    return syscall(SYS_ioctl, fd, request, arg);
}

void doorbell_init(struct doorbell_watch *w)
{
    *w = (struct doorbell_watch){.fd = -1};
}

void doorbell_close(struct doorbell_watch *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
}

static bool open_fd(struct doorbell_watch *w)
{
    struct uffdio_api api = {
        .api = UFFD_API,
        .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
    };
    w->fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
    if (w->fd >= 0 && uffd_ioctl(w->fd, UFFDIO_API, &api) == 0)
        return true;
    doorbell_close(w);
    w->refused = true;
    return false;
}

void doorbell_set_page(struct doorbell_watch *w, void *page, size_t bytes)
{
    w->page = NULL;
    if (!page || w->refused || (w->fd < 0 && !open_fd(w)))
        return;
    struct uffdio_register range = {
        .range = {(uintptr_t)page, bytes},
        .mode = UFFDIO_REGISTER_MODE_WP,
    };
    if (uffd_ioctl(w->fd, UFFDIO_REGISTER, &range) != 0)
        return;
    w->page = page;
    w->bytes = bytes;
}

static bool protect(struct doorbell_watch *w, bool on)
{
    struct uffdio_writeprotect wp = {
        .range = {(uintptr_t)w->page, w->bytes},
        .mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
    };
    return uffd_ioctl(w->fd, UFFDIO_WRITEPROTECT, &wp) == 0;
}

bool doorbell_arm(struct doorbell_watch *w)
{
    if (!w->page)
        return false;
    /* Write protection applies to pages that are present only. They are touched by a system call, because the
       application may have unmapped them meanwhile. */
    bool present = true;
    for (size_t at = 0; at < w->bytes && present; at += 4096) {
        uint8_t byte;
        struct iovec here = {&byte, 1}, there = {(uint8_t *)w->page + at, 1};
        present = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
    }
    if (present && protect(w, true))
        return true;
    /* The application unmapped it: the next mapping is announced again. Other errors pass: EAGAIN and EINTR
       come from a change of the address space, or a debugger, in this moment. */
    if (errno == EFAULT || errno == ENOENT || errno == EINVAL)
        w->page = NULL;
    return false;
}

void doorbell_disarm(struct doorbell_watch *w)
{
    struct uffd_msg msg;
    while (w->fd >= 0 && read(w->fd, &msg, sizeof msg) == (ssize_t)sizeof msg)
        ;
    if (w->page)
        protect(w, false);
}
