/* join.c - see join.h. */
#include "join.h"
#include "common/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static bool matches(const struct lanescope_site *s, const struct ls_isa_instruction *i)
{
    if (!s->n_frames || !i->file || i->line != s->frames[0].line ||
        strcmp(ls_base_name(i->file), ls_base_name(s->frames[0].file)))
        return false;
    enum ls_isa_class have = i->form.class, want = class_of_space(s->space);
    if (have == LS_ISA_SCALAR && s->kind == LS_SITE_LOAD)
        have = LS_ISA_VECTOR; /* a uniform load that became a scalar one */
    if (s->space == 0 && have == LS_ISA_LDS)
        have = LS_ISA_VECTOR; /* flat in the source, found to be LDS by the compiler */
    return have == want && (!reads_or_writes(s->kind) || i->form.store == (s->kind == LS_SITE_STORE));
}

static bool same_access(const struct lanescope_site *a, const struct lanescope_site *b)
{
    return a->n_frames && b->n_frames && a->kind == b->kind && a->space == b->space &&
           a->frames[0].line == b->frames[0].line && !strcmp(a->frames[0].file, b->frames[0].file);
}

/* Accesses of that width which the source does on the site's line. */
static int count_sites(const struct ls_module *m, struct ls_site_list kernel, const struct lanescope_site *s,
                       uint32_t bytes)
{
    int n = 0;
    for (uint32_t i = 0; i < kernel.n; i++)
        n += m->sites[kernel.sites[i]].bytes == bytes && same_access(s, &m->sites[kernel.sites[i]]);
    return n;
}

/* Instructions there that do one (pair: two) of that width. */
static int count_instructions(const struct ls_isa_listing *l, const struct lanescope_site *s, uint32_t bytes,
                              bool pair)
{
    int n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct ls_isa_form *f = &l->items[i].form;
        n += matches(s, &l->items[i]) && f->pair == pair && f->bytes == bytes;
    }
    return n;
}

static int at_least_0(int n)
{
    return n > 0 ? n : 0;
}

/* A pair instruction does two accesses of its width, or one of twice that width that is not aligned enough
 * for a single instruction. So of the pairs of the site's width, those that the wider accesses on the line
 * account for are not merges; the others are. */
static bool merges(const struct ls_module *m, struct ls_site_list kernel, const struct lanescope_site *s,
                   const struct ls_isa_listing *l)
{
    uint32_t b = s->bytes;
    int pairs = count_instructions(l, s, b, true);
    int wide = at_least_0(count_sites(m, kernel, s, 2 * b) - count_instructions(l, s, 2 * b, false) -
                          2 * count_instructions(l, s, 2 * b, true));
    return at_least_0(pairs - wide) > 0 && count_sites(m, kernel, s, b) > count_instructions(l, s, b, false);
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

/* Whether an instruction of that width may do the site's access, or half of it. */
static bool width_fits(const struct lanescope_site *s, bool pair, uint32_t bytes)
{
    return !s->bytes || bytes == s->bytes || (pair && 2 * bytes == s->bytes);
}

static size_t tally_line(const struct lanescope_site *s, const struct ls_isa_listing *l, bool any_width,
                         struct tally *t)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct ls_isa_form *f = &l->items[i].form;
        if (matches(s, &l->items[i]) && (any_width || width_fits(s, f->pair, f->bytes)))
            n = add_tally(t, n, l->items[i].text);
    }
    return n;
}

char *ls_join_site(const struct ls_module *m, struct ls_site_list kernel, uint32_t index,
                   const struct ls_isa_listing *l, uint32_t *merged)
{
    const struct lanescope_site *s = &m->sites[index];
    struct tally tally[MAX_TALLY];
    *merged = s->space == 3 && reads_or_writes(s->kind) && merges(m, kernel, s, l);
    size_t n = tally_line(s, l, false, tally);
    return write_tally(tally, n ? n : tally_line(s, l, true, tally));
}
