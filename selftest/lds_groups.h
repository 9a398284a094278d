/*
 * lds_groups.h - finds out in which groups LDS serves the lanes of a wavefront, from how long pairs of lanes take.
 *
 * Two lanes that want different dwords of one bank cost a cycle more when LDS serves them in the same phase, and
 * none when they are in different ones (host-handlers/models/lds_model.h). So the pairs that cost more are the edges
 * of a graph whose cliques are the groups.
 */
#ifndef SELFTEST_LDS_GROUPS_H
#define SELFTEST_LDS_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

enum { LDS_MAX_LANES = 64, LDS_MAX_PAIRS = LDS_MAX_LANES * (LDS_MAX_LANES - 1) / 2 };

/* How a row of groups came out. */
enum lds_verdict {
    LDS_FOUND,
    LDS_NO_STEP, /* all pairs take the same time: one group of all lanes, a group for each, or a GPU without a
                         clock that would show it */
    LDS_NOT_CLIQUES, /* lane 1 conflicts with 2, 2 with 3, 1 not with 3: noise, or another rule than groups */
    LDS_TOO_NOISY,   /* no clear line between slow and fast pairs */
    LDS_NOT_REPEATED, /* two measurements disagree */
};

/* One way to access LDS, measured. */
struct lds_timing {
    unsigned lanes;               /* of a wavefront, at most LDS_MAX_LANES */
    unsigned operations;          /* instructions between the two readings of the clock */
    uint64_t alone;               /* cycles when the lanes of no pair meet in a bank */
    uint64_t pair[LDS_MAX_PAIRS]; /* cycles of the pair lds_pair_number(i, j), fewest of several tries */
};

struct lds_groups {
    enum lds_verdict verdict;
    unsigned n;
    uint64_t groups[LDS_MAX_LANES]; /* lane masks, in order of their lowest lane */
    uint64_t fast, slow;            /* median cycles of pairs in different groups, and in one */
    unsigned wrong;                 /* pairs that contradict the groups: LDS_NOT_CLIQUES */
};

/* The place in lds_timing.pair of lanes i < j. */
static inline unsigned lds_pair_number(unsigned i, unsigned j)
{
    return j * (j - 1) / 2 + i;
}

/* Derives the groups. `t` has a time for each pair of its lanes. */
struct lds_groups lds_find_groups(const struct lds_timing *t);
/* `a`, or LDS_NOT_REPEATED without groups where `b` says something else. */
struct lds_groups lds_agreed(const struct lds_groups *a, const struct lds_groups *b);
/* The verdict in words; static. */
const char *lds_verdict_text(enum lds_verdict verdict);

#endif
