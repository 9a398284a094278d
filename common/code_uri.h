/*
 * code_uri.h - where the bytes of a loaded code object are, as the runtime says it: file://PATH or memory://PID, then #offset=N&size=N
 * or the same behind a ? (LLVM's "User Guide for AMDGPU Backend", "Loaded Code Object Path Uniform Resource Identifier").
 */
#ifndef COMMON_CODE_URI_H
#define COMMON_CODE_URI_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ls_code_uri {
    const char *path; /* `length` characters of the URI, escaped; NULL: in memory */
    size_t length;
    uint64_t offset; /* in the file, or the address */
    uint64_t size;   /* 0: not said, all of the file */
};

/* The number behind "name=" in a range; 0: there is none. */
static inline uint64_t ls_code_uri_number(const char *range, const char *name)
{
    const char *at = range ? strstr(range, name) : NULL;
    return at ? strtoull(at + strlen(name), NULL, 0) : 0;
}

/* false: a URI of another kind, or NULL. */
static inline bool ls_code_uri_read(const char *uri, struct ls_code_uri *out)
{
    static const char file[] = "file://", memory[] = "memory://";
    const bool in_memory = uri && !strncmp(uri, memory, sizeof memory - 1);
    if (!in_memory && (!uri || strncmp(uri, file, sizeof file - 1)))
        return false;
    const char *range = strpbrk(uri, "#?");
    out->path = in_memory ? NULL : uri + sizeof file - 1;
    out->length = in_memory ? 0 : range ? (size_t)(range - out->path) : strlen(out->path);
    out->offset = ls_code_uri_number(range, "offset=");
    out->size = ls_code_uri_number(range, "size=");
    return true;
}

/* The name of the file, with %XX as the characters that they stand for; malloc'd. NULL: in memory, a URI of another kind, or out of
 * memory. */
static inline char *ls_code_uri_file(const char *uri)
{
    struct ls_code_uri u;
    char *path = ls_code_uri_read(uri, &u) && u.path ? (char *)malloc(u.length + 1) : NULL, *out = path;
    for (size_t i = 0; path && i < u.length; i++) {
        const unsigned char *s = (const unsigned char *)u.path + i;
        if (*s == '%' && i + 2 < u.length && isxdigit(s[1]) && isxdigit(s[2])) {
            const char hex[3] = {(char)s[1], (char)s[2], 0};
            *out++ = (char)strtol(hex, NULL, 16);
            i += 2;
        } else {
            *out++ = (char)*s;
        }
    }
    if (path)
        *out = 0;
    return path;
}

#endif
