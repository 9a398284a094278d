/* manual.h - manual pages in roff, made from the table of verbs and a text beside it (man/README.md). */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

/* Prints the page of the verb, or of the whole program when `verb` is "lanescope"; `path` is its text. 0, or an
 * exit code after a message: a text that speaks of an option that the verb does not have is refused. */
int print_manual(const char *verb, const char *path);

#endif
