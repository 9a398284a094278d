/* Source files of a profile (profile.h). */
#include "profile_internal.h"
#include "title.h"
#include "common/hash.h"
#include "common/names.h"

#include <stdlib.h>
#include <string.h>

const struct ls_p_file *ls_profile_file(const struct ls_profile *p, const char *path)
{
    const struct profile_entry *e = profile_find(p->file_index, path);
    return e ? &p->files[e->index] : NULL;
}

const char *ls_profile_line(const struct ls_p_file *f, uint32_t number, size_t *length)
{
    struct ls_p_cursor *c = f->cursor, at = {0};
    if (c && c->line && number >= c->line)
        at = (struct ls_p_cursor){c->line - 1, c->offset};
    const struct ls_r_file rest = {.text = f->text ? f->text + at.offset : NULL, .size = f->size - at.offset};
    const char *line = ls_file_line(&rest, number - at.line, length);
    if (c && line)
        *c = (struct ls_p_cursor){number, (size_t)(line - f->text)};
    return line;
}

static uint64_t hash_of(const struct ls_r_file *file)
{
    return file->text ? ls_hash(LS_HASH_BEGIN, file->text, file->size) | 1 : 0;
}

/* `text`: its hash, or 0 */
static void join_spelling(struct ls_profile *p, struct ls_r_file *file, const char *plain, uint64_t text)
{
    struct profile_entry *e = profile_find(p->spelling_index, plain);
    if (!e) {
        e = profile_enter(p, &p->spelling_index, plain);
        e->index = p->n_spellings;
        *LS_PUSH(p->spellings, p->n_spellings) = (struct ls_p_spelling){profile_keep(p, file->path), text};
    }
    struct ls_p_spelling *s = &p->spellings[e->index];
    if (!strcmp(s->path, file->path))
        s->text = text ? text : s->text;
    else if (!s->text || !text || s->text == text)
        file->path = s->path;
}

/* The path without components that lead nowhere. */
static void make_plain(struct ls_profile *p, struct ls_r_file *file)
{
    char *plain = ls_realloc(NULL, strlen(file->path) + 1);
    ls_plain_path(file->path, false, plain);
    if (*plain && strcmp(plain, file->path) != 0)
        file->path = profile_keep(p, plain);
    free(plain);
}

void ls_profile_spell(struct ls_profile *p, struct ls_results *r)
{
    bool any = false;
    char **plain = ls_realloc(NULL, (r->n_files + 1) * sizeof(*plain));
    for (size_t i = 0; i < r->n_files; i++) {
        make_plain(p, &r->files[i]);
        plain[i] = ls_realloc(NULL, strlen(r->files[i].path) + 1);
        ls_plain_path(r->files[i].path, true, plain[i]);
        any |= strcmp(plain[i], r->files[i].path) != 0;
    }
    for (int detours = 0; detours <= any; detours++)
        for (size_t i = 0; i < r->n_files; i++)
            if ((strcmp(plain[i], r->files[i].path) != 0) ==
                detours) /* a path that was changed is plain, or known */
                join_spelling(p, &r->files[i], plain[i], hash_of(&r->files[i]));
    for (size_t i = 0; i < r->n_files; i++)
        free(plain[i]);
    free(plain);
}

/* The file of lines that a relative path without detours is the end of; NULL: none. */
static const char *file_that_ends_so(const struct ls_profile *p, const char *end)
{
    const size_t n = strlen(end);
    const char *found = NULL;
    for (size_t i = 0; i < p->n_files && !found; i++) {
        char *plain = ls_realloc(NULL, strlen(p->files[i].path) + 1);
        ls_plain_path(p->files[i].path, true, plain);
        const size_t m = strlen(plain);
        if (m > n && plain[m - n - 1] == '/' && !strcmp(plain + m - n, end))
            found = p->files[i].path;
        free(plain);
    }
    return found;
}

const char *profile_spelled(struct ls_profile *p, const char *path)
{
    char *plain = ls_realloc(NULL, strlen(path) + 1);
    ls_plain_path(path, true, plain);
    const struct profile_entry *e = profile_find(p->spelling_index, plain);
    const char *found = e                         ? p->spellings[e->index].path
                        : *plain && *plain != '/' ? file_that_ends_so(p, plain)
                                                  : NULL;
    if (!found) {
        ls_plain_path(path, false, plain);
        found = profile_keep(p, plain);
    }
    free(plain);
    return found;
}

void profile_add_file(struct ls_profile *p, const struct ls_results *r, const struct ls_r_file *file)
{
    struct ls_p_file *f = file ? (struct ls_p_file *)ls_profile_file(p, file->path) : NULL;
    if (!file)
        return;
    if (!f) {
        profile_enter(p, &p->file_index, file->path)->index = p->n_files;
        f = LS_PUSH(p->files, p->n_files);
        f->path = profile_keep(p, file->path);
        f->cursor = ls_arena_alloc(&p->arena, sizeof(*f->cursor));
        *f->cursor = (struct ls_p_cursor){0};
        f->library = ls_is_library(p, r, file);
    }
    if (f->text && file->text)
        f->differs |= f->size != file->size || memcmp(f->text, file->text, f->size);
    if (!f->text && file->text) {
        f->text = memcpy(ls_arena_alloc(&p->arena, file->size + 1), file->text, file->size);
        f->size = file->size;
        f->modified_ns = file->modified_ns;
    }
    if (!f->text)
        f->problem = profile_keep(p, file->problem ? file->problem : "the recording did not end normally");
}

const char *profile_source_text(struct ls_profile *p, const struct ls_r_file *file, uint32_t line,
                                const char **problem)
{
    size_t n;
    const char *text = line ? ls_file_line(file, line, &n) : NULL;
    if (!text) {
        *problem = profile_keep(p, !file           ? "unknown file"
                                   : !line         ? "the compiler gave it no line"
                                   : file->problem ? file->problem
                                   : file->text    ? "the file has no such line"
                                                   : "the recording did not end normally");
        return NULL;
    }
    while (n && (text[0] == ' ' || text[0] == '\t'))
        text++, n--;
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    char *copy = ls_arena_alloc(&p->arena, n + 1);
    return memcpy(copy, text, n);
}
