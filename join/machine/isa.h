/*
 * isa.h - the machine code of original kernels: memory instructions with their source lines, register counts,
 * and which source accesses the hardware merges.
 */
#ifndef JOIN_ISA_H
#define JOIN_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lanes.h"
#include "moves.h"
#include "objects/metadata.h"
#include "join/machine/op/op.h"

struct ls_isa_instruction {
    uint64_t offset; /* from the kernel's first instruction */
    char *text;
    char *file; /* or NULL */
    uint32_t line, column;
    uint64_t row;   /* address at which its row of the line table begins; 0: none */
    bool other_way; /* follows a load in its row and is a store, or the other way round: with a copy, which
                       has one place for both, it is no follower */
    bool in_clause; /* behind the first instruction of a clause, which has one row: that of the first */
    bool follows;   /* has no place of its own: file, line, column, tag, calls are of one before it */
    bool behind_scratch; /* what stands before it in its row accesses scratch memory: has a place of its own,
                            unless the row is that of a private access */
    uint32_t tag;        /* discriminator of the line table, 0: none; see struct ls_site_place */
    uint32_t loops;      /* around it */
    uint32_t block;      /* number of its basic block */
    uint32_t barriers;   /* 1 + the fewest on any way to it; 0: unknown, or the function has none */
    uint32_t together;   /* of the first block that is executed as often; 0: as often as the function */
    uint32_t mask; /* not 0: offset + 1 of the instruction that switched lanes off before it, without a branch
                      around what follows */
    uint32_t epoch; /* two instructions of a block with the same one have the same active lanes */
    uint64_t base;  /* two instructions of a block with the same one take their addresses from the same
                       registers  and values (bases.h); 0: not known */
    uint64_t root;  /* as `base`, but for constants that were added to the registers */
    int32_t shift;  /* the sum of these constants */
    uint64_t low;   /* as `root`, of the lower 32 bits of the address alone; 0: not known */
    int32_t low_shift;
    /* Of a store: the loads of what it stores, by their numbers in the listing, of the same block and with the same lanes. */
    struct ls_moved moved;
    bool input; /* a scalar load of what the runtime made for the kernel: its arguments, the dispatch */
    struct ls_lanes_region one; /* where lanes.h says that one lane only executes it */
    bool one_lane;              /* of the lanes that come to the region's start, the lowest one executes it */
    uint32_t around;            /* as `together`, of the region's start; else of the instruction itself */
    char *calls; /* "line:column|line:column|": the inlined calls around it, innermost first; or NULL */
    struct ls_isa_form form;
};

struct ls_isa_listing {
    struct ls_isa_instruction *items; /* memory instructions only, by offset */
    size_t n;
    bool counts_lanes; /* there is code that counts active lanes, and it is not known what for */
};

struct ls_isa; /* one code object */

/* `isa`: name of the target ("amdgcn-amd-amdhsa--gfx90a"). The image must live as long
 * as the result. NULL with *why (static text): no disassembler, or not a code object. */
struct ls_isa *ls_isa_open(const void *image, size_t bytes, const char *isa, const char **why);
void ls_isa_close(struct ls_isa *x);
/* The symbols of its image; they live as long as x. */
struct ls_elf_names;
const struct ls_elf_names *ls_isa_names(const struct ls_isa *x);
/* Its lines, as long. */
struct ls_lines;
struct ls_lines *ls_isa_lines(const struct ls_isa *x);
/* Memory instructions of function `kernel` (linkage name). 0, or -1 with *why. */
int ls_isa_list(struct ls_isa *x, const char *kernel, struct ls_isa_listing *out, const char **why);
void ls_isa_listing_free(struct ls_isa_listing *l);
/* All instructions of function `name`, in order.
 * 0, or -1 with *why. The texts live until ls_isa_code_free. */
struct lanescope_instruction;
int ls_isa_code(struct ls_isa *x, const char *name, struct lanescope_instruction **out, uint32_t *n,
                const char **why);
/* The same of the function at `code`, found in x's image: two local functions may have one name. */
struct ls_elf_code;
int ls_isa_code_at(struct ls_isa *x, const char *name, const struct ls_elf_code *code,
                   struct lanescope_instruction **out, uint32_t *n, const char **why);
void ls_isa_code_free(struct lanescope_instruction *list, uint32_t n);
/* From the code object's metadata; false when they are not there. */
bool ls_isa_registers(struct ls_isa *x, const char *kernel, struct ls_isa_registers *out);

#endif
