/* rows.c - see rows.h. Dispatches that do the same leave rows of the same text: each text is kept once and parsed once, when it is
 * first asked for. */
#include "rows.h"
#include "profile_internal.h"

#include <string.h>

struct ls_p_row_text {
    UT_hash_handle hh;
    json_t *content;
    bool parsed;
    char text[];
};

void profile_set_row_text(struct ls_profile *p, struct ls_p_row *row, const char *json)
{
    const size_t n = strlen(json);
    struct ls_p_row_text *t;
    HASH_FIND(hh, p->row_texts, json, n, t);
    if (!t) {
        t = ls_arena_alloc(&p->arena, sizeof(*t) + n + 1);
        memcpy(t->text, json, n + 1);
        HASH_ADD_KEYPTR(hh, p->row_texts, t->text, n, t);
    }
    row->of = t;
    row->json = t->text;
}

json_t *ls_row_content(const struct ls_p_row *row)
{
    struct ls_p_row_text *t = row->of;
    if (!t->parsed)
        t->content = json_loads(t->text, JSON_DECODE_ANY, NULL);
    t->parsed = true;
    return t->content;
}

void profile_free_row_texts(struct ls_profile *p)
{
    for (struct ls_p_row_text *t = p->row_texts; t; t = t->hh.next)
        json_decref(t->content);
    HASH_CLEAR(hh, p->row_texts);
}
