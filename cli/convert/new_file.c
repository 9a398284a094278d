/* new_file.c - see new_file.h. */
#include "new_file.h"
#include "cli/common/cli.h"
#include "cli/common/output_file.h"
#include "cli/common/readers.h"
#include "cli/common/unfinished.h"
#include "lanescope/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* It may replace another: it takes the name when it is complete. */
static int open_by_force(struct new_file *f, const struct conversion *c)
{
    f->replaces = true;
    f->out = open_output(f->path, c->databases, c->n);
    return f->out ? EXIT_OK : EXIT_FAILED;
}

int new_file_open(struct new_file *f, const struct conversion *c)
{
    *f = (struct new_file){c->output, stdout, false};
    if (!strcmp(f->path, "-"))
        return EXIT_OK;
    if (c->force || lanescope_is_system_name(f->path))
        return open_by_force(f, c);
    sigset_t before;
    unfinished_hold(&before);
    int fd = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600), why = errno;
    unfinished_add(fd < 0 ? NULL : f->path, &before);
    errno = why;
    f->out = fd < 0 || readers_apply(fd, c->databases, c->n) ? NULL : fdopen(fd, "w");
    if (f->out)
        return EXIT_OK;
    message("--output: %s: cannot write the file: %s%s", f->path, strerror(errno),
            errno == EEXIST ? "; give a new name, or --force to replace it" : "");
    if (fd >= 0) {
        close(fd);
        unlink(f->path);
        unfinished_end(f->path);
    }
    return EXIT_FAILED;
}

int new_file_close(struct new_file *f, int rc)
{
    if (f->replaces)
        return output_file_close(f->out, f->path, rc);
    bool is_file = f->out != stdout;
    int closed = close_output(f->out, is_file ? f->path : NULL);
    rc = rc ? rc : closed;
    if (rc && is_file)
        unlink(f->path);
    if (is_file)
        unfinished_end(f->path);
    return rc;
}
