/* make_folders.h - folders with those above them. */
#ifndef COMMON_MAKE_FOLDERS_H
#define COMMON_MAKE_FOLDERS_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A umask that takes our own rights as well would leave a folder that nothing can be written to. */
static inline bool ls_make_folder(const char *path, mode_t mode)
{
    struct stat st;
    if (mkdir(path, mode))
        return errno == EEXIST;
    if (!lstat(path, &st) && S_ISDIR(st.st_mode) && (st.st_mode & S_IRWXU) != S_IRWXU)
        return !chmod(path, (st.st_mode | S_IRWXU) & 07777);
    return true;
}

/* Creates the folders above `path`, all up to its last slash. false with errno when one cannot be made: then
 * `path` is cut behind it. Otherwise `path` is what it was. Their owner
 * can use them under any umask. */
static inline bool ls_make_parents(char *path, mode_t mode)
{
    for (char *p = *path ? strchr(path + 1, '/') : NULL; p; p = strchr(p + 1, '/')) {
        *p = 0;
        if (!ls_make_folder(path, mode))
            return false;
        *p = '/';
    }
    return true;
}

/* Creates a folder and those above it that are not there, in the same way. */
static inline bool ls_make_folders(const char *path, mode_t mode)
{
    char *copy = strdup(path);
    bool ok = copy && ls_make_parents(copy, mode) && ls_make_folder(path, mode);
    int error = errno;
    free(copy);
    errno = error;
    return ok;
}

#endif
