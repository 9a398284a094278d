#include "compiler_words.h"
#include "common/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands behind a beginning of the text; NULL when it begins otherwise, or is NULL. */
static const char *behind(const char *text, const char *beginning)
{
    while (text && *beginning)
        text = *text++ == *beginning++ ? text : NULL;
    return text;
}

static const char *behind_number(const char *text, uint32_t *number)
{
    char *end = NULL;
    if (!text || *text < '0' || *text > '9')
        return NULL;
    *number = (uint32_t)strtoul(text, &end, 10);
    return end;
}

static bool has_column(const struct ls_p_line *line, uint32_t column)
{
    for (size_t i = 0; i < line->n_columns; i++)
        if (line->columns[i] == column)
            return true;
    return false;
}

/* The words of an entry "KEY=FILE:LINE:COLUMN:KIND words" when it is of that line, else NULL. There may be many entries, and
 * each is asked for each line: most end at the first letters that differ. */
static const char *words_at(const char *entry, const char *key, const struct ls_p_line *line,
                            const char *file)
{
    uint32_t number, column;
    const char *at = behind(behind(behind(entry, key), file), ":");
    at = behind(behind_number(at, &number), ":");
    at = at && number == line->line ? behind(behind_number(at, &column), ":") : NULL;
    if (!at || !has_column(line, column))
        return NULL;
    const char *words = behind(behind(at, line->kind), " ");
    return words ? words : behind(at, "access ");
}

char *ls_compiler_words(const struct ls_p_kernel *k, const struct ls_p_line *line)
{
    char *all = NULL;
    size_t size = 0;
    if (!k->compiler || strcmp(line->space, "LDS"))
        return NULL;
    FILE *out = open_memstream(&all, &size);
    if (!out)
        return NULL;
    const char *file = ls_base_name(line->file);
    bool any = false;
    for (const char *entry = k->compiler; *entry; entry += strcspn(entry, "\n"), entry += *entry == '\n') {
        const char *words = words_at(entry, "shared=", line, file);
        if (words)
            fprintf(out, "%s%.*s", any ? "; " : "", (int)strcspn(words, "\n"), words);
        any |= words != NULL;
    }
    fclose(out);
    if (any)
        return all;
    free(all);
    return NULL;
}

static bool read_tile(const char *words, struct ls_compiler_tile *tile)
{
    uint32_t rows, row, element, plain;
    const char *at = behind(behind_number(words, &rows), " ");
    at = behind(behind_number(at, &row), " ");
    at = behind(behind_number(at, &element), " ");
    at = behind_number(at, &plain);
    if (!at || (*at && *at != '\n'))
        return false;
    *tile = (struct ls_compiler_tile){rows, row, element, plain == 1};
    return true;
}

static bool is_same(const struct ls_compiler_tile *a, const struct ls_compiler_tile *b)
{
    return a->rows == b->rows && a->row == b->row && a->element == b->element && a->plain == b->plain;
}

/* The one that all of the kernel's places have which have any with rows; `any`: in some other place. */
static bool only_tile(const struct ls_p_kernel *k, struct ls_compiler_tile *tile)
{
    bool any = false;
    for (const char *entry = k->compiler; *entry; entry += strcspn(entry, "\n"), entry += *entry == '\n') {
        const char *words = behind(entry, "tile=");
        const size_t length = words ? strcspn(words, "\n") : 0, from = words ? strcspn(words, " \n") : 0;
        struct ls_compiler_tile one;
        if (!words || from == length)
            continue;
        /* KIND may have blanks: the numbers are the last four words */
        const char *at = words + length;
        for (int blanks = 0; at > words && (blanks += *at == ' ') < 4; at--)
            ;
        if (!read_tile(at + 1, &one) || !one.row || (any && !is_same(&one, tile)))
            return false;
        *tile = one;
        any = true;
    }
    return any;
}

bool ls_compiler_tile(const struct ls_p_kernel *k, const struct ls_p_line *line,
                      struct ls_compiler_tile *tile)
{
    const char *file = ls_base_name(line->file);
    struct ls_compiler_tile one;
    bool any = false;
    if (!k->compiler || strcmp(line->space, "LDS"))
        return false;
    for (const char *entry = k->compiler; *entry; entry += strcspn(entry, "\n"), entry += *entry == '\n') {
        const char *words = words_at(entry, "tile=", line, file);
        if (!words || !read_tile(words, &one))
            continue;
        *tile = any && !is_same(&one, tile) ? (struct ls_compiler_tile){0} : one;
        any = true;
    }
    return any || only_tile(k, tile);
}
