/*
 * together.c - see together.h. Two blocks of one loop are executed equally often if the first is on all paths
 * to the second (dominates it), and the second on all paths from the first to the end, to another round of
 * the loop, or out of it. Dominators as in Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm"
 * (2001).
 */
#include "together.h"

#include <stdbool.h>
#include <stdlib.h>

static const uint32_t NONE = 0xffffffffu;

/* A graph with a root, and what is found of it. */
struct tree {
    uint32_t n, root;
    uint32_t *start, *from;  /* edges into block k: from[start[k]..start[k + 1]) */
    uint32_t *out, *to;      /* edges out of it */
    uint32_t *order, *place; /* blocks in postorder; place of each, NONE: not reached */
    uint32_t n_order;
    uint32_t *above; /* immediate dominator; NONE: not reached */
    /* Preorder number in the tree of dominators, and how many blocks that block dominates, itself included */
    uint32_t *number, *size;
};

struct edge {
    uint32_t from, to;
};

static uint32_t *counts_to_starts(const struct edge *e, uint32_t n_edges, uint32_t n, bool incoming,
                                  uint32_t *ends)
{
    uint32_t *start = calloc(n + 2u, sizeof *start);
    if (!start)
        return NULL;
    for (uint32_t i = 0; i < n_edges; i++)
        start[(incoming ? e[i].to : e[i].from) + 1]++;
    for (uint32_t k = 0; k < n; k++)
        start[k + 1] += start[k];
    uint32_t *next = calloc(n + 1u, sizeof *next);
    if (!next) {
        free(start);
        return NULL;
    }
    for (uint32_t k = 0; k < n; k++)
        next[k] = start[k];
    for (uint32_t i = 0; i < n_edges; i++)
        ends[next[incoming ? e[i].to : e[i].from]++] = incoming ? e[i].from : e[i].to;
    free(next);
    return start;
}

static void free_tree(struct tree *t)
{
    free(t->start);
    free(t->from);
    free(t->out);
    free(t->to);
    free(t->order);
    free(t->place);
    free(t->above);
    free(t->number);
    free(t->size);
}

static bool make_tree(struct tree *t, const struct edge *e, uint32_t n_edges, uint32_t n, uint32_t root)
{
    *t = (struct tree){.n = n, .root = root};
    t->from = calloc(n_edges + 1u, sizeof *t->from);
    t->to = calloc(n_edges + 1u, sizeof *t->to);
    t->order = calloc(n + 1u, sizeof *t->order);
    t->place = calloc(n + 1u, sizeof *t->place);
    t->above = calloc(n + 1u, sizeof *t->above);
    t->number = calloc(n + 1u, sizeof *t->number);
    t->size = calloc(n + 1u, sizeof *t->size);
    if (!t->from || !t->to || !t->order || !t->place || !t->above || !t->number || !t->size)
        return false;
    t->start = counts_to_starts(e, n_edges, n, true, t->from);
    t->out = counts_to_starts(e, n_edges, n, false, t->to);
    return t->start && t->out;
}

/* Depth first from the root, without recursion. */
static bool number_blocks(struct tree *t)
{
    uint32_t *path = calloc(t->n + 1u, sizeof *path), *edge = calloc(t->n + 1u, sizeof *edge), depth = 0;
    bool ok = path && edge;
    for (uint32_t k = 0; k < t->n; k++)
        t->place[k] = t->above[k] = NONE;
    if (ok) {
        path[depth++] = t->root;
        t->place[t->root] = 0;
        edge[t->root] = t->out[t->root];
    }
    while (ok && depth) {
        uint32_t k = path[depth - 1];
        if (edge[k] == t->out[k + 1]) {
            t->place[k] = t->n_order;
            t->order[t->n_order++] = k;
            depth--;
            continue;
        }
        uint32_t next = t->to[edge[k]++];
        if (t->place[next] != NONE)
            continue;
        t->place[next] = 0; /* seen */
        edge[next] = t->out[next];
        path[depth++] = next;
    }
    free(path);
    free(edge);
    return ok;
}

static uint32_t meet(const struct tree *t, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (t->place[a] < t->place[b])
            a = t->above[a];
        while (t->place[b] < t->place[a])
            b = t->above[b];
    }
    return a;
}

static void find_dominators(struct tree *t)
{
    bool changed = true;
    t->above[t->root] = t->root;
    while (changed) {
        changed = false;
        for (uint32_t i = t->n_order - 1; i-- > 0;) {
            uint32_t k = t->order[i], best = NONE;
            for (uint32_t e = t->start[k]; e < t->start[k + 1]; e++)
                if (t->above[t->from[e]] != NONE)
                    best = best == NONE ? t->from[e] : meet(t, t->from[e], best);
            changed |= t->above[k] != best;
            t->above[k] = best;
        }
    }
}

/* Postorder of the graph has each block before its dominator. */
static bool number_dominated(struct tree *t)
{
    uint32_t *next = calloc(t->n + 1u, sizeof *next);
    if (!next)
        return false;
    for (uint32_t i = 0; i < t->n_order; i++) {
        uint32_t k = t->order[i];
        t->size[k]++;
        if (k != t->root)
            t->size[t->above[k]] += t->size[k];
    }
    next[t->root] = 1;
    for (uint32_t i = t->n_order - 1; i-- > 0;) {
        uint32_t k = t->order[i], above = t->above[k];
        t->number[k] = next[above];
        next[above] += t->size[k];
        next[k] = t->number[k] + 1;
    }
    free(next);
    return true;
}

static bool dominates(const struct tree *t, uint32_t a, uint32_t b)
{
    return t->above[a] != NONE && t->above[b] != NONE && t->number[b] - t->number[a] < t->size[a];
}

/* The graph, and the same turned round, from a block that stands for the end. */
static bool both_trees(const struct ls_together_block *b, uint32_t n, struct tree *forward,
                       struct tree *backward)
{
    uint32_t most = n, n_edges = 0;
    for (uint32_t k = 0; k < n; k++)
        most += b[k].n_to;
    struct edge *e = calloc(2u * (size_t)most + 1u, sizeof *e), *r = e + most;
    if (!e)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < b[k].n_to; i++)
            e[n_edges++] = (struct edge){k, b[k].to[i]};
        if (!b[k].n_to)
            e[n_edges++] = (struct edge){k, n};
    }
    for (uint32_t i = 0; i < n_edges; i++)
        r[i] = (struct edge){e[i].to, e[i].from};
    bool ok = make_tree(forward, e, n_edges, n + 1, 0) && make_tree(backward, r, n_edges, n + 1, n) &&
              number_blocks(forward) && number_blocks(backward);
    free(e);
    return ok;
}

/* What a search from a block needs: blocks still to visit, and in which search each was seen last. */
struct walk {
    uint32_t *path, *seen, number;
};

static bool is_inside(const uint32_t *outer, uint32_t loop, uint32_t of)
{
    while (loop && loop != of)
        loop = outer[loop];
    return loop == of;
}

/* Whether all paths from block `from` come to block `to` of the same loop in the same round of it. */
static bool leads_to(const struct ls_together_block *b, const uint32_t *outer, uint32_t from, uint32_t to,
                     struct walk *w)
{
    const uint32_t loop = b[from].loop;
    uint32_t depth = 0;
    w->number++;
    w->path[depth++] = from;
    while (depth) {
        const struct ls_together_block *at = &b[w->path[--depth]];
        if (!at->n_to)
            return false;
        for (uint32_t i = 0; i < at->n_to; i++) {
            uint32_t next = at->to[i];
            if (next == to || w->seen[next] == w->number)
                continue;
            if (loop && (b[next].entry_of == loop || !is_inside(outer, b[next].loop, loop)))
                return false;
            w->seen[next] = w->number;
            w->path[depth++] = next;
        }
    }
    return true;
}

/*
 * The earliest block that is executed as often as k. Those on the way to it are settled already. Only the
 * nearest dominator d of k in its loop can tell: any further one leads to d without k, and so, if there is a
 * way from d that does not come to k, there is one from there, too. That k is on all ways from d to the
 * function's end is looked at first, because it costs nothing.
 */
static uint32_t first_of(const struct ls_together_block *b, const uint32_t *outer, const struct tree *forward,
                         const struct tree *backward, uint32_t k, const uint32_t *together, struct walk *w)
{
    uint32_t d = k;
    do {
        if (d == forward->root)
            return k;
        d = forward->above[d];
        if (!is_inside(outer, b[d].loop, b[k].loop))
            return k;
    } while (b[d].loop != b[k].loop);
    return dominates(backward, k, d) && leads_to(b, outer, d, k, w) ? together[d] : k;
}

int ls_together(const struct ls_together_block *b, uint32_t n, const uint32_t *outer, uint32_t *together)
{
    struct tree forward = {0}, backward = {0};
    struct walk w = {calloc(n + 1u, sizeof *w.path), calloc(n + 1u, sizeof *w.seen), 0};
    bool ok = w.path && w.seen && both_trees(b, n, &forward, &backward);
    if (ok) {
        find_dominators(&forward);
        find_dominators(&backward);
        ok = number_dominated(&backward);
    }
    for (uint32_t k = 0; ok && k < n; k++)
        together[k] = k;
    for (uint32_t i = ok ? forward.n_order : 0; i-- > 0;) /* dominators first */
        if (forward.order[i] < n)
            together[forward.order[i]] =
                first_of(b, outer, &forward, &backward, forward.order[i], together, &w);
    free_tree(&forward);
    free_tree(&backward);
    free(w.path);
    free(w.seen);
    return ok ? 0 : -1;
}
