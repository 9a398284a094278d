/* merge_file.c - see merge_file.h. */
#include "merge_file.h"
#include "cli/common/cli.h"
#include "cli/common/progress.h"
#include "cli/common/readers.h"
#include "cli/common/unfinished.h"
#include "results/file/error_text.h"
#include "results/merge/merge.h"
#include "results/file/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct merge_file {
    char *path;
    const char *output; /* not owned */
    int fd;             /* locked as long as it is open: what is not locked was left behind */
};

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

static void release(struct merge_file *f)
{
    unfinished_end(f->path);
    close(f->fd);
    free(f->path);
}

/* Removes it, and frees f. */
static void discard(struct merge_file *f)
{
    unlink(f->path);
    release(f);
}

/* Whether something stands beside it that is not SQLite's to remove; then with a message. */
static bool is_blocked(const char *path)
{
    bool blocked = ls_place_blocked(path);
    if (blocked)
        message("%s: cannot write the database: what SQLite keeps beside it has the names %s-journal, -wal "
                "and -shm, "
                "and one of them is of something else; move that away, or give another name",
                path, path);
    return blocked;
}

/* Creates it, empty and for its owner only; takes the place of one that a killed merge left behind. An interrupt
 * removes it from now on. 0, or -1 after a message: another merge is writing it, something else stands there, or it
 * cannot be created. */
static int create_file(struct merge_file *f, const char *output)
{
    *f = (struct merge_file){.path = ls_text("%s.merging", output), .output = output, .fd = -1};
    sigset_t before;
    if (is_blocked(output) || is_blocked(f->path)) {
        free(f->path);
        return -1;
    }
    unfinished_hold(&before);
    f->fd = open_unfinished(f->path);
    int why = errno;
    unfinished_add(f->fd >= 0 ? f->path : NULL, &before);
    if (f->fd < 0) {
        message("%s: cannot write the database: %s", f->path, cause(why));
        free(f->path);
        return -1;
    }
    if (!ls_place_clear_beside(f->path))
        return 0;
    message("%s: cannot write the database: %s", f->path, strerror(errno));
    discard(f);
    return -1;
}

/* Gives it the output's name, complete on disk and with the mode for what it holds. Frees f. 0, or -1 after a message, and
 * the file is removed. */
static int publish(struct merge_file *f, char *const *databases, size_t n)
{
    bool good = !readers_apply(f->fd, databases, n) && !fsync(f->fd) && !ls_place_clear_beside(f->output);
    if (good) {
        unfinished_end(f->path);
        good = !rename(f->path, f->output);
    }
    if (good) {
        release(f);
        return 0;
    }
    message("%s: cannot write the database: %s", f->output, strerror(errno));
    discard(f);
    return -1;
}

static int write_merge(const char *path, char *const *databases, size_t n, char **error)
{
    struct ls_merge *m = ls_merge_begin(path, error);
    for (size_t i = 0; m && i < n; i++) {
        progress("merging databases", i, n);
        if (ls_merge_add(m, databases[i], error)) {
            progress_end();
            ls_merge_drop(m);
            return EXIT_DATABASE;
        }
    }
    progress_end();
    return m && !ls_merge_finish(m, error) ? EXIT_OK : EXIT_FAILED;
}

int merge_databases(const char *output, char *const *databases, size_t n)
{
    char *error = NULL;
    struct merge_file file;
    if (create_file(&file, output))
        return EXIT_FAILED;
    int rc = write_merge(file.path, databases, n, &error);
    if (rc) {
        message_free(error);
        discard(&file);
        return rc;
    }
    return publish(&file, databases, n) ? EXIT_FAILED : EXIT_OK;
}
