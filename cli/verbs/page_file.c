/* page_file.c - see page_file.h. */
#include "page_file.h"
#include "cli/common/cli.h"
#include "cli/common/readers.h"
#include "cli/page/page.h"
#include "lanescope/output.h"
#include "results/place.h"

#include <errno.h>
#include <string.h>

static int apply_mode(int fd, const struct ls_profile *p, gid_t group)
{
    mode_t mode = READERS_ALL;
    for (size_t i = 0; i < p->n_databases; i++)
        mode = readers_narrow(mode, p->databases[i].path, group);
    return fchmod(fd, readers_mode(mode));
}

static const char *cause(int why)
{
    return why == ELOOP ? "it is a symbolic link; give another name"
           : why == EEXIST
               ? "it exists and is no page of Lanescope; give another name, or --force to replace it"
               : strerror(why);
}

static bool is_recording(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISREG(st.st_mode) && st.st_size &&
           ls_place_of_database(path) == LS_PLACE_OURS;
}

/* Nothing is in the file before its mode is right. */
static int open_private(const char *path, bool force, const struct ls_profile *p)
{
    static const char mark[] = PAGE_MARK;
    mode_t mask = umask(077);
    int fd = lanescope_open_output(path, mark, force ? 0 : sizeof(mark) - 1);
    int why = errno;
    umask(mask);
    struct stat st;
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && apply_mode(fd, p, st.st_gid)) {
        why = errno;
        close(fd);
        fd = -1;
    }
    errno = why;
    return fd;
}

FILE *open_page(const char *path, bool force, const struct ls_profile *p)
{
    if (!strcmp(path, "-"))
        return stdout;
    if (is_recording(path)) {
        message("--html: %s: is a recording, which a page does not replace; give another name", path);
        return NULL;
    }
    int fd = open_private(path, force, p);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out)
        message("--html: %s: cannot write the page: %s", path, cause(errno));
    return out;
}
