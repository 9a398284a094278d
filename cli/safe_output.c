#include "safe_output.h"
#include "arena.h"
#include "lanescope/printable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- streams ---- */

static ssize_t write_printable(void *to, const char *bytes, size_t n)
{
    char *text = malloc(LS_PRINTABLE_GROWTH * n + 1);
    if (!text)
        return 0; /* an error of the stream */
    size_t size = ls_printable(text, bytes, n, "\n\t");
    bool good = fwrite(text, 1, size, to) == size && !fflush(to);
    free(text);
    return good ? (ssize_t)n : 0;
}

FILE *printable_stream(FILE *to)
{
    FILE *out = fopencookie(to, "w", (cookie_io_functions_t){.write = write_printable});
    if (!out)
        return to;
    /* By lines: a character must not be cut in two, and nothing may wait when the program is executed. */
    setvbuf(out, NULL, _IOLBF, BUFSIZ);
    return out;
}

char *printable_text(const char *text)
{
    size_t n = strlen(text);
    char *out = ls_realloc(NULL, LS_PRINTABLE_GROWTH * n + 1);
    ls_printable(out, text, n, "");
    return out;
}

/* ---- JSON ---- */

static char *as_utf8(const char *text)
{
    size_t n = strlen(text), used = 0;
    char *out = ls_realloc(NULL, 3 * n + 1);
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t c;
        length = ls_character(text + i, n - i, &c);
        memcpy(out + used, c == LS_NO_CHARACTER ? "\xef\xbf\xbd" : text + i,
               c == LS_NO_CHARACTER ? 3 : length);
        used += c == LS_NO_CHARACTER ? 3 : length;
    }
    out[used] = 0;
    return out;
}

json_t *json_text(const char *text)
{
    json_t *j = json_string(text);
    if (j)
        return j;
    char *utf8 = as_utf8(text);
    j = json_string(utf8);
    free(utf8);
    return j;
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void json_set(json_t *object, const char *key, json_t *value)
{
    char *utf8 = as_utf8(key);
    json_object_set_new(object, utf8, value);
    free(utf8);
}

/* All that is not printable in what Jansson writes stands within strings. */
static int write_json_part(const char *bytes, size_t n, void *out)
{
    size_t from = 0;
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t c;
        length = ls_character(bytes + i, n - i, &c);
        if (c == '\n' || c == LS_NO_CHARACTER || ls_is_printable(c))
            continue;
        fwrite(bytes + from, 1, i - from, out);
        if (c > 0xffff)
            fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
        else
            fprintf(out, "\\u%04x", c);
        from = i + length;
    }
    fwrite(bytes + from, 1, n - from, out);
    return ferror((FILE *)out) ? -1 : 0;
}

int write_json(const json_t *root, FILE *out)
{
    /* 17 digits: every double reads back as itself. */
    int rc = json_dump_callback(root, write_json_part, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    fputc('\n', out);
    return rc;
}
