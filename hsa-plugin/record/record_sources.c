/*
 * record_sources.c - which source texts a code object was compiled from, out of its section
 * ".lanescope.sources": lines of 32 hex digits, two blanks and a path, as of md5sum(1).
 */
#include "record_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "objects/elf_image.h"

enum { SUM = 32, PATH_LONGEST = 4096 };

/* Triton compiles functions, not files: a function's code in its cache stays right for the same text at the same line,
 * whatever else of the file was edited. */
static bool is_script(const char *path, size_t n)
{
    return n > 3 && !memcmp(path + n - 3, ".py", 3);
}

/* Stores one line of `n` bytes; what is none is left out: a sum is a help, not a need. */
static void store_line(const char *line, size_t n)
{
    char md5[SUM + 1], path[PATH_LONGEST + 1];
    size_t length = n > SUM + 2 ? n - SUM - 2 : 0;
    if (!length || length > PATH_LONGEST || is_script(line, n) || line[SUM] != ' ' || line[SUM + 1] != ' ' ||
        memchr(line, 0, n))
        return;
    for (size_t i = 0; i < SUM; i++)
        if (!isxdigit((unsigned char)line[i]) || isupper((unsigned char)line[i]))
            return;
    memcpy(md5, line, SUM);
    md5[SUM] = 0;
    memcpy(path, line + SUM + 2, length);
    path[length] = 0;
    ls_db_add_source_sum(ls_recorder.db, path, md5);
}

void ls_record_sources(const struct ls_code_object *co)
{
    const void *section;
    size_t size;
    if (!co->image || ls_elf_section(co->image, co->bytes, LS_SOURCES_SECTION, &section, &size) != 1)
        return;
    const char *at = section, *end = at + size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            break;
        store_line(at, (size_t)(stop - at));
        at = stop + 1;
    }
}
