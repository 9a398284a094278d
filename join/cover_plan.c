/*
 * cover_plan.c - see cover.h: which searches are made, one after the other.
 *
 * Registers rule covers out, but they also keep the search from seeing that instructions look the same: of eight groups of
 * instructions, each from registers of its own, and eight groups of accesses at unknown distances, as the operands of a
 * matrix product in swizzled memory, there are far more covers than can be tried, and all do the same. Without registers
 * these are one. So a search that takes long is interrupted, and covers are searched that need not care about registers. If
 * all of these do the same to each site, so do those that care, for they are some of them: then the first is as good as any.
 */
#include "cover_search.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT = 200000, LOOSE = 10 * SHORT }; /* operations; most searches take some hundred */

/* Of the budget, for one search; what it took is gone from *work, and `over` tells whether the search was ended by n. */
static bool search_for(uint64_t n, struct ls_cover_site *sites, uint32_t n_sites,
                       struct ls_cover_instruction *instructions, uint32_t n_instructions, bool narrow,
                       enum ls_cover_aim aim, struct ls_work *work, bool *over)
{
    const uint64_t limit = n < work->left ? n : work->left;
    struct ls_work own = {.left = limit};
    const bool found = ls_cover_search(sites, n_sites, instructions, n_instructions, narrow, aim, &own);
    *over = own.over;
    ls_work_spend(work, limit - own.left);
    return found;
}

/* Whether all covers do the same, also those that care about no registers. */
static bool do_the_same(struct ls_cover_site *sites, uint32_t n_sites,
                        const struct ls_cover_instruction *instructions, uint32_t n_instructions, bool narrow,
                        struct ls_work *work)
{
    struct ls_cover_instruction *free_ones = calloc(n_instructions + 1u, sizeof *free_ones);
    bool bases = false, over;
    if (!free_ones)
        return false;
    memcpy(free_ones, instructions, n_instructions * sizeof *free_ones);
    for (uint32_t i = 0; i < n_instructions; i++) {
        bases |= free_ones[i].base != 0;
        free_ones[i].base = 0;
    }
    const bool same = bases && search_for(LOOSE, sites, n_sites, free_ones, n_instructions, narrow,
                                          LS_COVER_LOOSE, work, &over);
    free(free_ones);
    return same;
}

bool ls_cover(struct ls_cover_site *sites, uint32_t n_sites, struct ls_cover_instruction *instructions,
              uint32_t n_instructions, bool narrow, struct ls_work *work)
{
    bool over;
    const bool found =
        search_for(SHORT, sites, n_sites, instructions, n_instructions, narrow, LS_COVER_ONLY, work, &over);
    if (!over)
        return found;
    const bool same = do_the_same(sites, n_sites, instructions, n_instructions, narrow, work);
    return ls_cover_search(sites, n_sites, instructions, n_instructions, narrow,
                           same ? LS_COVER_ANY : LS_COVER_ONLY, work);
}
