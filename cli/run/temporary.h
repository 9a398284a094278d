/* temporary.h - a directory for recordings that nobody keeps. */
#ifndef CLI_RUN_TEMPORARY_H
#define CLI_RUN_TEMPORARY_H

/* Makes a directory that only this user can enter, below TMPDIR; `what` stands in its name. malloc'd, or NULL after a
 * message. */
char *temporary_directory(const char *what);
/* Removes it with all that is in it. */
void remove_directory(const char *directory);

#endif
