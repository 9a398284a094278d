/*
 * instruction_mix_code.c - see instruction_mix_code.h.
 *
 * The line table tells from which block of the optimised program an instruction comes. Code generation copies
 * blocks, leaves branches around short pieces out (the code then runs with an empty exec mask), and moves
 * single instructions to earlier places. So:
 * - instructions of one block, line and mnemonic in several machine blocks are copies: these ran as often as
 * the block, together;
 * - a machine block with code of several blocks ran as often as that which was entered most often;
 * - stores and atomics are not moved, so what they say goes before what arithmetic says;
 * - which block a wavefront entered next tells how often a loop was left, which counts of entries do not;
 * and the rest follows from the flow between machine blocks, which also tells which statements cannot be.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "instruction_mix_code.h"
#include "host-handlers/models/flow.h"

/* Does not go on with the next instruction. */
static bool ends_flow(const struct lanescope_instruction *in)
{
    return in->flags & LANESCOPE_CODE_ENDS;
}

/* How much an instruction's place tells: lower is better. */
enum { NOT_MOVED, HARDLY_MOVED, MOVED };

static int mobility(const struct lanescope_instruction *in)
{
    switch (in->code_class) {
    case LANESCOPE_CLASS_VMEM_STORE:
    case LANESCOPE_CLASS_VMEM_ATOMIC:
    case LANESCOPE_CLASS_LDS:
        return NOT_MOVED;
    case LANESCOPE_CLASS_VMEM_LOAD:
    case LANESCOPE_CLASS_MATRIX:
    case LANESCOPE_CLASS_BRANCH:
    case LANESCOPE_CLASS_WAIT:
        return HARDLY_MOVED;
    default:
        return MOVED;
    }
}

/* An instruction that says whose code it is. */
struct sighting {
    uint32_t site, line, column;
    const char *word; /* mnemonic, which ends with a space or the text */
    uint32_t block;   /* machine block */
    int mobility;
};

enum { NOWHERE = -1, SEVERAL = -2 };

/* Copies of an instruction: one statement about blocks. */
struct statement {
    struct flow_sum sum;
    int mobility;
    uint32_t order, site;
};

struct graph {
    const struct lanescope_function *f;
    uint32_t *block_of; /* per instruction */
    struct flow_block *blocks;
    int64_t *least; /* per machine block: the most often entered block whose code is only there */
    size_t n;
    struct sighting *seen;
    size_t n_seen;
    struct statement *statements;
    uint32_t *members; /* of all statements */
    size_t n_statements;
    int32_t *home; /* per site: the machine block that holds all of it that was not moved, or an enum */
    /* per machine block: first one at home there that was entered as often as `least` */
    uint32_t *first_site;
};

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* The mnemonic; a copy of a block may end with the opposite branch. */
static const char *word_of(const struct lanescope_instruction *in)
{
    return in->target >= 0 && !ends_flow(in) ? "conditional branch" : in->text;
}

static int compare_words(const char *a, const char *b)
{
    size_t n = strcspn(a, " "), m = strcspn(b, " ");
    int c = memcmp(a, b, n < m ? n : m);
    return c ? c : compare(n, m);
}

static int same_instruction(const struct sighting *x, const struct sighting *y)
{
    int c = compare(x->site, y->site);
    c = c ? c : compare(x->line, y->line);
    c = c ? c : compare(x->column, y->column);
    return c ? c : compare_words(x->word, y->word);
}

static int by_instruction(const void *a, const void *b)
{
    const struct sighting *x = a, *y = b;
    int c = same_instruction(x, y);
    return c ? c : compare(x->block, y->block);
}

static int by_mobility(const void *a, const void *b)
{
    const struct statement *x = a, *y = b;
    int c = compare((uint64_t)x->mobility, (uint64_t)y->mobility);
    c = c ? c : compare(x->sum.n_blocks, y->sum.n_blocks);
    return c ? c : compare(x->order, y->order);
}

/* Marks first instructions of blocks in block_of, then numbers the blocks. */
static void find_blocks(struct graph *g)
{
    const struct lanescope_instruction *in = g->f->instructions;
    uint32_t n = g->f->n_instructions;
    for (uint32_t i = 0; i < n; i++) {
        bool branch = in[i].target >= 0;
        if ((branch || ends_flow(&in[i])) && i + 1 < n)
            g->block_of[i + 1] = 1;
        for (uint32_t k = 0; branch && k < n; k++)
            if ((int64_t)in[k].offset == in[i].target)
                g->block_of[k] = 1;
    }
    g->block_of[0] = 0;
    for (uint32_t i = 1; i < n; i++)
        g->block_of[i] += g->block_of[i - 1];
    g->n = g->block_of[n - 1] + 1;
}

static int32_t block_at(const struct graph *g, int64_t offset)
{
    for (uint32_t i = 0; i < g->f->n_instructions; i++)
        if ((int64_t)g->f->instructions[i].offset == offset)
            return (int32_t)g->block_of[i];
    return FLOW_EXIT;
}

static void find_edges(struct graph *g)
{
    const struct lanescope_instruction *in = g->f->instructions;
    uint32_t n = g->f->n_instructions;
    for (uint32_t i = 0; i < n; i++) {
        struct flow_block *b = &g->blocks[g->block_of[i]];
        bool last = i + 1 == n;
        if (!last && g->block_of[i + 1] == g->block_of[i])
            continue;
        b->next[0] = in[i].target >= 0 ? block_at(g, in[i].target) : FLOW_NONE;
        b->next[1] = ends_flow(&in[i]) ? FLOW_NONE : last ? FLOW_EXIT : (int32_t)g->block_of[i + 1];
        if (b->next[0] == FLOW_NONE && b->next[1] == FLOW_NONE)
            b->next[0] = FLOW_EXIT;
    }
}

/* Waits and jumps are put in late, beside instructions of any block. */
static bool is_late(const struct lanescope_instruction *in)
{
    return in->code_class == LANESCOPE_CLASS_WAIT ? !(in->flags & LANESCOPE_CODE_BARRIER)
                                                  : in->target >= 0 && ends_flow(in);
}

/* A row of the line table goes on over instructions without a place of their own, beyond its block's end,
 * too. */
static void find_sightings(struct graph *g, uint32_t n_sites)
{
    const struct lanescope_instruction *in = g->f->instructions;
    for (uint32_t i = 0, first = 0; i < g->f->n_instructions; i++) {
        if (i && g->block_of[i] != g->block_of[i - 1])
            first = i;
        if (in[i].site < n_sites && in[i].row >= in[first].offset && !is_late(&in[i]))
            g->seen[g->n_seen++] = (struct sighting){.site = in[i].site,
                                                     .line = in[i].line,
                                                     .column = in[i].column,
                                                     .word = word_of(&in[i]),
                                                     .block = g->block_of[i],
                                                     .mobility = mobility(&in[i])};
    }
    qsort(g->seen, g->n_seen, sizeof *g->seen, by_instruction);
}

static int32_t home_of(const struct sighting *seen, size_t n, bool moved)
{
    int32_t home = NOWHERE;
    for (size_t i = 0; i < n; i++)
        if (moved || seen[i].mobility != MOVED)
            home = home == NOWHERE || home == (int32_t)seen[i].block ? (int32_t)seen[i].block : SEVERAL;
    return home;
}

/* Where each site is at home: by its instructions that are hardly moved, or else by all of them. */
static void find_homes(struct graph *g, uint32_t n_sites)
{
    for (uint32_t i = 0; i < n_sites; i++)
        g->home[i] = NOWHERE;
    for (size_t i = 0, k; i < g->n_seen; i = k) {
        for (k = i; k < g->n_seen && g->seen[k].site == g->seen[i].site;)
            k++;
        int32_t home = home_of(&g->seen[i], k - i, false);
        g->home[g->seen[i].site] = home == NOWHERE ? home_of(&g->seen[i], k - i, true) : home;
    }
}

static void make_statements(struct graph *g, const int64_t *entered)
{
    uint32_t *next = g->members;
    for (size_t i = 0, k; i < g->n_seen; i = k) {
        struct statement *s = &g->statements[g->n_statements];
        *s = (struct statement){.sum = {.blocks = next, .total = entered[g->seen[i].site]},
                                .mobility = g->seen[i].mobility,
                                .order = (uint32_t)g->n_statements,
                                .site = g->seen[i].site};
        for (k = i; k < g->n_seen && !same_instruction(&g->seen[k], &g->seen[i]); k++)
            if (k == i || g->seen[k].block != g->seen[k - 1].block)
                *next++ = g->seen[k].block;
        s->sum.n_blocks = (size_t)(next - s->sum.blocks);
        g->n_statements++;
    }
}

/* An instruction in one place speaks for its block when that is at home there; copies do when the block is at
 * home in several places, for it was copied as a whole. Others were moved, or are parts of a copy. */
static void drop_moved(struct graph *g)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->n_statements; i++)
        if (g->statements[i].sum.n_blocks > 1 && g->statements[i].mobility != MOVED)
            g->home[g->statements[i].site] = SEVERAL;
    for (size_t i = 0; i < g->n_statements; i++) {
        const struct statement *s = &g->statements[i];
        int32_t home = g->home[s->site];
        if (s->sum.n_blocks > 1 ? home == SEVERAL : home == (int32_t)s->sum.blocks[0])
            g->statements[kept++] = *s;
    }
    g->n_statements = kept;
}

/* Drops what code that runs with an empty exec mask, or that was moved, says of the block that it is in. */
static void drop_statements(struct graph *g)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->n_statements; i++) {
        const struct flow_sum *s = &g->statements[i].sum;
        if (s->n_blocks == 1 && s->total > g->least[s->blocks[0]])
            g->least[s->blocks[0]] = s->total;
    }
    for (size_t i = 0; i < g->n_statements; i++) {
        const struct statement *s = &g->statements[i];
        bool good = true;
        for (size_t k = 0; k < s->sum.n_blocks; k++)
            good &= s->sum.total >= g->least[s->sum.blocks[k]];
        if (good)
            g->statements[kept++] = *s;
    }
    g->n_statements = kept;
    qsort(g->statements, kept, sizeof *g->statements, by_mobility);
}

static void find_first_sites(struct graph *g, const struct block_counts *known)
{
    const struct lanescope_instruction *in = g->f->instructions;
    for (size_t b = 0; b < g->n; b++)
        g->first_site[b] = LANESCOPE_NO_SITE;
    for (uint32_t i = 0; i < g->f->n_instructions; i++) {
        uint32_t b = g->block_of[i], site = in[i].site;
        if (site < known->n_sites && g->first_site[b] == LANESCOPE_NO_SITE && g->home[site] == (int32_t)b &&
            known->entered[site] == g->least[b])
            g->first_site[b] = site;
    }
}

/* Whether all that wavefronts did after `site` is known: calls of functions hide what comes next. */
static bool complete(const struct block_counts *known, uint32_t site)
{
    int64_t sum = 0;
    for (size_t i = 0; i < known->n_steps; i++)
        sum += known->steps[i].from == site ? known->steps[i].count : 0;
    return sum == known->entered[site];
}

/* Whether code of a copied block stands in a machine block: steps from there cannot be told apart. */
static bool has_copies(const struct graph *g, uint32_t block)
{
    for (size_t i = 0; i < g->n_seen; i++)
        if (g->seen[i].block == block && g->home[g->seen[i].site] == SEVERAL)
            return true;
    return false;
}

/* Steps between machine blocks that one edge joins, from those between the sites at home in them. */
static size_t find_steps(const struct graph *g, const struct block_counts *known, struct flow_step *steps)
{
    size_t n = 0;
    for (uint32_t a = 0; a < g->n; a++)
        for (int k = 0; k < 2; k++) {
            int32_t b = g->blocks[a].next[k];
            uint32_t first = b >= 0 ? g->first_site[b] : LANESCOPE_NO_SITE;
            if (first == LANESCOPE_NO_SITE || g->first_site[a] == LANESCOPE_NO_SITE || has_copies(g, a))
                continue;
            steps[n] = (struct flow_step){a, (uint32_t)b, 0};
            bool sure = true;
            for (size_t i = 0; i < known->n_steps; i++) {
                const struct block_step *s = &known->steps[i];
                if (s->to != first || g->home[s->from] != (int32_t)a)
                    continue;
                steps[n].total += s->count;
                sure &= complete(known, s->from);
            }
            n += sure;
        }
    return n;
}

static bool solve(struct graph *g, const struct block_counts *known)
{
    struct flow_sum *sums = calloc(g->n_statements + 1, sizeof *sums);
    struct flow_step *steps = calloc(2 * g->n + 1, sizeof *steps);
    bool ok = false;
    if (sums && steps) {
        size_t sure = 0;
        for (size_t i = 0; i < g->n_statements; i++) {
            sums[i] = g->statements[i].sum;
            sure += g->statements[i].mobility != MOVED;
        }
        const struct flow_known k = {.entries = known->entries,
                                     .sums = sums,
                                     .n_sums = sure,
                                     .steps = steps,
                                     .n_steps = find_steps(g, known, steps),
                                     .last_sums = sums + sure,
                                     .n_last_sums = g->n_statements - sure};
        ok = flow_solve(g->blocks, g->n, &k);
    }
    free(sums);
    free(steps);
    for (size_t b = 0; ok && b < g->n; b++)
        ok = g->blocks[b].count < 0 || g->blocks[b].count >= g->least[b];
    return ok;
}

bool instruction_counts(const struct lanescope_function *f, const struct block_counts *known, int64_t *count)
{
    const size_t n = f->n_instructions;
    struct graph g = {.f = f,
                      .block_of = calloc(n + 1, sizeof *g.block_of),
                      .blocks = calloc(n + 1, sizeof *g.blocks),
                      .least = calloc(n + 1, sizeof *g.least),
                      .seen = calloc(n + 1, sizeof *g.seen),
                      .statements = calloc(n + 1, sizeof *g.statements),
                      .members = calloc(n + 1, sizeof *g.members),
                      .home = calloc(known->n_sites + 1u, sizeof *g.home),
                      .first_site = calloc(n + 1, sizeof *g.first_site)};
    bool ok = n && g.block_of && g.blocks && g.least && g.seen && g.statements && g.members && g.home &&
              g.first_site;
    if (ok) {
        find_blocks(&g);
        find_edges(&g);
        find_sightings(&g, known->n_sites);
        find_homes(&g, known->n_sites);
        make_statements(&g, known->entered);
        drop_moved(&g);
        drop_statements(&g);
        find_first_sites(&g, known);
        ok = solve(&g, known);
    }
    for (size_t i = 0; ok && i < n; i++)
        count[i] = g.blocks[g.block_of[i]].count;
    free(g.block_of);
    free(g.blocks);
    free(g.least);
    free(g.seen);
    free(g.statements);
    free(g.members);
    free(g.home);
    free(g.first_site);
    return ok;
}
