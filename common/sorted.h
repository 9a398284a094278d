/* sorted.h - places in sorted arrays. */
#ifndef COMMON_SORTED_H
#define COMMON_SORTED_H

#include <stddef.h>

/*
 * The number of the first of n elements that is not before what is looked for, n when all are: `is_before` says it of element number
 * `at`, which the caller names, and is true of the elements up to some place, and false from there on.
 *
 *     size_t i = LS_FIRST_NOT(n, at, list[at].id < id);
 */
#define LS_FIRST_NOT(n, at, is_before)                                                                       \
    __extension__({                                                                                          \
        size_t low_ = 0, high_ = (n);                                                                        \
        while (low_ < high_) {                                                                               \
            const size_t at = low_ + (high_ - low_) / 2;                                                     \
            if (is_before)                                                                                   \
                low_ = at + 1;                                                                               \
            else                                                                                             \
                high_ = at;                                                                                  \
        }                                                                                                    \
        low_;                                                                                                \
    })

#endif
