/* temporary.h - where files lie that nobody keeps, and how they go. */
#ifndef COMMON_TEMPORARY_H
#define COMMON_TEMPORARY_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The folder that TMPDIR names, else /tmp. */
static inline const char *ls_temporary_folder(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

static inline int ls_remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    remove(path);
    return 0;
}

/* Removes a folder with all that is in it, but for what links lead to and for other file systems. */
static inline void ls_remove_folder(const char *path)
{
    enum { OPEN_FOLDERS = 8 };
    nftw(path, ls_remove_one, OPEN_FOLDERS, FTW_PHYS | FTW_DEPTH | FTW_MOUNT);
}

#endif
