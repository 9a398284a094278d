/* test_wave_timeline.c - lives of wavefronts written by hand. HW_ID of gfx90a: slot 3:0, SIMD 5:4, compute
 * unit 11:8, array 12, engine 15:13. Ticks of 10 ns. */
#include "harness.h"
#include "lanescope/wire.h"

static struct harness h;

static void life(uint32_t workgroup, uint32_t wave, uint32_t hw_id, uint32_t xcc, uint64_t start,
                 uint64_t ticks)
{
    const struct lanescope_wavefront w = {
        .workgroup = {workgroup, 0, 0}, .wave = wave, .hw_id = hw_id, .xcc_id = xcc, .lanes = 64};
    const struct lanescope_event e = {.site = LANESCOPE_NO_SITE,
                                      .kind = LS_KIND_WAVE,
                                      .exec = ~0ull,
                                      .start = start,
                                      .duration = ticks,
                                      .wave = &w};
    harness_event(&h, &e);
}

static struct lanescope_dispatch d;

static void begin(const char *spec, const char *arch)
{
    d = (struct lanescope_dispatch){.size = sizeof d, .id = 1, .kernel = "k", .mangled = "k", .lanes = 64};
    d.arch = arch;
    assert_int_equal(harness_open(&h, spec), 0);
    assert_int_equal(h.handler->needs, LANESCOPE_NEEDS_LIVES);
    harness_begin(&h, &d);
}

static const char *row(const char *table, unsigned n)
{
    const char *json = harness_row(&h, table, LANESCOPE_NO_SITE, n);
    assert_non_null(json);
    return json;
}

static void two_units(void **state)
{
    (void)state;
    begin("wave_timeline", "gfx90a");
    /* Unit 3 of engine 5: lives 100..140 and 120..150 overlap: busy 50 ticks, 70 of lives, two at once; then
     * one at 200..210. The one that begins in tick 150 does not run together with that which ends there. */
    life(1, 0, 5u << 13 | 3u << 8 | 0u << 4 | 0, 0, 100, 40);
    life(1, 1, 5u << 13 | 3u << 8 | 1u << 4 | 7, 0, 120, 30);
    life(4, 0, 5u << 13 | 3u << 8 | 2u << 4 | 1, 0, 200, 10);
    life(3, 0, 5u << 13 | 3u << 8 | 2u << 4 | 0, 0, 150, 0);
    life(2, 0, 1u << 12 | 15u << 8, 2, 90, 5);
    harness_end(&h);
    assert_string_equal(row("waves", 0),
                        "{\"workgroup\":\"2,0,0\",\"wave\":0,\"xcc\":2,\"engine\":0,\"array\":1,"
                        "\"unit\":15,\"simd\":0,\"slot\":0,\"start_ns\":0,\"duration_ns\":50}");
    assert_string_equal(row("waves", 2),
                        "{\"workgroup\":\"1,0,0\",\"wave\":1,\"xcc\":0,\"engine\":5,\"array\":0,"
                        "\"unit\":3,\"simd\":1,\"slot\":7,\"start_ns\":300,\"duration_ns\":300}");
    assert_string_equal(row("units", 0),
                        "{\"xcc\":0,\"engine\":5,\"array\":0,\"unit\":3,\"wavefronts\":4,"
                        "\"first_ns\":100,\"last_ns\":1200,\"busy_ns\":600,\"wavefront_ns\":800,"
                        "\"peak\":2}");
    assert_string_equal(row("units", 1), "{\"xcc\":2,\"engine\":0,\"array\":1,\"unit\":15,\"wavefronts\":1,"
                                         "\"first_ns\":0,\"last_ns\":50,\"busy_ns\":50,\"wavefront_ns\":50,"
                                         "\"peak\":1}");
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Wavefronts"), 5);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Wavefront Time"), 850);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Span"), 1200);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Compute Units"), 2);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Work-Group Processors"), INT64_MIN);
    harness_close(&h);
}

/* HW_ID1 of gfx10: slot 4:0, SIMD 9:8, work-group processor 13:10, array 16, engine 19:18. */
static void other_register(void **state)
{
    (void)state;
    begin("wave_timeline", "gfx1030");
    life(0, 0, 2u << 18 | 1u << 16 | 9u << 10 | 3u << 8 | 20, 0, 5, 1);
    harness_end(&h);
    assert_string_equal(row("waves", 0),
                        "{\"workgroup\":\"0,0,0\",\"wave\":0,\"xcc\":0,\"engine\":2,\"array\":1,"
                        "\"unit\":9,\"simd\":3,\"slot\":20,\"start_ns\":0,\"duration_ns\":10}");
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Work-Group Processors"), 1);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Compute Units"), INT64_MIN);
    harness_close(&h);
}

/* Five lives of 10 ticks, each begins a tick behind the one before: 500 ns, from tick 7 to tick 21. Those that are not kept count, on one thread and
 * where two share them. */
static void limits(void **state)
{
    (void)state;
    for (unsigned states = 1; states <= 2; states++) {
        void *other;
        begin("wave_timeline:waves=2:rows=1", "gfx942");
        void *const first = h.state;
        assert_int_equal(h.handler->dispatch_begin(h.self, &d, &other), 0);
        for (uint32_t i = 0; i < 5; i++) {
            h.state = states > 1 && i % 2 == 0 ? other : first;
            life(i, 0, 0, 0, 7 + i, 10);
        }
        h.state = first;
        h.handler->merge(h.state, other);
        harness_end(&h);
        row("waves", 0);
        assert_null(harness_row(&h, "waves", LANESCOPE_NO_SITE, 1));
        assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Wavefronts"), 5);
        assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Wavefronts Not Kept"), 3);
        assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Wavefront Time"), 500);
        assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Span"), 140);
        harness_close(&h);
    }
}

static void nobody(void **state)
{
    (void)state;
    begin("wave_timeline", "gfx90a");
    harness_end(&h);
    assert_int_equal(h.n_rows, 0);
    harness_close(&h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_units), cmocka_unit_test(other_register),
                                       cmocka_unit_test(limits), cmocka_unit_test(nobody)};
    harness_directory = argc > 1 ? argv[1] : "handlers";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
