/*
 * join.c - a code object with its site table, joined: first by what its machine code tells, then with a chunk of messages. The
 * first two bytes say how long that chunk is, which stands before the code object. Without metadata, see dwarf.c.
 */
#include "fuzz.h"
#include "join/code.h"
#include "join/join.h"
#include "join/match.h"
#include "objects/elf_image.h"

#include <stdlib.h>
#include <string.h>

static void ask(struct ls_match *x, const struct ls_module *m)
{
    ls_match_isa(x);
    for (uint32_t s = 0; s < m->n_sites; s++) {
        ls_match_widths(x, s);
        ls_match_state(x, s);
        ls_match_tells(x, s);
        ls_match_instruction(x, s);
        ls_match_why_text(ls_match_why(x, s));
        ls_match_estimated(x, s);
        ls_match_counted_at(x, s);
        ls_match_swaps(x, s);
        free(ls_match_text(x, s));
    }
}

static void list(struct ls_match *x, struct ls_isa *isa, const char *name)
{
    const char *why;
    struct ls_isa_listing l = {0};
    if (ls_isa_list(isa, name, &l, &why))
        return;
    const size_t n = l.n;
    uint32_t function = ls_match_listing(x, name, &l);
    ls_match_solve(x);
    for (size_t i = 0; i < n; i++)
        ls_match_site(x, function, i);
    ls_isa_listing_free(&l);
}

static void read_code(const struct ls_module *m, struct ls_isa *isa, uint32_t kernel)
{
    struct ls_site_groups groups;
    if (!ls_site_groups_make(&groups, m))
        return;
    struct ls_code *c = ls_code_read(m, &groups, kernel, isa);
    for (uint32_t i = 0; c && i < c->n; i++)
        ls_isa_code_free((struct lanescope_instruction *)c->functions[i].instructions,
                         c->functions[i].n_instructions);
    if (c)
        free(c->functions);
    free(c);
    ls_site_groups_free(&groups);
}

static void join(const struct ls_module *m, struct ls_isa *isa, const void *chunk, size_t size)
{
    struct ls_match *x = ls_match_create(m);
    if (!x)
        return;
    for (uint32_t k = 0; k < m->n_kernels; k++) {
        list(x, isa, m->kernels[k].name);
        read_code(m, isa, k);
    }
    for (uint32_t s = 0; s < m->n_sites; s++)
        if (*m->functions[s])
            list(x, isa, m->functions[s]);
    ls_match_solve(x);
    ask(x, m);
    for (uint32_t k = 0; k < m->n_kernels; k++) {
        const struct ls_unsaid unsaid = {.leads = {m->leads, m->first_lead},
                                         .numbers = m->kernels[k].numbers};
        if (ls_match_wants(x, k))
            ls_match_learn(x, &unsaid, k + 1, chunk, size);
    }
    ls_match_solve(x);
    ask(x, m);
    ls_match_destroy(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { CHUNK = 4096 };
    static uint8_t chunk[CHUNK] __attribute__((aligned(64)));
    struct fuzz_input in = {data, size};
    size_t length = fuzz_take(&in, 2) % (CHUNK + 1), bytes, n = 0;
    struct ls_module *modules = NULL;
    const char *why = NULL;
    const void *section;
    length = length < in.size ? length : in.size;
    memset(chunk, 0, sizeof chunk);
    memcpy(chunk, in.data, length);
    in.data += length;
    in.size -= length;
    if (memmem(in.data, in.size, "AMDGPU", 6) ||
        ls_elf_section(in.data, in.size, LS_SITES_SECTION, &section, &bytes) != 1 ||
        ls_sites_parse(section, bytes, &modules, &n, &why))
        return 0;
    struct ls_isa *isa = ls_isa_open(in.data, in.size, "amdgcn-amd-amdhsa--gfx90a", &why);
    for (size_t i = 0; isa && i < n && i < 2; i++)
        join(&modules[i], isa, chunk, sizeof chunk);
    if (isa)
        ls_isa_close(isa);
    ls_sites_free(modules, n);
    return 0;
}
