#include "temporary.h"
#include "cli.h"
#include "common/temporary.h"
#include "results/file/error_text.h"
#include "results/file/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *temporary_directory(const char *who, const char *what)
{
    char *name = ls_text("%s/lanescope-%s-XXXXXX", ls_temporary_folder(), who);
    if (name && ls_place_directory(name))
        return name;
    if (what)
        message("%s: cannot create a directory for %s: %s; TMPDIR names another place", ls_temporary_folder(),
                what, strerror(errno));
    free(name);
    return NULL;
}
