/*
 * match_copy.c - see match_parts.h. Code generation does a copy or fill of a constant length in parts of one
 * width. What is left is done by one more part, as wide or narrower, which ends where the copy does, and so
 * overlaps the one before it, or by narrower parts side by side (TargetLowering::findOptimalMemOpLowering in
 * LLVM's lib/CodeGen/SelectionDAG/TargetLowering.cpp): 24 bytes are bytes 0 to 15 and 8 to 23. Each part is
 * covered as if it were an access of its own.
 */
#include "match_parts.h"

static const uint32_t widths[] = {16, 8, 4, 2, 1};
enum { N_WIDTHS = sizeof widths / sizeof *widths, MAX_PARTS = LS_COVER_BYTES };

struct parts {
    struct ls_cover_site site[MAX_PARTS];
    uint32_t n, bytes; /* of all, those that overlap counted twice */
};

static void add_part(struct parts *p, const struct ls_cover_site *whole, uint32_t at, uint32_t width)
{
    struct ls_cover_site *s = &p->site[p->n++];
    *s = *whole;
    s->addr = at;
    s->bytes = width;
    s->alone = true;
    p->bytes += width;
}

/* Parts of that width as long as they fit. Returns how many bytes they are. */
static uint32_t add_parts(struct parts *p, const struct ls_cover_site *whole, uint32_t at, uint32_t width)
{
    for (; at + width <= whole->bytes; at += width)
        add_part(p, whole, at, width);
    return at;
}

/* Of the other side of the copy; 0: there is none. */
static uint16_t align_of_other(const struct ls_match *x, uint32_t site)
{
    const struct lanescope_site *s = &x->m->sites[site];
    uint32_t other = s->kind == LS_SITE_COPY_READ ? site + 1 : site - 1;
    uint8_t want = s->kind == LS_SITE_COPY_READ ? LS_SITE_COPY_WRITE : LS_SITE_COPY_READ;
    return other < x->m->n_sites && x->m->sites[other].kind == want ? x->m->sites[other].align : 0;
}

/* Wide parts from the beginning on: narrow ones, which only sides with less alignment have, are merged later,
 * and then it is not known which. */
static bool is_aligned(const struct ls_match *x, uint32_t site)
{
    return x->m->sites[site].align >= 4 && align_of_other(x, site) >= 4;
}

static bool cover_parts(struct pool *p, struct parts *parts)
{
    if (!ls_cover(parts->site, parts->n, p->instructions, p->n_instructions))
        return false;
    for (uint32_t i = 0; i < p->n_instructions; i++)
        for (unsigned k = 0; k < 2; k++) {
            struct ls_cover_instruction *n = &p->instructions[i];
            n->offset[k] += (uint32_t)parts->site[n->site[k]].addr;
            n->site[k] = 0;
        }
    return true;
}

bool ls_join_copy(const struct ls_match *x, struct pool *p)
{
    const struct ls_cover_site *whole = p->sites;
    uint8_t kind = x->m->sites[p->site[0]].kind;
    uint32_t have = 0;
    if (p->n_sites != 1 || (kind != LS_SITE_COPY_READ && kind != LS_SITE_COPY_WRITE) ||
        whole->bytes > LS_COVER_BYTES)
        return false;
    for (uint32_t i = 0; i < p->n_instructions; i++)
        have += p->instructions[i].form.bytes * (p->instructions[i].form.pair ? 2 : 1);
    for (unsigned w = 0; w < N_WIDTHS; w++)
        for (unsigned t = w; t < N_WIDTHS; t++) {
            struct parts parts = {.n = 0};
            uint32_t at = add_parts(&parts, whole, 0, widths[w]), left = whole->bytes - at;
            if (!at || (have == whole->bytes && (t > w || !is_aligned(x, p->site[0]))))
                continue;
            if (have == whole->bytes)
                for (unsigned n = w + 1; n < N_WIDTHS; n++)
                    at = add_parts(&parts, whole, at, widths[n] == 8 ? 4 : widths[n]);
            else if (left && widths[t] > left)
                add_part(&parts, whole, whole->bytes - widths[t], widths[t]);
            if (parts.bytes == have && cover_parts(p, &parts))
                return true;
        }
    return false;
}
