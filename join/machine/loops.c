/*
 * loops.c - see loops.h. A strongly connected component of the flow graph is a loop (or several that share a
 * header). Without the edges back to where it is entered, the components that are left are the loops inside
 * it.
 */
#include "loops.h"

#include <stdlib.h>
#include <string.h>
#include "common/vector.h"
#include "flow/barriers.h"
#include "flow/together.h"

enum { EDGES = 2 };
static const uint32_t NONE = 0xffffffffu;

struct block {
    uint64_t start;
    uint32_t to[EDGES]; /* NONE: no edge */
    uint32_t depth, component;
    uint32_t loop;     /* the innermost one; 0: none */
    uint32_t entry_of; /* the loop that is entered here; 0: none */
    bool entered;      /* from outside its component */
    bool reached; /* a way leads to it from the function's start; none does by a jump through a register */
    uint32_t low, number; /* of the search */
    bool open;
};

struct ls_loops {
    struct block *b;
    uint32_t n;
    uint32_t *stack, *path;
    unsigned char *edge; /* next edge of each block on the path */
    uint32_t n_loops;    /* upper bound of the numbers given out */
    uint32_t *outer;     /* of each of them: the loop around it */
    uint32_t *together;
    struct ls_together_block *graph;
    uint32_t *barriers; /* passed at least where each block begins; NULL: not asked for */
    bool failed;        /* out of memory */
};

static int by_offset(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint32_t block_at(const struct ls_loops *l, uint64_t offset)
{
    uint32_t from = 0, to = l->n;
    while (to - from > 1) {
        uint32_t mid = from + (to - from) / 2;
        *(l->b[mid].start <= offset ? &from : &to) = mid;
    }
    return from;
}

static bool make_blocks(struct ls_loops *l, const struct ls_branch *b, size_t n, uint64_t size)
{
    uint64_t *starts = malloc((2 * n + 1) * sizeof *starts);
    size_t used = 0;
    if (!starts)
        return false;
    starts[used++] = 0;
    for (size_t i = 0; i < n; i++) {
        if (b[i].next < size)
            starts[used++] = b[i].next;
        if (b[i].jumps && b[i].target < size)
            starts[used++] = b[i].target;
    }
    qsort(starts, used, sizeof *starts, by_offset);
    l->b = calloc(used, sizeof *l->b);
    for (size_t i = 0; l->b && i < used; i++)
        if (!i || starts[i] != starts[i - 1])
            l->b[l->n++] = (struct block){.start = starts[i], .to = {NONE, NONE}};
    free(starts);
    return l->b != NULL;
}

static void make_edges(struct ls_loops *l, const struct ls_branch *b, size_t n, uint64_t size)
{
    for (uint32_t k = 0; k + 1 < l->n; k++)
        l->b[k].to[0] = k + 1;
    for (size_t i = 0; i < n; i++) {
        struct block *from = &l->b[block_at(l, b[i].at)];
        if (!b[i].falls)
            from->to[0] = NONE;
        if (b[i].jumps && b[i].target < size)
            from->to[1] = block_at(l, b[i].target);
    }
}

/* Tarjan's search for strongly connected components from block `root`, without recursion. */
static void search(struct ls_loops *l, uint32_t root, uint32_t *number, uint32_t *components)
{
    uint32_t depth = 0, held = 0;
    l->path[depth++] = root;
    while (depth) {
        uint32_t k = l->path[depth - 1];
        struct block *b = &l->b[k];
        if (!b->number) {
            b->number = b->low = ++*number;
            b->open = true;
            l->stack[held++] = k;
            l->edge[k] = 0;
        }
        if (l->edge[k] < EDGES) {
            uint32_t to = b->to[l->edge[k]++];
            if (to != NONE && !l->b[to].number)
                l->path[depth++] = to;
            else if (to != NONE && l->b[to].open && l->b[to].number < b->low)
                b->low = l->b[to].number;
            continue;
        }
        if (--depth && l->b[l->path[depth - 1]].low > b->low)
            l->b[l->path[depth - 1]].low = b->low;
        if (b->low != b->number)
            continue;
        uint32_t member;
        ++*components;
        do {
            member = l->stack[--held];
            l->b[member].open = false;
            l->b[member].component = *components;
        } while (member != k);
    }
}

/* Which blocks the function's start leads to. Loops that are to be aligned have padding before them, behind a jump. */
static void find_reached(struct ls_loops *l)
{
    uint32_t depth = 0;
    l->path[depth++] = 0;
    l->b[0].reached = true;
    while (depth) {
        const struct block *b = &l->b[l->path[--depth]];
        for (unsigned e = 0; e < EDGES; e++)
            if (b->to[e] != NONE && !l->b[b->to[e]].reached) {
                l->b[b->to[e]].reached = true;
                l->path[depth++] = b->to[e];
            }
    }
}

/* Marks where components are entered from others: by blocks that are reached, or by the rest where they are not entered so. */
static void find_entries(struct ls_loops *l, bool *has_entry, bool reached)
{
    for (uint32_t k = 0; k < l->n; k++)
        for (unsigned e = 0; e < EDGES && l->b[k].reached == reached; e++) {
            const uint32_t to = l->b[k].to[e];
            if (to != NONE && l->b[to].component != l->b[k].component &&
                (reached || !has_entry[l->b[to].component]))
                l->b[to].entered = true;
        }
    for (uint32_t k = 0; k < l->n; k++)
        has_entry[l->b[k].component] |= l->b[k].entered;
}

/* One level: finds the loops, and cuts their edges back to their entries and all edges between them. */
static bool peel(struct ls_loops *l)
{
    uint32_t number = 0, components = 0;
    bool any = false;
    for (uint32_t k = 0; k < l->n; k++)
        l->b[k].number = 0, l->b[k].entered = false;
    for (uint32_t k = 0; k < l->n; k++)
        if (!l->b[k].number)
            search(l, k, &number, &components);
    bool *loop = calloc(components + 1u, 2 * sizeof *loop), *has_entry = loop + components + 1;
    if (!LS_RESERVE(l->outer, l->n_loops + components + 1u) || !loop) {
        free(loop);
        l->failed = true;
        return false;
    }
    for (uint32_t k = 0; k < l->n; k++)
        for (unsigned e = 0; e < EDGES; e++) {
            uint32_t to = l->b[k].to[e];
            if (to == NONE)
                continue;
            if (l->b[to].component == l->b[k].component)
                loop[l->b[k].component] = any = true;
        }
    find_entries(l, has_entry, true);
    find_entries(l, has_entry, false);
    for (uint32_t k = 0; k < l->n; k++) {
        struct block *b = &l->b[k];
        b->depth += loop[b->component];
        if (!has_entry[b->component]) /* the function's start, or unreachable: entered at its first block */
            b->entered = has_entry[b->component] = true;
        if (!loop[b->component])
            continue;
        l->outer[l->n_loops + b->component] = b->loop;
        b->loop = l->n_loops + b->component;
        if (b->entered)
            b->entry_of = b->loop;
    }
    for (uint32_t k = 0; k < l->n; k++)
        for (unsigned e = 0; e < EDGES; e++) {
            uint32_t to = l->b[k].to[e];
            if (to != NONE && (l->b[to].component != l->b[k].component || l->b[to].entered))
                l->b[k].to[e] = NONE;
        }
    l->n_loops += components;
    free(loop);
    return any;
}

/* Edges, before loops are cut; behind the blocks in one allocation. */
static struct ls_together_block *copy_graph(const struct ls_loops *l)
{
    struct ls_together_block *graph = calloc(l->n, sizeof *graph + EDGES * sizeof *graph->to);
    uint32_t *to = (uint32_t *)(graph + l->n);
    for (uint32_t k = 0; graph && k < l->n; k++) {
        graph[k].to = to;
        for (unsigned e = 0; e < EDGES; e++)
            if (l->b[k].to[e] != NONE)
                *to++ = l->b[k].to[e];
        graph[k].n_to = (uint32_t)(to - graph[k].to);
    }
    return graph;
}

static int find_together(struct ls_loops *l, struct ls_together_block *graph)
{
    l->together = calloc(l->n, sizeof *l->together);
    for (uint32_t k = 0; k < l->n; k++) {
        graph[k].loop = l->b[k].loop;
        graph[k].entry_of = l->b[k].entry_of;
    }
    return l->together && !l->failed ? ls_together(graph, l->n, l->outer, l->together) : -1;
}

struct ls_loops *ls_loops_find(const struct ls_branch *branches, size_t n, uint64_t size)
{
    struct ls_loops *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    if (make_blocks(l, branches, n, size)) {
        l->stack = calloc(l->n, sizeof *l->stack);
        l->path = calloc(l->n, sizeof *l->path);
        l->edge = calloc(l->n, sizeof *l->edge);
    }
    if (!l->b || !l->stack || !l->path || !l->edge) {
        ls_loops_free(l);
        return NULL;
    }
    make_edges(l, branches, n, size);
    find_reached(l);
    l->graph = copy_graph(l);
    while (peel(l))
        ;
    if (!l->graph || find_together(l, l->graph) != 0) {
        ls_loops_free(l);
        l = NULL;
    }
    return l;
}

uint32_t ls_loops_at(const struct ls_loops *l, uint64_t offset)
{
    return l->b[block_at(l, offset)].depth;
}

uint32_t ls_loops_block(const struct ls_loops *l, uint64_t offset)
{
    return block_at(l, offset);
}

uint32_t ls_loops_together(const struct ls_loops *l, uint64_t offset)
{
    return l->together[block_at(l, offset)];
}

int ls_loops_find_barriers(struct ls_loops *l, const uint64_t *at, size_t n)
{
    uint32_t *inside = calloc(l->n, sizeof *inside);
    l->barriers = calloc(l->n, sizeof *l->barriers);
    for (size_t i = 0; inside && i < n; i++)
        inside[block_at(l, at[i])]++;
    if (inside && l->barriers)
        ls_barriers(l->graph, l->n, inside, l->barriers);
    int rc = inside && l->barriers ? 0 : -1;
    free(inside);
    return rc;
}

uint32_t ls_loops_barriers(const struct ls_loops *l, const uint64_t *at, size_t n, uint64_t offset)
{
    uint32_t block = block_at(l, offset), before = l->barriers[block];
    for (size_t i = 0; i < n && at[i] < offset && before != NONE; i++)
        before += block_at(l, at[i]) == block;
    return before;
}

void ls_loops_free(struct ls_loops *l)
{
    if (!l)
        return;
    free(l->graph);
    free(l->barriers);
    free(l->together);
    free(l->outer);
    free(l->b);
    free(l->stack);
    free(l->path);
    free(l->edge);
    free(l);
}
