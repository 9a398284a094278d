/*
 * Memory for readers: many small objects that die together. Running out of memory ends the program with a
 * message: only the analysis verbs use this, never the profiled process.
 */
#ifndef RESULTS_ARENA_H
#define RESULTS_ARENA_H

#include <stddef.h>

struct ls_arena {
    struct ls_arena_block *blocks;
};

/* Zeroed, aligned for any type; freed by ls_arena_free. */
void *ls_arena_alloc(struct ls_arena *a, size_t bytes);
/* Copies; NULL stays NULL. */
char *ls_arena_string(struct ls_arena *a, const char *s);
void ls_arena_free(struct ls_arena *a);

/* realloc that never returns NULL (except for 0 bytes). */
void *ls_realloc(void *p, size_t bytes);

/* The array of common/vector.h with room for element n, which is zeroed. */
void *ls_one_more(void *array, size_t n, size_t size);
/* Appends a zeroed element to such an array; yields its address. */
#define LS_PUSH(array, n) ((array) = ls_one_more((array), (n), sizeof(*(array))), &(array)[(n)++])

#endif
