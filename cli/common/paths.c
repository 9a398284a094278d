#include "paths.h"
#include "results/file/error_text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Path of the installation prefix: the program's path less bin/lanescope. */
static bool prefix(char out[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (n <= 0)
        return false;
    out[n] = 0;
    for (const char *p = LANESCOPE_BINDIR_RELATIVE "/x"; p; p = strchr(p + 1, '/')) {
        char *slash = strrchr(out, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    return true;
}

const char *piece_directory(void)
{
    static char path[2 * PATH_MAX];
    char base[PATH_MAX];
    if (!*path && prefix(base))
        snprintf(path, sizeof(path), "%s/%s", base, LANESCOPE_LIBDIR_RELATIVE);
    return path;
}

char *piece_path(const char *name)
{
    return ls_text("%s/%s", piece_directory(), name);
}

bool piece_exists(const char *name)
{
    char *path = piece_path(name);
    bool found = path && !access(path, R_OK);
    free(path);
    return found;
}

bool has_kfd(void)
{
    return !access("/dev/kfd", F_OK);
}
