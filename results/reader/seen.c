/* seen.c - see seen.h. */
#include "seen.h"
#include "arena.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct ls_seen_recording {
    UT_hash_handle hh;
    char *file;
    char guid[];
};

const char *ls_seen_before(const struct ls_seen *s, const char *guid)
{
    struct ls_seen_recording *found = NULL;
    if (*guid)
        HASH_FIND_STR(s->table, guid, found);
    return found ? found->file : NULL;
}

void ls_seen_enter(struct ls_seen *s, const char *guid, const char *file)
{
    const size_t n = strlen(guid) + 1, size = strlen(file) + 1;
    if (n == 1 || ls_seen_before(s, guid))
        return;
    struct ls_seen_recording *new = ls_realloc(NULL, sizeof(*new) + n + size);
    memcpy(new->guid, guid, n);
    new->file = memcpy(new->guid + n, file, size);
    HASH_ADD_STR(s->table, guid, new);
}

void ls_seen_free(struct ls_seen *s)
{
    struct ls_seen_recording *one, *next;
    HASH_ITER(hh, s->table, one, next)
    {
        HASH_DEL(s->table, one);
        free(one);
    }
}
