/* readers.c - see readers.h. */
#include "readers.h"
#include "results/file/place.h"

#include <stdio.h>
#include <sys/stat.h>

#define ALL 0666

static mode_t mask_of_process(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return mask;
}

/* Takes from `mode` what the database withholds from those who may read a file of that group at `path`: permission to read,
 * and beside it that to write. */
static mode_t narrowed(mode_t mode, const char *database, const char *path, gid_t group)
{
    const mode_t read = ls_place_readers(database, group) & ls_place_reachable(database, path, group);
    return mode & (read | read >> 1);
}

int readers_apply(int fd, char *const *databases, size_t n)
{
    struct stat out;
    mode_t mode = ALL;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fstat(fd, &out))
        return -1;
    for (size_t i = 0; i < n; i++)
        mode = narrowed(mode, databases[i], path, out.st_gid);
    return ls_place_open_to(fd, (mode | 0600) & ~mask_of_process());
}
