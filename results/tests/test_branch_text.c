/* What is quoted of a branch: statements and conditions of HIP, masks of Triton; columns as compilers give them. */
#include "results/advice/branch_text.h"
#include "results/profile/profile_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void quotes(const char *path, const char *text, int64_t line, int64_t column, const char *expected)
{
    struct ls_p_file file = {.path = path, .text = text, .size = strlen(text)};
    struct ls_profile p = {.files = &file, .n_files = 1};
    profile_enter(&p, &p.file_index, path)->index = 0;
    char *found =
        ls_branch_text(&p, path, line, column, strchr(path, '.') == NULL || strstr(path, ".py") != NULL);
    HASH_CLEAR(hh, p.file_index);
    ls_arena_free(&p.arena);
    if (!expected)
        assert_null(found);
    else if (!found)
        fail_msg("nothing, not: %s", expected);
    else
        assert_string_equal(found, expected);
    free(found);
}

static void test_hip(void **state)
{
    (void)state;
    quotes("a.hip", "  if (i % 8 == 0) x = 1;\n", 1, 7, "if (i % 8 == 0)");
    quotes("a.hip", "\n  } else if (f(a, b) && c) {\n", 2, 20, "else if (f(a, b) && c)");
    quotes("a.hip", "x = i < n ? a : b;\n", 1, 5, "i < n ? a : b");
    quotes("a.hip", "x = 1;\n", 7, 1, NULL);
}

/* The place of a masked access is that of an argument in older versions, of the call in newer ones. */
static void test_masks(void **state)
{
    const char *call =
        "    v = tl.load(x + row * columns + c, mask=inside & (c < 3), other=-float(\"inf\"))\n";
    const char *two = "s = tl.load(a, mask=m1) + tl.load(b, mask=m2)\n";
    const char *apart =
        "tl.store(\n    out,  # mask=none\n    'mask=no',\n    mask = rows[:, None] < n,\n)\ny = f(mask=9)\n";
    (void)state;
    for (int64_t column = 0; column < 80; column++)
        quotes("a.py", call, 1, column, "mask=inside & (c < 3)");
    quotes("a.py", two, 1, 5, "mask=m1");
    quotes("a.py", two, 1, 12, "mask=m1");
    quotes("a.py", two, 1, 26, "mask=m2");
    quotes("a.py", two, 1, 36, "mask=m2");
    quotes("a.py", apart, 1, 1, "mask = rows[:, None] < n");
    quotes("a.py", "y = g(tl.load(p, mask=m))\n", 1, 0, "mask=m");
}

/* Where the mask has no name, nothing is quoted in its place; a condition of Python is one. */
static void test_without_mask(void **state)
{
    (void)state;
    quotes("a.py", "    tl.store(out + i, e / total, inside)\ny = f(mask=9)\n", 1, 23, NULL);
    quotes("a.py", "    tl.store(out, unmask == 1)\n", 1, 10, NULL);
    quotes("a.py", "    tl.store(out, mask == 1", 1, 10, NULL);
    quotes("a.py", "    if row < n:  \n", 1, 8, "if row < n:");
    quotes("a.py", "f(mask", 1, 1, NULL);
    quotes("a.py", "f('mask", 1, 1, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hip),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_without_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
