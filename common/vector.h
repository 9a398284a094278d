/*
 * vector.h - arrays that grow, where running out of memory must not end the process.
 *
 *     if (!LS_ROOM(list, n))
 *         return false;
 *     list[n++] = item;
 *
 * An array of n elements has room for the next power of two, so its capacity needs no variable, and appending
 * costs the same on average however long it becomes. It starts as NULL with n = 0; free() it.
 */
#ifndef COMMON_VECTOR_H
#define COMMON_VECTOR_H

#include <stdlib.h>

/* The array with room for one element more than n; NULL when out of memory, then `array` is what it was. */
static inline void *ls_grown(void *array, size_t n, size_t size)
{
    return n & (n - 1) ? array : reallocarray(array, n ? 2 * n : 1, size);
}

/* Whether element n of `array`, which has n now, can be written. Grows only arrays that always grew so. */
#define LS_ROOM(array, n)                                                                                    \
    __extension__({                                                                                          \
        void *grown_ = ls_grown((array), (n), sizeof *(array));                                              \
        if (grown_)                                                                                          \
            (array) = grown_;                                                                                \
        grown_ != NULL;                                                                                      \
    })

/* Whether `array` has room for n elements in all now: for those that grow by blocks, by no rule. On failure it is
 * what it was. */
#define LS_RESERVE(array, n)                                                                                 \
    __extension__({                                                                                          \
        void *grown_ = reallocarray((array), (n), sizeof *(array));                                          \
        if (grown_)                                                                                          \
            (array) = grown_;                                                                                \
        grown_ != NULL;                                                                                      \
    })

#endif
