/* One parser per type of setting. */
#include "settings/parse.h"
#include "tests/check.h"

static void ranges(void **state)
{
    (void)state;
    struct ls_range *r = NULL;
    size_t n = 0;
    assert_true(ls_parse_ranges("[1-2],[5-8]", &r, &n));
    assert_int_equal(n, 2);
    assert_true(ls_in_ranges(r, n, 1) && ls_in_ranges(r, n, 2) && ls_in_ranges(r, n, 5) &&
                ls_in_ranges(r, n, 8));
    assert_false(ls_in_ranges(r, n, 3) || ls_in_ranges(r, n, 4) || ls_in_ranges(r, n, 9) ||
                 ls_in_ranges(r, n, 0));
    free(r);
    assert_true(ls_parse_ranges("3", &r, &n));
    assert_int_equal(n, 1);
    assert_true(ls_in_ranges(r, n, 3) && !ls_in_ranges(r, n, 2) && !ls_in_ranges(r, n, 4));
    free(r);
    assert_true(ls_parse_ranges("2-4,[7]", &r, &n));
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
        if (ls_parse_ranges(bad[i], &r, &n))
            fail_msg("accepted: %s", bad[i]);
}

static void blocks(void **state)
{
    (void)state;
    uint32_t lo[3], hi[3];
    assert_true(ls_parse_blocks("0:4,2:3,1:9", lo, hi));
    assert_true(lo[0] == 0 && hi[0] == 4 && lo[1] == 2 && hi[1] == 3 && lo[2] == 1 && hi[2] == 9);
    assert_true(ls_parse_blocks("5", lo, hi));
    assert_true(lo[0] == 5 && hi[0] == 6 && lo[1] == 0 && hi[1] == UINT32_MAX && hi[2] == UINT32_MAX);
    assert_true(ls_parse_blocks(":,3:", lo, hi));
    assert_true(lo[0] == 0 && hi[0] == UINT32_MAX && lo[1] == 3 && hi[1] == UINT32_MAX);
    assert_true(ls_parse_blocks(",,:2", lo, hi));
    assert_true(lo[2] == 0 && hi[2] == 2 && hi[0] == UINT32_MAX);
    static const char *const bad[] = {"3:3",  "4:2", "0:1,0:1,0:1,0:1", "x", "1:2:3", "4294967296",
                                      "-1:2", "0:1,"};
    for (size_t i = 0; i + 1 < sizeof bad / sizeof *bad; i++)
        if (ls_parse_blocks(bad[i], lo, hi))
            fail_msg("accepted: %s", bad[i]);
    assert_true(ls_parse_blocks("0:1,", lo, hi)); /* an empty axis has no limit */
}

static void sizes(void **state)
{
    (void)state;
    uint64_t v;
    assert_true(ls_parse_size("4096", &v));
    assert_int_equal(v, 4096);
    assert_true(ls_parse_size("64M", &v));
    assert_int_equal(v, 67108864);
    assert_true(ls_parse_size("2G", &v));
    assert_int_equal(v, 2147483648u);
    assert_false(ls_parse_size("M", &v));
    assert_false(ls_parse_size("1T", &v));
    assert_false(ls_parse_size("1MB", &v));
    assert_false(ls_parse_size("18446744073709551615K", &v));
}

static void booleans(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        bool value;
    } words[] = {{"true", true},   {"yes", true}, {"on", true},   {"1", true},  {"TRUE", true},
                 {"false", false}, {"no", false}, {"off", false}, {"0", false}, {"No", false}};
    static const char *const bad[] = {"", "2", "truth", "true ", "y"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        bool value = !words[i].value;
        assert_true(ls_parse_boolean(words[i].word, &value));
        assert_int_equal(value, words[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(ls_parse_boolean(bad[i], &(bool){false}));
}

static void sets(void **state)
{
    (void)state;
    static const char *const names[] = {"races", "uninit", "global", NULL};
    uint64_t bits;
    assert_true(ls_parse_set("uninit", names, &bits) && bits == 2);
    assert_true(ls_parse_set("global,races", names, &bits) && bits == 5);
    assert_false(ls_parse_set("races,", names, &bits) || ls_parse_set("race", names, &bits) ||
                 ls_parse_set("", names, &bits) || ls_parse_set("races uninit", names, &bits));
}

static void gpus(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "soft:",
                                      "soft:gfx90",
                                      "soft:gfx90ax",
                                      "soft:gfx90ax0",
                                      "soft:gfx90ax9",
                                      "soft:gfx942x1x1",
                                      "hw:gfx90a",
                                      "softx2",
                                      "soft:gfx1103",
                                      "SOFT",
                                      "soft:gfx90a "};
    struct ls_gpu_choice g;
    assert_true(ls_parse_gpu("auto", &g) && g.kind == LS_GPU_AUTO);
    assert_true(ls_parse_gpu("hw", &g) && g.kind == LS_GPU_HARDWARE);
    assert_true(ls_parse_gpu("soft", &g) && g.kind == LS_GPU_SOFTWARE && g.count == 1);
    assert_string_equal(g.gpu->name, "gfx90a");
    assert_true(ls_parse_gpu("soft:gfx942x8", &g) && g.count == 8);
    assert_string_equal(g.gpu->name, "gfx942");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (ls_parse_gpu(bad[i], &g))
            fail_msg("accepted: %s", bad[i]);
}

/* How many characters expressions have when repetitions are written out: `+` once more, {n,m} up to m times
 * and once. */
static void regex_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t size;
    } sizes[] = {{"", 0},       {"abc", 3},     {"a+", 2},     {"a++++", 16},   {"a*?", 1},
                 {"a{3}", 4},   {"a{2,5}b", 7}, {"(ab)+c", 8}, {"(a+)+", 7},    {"a|b+", 4},
                 {"\\+\\(", 2}, {"[+*{(]+", 2}, {"[]a]+", 2},  {"[^]a]{2}", 3}, {"[[:alpha:]+]b", 2},
                 {"a{b", 3},    {"a)+", 3},     {"((a", 3}};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (ls_regex_size(sizes[i].text) != sizes[i].size)
            fail_msg("%s: %llu", sizes[i].text, (unsigned long long)ls_regex_size(sizes[i].text));
}

/* The C library would need minutes or gigabytes for these. */
static void large_regexes(void **state)
{
    (void)state;
    static const char *const large[] = {"a++++++++++++++++++++++++++++++++++++++++",
                                        "++++++++++++++++++++++++a",
                                        "a{0,32767}",
                                        "a{0,2048}",
                                        "(a{1,255}){1,255}",
                                        "((((((a{9}){9}){9}){9}){9}){9})",
                                        "a{99999999999999999999}",
                                        "a{-1}",
                                        "(((a{99}b){99}){99"};
    char why[128], *text = malloc(1 << 20);
    regex_t re;
    for (unsigned i = 0; i < sizeof large / sizeof *large; i++)
        if (ls_parse_regex(large[i], &re, why, sizeof why))
            fail_msg("%s", large[i]);
    assert_non_null(text);
    memset(text, '(', 1 << 20);
    text[(1 << 20) - 1] = 0;
    assert_false(ls_parse_regex(text, &re, why, sizeof why));
    assert_non_null(strstr(why, "more than 8192 characters") ? why : NULL);
    free(text);
    assert_true(ls_parse_regex("^(gemm|void scale<.*>)\\(|Cijk_[A-Za-z]{4,}+", &re, why, sizeof why));
    regfree(&re);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges), cmocka_unit_test(bad_ranges),  cmocka_unit_test(blocks),
        cmocka_unit_test(sizes),  cmocka_unit_test(booleans),    cmocka_unit_test(sets),
        cmocka_unit_test(gpus),   cmocka_unit_test(regex_sizes), cmocka_unit_test(large_regexes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
