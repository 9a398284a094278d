/*
 * cover.h - which instructions carry out which accesses: an exact cover of the accesses' bytes by the bytes
 * of the instructions. Pure: no I/O, no global state. docs/join.md explains it.
 */
#ifndef HSA_PLUGIN_COVER_H
#define HSA_PLUGIN_COVER_H

#include "isa.h"

enum { LS_COVER_BYTES = 64 }; /* accesses that are wider are not covered */

/* One access of the source. */
struct ls_cover_site {
    uint32_t family;  /* sites of one family lie at constant distances: addr tells where */
    int64_t addr;     /* of a lane, comparable inside the family */
    uint32_t bytes;   /* per lane, 1..LS_COVER_BYTES */
    uint32_t line;    /* 0: unknown */
    uint32_t tag;     /* 0: none */
    uint8_t space;    /* LLVM address space */
    bool wild;        /* never seen: a family of its own, may be paired with any other wild site */
    bool may_scalar;  /* a uniform load */
    bool scalar;      /* result: no vector instruction carries it out */
    uint64_t covered; /* bytes; for the search */
};
/* One instruction. */
struct ls_cover_instruction {
    struct ls_isa_form form;
    uint32_t line, block;
    uint32_t tag;     /* not 0: it does an access of that tag, if there is one */
    uint32_t site[2]; /* result, by part: the site at whose byte offset[] it begins */
    uint32_t offset[2];
    bool used;
};

/* Finds a cover of all sites that uses all instructions; false when there is none or the search is too long.
 * Single instructions are tried before pairs, or (`pairs_first`) the other way round. */
bool ls_cover(struct ls_cover_site *sites, uint32_t n_sites, struct ls_cover_instruction *instructions,
              uint32_t n_instructions, bool pairs_first);

#endif
