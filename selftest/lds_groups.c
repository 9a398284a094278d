#include "lds_groups.h"
#include "common/numbers.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static unsigned n_pairs(const struct lds_timing *t)
{
    return t->lanes * (t->lanes - 1) / 2;
}

/* Where the sorted times jump farthest: times from there on are slow. 0: there is no jump that one conflict in each
 * operation would make. A conflict costs a cycle of LDS, which is one of the clock or more; half of that is the
 * least that is believed. */
static unsigned first_slow(const uint64_t *sorted, unsigned n, unsigned operations)
{
    unsigned best = 0;
    uint64_t jump = 0;
    for (unsigned i = 1; i < n; i++)
        if (sorted[i] - sorted[i - 1] > jump) {
            jump = sorted[i] - sorted[i - 1];
            best = i;
        }
    return jump >= (operations + 1) / 2 ? best : 0;
}

/* Times on one side of the line lie nearer to each other than to the other side, and less apart than a conflict makes: else a few late
 * pairs have drawn the line behind those that conflict. And the fast ones are as fast as lanes that never meet. */
static bool clear_line(const struct lds_timing *t, const uint64_t *sorted, unsigned slow)
{
    uint64_t jump = sorted[slow] - sorted[slow - 1], most = jump < t->operations ? jump : t->operations;
    return sorted[slow - 1] - sorted[0] < most && sorted[n_pairs(t) - 1] - sorted[slow] < most &&
           sorted[0] < t->alone + t->operations;
}

/* Each lane's mask of those that it is slow with, itself among them. */
static void draw_edges(const struct lds_timing *t, uint64_t least_slow, uint64_t edges[LDS_MAX_LANES])
{
    for (unsigned j = 0; j < t->lanes; j++)
        edges[j] = 1ull << j;
    for (unsigned j = 1; j < t->lanes; j++)
        for (unsigned i = 0; i < j; i++)
            if (t->pair[lds_pair_number(i, j)] >= least_slow) {
                edges[i] |= 1ull << j;
                edges[j] |= 1ull << i;
            }
}

/* All lanes that can be reached from those in `from`. */
static uint64_t reached(const uint64_t *edges, uint64_t from)
{
    for (uint64_t before = 0; from != before;) {
        before = from;
        for (uint64_t m = before; m; m &= m - 1)
            from |= edges[__builtin_ctzll(m)];
    }
    return from;
}

static void collect(const struct lds_timing *t, const uint64_t *edges, struct lds_groups *g)
{
    uint64_t done = 0;
    for (unsigned lane = 0; lane < t->lanes; lane++) {
        if (done >> lane & 1)
            continue;
        uint64_t group = reached(edges, edges[lane]);
        for (uint64_t m = group; m; m &= m - 1)
            g->wrong += (unsigned)__builtin_popcountll(group & ~edges[__builtin_ctzll(m)]);
        g->groups[g->n++] = group;
        done |= group;
    }
    g->wrong /= 2;
}

/* No jump: all pairs take the same time, or all times. Against the time of lanes that never meet it shows whether they all conflict. */
static void judge_equal(const struct lds_timing *t, const uint64_t *sorted, struct lds_groups *g)
{
    uint64_t fewest = sorted[0], most = sorted[n_pairs(t) - 1];
    g->verdict = most - fewest < t->operations ? LDS_NO_STEP : LDS_TOO_NOISY;
    g->fast = g->slow = sorted[n_pairs(t) / 2];
    if (g->verdict == LDS_TOO_NOISY || fewest < t->alone + (t->operations + 1) / 2)
        return;
    g->verdict = LDS_FOUND;
    g->fast = t->alone;
    g->n = 1;
    g->groups[0] = ls_low_bits(t->lanes);
}

struct lds_groups lds_find_groups(const struct lds_timing *t)
{
    struct lds_groups g = {.verdict = LDS_FOUND};
    uint64_t sorted[LDS_MAX_PAIRS], edges[LDS_MAX_LANES];
    unsigned n = n_pairs(t);
    memcpy(sorted, t->pair, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    unsigned slow = first_slow(sorted, n, t->operations);
    if (!slow) {
        judge_equal(t, sorted, &g);
        return g;
    }
    g.fast = sorted[slow / 2];
    g.slow = sorted[slow + (n - slow) / 2];
    if (!clear_line(t, sorted, slow)) {
        g.verdict = LDS_TOO_NOISY;
        return g;
    }
    draw_edges(t, sorted[slow], edges);
    collect(t, edges, &g);
    if (g.wrong)
        g.verdict = LDS_NOT_CLIQUES;
    return g;
}

struct lds_groups lds_agreed(const struct lds_groups *a, const struct lds_groups *b)
{
    struct lds_groups agreed = *a;
    bool same =
        a->verdict == b->verdict && a->n == b->n && !memcmp(a->groups, b->groups, a->n * sizeof *a->groups);
    if (!same && (a->verdict == LDS_FOUND || b->verdict == LDS_FOUND)) {
        agreed.verdict = LDS_NOT_REPEATED;
        agreed.n = 0;
    }
    return agreed;
}

const char *lds_verdict_text(enum lds_verdict verdict)
{
    static const char *const texts[] = {
        [LDS_FOUND] = "found",
        [LDS_NO_STEP] = "all pairs of lanes take the same time",
        [LDS_NOT_CLIQUES] = "the slow pairs do not form groups",
        [LDS_TOO_NOISY] = "slow and fast pairs cannot be told apart",
        [LDS_NOT_REPEATED] = "two measurements disagree",
    };
    return texts[verdict];
}
