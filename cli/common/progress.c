/* progress.c - see progress.h. */
#include "progress.h"
#include "cli.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 16, PAUSE_MS = 100 };

static bool shown;

/* Past the stream, which lets no escape sequence through. */
static void put(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        shown = false; /* nobody sees it */
}

static bool can_show(void)
{
    static int can = -1;
    if (can < 0)
        can = isatty(STDERR_FILENO) && terminal_is_capable();
    return can > 0 && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress(const char *what, size_t done, size_t total)
{
    static long last;
    char line[128];
    const long now = milliseconds();
    if (total < MANY || !can_show() || (shown && now - last < PAUSE_MS))
        return;
    last = now;
    shown = true;
    snprintf(line, sizeof(line), "\r\033[Klanescope: %s, %zu of %zu", what, done, total);
    put(line);
}

void progress_end(void)
{
    if (shown)
        put("\r\033[K");
    shown = false;
}
