/*
 * printable.h - texts that come out of a file or from a program, made fit for a terminal. Every part of
 * Lanescope prints such texts (names, paths, source lines, notes, JSON of handlers) through these functions,
 * in pipes as on terminals:
 *
 *     kernel\033]0;title\007   is shown as   kernel\x1b]0;title\x07
 *
 * Escaped are control characters (C0, DEL, C1), bytes that are no UTF-8, and characters that reorder or break
 * lines (bidirectional controls, line separators): a text can neither command the terminal nor look like
 * another text. Escaped text is left as it is. Backslashes stay single: who needs the exact bytes takes JSON.
 * No memory is allocated and no locale asked: signal handlers may call these.
 */
#ifndef LANESCOPE_PRINTABLE_H
#define LANESCOPE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The code of a byte that begins no character. */
#define LS_NO_CHARACTER UINT32_MAX
/* A byte becomes this many at most. */
#define LS_PRINTABLE_GROWTH 4

/* The character at s (`n` > 0 bytes are there) after RFC 3629: returns how many bytes it takes; 1 with
 * LS_NO_CHARACTER where none begins (overlong forms, surrogates and codes above 10FFFF are none). */
static inline size_t ls_character(const char *s, size_t n, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)s[0];
    size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    uint32_t c = length == 1 ? first : first & (0x7fu >> length);
    if (!length || length > n)
        goto none;
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            goto none;
        c = c << 6 | ((unsigned char)s[i] & 0x3f);
    }
    if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        goto none;
    *code = c;
    return length;
none:
    *code = LS_NO_CHARACTER;
    return 1;
}

/* Whether a character may be printed as it is. */
static inline bool ls_is_printable(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == LS_NO_CHARACTER)
        return false;
    return c != 0x61c && c != 0x200e && c != 0x200f &&     /* marks of direction */
           !(c >= 0x2028 && c <= 0x202e) &&                /* line separators, embeddings and overrides */
           !(c >= 0x2066 && c <= 0x2069) && c != 0xfeff && /* isolates; byte order mark */
           !(c >= 0xfff9 && c <= 0xfffb) && !(c >= 0xe0000 && c <= 0xe007f); /* annotations; tags */
}

/* Writes what stands for the character `c` of byte `byte` (used when it is none): "\n", "\x1b", "\u202e".
 * Returns the length, at most 10. */
static inline size_t ls_escape(uint32_t c, char byte, char out[11])
{
    const char *form = c == '\n'   ? "\\n"
                       : c == '\t' ? "\\t"
                       : c == '\r' ? "\\r"
                       : c < 0x80  ? "\\x%02x"
                                   : "\\u%04x";
    if (c == LS_NO_CHARACTER)
        return (size_t)snprintf(out, 11, "\\x%02x", (unsigned char)byte);
    return (size_t)snprintf(out, 11, c > 0xffff ? "\\U%08x" : form, (unsigned)c);
}

/* Whether a character may stand in a JSON string that is printed, as it is. */
static inline bool ls_is_json_plain(uint32_t c)
{
    return ls_is_printable(c) && c != '"' && c != '\\';
}

/* Writes what stands for the character `c` in a JSON string: \u000a for a line feed, \ufffd for what is none, a backslash in front
 * of quotes and backslashes. Returns the length. */
static inline size_t ls_json_escape(uint32_t c, char out[13])
{
    if (c == '"' || c == '\\')
        return (size_t)snprintf(out, 13, "\\%c", (char)c);
    if (c == LS_NO_CHARACTER)
        c = 0xfffd;
    if (c <= 0xffff)
        return (size_t)snprintf(out, 13, "\\u%04x", (unsigned)c);
    c -= 0x10000; /* two surrogates */
    return (size_t)snprintf(out, 13, "\\u%04x\\u%04x", (unsigned)(0xd800 + (c >> 10)),
                            (unsigned)(0xdc00 + (c & 0x3ff)));
}

/* Removes what a cut after some number of bytes has left of a character at the end of a text. */
static inline void ls_whole_end(char *text)
{
    size_t n = 0, back = 1;
    uint32_t c;
    while (text[n])
        n++;
    while (back < n && back < 4 && ((unsigned char)text[n - back] & 0xc0) == 0x80)
        back++;
    if (n && (unsigned char)text[n - back] >= 0xc0 && ls_character(text + n - back, back, &c) &&
        c == LS_NO_CHARACTER)
        text[n - back] = 0;
}

/* Makes `n` bytes printable; `out` has room for LS_PRINTABLE_GROWTH * n + 1. Characters of `keep` (ASCII:
 * "\n\t" for texts of several lines) stay; a carriage return stays before a line feed that does. Returns the
 * length; the result ends with 0. */
static inline size_t ls_printable(char *out, const char *s, size_t n, const char *keep)
{
    size_t used = 0;
    bool lines = false;
    for (const char *k = keep; *k; k++)
        lines |= *k == '\n';
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t c;
        bool plain = false;
        length = ls_character(s + i, n - i, &c);
        for (const char *k = keep; *k && !plain; k++)
            plain = c == (unsigned char)*k;
        plain |= lines && c == '\r' && i + 1 < n && s[i + 1] == '\n';
        if (!plain && !ls_is_printable(c)) {
            char escape[11];
            size_t size = ls_escape(c, s[i], escape);
            for (size_t j = 0; j < size; j++)
                out[used++] = escape[j];
        } else {
            for (size_t j = 0; j < length; j++)
                out[used++] = s[i + j];
        }
    }
    out[used] = 0;
    return used;
}

/* A text with everything escaped, line feeds too, cut to `size` bytes with the 0, between characters. */
static inline size_t ls_printable_cut(char *out, size_t size, const char *s)
{
    size_t used = 0, n = 0;
    while (s[n])
        n++;
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t c;
        char piece[LS_PRINTABLE_GROWTH * 4 + 1];
        length = ls_character(s + i, n - i, &c);
        size_t more = ls_printable(piece, s + i, length, "");
        if (used + more >= size)
            break;
        for (size_t j = 0; j < more; j++)
            out[used++] = piece[j];
    }
    if (size)
        out[used] = 0;
    return used;
}

#endif
