/* test_cover.c - covers of accesses by instructions, small enough to be found by hand. */
#include "tests/check.h"
#include "join/machine/text/op_text.h"
#include "join/cover.h"

/* With work for more than any of these needs. */
static bool cover(struct ls_cover_site *s, uint32_t n_sites, struct ls_cover_instruction *i, uint32_t n)
{
    struct ls_work work = {.left = 10000000};
    bool found = ls_cover(s, n_sites, i, n, false, &work);
    assert_false(work.over);
    return found;
}

/* Families of 4-byte LDS loads of one line at the given distances. */
static void loads(struct ls_cover_site *s, uint32_t n, const int64_t *at)
{
    for (uint32_t i = 0; i < n; i++)
        s[i] = (struct ls_cover_site){.addr = at[i], .bytes = 4, .line = 7, .space = 3};
}

static struct ls_cover_instruction instruction(const char *text)
{
    return (struct ls_cover_instruction){.form = ls_isa_form(text), .line = 7};
}

/* Four loads of an unrolled loop in two pairs (0,512) and (128,640): the distances of the instructions
 * decide. */
static void pairs_by_distance(void **state)
{
    (void)state;
    struct ls_cover_site s[4];
    loads(s, 4, (const int64_t[]){0, 128, 512, 640});
    struct ls_cover_instruction i[] = {instruction("ds_read2_b32 v[0:1], v9 offset1:128"),
                                       instruction("ds_read2_b32 v[2:3], v9 offset0:32 offset1:160")};
    assert_true(cover(s, 4, i, 2));
    assert_int_equal(i[0].site[0], 0);
    assert_int_equal(i[0].site[1], 2);
    assert_int_equal(i[1].site[0], 1);
    assert_int_equal(i[1].site[1], 3);
    /* the same with st64: 2 * 64 * 4 = 512 */
    i[0] = instruction("ds_read2st64_b32 v[0:1], v9 offset1:2");
    assert_true(cover(s, 4, i, 2));
    assert_int_equal(i[0].site[1], 2);
    /* no two loads lie 12 bytes apart */
    i[0] = instruction("ds_read2_b32 v[0:1], v9 offset1:3");
    assert_false(cover(s, 4, i, 2));
}

/* A main loop of two loads that were seen and a remainder that was not: the pair is the main loop's. */
static void unseen_remainder(void **state)
{
    (void)state;
    struct ls_cover_site s[3];
    loads(s, 3, (const int64_t[]){0, 0, 4});
    s[0].unplaced = true;
    s[1].family = s[2].family = 1;
    struct ls_cover_instruction i[] = {instruction("ds_read2_b32 v[0:1], v9 offset1:1"),
                                       instruction("ds_read_b32 v0, v9")};
    assert_true(cover(s, 3, i, 2));
    for (int k = 0; k < 2; k++)
        if (i[k].form.pair)
            assert_true(i[k].site[0] == 1 && i[k].site[1] == 2);
        else
            assert_int_equal(i[k].site[0], 0);
}

/* 16 bytes as one pair of 8; 12 bytes as 8 and 4, in the order of the immediate offsets; 4 + 4 bytes as
 * one 8. */
static void widths(void **state)
{
    (void)state;
    struct ls_cover_site one = {.bytes = 16, .line = 7, .space = 3};
    struct ls_cover_instruction pair = instruction("ds_read2_b64 v[0:3], v9 offset1:1");
    assert_true(cover(&one, 1, &pair, 1));
    assert_int_equal(pair.site[1], 0);
    assert_int_equal(pair.offset[1], 8);

    one = (struct ls_cover_site){.bytes = 12, .line = 7, .space = 1};
    struct ls_cover_instruction split[] = {instruction("global_load_dwordx2 v[0:1], v[8:9], off"),
                                           instruction("global_load_dword v2, v[8:9], off offset:8")};
    split[0].base = split[1].base = 5;
    assert_true(cover(&one, 1, split, 2));
    assert_int_equal(split[0].offset[0], 0);
    assert_int_equal(split[1].offset[0], 8);

    struct ls_cover_site two[2];
    loads(two, 2, (const int64_t[]){4, 0});
    struct ls_cover_instruction wide = instruction("ds_read_b64 v[0:1], v9");
    assert_true(cover(two, 2, &wide, 1));
    assert_int_equal(wide.site[0], 1);
    /* but not when they are not neighbours */
    two[0].addr = 8;
    assert_false(cover(two, 2, &wide, 1));
}

/* Of a uniform load and one that is not, one vector instruction is left: the uniform one is scalar. */
static void scalar(void **state)
{
    (void)state;
    struct ls_cover_site s[] = {{.family = 9, .bytes = 4, .space = 1, .may_scalar = true},
                                {.family = 1, .bytes = 4, .space = 1}};
    struct ls_cover_instruction i = instruction("global_load_dword v2, v[8:9], off");
    assert_true(cover(s, 2, &i, 1));
    assert_true(s[0].scalar && !s[1].scalar);
    assert_int_equal(i.site[0], 1);
    s[0].may_scalar = false;
    assert_false(cover(s, 2, &i, 1));
}

/* Three neighbours became one access of 24 bytes, which was split into 16 and 8: both parts have the tag of
 * one of the three. The registers and offsets tell which part is where. */
static void split_row(void **state)
{
    (void)state;
    struct ls_cover_site s[] = {{.bytes = 8, .line = 7, .space = 1, .addr = 8, .tag = 3},
                                {.bytes = 8, .line = 8, .space = 1, .addr = 16, .tag = 4},
                                {.bytes = 8, .line = 8, .space = 1, .addr = 0, .tag = 5}};
    struct ls_cover_instruction i[] = {instruction("global_load_dwordx2 v[0:1], v[8:9], off offset:8"),
                                       instruction("global_load_dwordx4 v[4:7], v[8:9], off offset:-8")};
    i[0].tag = i[1].tag = 3;
    assert_false(cover(s, 3, i, 2)); /* 8 and 16, or 16 and 8 */
    i[0].base = i[1].base = 5;
    assert_true(cover(s, 3, i, 2));
    assert_int_equal(i[0].site[0], 1);
    assert_int_equal(i[1].site[0], 2);
    /* a row that the access with its number is not in */
    i[0].tag = i[1].tag = 9;
    s[0].tag = 0;
    s[0].addr = 16;
    s[1].addr = 100;
    s[1].tag = 9;
    assert_false(cover(s, 3, i, 2));
}

/* Two stores of which either may be the pair's second: nothing tells which. */
static void two_covers(void **state)
{
    (void)state;
    struct ls_cover_site s[3];
    loads(s, 3, (const int64_t[]){0, 64, 64});
    struct ls_cover_instruction i[] = {instruction("ds_read2_b32 v[0:1], v9 offset1:16"),
                                       instruction("ds_read_b32 v0, v9 offset:64")};
    assert_false(cover(s, 3, i, 2));
    s[1].group = s[2].group = 5; /* executed together */
    assert_true(cover(s, 3, i, 2));
    s[1].group = s[2].group = 0;
    s[1].tag = i[1].tag = 4;
    assert_true(cover(s, 3, i, 2));
    assert_int_equal(i[0].site[1], 2);
    assert_int_equal(i[1].site[0], 1);
}

/* Forty loads at unknown distances and as many instructions in as many blocks: which does which makes no
 * difference. Where instructions must stand is kept to. */
static void alike(void **state)
{
    (void)state;
    enum { N = 40 };
    struct ls_cover_site s[N];
    struct ls_cover_instruction i[N];
    for (uint32_t k = 0; k < N; k++) {
        s[k] = (struct ls_cover_site){.family = k, .bytes = 4, .line = 7, .space = 3};
        i[k] = instruction("ds_read_b32 v0, v9");
        i[k].block = i[k].base = k + 1;
        i[k].form.at = (int32_t)k * 4;
        i[k].context = k % 4 + 1;
    }
    assert_true(cover(s, N, i, N));
    for (uint32_t k = 0; k < N; k++) {
        s[k].context = (N - 1 - k) % 4 + 1;
        i[k].block = i[k].base = k + 1;
    }
    assert_true(cover(s, N, i, N));
    for (uint32_t k = 0; k < N; k++)
        assert_int_equal(s[i[k].site[0]].context, i[k].context);
    /* one more that must stand where none is left */
    s[0].context = s[0].context % 4 + 1;
    assert_false(cover(s, N, i, N));
}

/* 24 bytes in two overlapping parts, 0 to 15 and 8 to 23, each a pair of 8: without `alone` a pair could do
 * half of each part. */
static void parts_alone(void **state)
{
    (void)state;
    struct ls_cover_site s[] = {{.addr = 0, .bytes = 16, .line = 7, .space = 3, .alone = true},
                                {.addr = 8, .bytes = 16, .line = 7, .space = 3, .alone = true}};
    struct ls_cover_instruction i[] = {instruction("ds_write2_b64 v9, v[0:1], v[2:3] offset1:1"),
                                       instruction("ds_write2_b64 v9, v[4:5], v[6:7] offset0:1 offset1:2")};
    i[0].base = i[1].base = 5;
    assert_true(cover(s, 2, i, 2));
    for (int k = 0; k < 2; k++) {
        assert_int_equal(i[k].site[0], k);
        assert_int_equal(i[k].site[1], k);
        assert_int_equal(i[k].offset[1], 8);
    }
    s[0].alone = s[1].alone = false;
    assert_false(cover(s, 2, i, 2));
    /* nor one wide instruction a half of each */
    struct ls_cover_site half[] = {{.addr = 0, .bytes = 4, .line = 7, .space = 1, .alone = true},
                                   {.addr = 4, .bytes = 4, .line = 7, .space = 1, .alone = true}};
    struct ls_cover_instruction wide = instruction("global_load_dwordx2 v[0:1], v[8:9], off");
    assert_false(cover(half, 2, &wide, 1));
}

/* 48 stores of 3 bytes, in two instructions each from the same registers; the last access is one byte short,
 * and one instruction too. As the places of all follow from that of one, it takes no search to find out that
 * there is no cover when an instruction stands elsewhere, nor the cover when it does not: some operations for
 * each pair of site and instruction. */
static void one_body(void **state)
{
    (void)state;
    enum { N = 48, ENOUGH = 100 * N * 2 * N };
    struct ls_cover_site s[N];
    struct ls_cover_instruction i[2 * N];
    for (int wrong = 0; wrong < 2; wrong++) {
        for (uint32_t k = 0; k < N; k++) {
            s[k] = (struct ls_cover_site){.addr = 96 * k, .bytes = 3, .space = 3};
            i[2 * k] = instruction("ds_write_b16 v9, v0");
            i[2 * k + 1] = instruction("ds_write_b8 v9, v0");
            i[2 * k].form.at = (int32_t)(96 * k);
            i[2 * k + 1].form.at = (int32_t)(96 * k + 2);
            i[2 * k].base = i[2 * k + 1].base = 5;
        }
        i[2 * N - 2].form.at += wrong;
        struct ls_work work = {.left = ENOUGH};
        assert_int_equal(ls_cover(s, N, i, 2 * N, false, &work), !wrong);
        assert_false(work.over);
    }
}

/* 24 groups of two instructions, each from registers of its own, and 24 groups of two accesses at unknown
 * distances: all ways to bring them together do the same. One is tried. */
static void same_bodies(void **state)
{
    (void)state;
    enum { N = 24, ENOUGH = 1000000 };
    struct ls_cover_site s[2 * N];
    struct ls_cover_instruction i[2 * N];
    for (uint32_t k = 0; k < 2 * N; k++) {
        s[k] = (struct ls_cover_site){.addr = k / 2 * 1000 + k % 2 * 64, .bytes = 4, .line = 7, .space = 3};
        i[k] = instruction(k % 2 ? "ds_read_b32 v0, v9 offset:64" : "ds_read_b32 v0, v9");
        i[k].base = 10 + k / 2;
    }
    struct ls_work work = {.left = ENOUGH};
    assert_true(ls_cover(s, 2 * N, i, 2 * N, false, &work));
    for (uint32_t k = 0; k < 2 * N; k++)
        assert_int_equal(i[k].site[0] % 2, k % 2);
}

/* The operand of a matrix product in swizzled memory: 8 groups of four accesses 64 bytes apart, at unknown distances from
 * each other, and 8 groups of two pairs, each from registers of its own. There are more covers than can be tried, as the two
 * pairs of a group may also stand in different ones. All do the same: each access is one part of a pair. */
static void swizzled(void **state)
{
    (void)state;
    enum { N = 8, ENOUGH = 2000000 };
    struct ls_cover_site s[4 * N];
    struct ls_cover_instruction i[2 * N];
    for (uint32_t k = 0; k < 4 * N; k++)
        s[k] = (struct ls_cover_site){.addr = k % 4 * 64, .family = k / 4, .bytes = 4, .line = 7, .space = 3};
    for (uint32_t k = 0; k < 2 * N; k++) {
        i[k] = instruction(k % 2 ? "ds_read2_b32 v[0:1], v9 offset0:32 offset1:48"
                                 : "ds_read2_b32 v[0:1], v9 offset1:16");
        i[k].base = 10 + k / 2;
    }
    struct ls_work work = {.left = ENOUGH};
    assert_true(ls_cover(s, 4 * N, i, 2 * N, false, &work));
    uint32_t done[4 * N] = {0};
    for (uint32_t k = 0; k < 2 * N; k++) {
        assert_int_equal(i[k].site[1], i[k].site[0] + 1); /* 64 bytes behind it */
        done[i[k].site[0]]++;
        done[i[k].site[1]]++;
    }
    for (uint32_t k = 0; k < 4 * N; k++)
        assert_int_equal(done[k], 1);
    /* Which of them has a line of its own matters. */
    i[0].line = i[0].shown = 8;
    work.left = ENOUGH;
    assert_false(ls_cover(s, 4 * N, i, 2 * N, false, &work));
}

/* Four accesses, two each at one address, of which one is read for its first byte alone. Two pairs do all bytes: it makes no
 * difference which of them does that. */
static void alike_but_for_unused(void **state)
{
    (void)state;
    struct ls_cover_site s[4];
    loads(s, 4, (const int64_t[]){0, 512, 0, 512});
    struct ls_cover_instruction i[2];
    for (uint32_t k = 0; k < 4; k++) {
        s[k].group = 1;
        s[k].tag = k + 1;
    }
    s[3].unused = 14;
    for (uint32_t k = 0; k < 2; k++) {
        i[k] = instruction("ds_read2st64_b32 v[0:1], v9 offset1:2");
        i[k].tag = 2 * k + 1;
    }
    assert_true(cover(s, 4, i, 2));
    assert_int_equal(i[0].site[0], 0);
    assert_int_equal(i[1].site[0], 2);
}

/* Both operands of a matrix product, on lines 7 and 8: two pairs each, of which one has the line of its value and the others
 * have no place. Each access is one part of a pair, whichever pair that is. Not so if accesses on both lines could be the
 * two parts of one pair, which is counted on its line. */
static void on_two_lines(void **state)
{
    (void)state;
    enum { N = 4 };
    struct ls_cover_site s[2 * N];
    struct ls_cover_instruction i[N];
    for (unsigned near = 0; near < 2; near++) {
        for (uint32_t k = 0; k < 2 * N; k++)
            s[k] = (struct ls_cover_site){.addr = k % 2 * 128,
                                          .family = near ? 0 : k / 2,
                                          .bytes = 8,
                                          .line = 7 + k / N,
                                          .tag = k + 1,
                                          .space = 3};
        for (uint32_t k = 0; near && k < 2 * N; k++) /* 7 8 7 8 ... */
            s[k] = (struct ls_cover_site){
                .addr = k / 2 * 256 + k % 2 * 128, .bytes = 8, .line = 7 + k % 2, .tag = k + 1, .space = 3};
        for (uint32_t k = 0; k < N; k++) {
            i[k] = instruction("ds_read2_b64 v[0:3], v9 offset1:16");
            i[k].line = k == 1 ? 7 : 0;
            i[k].shown = 7 + k / 2;
        }
        assert_int_equal(cover(s, 2 * N, i, N), !near);
        for (uint32_t k = 0; !near && k < N; k++) {
            assert_true(i[k].alike);
            assert_int_equal(i[k].site[1], i[k].site[0] + 1);
        }
    }
}

/* 60 words side by side, as many even as odd ones, and pairs of which one does two even or two odd words, and
 * all others one of each: there is no cover, but many ways to begin one. The search ends with its budget,
 * which is the work that it has done. */
static void budget(void **state)
{
    (void)state;
    enum { N = 60, BUDGET = 3000000 };
    struct ls_cover_site s[N];
    struct ls_cover_instruction i[N / 2];
    for (uint32_t k = 0; k < N; k++)
        s[k] = (struct ls_cover_site){.addr = 4 * k, .bytes = 4, .line = 7, .space = 3};
    for (uint32_t k = 0; k < N / 2; k++)
        i[k] = instruction(k == 0  ? "ds_read2_b32 v[0:1], v9 offset1:2"
                           : k % 2 ? "ds_read2_b32 v[0:1], v9 offset1:1"
                                   : "ds_read2_b32 v[0:1], v9 offset1:3");
    struct ls_work work = {.left = BUDGET};
    assert_false(ls_cover(s, N, i, N / 2, false, &work));
    assert_true(work.over);
    assert_int_equal(work.left, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_by_distance),
                                       cmocka_unit_test(unseen_remainder),
                                       cmocka_unit_test(widths),
                                       cmocka_unit_test(parts_alone),
                                       cmocka_unit_test(scalar),
                                       cmocka_unit_test(split_row),
                                       cmocka_unit_test(two_covers),
                                       cmocka_unit_test(alike),
                                       cmocka_unit_test(one_body),
                                       cmocka_unit_test(same_bodies),
                                       cmocka_unit_test(swizzled),
                                       cmocka_unit_test(on_two_lines),
                                       cmocka_unit_test(alike_but_for_unused),
                                       cmocka_unit_test(budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
