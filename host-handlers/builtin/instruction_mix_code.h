/* instruction_mix_code.h - how often the machine instructions of a function ran. */
#ifndef HOST_HANDLERS_INSTRUCTION_MIX_CODE_H
#define HOST_HANDLERS_INSTRUCTION_MIX_CODE_H

#include "lanescope/handler.h"

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
