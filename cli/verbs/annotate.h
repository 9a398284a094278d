/* annotate.h - source lines with the sums of their numbers, for the two forms of `lanescope annotate`. */
#ifndef CLI_ANNOTATE_H
#define CLI_ANNOTATE_H

#include <jansson.h>
#include "annotate_advice.h"
#include "results/profile/profile.h"

/* One source line with numbers. */
struct place {
    uint32_t line; /* 0: accesses of the file to which the compiler gave none */
    int64_t *sum;  /* by metric */
    bool *present, *estimated;
    bool numbers;   /* else it is there for what it is merged with */
    bool coalesced; /* a line of it says so of more cache lines than needed */
    bool assumed;   /* its LDS cycles rest on phases that nobody has measured */
    bool partial;   /* not all that the kernels did was reported */
    unsigned lanes; /* of a wavefront */
    double weight;  /* excess work, for the order of files */
    struct heard_list heard;
    struct ls_p_texts advice;    /* what became of it */
    struct ls_p_texts done_at;   /* places where it is counted: one instruction does it with their accesses */
    struct ls_p_texts done_here; /* places whose accesses are counted here */
};

struct source {
    const struct ls_p_file *file;
    struct place *places; /* in order of lines */
    size_t n_places;
    const char **kernels;
    size_t n_kernels;
    double weight;
};

/* Schema lanescope-annotate/1, with an empty array `files`, and an element of it. New references. The profile has
 * texts as they are (raw). */
json_t *annotate_json_root(const struct ls_profile *p);
json_t *annotate_json_file(const struct ls_profile *p, const struct source *s);

#endif
