/* terminal.h - what the output can show, and text that fits it. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct terminal {
    FILE *out;
    int width;   /* columns */
    bool cuts;   /* names and source text that are too long for it: it is a terminal, or COLUMNS is given */
    bool colour; /* a terminal, and NO_COLOR is not set */
    bool utf8;
};

enum style {
    STYLE_TITLE, /* kernels */
    STYLE_HEAD,  /* table heads */
    STYLE_PLACE, /* file:line */
    STYLE_CODE,  /* source text */
    STYLE_DIM,
    STYLE_GOOD,
    STYLE_BAD,
    STYLE_WARN,
};

/* Width: the terminal's, else COLUMNS, else 120. */
struct terminal terminal_of(FILE *out);
/* Escape sequences; "" without colour. */
const char *style_on(const struct terminal *t, enum style s);
const char *style_off(const struct terminal *t);

/* Columns that UTF-8 text takes, escapes of what is not printable (lanescope/printable.h) among it. */
int text_width(const char *s);
/* Prints text cut to `columns` (with an ellipsis), what is not printable escaped, tabs as blanks; returns the
 * columns used. */
int print_cut(const struct terminal *t, const char *s, int columns);
/* The same where the output cuts; else prints all of it. */
int print_name(const struct terminal *t, const char *s, int columns);
/* Prints text, broken at blanks to lines that begin with `indent` blanks; the cursor is at column `at`. */
void print_wrapped(const struct terminal *t, const char *s, int at, int indent);
/* Prints lines of text that was made printable, which styles may be in. Where the output cuts, they are broken at blanks; what
 * follows a break begins with `prefix` and `indent` blanks. */
void print_broken(const struct terminal *t, const char *lines, const char *prefix, int indent);
void print_padding(const struct terminal *t, int columns);

/* "12,345", from ten million on "12.35M"; ratios with two decimals. Static storage of four results. */
const char *show_count(double value);
const char *show_ratio(double value);
/* "1.23 ms" */
const char *show_time(double ns);

#endif
