/* Blocks executed equally often: small graphs by hand, random ones against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "together.h"

enum { EDGES = 2, MOST = 400, LOOPS = 64 };
#define NONE 0xffffffffu

struct graph {
    uint32_t n, n_loops;
    uint32_t to[MOST][EDGES];
    struct ls_together_block b[MOST];
    uint32_t outer[LOOPS];
};

static uint32_t add(struct graph *g, uint32_t loop, uint32_t entry_of)
{
    assert_true(g->n < MOST);
    g->b[g->n] = (struct ls_together_block){.to = g->to[g->n], .loop = loop, .entry_of = entry_of};
    return g->n++;
}

static void link_blocks(struct graph *g, uint32_t from, uint32_t to)
{
    assert_true(g->b[from].n_to < EDGES);
    g->to[from][g->b[from].n_to++] = to;
}

static void expect(const struct graph *g, const uint32_t *want)
{
    uint32_t together[MOST];
    assert_int_equal(ls_together(g->b, g->n, g->outer, together), 0);
    for (uint32_t k = 0; k < g->n; k++)
        assert_int_equal(together[k], want[k]);
}

/* Each block's loop, the loop that it enters, and its edges. */
static struct graph *make(uint32_t n, const uint32_t (*blocks)[4])
{
    struct graph *g = calloc(1, sizeof *g);
    assert_non_null(g);
    for (uint32_t k = 0; k < n; k++)
        add(g, blocks[k][0], blocks[k][1]);
    for (uint32_t k = 0; k < n; k++)
        for (int e = 2; e < 4; e++)
            if (blocks[k][e] != NONE)
                link_blocks(g, k, blocks[k][e]);
    return g;
}

/* 0 -> 1 | 2; 1 -> 2 (a condition); 2 -> 3; 3 -> 3 | 4 (a loop); 4 -> 4 | 5 (another one); 5: the end. The
 * two loops are each on all ways to the other, and yet differ in how often they run. */
static void conditions_and_loops(void **state)
{
    (void)state;
    uint32_t blocks[][4] = {{0, 0, 1, 2}, {0, 0, 2, NONE}, {0, 0, 3, NONE},
                            {1, 1, 3, 4}, {2, 2, 4, 5},    {0, 0, NONE, NONE}};
    struct graph *g = make(6, (const uint32_t (*)[4])blocks);
    expect(g, (const uint32_t[]){0, 1, 0, 3, 4, 0});
    free(g);
    /* with a way out of the condition, what comes behind is not always executed */
    blocks[1][2] = 5;
    g = make(6, (const uint32_t (*)[4])blocks);
    expect(g, (const uint32_t[]){0, 1, 2, 3, 4, 0});
    free(g);
}

/* 0 -> 1; 1 -> 2 | 3; 2 -> 3 | 4; 3 -> 1: the loop is left at 2 only, which is yet not executed in each
 * round. Then with a loop inside: 3 -> 3 | 1; and the same without 2's way out: 2 -> 3, 3 -> 3 | 5, 5 -> 1
 * | 4. */
static void rounds_of_a_loop(void **state)
{
    (void)state;
    uint32_t blocks[][4] = {{0, 0, 1, NONE}, {1, 1, 2, 3},       {1, 0, 3, 4},
                            {1, 0, 1, NONE}, {0, 0, NONE, NONE}, {1, 0, 1, 4}};
    struct graph *g = make(5, (const uint32_t (*)[4])blocks);
    expect(g, (const uint32_t[]){0, 1, 2, 3, 0});
    free(g);
    memcpy(blocks[3], (const uint32_t[]){2, 2, 3, 1}, sizeof blocks[3]);
    g = make(5, (const uint32_t (*)[4])blocks);
    g->outer[2] = 1;
    expect(g, (const uint32_t[]){0, 1, 2, 3, 0});
    free(g);
    memcpy(blocks[2], (const uint32_t[]){1, 0, 3, NONE}, sizeof blocks[2]);
    memcpy(blocks[3], (const uint32_t[]){2, 2, 3, 5}, sizeof blocks[3]);
    g = make(6, (const uint32_t (*)[4])blocks);
    g->outer[2] = 1;
    expect(g, (const uint32_t[]){0, 1, 2, 3, 0, 1});
    free(g);
}

/* A function that never ends has no way to its end; nothing is known but the block itself. */
static void endless(void **state)
{
    (void)state;
    struct graph *g = make(2, (const uint32_t[][4]){{0, 0, 1, NONE}, {1, 1, 1, NONE}});
    expect(g, (const uint32_t[]){0, 1});
    free(g);
}

/* ---- random programs against the definition ---- */

/* Adds statements behind block `at`, all in `loop`, and returns the block that follows. `leave`: where a
 * break leads, NONE outside of loops. */
static uint32_t statements(struct graph *g, uint32_t at, uint32_t loop, uint32_t leave, int depth)
{
    for (int count = rand() % 4; count > 0 && g->n < MOST - 40; count--) {
        int kind = depth ? rand() % 4 : 0;
        if (kind == 1 || kind == 2) { /* if, with or without else */
            uint32_t then = add(g, loop, 0), other = kind == 2 ? add(g, loop, 0) : NONE;
            link_blocks(g, at, then);
            if (other != NONE)
                link_blocks(g, at, other);
            uint32_t end = statements(g, then, loop, leave, depth - 1), join = add(g, loop, 0);
            link_blocks(g, end, join);
            link_blocks(g, other == NONE ? at : statements(g, other, loop, leave, depth - 1), join);
            at = join;
        } else if (kind == 3 && g->n_loops + 1 < LOOPS) { /* loop, left at its end or by a break */
            uint32_t inner = ++g->n_loops, head = add(g, inner, inner), behind = add(g, loop, 0);
            g->outer[inner] = loop;
            link_blocks(g, at, head);
            uint32_t end = statements(g, head, inner, behind, depth - 1);
            link_blocks(g, end, head);
            link_blocks(g, end, behind);
            at = behind;
        } else if (leave != NONE && rand() % 3 == 0) { /* if (...) break */
            uint32_t next = add(g, loop, 0);
            link_blocks(g, at, leave);
            link_blocks(g, at, next);
            at = next;
        }
    }
    return at;
}

static bool inside(const struct graph *g, uint32_t loop, uint32_t of)
{
    return !of || loop == of || (loop && inside(g, g->outer[loop], of));
}

static bool reaches(const struct graph *g, uint32_t from, uint32_t to, uint32_t without, bool *seen)
{
    if (from == without || seen[from])
        return false;
    seen[from] = true;
    if (from == to)
        return true;
    for (uint32_t e = 0; e < g->b[from].n_to; e++)
        if (reaches(g, g->to[from][e], to, without, seen))
            return true;
    return false;
}

/* Whether some way from `from` ends its round of the loop without coming to `to`. */
static bool misses(const struct graph *g, uint32_t from, uint32_t to, uint32_t loop, bool *seen)
{
    seen[from] = true;
    if (!g->b[from].n_to)
        return true;
    for (uint32_t e = 0; e < g->b[from].n_to; e++) {
        uint32_t next = g->to[from][e];
        if (next == to || seen[next])
            continue;
        if ((loop && g->b[next].entry_of == loop) || !inside(g, g->b[next].loop, loop) ||
            misses(g, next, to, loop, seen))
            return true;
    }
    return false;
}

static bool defined_together(const struct graph *g, uint32_t d, uint32_t k)
{
    bool seen[MOST] = {false}, again[MOST] = {false};
    return g->b[d].loop == g->b[k].loop && !reaches(g, 0, k, d, seen) &&
           !misses(g, d, k, g->b[d].loop, again);
}

static void random_programs(void **state)
{
    (void)state;
    unsigned pairs = 0, loops = 0;
    srand(1);
    for (int i = 0; i < 400; i++) {
        struct graph *g = calloc(1, sizeof *g);
        uint32_t together[MOST];
        assert_non_null(g);
        statements(g, add(g, 0, 0), 0, NONE, 5);
        assert_int_equal(ls_together(g->b, g->n, g->outer, together), 0);
        for (uint32_t k = 0; k < g->n; k++) {
            assert_true(together[k] == k || defined_together(g, together[k], k));
            for (uint32_t d = 0; d < g->n; d++)
                if (d != k && defined_together(g, d, k))
                    assert_int_equal(together[d], together[k]), pairs++;
        }
        loops += g->n_loops;
        free(g);
    }
    assert_true(pairs > 1000 && loops > 400); /* the programs are not trivial */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_and_loops),
        cmocka_unit_test(rounds_of_a_loop),
        cmocka_unit_test(endless),
        cmocka_unit_test(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
