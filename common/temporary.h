/* temporary.h - where files lie that nobody keeps. */
#ifndef COMMON_TEMPORARY_H
#define COMMON_TEMPORARY_H

#include <stdlib.h>

/* The folder that TMPDIR names, else /tmp. */
static inline const char *ls_temporary_folder(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

#endif
