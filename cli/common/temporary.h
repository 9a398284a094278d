/* temporary.h - a directory for what nobody keeps. */
#ifndef CLI_COMMON_TEMPORARY_H
#define CLI_COMMON_TEMPORARY_H

/* Makes a directory that only this user can enter, below TMPDIR, with `who` in its name; ls_remove_folder (common/temporary.h)
 * removes it. malloc'd; NULL after a message that says for what it was (what = NULL: without one). */
char *temporary_directory(const char *who, const char *what);

#endif
