/* programs.h - which program a shell would start for a word. */
#ifndef CLI_PROGRAMS_H
#define CLI_PROGRAMS_H

#include <stdbool.h>

/* The program that a word names, in PATH when there is no '/' in it; malloc'd. NULL: none that can be run. */
char *program_path(const char *word);
bool is_program(const char *word);

#endif
