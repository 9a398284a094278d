#include "text_numbers.h"
#include "results/reader/arena.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct text_number {
    char *text;
    size_t number;
    UT_hash_handle hh;
};

size_t *text_number(struct text_number **table, char *text, size_t first)
{
    struct text_number *known;
    HASH_FIND_STR(*table, text, known);
    if (known) {
        free(text);
        return &known->number;
    }
    known = ls_realloc(NULL, sizeof(*known));
    *known = (struct text_number){.text = text, .number = first};
    HASH_ADD_KEYPTR(hh, *table, known->text, strlen(known->text), known);
    return &known->number;
}

void text_numbers_free(struct text_number *table)
{
    struct text_number *one, *next;
    HASH_ITER(hh, table, one, next)
    {
        HASH_DEL(table, one);
        free(one->text);
        free(one);
    }
}
