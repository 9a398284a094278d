/* file_size.c - see file_size.h. */
#include "file_size.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

int sg_set_file_size(int fd, uint64_t size)
{
    const struct timespec now = {0, 0};
    sigset_t limit, before, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigpending(&pending);
    const bool others = sigismember(&pending, SIGXFSZ) == 1; /* not ours to take away */
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    int rc = ftruncate(fd, (off_t)size), saved = errno;
    if (rc != 0 && saved == EFBIG && !others)
        while (sigtimedwait(&limit, NULL, &now) == SIGXFSZ)
            ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return rc;
}
