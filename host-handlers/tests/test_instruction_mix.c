/* test_instruction_mix.c - flow through graphs, classes, and one kernel's code, with numbers worked out by
 * hand. */
#include "harness.h"
#include "lanescope/wire.h"
#include "host-handlers/models/flow.h"

static struct harness h;

/* 0 -> 1; 1 -> 1 or 2; 2 -> 3 or 4; 3 -> 4; 4 ends. Eight wavefronts, ten times round the loop. */
static void a_loop_and_a_branch(void **state)
{
    (void)state;
    const uint32_t loop[] = {1}, branch[] = {3};
    struct flow_block b[] = {{.next = {1, FLOW_NONE}},
                             {.next = {1, 2}},
                             {.next = {3, 4}},
                             {.next = {4, FLOW_NONE}},
                             {.next = {FLOW_EXIT, FLOW_NONE}}};
    const struct flow_sum sums[] = {{loop, 1, 80}, {branch, 1, 3}};
    assert_true(flow_solve(b, 5, &(struct flow_known){.entries = 8, .sums = sums, .n_sums = 2}));
    const int64_t expected[] = {8, 80, 8, 3, 8};
    for (int i = 0; i < 5; i++)
        assert_int_equal(b[i].count, expected[i]);
}

/* What contradicts the flow (a path that is taken 8 times by 8 cannot be taken 5 times) is ignored; what
 * would need a negative count is no solution, and a loop of which nothing tells how often it ran has no
 * count. */
static void contradictions(void **state)
{
    (void)state;
    const uint32_t last[] = {2}, branch[] = {1};
    struct flow_block b[] = {{.next = {1, 2}}, {.next = {2, FLOW_NONE}}, {.next = {FLOW_EXIT, FLOW_NONE}}};
    struct flow_sum sums[] = {{last, 1, 5}, {branch, 1, 6}};
    assert_true(flow_solve(b, 3, &(struct flow_known){.entries = 8, .sums = sums, .n_sums = 2}));
    assert_int_equal(b[1].count, 6);
    assert_int_equal(b[2].count, 8);
    struct flow_block open[] = {{.next = {0, FLOW_EXIT}}};
    assert_true(flow_solve(open, 1, &(struct flow_known){.entries = 8}));
    assert_int_equal(open[0].count, -1);
    const struct flow_step back = {0, 0, 32};
    assert_true(flow_solve(open, 1, &(struct flow_known){.entries = 8, .steps = &back, .n_steps = 1}));
    assert_int_equal(open[0].count, 40);
    const uint32_t first[] = {0};
    sums[0] = (struct flow_sum){first, 1, -1};
    assert_false(flow_solve(b, 3, &(struct flow_known){.entries = -1, .sums = sums, .n_sums = 1}));
}

/* The end of the function copied into both sides of a branch; of 7 entries, which are not told, 2 went one
 * way. */
static void copies(void **state)
{
    (void)state;
    const uint32_t both[] = {1, 2}, one[] = {2};
    struct flow_block b[] = {
        {.next = {1, 2}}, {.next = {FLOW_EXIT, FLOW_NONE}}, {.next = {FLOW_EXIT, FLOW_NONE}}};
    const struct flow_sum sums[] = {{both, 2, 7}, {one, 1, 2}};
    assert_true(flow_solve(b, 3, &(struct flow_known){.entries = -1, .sums = sums, .n_sums = 2}));
    assert_int_equal(b[0].count, 7);
    assert_int_equal(b[1].count, 5);
    assert_int_equal(b[2].count, 2);
}

/* ---- a kernel: a loop with a store under a branch, and padding behind the end ---- */

enum { CALIBRATION, ENTRY, LOOP, THEN, LATCH, SITES };
static const struct lanescope_site sites[SITES] = {
    [CALIBRATION] = {.kind = LS_SITE_BLOCK, .instruction = "calibration"},
    [ENTRY] = {.kind = LS_SITE_BLOCK, .instruction = "block"},
    [LOOP] = {.kind = LS_SITE_BLOCK, .instruction = "block"},
    [THEN] = {.kind = LS_SITE_BLOCK, .instruction = "block"},
    [LATCH] = {.kind = LS_SITE_BLOCK, .instruction = "block"},
};
#define IN(at, words, class, number, block, to)                                                              \
    {.offset = (at),                                                                                         \
     .text = (words),                                                                                        \
     .file = "/a/k.hip",                                                                                     \
     .line = (number),                                                                                       \
     .row = (at),                                                                                            \
     .site = (block),                                                                                        \
     .code_class = LANESCOPE_CLASS_##class,                                                                  \
     .target = (to)}
static const struct lanescope_instruction code[] = {
    IN(0, "s_load_dwordx2 s[0:1], s[4:5], 0x0", SMEM, 10, ENTRY, -1),
    IN(8, "s_waitcnt lgkmcnt(0)", WAIT, 10, LANESCOPE_NO_SITE, -1),
    IN(12, "ds_read_b32 v1, v0", LDS, 12, LOOP, -1),
    IN(20, "v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]", MATRIX, 12, LOOP, -1),
    IN(28, "s_and_saveexec_b64 s[2:3], vcc", SALU, 12, LOOP, -1),
    IN(32, "s_cbranch_execz 2", BRANCH, 13, LOOP, 44),
    IN(36, "global_store_dword v2, v1, s[0:1]", VMEM_STORE, 14, THEN, -1),
    IN(44, "s_cbranch_scc1 65527", BRANCH, 12, LATCH, 12),
    IN(48, "global_atomic_add v2, v1, s[0:1]", VMEM_ATOMIC, 15, LANESCOPE_NO_SITE, -1),
    {.offset = 56,
     .text = "s_endpgm",
     .file = "/a/k.hip",
     .line = 16,
     .row = 56,
     .site = LANESCOPE_NO_SITE,
     .code_class = LANESCOPE_CLASS_BRANCH,
     .flags = LANESCOPE_CODE_ENDS,
     .target = -1},
    IN(60, "s_nop 0", WAIT, 0, LANESCOPE_NO_SITE, -1),
};
static const struct lanescope_function function = {"k", sizeof code / sizeof code[0], code};

static void enter(uint32_t site, unsigned times)
{
    const struct lanescope_wavefront w = {.lanes = 64};
    const struct lanescope_event e = {.site = site, .kind = LS_KIND_BLOCK, .exec = ~0ull, .wave = &w};
    while (times--)
        harness_event(&h, &e);
}

static struct lanescope_dispatch dispatch(uint32_t n_functions)
{
    return (struct lanescope_dispatch){HARNESS_DISPATCH(sites), .n_functions = n_functions,
                                       .functions = &function};
}

/* 4 wavefronts, 5 times round the loop each, 7 of these 20 with lanes that store. */
static void kernel(void **state)
{
    (void)state;
    static const struct {
        const char *metric;
        int64_t value;
    } expected[] = {
        {"SMEM", 4},      {"Wait", 4},    {"LDS", 20},           {"Matrix", 20},
        {"SALU", 20},     {"Branch", 44}, {"VMEM Store", 7},     {"VMEM Atomic", 4},
        {"VMEM Load", 0}, {"VALU", 0},    {"Instructions", 123}, {"Instructions Without Count", 0},
    };
    struct lanescope_dispatch d = dispatch(1);
    assert_int_equal(harness_open(&h, "instruction_mix"), 0);
    harness_begin(&h, &d);
    enter(CALIBRATION, 8);
    enter(ENTRY, 4);
    enter(LOOP, 20);
    enter(THEN, 7);
    enter(LATCH, 20);
    harness_end(&h);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, expected[i].metric), expected[i].value);
    /* line 12: LDS, matrix, scalar and the branch back, 20 times each */
    const char *row = harness_row(&h, "lines", LANESCOPE_NO_SITE, 0);
    assert_non_null(
        strstr(row, "\"place\":\"k.hip:12\",\"Instructions\":80,\"VALU\":0,\"Matrix\":20,\"SALU\":20"));
    harness_close(&h);
}

/* More stores than turns of the loop: numbers that cannot be right are not reported. */
static void nonsense(void **state)
{
    (void)state;
    struct lanescope_dispatch d = dispatch(1);
    assert_int_equal(harness_open(&h, "instruction_mix"), 0);
    harness_begin(&h, &d);
    enter(CALIBRATION, 8);
    enter(ENTRY, 4);
    enter(LOOP, 20);
    enter(THEN, 21);
    enter(LATCH, 20);
    harness_end(&h);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Instructions"), 0);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Instructions Without Count"), 11);
    harness_close(&h);
}

static void without_code(void **state)
{
    (void)state;
    struct lanescope_dispatch d = dispatch(0);
    void *out;
    assert_int_equal(harness_open(&h, "instruction_mix"), 0);
    assert_true(h.handler->dispatch_begin(h.self, &d, &out) < 0);
    harness_close(&h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_and_a_branch),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(copies),
        cmocka_unit_test(kernel),
        cmocka_unit_test(nonsense),
        cmocka_unit_test(without_code),
    };
    harness_directory = argc > 1 ? argv[1] : ".";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
