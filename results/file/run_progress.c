/* run_progress.c - see run_progress.h. */
#include "run_progress.h"
#include "error_text.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The name begins with a dot, so that nobody takes it for that of a database (run_files.h). */
#define NAME ".progress"

struct ls_run_shared {
    _Atomic uint64_t dispatches, observed, messages;
};

static struct ls_run_shared *mine; /* of this process */

static struct ls_run_shared *map(int fd)
{
    void *at = mmap(NULL, sizeof(struct ls_run_shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

struct ls_run_shared *ls_run_progress_create(const char *directory)
{
    static const struct ls_run_shared zero;
    struct ls_run_shared *s = NULL;
    char *path = ls_text("%s/" NAME, directory);
    int fd = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    /* Written, so that there is room for it: a page that cannot be had would end the process that counts. */
    if (fd >= 0 && write(fd, &zero, sizeof(zero)) == (ssize_t)sizeof(zero))
        s = map(fd);
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && !s)
        unlink(path);
    free(path);
    return s;
}

struct ls_run_counts ls_run_progress_read(struct ls_run_shared *s)
{
    return (struct ls_run_counts){atomic_load(&s->dispatches), atomic_load(&s->observed),
                                  atomic_load(&s->messages)};
}

void ls_run_progress_remove(struct ls_run_shared *s, const char *directory)
{
    char *path = s ? ls_text("%s/" NAME, directory) : NULL;
    if (path)
        unlink(path);
    free(path);
    if (s)
        munmap(s, sizeof(*s));
}

void ls_run_progress_open(void)
{
    const char *directory = getenv("LANESCOPE_RUN_DIRECTORY");
    char *path = directory && *directory ? ls_text("%s/" NAME, directory) : NULL;
    int fd = path ? open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    struct stat st;
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
        st.st_size == (off_t)sizeof(struct ls_run_shared))
        mine = map(fd);
    if (fd >= 0)
        close(fd);
    free(path);
}

void ls_run_progress_add(const struct ls_run_counts *more)
{
    if (!mine)
        return;
    atomic_fetch_add(&mine->dispatches, more->dispatches);
    atomic_fetch_add(&mine->observed, more->observed);
    atomic_fetch_add(&mine->messages, more->messages);
}
