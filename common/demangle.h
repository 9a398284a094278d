/* demangle.h - names of functions as their sources have them. */
#ifndef COMMON_DEMANGLE_H
#define COMMON_DEMANGLE_H

#include <stdlib.h>
#include <string.h>
#include "names.h"

/* __cxa_demangle of the C++ run-time library, which who calls has to find: not every process has one. */
typedef char *(*ls_cxa_demangle)(const char *name, char *buffer, size_t *length, int *status);

/* The demangled form of a linkage name, or a copy of the name, without what tells compilations apart; malloc'd, NULL when out of
 * memory. `f` may be NULL. */
static inline char *ls_demangle_by(ls_cxa_demangle f, const char *name)
{
    int status = -1;
    /* Without the prefix, a name like "f" would be taken for a type. */
    char *own = strndup(name, ls_without_unit(name));
    char *text = f && own && !strncmp(own, "_Z", 2) ? f(own, NULL, NULL, &status) : NULL;
    if (text && !status) {
        free(own);
        return text;
    }
    free(text);
    return own;
}

#endif
