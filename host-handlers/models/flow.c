/*
 * flow.c - see flow.h. A system of linear equations in the counts of the graph's edges, kept in reduced form:
 * each row has a pivot column that no other row has. Coefficients are small integers or ratios of such;
 * counts are exact in a double up to 2^53.
 */
#include "flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct edge {
    int32_t from, to; /* -1: outside */
};

struct row {
    size_t pivot;
    double at[]; /* one per edge; then the right side */
};

struct system {
    const struct edge *edges;
    size_t n_edges, n_rows;
    struct row **rows;
    double *work; /* an equation on its way in */
};

static bool is_zero(double coefficient)
{
    return fabs(coefficient) < 1e-6;
}

static void subtract(double *from, const struct row *r, double factor, size_t n)
{
    for (size_t i = 0; i <= n; i++)
        from[i] -= factor * r->at[i];
}

/* Takes out of `work` what the rows say already. The first edge that is left, n_edges when none is. */
static size_t reduce(const struct system *s)
{
    size_t first = 0;
    for (size_t i = 0; i < s->n_rows; i++)
        if (!is_zero(s->work[s->rows[i]->pivot]))
            subtract(s->work, s->rows[i], s->work[s->rows[i]->pivot], s->n_edges);
    while (first < s->n_edges && is_zero(s->work[first]))
        first++;
    return first;
}

/* Adds the equation in `work` when it says something new and contradicts nothing.
 * False when out of memory. */
static bool add_equation(struct system *s)
{
    size_t pivot = reduce(s);
    if (pivot == s->n_edges)
        return true;
    struct row *r = malloc(sizeof *r + (s->n_edges + 1) * sizeof r->at[0]);
    if (!r)
        return false;
    r->pivot = pivot;
    for (size_t i = 0; i <= s->n_edges; i++)
        r->at[i] = s->work[i] / s->work[pivot];
    for (size_t i = 0; i < s->n_rows; i++)
        if (!is_zero(s->rows[i]->at[pivot]))
            subtract(s->rows[i]->at, r, s->rows[i]->at[pivot], s->n_edges);
    s->rows[s->n_rows++] = r;
    return true;
}

static void clear(struct system *s, double right)
{
    memset(s->work, 0, (s->n_edges + 1) * sizeof *s->work);
    s->work[s->n_edges] = right;
}

/* Adds the count of a block to the equation, as what leaves it or enters it. */
static void add_block(struct system *s, int32_t block, bool leaving, double factor)
{
    for (size_t i = 0; i < s->n_edges; i++)
        if ((leaving ? s->edges[i].from : s->edges[i].to) == block)
            s->work[i] += factor;
}

static bool add_conservation(struct system *s, size_t n)
{
    bool ok = true;
    for (size_t b = 0; b < n && ok; b++) {
        clear(s, 0);
        add_block(s, (int32_t)b, true, 1);
        add_block(s, (int32_t)b, false, -1);
        ok = add_equation(s);
    }
    return ok;
}

static bool add_sums(struct system *s, const struct flow_sum *sums, size_t n)
{
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        clear(s, (double)sums[i].total);
        for (size_t b = 0; b < sums[i].n_blocks; b++)
            add_block(s, (int32_t)sums[i].blocks[b], true, 1);
        ok = add_equation(s);
    }
    return ok;
}

static bool add_known(struct system *s, const struct flow_known *k)
{
    bool ok = true;
    if (k->entries >= 0) {
        clear(s, (double)k->entries);
        s->work[0] = 1; /* edge 0 comes from outside */
        ok = add_equation(s);
    }
    ok = ok && add_sums(s, k->sums, k->n_sums);
    for (size_t i = 0; i < k->n_steps && ok; i++) {
        clear(s, (double)k->steps[i].total);
        for (size_t e = 0; e < s->n_edges; e++)
            if (s->edges[e].from == (int32_t)k->steps[i].from && s->edges[e].to == (int32_t)k->steps[i].to)
                s->work[e] = 1;
        ok = add_equation(s);
    }
    return ok && add_sums(s, k->last_sums, k->n_last_sums);
}

/* Whether an edge's count is known and negative. */
static bool has_negative_edge(const struct system *s)
{
    for (size_t i = 0; i < s->n_rows; i++) {
        size_t others = 0;
        for (size_t e = 0; e < s->n_edges; e++)
            others += e != s->rows[i]->pivot && !is_zero(s->rows[i]->at[e]);
        if (!others && s->rows[i]->at[s->n_edges] < -0.5)
            return true;
    }
    return false;
}

static bool read_counts(struct system *s, struct flow_block *blocks, size_t n)
{
    for (size_t b = 0; b < n; b++) {
        clear(s, 0);
        add_block(s, (int32_t)b, true, 1);
        blocks[b].count = -1;
        if (reduce(s) < s->n_edges)
            continue;
        double count = -s->work[s->n_edges];
        if (count < -0.5 || fabs(count - nearbyint(count)) > 0.01)
            return false;
        blocks[b].count = (int64_t)nearbyint(count);
    }
    return true;
}

static size_t list_edges(const struct flow_block *blocks, size_t n, struct edge *edges)
{
    size_t e = 0;
    edges[e++] = (struct edge){-1, 0};
    for (size_t b = 0; b < n; b++)
        for (int k = 0; k < 2; k++)
            if (blocks[b].next[k] != FLOW_NONE)
                edges[e++] = (struct edge){(int32_t)b, blocks[b].next[k]};
    return e;
}

bool flow_solve(struct flow_block *blocks, size_t n, const struct flow_known *known)
{
    if (!n || n > FLOW_BLOCKS_MAX)
        return false;
    struct edge *edges = calloc(2 * n + 1, sizeof *edges);
    struct system s = {.edges = edges, .rows = calloc(2 * n + 1, sizeof(struct row *))};
    bool ok = false;
    if (edges && s.rows) {
        s.n_edges = list_edges(blocks, n, edges);
        s.work = calloc(s.n_edges + 1, sizeof *s.work);
        ok = s.work && add_conservation(&s, n) && add_known(&s, known) && !has_negative_edge(&s) &&
             read_counts(&s, blocks, n);
    }
    for (size_t i = 0; i < s.n_rows; i++)
        free(s.rows[i]);
    free(s.rows);
    free(s.work);
    free(edges);
    return ok;
}
