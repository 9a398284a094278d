/* readers.c - see readers.h. */
#include "readers.h"
#include "results/file/place.h"

static mode_t mask_of_process(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return mask;
}

mode_t readers_narrow(mode_t mode, const char *database, gid_t group)
{
    struct stat st;
    mode_t read = stat(database, &st) ? 0 : ls_place_readers(&st, group);
    return mode & (read | read >> 1);
}

mode_t readers_mode(mode_t narrowed)
{
    return (narrowed | 0600) & ~mask_of_process();
}

int readers_apply(int fd, char *const *databases, size_t n)
{
    struct stat out;
    mode_t mode = READERS_ALL;
    if (fstat(fd, &out))
        return -1;
    for (size_t i = 0; i < n; i++)
        mode = readers_narrow(mode, databases[i], out.st_gid);
    return fchmod(fd, readers_mode(mode));
}
