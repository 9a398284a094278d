/* formula.h - which texts of CSV files spreadsheets would compute instead of showing them. */
#ifndef COMMON_FORMULA_H
#define COMMON_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Length of the blank that a text begins with; 0: none. */
static inline size_t ls_blank_at(const char *text)
{
    static const char *const blanks[] = {" ", "\u00a0", "\u3000"};
    for (size_t i = 0; i < sizeof(blanks) / sizeof(*blanks); i++)
        if (!strncmp(text, blanks[i], strlen(blanks[i])))
            return strlen(blanks[i]);
    return 0;
}

/* Spreadsheets take a cell that begins so for a formula, some also with the wide forms of the signs, or after
 * blanks, which they strip. */
static inline bool ls_is_formula(const char *text)
{
    static const char *const begins[] = {"=",  "+",      "-",      "@",      "\t",
                                         "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20"};
    for (size_t blank; (blank = ls_blank_at(text)); text += blank)
        ;
    for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
        if (!strncmp(text, begins[i], strlen(begins[i])))
            return true;
    return false;
}

#endif
