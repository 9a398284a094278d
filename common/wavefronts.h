/* wavefronts.h - how many wavefronts a dispatch has. */
#ifndef COMMON_WAVEFRONTS_H
#define COMMON_WAVEFRONTS_H

#include <stdint.h>

/* The wavefronts of `lanes` that the work-items of a grid fill, all numbers in work-items and not 0. Work-groups at the upper edges may be
 * smaller: there are up to eight kinds, by whether they lie at each dimension's edge. */
static inline unsigned __int128 ls_wavefronts(const uint32_t grid[3], const uint32_t workgroup[3],
                                              uint32_t lanes)
{
    unsigned __int128 sum = 0;
    for (unsigned at_edge = 0; at_edge < 8; at_edge++) {
        unsigned __int128 groups = 1, items = 1;
        for (unsigned i = 0; i < 3; i++) {
            const uint32_t rest = grid[i] % workgroup[i];
            groups *= at_edge >> i & 1 ? rest != 0 : grid[i] / workgroup[i];
            items *= at_edge >> i & 1 ? rest : workgroup[i];
        }
        sum += groups * ((items + lanes - 1) / lanes);
    }
    return sum;
}

#endif
