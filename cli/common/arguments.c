/* arguments.c - argument lists and text of the compiler wrapper. */
#include "arguments.h"
#include "common/vector.h"
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void out_of_memory(void)
{
    message("out of memory");
    exit(EXIT_FAILED);
}

static char *vtext(const char *format, va_list args)
{
    char *s;
    if (vasprintf(&s, format, args) < 0)
        out_of_memory();
    return s;
}

char *text(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *s = vtext(format, args);
    va_end(args);
    return s;
}

void add_argument(struct arguments *list, const char *format, ...)
{
    if (!LS_RESERVE(list->v, list->n + 2))
        out_of_memory();
    va_list args;
    va_start(args, format);
    list->v[list->n++] = vtext(format, args);
    va_end(args);
    list->v[list->n] = NULL;
}

bool starts(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

bool ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && !strcmp(s + n - m, suffix);
}

bool readable(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *path = vtext(format, args);
    va_end(args);
    bool ok = !access(path, R_OK);
    free(path);
    return ok;
}
