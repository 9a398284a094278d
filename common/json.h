/* json.h - texts of others as JSON strings that may be printed.
 * Values stay what they were, but for bytes that are no UTF-8. */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdio.h>
#include <string.h>

#include "lanescope/printable.h"

/* `text` as a JSON string, with its quotes. */
static inline void ls_json_string(FILE *out, const char *text)
{
    putc('"', out);
    for (size_t n = strlen(text), length; n; text += length, n -= length) {
        uint32_t c;
        char escape[13];
        length = ls_character(text, n, &c);
        if (!ls_is_json_plain(c))
            fwrite(escape, 1, ls_json_escape(c, escape), out);
        else
            fwrite(text, 1, length, out);
    }
    putc('"', out);
}

#endif
