/* join.c - see join.h. */
#include "join.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static enum ls_isa_class class_of_space(uint8_t space)
{
    return space == 3 ? LS_ISA_LDS : space == 5 ? LS_ISA_SCRATCH : LS_ISA_VECTOR;
}

static bool reads_or_writes(uint8_t kind)
{
    return kind == LS_SITE_LOAD || kind == LS_SITE_STORE;
}

/* Whether that instruction may carry out an access like the site's: same line, same kind of memory, same
 * direction. Directories are left out: the line table and the site table may spell them differently. */
static bool matches(const struct lanescope_site *s, const struct ls_isa_instruction *i, bool *pair,
                    uint32_t *bytes)
{
    bool store;
    if (!s->n_frames || !i->file || i->line != s->frames[0].line ||
        strcmp(base_name(i->file), base_name(s->frames[0].file)))
        return false;
    enum ls_isa_class have = ls_isa_classify(i->text, pair, &store, bytes), want = class_of_space(s->space);
    if (have == LS_ISA_SCALAR && s->kind == LS_SITE_LOAD)
        have = LS_ISA_VECTOR; /* a uniform load that became a scalar one */
    if (s->space == 0 && have == LS_ISA_LDS)
        have = LS_ISA_VECTOR; /* flat in the source, found to be LDS by the compiler */
    return have == want && (!reads_or_writes(s->kind) || store == (s->kind == LS_SITE_STORE));
}

static bool same_access(const struct lanescope_site *a, const struct lanescope_site *b)
{
    return a->n_frames && b->n_frames && a->kind == b->kind && a->space == b->space &&
           a->frames[0].line == b->frames[0].line && !strcmp(a->frames[0].file, b->frames[0].file);
}

static uint32_t count_sites(const struct ls_module *m, uint32_t kernel, const struct lanescope_site *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_sites; i++)
        n += m->raw[i].kernel == kernel && same_access(s, &m->sites[i]);
    return n;
}

/* One mnemonic and how often. */
struct tally {
    const char *text;
    size_t length, n;
};

enum { MAX_TALLY = 16 };

static size_t add_tally(struct tally *t, size_t n, const char *text)
{
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < n; i++)
        if (t[i].length == length && !strncmp(t[i].text, text, length)) {
            t[i].n++;
            return n;
        }
    if (n < MAX_TALLY)
        t[n++] = (struct tally){text, length, 1};
    return n;
}

static char *write_tally(const struct tally *t, size_t n)
{
    char *text = NULL;
    size_t size;
    FILE *f = n ? open_memstream(&text, &size) : NULL;
    if (!f)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (i)
            fputs(", ", f);
        if (t[i].n > 1)
            fprintf(f, "%zux ", t[i].n);
        fwrite(t[i].text, 1, t[i].length, f);
    }
    fclose(f);
    return text;
}

char *ls_join_site(const struct ls_module *m, uint32_t kernel, uint32_t index, const struct ls_isa_listing *l,
                   uint32_t *merged)
{
    const struct lanescope_site *s = &m->sites[index];
    struct tally tally[MAX_TALLY];
    size_t n = 0, operations = 0;
    bool pair, pair_of_this = false;
    uint32_t bytes;
    *merged = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (!matches(s, &l->items[i], &pair, &bytes))
            continue;
        n = add_tally(tally, n, l->items[i].text);
        operations++;
        pair_of_this |= pair && bytes == s->bytes;
    }
    /* A pair instruction may also be one under-aligned access: then there are no fewer operations than sites.
     */
    if (pair_of_this && reads_or_writes(s->kind))
        *merged = count_sites(m, kernel, s) > operations;
    return write_tally(tally, n);
}
