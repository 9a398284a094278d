/* test_match.c - the rules of docs/internals/join.md ("How they are joined"), each on accesses and instructions that
 * were written by hand. What must come out follows from the rule alone, and stands in the comment. */
#include "tests/check.h"
#include "made_up.h"

enum { LOAD = LS_SITE_LOAD, STORE = LS_SITE_STORE, ATOMIC = LS_SITE_RMW };
static const uint64_t ALL_LANES = ~0ull;

/* Ends the made-up function. */
static void expect(struct made_up *m, const char *const *results, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        assert_string_equal(made_up_result(m, i), results[i]);
    made_up_free(m);
}
#define EXPECT(m, ...)                                                                                       \
    expect(m, (const char *const[]){__VA_ARGS__},                                                            \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

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

/* ---- rule 3: exact covers ---- */

/* s[i] + s[i + 2]: ds_read2_b32 does both, with the tag of the first. It is counted once, there. */
static void pair(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, LDS, 4, .line = 5, .tag = 1, .group = 1, .variable = 1, .distance = 0},
        {LOAD, LDS, 4, .line = 5, .tag = 2, .group = 1, .variable = 1, .distance = 8}};
    struct code c[] = {{"ds_read2_b32 v[0:1], v9 offset1:2", .line = 5, .tag = 1}};
    EXPECT(MADE_UP(a, c), "shared at 0, #0 0..3", "shared at 0, #0 0..3");
    /* s[i + 3] lies 12 bytes behind s[i], not 8 */
    c[0].text = "ds_read2_b32 v[0:1], v9 offset1:3";
    EXPECT(MADE_UP(a, c), "unclear", "unclear");
}

/* struct { int i; long a, b, c; } of which the program uses i and the lower halves of the longs (bytes 0 to 3 of 8): one
 * load does i and a's half, one pair b's and c's, and both have the tag of the first. Where all of c is used, its
 * upper half is missing. */
static void halves(void **state)
{
    (void)state;
    enum { UPPER = 0xf0u << LS_SITE_UNUSED_SHIFT };
    struct access a[] = {
        {LOAD, LDS, 4, .line = 5, .tag = 1, .group = 1, .variable = 1, .distance = 0},
        {LOAD, LDS, 8, .line = 5, .tag = 2, .group = 1, .variable = 1, .distance = 4, .flags = UPPER},
        {LOAD, LDS, 8, .line = 5, .tag = 3, .group = 1, .variable = 1, .distance = 12, .flags = UPPER},
        {LOAD, LDS, 8, .line = 5, .tag = 4, .group = 1, .variable = 1, .distance = 20, .flags = UPPER}};
    static const struct code c[] = {
        {"ds_read_b64 v[0:1], v9", .line = 5, .tag = 1, .registers = 1},
        {"ds_read2_b32 v[2:3], v9 offset0:3 offset1:5", .line = 5, .tag = 3, .registers = 1}};
    EXPECT(MADE_UP(a, c), "shared at 0, #0 0..7", "shared at 0", "shared at 2, #1 0..3",
           "shared at 2, #1 0..3");
    a[3].flags = 0;
    EXPECT(MADE_UP(a, c), "unclear", "unclear", "unclear", "unclear");
}

/* The lower half of a or b may be left out, as one load does a half and the other all: nothing tells which. */
static void halves_of_either(void **state)
{
    (void)state;
    enum { UPPER = 0xf0u << LS_SITE_UNUSED_SHIFT };
    static const struct access a[] = {
        {LOAD, GLOBAL, 8, .line = 5, .group = 1, .distance = 0, .flags = UPPER},
        {LOAD, GLOBAL, 8, .line = 5, .group = 1, .distance = 64, .flags = UPPER}};
    struct code c[] = {{"global_load_dwordx2 v[0:1], v[8:9], off", .line = 5},
                       {"global_load_dword v2, v[8:9], off offset:64", .line = 5}};
    EXPECT(MADE_UP(a, c), "unclear", "unclear");
    c[0].registers = c[1].registers = 1; /* the half lies 64 bytes behind */
    EXPECT(MADE_UP(a, c), "exact, #0 0..7", "exact, #1 0..3");
}

/* Three neighbours, loaded by 8 and 4 bytes: the wide one may do the first two or the last two. Offsets from
 * the same registers decide: 4 bytes lie behind 8. */
static void one_cover_only(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .group = 1, .distance = 0},
                                      {LOAD, GLOBAL, 4, .line = 5, .group = 1, .distance = 4},
                                      {LOAD, GLOBAL, 4, .line = 5, .group = 1, .distance = 8}};
    struct code c[] = {{"global_load_dwordx2 v[0:1], v[8:9], off", .line = 5},
                       {"global_load_dword v2, v[8:9], off offset:8", .line = 5}};
    EXPECT(MADE_UP(a, c), "unclear", "unclear", "unclear");
    c[0].registers = c[1].registers = 1;
    EXPECT(MADE_UP(a, c), "shared at 0, #0 0..7", "shared at 0", "exact, #1 0..3");
}

/* As before, in LDS: a barrier stands between the second access and the third, and between both instructions. */
static void barriers(void **state)
{
    (void)state;
    struct access a[] = {{LOAD, LDS, 4, .line = 5, .group = 1, .variable = 1, .distance = 0, .barriers = 1},
                         {LOAD, LDS, 4, .line = 5, .group = 1, .variable = 1, .distance = 4, .barriers = 1},
                         {LOAD, LDS, 4, .line = 5, .group = 1, .variable = 1, .distance = 8, .barriers = 2}};
    static const struct code c[] = {{"ds_read_b64 v[0:1], v9", .line = 5, .barriers = 1},
                                    {"ds_read_b32 v2, v9 offset:8", .line = 5, .barriers = 2}};
    EXPECT(MADE_UP(a, c), "shared at 0, #0 0..7", "shared at 0", "exact, #1 0..3");
    for (unsigned i = 0; i < 3; i++)
        a[i].barriers = 0; /* a table of an older compiler */
    EXPECT(MADE_UP(a, c), "unclear", "unclear", "unclear");
}

/* Two accesses of which the compiler knows no distance, and a pair: it does both, but which is its first one?
 * The first wavefront's addresses tell: 0x1000 + 4 * lane, and 64 bytes behind. */
static void evidence(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, LDS, 4, .line = 5, .tag = 1},
                                      {LOAD, LDS, 4, .line = 5, .tag = 2}};
    static const struct code c[] = {{"ds_read2_b32 v[0:1], v9 offset1:16", .line = 5, .tag = 2}};
    struct made_up *m = MADE_UP(a, c);
    assert_string_equal(made_up_result(m, 0), "unclear");
    made_up_saw(m, 0, ALL_LANES, 0x1000, 4);
    made_up_saw(m, 1, ALL_LANES, 0x1040, 4);
    made_up_again(m);
    EXPECT(m, "shared at 0, #0 0..3", "shared at 0, #0 0..3");

    m = MADE_UP(a, c);
    made_up_saw(m, 0, ALL_LANES, 0x1000, 4);
    made_up_saw(m, 1, ALL_LANES, 0x1020, 4); /* 32 bytes behind: no pair of 64 bytes */
    made_up_again(m);
    EXPECT(m, "unclear", "unclear");
}

/* Each branch of a condition loads two neighbours, on one line, without number. Widths tell nothing, but the stores of the
 * branches, which are joined, tell which instructions are executed together with which accesses. */
static void context(void **state)
{
    (void)state;
    static const struct access a[] = {{STORE, GLOBAL, 4, .line = 5, .tag = 1, .together = 2},
                                      {STORE, GLOBAL, 4, .line = 6, .tag = 2, .together = 3},
                                      {LOAD, GLOBAL, 8, .line = 7, .together = 2},
                                      {LOAD, GLOBAL, 4, .line = 7, .together = 3, .group = 1},
                                      {LOAD, GLOBAL, 4, .line = 7, .together = 3, .group = 1, .distance = 4}};
    struct code c[] = {{"global_store_dword v[2:3], v0, off", .line = 5, .tag = 1, .block = 1, .together = 8},
                       {"global_store_dword v[2:3], v1, off", .line = 6, .tag = 2, .block = 2, .together = 9},
                       {"global_load_dwordx2 v[4:5], v[6:7], off", .line = 7, .block = 2, .together = 9},
                       {"global_load_dwordx2 v[8:9], v[6:7], off", .line = 7, .block = 1, .together = 8}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "exact, #1 0..3", "exact, #3 0..7", "shared at 3, #2 0..7",
           "shared at 3");
    c[2].together = c[3].together = 0;
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "exact, #1 0..3", "unclear", "unclear", "unclear");
}

/* As many instructions as accesses, of one form, and nothing tells which does which: it makes no difference,
 * each is one. */
static void alike(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5}, {LOAD, GLOBAL, 4, .line = 5}};
    static const struct code c[] = {{"global_load_dword v1, v[2:3], off", .line = 5},
                                    {"global_load_dword v4, v[6:7], off", .line = 5}};
    struct made_up *m = MADE_UP(a, c);
    assert_false(ls_match_tells(made_up_match(m), 0));
    EXPECT(m, "exact, #0 0..3", "exact, #1 0..3");
}

/* A store to LDS that has no place stands in the row of the address of a store to global memory, before that: with its number. */
static void row_of_another_memory(void **state)
{
    (void)state;
    static const struct access a[] = {{STORE, LDS, 8, .line = 6, .tag = 1},
                                      {STORE, GLOBAL, 4, .line = 7, .tag = 2}};
    static const struct code c[] = {{"ds_write2_b32 v10, v4, v5 offset0:3 offset1:4", .line = 7, .tag = 2},
                                    {"global_store_dword v[0:1], v2, off", .line = 7, .tag = 2}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3, #0 4..7", "exact, #1 0..3");
}

/* Two stores without numbers, each in a condition of its own with a load that has one; code generation lays the second
 * condition's block out first. Each store stands with its load, though all look alike. */
static void alike_in_conditions(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, LDS, 4, .line = 5, .tag = 1, .together = 2},
                                      {STORE, LDS, 8, .line = 6, .together = 2},
                                      {LOAD, LDS, 4, .line = 5, .tag = 2, .together = 3},
                                      {STORE, LDS, 8, .line = 6, .together = 3}};
    static const struct code c[] = {{"ds_read_b32 v1, v9", .line = 5, .tag = 2, .together = 7},
                                    {"ds_write_b64 v9, v[2:3]", .line = 6, .together = 7},
                                    {"ds_read_b32 v1, v8", .line = 5, .tag = 1, .together = 6},
                                    {"ds_write_b64 v8, v[2:3]", .line = 6, .together = 6}};
    EXPECT(MADE_UP(a, c), "exact, #2 0..3", "exact, #3 0..7", "exact, #0 0..3", "exact, #1 0..7");
}

/* A structure of 32 bytes is loaded in one clause (gfx10), whose instructions are all in the row of the first one; so is, from other
 * registers, a uniform dword of line 6. The first is joined by its tag. The others lie 16, 24 and 26 bytes behind it, where the
 * compiler knows accesses to lie that are executed with it; the last of these is done in two parts, of 4 and 2 bytes. */
static void neighbours_in_a_clause(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, GLOBAL, 16, .line = 5, .tag = 1, .group = 1, .distance = 0, .together = 2},
        {LOAD, GLOBAL, 8, .line = 5, .tag = 2, .group = 1, .distance = 16, .together = 2},
        {LOAD, GLOBAL, 2, .line = 5, .tag = 3, .group = 1, .distance = 24, .together = 2},
        {LOAD, GLOBAL, 6, .line = 5, .tag = 4, .group = 1, .distance = 26, .together = 2},
        {LOAD, GLOBAL, 4, .line = 6, .tag = 5, .together = 2, .flags = LS_SITE_UNIFORM}};
    struct code c[] = {
        {"global_load_dwordx4 v[12:15], v[0:1], off", .line = 5, .tag = 1, .registers = 1, .together = 4},
        {"global_load_dwordx2 v[9:10], v[0:1], off offset:16", .line = 5, .tag = 1, .registers = 1,
         .together = 4, .follows = true},
        {"global_load_short_d16 v16, v[0:1], off offset:24", .line = 5, .tag = 1, .registers = 1,
         .together = 4, .follows = true},
        {"global_load_dword v17, v[0:1], off offset:26", .line = 5, .tag = 1, .registers = 1, .together = 4,
         .follows = true},
        {"global_load_short_d16 v8, v[0:1], off offset:30", .line = 5, .tag = 1, .registers = 1,
         .together = 4, .follows = true},
        {"global_load_dword v8, v6, s[8:9]", .line = 5, .tag = 1, .registers = 2, .together = 4,
         .follows = true}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..15", "exact, #1 0..7", "exact, #2 0..1", "exact, #3 0..3, #4 4..5",
           "exact, #5 0..3");
    c[3].registers = 3; /* this dword may be that of line 6 as well */
    EXPECT(MADE_UP(a, c), "exact, #0 0..15", "exact, #1 0..7", "exact, #2 0..1", "unclear", "unclear");
}

/* Two structures of 20 bytes, 60 bytes apart, loaded in one clause, twice, for a loop is unrolled. The first instruction of each
 * clause has the number of the access that begins with it; to 20 bytes there is one way only to go on. Nothing would say which
 * clause is which else, as nothing is executed with them. */
static void clause_goes_on(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, GLOBAL, 20, .line = 5, .tag = 1, .group = 1, .distance = 0, .together = 2},
        {LOAD, GLOBAL, 20, .line = 5, .tag = 2, .group = 1, .distance = 60, .together = 2},
        {LOAD, GLOBAL, 20, .line = 5, .tag = 3, .group = 3, .distance = 0, .together = 3},
        {LOAD, GLOBAL, 20, .line = 5, .tag = 4, .group = 3, .distance = 60, .together = 3},
        {LOAD, GLOBAL, 32, .line = 6, .tag = 5, .together = 4, .flags = LS_SITE_UNIFORM}};
    struct code c[] = {{"global_load_dwordx4 v[4:7], v[14:15], off", .line = 5, .tag = 1, .registers = 1,
                        .block = 1, .together = 8},
                       {"global_load_dword v1, v[14:15], off offset:16", .line = 5, .tag = 1, .registers = 1,
                        .block = 1, .together = 8, .follows = true},
                       {"global_load_dword v2, v[14:15], off offset:76", .line = 5, .tag = 1, .registers = 1,
                        .block = 1, .together = 8, .follows = true},
                       {"global_load_dwordx4 v[8:11], v[14:15], off offset:60", .line = 5, .tag = 1,
                        .registers = 1, .block = 1, .together = 8, .follows = true},
                       {"global_load_dwordx4 v[4:7], v[14:15], off offset:60", .line = 5, .tag = 4,
                        .registers = 2, .block = 2, .together = 9},
                       {"global_load_dword v1, v[14:15], off offset:76", .line = 5, .tag = 4, .registers = 2,
                        .block = 2, .together = 9, .follows = true},
                       {"global_load_dword v2, v[14:15], off offset:16", .line = 5, .tag = 4, .registers = 2,
                        .block = 2, .together = 9, .follows = true},
                       {"global_load_dwordx4 v[8:11], v[14:15], off", .line = 5, .tag = 4, .registers = 2,
                        .block = 2, .together = 9, .follows = true},
                       {"global_load_dwordx4 v[0:3], v[16:17], off offset:16", .line = 6, .tag = 5,
                        .registers = 3, .block = 3, .together = 10},
                       {"global_load_dwordx4 v[4:7], v[16:17], off", .line = 6, .tag = 5, .registers = 3,
                        .block = 3, .together = 10, .follows = true}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..15, #1 16..19", "exact, #2 16..19, #3 0..15",
           "exact, #6 16..19, #7 0..15", "exact, #4 0..15, #5 16..19", "exact, #8 16..31, #9 0..15");
    /* there are two ways to go on: 16 bytes forward or back */
    struct made_up *m =
        made_up(&a[4], 1,
                (struct code[]){c[8],
                                c[9],
                                {"global_load_dwordx4 v[0:3], v[16:17], off offset:32", .line = 6, .tag = 5,
                                 .registers = 3, .block = 3, .together = 10, .follows = true}},
                3);
    EXPECT(m, "unclear");
}

/* Behind 48 bytes lie 6 that are aligned to 16: 8 are loaded. */
static void wider_in_a_clause(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, GLOBAL, 48, .line = 5, .tag = 1, .group = 1, .distance = 0, .together = 2, .align = 16},
        {LOAD, GLOBAL, 6, .line = 5, .tag = 2, .group = 1, .distance = 48, .together = 2, .align = 16},
        {LOAD, GLOBAL, 8, .line = 6, .tag = 3, .together = 2, .align = 8}};
    struct code c[] = {
        {"global_load_dwordx4 v[0:3], v[8:9], off", .line = 5, .tag = 1, .registers = 1, .row = 8},
        {"global_load_dwordx4 v[4:7], v[8:9], off offset:16", .line = 5, .tag = 1, .registers = 1, .row = 8,
         .follows = true},
        {"global_load_dwordx2 v[14:15], v[8:9], off offset:48", .line = 5, .tag = 1, .registers = 1, .row = 8,
         .follows = true},
        {"global_load_dwordx4 v[10:13], v[8:9], off offset:32", .line = 5, .tag = 1, .registers = 1, .row = 8,
         .follows = true},
        {"global_load_dwordx2 v[16:17], v[18:19], off", .line = 5, .tag = 1, .registers = 2, .row = 8,
         .follows = true}};
    for (unsigned i = 0; i < sizeof c / sizeof *c; i++)
        c[i].together = 4;
    EXPECT(MADE_UP(a, c), "exact, #0 0..15, #1 16..31, #3 32..47", "exact, #2 0..7", "exact, #4 0..7");
}

/* A loop is unrolled: 8 bytes and 2 behind them are loaded twice from the same registers in one block, the 2 in clauses of
 * something else. Each of the two short loads does one of the two accesses on that place; nothing else does the same. */
static void twins(void **state)
{
    (void)state;
    struct access a[] = {
        {LOAD, GLOBAL, 8, .line = 5, .tag = 1, .group = 1, .distance = 0, .together = 2},
        {LOAD, GLOBAL, 2, .line = 5, .column = 7, .tag = 2, .group = 1, .distance = 8, .together = 2},
        {LOAD, GLOBAL, 8, .line = 5, .tag = 3, .group = 2, .distance = 0, .together = 2},
        {LOAD, GLOBAL, 2, .line = 5, .column = 7, .tag = 4, .group = 2, .distance = 8, .together = 2},
        {LOAD, GLOBAL, 2, .line = 6, .tag = 5, .together = 2}};
    struct code c[] = {
        {"global_load_dwordx2 v[0:1], v[8:9], off", .line = 5, .tag = 1, .registers = 1, .row = 8},
        {"global_load_dwordx2 v[2:3], v[8:9], off", .line = 5, .tag = 3, .registers = 1, .row = 16},
        {"global_load_ushort v4, v[8:9], off offset:8", .line = 9, .registers = 1, .row = 24,
         .follows = true},
        {"global_load_ushort v5, v[8:9], off offset:8", .line = 9, .registers = 1, .row = 24,
         .follows = true},
        {"global_load_ushort v6, v[10:11], off", .line = 9, .registers = 2, .row = 24, .follows = true}};
    for (unsigned i = 0; i < sizeof c / sizeof *c; i++)
        c[i].together = 4;
    struct made_up *m = MADE_UP(a, c);
    assert_int_equal(made_up_counts(m, 4), 4);
    EXPECT(m, "exact, #0 0..7", "exact, #2 0..1", "exact, #1 0..7", "exact, #3 0..1", "exact, #4 0..1");
    a[3].column = 8; /* of another place: who knows which is whose */
    m = MADE_UP(a, c);
    assert_true(ls_match_tells(made_up_match(m), 0));
    assert_false(ls_match_tells(made_up_match(m), 1));
    made_up_free(m);
}

/* 40 bytes are copied twice from the same registers, each time in one clause by loads of 16 bytes, of which the last overlaps the one
 * before it. Both clauses stand in one block; each row belongs to the access whose number it has. */
static void copies_in_clauses(void **state)
{
    (void)state;
    static const struct access a[] = {{LS_SITE_COPY_READ, GLOBAL, 40, .line = 5, .tag = 1, .together = 2},
                                      {LS_SITE_COPY_READ, GLOBAL, 40, .line = 6, .tag = 2, .together = 2},
                                      {LOAD, GLOBAL, 16, .line = 7, .tag = 3, .together = 2}};
    struct code c[] = {{"global_load_dwordx4 v[14:17], v[7:8], off offset:16", .line = 5, .tag = 1,
                        .registers = 1, .row = 8},
                       {"global_load_dwordx4 v[18:21], v[7:8], off", .line = 5, .tag = 1, .registers = 1,
                        .row = 8, .follows = true},
                       {"global_load_dwordx4 v[22:25], v[7:8], off offset:24", .line = 5, .tag = 1,
                        .registers = 1, .row = 8, .follows = true},
                       {"global_load_dwordx4 v[0:3], v[9:10], off", .line = 5, .tag = 1, .registers = 2,
                        .row = 8, .follows = true},
                       {"global_load_dwordx4 v[34:37], v[7:8], off offset:24", .line = 6, .tag = 2,
                        .registers = 1, .row = 32},
                       {"global_load_dwordx4 v[38:41], v[7:8], off", .line = 6, .tag = 2, .registers = 1,
                        .row = 32, .follows = true},
                       {"global_load_dwordx4 v[42:45], v[7:8], off offset:16", .line = 6, .tag = 2,
                        .registers = 1, .row = 32, .follows = true}};
    for (unsigned i = 0; i < sizeof c / sizeof *c; i++)
        c[i].together = 4;
    EXPECT(MADE_UP(a, c), "exact, #0 16..31, #1 0..15, #2 24..39", "exact, #4 24..39, #5 0..15, #6 16..31",
           "exact, #3 0..15");
    c[2].text = "global_load_dwordx4 v[22:25], v[7:8], off offset:20"; /* does not end where the copy does */
    EXPECT(MADE_UP(a, c), "unclear", "exact, #4 24..39, #5 0..15, #6 16..31", "unclear");
}

/* ---- rule 4: lines in the round of the whole function ---- */

/* The only load of the function, and the only instruction, but on lines 5 and 9. */
static void other_line(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5}};
    struct code c[] = {{"global_load_dword v1, v[2:3], off", .line = 9}};
    EXPECT(MADE_UP(a, c), "unclear");
    c[0].line = 0;
    EXPECT(MADE_UP(a, c), "exact, #0 0..3");
}

/* ---- rule 5: scalar memory ---- */

/* A uniform load is done by a scalar load of its tag, or of its line; by a vector load where there is no
 * scalar one. What reads the kernel's arguments does nothing of the source. */
static void uniform(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1, .flags = LS_SITE_UNIFORM}};
    struct code c[] = {{"s_load_dword s4, s[2:3], 0x0", .line = 5, .tag = 1}};
    EXPECT(MADE_UP(a, c), "scalar");
    c[0].tag = 0;
    EXPECT(MADE_UP(a, c), "scalar");
    c[0].input = true;
    EXPECT(MADE_UP(a, c), "absent");
    static const struct code vector[] = {{"global_load_dword v1, v2, s[2:3]", .line = 5, .tag = 1}};
    EXPECT(MADE_UP(a, vector), "exact, #0 0..3");
}

/* Bytes of scalar loads are claimed once: 4 bytes do one of two accesses. The other has no instruction. */
static void claimed_once(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1, .flags = LS_SITE_UNIFORM},
                                      {LOAD, GLOBAL, 4, .line = 5, .tag = 2, .flags = LS_SITE_UNIFORM}};
    struct code c[] = {{"s_load_dword s4, s[2:3], 0x0", .line = 5}};
    EXPECT(MADE_UP(a, c), "scalar", "absent");
    c[0].text = "s_load_dwordx2 s[4:5], s[2:3], 0x0";
    EXPECT(MADE_UP(a, c), "scalar", "scalar");
}

/* No instruction has a line or number. The vector load can do but the wide access: it leaves the other to the scalar load. */
static void left_to_scalar(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .flags = LS_SITE_UNIFORM},
                                      {LOAD, GLOBAL, 8, .line = 6}};
    static const struct code c[] = {{"global_load_dwordx2 v[2:3], v[6:7], off", .line = 0},
                                    {"s_load_dword s4, s[2:3], 0x0", .line = 0}};
    EXPECT(MADE_UP(a, c), "scalar", "exact, #0 0..7");
}

/* No instruction is left for the load, but a vector load that has no place of its own: it may be its. */
static void left_over(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1},
                                      {LOAD, GLOBAL, 4, .line = 6, .tag = 2, .flags = LS_SITE_UNIFORM}};
    static const struct code c[] = {
        {"global_load_dword v1, v[2:3], off", .line = 5, .tag = 1},
        {"global_load_ushort v4, v[6:7], off", .line = 5, .tag = 1, .follows = true}};
    EXPECT(made_up(a, 2, c, 1), "exact, #0 0..3", "absent");
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "unclear");
}

/* ---- rule 6: instructions stand where the access is ---- */

/* A load in a loop, whose instruction stands before it, executes once for many times. */
static void out_of_a_loop(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1, .loops = 1}};
    struct code c[] = {{"global_load_dword v1, v[2:3], off", .line = 5, .tag = 1, .loops = 1}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3");
    c[0].loops = 0;
    EXPECT(MADE_UP(a, c), "moved");
}

/* An instruction that does two loads of a loop, and stands before it. */
static void with_what_it_shares(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, LDS, 4, .line = 5, .tag = 1, .loops = 1, .group = 1},
        {LOAD, LDS, 4, .line = 5, .tag = 2, .loops = 1, .group = 1, .distance = 8}};
    struct code c[] = {{"ds_read2_b32 v[0:1], v9 offset1:2", .line = 5, .tag = 1, .loops = 1}};
    EXPECT(MADE_UP(a, c), "shared at 0, #0 0..3", "shared at 0, #0 0..3");
    c[0].loops = 0;
    EXPECT(MADE_UP(a, c), "moved", "moved");
}

/* Code generation made two of one load, of which one stands before the loop. One alone that stands there has been moved. */
static void copies_are_exempt(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1, .loops = 1}};
    struct code c[] = {{"global_load_dword v1, v[2:3], off", .line = 5, .tag = 1, .block = 1, .loops = 1},
                       {"global_load_dword v1, v[2:3], off", .line = 5, .tag = 1, .block = 2}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3");
    EXPECT(made_up(a, 1, c + 1, 1), "moved");
}

/* What the function always executes (1 of an access, 0 of an instruction) went into a condition; or what
 * stood in one, out of it. */
static void into_a_condition(void **state)
{
    (void)state;
    struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1, .together = 1}};
    struct code c[] = {{"global_load_dword v1, v[2:3], off", .line = 5, .tag = 1, .together = 3}};
    EXPECT(MADE_UP(a, c), "moved");
    a[0].together = 2;
    c[0].together = 0;
    EXPECT(MADE_UP(a, c), "moved");
    c[0].together = 3;
    EXPECT(MADE_UP(a, c), "exact, #0 0..3");
}

/* Two conditions: accesses 0 and 1 in one, access 2 in the other; all three instructions in one. Two agree
 * with each other and one with none. */
static void into_another_condition(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1, .together = 2},
                                      {LOAD, GLOBAL, 4, .line = 6, .tag = 2, .together = 2},
                                      {LOAD, GLOBAL, 4, .line = 7, .tag = 3, .together = 3}};
    struct code c[] = {{"global_load_dword v1, v[2:3], off", .line = 5, .tag = 1, .together = 5},
                       {"global_load_dword v1, v[4:5], off", .line = 6, .tag = 2, .together = 5},
                       {"global_load_dword v1, v[6:7], off", .line = 7, .tag = 3, .together = 5}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "exact, #1 0..3", "moved");
    c[2].together = 8;
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "exact, #1 0..3", "exact, #2 0..3");
}

/* Two accesses lie 8 bytes apart, their instructions 4, from the same registers: one of both joins is wrong. */
static void contradiction(void **state)
{
    (void)state;
    struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1, .group = 1, .distance = 0},
                         {LOAD, GLOBAL, 4, .line = 6, .tag = 2, .group = 1, .distance = 8}};
    static const struct code c[] = {
        {"global_load_dword v1, v[2:3], off", .line = 5, .tag = 1, .registers = 1},
        {"global_load_dword v4, v[2:3], off offset:4", .line = 6, .tag = 2, .registers = 1}};
    EXPECT(MADE_UP(a, c), "unclear", "unclear");
    a[1].distance = 4;
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "exact, #1 0..3");
}

/* float(a[i]) of 16-bit floats: the load has the place of the shift that makes a float of it, in a header, and no number.
 * With a number it would be another access. */
static void place_of_conversion(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 2, .line = 5, .tag = 1},
                                      {LOAD, GLOBAL, 4, .line = 6, .tag = 2}};
    struct code c[] = {{"global_load_ushort v1, v[2:3], off", .line = 84},
                       {"global_load_dword v1, v[4:5], off", .line = 6, .tag = 2}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..1", "exact, #1 0..3");
    c[0].tag = 7;
    EXPECT(MADE_UP(a, c), "unclear", "exact, #1 0..3");
}

/* Two loads of three bytes, byte by byte. Only two of each have the number: either third byte could belong to either load by
 * its width and line, and both would do the same to them; the registers tell. */
static void bytes_without_number(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 3, .line = 5, .tag = 1},
                                      {LOAD, GLOBAL, 3, .line = 5, .tag = 2}};
    struct code c[] = {{"global_load_ubyte v1, v[8:9], off offset:2", .line = 5, .registers = 2},
                       {"global_load_ubyte v2, v[8:9], off offset:1", .line = 5, .tag = 2, .registers = 2},
                       {"global_load_ubyte v3, v[8:9], off", .line = 5, .tag = 2, .registers = 2},
                       {"global_load_ubyte v4, v[6:7], off offset:2", .line = 5, .registers = 1},
                       {"global_load_ubyte v5, v[6:7], off offset:1", .line = 5, .tag = 1, .registers = 1},
                       {"global_load_ubyte v6, v[6:7], off", .line = 5, .tag = 1, .registers = 1}};
    EXPECT(MADE_UP(a, c), "exact, #5 0..0, #4 1..1, #3 2..2", "exact, #2 0..0, #1 1..1, #0 2..2");
    c[0].registers = 1; /* no way to do both from one set of registers each */
    EXPECT(MADE_UP(a, c), "unclear", "unclear");
}

/* ---- rule 7: one lane for all ---- */

/* atomicAdd(&c, 1), done by the lowest lane, in a region whose start is executed as often as the function. */
static void one_lane(void **state)
{
    (void)state;
    static const struct access a[] = {{ATOMIC, GLOBAL, 4, .line = 5, .tag = 1, .together = 1},
                                      {STORE, GLOBAL, 4, .line = 6, .tag = 2, .together = 1}};
    struct code c[] = {{"global_atomic_add v0, v1, s[2:3]", .line = 5, .tag = 1, .together = 7, .around = 0,
                        .one_lane = true},
                       {"global_store_dword v[2:3], v0, off", .line = 6, .tag = 2}};
    EXPECT(MADE_UP(a, c), "one lane, #0 0..3", "exact, #1 0..3");
    /* the same place, but all lanes that come there do it: it has been moved into a condition */
    c[0].one_lane = false;
    EXPECT(MADE_UP(a, c), "moved", "exact, #1 0..3");
}

/* Lanes are counted somewhere, nobody knows what for: perhaps for an atomic that looks like any other. */
static void counts_lanes(void **state)
{
    (void)state;
    static const struct access a[] = {{ATOMIC, GLOBAL, 4, .line = 5, .tag = 1},
                                      {STORE, GLOBAL, 4, .line = 6, .tag = 2}};
    static const struct code c[] = {{"global_atomic_add v0, v1, s[2:3]", .line = 5, .tag = 1},
                                    {"global_store_dword v[2:3], v0, off", .line = 6, .tag = 2}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "exact, #1 0..3");
    EXPECT(made_up_counting(a, 2, c, 2), "moved", "exact, #1 0..3");
}

/* The clone gave the atomic to one lane, too: its access stands in the condition that its instruction is in, and
 * what the machine code counts lanes for is no question. Were it not in a condition there, it would be moved. */
static void one_lane_in_clone(void **state)
{
    (void)state;
    static const struct access a[] = {
        {ATOMIC, GLOBAL, 4, .line = 5, .tag = 1, .together = 3, .flags = LS_SITE_ONE_LANE},
        {STORE, GLOBAL, 4, .line = 6, .tag = 2, .together = 1}};
    struct code c[] = {{"global_atomic_add v0, v1, s[2:3]", .line = 5, .tag = 1, .together = 7, .around = 0,
                        .one_lane = true},
                       {"global_store_dword v[2:3], v0, off", .line = 6, .tag = 2}};
    EXPECT(MADE_UP(a, c), "one lane, #0 0..3", "exact, #1 0..3");
    EXPECT(made_up_counting(a, 2, c, 2), "one lane, #0 0..3", "exact, #1 0..3");
    c[0].together = 0;
    EXPECT(MADE_UP(a, c), "moved", "exact, #1 0..3");
}

/* A load in the region of an atomic that one lane does. The program may have put it there, and then one lane
 * is seen; of 64 lanes that were seen one would be left. */
static void load_beside_one_lane(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1}};
    static const struct code c[] = {{"global_load_dword v1, v[2:3], off", .line = 5, .tag = 1, .together = 7,
                                     .around = 0, .one_lane = true}};
    struct made_up *m = MADE_UP(a, c);
    made_up_saw(m, 0, 1ull << 5, 0x1000, 4);
    made_up_again(m);
    EXPECT(m, "exact, #0 0..3");
    m = MADE_UP(a, c);
    made_up_saw(m, 0, ALL_LANES, 0x1000, 4);
    made_up_again(m);
    EXPECT(m, "moved");
}

/* ---- rule 8: read again ---- */

/* A float4 is loaded, and its second element once more, from the same registers: bytes 4 to 7 of the access,
 * by a second instruction. From other registers it is something that nobody knows. */
static void again(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 16, .line = 5, .tag = 1}};
    struct code c[] = {{"global_load_dwordx4 v[0:3], v[8:9], off", .line = 5, .tag = 1, .registers = 1},
                       {"global_load_dword v4, v[8:9], off offset:4", .line = 5, .registers = 1}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..15, #1 4..7");
    c[1].registers = 2;
    struct made_up *m = MADE_UP(a, c);
    assert_int_equal(made_up_counts(m, 1), -1);
    EXPECT(m, "exact, #0 0..15");
}

/* The same beside a load that is not joined: the second instruction may be its. */
static void again_beside_another(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 16, .line = 5, .tag = 1},
                                      {LOAD, GLOBAL, 2, .line = 6, .tag = 2}};
    static const struct code c[] = {
        {"global_load_dwordx4 v[0:3], v[8:9], off", .line = 5, .tag = 1, .registers = 1},
        {"global_load_dword v4, v[8:9], off offset:4", .line = 5, .registers = 1},
        {"global_load_dword v5, v[6:7], off", .line = 6, .tag = 2, .registers = 2}};
    struct made_up *m = MADE_UP(a, c);
    assert_int_equal(made_up_counts(m, 1), -1);
    EXPECT(m, "exact, #0 0..15", "unclear");
}

/* ---- rule 9: copies to LDS ---- */

/* Two copies beside a load, all on one line: each is one instruction by its number, for both sides; the load is none of them, and
 * they are no loads. The registers hold addresses of the side that is read: they say nothing about LDS, where the second copy
 * goes 64 bytes in front of the first. A copy of another width is not its instruction. */
static void to_lds(void **state)
{
    (void)state;
    enum { READ = LS_SITE_LDS_DMA_READ, WRITE = LS_SITE_LDS_DMA_WRITE };
    struct access a[] = {{READ, GLOBAL, 16, .line = 5, .tag = 1, .group = 1},
                         {WRITE, LDS, 16, .line = 5, .tag = 1, .group = 2, .distance = 64},
                         {LOAD, GLOBAL, 16, .line = 5, .tag = 2},
                         {READ, GLOBAL, 16, .line = 5, .tag = 3, .group = 1, .distance = 256},
                         {WRITE, LDS, 16, .line = 5, .tag = 3, .group = 2}};
    struct code c[] = {
        {"global_load_lds_dwordx4 v[0:1], off offset:256", .line = 5, .tag = 3, .registers = 1},
        {"global_load_dwordx4 v[2:5], v[8:9], off", .line = 5, .tag = 2, .registers = 2},
        {"global_load_lds_dwordx4 v[0:1], off", .line = 5, .tag = 1, .registers = 1}};
    struct made_up *m = MADE_UP(a, c);
    assert_int_equal(made_up_counts(m, 0), 3);
    assert_int_equal(made_up_counts(m, 2), 0);
    EXPECT(m, "exact, #2 0..15", "exact, #2 0..15", "exact, #1 0..15", "exact, #0 0..15", "exact, #0 0..15");
    c[0].text = "buffer_load_dword v0, s[0:3], 0 offen lds";
    EXPECT(MADE_UP(a, c), "exact, #2 0..15", "exact, #2 0..15", "exact, #1 0..15", "unclear", "unclear");
    c[1].tag = 0; /* the load has no number: copies still do not serve it */
    a[2].tag = 0;
    EXPECT(MADE_UP(a, c), "exact, #2 0..15", "exact, #2 0..15", "exact, #1 0..15", "unclear", "unclear");
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
        cmocka_unit_test(halves),
        cmocka_unit_test(halves_of_either),
        cmocka_unit_test(place_of_conversion),
        cmocka_unit_test(bytes_without_number),
        cmocka_unit_test(pair),
        cmocka_unit_test(one_cover_only),
        cmocka_unit_test(neighbours_in_a_clause),
        cmocka_unit_test(clause_goes_on),
        cmocka_unit_test(twins),
        cmocka_unit_test(wider_in_a_clause),
        cmocka_unit_test(copies_in_clauses),
        cmocka_unit_test(barriers),
        cmocka_unit_test(evidence),
        cmocka_unit_test(context),
        cmocka_unit_test(row_of_another_memory),
        cmocka_unit_test(alike),
        cmocka_unit_test(alike_in_conditions),
        cmocka_unit_test(other_line),
        cmocka_unit_test(uniform),
        cmocka_unit_test(claimed_once),
        cmocka_unit_test(left_to_scalar),
        cmocka_unit_test(left_over),
        cmocka_unit_test(out_of_a_loop),
        cmocka_unit_test(with_what_it_shares),
        cmocka_unit_test(copies_are_exempt),
        cmocka_unit_test(into_a_condition),
        cmocka_unit_test(into_another_condition),
        cmocka_unit_test(contradiction),
        cmocka_unit_test(one_lane),
        cmocka_unit_test(one_lane_in_clone),
        cmocka_unit_test(counts_lanes),
        cmocka_unit_test(load_beside_one_lane),
        cmocka_unit_test(again),
        cmocka_unit_test(again_beside_another),
        cmocka_unit_test(to_lds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
