/*
 * cover_index.h - what the search for a cover (cover.c) asks again and again, found once: sites by address,
 * what belongs to a tag, which instructions and which groups of them look the same.
 *
 * A *body* is a group of instructions of one block whose addresses come from the same registers: where one
 * stands in a family tells where all others of that family stand.
 */
#ifndef JOIN_COVER_INDEX_H
#define JOIN_COVER_INDEX_H

#include "cover.h"

#define LS_COVER_NONE 0xffffffffu

struct ls_cover_body {
    uint32_t first, n; /* members: by_body[first] to [first + n - 1], by address */
    uint32_t twin;     /* the body before it that looks the same, LS_COVER_NONE */
    uint64_t shape;    /* equal for bodies that look the same */
};

struct ls_cover_index {
    uint32_t *by_place;    /* sites by family and address */
    uint32_t *alike;       /* of each site the first one that does the same accesses */
    uint32_t *site_of_tag; /* of each instruction the first site of its tag, LS_COVER_NONE */
    uint32_t *next_site;   /* of each site the next one of its tag, LS_COVER_NONE */
    uint32_t *first_of_tag,
        *next_of_tag;  /* of each instruction the first and the next of its tag, likewise */
    uint32_t *like;    /* of each instruction the one before it that looks the same, LS_COVER_NONE */
    uint32_t *body;    /* of each instruction its body, LS_COVER_NONE */
    uint32_t *by_body; /* instructions */
    struct ls_cover_body *bodies;
    uint32_t n_bodies, n_families, widest;
    void *memory;
};

/* Whether the instructions have as many bytes as the sites, those left aside that may be; begins with nothing covered. */
bool ls_cover_may_fit(struct ls_cover_site *sites, uint32_t n_sites,
                      struct ls_cover_instruction *instructions, uint32_t n_instructions, bool narrow);
/* Also drops the base of each instruction that is alone with it, for it tells nothing. `shown`: those that show different
 * lines do not look the same, also without a base. `narrow`: see ls_cover. False: out of memory. ls_cover_index_free in any case. */
bool ls_cover_index_make(struct ls_cover_index *x, const struct ls_cover_site *sites, uint32_t n_sites,
                         struct ls_cover_instruction *instructions, uint32_t n_instructions, bool shown,
                         bool narrow);
void ls_cover_index_free(struct ls_cover_index *x);

#endif
