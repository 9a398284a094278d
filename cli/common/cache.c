#include "cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char *cache_folder(void)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *folder = NULL;
    int n = 0;
    if (xdg && *xdg == '/') /* relative ones are to be ignored */
        n = asprintf(&folder, "%s/lanescope", xdg);
    /* of accounts without a home directory ("/nonexistent") none is made */
    else if (home && *home == '/' && !access(home, X_OK))
        n = asprintf(&folder, "%s/.cache/lanescope", home);
    return n > 0 ? folder : NULL;
}
