/* test_match_copies.c - as test_match.c: the rules for copies, whose parts have registers in common. */
#include "tests/check.h"
#include "made_up.h"

enum { READ = LS_SITE_COPY_READ, WRITE = LS_SITE_COPY_WRITE };

/* A copy of 20 bytes, aligned to 2, of which the loads stand in a clause, behind that of another access, and have no place. What
 * the stores write out they have loaded. So it is the other way round. */
static void other_side(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1},
                                      {READ, GLOBAL, 20, .line = 6, .tag = 2, .align = 2},
                                      {WRITE, GLOBAL, 20, .line = 6, .tag = 2, .align = 2}};
    struct code c[] = {
        {"global_load_dword v0, v[2:3], off", .line = 5, .tag = 1, .registers = 7},
        {"global_load_dwordx4 v[4:7], v[10:11], off", .line = 5, .tag = 1, .follows = true,
         .in_clause = true},
        {"global_load_dword v8, v[12:13], off", .line = 5, .tag = 1, .follows = true, .in_clause = true},
        {"global_store_dwordx4 v[14:15], v[4:7], off", .line = 6, .tag = 2, .registers = 8,
         .moved = {{2, 2, 2, 2}, {0, 1, 2, 3}}},
        {"global_store_dword v[14:15], v8, off offset:16", .line = 6, .tag = 2, .registers = 8,
         .moved = {{3}, {0}}}};
    const struct code before = c[0];
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "exact, #1 0..15, #2 16..19", "exact, #3 0..15, #4 16..19");
    c[0].text = "s_load_dword s0, s[2:3], 0x0"; /* computes an address of the copy, it seems */
    c[0].tag = 2;
    c[1].tag = 2;
    EXPECT(MADE_UP(a, c), "absent", "exact, #1 0..15, #2 16..19", "exact, #3 0..15, #4 16..19");
    c[0] = before;
    c[1].tag = 1;
    c[4].moved.load[0] = 0; /* it is not known what is stored */
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "unclear", "exact, #3 0..15, #4 16..19");
    c[4].moved.load[0] =
        2; /* once more what another part stores, so that 16 bytes are loaded in all, at two places */
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "unclear", "exact, #3 0..15, #4 16..19");
}

/* Two copies of 68 bytes behind each other into private memory, in one clause: the instruction with the first one's tag makes up 68 bytes
 * with those around it from several places on (bytes 16 to 83, too), but all of them together are just both copies. */
static void behind_each_other(void **state)
{
    (void)state;
    static const struct access a[] = {
        {READ, GLOBAL, 68, .line = 6, .tag = 1, .together = 1, .group = 3, .align = 4},
        {READ, GLOBAL, 68, .line = 6, .tag = 2, .together = 1, .group = 3, .distance = 68, .align = 4}};
    static const struct code in_clause = {
        .line = 6, .tag = 1, .registers = 7, .follows = true, .in_clause = true};
    static const char *const text[] = {"global_load_dword v1, v[2:3], off offset:64",
                                       "global_load_dwordx4 v[4:7], v[2:3], off",
                                       "global_load_dwordx4 v[4:7], v[2:3], off offset:16",
                                       "global_load_dwordx4 v[4:7], v[2:3], off offset:32",
                                       "global_load_dwordx4 v[4:7], v[2:3], off offset:48",
                                       "global_load_dwordx4 v[4:7], v[2:3], off offset:68",
                                       "global_load_dwordx4 v[4:7], v[2:3], off offset:84",
                                       "global_load_dwordx4 v[4:7], v[2:3], off offset:100",
                                       "global_load_dwordx4 v[4:7], v[2:3], off offset:116",
                                       "global_load_dword v1, v[2:3], off offset:132"};
    struct code c[10];
    for (unsigned n = 0; n < 10; n++) {
        c[n] = in_clause;
        c[n].text = text[n];
        c[n].follows = c[n].in_clause = n > 0;
    }
    EXPECT(MADE_UP(a, c), "exact, #0 64..67, #1 0..15, #2 16..31, #3 32..47, #4 48..63",
           "exact, #5 0..15, #6 16..31, #7 32..47, #8 48..63, #9 64..67");
    c[0].tag = 2; /* lies in the first */
    EXPECT(MADE_UP(a, c), "unclear", "unclear");
    c[0].tag = 1;
    c[9].text = "global_load_dword v1, v[2:3], off offset:136"; /* is none of their bytes */
    EXPECT(MADE_UP(a, c), "unclear", "unclear");
}

/* The stores of a copy stand in the row of another access. A load is of one copy: if its value goes to two, nobody knows which
 * store is whose. */
static void side_that_is_written(void **state)
{
    (void)state;
    static const struct access a[] = {{STORE, GLOBAL, 4, .line = 5, .tag = 1},
                                      {READ, GLOBAL, 12, .line = 6, .tag = 2, .align = 4},
                                      {WRITE, GLOBAL, 12, .line = 6, .tag = 2, .align = 4}};
    struct code c[] = {
        {"global_load_dwordx3 v[4:6], v[10:11], off", .line = 6, .tag = 2, .registers = 7},
        {"global_store_dword v[2:3], v0, off", .line = 5, .tag = 1, .registers = 6},
        {"global_store_dwordx2 v[14:15], v[4:5], off", .line = 5, .tag = 1, .follows = true,
         .moved = {{1, 1}, {0, 1}}},
        {"global_store_dword v[16:17], v6, off", .line = 5, .tag = 1, .follows = true, .moved = {{1}, {2}}},
        {"global_store_dword v[18:19], v7, off", .line = 5, .tag = 1, .follows = true}};
    EXPECT(MADE_UP(a, c), "exact, #1 0..3", "exact, #0 0..11", "exact, #2 0..7, #3 8..11");
    c[4].moved = c[3].moved;
    EXPECT(MADE_UP(a, c), "exact, #1 0..3", "exact, #0 0..11", "unclear");
}

/* Of what a copy reads the first 8 bytes have just been loaded, and written there, by another access: they are not loaded again. */
static void side_that_is_known(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 8, .line = 5, .tag = 1},
                                      {READ, GLOBAL, 12, .line = 6, .tag = 2, .align = 4},
                                      {WRITE, GLOBAL, 12, .line = 6, .tag = 2, .align = 4}};
    static const struct code c[] = {
        {"global_load_dwordx2 v[4:5], v[10:11], off", .line = 5, .tag = 1, .registers = 7},
        {"global_load_dword v6, v[12:13], off", .line = 6, .tag = 2, .registers = 9},
        {"global_store_dwordx3 v[14:15], v[4:6], off", .line = 6, .tag = 2, .registers = 8,
         .moved = {{1, 1, 2}, {0, 1, 0}}}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..7", "exact, #1 8..11", "exact, #2 0..11");
}

/* 20 bytes far from the address that they are computed from: both parts have registers of their own, and those that come second
 * in the line table's rows seem to have no place. But one goes to the other, and each row is of the copy. The narrow part comes last. */
static void far_parts(void **state)
{
    (void)state;
    static const struct access a[] = {{READ, GLOBAL, 20, .line = 6, .tag = 2, .align = 1},
                                      {WRITE, GLOBAL, 20, .line = 6, .tag = 2, .align = 1}};
    struct code c[] = {
        {"global_load_dword v5, v1, s[2:3] offset:16", .line = 6, .tag = 2, .registers = 5},
        {"global_load_dwordx4 v[8:11], v2, s[4:5]", .line = 6, .tag = 2, .registers = 6, .follows = true},
        {"global_store_dwordx4 v3, v[8:11], s[6:7]", .line = 6, .tag = 2, .registers = 7,
         .moved = {{2, 2, 2, 2}, {0, 1, 2, 3}}},
        {"global_store_dword v4, v5, s[8:9] offset:16", .line = 6, .tag = 2, .registers = 8, .follows = true,
         .moved = {{1}, {0}}}};
    EXPECT(MADE_UP(a, c), "exact, #1 0..15, #0 16..19", "exact, #2 0..15, #3 16..19");
    c[3].tag = 3; /* another row */
    EXPECT(MADE_UP(a, c), "unclear", "unclear");
}

/* The store of an access tells where its load is, that has no place, and the other way round. Two of them tell where two parts are. */
static void by_the_other_direction(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, GLOBAL, 8, .line = 5, .tag = 1, .together = 1, .group = 1},
        {STORE, GLOBAL, 4, .line = 6, .tag = 2, .together = 1, .group = 1},
        {STORE, GLOBAL, 4, .line = 7, .tag = 3, .together = 1, .group = 1, .distance = 4}};
    struct code c[] = {
        {"global_load_dword v5, v[2:3], off", .line = 9, .tag = 9, .registers = 5, .follows = true},
        {"global_load_dword v6, v[4:5], off", .line = 9, .tag = 9, .registers = 6, .follows = true},
        {"global_load_dword v7, v[8:9], off", .line = 9, .tag = 9, .registers = 7, .follows = true},
        {"global_store_dword v[2:3], v5, off", .line = 6, .tag = 2, .registers = 5},
        {"global_store_dword v[4:5], v6, off", .line = 7, .tag = 3, .registers = 6}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3, #1 4..7", "exact, #3 0..3", "exact, #4 0..3");
    c[4].registers = 8;
    EXPECT(MADE_UP(a, c), "unclear", "exact, #3 0..3", "exact, #4 0..3");
}

/* 76 bytes, of which one side is aligned to 2: parts of 16 bytes, and two that reach back into the ones before them. Those that are
 * computed anew have the lower half of the address in common with the others. */
static void parts_that_overlap(void **state)
{
    (void)state;
    static const struct access a[] = {{WRITE, GLOBAL, 76, .line = 6, .tag = 2, .align = 2}};
    struct code c[] = {
        {"global_store_dwordx4 v[2:3], v[4:7], off offset:16", .line = 6, .tag = 2, .registers = 8, .low = 3},
        {"global_store_dwordx4 v[2:3], v[4:7], off offset:32", .line = 6, .tag = 2, .registers = 8, .low = 3},
        {"global_store_dwordx4 v[2:3], v[4:7], off offset:48", .line = 6, .tag = 2, .registers = 8, .low = 3},
        {"global_store_dwordx4 v[2:3], v[4:7], off offset:60", .line = 6, .tag = 2, .registers = 8, .low = 3},
        {"global_store_dwordx4 v0, v[4:7], s[2:3]", .line = 6, .tag = 2, .registers = 9, .low = 3}};
    EXPECT(MADE_UP(a, c), "exact, #4 0..15, #0 16..31, #1 32..47, #2 48..63, #3 60..75");
    c[4].low_shift = 4; /* 4 bytes behind: the first ones would be left out, and the rest is too long */
    EXPECT(MADE_UP(a, c), "unclear");
    c[4].low_shift = 0;
    c[4].low = 4;
    EXPECT(MADE_UP(a, c), "unclear");
}

/* Three copies of 28 bytes, one behind the other, of which code generation made stores anew: bytes 8 to 35 have the number of
 * the first one, 36 to 63 that of the second, which are as long as these, but begin 8 bytes later. */
static void stores_made_anew(void **state)
{
    (void)state;
    static const struct access a[] = {
        {WRITE, GLOBAL, 28, .line = 6, .tag = 1, .align = 2, .together = 1, .group = 1},
        {WRITE, GLOBAL, 28, .line = 6, .tag = 2, .align = 2, .together = 1, .group = 1, .distance = 28},
        {WRITE, GLOBAL, 28, .line = 6, .tag = 3, .align = 2, .together = 1, .group = 1, .distance = 56}};
    static const struct code c[] = {
        {"global_store_dwordx2 v[2:3], v[4:5], off", .line = 6, .tag = 1, .registers = 8},
        {"global_store_dwordx4 v[2:3], v[4:7], off offset:8", .line = 6, .tag = 1, .registers = 8},
        {"global_store_dwordx3 v[2:3], v[4:6], off offset:24", .line = 6, .tag = 1, .registers = 8},
        {"global_store_dwordx4 v[2:3], v[4:7], off offset:36", .line = 6, .tag = 2, .registers = 8},
        {"global_store_dwordx3 v[2:3], v[4:6], off offset:52", .line = 6, .tag = 2, .registers = 8},
        {"global_store_dwordx4 v[2:3], v[4:7], off offset:64", .line = 6, .tag = 3, .registers = 8},
        {"global_store_dword v[2:3], v4, off offset:80", .line = 6, .tag = 3, .registers = 8}};
    EXPECT(MADE_UP(a, c), "shared at 0, #0 0..7, #1 8..23, #2 24..35", "shared at 1, #3 8..23, #4 24..35",
           "shared at 1, #5 8..23, #6 24..27");
}

/* 44 bytes of which the first 4 have been changed: a store, and a copy of the rest, with its number on all. */
static void beginning_stored(void **state)
{
    (void)state;
    static const struct access a[] = {
        {STORE, GLOBAL, 4, .together = 1, .group = 1},
        {WRITE, GLOBAL, 40, .line = 6, .tag = 2, .align = 4, .together = 1, .group = 1, .distance = 4}};
    static const struct code c[] = {
        {"global_store_dword v[2:3], v4, off", .line = 6, .tag = 2, .registers = 8},
        {"global_store_dwordx4 v[2:3], v[4:7], off offset:4", .line = 6, .tag = 2, .registers = 8},
        {"global_store_dwordx4 v[2:3], v[4:7], off offset:20", .line = 6, .tag = 2, .registers = 8},
        {"global_store_dwordx4 v[2:3], v[4:7], off offset:28", .line = 6, .tag = 2, .registers = 8}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "exact, #1 0..15, #2 16..31, #3 24..39");
}

/* Two stores to one place, of which code generation does one, and a third one to another: the second of these has no instruction.
 * Made one of 8 bytes with their neighbours, without a tag, both pairs are the same, and one of them is done. If they are on
 * other lines, and it on none, it matters which. */
static void stored_twice(void **state)
{
    (void)state;
    static const struct access a[] = {
        {STORE, GLOBAL, 4, .line = 6, .tag = 1, .together = 1, .group = 1},
        {STORE, GLOBAL, 4, .line = 7, .tag = 2, .together = 1, .group = 1, .distance = 64},
        {STORE, GLOBAL, 4, .line = 8, .tag = 3, .together = 1, .group = 1}};
    static const struct code c[] = {
        {"global_store_dword v[2:3], v4, off", .line = 6, .tag = 1, .registers = 8},
        {"global_store_dword v[2:3], v4, off offset:64", .line = 7, .tag = 2, .registers = 8}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "exact, #1 0..3", "absent");
    struct access b[] = {{STORE, GLOBAL, 4, .line = 6, .tag = 1, .together = 1, .group = 1},
                         {STORE, GLOBAL, 4, .line = 6, .tag = 2, .together = 1, .group = 1, .distance = 4},
                         {STORE, GLOBAL, 4, .line = 6, .tag = 3, .together = 1, .group = 1},
                         {STORE, GLOBAL, 4, .line = 6, .tag = 4, .together = 1, .group = 1, .distance = 4}};
    struct code one[] = {{"global_store_dwordx2 v[2:3], v[4:5], off", .line = 6, .registers = 8}};
    EXPECT(MADE_UP(b, one), "shared at 0, #0 0..7", "shared at 0", "absent", "absent");
    b[2].line = b[3].line = 7;
    one[0].line = 0;
    EXPECT(MADE_UP(b, one), "unclear", "unclear", "unclear", "unclear");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_side),
        cmocka_unit_test(behind_each_other),
        cmocka_unit_test(side_that_is_written),
        cmocka_unit_test(side_that_is_known),
        cmocka_unit_test(parts_that_overlap),
        cmocka_unit_test(stores_made_anew),
        cmocka_unit_test(beginning_stored),
        cmocka_unit_test(stored_twice),
        cmocka_unit_test(far_parts),
        cmocka_unit_test(by_the_other_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
