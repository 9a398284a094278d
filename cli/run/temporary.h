/* temporary.h - a directory for what nobody keeps. */
#ifndef CLI_RUN_TEMPORARY_H
#define CLI_RUN_TEMPORARY_H

/* Makes a directory that only this user can enter, below TMPDIR, with `who` in its name. malloc'd, or NULL after a message
 * that says for what it was. */
char *temporary_directory(const char *who, const char *what);
/* Removes it with all that is in it. */
void remove_directory(const char *directory);

#endif
