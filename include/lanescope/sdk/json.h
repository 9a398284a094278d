/*
 * json.h - one JSON object, written member by member. No text of the program can break it.
 *
 *     struct lanescope_json j;
 *     lanescope_json_begin(&j);
 *     lanescope_json_text(&j, "kernel", name);
 *     lanescope_json_open(&j, "lanes", '[');
 *     lanescope_json_unsigned(&j, NULL, 7);
 *     lanescope_json_close(&j, ']');
 *     char *text = lanescope_json_finish(&j);
 *
 * Members are told by name; in a list the name is NULL. What does not fit into memory is no text at the end, so nothing
 * before it needs a check.
 */
#ifndef LANESCOPE_SDK_JSON_H
#define LANESCOPE_SDK_JSON_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanescope/printable.h"

struct lanescope_json {
    char *text;
    size_t used, room;
    bool lost; /* out of memory: there will be no text */
    bool more; /* a comma is due */
};

static inline void lanescope_json_put(struct lanescope_json *j, const char *s, size_t n)
{
    if (j->used + n >= j->room) {
        size_t room = 2 * j->room + n + 256;
        char *text = j->lost ? NULL : (char *)realloc(j->text, room);
        j->lost = !text;
        if (!text)
            return;
        j->text = text;
        j->room = room;
    }
    memcpy(j->text + j->used, s, n);
    j->used += n;
    j->text[j->used] = 0;
}

static inline void lanescope_json_plain(struct lanescope_json *j, const char *s)
{
    lanescope_json_put(j, s, strlen(s));
}

/* Writes the text as a JSON string. Bytes that are no UTF-8 become U+FFFD. */
static inline void lanescope_json_quote(struct lanescope_json *j, const char *text)
{
    const size_t n = strlen(text);
    size_t plain = 0; /* what before i is not written yet is written as it is */
    lanescope_json_put(j, "\"", 1);
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t c;
        char escape[13];
        length = ls_character(text + i, n - i, &c);
        if (ls_is_json_plain(c))
            continue;
        lanescope_json_put(j, text + plain, i - plain);
        lanescope_json_put(j, escape, ls_json_escape(c, escape));
        plain = i + length;
    }
    lanescope_json_put(j, text + plain, n - plain);
    lanescope_json_put(j, "\"", 1);
}

static inline void lanescope_json_member(struct lanescope_json *j, const char *name)
{
    if (j->more)
        lanescope_json_put(j, ",", 1);
    if (name) {
        lanescope_json_quote(j, name);
        lanescope_json_put(j, ":", 1);
    }
    j->more = true;
}

static inline void lanescope_json_integer(struct lanescope_json *j, const char *name, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    lanescope_json_member(j, name);
    lanescope_json_plain(j, digits);
}

static inline void lanescope_json_unsigned(struct lanescope_json *j, const char *name, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    lanescope_json_member(j, name);
    lanescope_json_plain(j, digits);
}

/* As text, "0x7f00": JSON's numbers are no place for addresses. */
static inline void lanescope_json_hex(struct lanescope_json *j, const char *name, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "\"0x%" PRIx64 "\"", value);
    lanescope_json_member(j, name);
    lanescope_json_plain(j, digits);
}

static inline void lanescope_json_text(struct lanescope_json *j, const char *name, const char *value)
{
    lanescope_json_member(j, name);
    lanescope_json_quote(j, value);
}

static inline void lanescope_json_bool(struct lanescope_json *j, const char *name, bool value)
{
    lanescope_json_member(j, name);
    lanescope_json_plain(j, value ? "true" : "false");
}

static inline void lanescope_json_null(struct lanescope_json *j, const char *name)
{
    lanescope_json_member(j, name);
    lanescope_json_plain(j, "null");
}

/* Opens a list ('[') or an object ('{'); close it with lanescope_json_close and its counterpart (']' or '}'). */
static inline void lanescope_json_open(struct lanescope_json *j, const char *name, char bracket)
{
    lanescope_json_member(j, name);
    lanescope_json_put(j, &bracket, 1);
    j->more = false;
}

static inline void lanescope_json_close(struct lanescope_json *j, char bracket)
{
    lanescope_json_put(j, &bracket, 1);
    j->more = true;
}

static inline void lanescope_json_begin(struct lanescope_json *j)
{
    memset(j, 0, sizeof *j);
    lanescope_json_open(j, NULL, '{');
}

/* Closes the object and returns its text, which the caller frees; NULL when out of memory. */
static inline char *lanescope_json_finish(struct lanescope_json *j)
{
    lanescope_json_close(j, '}');
    if (!j->lost)
        return j->text;
    free(j->text);
    return NULL;
}

#endif
