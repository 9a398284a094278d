/* system_folders.h - folders of headers that are not the user's own, as the command of a compiler proper (`clang -cc1`) names
 * them. */
#ifndef COMMON_SYSTEM_FOLDERS_H
#define COMMON_SYSTEM_FOLDERS_H

#include "common/names.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether such a folder is the next word. What follows -isystem may be the user's own (-I twice, and once as -isystem):
 * the compiler treats it as a system folder, and so do we. */
static inline bool ls_names_system_folder(const char *word)
{
    static const char *const options[] = {"-internal-isystem", "-internal-externc-isystem",
                                          "-isystem",          "-cxx-isystem",
                                          "-c-isystem",        "-idirafter",
                                          "-resource-dir",     "-iframework"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!strcmp(word, options[i]))
            return true;
    return false;
}

static inline bool ls_lists_folder(const char *list, const char *folder)
{
    const size_t n = strlen(folder);
    for (const char *p = list; (p = strstr(p, folder)); p += n)
        if ((p == list || p[-1] == ':') && (!p[n] || p[n] == ':'))
            return true;
    return false;
}

/* Whether one of the words, NULL behind the last, is a file in the folder or below it. */
static inline bool ls_holds_one_of(const char *folder, const char *const *words)
{
    struct stat st;
    for (; *words; words++) {
        if (**words == '-' || stat(*words, &st) || !S_ISREG(st.st_mode))
            continue;
        char *whole = realpath(*words, NULL), *of = realpath(folder, NULL);
        const bool below = whole && of && ls_below_folder(whole, of);
        free(whole);
        free(of);
        if (below)
            return true;
    }
    return false;
}

/* Adds a folder to a list with colons between them, malloc'd and NULL at first; what is relative counts from where the compiler
 * runs, and that is here. A file that a command names is the user's own, and so is what lies beside it, also with `-isystem .`:
 * no folder is added that holds one of `own`. */
static inline void ls_add_system_folder(char **list, const char *folder, const char *const *own)
{
    char *here = *folder == '/' ? NULL : getcwd(NULL, 0), *whole = NULL, *longer = NULL;
    if (!*folder || strchr(folder, ':') ||
        asprintf(&whole, "%s%s%s", here ? here : "", here ? "/" : "", folder) < 0)
        whole = NULL;
    if (whole && !ls_lists_folder(*list ? *list : "", whole) && !ls_holds_one_of(whole, own) &&
        asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? ":" : "", whole) >= 0) {
        free(*list);
        *list = longer;
    }
    free(whole);
    free(here);
}

#endif
