#include "safe_output.h"
#include "results/reader/arena.h"
#include "results/file/error_text.h"
#include "lanescope/printable.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- streams ---- */

static int write_error;

static ssize_t write_printable(void *to, const char *bytes, size_t n)
{
    char *text = malloc(LS_PRINTABLE_GROWTH * n + 1);
    if (!text)
        return 0; /* an error of the stream */
    size_t size = ls_printable(text, bytes, n, "\n\t");
    bool good = fwrite(text, 1, size, to) == size && !fflush(to);
    if (!good)
        write_error = errno;
    free(text);
    return good ? (ssize_t)n : 0;
}

int printable_error(void)
{
    return write_error;
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

/* $'...', in which every byte can be said in letters. */
static void quote_bytes(FILE *out, const char *name)
{
    fputs("$'", out);
    for (const unsigned char *s = (const unsigned char *)name; *s; s++)
        if (*s < 0x20 || *s >= 0x7f)
            fprintf(out, "\\x%02x", *s);
        else
            fprintf(out, *s == '\'' || *s == '\\' ? "\\%c" : "%c", *s);
    fputc('\'', out);
}

char *shell_word(const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+,:@-";
    char *word = NULL, *shown = printable_text(name),
         *whole = ls_text("%s%s", *name == '-' ? "./" : "", name);
    size_t size;
    FILE *out = whole ? open_memstream(&word, &size) : NULL;
    if (out && strcmp(shown, name)) {
        quote_bytes(out, whole);
    } else if (out && *whole && !whole[strspn(whole, plain)]) {
        fputs(whole, out);
    } else if (out) {
        fputc('\'', out);
        for (const char *s = whole; *s; s++)
            fprintf(out, *s == '\'' ? "'\\''" : "%c", *s);
        fputc('\'', out);
    }
    free(whole);
    if (out && !fclose(out)) {
        free(shown);
        return word;
    }
    return shown;
}

/* ---- JSON ---- */

static char *as_utf8(const char *text, size_t n, size_t *size)
{
    size_t used = 0;
    char *out = ls_realloc(NULL, 3 * n + 1);
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t c;
        length = ls_character(text + i, n - i, &c);
        memcpy(out + used, c == LS_NO_CHARACTER ? "\xef\xbf\xbd" : text + i,
               c == LS_NO_CHARACTER ? 3 : length);
        used += c == LS_NO_CHARACTER ? 3 : length;
    }
    out[used] = 0;
    *size = used;
    return out;
}

json_t *json_text_n(const char *text, size_t n)
{
    json_t *j = json_stringn(text, n);
    if (j)
        return j;
    char *utf8 = as_utf8(text, n, &n);
    j = json_stringn(utf8, n);
    free(utf8);
    return j;
}

json_t *json_text(const char *text)
{
    return json_text_n(text, strlen(text));
}

json_t *json_text_or_null(const char *text)
{
    return text ? json_text(text) : json_null();
}

json_t *json_root(const char *verb)
{
    char schema[64];
    snprintf(schema, sizeof(schema), "lanescope-%s/1", verb);
    return json_pack("{s:s, s:s}", "schema", schema, "version", LANESCOPE_VERSION);
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void json_set(json_t *object, const char *key, json_t *value)
{
    size_t n;
    char *utf8 = as_utf8(key, strlen(key), &n);
    json_object_set_new(object, utf8, value);
    free(utf8);
}

bool json_has(const json_t *object, const char *key)
{
    size_t n;
    char *utf8 = as_utf8(key, strlen(key), &n);
    bool has = json_object_get(object, utf8);
    free(utf8);
    return has;
}

/* All that is not printable in what Jansson writes stands within strings. */
static int write_json_part(const char *bytes, size_t n, void *out)
{
    size_t from = 0;
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t c;
        char escape[13];
        length = ls_character(bytes + i, n - i, &c);
        if (c == '\n' || c == LS_NO_CHARACTER || ls_is_printable(c))
            continue;
        fwrite(bytes + from, 1, i - from, out);
        fwrite(escape, 1, ls_json_escape(c, escape), out);
        from = i + length;
    }
    fwrite(bytes + from, 1, n - from, out);
    return ferror((FILE *)out) ? -1 : 0;
}

static int write_json_part_in_html(const char *bytes, size_t n, void *out)
{
    for (size_t from = 0; from < n;) {
        const char *less = memchr(bytes + from, '<', n - from);
        size_t to = less ? (size_t)(less - bytes) : n;
        if (write_json_part(bytes + from, to - from, out))
            return -1;
        if (less)
            fputs("\\u003c", out);
        from = to + (less != NULL);
    }
    return 0;
}

int write_json_in_html(const json_t *root, FILE *out)
{
    return json_dump_callback(root, write_json_part_in_html, out, JSON_COMPACT | JSON_REAL_PRECISION(17));
}

int write_json(const json_t *root, FILE *out)
{
    /* 17 digits: every double reads back as itself. */
    int rc = json_dump_callback(root, write_json_part, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    fputc('\n', out);
    return rc;
}
