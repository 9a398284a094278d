/* Lines that stand elsewhere on the other side with the same text (diff_match.h): statements that changed places, functions that
 * did, and kernels of one file of which the user says that one is the other now. */
#include "diff_match.h"
#include "cli/common/text_numbers.h"
#include "results/file/error_text.h"
#include "results/profile/profile.h"

#include <stdlib.h>
#include <string.h>

/* Writes the text of a place without surrounding blanks; false: it is not known, or nothing but a brace. */
static bool put_text(const struct ls_profile *p, const char *path, uint32_t number, FILE *key)
{
    const struct ls_p_file *file = ls_profile_file(p, path);
    size_t n;
    const char *text = file ? ls_profile_line(file, number, &n) : NULL;
    while (text && n && strchr(" \t", *text))
        text++, n--;
    while (text && n && strchr(" \t\r", text[n - 1]))
        n--;
    fprintf(key, "%.*s|", text ? (int)n : 0, text ? text : "");
    return text && n > 1;
}

/* What moved lines have in common: what they access, and the texts of the user's calls around the title; of the title, too, if
 * `whole`. malloc'd; NULL: a text is not known. */
static char *text_key(const struct ls_profile *p, const struct ls_p_line *line, bool whole)
{
    char *key = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&key, &size);
    bool known = out;
    if (!out)
        return NULL;
    fprintf(out, "%s|%s|", line->kind, line->space);
    known = !whole || put_text(p, line->title.file, line->title.line, out);
    for (size_t i = line->title_depth; known && i < line->n_chain; i++)
        if (!line->chain[i].library)
            known = put_text(p, line->chain[i].file, line->chain[i].line, out);
    fclose(out);
    if (known)
        return key;
    free(key);
    return NULL;
}

static bool is_alone(const struct diff_entry *e, int side)
{
    return e->line[side] && !e->line[!side];
}

/* The text of an entry that only this side has, with how many had it before. NULL: none. */
static char *key_of(const struct diff *d, int side, const struct diff_entry *e, struct text_number **seen)
{
    char *text = is_alone(e, side) ? text_key(d->profile[side], e->line[side], true) : NULL;
    char *key = text ? ls_text("%zu|%s", (*text_number(seen, strdup(text), 0))++, text) : NULL;
    free(text);
    return key;
}

static void take_over(struct diff_entry *to, struct diff_entry *from, int side)
{
    to->line[side] = from->line[side];
    to->sum[side] = from->sum[side];
    to->reasons[side] = from->reasons[side];
    *from = (struct diff_entry){0};
}

/* The entry of both sides that was nearest to a line in its file; NULL: none. */
static const struct diff_entry *nearest(const struct diff_kernel *k, const struct ls_p_place *place)
{
    const struct diff_entry *found = NULL;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < k->n_lines; i++) {
        const struct diff_entry *e = &k->lines[i];
        if (!e->line[SIDE_A] || !e->line[SIDE_B] || strcmp(e->line[SIDE_A]->title.file, place->file) != 0)
            continue;
        const uint32_t at = e->line[SIDE_A]->title.line;
        const uint32_t apart = at > place->line ? at - place->line : place->line - at;
        if (apart < least) {
            least = apart;
            found = e;
        }
    }
    return found;
}

static bool same_access(const struct diff *d, const struct diff_entry *a, const struct diff_entry *b)
{
    char *x = text_key(d->profile[SIDE_A], a->line[SIDE_A], false);
    char *y = text_key(d->profile[SIDE_B], b->line[SIDE_B], false);
    const bool same = x && y && !strcmp(x, y);
    free(x);
    free(y);
    return same;
}

/* A line that was edited where the lines around it moved: at the distance that it had from the nearest of them. */
static void pair_edited(const struct diff *d, struct diff_kernel *k, struct diff_entry *e)
{
    const struct ls_p_place *old = &e->line[SIDE_A]->title;
    const struct diff_entry *anchor = *old->file ? nearest(k, old) : NULL;
    if (!anchor)
        return;
    const struct ls_p_place *from = &anchor->line[SIDE_A]->title, *to = &anchor->line[SIDE_B]->title;
    const int64_t line = (int64_t)to->line + old->line - from->line;
    for (size_t i = 0; i < k->n_lines; i++) {
        struct diff_entry *other = &k->lines[i];
        if (is_alone(other, SIDE_B) && other->line[SIDE_B]->title.line == line &&
            !strcmp(other->line[SIDE_B]->title.file, to->file) && same_access(d, e, other)) {
            take_over(e, other, SIDE_B);
            return;
        }
    }
}

static void drop_empty(struct diff_kernel *k)
{
    size_t n = 0;
    for (size_t i = 0; i < k->n_lines; i++)
        if (k->lines[i].line[SIDE_A] || k->lines[i].line[SIDE_B])
            k->lines[n++] = k->lines[i];
    k->n_lines = n;
}

void diff_pair_moved(const struct diff *d, struct diff_kernel *k)
{
    struct text_number *seen[SIDES] = {NULL, NULL}, *before = NULL;
    const size_t none = k->n_lines;
    for (size_t i = 0; i < k->n_lines; i++) {
        char *key = key_of(d, SIDE_A, &k->lines[i], &seen[SIDE_A]);
        if (key)
            text_number(&before, key, i);
    }
    for (size_t i = 0; before && i < k->n_lines; i++) {
        char *key = key_of(d, SIDE_B, &k->lines[i], &seen[SIDE_B]);
        const size_t at = key ? *text_number(&before, key, none) : none;
        if (at < none)
            take_over(&k->lines[at], &k->lines[i], SIDE_B);
    }
    for (size_t i = 0; i < k->n_lines; i++)
        if (is_alone(&k->lines[i], SIDE_A))
            pair_edited(d, k, &k->lines[i]);
    for (int side = 0; side < SIDES; side++)
        text_numbers_free(seen[side]);
    text_numbers_free(before);
    drop_empty(k);
}
