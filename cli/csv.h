/* csv.h - RFC 4180 output. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <stdio.h>

/* A field, quoted when it has to be; `first` tells whether a comma goes before it. */
void csv_field(FILE *out, const char *text, int first);
void csv_end(FILE *out);

#endif
