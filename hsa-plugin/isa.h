/*
 * isa.h - the machine code of original kernels: memory instructions with their source lines, register counts,
 * and which source accesses the hardware merges.
 */
#ifndef HSA_PLUGIN_ISA_H
#define HSA_PLUGIN_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lanes.h"

enum ls_isa_class {
    LS_ISA_NONE, /* no memory access */
    LS_ISA_LDS,
    LS_ISA_VECTOR, /* global, flat, buffer, tbuffer */
    LS_ISA_SCALAR,
    LS_ISA_SCRATCH,
};

/* What an instruction does, as far as its text says it. */
struct ls_isa_form {
    enum ls_isa_class class;
    bool pair; /* ds_read2/ds_write2 family: two accesses of `bytes` each per lane */
    bool store, atomic;
    bool flat; /* its addresses may be of several kinds of memory: not where the compiler knows the kind */
    uint32_t bytes;
    int32_t at;    /* immediate offset of the first access, bytes */
    int32_t delta; /* pair: offset of the second access from the first, bytes */
};

struct ls_isa_instruction {
    uint64_t offset; /* from the kernel's first instruction */
    char *text;
    char *file; /* or NULL */
    uint32_t line, column;
    uint64_t row;      /* address at which its row of the line table begins; 0: none */
    bool other_way;    /* follows a load in its row and is a store, or the other way round: with a copy, which
                          has one place for both, it is no follower */
    bool follows;      /* has no place of its own: file, line, column, tag, calls are of one before it */
    uint32_t tag;      /* discriminator of the line table, 0: none; see struct ls_site_place */
    uint32_t loops;    /* around it */
    uint32_t block;    /* number of its basic block */
    uint32_t together; /* of the first block that is executed as often; 0: as often as the function */
    uint32_t mask; /* not 0: offset + 1 of the instruction that switched lanes off before it, without a branch
                      around what follows */
    uint32_t epoch; /* two instructions of a block with the same one have the same active lanes */
    uint32_t base;  /* two instructions of a block with the same one take their addresses from the same
                       registers  and values (bases.h); 0: not known */
    uint32_t root;  /* as `base`, but for constants that were added to the registers */
    int32_t shift;  /* the sum of these constants */
    bool input;     /* a scalar load of what the runtime made for the kernel: its arguments, the dispatch */
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

struct ls_isa_registers {
    uint32_t sgprs, vgprs, agprs;
};

struct ls_isa; /* one code object */

/* `isa`: name of the target ("amdgcn-amd-amdhsa--gfx90a"). The image must live as long
 * as the result. NULL with *why (static text): no disassembler, or not a code object. */
struct ls_isa *ls_isa_open(const void *image, size_t bytes, const char *isa, const char **why);
void ls_isa_close(struct ls_isa *x);
/* Memory instructions of function `kernel` (linkage name). 0, or -1 with *why. */
int ls_isa_list(struct ls_isa *x, const char *kernel, struct ls_isa_listing *out, const char **why);
void ls_isa_listing_free(struct ls_isa_listing *l);
/* All instructions of function `name`, in order. 0, or -1 with *why. The texts live until ls_isa_code_free.
 */
struct lanescope_instruction;
int ls_isa_code(struct ls_isa *x, const char *name, struct lanescope_instruction **out, uint32_t *n,
                const char **why);
void ls_isa_code_free(struct lanescope_instruction *list, uint32_t n);
/* From the code object's metadata; false when they are not there. */
bool ls_isa_registers(struct ls_isa *x, const char *kernel, struct ls_isa_registers *out);

/* By mnemonic. *pair: one of the ds_read2/ds_write2 family, which does two accesses of *bytes each per lane.
 */
enum ls_isa_class ls_isa_classify(const char *text, bool *pair, bool *store, uint32_t *bytes);
/* Accesses LDS, global or flat memory, as every lane says. */
static inline bool ls_isa_is_vector(const struct ls_isa_form *f)
{
    return f->class == LS_ISA_LDS || f->class == LS_ISA_VECTOR;
}
/* All that the text says. */
struct ls_isa_form ls_isa_form(const char *text);

#endif
