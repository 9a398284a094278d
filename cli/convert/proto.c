/* proto.c - see proto.h. */
#include "proto.h"
#include "results/reader/arena.h"

#include <stdlib.h>
#include <string.h>

enum wire_type { VARINT = 0, FIXED64 = 1, LENGTH = 2 };
enum { VARINT_MAX = 10 };

void proto_free(struct proto *p)
{
    free(p->bytes);
    *p = (struct proto){0};
}

static unsigned char *more(struct proto *p, size_t n)
{
    if (p->room - p->n < n) {
        p->room = 2 * p->room + n + 64;
        p->bytes = ls_realloc(p->bytes, p->room);
    }
    p->n += n;
    return p->bytes + p->n - n;
}

static size_t encode(unsigned char out[VARINT_MAX], uint64_t value)
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        out[n++] = (unsigned char)(value | 0x80);
    out[n++] = (unsigned char)value;
    return n;
}

static void varint(struct proto *p, uint64_t value)
{
    unsigned char bytes[VARINT_MAX];
    size_t n = encode(bytes, value);
    memcpy(more(p, n), bytes, n);
}

static void tag(struct proto *p, unsigned field, enum wire_type type)
{
    varint(p, (uint64_t)field << 3 | type);
}

void proto_number(struct proto *p, unsigned field, uint64_t value)
{
    tag(p, field, VARINT);
    varint(p, value);
}

void proto_signed(struct proto *p, unsigned field, int64_t value)
{
    proto_number(p, field, (uint64_t)value);
}

void proto_fixed64(struct proto *p, unsigned field, uint64_t value)
{
    tag(p, field, FIXED64);
    for (unsigned char *out = more(p, 8), *end = out + 8; out < end; value >>= 8)
        *out++ = (unsigned char)value;
}

void proto_text(struct proto *p, unsigned field, const char *text)
{
    size_t n = strlen(text);
    tag(p, field, LENGTH);
    varint(p, n);
    memcpy(more(p, n), text, n);
}

size_t proto_open(struct proto *p, unsigned field)
{
    tag(p, field, LENGTH);
    return p->n;
}

/* The length stands before the content, and is known now. */
void proto_close(struct proto *p, size_t opened)
{
    unsigned char length[VARINT_MAX];
    size_t content = p->n - opened, n = encode(length, content);
    more(p, n);
    memmove(p->bytes + opened + n, p->bytes + opened, content);
    memcpy(p->bytes + opened, length, n);
}
