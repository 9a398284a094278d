/* json.h - texts of others as JSON strings that may be printed.
 * Values stay what they were, but for bytes that are no UTF-8. */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdio.h>
#include <string.h>

#include "lanescope/printable.h"

/* A character of a string by its number; U+FFFD for what is none. */
static inline void ls_json_escape(FILE *out, uint32_t c)
{
    if (c == LS_NO_CHARACTER)
        c = 0xfffd;
    if (c > 0xffff)
        fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
    else
        fprintf(out, "\\u%04x", c);
}

/* `text` as a JSON string, with its quotes. */
static inline void ls_json_string(FILE *out, const char *text)
{
    putc('"', out);
    for (size_t n = strlen(text), length; n; text += length, n -= length) {
        uint32_t c;
        length = ls_character(text, n, &c);
        if (!ls_is_printable(c) || c == '"' || c == '\\')
            ls_json_escape(out, c);
        else
            fwrite(text, 1, length, out);
    }
    putc('"', out);
}

#endif
