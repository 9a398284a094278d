#include "error_text.h"

#include <stdarg.h>
#include <stdio.h>

char *ls_text(const char *format, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, format);
    if (vasprintf(&text, format, ap) < 0)
        text = NULL;
    va_end(ap);
    return text;
}
