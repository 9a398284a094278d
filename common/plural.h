/* plural.h - words beside a number. */
#ifndef COMMON_PLURAL_H
#define COMMON_PLURAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The word that stands beside n. */
static inline const char *ls_word(double n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

/* The same of a unit, which handlers name by its plural: "cycles", "accesses", "entries". What is no such word stays: "ns",
 * "%", "lines/line". */
static inline void ls_unit(double n, const char *unit, char *out, size_t size)
{
    static const char *const longer[] = {"sses", "shes", "nches", "tches",
                                         "xes"}; /* of words that get "es" */
    const size_t length = strlen(unit);
    size_t less =
        n == 1 && length > 2 && unit[length - 1] == 's' && unit[length - 2] != 's' && !strchr(unit, '/');
    for (size_t i = 0; less && i < sizeof longer / sizeof *longer; i++)
        if (length > strlen(longer[i]) && !strcmp(unit + length - strlen(longer[i]), longer[i]))
            less = 2;
    const bool entry = less && length > 4 && !strcmp(unit + length - 3, "ies");
    snprintf(out, size, "%.*s%s", (int)(length - (entry ? 3 : less)), unit, entry ? "y" : "");
}

#endif
