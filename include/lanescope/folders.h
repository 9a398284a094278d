/*
 * folders.h - whether a file lies below a folder, by their names alone: the compiler plugin asks it of
 * folders of the machine that compiles, reports ask it of a machine that they may not run on.
 */
#ifndef LANESCOPE_FOLDERS_H
#define LANESCOPE_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What a source file is to the user; numbers of the site table and of the results database. */
enum ls_file_origin {
    LS_FILE_UNKNOWN = 0, /* an older compiler plugin, or one that was not told the folders */
    LS_FILE_USER = 1,
    LS_FILE_SYSTEM =
        2, /* below a folder that the compiler takes for its own, or for the system's (-isystem) */
};

#define LS_FOLDERS_PATH_MAX 4096

/* Writes `path` without ".", "..", and needless slashes to `out`. false: too long. */
static inline bool ls_plain_path(const char *path, char out[LS_FOLDERS_PATH_MAX])
{
    size_t n = 0;
    if (*path == '/')
        out[n++] = '/';
    while (*path) {
        size_t length = strcspn(path, "/");
        if (length == 2 && !strncmp(path, "..", 2) && n > 1) {
            while (n > 1 && out[n - 1] != '/') /* the name before */
                n--;
            n -= n > 1;
        } else if (length && !(length == 1 && *path == '.')) {
            if (n + length + 2 > LS_FOLDERS_PATH_MAX)
                return false;
            if (n && out[n - 1] != '/')
                out[n++] = '/';
            memcpy(out + n, path, length);
            n += length;
        }
        path += length;
        path += strspn(path, "/");
    }
    out[n] = 0;
    return true;
}

/* Whether `path` lies in `folder` or below; "" holds nothing. Links are not followed. */
static inline bool ls_below_folder(const char *path, const char *folder)
{
    char a[LS_FOLDERS_PATH_MAX], b[LS_FOLDERS_PATH_MAX];
    if (!*folder || !ls_plain_path(path, a) || !ls_plain_path(folder, b) || !*b)
        return false;
    size_t n = strlen(b);
    return !strncmp(a, b, n) && (b[n - 1] == '/' || a[n] == '/');
}

#endif
