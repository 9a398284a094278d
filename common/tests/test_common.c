/* The helpers that several folders share. */
#include <stdio.h>
#include <unistd.h>
#include "tests/check.h"
#include "common/code_uri.h"
#include "common/command_words.h"
#include "common/demangle.h"
#include "common/formula.h"
#include "common/make_folders.h"
#include "common/names.h"
#include "common/numbers.h"
#include "common/plural.h"
#include "common/sorted.h"
#include "common/system_folders.h"
#include "common/temporary.h"
#include "common/vector.h"
#include "common/wavefronts.h"

static void base_names(void **state)
{
    (void)state;
    assert_string_equal(ls_base_name("/a/b.c"), "b.c");
    assert_string_equal(ls_base_name("b.c"), "b.c");
    assert_string_equal(ls_base_name("/a/"), "");
}

static const char *unit(double n, const char *word)
{
    static char out[32];
    ls_unit(n, word, out, sizeof out);
    return out;
}

static void words_beside_numbers(void **state)
{
    (void)state;
    assert_string_equal(ls_word(1, "kernel was", "kernels were"), "kernel was");
    assert_string_equal(ls_word(0, "kernel was", "kernels were"), "kernels were");
    static const char *const words[][2] = {{"cycles", "cycle"},
                                           {"entries", "entry"},
                                           {"accesses", "access"},
                                           {"addresses", "address"},
                                           {"branches", "branch"},
                                           {"boxes", "box"},
                                           {"caches", "cache"},
                                           {"bytes", "byte"},
                                           {"ns", "ns"},
                                           {"%", "%"},
                                           {"lines/line", "lines/line"},
                                           {"", ""},
                                           {"less", "less"},
                                           {"J", "J"},
                                           {"pages", "page"},
                                           {"misses", "miss"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_string_equal(unit(1, words[i][0]), words[i][1]);
        assert_string_equal(unit(2, words[i][0]), words[i][0]);
    }
}

static const char *plain(const char *path, bool ups)
{
    static char out[64];
    ls_plain_path(path, ups, out);
    return out;
}

static void plain_paths(void **state)
{
    (void)state;
    assert_string_equal(plain("/a//./b/", false), "/a/b");
    assert_string_equal(plain("./a/../b", false), "a/../b");
    assert_string_equal(plain("/a/../b", true), "/b");
    assert_string_equal(plain("ab/../c", true), "c");
    assert_string_equal(plain("a/b/../../../c", true), "../c");
    assert_string_equal(plain("/../../c", true), "/c");
    assert_string_equal(plain("/a/..", true), "/");
    assert_string_equal(plain("//", true), "/");
    assert_string_equal(plain("./", true), "");
}

static void below_folders(void **state)
{
    (void)state;
    assert_true(ls_below_folder("/usr/lib/x/../../include/c/d.h", "/usr/include/"));
    assert_true(ls_below_folder("/a", "/"));
    assert_true(ls_below_folder("build/../lib/x.h", "lib"));
    assert_true(ls_below_folder("../lib/x.h", "./../lib/."));
    assert_false(ls_below_folder("build/../src/x.h", "build"));
    assert_false(ls_below_folder("/usr/include2/x.h", "/usr/include"));
    assert_false(ls_below_folder("/a/b", "") || ls_below_folder("a/b", ".") || ls_below_folder("a/b", "/"));
    char longest[LS_FOLDERS_PATH_MAX + 2];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = 0;
    longest[0] = '/';
    assert_false(ls_below_folder(longest, "/") || ls_below_folder("/a", longest));
    longest[sizeof longest - 3] = 0;
    assert_true(ls_below_folder(longest, "/"));
}

static void low_bits(void **state)
{
    (void)state;
    assert_int_equal(ls_low_bits(0), 0);
    assert_int_equal(ls_low_bits(3), 7);
    assert_true(ls_low_bits(63) == ~0ull >> 1 && ls_low_bits(64) == ~0ull && ls_low_bits(65) == ~0ull);
}

static void arrays_grow(void **state)
{
    (void)state;
    unsigned *list = NULL;
    size_t n = 0;
    for (; n < 1000; n++) {
        assert_true(LS_ROOM(list, n));
        list[n] = (unsigned)n;
    }
    for (size_t i = 0; i < n; i++)
        assert_int_equal(list[i], i);
    n = 3; /* what was taken back is written again */
    assert_true(LS_ROOM(list, n));
    assert_int_equal(list[2], 2);
    free(list);
}

static void code_uris(void **state)
{
    static const struct {
        const char *uri, *file; /* NULL: in memory */
        uint64_t offset, size;
    } all[] = {
        {"file:///a%20b#offset=4096&size=512", "/a b", 4096, 512},
        {"file:///a?offset=0x10&size=1", "/a", 16, 1}, /* the range's other sign */
        {"file:///a%2Fb", "/a/b", 0, 0},
        {"file:///a%2", "/a%2", 0, 0}, /* no escapes */
        {"file:///%+1%zz%", "/%+1%zz%", 0, 0},
        {"memory://77#offset=0x7f00&size=32", NULL, 0x7f00, 32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct ls_code_uri u;
        assert_true(ls_code_uri_read(all[i].uri, &u));
        assert_true(u.offset == all[i].offset && u.size == all[i].size);
        char *file = ls_code_uri_file(all[i].uri);
        assert_true(file ? all[i].file && !strcmp(file, all[i].file) : !all[i].file);
        free(file);
    }
    struct ls_code_uri u;
    assert_false(ls_code_uri_read("http://a", &u) || ls_code_uri_read(NULL, &u));
    assert_null(ls_code_uri_file("http://a"));
}

/* Knows one name, and takes all others for types, as __cxa_demangle does. */
static char *one_name(const char *name, char *buffer, size_t *length, int *status)
{
    (void)buffer, (void)length;
    *status = strncmp(name, "_Zbad", 5) ? 0 : -2;
    return strdup(strcmp(name, "_Z1kv") ? "float" : "k()");
}

static void demangled(void **state)
{
    static const char *const all[][3] = {
        {"_Z1kv", "k()", "_Z1kv"},
        {"f", "f", "f"},
        {"_Zbad", "_Zbad", "_Zbad"},
        {"_Z1kv.intern.13d014e1b313b968", "k()", "_Z1kv"},
        {"_Z1kv.static.0f", "k()", "_Z1kv"},
        {"f.intern.0a", "f", "f"},
        {"_Z1kv.intern.a6222bfe00_059a4aa7", "k()", "_Z1kv"},
        {"f.intern.", "f.intern.", "f.intern."},
        {"f.intern.0ag", "f.intern.0ag", "f.intern.0ag"},
        {".intern.0a", ".intern.0a", ".intern.0a"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *text = ls_demangle_by(one_name, all[i][0]), *without = ls_demangle_by(NULL, all[i][0]);
        assert_string_equal(text, all[i][1]);
        assert_string_equal(without, all[i][2]);
        free(text), free(without);
    }
}

static void places_in_sorted_arrays(void **state)
{
    static const int list[] = {1, 3, 3, 3, 8};
    static const struct {
        int wanted;
        size_t first;
    } all[] = {{0, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 4}, {8, 4}, {9, 5}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_true(LS_FIRST_NOT(5, at, list[at] < all[i].wanted) == all[i].first);
    assert_true(LS_FIRST_NOT(0, at, list[at] < 1) == 0);
}

/* An array too large for any memory stays what it is. */
static void no_memory(void **state)
{
    (void)state;
    char (*list)[1u << 30] = NULL;
    assert_false(LS_ROOM(list, (size_t)1 << 40));
    assert_null(list);
}

/* A file stands where the second folder is to be. */
static void folders(void **state)
{
    (void)state;
    char root[] = "/tmp/lanescope-common-XXXXXX", path[128];
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/a/b/name", root);
    assert_true(ls_make_parents(path, 0777));
    assert_true(ls_make_parents(path, 0777)); /* all are there */
    assert_string_equal(strrchr(path, '/'), "/name");
    fclose(fopen(path, "w"));
    strcat(path, "/c/d");
    assert_false(ls_make_parents(path, 0777));
    assert_int_equal(errno, ENOTDIR);
    assert_string_equal(strrchr(path, '/'), "/c");
    snprintf(path, sizeof path, "rm -rf '%s'", root);
    assert_int_equal(system(path), 0);
}

static void formulas(void **state)
{
    static const char *const all[] = {"=1+1", "+1", "-1", "@x", "\t=1", " =1", "\u00a0\u3000@x", "\uff1d1"};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_true(ls_is_formula(all[i]));
    assert_false(ls_is_formula("") || ls_is_formula("kernel(int)") || ls_is_formula("a=1") ||
                 ls_is_formula(" "));
}

/* What a link leads to stays. */
static void folders_go(void **state)
{
    char root[] = "/tmp/lanescope-common-XXXXXX", path[128], kept[128];
    (void)state;
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/gone/a/b/file", root);
    assert_true(ls_make_parents(path, 0777));
    fclose(fopen(path, "w"));
    snprintf(kept, sizeof kept, "%s/kept", root);
    fclose(fopen(kept, "w"));
    snprintf(path, sizeof path, "%s/gone/a/link", root);
    assert_int_equal(symlink(root, path), 0);
    snprintf(path, sizeof path, "%s/gone", root);
    ls_remove_folder(path);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(kept, F_OK), 0);
    ls_remove_folder(root);
    assert_int_equal(access(root, F_OK), -1);
}

static void words_of_commands(void **state)
{
    (void)state;
    char text[] = " \"/usr/bin/clang\" -DX=\"a b\"\t'c\\d' \"e\\\"\\\\\\$\"\n\"\" f\\ g", *rest = text;
    static const char *const words[] = {"/usr/bin/clang", "-DX=a b", "c\\d", "e\"\\$", "", "f g"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_string_equal(ls_next_word(&rest), words[i]);
    assert_null(ls_next_word(&rest));
}

static void system_folders(void **state)
{
    (void)state;
    char folder[] = "/tmp/system-folders-XXXXXX", here[4096], *list = NULL, *wanted = NULL;
    const char *const own[] = {"-o", "mine/a.hip", NULL}, *const none[] = {NULL};
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("mine", 0700), 0);
    assert_int_equal(mkdir("lib", 0700), 0);
    FILE *f = fopen("mine/a.hip", "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    assert_true(ls_names_system_folder("-isystem") && !ls_names_system_folder("-I"));
    static const char *const named[] = {"/usr/include", "lib",          "mine", ".", "",
                                        "/a:b",         "/usr/include", "/usr"};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        ls_add_system_folder(&list, named[i], own);
    assert_true(asprintf(&wanted, "/usr/include:%s/lib:/usr", folder) > 0);
    assert_string_equal(list, wanted);
    ls_add_system_folder(&list, "mine", none);
    assert_string_equal(strrchr(list, ':') + 1 + strlen(folder), "/mine");
    free(list);
    free(wanted);
    assert_int_equal(chdir(here), 0);
    ls_remove_folder(folder);
}

/*
 * Grid of 100x3 in work-groups of 48x2, as lanes of 64: work-groups of 96 (2 wavefronts) twice, of 4x2 (1) and in the upper row of 48 (1) twice
 * and of 4 (1): 2 * 2 + 1 + 2 * 1 + 1 = 8; as lanes of 32: 2 * 3 + 1 + 2 * 2 + 1 = 12. The most: each dimension
 * of 2^32 - 1, in work-groups and wavefronts of one.
 */
static void wavefronts(void **state)
{
    static const uint32_t grid[3] = {100, 3, 1}, group[3] = {48, 2, 1}, one[3] = {1, 1, 1};
    static const uint32_t most[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const unsigned __int128 side = UINT32_MAX;
    (void)state;
    assert_true(ls_wavefronts(grid, group, 64) == 8);
    assert_true(ls_wavefronts(grid, group, 32) == 12);
    assert_true(ls_wavefronts(one, group, 64) == 1);
    assert_true(ls_wavefronts(most, one, 1) == side * side * side);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(base_names),
                                       cmocka_unit_test(words_beside_numbers),
                                       cmocka_unit_test(low_bits),
                                       cmocka_unit_test(arrays_grow),
                                       cmocka_unit_test(no_memory),
                                       cmocka_unit_test(folders),
                                       cmocka_unit_test(code_uris),
                                       cmocka_unit_test(demangled),
                                       cmocka_unit_test(formulas),
                                       cmocka_unit_test(folders_go),
                                       cmocka_unit_test(places_in_sorted_arrays),
                                       cmocka_unit_test(plain_paths),
                                       cmocka_unit_test(below_folders),
                                       cmocka_unit_test(words_of_commands),
                                       cmocka_unit_test(system_folders),
                                       cmocka_unit_test(wavefronts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
