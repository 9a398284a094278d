/* The tool library's settings, and the errors for wrong values. */
#include "tests/check.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "hsa-plugin/config.h"
#include "hsa-plugin/log.h"
#include "hsa-plugin/record/output_path.h"

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
        assert_non_null(strstr(error, "give "));
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
 * from a clock that moves with the kernel's tick (10 ms at most),
 * so this process must be older than that before it writes one. */
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
        cmocka_unit_test(defaults),     cmocka_unit_test(kernels), cmocka_unit_test(booleans),
        cmocka_unit_test(wrong_values), cmocka_unit_test(paths),   cmocka_unit_test(nobody_is_overwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
