/* loadable.c - see loadable.h. */
#include "loadable.h"
#include "cache.h"
#include "paths.h"
#include "common/hash.h"
#include "common/make_folders.h"
#include "common/temporary.h"
#include "results/file/error_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_loadable(const char *path)
{
    return !strpbrk(path, " :");
}

/* Who could write there could have programs load what he likes. */
static bool is_private(const char *folder)
{
    struct stat st;
    return !lstat(folder, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool leads_to(const char *link, const char *target)
{
    char *there = realpath(link, NULL), *wanted = realpath(target, NULL);
    const bool does = there && wanted && !strcmp(there, wanted);
    free(there);
    free(wanted);
    return does;
}

/* Others may make the same link at the same time: the last one's takes its place, and leads to the same. */
static bool make_link(const char *link, const char *target)
{
    if (leads_to(link, target))
        return true;
    char *other = ls_text("%s.%d", link, (int)getpid());
    const bool made = other && !symlink(target, other) && !rename(other, link);
    if (other && !made)
        unlink(other);
    free(other);
    return made && leads_to(link, target);
}

/* A link in that folder (malloc'd, taken over), which is made; malloc'd, NULL: there can be none. */
static char *link_in(char *folder)
{
    const char *target = piece_directory();
    char *link = NULL;
    if (folder && is_loadable(folder)) {
        ls_make_folders(folder, 0700);
        if (is_private(folder))
            link = ls_text("%s/%016" PRIx64, folder, ls_hash(LS_HASH_BEGIN, target, strlen(target)));
    }
    free(folder);
    if (link && make_link(link, target))
        return link;
    free(link);
    return NULL;
}

static char *find_link(void)
{
    char *cache = cache_folder(), *link = cache ? link_in(ls_text("%s/installed", cache)) : NULL;
    free(cache);
    return link ? link
                : link_in(ls_text("%s/lanescope-installed-%u", ls_temporary_folder(), (unsigned)geteuid()));
}

const char *loadable_directory(void)
{
    static char *link;
    if (is_loadable(piece_directory()))
        return piece_directory();
    if (!link)
        link = find_link();
    return link;
}
