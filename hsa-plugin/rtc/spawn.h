/* spawn.h - a tool as a process of its own, with a folder for its files. */
#ifndef HSA_PLUGIN_RTC_SPAWN_H
#define HSA_PLUGIN_RTC_SPAWN_H

#include <stdbool.h>
#include <stddef.h>

struct rtc_work {
    char folder[256];
};

/* Makes the folder, in TMPDIR or /tmp; false: it cannot be made. */
bool rtc_work_open(struct rtc_work *w);
/* Removes it with all files. */
void rtc_work_close(struct rtc_work *w);
/* Path of a file in it (malloc'd); NULL: out of memory. */
char *rtc_work_path(const struct rtc_work *w, const char *name);
/* Writes a file; false: not all of it could be written. */
bool rtc_work_write(const struct rtc_work *w, const char *name, const char *bytes, size_t size);
/* A file's contents with a zero behind them (malloc'd), or NULL: it is not there, or empty. */
char *rtc_work_read(const struct rtc_work *w, const char *name, size_t *size);
/* Runs argv[0] (a path) to its end, without what is preloaded here; what it writes becomes the files "stdout" and "stderr". Its exit
 * code is not told: a program that waits for all of its children may have taken it. */
void rtc_work_run(const struct rtc_work *w, const char *const argv[]);

#endif
