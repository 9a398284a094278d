/*
 * cover_plan.c - see cover.h: which searches are made, one after the other.
 *
 * Registers rule covers out, but they also keep the search from seeing that instructions look the same: of eight groups of
 * instructions, each from registers of its own, and eight groups of accesses at unknown distances, as the operands of a
 * matrix product in swizzled memory, there are far more covers than can be tried, and all do the same. Without registers
 * these are one. Lines tell covers apart that do the same, too: of two such operands, on lines of their own, whose
 * instructions have no places. So where a search finds no cover, or takes long, covers are searched that need not care about
 * either. If all of these do the same to each site, so do those that care, for they are some of them: then the first one is
 * as good as any, but which of the instructions does which access is not known.
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

/* Whether instructions without tag do the same whatever line they are on: they are counted on the first site that they serve
 * if all that they may serve is on one line, and sites that have lines do not take that of their instruction. */
static bool lines_do_nothing(const struct ls_cover_site *s, uint32_t n, struct ls_work *work)
{
    for (uint32_t k = 0; k < n; k++) {
        if (!s[k].line || !s[k].tag || s[k].unplaced || !ls_work_spend(work, k + 1))
            return false;
        for (uint32_t h = 0; h < k; h++)
            if (s[h].family == s[k].family && s[h].line != s[k].line)
                return false;
    }
    return true;
}

/* Leaves aside what rules covers out, or tells them apart, and does not change what they do. false: there is nothing. */
static bool loosen(const struct ls_cover_site *sites, uint32_t n_sites, struct ls_cover_instruction *i,
                   uint32_t n, struct ls_work *work)
{
    const bool lines = lines_do_nothing(sites, n_sites, work);
    bool changed = false;
    for (uint32_t k = 0; k < n; k++) {
        changed |= i[k].base != 0;
        i[k].base = 0;
        if (!lines || i[k].tag)
            continue;
        changed |= i[k].line || i[k].shown != i[0].shown;
        i[k].line = i[k].shown = 0;
    }
    return changed;
}

/* Whether all covers do the same, also those that care neither about registers nor lines. */
static bool do_the_same(struct ls_cover_site *sites, uint32_t n_sites,
                        const struct ls_cover_instruction *instructions, uint32_t n_instructions, bool narrow,
                        struct ls_work *work)
{
    struct ls_cover_instruction *loose = calloc(n_instructions + 1u, sizeof *loose);
    bool over;
    if (!loose)
        return false;
    memcpy(loose, instructions, n_instructions * sizeof *loose);
    const bool same =
        loosen(sites, n_sites, loose, n_instructions, work) &&
        search_for(LOOSE, sites, n_sites, loose, n_instructions, narrow, LS_COVER_LOOSE, work, &over);
    free(loose);
    return same;
}

bool ls_cover(struct ls_cover_site *sites, uint32_t n_sites, struct ls_cover_instruction *instructions,
              uint32_t n_instructions, bool narrow, struct ls_work *work)
{
    bool over;
    for (uint32_t i = 0; i < n_instructions; i++)
        instructions[i].alike = false;
    if (search_for(SHORT, sites, n_sites, instructions, n_instructions, narrow, LS_COVER_ONLY, work, &over))
        return true;
    const bool same = do_the_same(sites, n_sites, instructions, n_instructions, narrow, work);
    const bool found = (same || over) && ls_cover_search(sites, n_sites, instructions, n_instructions, narrow,
                                                         same ? LS_COVER_ANY : LS_COVER_ONLY, work);
    for (uint32_t i = 0; i < n_instructions; i++)
        instructions[i].alike = found && same && !instructions[i].tag;
    return found;
}
