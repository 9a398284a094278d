/*
 * test_metadata.c - registers from metadata notes written by hand, and from damaged ones: nothing is read
 * outside of the note (it is at the end of its own memory), and each way to damage it ends.
 */
#include "tests/check.h"
#include "objects/metadata.h"

#include <stdlib.h>

/* {"amdhsa.version": [1, 2], "amdhsa.kernels": [{".name": "a", ".sgpr_count": 10, ".args": [{".size": 8}]},
 * {".vgpr_count": 300, ".agpr_count": -1, ".name": "bb", ".sgpr_count": 70000}]} */
static const char good[] =
    "\x82\xae"
    "amdhsa.version\x92\x01\x02\xae"
    "amdhsa.kernels\x92\x83\xa5.name\xa1"
    "a\xab.sgpr_count\x0a\xa5.args\x91\x81\xa5.size\x08\x84\xab.vgpr_count\xcd\x01\x2c\xab"
    ".agpr_count\xff\xa5.name\xd9\x02"
    "bb\xab.sgpr_count\xce\x00\x01\x11\x70";
enum { SIZE = sizeof good - 1 };

static bool find(const void *note, size_t size, const char *kernel, struct ls_isa_registers *r)
{
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, note, size);
    *r = (struct ls_isa_registers){0};
    struct ls_metadata *x = ls_metadata_of_note(copy, size);
    assert_non_null(x);
    bool found = ls_metadata_registers(x, kernel, r);
    ls_metadata_free(x);
    free(copy);
    return found;
}

static void kernels(void **state)
{
    (void)state;
    struct ls_isa_registers r;
    assert_true(find(good, SIZE, "a", &r));
    assert_true(r.sgprs == 10 && r.vgprs == 0 && r.agprs == 0);
    assert_true(find(good, SIZE, "bb", &r));
    assert_true(r.sgprs == 70000 && r.vgprs == 300 && r.agprs == 0);
    assert_false(find(good, SIZE, "b", &r));
    assert_false(find(good, SIZE, "", &r));
}

/* Cut off anywhere before the second kernel's name ends, it has no such kernel. */
static void cut(void **state)
{
    (void)state;
    struct ls_isa_registers r;
    const size_t name_ends = SIZE - 1 - strlen(".sgpr_count") - 5;
    for (size_t n = 0; n < SIZE; n++)
        assert_int_equal(find(good, n, "bb", &r), n >= name_ends);
}

/* Lists of lists of lists, arrays of 2^32 - 1 elements, strings of 2^32 - 1 bytes, data of kinds that are not
 * there. */
static void odd(void **state)
{
    (void)state;
    struct ls_isa_registers r;
    char deep[4096];
    memset(deep, (char)0x91, sizeof deep);
    memcpy(deep,
           "\x81\xae"
           "amdhsa.kernels",
           16);
    assert_false(find(deep, sizeof deep, "a", &r));
    static const char *const ends[] = {"\xdd\xff\xff\xff\xff",
                                       "\xdb\xff\xff\xff\xff",
                                       "\xdf\xff\xff\xff\xff\xa0",
                                       "\xc1",
                                       "\xc6\xff\xff\xff\xff",
                                       "\xc7\x01\x01\x01",
                                       "\xc0",
                                       "\x2a",
                                       "\xa1x"};
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
        memcpy(deep + 16, ends[i], strlen(ends[i]));
        assert_false(find(deep, 16 + strlen(ends[i]), "a", &r));
    }
}

/* Each bit of each byte the other way, alone and with another one. */
static void damaged(void **state)
{
    (void)state;
    struct ls_isa_registers r;
    uint32_t seed = 1, found = 0;
    for (unsigned bit = 0; bit < SIZE * 8; bit++)
        for (unsigned more = 0; more < 20; more++) {
            char bad[SIZE];
            memcpy(bad, good, SIZE);
            bad[bit / 8] ^= (char)(1 << bit % 8);
            seed = seed * 1664525u + 1013904223u;
            bad[(seed >> 8) % SIZE] ^= more ? (char)(seed >> 24) : 0;
            found += find(bad, SIZE, "bb", &r);
        }
    assert_in_range(found, 1, SIZE * 8 * 20 - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels), cmocka_unit_test(cut),
                                       cmocka_unit_test(odd), cmocka_unit_test(damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
