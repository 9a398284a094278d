/*
 * file_limit.h - writing in somebody else's process without its limit of file sizes ending it: beyond it the
 * kernel sends SIGXFSZ, which ends a process, unless it is held; then write() fails with EFBIG.
 *
 *     struct ls_held_signal held = ls_hold_file_limit();
 *     write(...);
 *     ls_release_file_limit(&held);
 */
#ifndef COMMON_FILE_LIMIT_H
#define COMMON_FILE_LIMIT_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

struct ls_held_signal {
    sigset_t before;
    bool pending; /* one was waiting already: the program's own */
};

/* Of the calling thread, to which the kernel sends it. */
static inline struct ls_held_signal ls_hold_file_limit(void)
{
    struct ls_held_signal h;
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    sigpending(&pending);
    h.pending = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &set, &h.before);
    return h;
}

/* Drops what our writes have raised; errno stays. */
static inline void ls_release_file_limit(const struct ls_held_signal *h)
{
    const struct timespec now = {0, 0};
    int error = errno;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    if (!h->pending && !sigismember(&h->before, SIGXFSZ))
        while (sigtimedwait(&set, NULL, &now) == SIGXFSZ)
            ;
    pthread_sigmask(SIG_SETMASK, &h->before, NULL);
    errno = error;
}

#endif
