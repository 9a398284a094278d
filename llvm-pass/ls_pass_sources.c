/*
 * ls_pass_sources.c - which text of each source file was compiled: section ".lanescope.sources" has a line
 * for each file that the site table names, as md5sum(1) writes and checks it. Debug information often lacks
 * these sums: compilers write them for all files of a unit or for none, and files with a system_header pragma
 * have none.
 */
#include "ls_pass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
    char *text;
    size_t size;
    FILE *out;
    uint32_t *seen; /* offsets of paths in the string area: equal strings have one offset */
    size_t n_seen;
};

static void add_file(struct list *l, const struct ls_table *t, uint32_t file)
{
    char md5[33];
    const char *path = t->strings.v + file;
    for (size_t i = 0; i < l->n_seen; i++)
        if (l->seen[i] == file)
            return;
    l->seen[l->n_seen++] = file;
    if (file && !strpbrk(path, "\n\\") && ls_file_md5(path, md5))
        fprintf(l->out, "%s  %s\n", md5, path);
}

static void add_all(struct list *l, const struct ls_table *t)
{
    for (uint32_t i = 0; i < t->frames.n; i++)
        add_file(l, t, t->frames.v[i].file);
    for (uint32_t i = 0; i < t->kernels.n; i++)
        add_file(l, t, t->kernels.v[i].file);
}

void ls_emit_sources(struct ls_module *m, uint64_t hash)
{
    struct list l = {.seen = calloc(m->table.frames.n + m->table.kernels.n + 1u, sizeof *l.seen)};
    l.out = l.seen ? open_memstream(&l.text, &l.size) : NULL;
    if (l.out) {
        add_all(&l, &m->table);
        fclose(l.out);
    }
    if (l.size) {
        char name[sizeof LS_SOURCES_SYMBOL_PREFIX + 16];
        snprintf(name, sizeof name, LS_SOURCES_SYMBOL_PREFIX "%016" PRIx64, hash);
        ls_emit_section(m, name, LS_SOURCES_SECTION, l.text, (unsigned)l.size, 1);
    }
    free(l.text);
    free(l.seen);
}
