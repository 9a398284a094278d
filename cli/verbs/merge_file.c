/* merge_file.c - see merge_file.h. */
#include "merge_file.h"
#include "cli/common/cli.h"
#include "results/error_text.h"
#include "results/place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *volatile unfinished; /* what an interrupt removes */

static void on_interrupt(int number)
{
    if (unfinished)
        unlink(unfinished);
    raise(number); /* as without a handler, because that is gone (SA_RESETHAND) */
}

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
enum { INTERRUPTS = sizeof(interrupts) / sizeof(*interrupts) };

/* No file is there without a handler that removes it: interrupts wait until both are. */
static void hold_interrupts(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < INTERRUPTS; i++)
        sigaddset(&held, interrupts[i]);
    sigprocmask(SIG_BLOCK, &held, before);
}

static void remove_on_interrupt(const char *path)
{
    unfinished = path;
    for (size_t i = 0; i < INTERRUPTS; i++) {
        struct sigaction old, new = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
        if (!sigaction(interrupts[i], NULL, &old) && old.sa_handler == SIG_DFL)
            sigaction(interrupts[i], &new, NULL);
    }
}

/* Whether the name still is that of the open file, which another merge may have finished meanwhile. */
static bool still_named(int fd, const char *path)
{
    struct stat open, named;
    return !fstat(fd, &open) && !lstat(path, &named) && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

/* Opens and locks one that was left behind. -1 with errno: EAGAIN when it is gone meanwhile, EBUSY when another merge has it,
 * EEXIST when it is something else. */
static int take_over(const char *path)
{
    int why = EEXIST;
    int fd = ls_place_of_database(path) == LS_PLACE_OURS ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (fd < 0)
        why = access(path, F_OK) ? EAGAIN : EEXIST;
    else if (flock(fd, LOCK_EX | LOCK_NB))
        why = errno == EWOULDBLOCK ? EBUSY : errno;
    else if (!still_named(fd, path))
        why = EAGAIN;
    else if (ftruncate(fd, 0) || fchmod(fd, 0600))
        why = errno;
    else
        return fd;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

/* The same for a new one. */
static int create(const char *path)
{
    int fd = ls_place_create(path);
    if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) || !still_named(fd, path))) {
        close(fd);
        errno = EBUSY; /* between the two another merge took it for left behind */
        return -1;
    }
    return fd;
}

static const char *cause(int why)
{
    return why == EBUSY ? "another merge is writing it; wait for its end, or give another name"
           : why == EEXIST
               ? "it exists and is nothing that a merge left behind; remove it, or give another name"
               : strerror(why);
}

static int open_unfinished(const char *path)
{
    int fd;
    do {
        fd = create(path);
        if (fd < 0 && errno == EEXIST)
            fd = take_over(path);
    } while (fd < 0 && errno == EAGAIN);
    return fd;
}

int merge_file_create(struct merge_file *f, const char *output)
{
    *f = (struct merge_file){.path = ls_text("%s.merging", output), .output = output, .fd = -1};
    sigset_t before;
    hold_interrupts(&before);
    f->fd = open_unfinished(f->path);
    int why = errno;
    if (f->fd >= 0)
        remove_on_interrupt(f->path);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (f->fd < 0) {
        message("%s: cannot write the database: %s", f->path, cause(why));
        free(f->path);
        return -1;
    }
    if (!ls_place_clear_beside(f->path))
        return 0;
    message("%s: cannot write the database: %s", f->path, strerror(errno));
    merge_file_discard(f);
    return -1;
}

static void release(struct merge_file *f)
{
    unfinished = NULL;
    close(f->fd);
    free(f->path);
}

void merge_file_discard(struct merge_file *f)
{
    unlink(f->path);
    release(f);
}

int merge_file_publish(struct merge_file *f, mode_t mode)
{
    bool good = !fchmod(f->fd, mode) && !fsync(f->fd) && !ls_place_clear_beside(f->output);
    if (good) {
        unfinished = NULL;
        good = !rename(f->path, f->output);
    }
    if (good) {
        release(f);
        return 0;
    }
    message("%s: cannot write the database: %s", f->output, strerror(errno));
    merge_file_discard(f);
    return -1;
}
