/*
 * test_alone.c - which functions are read with a kernel that was compiled without the plugin.
 *
 *   test_alone FILE
 */
#include "tests/check.h"

#include <stdio.h>
#include "join/machine/alone.h"

enum { N_NESTED = 4000, N_ROW = 1001 }; /* as kernels/nested.s has them */
static const char *path;

/* The kernel's table, of which "gfx90a" is what the file is for; *x must live as long. */
static struct ls_alone *read_kernel(const char *kernel, struct ls_isa **x)
{
    static char image[1 << 20];
    const char *why = NULL;
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t bytes = fread(image, 1, sizeof image, f);
    fclose(f);
    assert_in_range(bytes, 1, sizeof image - 1);
    *x = ls_isa_open(image, bytes, "amdgcn-amd-amdhsa--gfx90a", &why);
    if (!*x)
        fail_msg("%s", why);
    struct ls_alone *a = ls_alone_read(*x, kernel, "gfx90a", &why);
    if (!a)
        fail_msg("%s: %s", kernel, why);
    return a;
}

static unsigned n_sites(const struct ls_alone *a, const char *function, uint8_t kind)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < a->module.n_sites; i++)
        n += !strcmp(a->module.functions[i], function) && a->module.sites[i].kind == kind;
    return n;
}

/* A function inside of another is no second list of the same instructions, of which one would seem never to run. */
static void inner_functions(void **state)
{
    (void)state;
    struct ls_isa *x;
    struct ls_alone *a = read_kernel("calls_inner", &x);
    assert_int_equal(a->n_ranges, 2);
    assert_int_equal(a->module.n_sites, 3);
    assert_int_equal(n_sites(a, "outer", LS_SITE_STORE), 1);
    assert_int_equal(n_sites(a, "outer", LS_SITE_LOAD), 1);
    assert_int_equal(n_sites(a, "outer", LS_SITE_RMW), 1);
    ls_alone_free(a);
    ls_isa_close(x);
}

/* Each instruction once: 4000 functions that all reach to the end of the last one would be 8 million. */
static void through_pointer(void **state)
{
    (void)state;
    struct ls_isa *x;
    struct ls_alone *a = read_kernel("through_pointer", &x);
    assert_int_equal(a->n_ranges, 1 + 1 + 1 + N_ROW); /* itself, outer, nested_0, and the row */
    assert_int_equal(n_sites(a, "through_pointer", LS_SITE_LOAD), 1);
    assert_int_equal(n_sites(a, "through_pointer", LS_SITE_CALL), 1);
    assert_int_equal(n_sites(a, "nested_0", LS_SITE_LOAD), N_NESTED);
    assert_int_equal(a->module.n_sites, 2 + 3 + N_NESTED + N_ROW);
    ls_alone_free(a);
    ls_isa_close(x);
}

/* The callee comes before its caller in the file, each time. */
static void rows_of_calls(void **state)
{
    (void)state;
    struct ls_isa *x;
    struct ls_alone *a = read_kernel("calls_row", &x);
    assert_int_equal(a->n_ranges, 1 + N_ROW);
    assert_int_equal(a->module.n_sites, N_ROW);
    assert_int_equal(n_sites(a, "row_0", LS_SITE_LOAD), 1);
    ls_alone_free(a);
    ls_isa_close(x);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inner_functions),
        cmocka_unit_test(through_pointer),
        cmocka_unit_test(rows_of_calls),
    };
    if (argc != 2)
        return 2;
    path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
