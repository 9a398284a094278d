/* ls_command.h - the command of this process, where that is a compiler proper. */
#ifndef LS_COMMAND_H
#define LS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* The words of `clang -cc1 ...`, NULL behind the last. n is 0 in lld, opt, a program that compiles by itself, and a clang that
 * does all in one process: there the command, if there is one, says nothing of this module. */
struct ls_command {
    char *text;
    const char **words;
    size_t n;
};

struct ls_command ls_read_command(void);
void ls_free_command(struct ls_command *c);
bool ls_has_word(const struct ls_command *c, const char *word);
/* What stands behind the first such word; NULL: it is not there, or the last one. */
const char *ls_word_behind(const struct ls_command *c, const char *word);

/* The folders of headers that are not the user's own, separated by colons; malloc'd. NULL: it is not known which. */
char *ls_system_folders(void);

#endif
