/* file_named.c - see file_named.h. */
#include "file_named.h"
#include "common/names.h"

#include <stdlib.h>
#include <string.h>

/* Whole components at the end of a path, or an absolute name's end. */
static bool is_end(const char *path, const char *end)
{
    const size_t n = strlen(path), m = strlen(end);
    return m && n >= m && !strcmp(path + n - m, end) && (n == m || path[n - m - 1] == '/' || *end == '/');
}

bool is_file_named(const char *path, const char *name)
{
    if (is_end(path, name)) /* as a report has it, maybe with a detour */
        return true;
    char *plain = strdup(name), *plain_path = strdup(path);
    bool is = false;
    if (plain && plain_path) {
        ls_plain_path(name, true, plain);
        ls_plain_path(path, true, plain_path);
        const char *end = plain; /* "./a.hip" and "../src/a.hip", as shells complete them */
        while (!strncmp(end, "../", 3))
            end += 3;
        is = is_end(plain_path, end);
    }
    free(plain);
    free(plain_path);
    return is;
}

/* The colon before the digits and commas at the end of a text; NULL: there is none, or nothing behind it. */
static char *last_number(char *text, char *end)
{
    char *start = end;
    while (start > text && strchr("0123456789,", start[-1]))
        start--;
    return start < end && start > text && start[-1] == ':' ? start - 1 : NULL;
}

void cut_columns(char *place)
{
    char *columns = last_number(place, place + strlen(place));
    char *line = columns ? last_number(place, columns) : NULL;
    if (line && line > place)
        *columns = 0;
}
