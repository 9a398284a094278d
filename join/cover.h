/*
 * cover.h - which instructions carry out which accesses: an exact cover of the accesses' bytes by the bytes
 * of the instructions. Pure: no I/O, no global state. docs/internals/join.md explains it.
 */
#ifndef JOIN_COVER_H
#define JOIN_COVER_H

#include "join/machine/isa.h"
#include "work.h"

enum { LS_COVER_BYTES = 64 }; /* accesses that are wider are not covered */

/* One access of the source. */
struct ls_cover_site {
    uint32_t family;   /* sites of one family lie at constant distances: addr tells where */
    int64_t addr;      /* of a lane, comparable inside the family */
    uint32_t bytes;    /* per lane, 1..LS_COVER_BYTES */
    uint32_t line;     /* 0: unknown */
    uint32_t tag;      /* 0: none */
    uint8_t space;     /* LLVM address space */
    uint32_t group;    /* of struct ls_site_place */
    uint32_t context;  /* not 0: only instructions with the same one */
    bool supposed;     /* which is one of several that would do the same */
    uint32_t barriers; /* the same: 1 + those passed on the way to it */
    bool unplaced;     /* in a variable in LDS, and never seen: may be paired with any other such site of its
                          group, where their distance is not known */
    bool alone;        /* no instruction does bytes of it and of others */
    bool may_scalar;   /* a uniform load */
    uint64_t unused;   /* bytes that code generation may leave out, see `narrow` of ls_cover */
    bool scalar;       /* result: no vector instruction carries it out */
    uint64_t covered;  /* bytes; for the search */
};
/* One instruction. */
struct ls_cover_instruction {
    struct ls_isa_form form;
    uint32_t line, block;
    /* line of the line table, also where it is not the instruction's own (`line` is 0 then) */
    uint32_t shown;
    uint32_t tag; /* not 0: it does an access of that tag, if there is one, or of its neighbours together with
                     others of this tag */
    uint32_t context;  /* number of what is executed as often, + 1; see struct ls_cover_site */
    uint32_t barriers; /* 1 + those passed on the way to it; 0: not known */
    uint64_t base;     /* not 0: those with the same base and block lie apart what their offsets say, */
    int32_t shift;     /* and what their registers hold more than the base */
    uint32_t site[2];  /* result, by part: the site at whose byte offset[] it begins */
    uint32_t offset[2];
    bool alike; /* result: others may do its accesses, and it theirs: the same is done to each of these */
    bool used;
};

/* How far from its base it begins. */
static inline int64_t ls_cover_at(const struct ls_cover_instruction *i)
{
    return (int64_t)i->form.at + i->shift;
}

/* Finds the cover of all sites that uses all instructions. `narrow`: bytes that are not used may be left out.
 * false: there is none, or there are several that do different things to a site, or the search wants more work
 * than there is (work->over). */
bool ls_cover(struct ls_cover_site *sites, uint32_t n_sites, struct ls_cover_instruction *instructions,
              uint32_t n_instructions, bool narrow, struct ls_work *work);

#endif
