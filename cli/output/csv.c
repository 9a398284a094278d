#include "csv.h"
#include "cli/common/safe_output.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Length of the blank that a text begins with; 0: none. */
static size_t blank_at(const char *text)
{
    static const char *const blanks[] = {" ", "\u00a0", "\u3000"};
    for (size_t i = 0; i < sizeof(blanks) / sizeof(*blanks); i++)
        if (!strncmp(text, blanks[i], strlen(blanks[i])))
            return strlen(blanks[i]);
    return 0;
}

/* Spreadsheets take a cell that begins so for a formula, some also with the wide forms of the signs, or after
 * blanks, which they strip. */
static bool is_formula(const char *text)
{
    static const char *const begins[] = {"=",  "+",      "-",      "@",      "\t",
                                         "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20"};
    for (size_t blank; (blank = blank_at(text)); text += blank)
        ;
    for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
        if (!strncmp(text, begins[i], strlen(begins[i])))
            return true;
    return false;
}

static void field(FILE *out, const char *text, int first, bool quote)
{
    bool formula = is_formula(text);
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
