#include "safe_output.h"
#include "common/shell_word.h"
#include "results/reader/arena.h"
#include "results/file/error_text.h"
#include "lanescope/printable.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- streams ---- */

static int write_error;

struct printable {
    struct printable *next; /* in the list of all: they live as long as the program */
    FILE *to;
    char begun[4]; /* of a character whose rest has not come yet */
    size_t n_begun;
};

static struct printable *streams;

static bool put_printable(FILE *to, const char *bytes, size_t n)
{
    char *text = malloc(LS_PRINTABLE_GROWTH * n + 1);
    if (!text)
        return false; /* an error of the stream */
    size_t size = ls_printable(text, bytes, n, "\n\t");
    bool good = fwrite(text, 1, size, to) == size && !fflush(to);
    if (!good)
        write_error = errno;
    free(text);
    return good;
}

/* How many bytes at the end may be the beginning of a character, or of a line's end. */
static size_t begun_at_end(const char *s, size_t n)
{
    if (n && s[n - 1] == '\r')
        return 1;
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        unsigned char first = (unsigned char)s[n - back];
        if ((first & 0xc0) == 0x80)
            continue;
        size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
        return length > back ? back : 0;
    }
    return 0;
}

/* stdio gives what fits its buffer, so a line that is longer comes in pieces that end anywhere. */
static ssize_t write_printable(void *cookie, const char *bytes, size_t n)
{
    struct printable *p = cookie;
    char *all = malloc(p->n_begun + n);
    if (!all)
        return 0;
    memcpy(all, p->begun, p->n_begun);
    memcpy(all + p->n_begun, bytes, n);
    size_t size = p->n_begun + n, begun = begun_at_end(all, size);
    bool good = put_printable(p->to, all, size - begun);
    memcpy(p->begun, all + size - begun, begun);
    p->n_begun = begun;
    free(all);
    return good ? (ssize_t)n : 0;
}

static int close_printable(void *cookie)
{
    struct printable *p = cookie;
    bool good = !p->n_begun || put_printable(p->to, p->begun, p->n_begun);
    p->n_begun = 0;
    return good ? 0 : EOF;
}

int printable_error(void)
{
    return write_error;
}

FILE *printable_stream(FILE *to)
{
    struct printable *p = calloc(1, sizeof(*p));
    FILE *out =
        p ? fopencookie(p, "w", (cookie_io_functions_t){.write = write_printable, .close = close_printable})
          : NULL;
    if (!out) {
        free(p);
        return to;
    }
    p->to = to;
    p->next = streams;
    streams = p;
    /* By lines: nothing may wait when the program is executed. */
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

char *shell_word(const char *name)
{
    char *word = NULL, *shown = printable_text(name),
         *whole = ls_text("%s%s", *name == '-' ? "./" : "", name);
    size_t size;
    FILE *out = whole ? open_memstream(&word, &size) : NULL;
    if (out && strcmp(shown, name))
        ls_put_shell_bytes(out, whole);
    else if (out)
        ls_put_shell_word(out, whole);
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

const char *json_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
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

/* What Jansson writes, in parts of a few bytes each, until it is worth the way into the stream. */
struct json_parts {
    FILE *out;
    bool in_html;
    size_t n;
    char bytes[1 << 14];
};

/* As it is: most of all characters. */
static bool is_plain(char c, bool in_html)
{
    return (c >= ' ' && c <= '~' && !(in_html && c == '<')) || c == '\n';
}

/* All that is not printable in what Jansson writes stands within strings. */
static int put_json(const struct json_parts *p, const char *bytes, size_t n)
{
    size_t from = 0, length;
    for (size_t i = 0; i < n; i += length) {
        uint32_t c;
        char escape[13];
        length = 1;
        if (is_plain(bytes[i], p->in_html))
            continue;
        length = ls_character(bytes + i, n - i, &c);
        if (c == LS_NO_CHARACTER || (c != '<' && ls_is_printable(c)))
            continue;
        fwrite(bytes + from, 1, i - from, p->out);
        fwrite(escape, 1, ls_json_escape(c, escape), p->out);
        from = i + length;
    }
    fwrite(bytes + from, 1, n - from, p->out);
    return ferror(p->out) ? -1 : 0;
}

/* A part holds whole characters. */
static int add_json_part(const char *bytes, size_t n, void *to)
{
    struct json_parts *p = to;
    int rc = 0;
    if (n > sizeof(p->bytes) - p->n) {
        rc = put_json(p, p->bytes, p->n);
        p->n = 0;
    }
    if (n > sizeof(p->bytes))
        return rc ? rc : put_json(p, bytes, n);
    memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
    return rc;
}

/* 17 digits: every double reads back as itself. */
static int dump_json(const json_t *root, size_t flags, bool in_html, FILE *out)
{
    struct json_parts p = {.out = out, .in_html = in_html};
    int rc = json_dump_callback(root, add_json_part, &p, flags | JSON_REAL_PRECISION(17));
    if (!rc)
        rc = put_json(&p, p.bytes, p.n);
    return rc && !ferror(out) ? -1 : 0;
}

int write_json_in_html(const json_t *root, FILE *out)
{
    return dump_json(root, JSON_COMPACT, true, out);
}

static int write_json_as(const json_t *root, size_t flags, FILE *out)
{
    int rc = dump_json(root, flags, false, out);
    fputc('\n', out);
    return rc;
}

int write_json(const json_t *root, FILE *out)
{
    return write_json_as(root, JSON_INDENT(1), out);
}

int write_json_line(const json_t *root, FILE *out)
{
    return write_json_as(root, JSON_COMPACT, out);
}
