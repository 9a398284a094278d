#include "csv.h"
#include "cli/common/safe_output.h"
#include "common/formula.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void field(FILE *out, const char *text, int first, bool quote)
{
    bool formula = ls_is_formula(text);
    char *safe = printable_text(text);
    if (!first)
        fputc(',', out);
    /* Blanks at the ends are quoted too: some readers strip them. Some split at semicolons. */
    size_t n = strlen(safe);
    quote = quote || strpbrk(safe, ",;\"") || (n && (safe[0] == ' ' || safe[n - 1] == ' '));
    fputs(quote ? "\"" : "", out);
    fputs(formula ? "'" : "", out);
    for (const char *s = safe; *s; s++) {
        if (*s == '"')
            fputc('"', out);
        fputc(*s, out);
    }
    fputs(quote ? "\"" : "", out);
    free(safe);
}

void csv_field(FILE *out, const char *text, int first)
{
    field(out, text, first, false);
}

void csv_quoted(FILE *out, const char *text, int first)
{
    field(out, text, first, true);
}

void csv_number(FILE *out, const char *number, int first)
{
    fprintf(out, "%s%s", first ? "" : ",", number);
}

void csv_double(FILE *out, double value, int first)
{
    char text[32] = "";
    if (isfinite(value))
        snprintf(text, sizeof(text), "%.17g", value);
    csv_number(out, text, first);
}

void csv_end(FILE *out)
{
    fputs("\r\n", out);
}
