/*
 * cover_search.h - one search for a cover (cover.h), inside the library.
 */
#ifndef JOIN_COVER_SEARCH_H
#define JOIN_COVER_SEARCH_H

#include "cover.h"

/* What a search is to find. */
enum ls_cover_aim {
    LS_COVER_ONLY,  /* a cover, if all covers do the same */
    LS_COVER_LOOSE, /* the same, of instructions whose registers were left aside */
    LS_COVER_ANY,   /* one of several that are known to do the same */
};

/* As ls_cover, which tells when to search for what. */
bool ls_cover_search(struct ls_cover_site *sites, uint32_t n_sites, struct ls_cover_instruction *instructions,
                     uint32_t n_instructions, bool narrow, enum ls_cover_aim aim, struct ls_work *work);

#endif
