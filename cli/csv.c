#include "csv.h"

#include <string.h>

void csv_field(FILE *out, const char *text, int first)
{
    if (!first)
        fputc(',', out);
    /* Blanks at the ends are quoted too: some readers strip them. */
    size_t n = strlen(text);
    if (!strpbrk(text, ",\"\r\n") && !(n && (text[0] == ' ' || text[n - 1] == ' '))) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void csv_end(FILE *out)
{
    fputs("\r\n", out);
}
