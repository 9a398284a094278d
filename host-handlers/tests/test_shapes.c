/* Costs that handlers remember by the lanes' distances: accesses that differ in one thing only, by turns. */
#include "harness.h"
#include "host-handlers/models/coalescing_model.h"
#include "host-handlers/models/lds_model.h"

enum { GLOBAL, IN_LDS, SITES };
static const struct lanescope_site sites[SITES] = {
    [GLOBAL] = {.kind = LS_SITE_LOAD, .space = LANESCOPE_SPACE_GLOBAL, .bytes = 4},
    [IN_LDS] = {.kind = LS_SITE_LOAD, .space = LANESCOPE_SPACE_LDS, .bytes = 4},
};
static const struct lanescope_dispatch dispatch = {HARNESS_DISPATCH(sites)};

static void say(struct harness *h, uint32_t site, uint64_t exec, uint64_t base, const uint32_t *words)
{
    const struct lanescope_wavefront wave = {.lanes = 64};
    const struct lanescope_access a = {.site = site,
                                       .pattern = LANESCOPE_DELTA,
                                       .active = (uint8_t)__builtin_popcountll(exec),
                                       .exec = exec,
                                       .base = base,
                                       .words = words,
                                       .length = 4,
                                       .wave = &wave};
    h->handler->accesses(h->state, &a, 1);
}

/* 256 bytes side by side: each quad of lanes has 16 of them, which lie in one block of 64, but for the four quads that
 * begin at byte 56 of one when the base does. */
static void phases(void **state)
{
    (void)state;
    uint32_t words[64];
    struct harness h;
    for (uint32_t k = 0; k < 64; k++)
        words[k] = 4 * k;
    assert_int_equal(harness_open(&h, "memory_coalescing"), 0);
    harness_begin(&h, &dispatch);
    for (uint32_t i = 0; i < 3; i++) {
        say(&h, GLOBAL, ~0ull, 0x70000 + 128 * i, words);
        say(&h, GLOBAL, ~0ull, 0x70038 + 128 * i, words);
    }
    harness_end(&h);
    assert_int_equal(harness_value(&h, GLOBAL, "Executions"), 6);
    assert_int_equal(harness_value(&h, GLOBAL, "Bytes"), 6 * 256);
    assert_int_equal(harness_value(&h, GLOBAL, "TA Requests"), 3 * (16 + 20));
    harness_close(&h);
}

/* Two groups of 32 lanes. All dwords 128 bytes apart: in one bank, 32 cycles a group; side by side: one. In the third
 * only the last word differs, and one bank has two dwords. With half of the lanes: 32 and 1. */
static void distances(void **state)
{
    (void)state;
    uint32_t apart[64], beside[64], twice[64];
    struct harness h;
    for (uint32_t k = 0; k < 64; k++) {
        apart[k] = 128 * k;
        twice[k] = beside[k] = 4 * k;
    }
    twice[63] = 4 * 62 + 128; /* lane 62's bank */
    assert_int_equal(harness_open(&h, "lds_bank_conflicts"), 0);
    harness_begin(&h, &dispatch);
    for (uint32_t i = 0; i < 3; i++) {
        say(&h, IN_LDS, ~0ull, 64 * i, apart);
        say(&h, IN_LDS, ~0ull, 64 * i, beside);
        say(&h, IN_LDS, ~0ull, 64 * i, twice);
        say(&h, IN_LDS, 0xffffffff, 64 * i, apart);
    }
    harness_end(&h);
    assert_int_equal(harness_value(&h, IN_LDS, "Executions"), 12);
    assert_int_equal(harness_value(&h, IN_LDS, "Active Lanes"), 3 * (3 * 64 + 32));
    assert_int_equal(harness_value(&h, IN_LDS, "Index Accesses"), 3 * (64 + 2 + 3 + 33));
    harness_close(&h);
}

/* What an access of `bytes` bytes at base + lane * stride + offset costs by the models. */
static void add_models(int64_t cost[2], bool lds, unsigned bytes, uint64_t exec, uint64_t base,
                       int64_t stride)
{
    uint64_t addr[64];
    uint32_t at[64];
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = (uint32_t)(addr[lane] = base + (uint64_t)stride * lane);
    const struct ls_lds_cost l = ls_lds_access(ls_gpu_with_lds("gfx90a"), false, false, bytes, exec, at);
    const struct ls_cache_cost c = ls_cache_access_by_lane(ls_gpu_with_cache("gfx90a"), bytes, exec, addr);
    cost[0] += lds ? l.index_cycles : c.l1_lines;
    cost[1] += lds ? l.conflict_cycles : c.requests;
}

/* Accesses in lines, of which one of a few comes, often the same again: their sums are those of the models, in two states that are
 * merged, where nothing is known of the instructions, where there is one, and where it has two passes. */
static void lines_again(void **state)
{
    static const struct lanescope_pass pass[2][3] = {
        {{GLOBAL, 0, 4, 1}, {GLOBAL, 0, 4, 1}, {GLOBAL, 1024, 8, 0}},
        {{IN_LDS, 0, 4, 1}, {IN_LDS, 0, 4, 1}, {IN_LDS, 260, 8, 0}},
    };
    static const uint64_t execs[] = {~0ull, ~0ull, 0xffffffff, 0x5555555555555555, 1ull << 63};
    static const int64_t strides[] = {0, 4, 4, 8, 132, -4};
    (void)state;
    for (unsigned passes = 0; passes < 3; passes++) {
        const struct lanescope_isa isa[SITES] = {
            {LANESCOPE_ISA_VECTOR, (uint8_t)passes, &pass[0][passes / 2]},
            {LANESCOPE_ISA_VECTOR, (uint8_t)passes, &pass[1][passes / 2]}};
        const struct lanescope_dispatch d = {HARNESS_DISPATCH(sites), .isa = passes ? isa : NULL};
        for (unsigned lds = 0; lds < 2; lds++) {
            struct harness h;
            void *other;
            int64_t cost[2] = {0}, lanes = 0;
            unsigned x = 1, kind = 0;
            assert_int_equal(harness_open(&h, lds ? "lds_bank_conflicts" : "memory_coalescing"), 0);
            harness_begin(&h, &d);
            assert_int_equal(h.handler->dispatch_begin(h.self, &d, &other), 0);
            for (unsigned i = 0; i < 600; i++) {
                x = x * 1664525 + 1013904223; /* Numerical Recipes' generator */
                kind = x >> 30 ? kind : x >> 20;
                const uint64_t exec = execs[kind % 5], base = 0x10000 + (x >> 8) % 64 * 4 + kind % 2;
                void *mine = h.state;
                h.state = i % 3 ? mine : other;
                harness_strided(&h, lds, 0, 0, exec, base, strides[kind % 6], 4);
                h.state = mine;
                lanes += __builtin_popcountll(exec);
                add_models(cost, lds, 4, exec, base, strides[kind % 6]);
                if (passes == 2)
                    add_models(cost, lds, 8, exec, base + (lds ? 260 : 1024), strides[kind % 6]);
            }
            h.handler->merge(h.state, other);
            harness_end(&h);
            assert_int_equal(harness_value(&h, lds, "Executions"), 600);
            assert_int_equal(harness_value(&h, lds, "Active Lanes"), lanes);
            assert_int_equal(harness_value(&h, lds, lds ? "Index Accesses" : "Cache Lines"), cost[0]);
            assert_int_equal(harness_value(&h, lds, lds ? "Bank Conflict" : "TA Requests"), cost[1]);
            harness_close(&h);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(phases), cmocka_unit_test(distances),
                                       cmocka_unit_test(lines_again)};
    harness_directory = argc > 1 ? argv[1] : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
