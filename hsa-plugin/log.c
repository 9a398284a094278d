/* log.c - see log.h. */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "lanescope/printable.h"

static int threshold = LS_LOG_WARNING;

void ls_log_threshold(int level)
{
    threshold = level;
}

void ls_log(int level, const char *format, ...)
{
    static const char *const prefix[] = {"error: ", "warning: ", "", ""};
    int saved = errno;
    char line[1024];
    if (level > threshold)
        return;
    int n = snprintf(line, sizeof line, "lanescope: %s", prefix[level < LS_LOG_INFO ? level : LS_LOG_INFO]);
    va_list ap;
    va_start(ap, format);
    int m = vsnprintf(line + n, sizeof line - (size_t)n - 1, format, ap);
    va_end(ap);
    if (m > 0)
        n += m < (int)sizeof line - n - 2 ? m : (int)sizeof line - n - 2;
    /* Names and paths come from code objects, which may be anybody's. */
    char safe[LS_PRINTABLE_GROWTH * sizeof line + 2];
    size_t size = ls_printable(safe, line, (size_t)n, "");
    safe[size++] = '\n';
    ssize_t written = write(STDERR_FILENO, safe, size);
    (void)written; /* nowhere left to report that stderr is closed */
    errno = saved;
}
