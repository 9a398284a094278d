/*
 * test_sdk.c - what built-in handlers use of lanescope/sdk, users' handlers can use, in C and in C++: sdk_handler.c, which
 * includes all of it, on accesses written by hand.
 */
#include <dirent.h>
#include <errno.h>
#include "harness.h"
#include "lanescope/sdk/json.h"

static const char *headers, *source; /* the folder of the SDK, and sdk_handler.c */
static struct harness h;

enum { GLOBAL, LDS, FLAT, SITES };
static const struct lanescope_site sites[SITES] = {
    [GLOBAL] = {.kind = LS_SITE_LOAD, .space = LANESCOPE_SPACE_GLOBAL, .bytes = 4, .instruction = "load"},
    [LDS] = {.kind = LS_SITE_LOAD, .space = LANESCOPE_SPACE_LDS, .bytes = 4, .instruction = "load"},
    [FLAT] = {.kind = LS_SITE_LOAD, .space = LANESCOPE_SPACE_FLAT, .bytes = 8, .instruction = "load"},
};

/*
 * 64 lanes of 4 bytes, twice: 512 bytes, the second time remembered. LDS: none. Of two lanes of a flat access of 8 bytes
 * one is in LDS, at 1 << 48: 8 bytes; it has no shape. Two lanes of 4 bytes are another shape: 8 bytes. Widths: 4, 4, 4,
 * 8, 4.
 */
static void feed(const char *name, const struct lanescope_dispatch *d)
{
    const uint64_t flat[64] = {(1ull << 48) + 16, 0x2000};
    assert_int_equal(harness_open(&h, name), 0);
    harness_begin(&h, d);
    harness_strided(&h, GLOBAL, 0, 0, ~0ull, 0x1000, 4, 4);
    harness_strided(&h, GLOBAL, 0, 1, ~0ull, 0x8000, 4, 4);
    harness_strided(&h, LDS, 0, 0, ~0ull, 0, 4, 4);
    harness_lanes(&h, FLAT, 0, 0, 3, flat, 8);
    harness_strided(&h, GLOBAL, 0, 0, 3, 0x9000, 4, 4);
    harness_end(&h);
}

static void all_parts(const char *name)
{
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(sites)};
    feed(name, &d);
    assert_int_equal(harness_value(&h, 0, "Executions"), 5);
    assert_int_equal(harness_value(&h, 0, "Global Bytes"), 512 + 8 + 8);
    assert_int_equal(harness_value(&h, 0, "LDS Lanes"), 1);
    assert_int_equal(harness_value(&h, 0, "Model Calls"), 3);
    assert_string_equal(harness_row(&h, "widths", LANESCOPE_NO_SITE, 0), "{\"kernel\":\"k\",\"median\":4}");
    assert_string_equal(harness_row(&h, "lists", LANESCOPE_NO_SITE, 0), "{\"list\":[\"a\\\"b\",-1]}");
    assert_int_equal(h.errors, 0);
    harness_close(&h);
    /* The instruction of another site does the work of the first: the flat access is left. */
    const struct lanescope_isa isa[SITES] = {[GLOBAL] = {.form = LANESCOPE_ISA_VECTOR}};
    const struct lanescope_dispatch joined = {HARNESS_DISPATCH(sites), .isa = isa};
    feed(name, &joined);
    assert_int_equal(harness_value(&h, 0, "Global Bytes"), 8);
    harness_close(&h);
}

static void options_and_blocks(const char *name)
{
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(sites)};
    char spec[64];
    void *state;
    snprintf(spec, sizeof spec, "%s:blocks=1", name);
    assert_int_equal(harness_open(&h, spec), 0);
    assert_int_equal(h.handler->dispatch_begin(h.self, &d, &state), -ENOTSUP);
    harness_close(&h);
    snprintf(spec, sizeof spec, "%s:blocks=2", name);
    assert_int_equal(harness_open(&h, spec), -EINVAL);
    assert_int_equal(h.errors, 1);
    harness_close(&h);
    /* As settings: no signs, no blanks, decimal, K behind it for 1024. */
    static const char *const refused[] = {"+1", " 1", "-0", "0x1", "1k", "1kk", "", "18446744073709551617"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(spec, sizeof spec, "%s:blocks=%s", name, refused[i]);
        assert_int_equal(harness_open(&h, spec), -EINVAL);
        harness_close(&h);
    }
    snprintf(spec, sizeof spec, "%s:blocks=0k", name);
    assert_int_equal(harness_open(&h, spec), 0);
    harness_close(&h);
}

static void as_c(void **state)
{
    (void)state;
    all_parts("sdk_handler");
    options_and_blocks("sdk_handler");
}

static void as_cpp(void **state)
{
    (void)state;
    all_parts("sdk_handler_cpp");
    options_and_blocks("sdk_handler_cpp");
}

/* No header of the SDK is left out. */
static void every_header(void **state)
{
    (void)state;
    static char text[1 << 16];
    FILE *f = fopen(source, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    DIR *all = opendir(headers);
    assert_non_null(all);
    unsigned n = 0;
    for (struct dirent *e; (e = readdir(all));) {
        char include[300];
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".h"))
            continue;
        snprintf(include, sizeof include, "#include <lanescope/sdk/%s>", e->d_name);
        if (!strstr(text, include))
            fail_msg("%s has no %s", source, include);
        n++;
    }
    closedir(all);
    assert_true(n >= 12);
}

static void json_strings(void **state)
{
    (void)state;
    /* RFC 8259, section 7: a quotation mark, the reverse solidus and controls need an escape; what lies beyond
     * U+FFFF takes two: U+E0001 is d800 + (d0001 >> 10 = 340) = db40, dc00 + 1. A byte that is no UTF-8 becomes
     * U+FFFD. U+202E turns the direction of a terminal's text. */
    static const char text[] = "a\"\\\n\xc3\xa9\xff\xe2\x80\xae\xf3\xa0\x80\x81";
    struct lanescope_json j;
    lanescope_json_begin(&j);
    lanescope_json_text(&j, "a", text);
    char *json = lanescope_json_finish(&j);
    assert_string_equal(json, "{\"a\":\"a\\\"\\\\\\u000a\xc3\xa9\\ufffd\\u202e\\udb40\\udc01\"}");
    free(json);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_c), cmocka_unit_test(as_cpp),
                                       cmocka_unit_test(every_header), cmocka_unit_test(json_strings)};
    if (argc != 4)
        return 2;
    harness_directory = argv[1];
    headers = argv[2];
    source = argv[3];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
