#include "temporary.h"
#include "cli/common/cli.h"
#include "common/temporary.h"
#include "results/file/error_text.h"
#include "results/file/place.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *temporary_directory(const char *who, const char *what)
{
    char *name = ls_text("%s/lanescope-%s-XXXXXX", ls_temporary_folder(), who);
    if (name && ls_place_directory(name))
        return name;
    message("%s: cannot create a directory for %s: %s; TMPDIR names another place", ls_temporary_folder(),
            what, strerror(errno));
    free(name);
    return NULL;
}

static int forget(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    remove(path);
    return 0;
}

void remove_directory(const char *directory)
{
    enum { OPEN_FOLDERS = 8 };
    nftw(directory, forget, OPEN_FOLDERS, FTW_PHYS | FTW_DEPTH | FTW_MOUNT);
}
