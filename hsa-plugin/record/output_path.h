/* output_path.h - where this process's database goes. */
#ifndef HSA_PLUGIN_OUTPUT_PATH_H
#define HSA_PLUGIN_OUTPUT_PATH_H

/* Expands %p (process id), %h (host name) and %%. malloc'd; NULL when out of memory. */
char *ls_expand_path(const char *pattern, long pid, const char *host);
/* The expanded path, or with -2, -3, ... before its suffix when another process of the same run (or this one
 * before an exec) has written that file since this process started: nobody's results are overwritten. */
char *ls_output_path(const char *pattern);

#endif
