/* gate_lines.c - see gate_lines.h. */
#include "gate_lines.h"
#include "common/vector.h"
#include "lanescope/printable.h"
#include "results/file/error_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 100, FACTOR = 37, END_OF_FILE = 65535, REPLACEMENT = 0xfffd };

struct gate_lines {
    char *text;
    size_t size;
    uint64_t *hashes; /* of each line */
    size_t n;
};

/* The hash of the last BLOCK characters, and which of them begin a line. */
struct rolling {
    struct gate_lines *lines;
    uint64_t hash, oldest; /* FACTOR to the power of BLOCK: the weight of the one that leaves */
    uint16_t window[BLOCK];
    bool begins[BLOCK];
    unsigned at;
    bool line_start, after_cr, failed;
};

/* Puts out the line that begins where the next character goes: its block is complete. */
static void complete(struct rolling *r)
{
    struct gate_lines *l = r->lines;
    if (!r->begins[r->at])
        return;
    r->begins[r->at] = false;
    if (!LS_ROOM(l->hashes, l->n)) {
        r->failed = true;
        return;
    }
    l->hashes[l->n++] = r->hash;
}

static void roll(struct rolling *r, uint16_t unit)
{
    r->hash = r->hash * FACTOR + unit - r->oldest * r->window[r->at];
    r->window[r->at] = unit;
    r->at = (r->at + 1) % BLOCK;
}

/* Blanks do not count, and all ends of lines are alike. */
static void add(struct rolling *r, uint16_t unit)
{
    const bool second = r->after_cr && unit == '\n';
    r->after_cr = unit == '\r';
    if (unit == ' ' || unit == '\t' || second)
        return;
    if (unit == '\r')
        unit = '\n';
    complete(r);
    if (r->line_start)
        r->begins[r->at] = true;
    r->line_start = unit == '\n';
    roll(r, unit);
}

/* The UTF-16 units of the character at `text`; *bytes: how many it takes there. What is no UTF-8 is a replacement per byte. */
static unsigned decode(const char *text, size_t left, uint16_t units[2], size_t *bytes)
{
    uint32_t c;
    *bytes = ls_character(text, left, &c);
    if (c == LS_NO_CHARACTER)
        c = REPLACEMENT;
    if (c < 0x10000) {
        units[0] = (uint16_t)c;
        return 1;
    }
    units[0] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
    units[1] = (uint16_t)(0xdc00 + ((c - 0x10000) & 0x3ff));
    return 2;
}

static bool hash_lines(struct gate_lines *l)
{
    struct rolling r = {.lines = l, .oldest = 1, .line_start = true};
    for (int i = 0; i < BLOCK; i++)
        r.oldest *= FACTOR;
    for (size_t at = 0, bytes; at < l->size; at += bytes) {
        uint16_t units[2];
        const unsigned n = decode(l->text + at, l->size - at, units, &bytes);
        for (unsigned i = 0; i < n; i++)
            add(&r, units[i]);
    }
    add(&r, END_OF_FILE);
    for (int i = 0; i < BLOCK; i++) {
        complete(&r);
        roll(&r, 0);
    }
    return !r.failed;
}

struct gate_lines *gate_lines_read(const char *path)
{
    struct gate_lines *l = calloc(1, sizeof *l);
    FILE *f = l ? fopen(path, "re") : NULL, *copy = f ? open_memstream(&l->text, &l->size) : NULL;
    bool read = copy;
    char part[4096];
    for (size_t n; read && (n = fread(part, 1, sizeof part, f));)
        read = fwrite(part, 1, n, copy) == n;
    read = read && !ferror(f);
    read = copy && !fclose(copy) && read;
    if (f)
        fclose(f);
    if (read && hash_lines(l))
        return l;
    gate_lines_free(l);
    return NULL;
}

void gate_lines_free(struct gate_lines *lines)
{
    if (!lines)
        return;
    free(lines->hashes);
    free(lines->text);
    free(lines);
}

char *gate_lines_fingerprint(const struct gate_lines *lines, uint32_t line)
{
    unsigned same = 1; /* the how manieth line with this hash */
    if (!line || line > lines->n)
        return NULL;
    for (uint32_t i = 0; i + 1 < line; i++)
        same += lines->hashes[i] == lines->hashes[line - 1];
    return ls_text("%" PRIx64 ":%u", lines->hashes[line - 1], same);
}

uint32_t gate_lines_column(const struct gate_lines *lines, uint32_t line, uint32_t column)
{
    const char *at = lines->text, *end = lines->text + lines->size;
    for (; at && line > 1; line--) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at || !line)
        return 0;
    const char *next = memchr(at, '\n', (size_t)(end - at));
    end = next ? next : end;
    if (end > at && end[-1] == '\r')
        end--;
    uint32_t units = 1;
    for (size_t bytes, left = column ? column - 1 : 0; at < end && left; at += bytes) {
        uint16_t unit[2];
        units += decode(at, (size_t)(end - at), unit, &bytes);
        left -= left < bytes ? left : bytes;
    }
    return units;
}
