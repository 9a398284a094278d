/* held_code.h - whether programs and libraries hold code for the GPUs that are there. */
#ifndef OBJECTS_HELD_CODE_H
#define OBJECTS_HELD_CODE_H

#include <stdbool.h>
#include <stddef.h>

enum { LS_TARGETS_MAX = 16, LS_TARGET_SIZE = 24 };

/* Names of GPUs or targets, each once; without ":feature" suffixes but where these are why code does not fit. */
struct ls_targets {
    char name[LS_TARGETS_MAX][LS_TARGET_SIZE];
    size_t n;
    const char *features; /* of all these GPUs, ":sramecc+:xnack-"; NULL: they are the runtime's to compare */
};

/* Of those that the software GPU can be and that have such features, soft-gpu/kfd/topology/ says so. */
#define LS_EMULATED_FEATURES ":sramecc+:xnack-"

/* A name that is there, is too long, or has no room, is left out. */
void ls_targets_add(struct ls_targets *targets, const char *name);
/* "gfx906, gfx908 and gfx90a"; malloc'd, NULL when out of memory. */
char *ls_targets_text(const struct ls_targets *targets);

struct ls_held_code {
    struct ls_targets held; /* what there is code for */
    /* Some of it may run on a GPU that is there, or more is made while it runs. */
    bool fits;
};

/* What a file holds. False: no code of HIP, or what it holds is not to be told (fat_binary.h). */
bool ls_held_code(const char *path, const struct ls_targets *there, struct ls_held_code *out);

/* Whether a program names a function that compiles kernels while it runs. Not for the libraries that have these functions. */
bool ls_makes_code(const char *path);

#endif
