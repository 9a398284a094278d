/*
 * arguments.h - argument lists and text of the compiler wrapper. Memory is not given back: the process is
 * about to become the compiler. Without memory it ends with EXIT_FAILED after a message.
 */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

/* v[n] is NULL once something was added. Starts as {0}. */
struct arguments {
    char **v;
    size_t n;
};

/* Appends formatted text. */
void add_argument(struct arguments *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Formatted text, malloc'd. */
char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool starts(const char *s, const char *prefix);
bool ends(const char *s, const char *suffix);

/* Whether the file that the formatted text names can be read. */
bool readable(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
