/* advice_test.h - what the tests of the advice handler share: sites of each kind, one dispatch, and looks at its rows. gfx90a: 32 banks
 * of 4 bytes, two phases of 32 lanes, cache lines of 64 bytes. */
#ifndef ADVICE_TEST_H
#define ADVICE_TEST_H

#include "harness.h"

enum { STORE, LOAD, X, Y, Z, OTHER, SITES };
static const struct lanescope_site sites[SITES] = {
    [STORE] = {.kind = LS_SITE_STORE, .space = 3, .bytes = 4, .align = 4, .instruction = "store"},
    [LOAD] = {.kind = LS_SITE_LOAD, .space = 3, .bytes = 4, .align = 4, .instruction = "load"},
    [X] = {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4, .align = 4, .instruction = "load"},
    [Y] = {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4, .align = 4, .instruction = "load"},
    [Z] = {.kind = LS_SITE_STORE, .space = 1, .bytes = 4, .align = 4, .instruction = "store"},
    [OTHER] = {.kind = LS_SITE_LOAD, .space = 3, .bytes = 8, .align = 8, .instruction = "load"},
};
static const struct lanescope_dispatch dispatch = {HARNESS_DISPATCH(sites), .grid = {64, 1, 1},
                                                   .workgroup = {64, 1, 1}};

static struct harness h;

static inline void begin(void)
{
    assert_int_equal(harness_open(&h, "advice"), 0);
    harness_begin(&h, &dispatch);
}

/* The site has one row in the table, with this text. */
static inline void has(const char *table, uint32_t site, const char *text)
{
    const char *row = harness_row(&h, table, site, 0);
    assert_non_null(row);
    if (!strstr(row, text))
        fail_msg("%s lacks %s", row, text);
    assert_null(harness_row(&h, table, site, 1));
}

#endif
