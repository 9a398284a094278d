/*
 * watch.c - see watch.h. The line stands in the terminal's last row, which is taken out of what scrolls as long as it is
 * there (ECMA-48 and the VT100's scrolling region, as apt does), so that the program's output, which may stop in the
 * middle of a line, is neither moved nor overwritten. All is written at once, for the program may write at any time.
 * A program that reads keys one by one (an editor, a pager behind a pipe) may draw on the whole screen and have regions of its
 * own: nothing is written while the terminal is in that mode.
 */
#include "watch.h"
#include "cli/common/cli.h"
#include "cli/output/terminal.h"
#include "results/file/error_text.h"
#include "results/file/run_progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 1, ROWS_LEAST = 4, COLUMNS_LEAST = 20 };

struct watch {
    const char *directory;
    struct ls_run_shared *shared;
    struct timespec start;     /* of the first dispatch or message that was seen */
    struct ls_run_counts last; /* when the line was shown last */
    double last_seconds, rate;
    bool started;
    bool drawn_over;        /* another program had the whole screen since the line was shown */
    unsigned rows, columns; /* of the terminal that has the line; 0: it is not shown */
};

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void put(const char *text)
{
    if (text && write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* a line less */
}

struct watch *watch_begin(const char *directory)
{
    struct watch *w = NULL;
    if (directory && isatty(STDERR_FILENO) && terminal_is_capable())
        w = calloc(1, sizeof(*w));
    if (!w)
        return NULL;
    w->directory = directory;
    w->shared = ls_run_progress_create(directory);
    if (!w->shared) {
        free(w);
        return NULL;
    }
    return w;
}

static bool has_terminal(void)
{
    return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static bool reads_keys(void)
{
    struct termios t;
    return !tcgetattr(STDERR_FILENO, &t) && !(t.c_lflag & ICANON);
}

/* Makes room in the last row, or again where the size has changed. The cursor stays in its column: with ESC D it moves
 * down, and the text with it where it was in the last row; then up again. */
static bool take_row(struct watch *w)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_row < ROWS_LEAST || size.ws_col < COLUMNS_LEAST)
        return false;
    if (size.ws_row != w->rows || w->drawn_over) {
        char text[64];
        snprintf(text, sizeof(text), "\033D\0337\033[1;%ur\0338\033[A", size.ws_row - 1u);
        put(text);
    }
    w->rows = size.ws_row;
    w->columns = size.ws_col;
    w->drawn_over = false;
    return true;
}

static void measure_rate(struct watch *w, const struct ls_run_counts *now, double seconds)
{
    const double passed = seconds - w->last_seconds;
    w->rate = passed > 0 ? (double)(now->messages - w->last.messages) / passed : 0;
    w->last = *now;
    w->last_seconds = seconds;
}

static void show(struct watch *w, const struct ls_run_counts *c, double seconds)
{
    char line[256];
    const unsigned long long s = (unsigned long long)seconds;
    int n = snprintf(
        line, sizeof(line), "lanescope: %s dispatch%s, %s observed; %s message%s, %s a second; %llu:%02llu",
        show_count((double)c->dispatches), c->dispatches == 1 ? "" : "es", show_count((double)c->observed),
        show_count((double)c->messages), c->messages == 1 ? "" : "s", show_count(w->rate), s / 60, s % 60);
    if (n >= (int)w->columns)
        line[w->columns - 1] = 0;
    char *text = ls_text("\0337\033[%u;1H\033[2K%s\0338", w->rows, line);
    put(text);
    free(text);
}

void watch_tick(struct watch *w)
{
    if (!w)
        return;
    const struct ls_run_counts c = ls_run_progress_read(w->shared);
    if (!w->started) {
        w->started = c.dispatches || c.messages;
        clock_gettime(CLOCK_MONOTONIC, &w->start);
        return;
    }
    const double seconds = seconds_since(&w->start);
    measure_rate(w, &c, seconds);
    if (seconds < PATIENCE_S || !has_terminal())
        return;
    if (reads_keys())
        w->drawn_over = w->rows;
    else if (take_row(w))
        show(w, &c, seconds);
}

void watch_give_back(struct watch *w)
{
    char text[64];
    if (!w || !w->rows)
        return;
    /* What stands in the last row may be another's by now. */
    if (w->drawn_over || reads_keys())
        snprintf(text, sizeof(text), "\0337\033[r\0338");
    else
        snprintf(text, sizeof(text), "\0337\033[r\033[%u;1H\033[2K\0338", w->rows);
    put(text);
    w->rows = 0;
    w->drawn_over = false;
}

void watch_end(struct watch *w)
{
    if (!w)
        return;
    watch_give_back(w);
    ls_run_progress_remove(w->shared, w->directory);
    free(w);
}
