/*
 * match_copy.c - see match_parts.h. Code generation does a copy or fill of a constant length in parts of one
 * width. What is left is done by one more part, as wide or narrower, which ends where the copy does, and so
 * overlaps the one before it, or by narrower parts side by side: 24 bytes are bytes 0 to 15 and 8 to 23
 * (TargetLowering::findOptimalMemOpLowering in LLVM's lib/CodeGen/SelectionDAG/TargetLowering.cpp and
 * SITargetLowering::getOptimalMemOpType). Each part is covered as if it were an access of its own.
 */
#include "match_parts.h"

enum { MAX_PARTS = LONGEST / 16, MOST_PASSES = 64 };

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

/* Parts of that width as long as they fit. Returns where they end. */
static uint32_t add_parts(struct parts *p, const struct ls_cover_site *whole, uint32_t at, uint32_t width)
{
    for (; at + width <= whole->bytes; at += width)
        add_part(p, whole, at, width);
    return at;
}

bool ls_join_is_copy(const struct ls_match *x, uint32_t site)
{
    const uint8_t kind = x->m->sites[site].kind;
    return kind == LS_SITE_COPY_READ || kind == LS_SITE_COPY_WRITE;
}

uint32_t ls_join_other_of_copy(const struct ls_match *x, uint32_t site)
{
    const bool reads = x->m->sites[site].kind == LS_SITE_COPY_READ;
    const uint32_t other = reads ? site + 1 : site - 1;
    const uint8_t want = reads ? LS_SITE_COPY_WRITE : LS_SITE_COPY_READ;
    return ls_join_is_copy(x, site) && other < x->m->n_sites && x->m->sites[other].kind == want &&
                   x->function_of[other] == x->function_of[site] &&
                   ls_join_tag(x, other) == ls_join_tag(x, site)
               ? other
               : LS_NONE;
}

/* Of the other side of the copy; 0: there is none. */
static uint16_t align_of_other(const struct ls_match *x, uint32_t site)
{
    const uint32_t other = ls_join_other_of_copy(x, site);
    return other != LS_NONE ? x->m->sites[other].align : 0;
}

/* Both sides are aligned to 4: the parts are 16 bytes wide as long as 16 bytes are left at first, else 8.
 * They stay as they are. */
static bool is_aligned(const struct ls_match *x, uint32_t site)
{
    return x->m->sites[site].align >= 4 && align_of_other(x, site) >= 4;
}

/* Parts that make up `have` bytes together; false: there are none. */
static bool make_parts(struct parts *p, const struct ls_cover_site *whole, uint32_t have, bool aligned)
{
    uint32_t width = aligned && whole->bytes >= 16 ? 16 : whole->bytes >= 8 ? 8 : 4;
    uint32_t at = whole->bytes / width * width, left = whole->bytes - at;
    if (!at)
        return false;
    if (aligned)
        add_parts(p, whole, 0, width);
    else /* merged later, it is not known how */
        add_part(p, whole, 0, at);
    bool complete = at == whole->bytes;
    if (have == whole->bytes && left) {
        add_part(p, whole, at, left);
        return true;
    }
    for (uint32_t last = width; left && last > left && last > 1; last /= 2)
        if (at + last == have) {
            add_part(p, whole, whole->bytes - last, last);
            complete = true;
            break;
        }
    return complete && p->bytes == have;
}

bool ls_join_copy(struct ls_match *x, struct function *f, struct pool *p)
{
    struct parts parts = {.n = 0};
    uint8_t kind = x->m->sites[p->site[0]].kind;
    uint32_t have = 0, passes = 0;
    if (p->n_sites != 1 || (kind != LS_SITE_COPY_READ && kind != LS_SITE_COPY_WRITE))
        return false;
    const bool aligned = is_aligned(x, p->site[0]);
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        const uint32_t n = p->instructions[i].form.pair ? 2 : 1;
        have += p->instructions[i].form.bytes * n;
        passes += n;
    }
    if (p->sites[0].bytes > (aligned ? (uint32_t)LONGEST : (uint32_t)LS_COVER_BYTES) ||
        passes > MOST_PASSES || !make_parts(&parts, p->sites, have, aligned) ||
        !ls_join_search(x, f, parts.site, parts.n, p->instructions, p->n_instructions, false))
        return false;
    for (uint32_t i = 0; i < p->n_instructions; i++)
        for (unsigned k = 0; k < 2; k++) {
            struct ls_cover_instruction *n = &p->instructions[i];
            n->offset[k] += (uint32_t)parts.site[n->site[k]].addr;
            n->site[k] = 0;
        }
    return true;
}
