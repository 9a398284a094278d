/* Settings: ranges, work-groups, sizes, regular expressions, and the errors for wrong values. */
#include "check.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "config.h"
#include "log.h"
#include "output_path.h"

static void ranges(void **state)
{
    (void)state;
    struct ls_range *r = NULL;
    size_t n = 0;
    assert_int_equal(ls_parse_ranges("[1-2],[5-8]", &r, &n), 0);
    assert_int_equal(n, 2);
    assert_true(ls_in_ranges(r, n, 1) && ls_in_ranges(r, n, 2) && ls_in_ranges(r, n, 5) &&
                ls_in_ranges(r, n, 8));
    assert_false(ls_in_ranges(r, n, 3) || ls_in_ranges(r, n, 4) || ls_in_ranges(r, n, 9) ||
                 ls_in_ranges(r, n, 0));
    free(r);
    assert_int_equal(ls_parse_ranges("3", &r, &n), 0);
    assert_int_equal(n, 1);
    assert_true(ls_in_ranges(r, n, 3) && !ls_in_ranges(r, n, 2) && !ls_in_ranges(r, n, 4));
    free(r);
    assert_int_equal(ls_parse_ranges("2-4,[7]", &r, &n), 0);
    assert_true(n == 2 && r[0].first == 2 && r[0].last == 4 && r[1].first == 7 && r[1].last == 7);
    free(r);
    assert_true(ls_in_ranges(NULL, 0, 12345)); /* no ranges: all */
}

static void bad_ranges(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",       "0",       "[0-1]", "[2-1]", "[1",       "1]",   "[1-2]x",
        "1,",     ",1",      "a",     "-1",    "[1-2][3]", "1--2", "18446744073709551616",
        "[ 1-2]", "[1-2],[]"};
    struct ls_range *r = NULL;
    size_t n = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (ls_parse_ranges(bad[i], &r, &n) != -1)
            fail_msg("accepted: %s", bad[i]);
}

static void blocks(void **state)
{
    (void)state;
    uint32_t lo[3], hi[3];
    assert_int_equal(ls_parse_blocks("0:4,2:3,1:9", lo, hi), 0);
    assert_true(lo[0] == 0 && hi[0] == 4 && lo[1] == 2 && hi[1] == 3 && lo[2] == 1 && hi[2] == 9);
    assert_int_equal(ls_parse_blocks("5", lo, hi), 0);
    assert_true(lo[0] == 5 && hi[0] == 6 && lo[1] == 0 && hi[1] == UINT32_MAX && hi[2] == UINT32_MAX);
    assert_int_equal(ls_parse_blocks(":,3:", lo, hi), 0);
    assert_true(lo[0] == 0 && hi[0] == UINT32_MAX && lo[1] == 3 && hi[1] == UINT32_MAX);
    assert_int_equal(ls_parse_blocks(",,:2", lo, hi), 0);
    assert_true(lo[2] == 0 && hi[2] == 2 && hi[0] == UINT32_MAX);
    static const char *const bad[] = {"3:3",  "4:2", "0:1,0:1,0:1,0:1", "x", "1:2:3", "4294967296",
                                      "-1:2", "0:1,"};
    for (size_t i = 0; i + 1 < sizeof bad / sizeof *bad; i++)
        if (ls_parse_blocks(bad[i], lo, hi) != -1)
            fail_msg("accepted: %s", bad[i]);
    assert_int_equal(ls_parse_blocks("0:1,", lo, hi), 0); /* an empty axis has no limit */
}

static void sizes(void **state)
{
    (void)state;
    uint64_t v;
    assert_int_equal(ls_parse_size("4096", &v), 0);
    assert_int_equal(v, 4096);
    assert_int_equal(ls_parse_size("64M", &v), 0);
    assert_int_equal(v, 67108864);
    assert_int_equal(ls_parse_size("2G", &v), 0);
    assert_int_equal(v, 2147483648u);
    assert_int_equal(ls_parse_size("M", &v), -1);
    assert_int_equal(ls_parse_size("1T", &v), -1);
    assert_int_equal(ls_parse_size("1MB", &v), -1);
    assert_int_equal(ls_parse_size("18446744073709551615K", &v), -1);
}

static void clear(void)
{
    static const char *const names[] = {
        "OUTPUT",      "HANDLERS",   "KERNELS",      "KERNELS_EXCLUDE", "DISPATCHES",  "RING_BYTES",
        "CHUNK_BYTES", "ON_FULL",    "SAMPLE_WAVES", "BLOCKS",          "LOG",         "FINISH_TIMEOUT",
        "GPU",         "MODULE_DIR", "ARGV_JSON",    "SOURCES",         "SUMMARY_MODE"};
    char variable[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(variable, sizeof variable, "LANESCOPE_%s", names[i]);
        unsetenv(variable);
    }
}

static void defaults(void **state)
{
    (void)state;
    struct ls_config c;
    char *error;
    clear();
    assert_int_equal(ls_config_load(&c, &error), 0);
    assert_string_equal(c.handlers, "lds_bank_conflicts,memory_coalescing,advice");
    assert_int_equal(c.chunk_shift, 12);
    assert_int_equal(c.sample_waves, 1);
    assert_false(c.drop_on_full || c.filter_blocks);
    assert_int_equal(c.sources, LS_SOURCES_SHARED);
    assert_true(ls_config_kernel(&c, "anything"));
    ls_config_free(&c);
}

static void kernels(void **state)
{
    (void)state;
    struct ls_config c;
    char *error;
    clear();
    setenv("LANESCOPE_KERNELS", "^(gemm|void scale<.*>)\\(", 1);
    setenv("LANESCOPE_KERNELS_EXCLUDE", "double", 1);
    assert_int_equal(ls_config_load(&c, &error), 0);
    assert_true(ls_config_kernel(&c, "gemm(float*, int)"));
    assert_true(ls_config_kernel(&c, "void scale<float>(float*)"));
    assert_false(ls_config_kernel(&c, "void scale<double>(double*)"));
    assert_false(ls_config_kernel(&c, "my_gemm(float*, int)"));
    ls_config_free(&c);
    clear();
}

/* The words of the command line, which may be set past it. */
static void booleans(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        bool value;
    } words[] = {{"true", true},   {"yes", true}, {"on", true},   {"1", true},  {"TRUE", true},
                 {"false", false}, {"no", false}, {"off", false}, {"0", false}, {"", false}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct ls_config c;
        char *error = NULL;
        clear();
        setenv("LANESCOPE_SUMMARY_MODE", words[i].word, 1);
        assert_int_equal(ls_config_load(&c, &error), 0);
        assert_int_equal(c.summary, words[i].value);
        ls_config_free(&c);
    }
    clear();
}

static void wrong_values(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"LANESCOPE_KERNELS", "("},         {"LANESCOPE_DISPATCHES", "x"},  {"LANESCOPE_CHUNK_BYTES", "1000"},
        {"LANESCOPE_CHUNK_BYTES", "128K"},  {"LANESCOPE_ON_FULL", "maybe"}, {"LANESCOPE_SAMPLE_WAVES", "0"},
        {"LANESCOPE_BLOCKS", "a:b"},        {"LANESCOPE_LOG", "loud"},      {"LANESCOPE_RING_BYTES", "lots"},
        {"LANESCOPE_FINISH_TIMEOUT", "-1"}, {"LANESCOPE_SOURCES", "some"},  {"LANESCOPE_SUMMARY_MODE", "2"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ls_config c;
        char *error = NULL;
        clear();
        setenv(bad[i][0], bad[i][1], 1);
        assert_int_equal(ls_config_load(&c, &error), -1);
        assert_non_null(error);
        assert_non_null(strstr(error, bad[i][0])); /* names the variable */
        assert_non_null(strstr(error, "expected"));
        free(error);
    }
    clear();
}

static void paths(void **state)
{
    (void)state;
    char *p = ls_expand_path("/tmp/%h/x-%p.%%db%", 42, "node7");
    assert_string_equal(p, "/tmp/node7/x-42.%db%");
    free(p);
}

/* A file older than the process is replaced; a file written since is somebody else's. Files take their times
 * from a clock that moves with the kernel's tick (10 ms at most), so this process must be older than that
 * before it writes one.
 */
static void nobody_is_overwritten(void **state)
{
    (void)state;
    const struct timespec ticks = {0, 50000000};
    nanosleep(&ticks, NULL);
    char dir[] = "/tmp/lanescope-test-XXXXXX", pattern[64], second[64], cmd[128];
    assert_non_null(mkdtemp(dir));
    snprintf(pattern, sizeof pattern, "%s/a.db", dir);
    snprintf(second, sizeof second, "%s/a-2.db", dir);
    char *p = ls_output_path(pattern);
    assert_string_equal(p, pattern);
    free(p);
    FILE *f = fopen(pattern, "w");
    assert_non_null(f);
    fclose(f);
    p = ls_output_path(pattern);
    assert_string_equal(p, second);
    free(p);
    snprintf(cmd, sizeof cmd, "touch -d '1 hour ago' %s", pattern);
    assert_int_equal(system(cmd), 0);
    p = ls_output_path(pattern);
    assert_string_equal(p, pattern);
    free(p);
    unlink(pattern);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges),   cmocka_unit_test(bad_ranges),
        cmocka_unit_test(blocks),   cmocka_unit_test(sizes),
        cmocka_unit_test(defaults), cmocka_unit_test(kernels),
        cmocka_unit_test(booleans), cmocka_unit_test(wrong_values),
        cmocka_unit_test(paths),    cmocka_unit_test(nobody_is_overwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
