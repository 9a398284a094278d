/*
 * made_up.h - a made-up function for tests of the join: its accesses, as the compiler plugin lists them, and
 * its memory instructions, as the machine reader does, both written by hand. Fields that a test leaves out
 * say nothing: no tag, no distance, no evidence, executed nobody knows how often.
 */
#ifndef JOIN_TESTS_MADE_UP_H
#define JOIN_TESTS_MADE_UP_H

#include "join/match_parts.h"

#include <lanescope/sites.h>

enum { FLAT = 0, GLOBAL = 1, LDS = 3, CONSTANT = 4, PRIVATE = 5 }; /* address spaces of LLVM */
enum { LOAD = LS_SITE_LOAD, STORE = LS_SITE_STORE, ATOMIC = LS_SITE_RMW };

/* A site with its place (struct ls_site, struct ls_site_place). */
struct access {
    uint8_t kind, space; /* enum ls_site_kind, address space */
    uint32_t bytes;
    uint32_t line, column;
    uint32_t call; /* line of the call that it was inlined through; 0: none */
    uint32_t tag, merged;
    uint32_t together;
    uint32_t group, variable;
    int32_t distance;
    uint32_t flags; /* beside LS_SITE_OBSERVED */
    uint16_t align;
    uint8_t loops, barriers;
    uint8_t reason; /* enum ls_site_reason: nothing observes it */
};

/* A memory instruction (struct ls_isa_instruction). */
struct code {
    const char *text; /* of the disassembler */
    uint32_t line, column, call;
    uint32_t tag;
    uint32_t block, loops, together, barriers;
    uint64_t row;       /* address at which its row of the line table begins; 0: none */
    uint32_t registers; /* those that it takes its address from; 0: not known */
    int32_t shift;      /* added to these */
    uint32_t low;       /* as `registers`, of the lower half of the address; */
    int32_t low_shift;  /* added to this */
    struct ls_moved moved;
    bool in_clause;
    uint32_t around; /* of an instruction that one lane executes, `together` of its region's start */
    bool one_lane, follows, behind_scratch, input;
};

struct made_up;

/* Joins them; ends the test when there is no memory. */
struct made_up *made_up(const struct access *accesses, uint32_t n_accesses, const struct code *code,
                        uint32_t n_code);
/* The same of a function that counts active lanes somewhere, nobody knows what for. */
struct made_up *made_up_counting(const struct access *accesses, uint32_t n_accesses, const struct code *code,
                                 uint32_t n_code);
#define MADE_UP(accesses, code)                                                                              \
    made_up(accesses, sizeof(accesses) / sizeof *(accesses), code, sizeof(code) / sizeof *(code))
void made_up_free(struct made_up *m);

#define ALL_LANES (~0ull)
/* The first execution of the access that was observed: lanes `exec`, of which lane n has address
 * `address` + n * `stride`. */
void made_up_saw(struct made_up *m, uint32_t access, uint64_t exec, uint64_t address, uint64_t stride);
/* Joins again, with what was observed. */
void made_up_again(struct made_up *m);

/* What does access number `access`, in words: "exact, #1 0..3" (instruction 1 does bytes 0 to 3 of it),
 * "shared at 0, #0 0..3" (counted at access 0), "one lane, #0 0..3", "scalar", "absent", "unclear", "moved",
 * "too long". Valid until the next call. */
const char *made_up_result(struct made_up *m, uint32_t access);
/* What its accesses do, in their order, must be these; ends the made-up function. */
void made_up_expect(struct made_up *m, const char *const *results, uint32_t n);
#define EXPECT(m, ...)                                                                                       \
    made_up_expect(m, (const char *const[]){__VA_ARGS__},                                                    \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
/* For what else it may be asked (match.h). */
struct ls_match *made_up_match(struct made_up *m);
/* The access that counts the instruction; -1: none does. */
int made_up_counts(const struct made_up *m, uint32_t instruction);

#endif
