/*
 * match_parts.h - what the parts of the join (match.c) share: its state, and pools, the attempts that it
 * makes.
 */
#ifndef JOIN_MATCH_PARTS_H
#define JOIN_MATCH_PARTS_H

#include "cover.h"
#include "match.h"

/* Keys, from strict to loose: the number that the compiler plugin gave the access; that of the first access
 * merged into it; place and inlined calls; place; line; the line of the row, of instructions that follow another one of their kind
 * there; the whole function. */
enum level { TAG, MERGED, PLACE_AND_CALLS, PLACE, LINE, ROW, FUNCTION, LEVELS };

/* Bytes of the longest access that has instructions of its own: LLVM copies at most as many without a loop
 * (TargetTransformInfo::getMaxMemIntrinsicInlineSizeThreshold). */
enum { LONGEST = 1024 };

enum direction { LOADS, STORES, ATOMICS, DIRECTIONS };

struct join {
    enum ls_match_state state;
    enum ls_match_why why; /* of LS_MATCH_NONE */
    bool settled;          /* the code alone decides */
    uint8_t n;
    uint16_t room; /* for passes */
    struct lanescope_pass *passes;
    uint32_t *instructions; /* of each pass, in the function's listing */
    uint32_t first;         /* instruction that stands for the site; LS_NONE */
    uint32_t alike; /* not 0: several sites and instructions, and it is not known which belongs to which */
    /* Another instruction, which is executed otherwise, could do its access, and its own that one's. */
    bool exchangeable;
    bool copied;         /* code generation repeated its instructions */
    bool one_lane;       /* the lowest active lane does it for all */
    bool by_tag;         /* scalar: a scalar load has its number */
    uint32_t counted_at; /* shared: the site that counts the (last) instruction which does it, plus 1 */
};

struct function {
    const char *name;
    struct ls_isa_listing listing;
    bool *taken;         /* while the function is joined */
    uint32_t *scalar;    /* bytes of each scalar load that no site claims, while the function is joined */
    uint32_t *site;      /* that counts the instruction; LS_NONE */
    uint32_t from, to;   /* its sites are among these: from, to - 1 */
    struct ls_work work; /* for all of its joins */
    bool given_up;       /* a search of the pool at hand */
    bool joined;         /* once at least */
    uint64_t evidence;   /* hash of what was known of its sites then */
};

/* Everything that is handed out stays until the end. */
struct keep {
    void *memory;
    struct keep *next;
};

struct ls_match {
    const struct ls_module *m;
    struct join *join;     /* n_sites */
    struct ls_seen *seen;  /* n_sites */
    uint32_t *function_of; /* n_sites: index into functions, LS_NONE */
    struct ls_site_groups kernels;
    uint32_t *by_function; /* n_sites: their numbers, by the names of their functions */
    struct function *functions;
    uint32_t n_functions;
    struct keep *kept;
    const struct lanescope_isa *isa; /* NULL: changed since */
    bool changed;
    struct ls_work work; /* for the joins of all functions */
    uint64_t *failed;    /* hashes of searches without result that were long, see match_work.c */
    uint32_t n_failed;
};

struct key {
    const char *file; /* base name, "" when unknown: the line table and the site table may spell directories
                         differently */
    uint32_t line, column;
    const char *calls;    /* "" when there are none */
    uint32_t tag, merged; /* of an instruction: the same */
};

/* One attempt: a set of sites and a set of instructions. */
struct pool {
    struct ls_cover_site *sites;
    uint32_t *site; /* numbers in the module */
    uint32_t n_sites;
    struct ls_cover_instruction *instructions;
    uint32_t *instruction; /* numbers in the listing */
    uint32_t n_instructions;
    enum level level;
    uint32_t *scalars; /* scalar loads of the key, as numbers in the listing; of FUNCTION: all of them */
    uint32_t n_scalars;
};

/* match.c: zeroed memory that stays until ls_match_destroy; NULL: none. */
void *ls_join_memory(struct ls_match *x, size_t n, size_t size);

/* match_work.c: what all joins of a module, and of a function, may cost. */
struct ls_work ls_join_work_of_module(void);
struct ls_work ls_join_work_of_function(void);
/* Spends operations of both; false: there are none left. */
bool ls_join_spend(struct ls_match *x, struct function *f, uint64_t operations);
/* Whether there are none left. */
bool ls_join_over(const struct ls_match *x, const struct function *f);
/* ls_cover within what is left. Sets f->given_up when that did not suffice. */
bool ls_join_search(struct ls_match *x, struct function *f, struct ls_cover_site *sites, uint32_t n_sites,
                    struct ls_cover_instruction *instructions, uint32_t n_instructions, bool narrow);

/* match_pool.c: which sites and instructions may belong together. */
enum direction ls_join_direction_of_site(uint8_t kind);
enum direction ls_join_direction_of(const struct ls_isa_form *f);
/* One side of a copy to LDS, which has no direction: pools know nothing of these. */
bool ls_join_is_to_lds(uint8_t kind);
bool ls_join_possible(const struct ls_match *x, uint32_t i);
/* Bytes of the site's loads that the program does not look at. */
uint64_t ls_join_unused(const struct ls_match *x, uint32_t site);
/* How many bytes code generation may load for the site's: as many, or those up to a length that loads have. */
uint32_t ls_join_wide(const struct lanescope_site *s);
/* Of a site whose address space decides it; LS_ISA_NONE for flat ones. */
enum ls_isa_class ls_join_class(const struct lanescope_site *s);
/* The number that the compiler plugin gave the site; 0: none. */
uint32_t ls_join_tag(const struct ls_match *x, uint32_t site);
/* `text` holds the calls. */
struct key ls_join_key(const struct ls_match *x, uint32_t site, char *text, size_t room);
/* Whether an instruction of a ROW's pool follows another one. */
bool ls_pool_follows(const struct pool *p, const struct function *f);
/* Whether they are the same at that level. a: of a site. */
bool ls_join_same_key(const struct key *a, const struct key *b, enum level level);
/* Where the instructions of a site must stand: with those that are joined with accesses executed together
 * with it (`together` of these, plus 1). 0: there are none, or they stand in several places. */
uint32_t ls_join_context(const struct ls_match *x, uint32_t site);
/* false: out of memory. ls_pool_free in any case. */
bool ls_pool_make(struct pool *p, enum level level, uint32_t n_sites, size_t n_instructions);
void ls_pool_free(struct pool *p);
/* Takes all open sites and instructions with that key; of one class, or LS_ISA_NONE: of all. */
void ls_pool_fill(struct pool *p, const struct ls_match *x, uint32_t function, enum direction d,
                  const bool *open, const struct key *key, enum level level, enum ls_isa_class class);
/* Finds which sites lie at constant distances. */
void ls_pool_families(struct pool *p, const struct ls_match *x, bool evidence);
/* All accesses and all instructions have one form: whatever block an instruction is in, and however often the
 * back end repeated it, each access is one instruction. */
bool ls_pool_alike(const struct pool *p);

/* match_to_lds.c: joins both sides of each copy to LDS by its number. */
void ls_join_to_lds(struct ls_match *x, struct function *f);

/* match_scalar.c: scalar loads, and which of their bytes are claimed. */
void ls_scalar_begin(const struct ls_match *x, struct function *f);
/* Bytes of the pool's scalar loads that no site claims. */
uint32_t ls_scalar_left(const struct function *f, const struct pool *p);
/* Claims some of them; false: there are not as many. */
bool ls_scalar_claim(struct function *f, const struct pool *p, uint32_t bytes);
/* When all is joined: a uniform load without a scalar load of its number is not clear if a vector load is
 * left that may be its own. */
void ls_scalar_check(struct ls_match *x, struct function *f);

/* match_result.c: what an attempt has found becomes joins. */
void ls_join_forget(struct join *j);
void ls_join_refuse(struct join *j, enum ls_match_why why);
bool ls_join_add_pass(struct ls_match *x, uint32_t site, uint32_t instruction, struct lanescope_pass pass);
/* The passes that were added to a site that was forgotten before are the access, and their instructions are taken; none: no instruction does
 * it. Not `complete`: some could not be added, and the site is forgotten again. Returns `complete`. */
bool ls_join_finish(struct ls_match *x, struct function *f, uint32_t site, bool complete, bool settled);
void ls_join_alike(struct ls_match *x, struct pool *p);
void ls_join_cover(struct ls_match *x, struct function *f, const struct pool *p);
/* The site has no vector instruction: scalar memory does it, or (`by_tag` false, and no scalar load left)
 * nothing. */
void ls_join_no_vector(struct ls_match *x, struct function *f, const struct pool *p, uint32_t k, bool by_tag);

/* match_attempt.c: joins the sites of a pool, or leaves them to a looser level. */
bool ls_join_pool(struct ls_match *x, struct function *f, struct pool *p);

/* match_contexts.c: gives sites of which no context is known one, as long as it makes no difference which. Whether it did. */
bool ls_join_suppose_contexts(const struct ls_match *x, const struct function *f, struct pool *p);
/* Takes these back. */
void ls_join_drop_supposed(struct pool *p);
/* false if the instructions that stand where sites of the pool are executed, as far as that is known, have
 * fewer bytes than these. */
bool ls_join_contexts_fit(const struct pool *p);
/* Joins what stands at one place by itself, in a pool of a whole function that could not be joined. Sites that are joined are
 * no longer open. */
void ls_join_by_context(struct ls_match *x, struct function *f, const struct pool *p, bool *open);

/* match_twice.c: joins a pool of which code generation does one of two equal stores. */
bool ls_join_twice(struct ls_match *x, struct function *f, const struct pool *p);

/* match_rivals.c: whether an access that is not in the pool may have one of its instructions. `open`: of all sites;
 * `key`: the pool's. Also when the work does not suffice to know. */
bool ls_join_contested(struct ls_match *x, struct function *f, const struct pool *p, const bool *open,
                       const struct key *key);

/* match_copy.c: the cover of the pool's one site, a copy whose last part overlaps the one before it. */
bool ls_join_copy(struct ls_match *x, struct function *f, struct pool *p);

/* Whether the site is a side of a copy, or fills memory. */
bool ls_join_is_copy(const struct ls_match *x, uint32_t site);
/* The other side of a copy; LS_NONE: the site is none, or the copy fills memory. */
uint32_t ls_join_other_of_copy(const struct ls_match *x, uint32_t site);

/* match_sides.c: joins one side of a copy by the registers that it goes through, if the other one is joined. */
bool ls_join_other_side(struct ls_match *x, struct function *f, uint32_t site);

/* match_narrow.c: the cover of the pool's one site, a load of which not all bytes are used. */
bool ls_join_narrow(struct ls_match *x, struct function *f, struct pool *p);

/* match_apart.c: whether both take their addresses from the same registers, or from some that are known to lie a constant
 * apart; and how far behind `b` the first part of `a` begins. */
bool ls_join_registers_apart(const struct ls_isa_instruction *a, const struct ls_isa_instruction *b,
                             int64_t *apart);

/* Whether an instruction of the same registers has the tag of an access that begins where this one ends, or ends where it
 * begins, and does not lie in it: code generation has made instructions of both anew, and what has this one's tag may be as long
 * as it, but begin elsewhere. `anchor`: an instruction that begins at that byte of the site. */
bool ls_join_is_shifted(struct ls_match *x, struct function *f, uint32_t site,
                        const struct ls_isa_instruction *anchor, int64_t byte);

/* match_extent.c: the cover of the pool's one site, by registers. */
bool ls_join_extent(struct ls_match *x, struct function *f, struct pool *p);

/* match_beside.c: joins open accesses by the registers of instructions that are known: of an access a known distance
 * apart, or with their own tag. */
void ls_join_beside(struct ls_match *x, struct function *f, bool *open);

/* match_again.c: joins loads that read once more what a joined one does. */
void ls_join_again(struct ls_match *x, struct function *f);

/* match_apart.c: takes joins back that contradict the distances that the compiler knows. */
void ls_join_apart(struct ls_match *x, struct function *f);

/* match_moved.c: takes the join of a site back, and of those that share an instruction with it, or may have
 * its own. */
void ls_join_take_back(struct ls_match *x, struct function *f, uint32_t site, enum ls_match_why why);
/* Takes joins back whose instructions execute more or less often than the access. */
void ls_join_check(struct ls_match *x, struct function *f);

#endif
