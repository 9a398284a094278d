/*
 * work.h - a budget of counted operations: an analysis of other people's code must end, whatever the code is,
 * and for the same code at the same place on every machine. So it counts, and never looks at a clock.
 */
#ifndef JOIN_WORK_H
#define JOIN_WORK_H

#include <stdbool.h>
#include <stdint.h>

/* One operation is a look at an element of a list, a few nanoseconds. */
struct ls_work {
    uint64_t left; /* operations that may still be done */
    bool over;     /* some more were wanted */
};

/* Takes n operations from the budget. false: there are not as many left; the analysis ends without result. */
static inline bool ls_work_spend(struct ls_work *w, uint64_t n)
{
    w->over |= n > w->left;
    w->left -= n > w->left ? w->left : n;
    return !w->over;
}

#endif
