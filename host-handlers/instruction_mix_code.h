/* instruction_mix_code.h - machine instructions: their classes, and the basic blocks they form. */
#ifndef HOST_HANDLERS_INSTRUCTION_MIX_CODE_H
#define HOST_HANDLERS_INSTRUCTION_MIX_CODE_H

#include "lanescope/handler.h"

enum instruction_class {
    CLASS_VALU,
    CLASS_MATRIX,
    CLASS_SALU,
    CLASS_SMEM,
    CLASS_LDS,
    CLASS_VMEM_LOAD,
    CLASS_VMEM_STORE,
    CLASS_VMEM_ATOMIC,
    CLASS_BRANCH,
    CLASS_WAIT,
    CLASS_OTHER,
    CLASSES,
};
extern const char *const instruction_class_names[CLASSES];

/* By mnemonic. */
enum instruction_class instruction_class(const char *text);

/* What wavefronts did, by blocks of the optimised program (sites). */
struct block_step {
    uint32_t from, to;
    int64_t count; /* wavefronts went from one to the other, without another block between */
};
struct block_counts {
    const int64_t *entered; /* by site */
    uint32_t n_sites;
    int64_t entries; /* of the function; -1: not known */
    const struct block_step *steps;
    size_t n_steps;
};

/* How often each instruction ran, -1 where that cannot be told; count has n_instructions elements. false:
 * what is known contradicts itself. */
bool instruction_counts(const struct lanescope_function *f, const struct block_counts *known, int64_t *count);

#endif
