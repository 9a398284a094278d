#include "compiler_words.h"
#include "common/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of an entry "shared=FILE:LINE:COLUMN:KIND words" when it is of that place, else NULL. */
static const char *words_of(const char *entry, const struct ls_p_line *line, uint32_t column)
{
    const char *kinds[] = {line->kind, "access"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        char place[512];
        int n = snprintf(place, sizeof(place), "shared=%s:%u:%u:%s ", ls_base_name(line->file), line->line,
                         column, kinds[i]);
        if (n > 0 && (size_t)n < sizeof(place) && !strncmp(entry, place, (size_t)n))
            return entry + n;
    }
    return NULL;
}

static const char *words_at(const char *entry, const struct ls_p_line *line)
{
    const char *words = NULL;
    for (size_t i = 0; !words && i < line->n_columns; i++)
        words = words_of(entry, line, line->columns[i]);
    return words;
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
    bool any = false;
    for (const char *entry = k->compiler; *entry; entry += strcspn(entry, "\n"), entry += *entry == '\n') {
        const char *words = words_at(entry, line);
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
