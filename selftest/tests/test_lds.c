/*
 * The measurement finds the lane groups of a GPU whose LDS works by the model: those of the table of GPUs, and tables
 * that no GPU has, dealt out at random. The clock of these GPUs is the model's cycles, with a start-up time and noise.
 */
#include "gpus/gpus.h"
#include "host-handlers/models/lds_model.h"
#include "selftest/lds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { START = 240, NOISE = 97 };

/* A GPU made up for one test. */
struct made_up {
    struct ls_gpu_lds lds;
    struct ls_gpu gpu;
    bool skips_empty; /* phases without lanes take no time */
    uint32_t random;
};

static uint32_t next(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* Phases in which no lane is active, which the model counts. */
static unsigned empty_phases(const struct ls_lds_phases *p, uint64_t exec)
{
    unsigned n = 0;
    for (unsigned i = 0; i < p->n; i++)
        n += !(p->groups[i] & exec);
    return n;
}

static int model_clock(void *who, const struct lds_way *way, const uint32_t *rounds, unsigned n,
                       uint64_t *cycles)
{
    struct made_up *m = who;
    unsigned lanes = m->gpu.family->lanes;
    for (unsigned r = 0; r < n; r++) {
        uint32_t address[64] = {0};
        uint64_t exec = 0;
        for (unsigned lane = 0; lane < lanes; lane++)
            if (rounds[r * lanes + lane] != NO_LDS_ADDRESS) {
                address[lane] = rounds[r * lanes + lane];
                exec |= 1ull << lane;
            }
        unsigned one = ls_lds_access(&m->gpu, way->writes, false, way->bytes, exec, address).index_cycles;
        if (m->skips_empty)
            one -= empty_phases(ls_lds_phases(&m->gpu, way->writes, way->bytes), exec);
        cycles[r] =
            START + (uint64_t)LDS_OPERATIONS * one * (way->first_of_two ? 2 : 1) + next(&m->random) % NOISE;
    }
    return 0;
}

static bool has(const struct lds_groups *g, uint64_t group)
{
    for (unsigned i = 0; i < g->n; i++)
        if (g->groups[i] == group)
            return true;
    return false;
}

static void check_way(struct made_up *m, const struct lds_way *way)
{
    struct lds_found f;
    const struct ls_lds_phases *want = ls_lds_phases(&m->gpu, way->writes, way->bytes);
    assert_int_equal(lds_measure(model_clock, m, m->gpu.family->lanes, way, &f), 0);
    assert_int_equal(f.groups.verdict, LDS_FOUND);
    assert_int_equal(f.groups.n, want->n);
    for (unsigned i = 0; i < want->n; i++)
        assert_true(has(&f.groups, want->groups[i]));
    assert_int_equal(f.banks, want->banks);
}

static void recovers_the_table_of_gpus(void **state)
{
    (void)state;
    unsigned n = 0;
    for (size_t i = 0; ls_gpu_at(i); i++) {
        if (!ls_gpu_at(i)->lds)
            continue;
        struct made_up m = {.gpu = *ls_gpu_at(i), .random = 1};
        for (unsigned w = 0; w < n_lds_ways; w++)
            check_way(&m, &lds_ways[w]);
        n++;
    }
    assert_true(n >= 5);
}

/* Deals the lanes out to n groups of equal size. */
static void shuffle(uint32_t *random, unsigned lanes, unsigned n, uint64_t *groups)
{
    unsigned order[64];
    for (unsigned i = 0; i < lanes; i++)
        order[i] = i;
    for (unsigned i = lanes - 1; i; i--) {
        unsigned j = next(random) % (i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    memset(groups, 0, n * sizeof *groups);
    for (unsigned i = 0; i < lanes; i++)
        groups[i % n] |= 1ull << order[i];
}

static void recovers_shuffled_tables(void **state)
{
    (void)state;
    static const uint8_t banks[] = {32, 64};
    for (uint32_t seed = 1; seed <= 12; seed++) {
        struct made_up m = {.gpu = *ls_gpu_find("gfx942"), .random = seed};
        uint64_t groups[2][LS_LDS_WIDTHS][16];
        for (unsigned w = 0; w < LS_LDS_WIDTHS; w++)
            for (unsigned write = 0; write < 2; write++) {
                unsigned n = 2u << next(&m.random) % 4; /* 2, 4, 8 or 16 */
                shuffle(&m.random, 64, n, groups[write][w]);
                struct ls_lds_phases p = {banks[next(&m.random) % 2], (uint8_t)n, true, groups[write][w]};
                *(write ? &m.lds.write[w] : &m.lds.read[w]) = p;
            }
        m.gpu.lds = &m.lds;
        for (unsigned w = 0; w < n_lds_ways; w++)
            check_way(&m, &lds_ways[w]);
    }
}

/* Of a GPU that leaves out phases without lanes, two lanes alone tell nothing, and that is what is said of writes; reads
 * are measured with all lanes at work. */
static void empty_phases_that_take_no_time(void **state)
{
    (void)state;
    struct made_up m = {.gpu = *ls_gpu_find("gfx942"), .skips_empty = true, .random = 5};
    struct lds_found f;
    for (unsigned w = 0; w < n_lds_ways; w++) {
        if (!lds_ways[w].writes) {
            check_way(&m, &lds_ways[w]);
            continue;
        }
        assert_int_equal(lds_measure(model_clock, &m, 64, &lds_ways[w], &f), 0);
        assert_int_not_equal(f.groups.verdict, LDS_FOUND);
        assert_int_equal(f.banks, 0);
    }
}

/* A clock that tells nothing, as the software GPU's. */
static int stopped_clock(void *who, const struct lds_way *way, const uint32_t *rounds, unsigned n,
                         uint64_t *cycles)
{
    (void)way, (void)rounds;
    for (unsigned r = 0; r < n; r++)
        cycles[r] = 1000 + next(who) % 50;
    return 0;
}

static void a_clock_without_conflicts_finds_nothing(void **state)
{
    (void)state;
    uint32_t random = 9;
    struct lds_found f;
    assert_int_equal(lds_measure(stopped_clock, &random, 64, &lds_ways[0], &f), 0);
    assert_int_equal(f.groups.verdict, LDS_NO_STEP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_the_table_of_gpus),
        cmocka_unit_test(recovers_shuffled_tables),
        cmocka_unit_test(empty_phases_that_take_no_time),
        cmocka_unit_test(a_clock_without_conflicts_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
