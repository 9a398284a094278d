/* test_match.c - the rules of docs/internals/join.md ("How they are joined"), each on accesses and instructions that
 * were written by hand. What must come out follows from the rule alone, and stands in the comment. Here the rounds, and
 * the pool of a tag; exact covers are in test_match_covers.c, the rules behind them in test_match_others.c. */
#include "tests/check.h"
#include "made_up.h"

/* ---- rule 1: rounds ---- */

/* x[i] + y[i]: two loads of one line. The machine code loads y first; tags say so. */
static void same_tag(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .column = 10, .tag = 1},
                                      {LOAD, GLOBAL, 4, .line = 5, .column = 17, .tag = 2}};
    static const struct code c[] = {{"global_load_dword v1, v[2:3], off", .line = 5, .tag = 2},
                                    {"global_load_dword v4, v[6:7], off", .line = 5, .tag = 1}};
    EXPECT(MADE_UP(a, c), "exact, #1 0..3", "exact, #0 0..3");
}

/* The vectoriser made one load of the accesses with tags 3 and 4. It has no tag, and its instruction that of
 * the first. */
static void tag_of_the_first(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 8, .line = 5, .merged = 3},
                                      {LOAD, GLOBAL, 8, .line = 5, .tag = 9}};
    static const struct code c[] = {{"global_load_dwordx2 v[0:1], v[8:9], off", .line = 5, .tag = 9},
                                    {"global_load_dwordx2 v[2:3], v[6:7], off", .line = 5, .tag = 3}};
    EXPECT(MADE_UP(a, c), "exact, #1 0..7", "exact, #0 0..7");
}

/* One place that was inlined through calls on lines 20 and 30. Without tags the calls tell the instructions
 * apart. */
static void place_and_calls(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .column = 3, .call = 20},
                                      {LOAD, GLOBAL, 4, .line = 5, .column = 3, .call = 30}};
    static const struct code c[] = {
        {"global_load_dword v1, v[2:3], off", .line = 5, .column = 3, .call = 30},
        {"global_load_dword v4, v[6:7], off", .line = 5, .column = 3, .call = 20}};
    EXPECT(MADE_UP(a, c), "exact, #1 0..3", "exact, #0 0..3");
}

/* Columns 3 and 9 of a line tell apart what has neither tags nor calls; without columns only the widths do. */
static void place_then_line(void **state)
{
    (void)state;
    struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .column = 3},
                         {LOAD, GLOBAL, 4, .line = 5, .column = 9}};
    struct code c[] = {{"global_load_dword v1, v[2:3], off", .line = 5, .column = 9},
                       {"global_load_dword v4, v[6:7], off", .line = 5, .column = 3}};
    EXPECT(MADE_UP(a, c), "exact, #1 0..3", "exact, #0 0..3");
    a[0].bytes = 2;
    c[0].column = c[1].column = 0;
    c[1].text = "global_load_ushort v4, v[6:7], off";
    EXPECT(MADE_UP(a, c), "exact, #1 0..1", "exact, #0 0..3");
}

/* A store in another line is no candidate for a load, nor is LDS for global memory: each access takes the one
 * of its direction and class, though no line of the code agrees with any other. */
static void whole_function(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, GLOBAL, 4, .line = 5}, {STORE, GLOBAL, 4, .line = 6}, {LOAD, LDS, 4, .line = 7}};
    static const struct code c[] = {{"ds_read_b32 v0, v1", .line = 0},
                                    {"global_store_dword v[2:3], v0, off", .line = 0},
                                    {"global_load_dword v1, v[2:3], off", .line = 0}};
    EXPECT(MADE_UP(a, c), "exact, #2 0..3", "exact, #1 0..3", "exact, #0 0..3");
}

/* The compiler found out that a flat access goes to LDS. The other way round is no join: a flat instruction
 * is not what an access to global memory becomes. */
static void flat(void **state)
{
    (void)state;
    struct access a[] = {{LOAD, FLAT, 4, .line = 5, .tag = 1}};
    struct code c[] = {{"ds_read_b32 v0, v1", .line = 5, .tag = 1}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3");
    a[0].space = GLOBAL;
    c[0].text = "flat_load_dword v0, v[2:3]";
    EXPECT(MADE_UP(a, c), "unclear");
}

/* Two turns of a loop, unrolled: each reads 0..11 and 84..95, of which 0..7 is one access, and the words at 8 and
 * 92 are read by a pair. Both pairs are in one row of the line table, of which only the first has the line; each is
 * counted on the first access that it does, on the same line, so which is whose makes no difference. */
static void pairs_of_one_row(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, LDS, 8, .line = 9, .tag = 1, .group = 1, .variable = 1, .distance = 0, .together = 1},
        {LOAD, LDS, 4, .line = 9, .tag = 2, .group = 1, .variable = 1, .distance = 8, .together = 1},
        {LOAD, LDS, 4, .line = 9, .tag = 3, .group = 1, .variable = 1, .distance = 92, .together = 1},
        {LOAD, LDS, 8, .line = 9, .tag = 4, .group = 2, .variable = 1, .distance = 0, .together = 1},
        {LOAD, LDS, 4, .line = 9, .tag = 5, .group = 2, .variable = 1, .distance = 8, .together = 1},
        {LOAD, LDS, 4, .line = 9, .tag = 6, .group = 2, .variable = 1, .distance = 92, .together = 1}};
    static const struct code c[] = {
        {"ds_read2_b32 v[16:17], v12 offset0:2 offset1:23", .line = 9, .registers = 12},
        {"ds_read2_b32 v[18:19], v14 offset0:2 offset1:23", .line = 9, .registers = 14, .follows = true},
        {"ds_read2_b32 v[20:21], v12 offset1:1", .line = 9, .tag = 1, .registers = 12},
        {"ds_read2_b32 v[22:23], v14 offset1:1", .line = 9, .tag = 4, .registers = 14}};
    EXPECT(MADE_UP(a, c), "exact, #2 0..3, #2 4..7", "shared at 1, #0 0..3", "shared at 1, #0 0..3",
           "exact, #3 0..3, #3 4..7", "shared at 4, #1 0..3", "shared at 4, #1 0..3");
}

/* A structure is stored: bytes 0..5, 6..9 and 12..27, of which the first and the last were made of several accesses: those
 * have the numbers. The store of 16 bytes has no place: it stands behind the addition on line 18, which gives a value that is
 * stored. As accesses of no number are not among them, line 18 has none, and the instruction's line tells nothing. With an
 * access that the compiler plugin could not number (no tag) it may be that one's line. */
static void merged_accesses_have_numbers(void **state)
{
    (void)state;
    struct access a[] = {
        {STORE, GLOBAL, 6, .line = 115, .tag = 17, .merged = 15, .group = 1, .distance = 0, .together = 1},
        {STORE, GLOBAL, 4, .line = 115, .tag = 17, .group = 1, .distance = 6, .together = 1},
        {STORE, GLOBAL, 16, .line = 115, .merged = 18, .group = 1, .distance = 12, .together = 1}};
    static const struct code c[] = {
        {"global_store_dwordx4 v10, v[0:3], s[0:1] offset:12", .line = 18, .registers = 1},
        {"global_store_dword v10, v3, s[0:1] offset:6", .line = 115, .tag = 17, .registers = 1},
        {"global_store_short v10, v2, s[0:1] offset:4", .line = 115, .tag = 17, .registers = 1},
        {"global_store_dword v10, v0, s[0:1]", .line = 115, .tag = 17, .registers = 1}};
    EXPECT(MADE_UP(a, c), "exact, #3 0..3, #2 4..5", "exact, #1 0..3", "exact, #0 0..15");
    a[2].merged = 0;
    EXPECT(MADE_UP(a, c), "unclear", "unclear", "unclear");
}

/* A thread loads 8 dwords of LDS side by side. The clone makes of them accesses of 4, 16 and 12 bytes (tags 163, 164 and
 * 168), which the evidence shows side by side; the original two of 16 (163 and 167), each split into two pairs, which keep its
 * tag. The second pair of tag 163 does nothing of that tag's access, but continues the first one, which does. */
static void pairs_that_continue_a_tag(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, LDS, 4, .line = 59, .tag = 163, .group = 163, .variable = 3, .together = 1},
        {LOAD, LDS, 16, .line = 59, .tag = 164, .merged = 164, .group = 164, .variable = 3, .together = 1},
        {LOAD, LDS, 12, .line = 59, .tag = 168, .merged = 168, .group = 164, .variable = 3, .distance = 16,
         .together = 1}};
    static const struct code c[] = {
        {"ds_read2_b32 v[2:3], v1 offset0:2 offset1:3", .line = 59, .tag = 163, .registers = 1},
        {"ds_read2_b32 v[16:17], v1 offset0:4 offset1:5", .line = 59, .tag = 163, .registers = 1},
        {"ds_read2_b32 v[14:15], v1 offset0:6 offset1:7", .line = 59, .tag = 167, .registers = 1},
        {"ds_read2_b32 v[12:13], v1 offset0:8 offset1:9", .line = 59, .tag = 167, .registers = 1}};
    struct made_up *m = MADE_UP(a, c);
    made_up_saw(m, 0, ~0ull, 8, 68);
    made_up_saw(m, 1, ~0ull, 12, 68);
    made_up_saw(m, 2, ~0ull, 28, 68);
    made_up_again(m);
    EXPECT(m, "shared at 0, #0 0..3", "shared at 1, #0 0..3, #1 4..7, #1 8..11, #2 12..15",
           "shared at 1, #2 0..3, #3 4..7, #3 8..11");
}

/* ---- rule 2: a pool of one tag ---- */

/* 16 bytes that are aligned to 8 are loaded in two parts. Both must take their addresses from the same
 * registers, else one of them is another access that only seems to stand there. */
static void parts(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 16, .line = 5, .tag = 1}};
    struct code c[] = {
        {"global_load_dwordx2 v[0:1], v[8:9], off offset:8", .line = 5, .tag = 1, .registers = 1},
        {"global_load_dwordx2 v[2:3], v[8:9], off", .line = 5, .tag = 1, .registers = 1}};
    EXPECT(MADE_UP(a, c), "exact, #1 0..7, #0 8..15");
    c[0].registers = 2;
    EXPECT(MADE_UP(a, c), "unclear");
}

/* Both branches of a condition end with a copy of the block that loads. An execution of the access is one of
 * either instruction: both are counted on it. */
static void copied_block(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1}};
    static const struct code c[] = {
        {"global_load_dword v1, v[2:3], off", .line = 5, .tag = 1, .block = 4, .together = 4},
        {"global_load_dword v1, v[2:3], off", .line = 5, .tag = 1, .block = 8, .together = 8}};
    struct made_up *m = MADE_UP(a, c);
    assert_int_equal(made_up_counts(m, 0), 0);
    assert_int_equal(made_up_counts(m, 1), 0);
    EXPECT(m, "exact, #0 0..3");
}

/* A copy of 24 bytes, aligned to 4: LLVM moves bytes 0 to 15 and 8 to 23. */
static void overlapping_copy(void **state)
{
    (void)state;
    static const struct access a[] = {{LS_SITE_COPY_READ, GLOBAL, 24, .line = 5, .tag = 1, .align = 4},
                                      {LS_SITE_COPY_WRITE, GLOBAL, 24, .line = 5, .tag = 1, .align = 4}};
    static const struct code c[] = {
        {"global_load_dwordx4 v[0:3], v[8:9], off", .line = 5, .tag = 1, .registers = 1},
        {"global_load_dwordx4 v[4:7], v[8:9], off offset:8", .line = 5, .tag = 1, .registers = 1},
        {"global_store_dwordx4 v[10:11], v[0:3], off", .line = 5, .tag = 1, .registers = 2},
        {"global_store_dwordx4 v[10:11], v[4:7], off offset:8", .line = 5, .tag = 1, .registers = 2}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..15, #1 8..23", "exact, #2 0..15, #3 8..23");
}

/* 72 bytes: four parts of 16 and one that ends where the copy does. Of 68 bytes that are aligned to 4 the last is narrower. */
static void long_copy(void **state)
{
    (void)state;
    static const struct access a[] = {{LS_SITE_COPY_READ, GLOBAL, 72, .line = 5, .tag = 1, .align = 8},
                                      {LS_SITE_COPY_WRITE, LDS, 72, .line = 5, .tag = 1, .align = 8}};
    static const struct access b[] = {{LS_SITE_COPY_READ, GLOBAL, 68, .line = 5, .tag = 1, .align = 4},
                                      {LS_SITE_COPY_WRITE, PRIVATE, 68, .line = 5, .tag = 1, .align = 4}};
    static const struct code c[] = {
        {"global_load_dwordx4 v[0:3], v[8:9], off", .line = 5, .tag = 1, .registers = 1},
        {"global_load_dwordx4 v[0:3], v[8:9], off offset:16", .line = 5, .tag = 1, .registers = 1},
        {"global_load_dwordx4 v[0:3], v[8:9], off offset:32", .line = 5, .tag = 1, .registers = 1},
        {"global_load_dwordx4 v[0:3], v[8:9], off offset:48", .line = 5, .tag = 1, .registers = 1},
        {"global_load_dwordx4 v[0:3], v[8:9], off offset:56", .line = 5, .tag = 1, .registers = 1},
        {"ds_write2_b64 v1, v[0:1], v[2:3] offset1:1", .line = 5, .tag = 1, .registers = 2},
        {"ds_write2_b64 v1, v[0:1], v[2:3] offset0:2 offset1:3", .line = 5, .tag = 1, .registers = 2},
        {"ds_write2_b64 v1, v[0:1], v[2:3] offset0:4 offset1:5", .line = 5, .tag = 1, .registers = 2},
        {"ds_write2_b64 v1, v[0:1], v[2:3] offset0:6 offset1:7", .line = 5, .tag = 1, .registers = 2},
        {"ds_write2_b64 v1, v[0:1], v[2:3] offset0:7 offset1:8", .line = 5, .tag = 1, .registers = 2}};
    static const struct code d[] = {
        c[0],
        c[1],
        c[2],
        c[3],
        {"global_load_dword v0, v[8:9], off offset:64", .line = 5, .tag = 1, .registers = 1}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..15, #1 16..31, #2 32..47, #3 48..63, #4 56..71",
           "exact, #5 0..7, #5 8..15, #6 16..23, #6 24..31, #7 32..39, #7 40..47, #8 48..55, #8 56..63, #9 "
           "56..63, "
           "#9 64..71");
    EXPECT(MADE_UP(b, d), "exact, #0 0..15, #1 16..31, #2 32..47, #3 48..63, #4 64..67");
    EXPECT(made_up(b, 2, d, 4), "unclear");
    static const struct code e[] = {
        c[5],
        c[6],
        c[7],
        c[8],
        {"ds_write2_b32 v1, v0, v1 offset0:16 offset1:17", .line = 5, .tag = 1, .registers = 2}};
    static const struct access w[] = {{LS_SITE_COPY_READ, PRIVATE, 72, .line = 5, .tag = 1, .align = 8},
                                      a[1]};
    EXPECT(MADE_UP(w, e), "unclear",
           "exact, #0 0..7, #0 8..15, #1 16..23, #1 24..31, #2 32..39, #2 40..47, #3 48..55, #3 56..63, "
           "#4 64..67, #4 68..71");
}

/* A structure of 24 bytes that is kept in scratch memory meanwhile: its loads from there stand in the row of the copy's stores,
 * and both sides of the copy have one number. A load that stands there has no place, for the copy does none from LDS. */
static void copy_out_of_scratch(void **state)
{
    (void)state;
    static const struct access a[] = {{LS_SITE_COPY_READ, PRIVATE, 24, .line = 5, .tag = 1, .align = 8},
                                      {LS_SITE_COPY_WRITE, LDS, 24, .line = 5, .tag = 1, .align = 8},
                                      {LOAD, LDS, 4, .line = 6, .tag = 2, .align = 4}};
    static const struct code c[] = {{"ds_write2_b64 v1, v[4:5], v[6:7] offset1:1", .line = 5, .tag = 1,
                                     .row = 8, .registers = 1, .behind_scratch = true},
                                    {"ds_write2_b64 v1, v[6:7], v[8:9] offset0:1 offset1:2", .line = 5,
                                     .tag = 1, .row = 8, .registers = 1}};
    static const struct code load[] = {
        {"ds_read_b32 v3, v2", .line = 5, .tag = 1, .row = 8, .registers = 2, .behind_scratch = true},
        c[0],
        c[1]};
    EXPECT(made_up(a, 2, c, 2), "unclear", "exact, #0 0..7, #0 8..15, #1 8..15, #1 16..23");
    EXPECT(MADE_UP(a, load), "unclear", "exact, #1 0..7, #1 8..15, #2 8..15, #2 16..23", "exact, #0 0..3");
}

/* A copy of 6 bytes, of which one load alone has the number: that of 2 bytes stands behind it in a clause, and belongs to it if it
 * takes its address from the same registers. Four bytes alone are no copy of 6. */
static void half_a_copy(void **state)
{
    (void)state;
    static const struct access a[] = {{LS_SITE_COPY_READ, GLOBAL, 6, .line = 5, .tag = 1, .align = 2}};
    struct code c[] = {{"global_load_dword v5, v[3:4], off", .line = 5, .tag = 1, .registers = 1, .row = 8},
                       {"global_load_short_d16 v4, v[3:4], off offset:4", .line = 5, .tag = 1, .registers = 1,
                        .row = 8, .follows = true}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3, #1 4..5");
    EXPECT(made_up(a, 1, c, 1), "unclear");
    c[1].registers = 2;
    EXPECT(MADE_UP(a, c), "unclear");
}

/* Of a float4 the program uses x and z, bytes 0 to 3 and 8 to 11. Two loads of 4 bytes, 8 apart, can be
 * nothing else; one load of 4 bytes may be either of them, and the other is missing. */
static void unused_bytes(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, GLOBAL, 16, .line = 5, .tag = 1, .flags = 0xf0f0u << LS_SITE_UNUSED_SHIFT}};
    static const struct code c[] = {
        {"global_load_dword v0, v[8:9], off offset:8", .line = 5, .tag = 1, .registers = 1},
        {"global_load_dword v1, v[8:9], off", .line = 5, .tag = 1, .registers = 1}};
    EXPECT(MADE_UP(a, c), "exact, #1 0..3, #0 8..11");
    EXPECT(made_up(a, 1, c, 1), "unclear");
}

/* x, y and z of an uchar4: three bytes that are aligned to 4 are loaded by one load of 4. One of 8 is another access,
 * and so is one of 4 where they are aligned to 1. */
static void wider_load(void **state)
{
    (void)state;
    struct access a[] = {{LOAD, GLOBAL, 3, .line = 5, .tag = 1, .align = 4}};
    struct code c[] = {{"global_load_dword v0, v[8:9], off", .line = 5, .tag = 1, .registers = 1}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3");
    c[0].text = "global_load_dwordx2 v[0:1], v[8:9], off";
    EXPECT(MADE_UP(a, c), "unclear");
    c[0].text = "global_load_dword v0, v[8:9], off";
    a[0].align = 1;
    EXPECT(MADE_UP(a, c), "unclear");
}

/* Two ints, 8 bytes of which are aligned to 16, and half of a long behind them: one load of 8 does both ints, and has the
 * tag of the first. No lonely int is loaded by 8 bytes. */
static void merged_is_not_wider(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, GLOBAL, 4, .line = 5, .tag = 1, .align = 16, .group = 1, .distance = 0},
        {LOAD, GLOBAL, 4, .line = 5, .tag = 2, .align = 4, .group = 1, .distance = 4}};
    static const struct code c[] = {{"global_load_dwordx2 v[0:1], v[8:9], off", .line = 5, .tag = 1}};
    EXPECT(MADE_UP(a, c), "shared at 0, #0 0..7", "shared at 0");
    EXPECT(made_up(a, 1, c, 1), "unclear");
}

/* Three bytes that are aligned to 4, and eight behind the fourth: one load of 12. The eight could not stand at the third. */
static void wider_and_merged(void **state)
{
    (void)state;
    struct access a[] = {{LOAD, GLOBAL, 3, .line = 5, .tag = 1, .align = 16, .group = 1, .distance = 0},
                         {LOAD, GLOBAL, 8, .line = 5, .tag = 2, .align = 4, .group = 1, .distance = 4}};
    static const struct code c[] = {{"global_load_dwordx3 v[0:2], v[8:9], off", .line = 5, .tag = 1}};
    EXPECT(MADE_UP(a, c), "shared at 0, #0 0..11", "shared at 0");
    a[0].align = 1;
    EXPECT(MADE_UP(a, c), "unclear", "unclear");
    a[0].align = 16;
    a[1].distance = 3;
    EXPECT(MADE_UP(a, c), "unclear", "unclear");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_tag),
        cmocka_unit_test(tag_of_the_first),
        cmocka_unit_test(place_and_calls),
        cmocka_unit_test(place_then_line),
        cmocka_unit_test(whole_function),
        cmocka_unit_test(flat),
        cmocka_unit_test(pairs_of_one_row),
        cmocka_unit_test(merged_accesses_have_numbers),
        cmocka_unit_test(pairs_that_continue_a_tag),
        cmocka_unit_test(parts),
        cmocka_unit_test(copied_block),
        cmocka_unit_test(overlapping_copy),
        cmocka_unit_test(long_copy),
        cmocka_unit_test(copy_out_of_scratch),
        cmocka_unit_test(half_a_copy),
        cmocka_unit_test(unused_bytes),
        cmocka_unit_test(wider_load),
        cmocka_unit_test(merged_is_not_wider),
        cmocka_unit_test(wider_and_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
