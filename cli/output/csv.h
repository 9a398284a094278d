/* csv.h - RFC 4180 output. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <stdio.h>

/* A field of text, quoted when it has to be; `first` tells whether a comma goes before it. What is not
 * printable stands as its escape, and before what a spreadsheet would take for a formula stands an
 * apostrophe. */
void csv_field(FILE *out, const char *text, int first);
/* The same, always quoted. */
void csv_quoted(FILE *out, const char *text, int first);
/* A number, which may be negative; a value that is none (an infinite ratio) leaves the field empty. */
void csv_number(FILE *out, const char *number, int first);
void csv_double(FILE *out, double value, int first);
void csv_end(FILE *out);

#endif
