/* test_match_covers.c - as test_match.c: exact covers, and what chooses among several. */
#include "tests/check.h"
#include "made_up.h"

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

/* Two pairs of loads, each alone in a condition of its own, at the same offsets from registers of their own: nothing tells which
 * condition is which, and it makes no difference as long as each pair stands in one. Of two and two instructions none does three
 * accesses. */
static void alike_alone_in_conditions(void **state)
{
    (void)state;
    struct access a[] = {{LOAD, LDS, 8, .line = 5, .together = 2},
                         {LOAD, LDS, 8, .line = 5, .together = 2},
                         {LOAD, LDS, 8, .line = 5, .together = 3},
                         {LOAD, LDS, 8, .line = 5, .together = 3}};
    static const struct code c[] = {{"ds_read_b64 v[2:3], v9", .together = 6},
                                    {"ds_read_b64 v[2:3], v9 offset:256", .together = 6},
                                    {"ds_read_b64 v[2:3], v8", .together = 7},
                                    {"ds_read_b64 v[2:3], v8 offset:256", .together = 7}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..7", "exact, #1 0..7", "exact, #2 0..7", "exact, #3 0..7");
    a[1].together = 3;
    EXPECT(MADE_UP(a, c), "moved", "moved", "moved", "moved");
}

/* The same in pairs: 4 accesses in each condition, at known distances, which two instructions do. Which condition is which makes no
 * difference while the instructions of both do the same. */
static void pairs_alone_in_conditions(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, LDS, 4, .line = 5, .tag = 1, .together = 2, .group = 1, .distance = 0},
        {LOAD, LDS, 4, .line = 5, .tag = 2, .together = 2, .group = 1, .distance = 4},
        {LOAD, LDS, 4, .line = 5, .tag = 3, .together = 2, .group = 1, .distance = 32},
        {LOAD, LDS, 4, .line = 5, .tag = 4, .together = 2, .group = 1, .distance = 36},
        {LOAD, LDS, 4, .line = 5, .tag = 5, .together = 3, .group = 5, .distance = 0},
        {LOAD, LDS, 4, .line = 5, .tag = 6, .together = 3, .group = 5, .distance = 4},
        {LOAD, LDS, 4, .line = 5, .tag = 7, .together = 3, .group = 5, .distance = 32},
        {LOAD, LDS, 4, .line = 5, .tag = 8, .together = 3, .group = 5, .distance = 36}};
    struct code c[] = {
        {"ds_read2_b32 v[2:3], v9 offset0:8 offset1:9", .line = 5, .together = 6, .block = 1, .registers = 1},
        {"ds_read2_b32 v[4:5], v9 offset1:1", .line = 5, .together = 6, .block = 1, .registers = 1},
        {"ds_read2_b32 v[2:3], v8 offset1:1", .line = 5, .together = 7, .block = 2, .registers = 2},
        {"ds_read2_b32 v[4:5], v8 offset0:8 offset1:9", .line = 5, .together = 7, .block = 2,
         .registers = 2}};
    EXPECT(MADE_UP(a, c), "shared at 0, #1 0..3", "shared at 0, #1 0..3", "shared at 2, #0 0..3",
           "shared at 2, #0 0..3", "shared at 4, #2 0..3", "shared at 4, #2 0..3", "shared at 6, #3 0..3",
           "shared at 6, #3 0..3");
    c[2].text = "ds_read2_b32 v[2:3], v8 offset1:8";
    c[3].text = "ds_read2_b32 v[4:5], v8 offset0:1 offset1:9";
    EXPECT(MADE_UP(a, c), "unclear", "unclear", "unclear", "unclear", "unclear", "unclear", "unclear",
           "unclear");
}

/* Two lines store 4 times each, to the same addresses: pairs that lie 1024 bytes apart, at two places of which nobody knows how far
 * they lie apart. Of the two instructions of each line the second stands in the row of the first. In the whole function each may do
 * the first half of one line's access and the second of the other's. */
static void in_one_row(void **state)
{
    (void)state;
    static const struct access a[] = {{STORE, LDS, 8, .line = 5, .tag = 1, .group = 1, .distance = 0},
                                      {STORE, LDS, 8, .line = 5, .tag = 2, .group = 1, .distance = 1024},
                                      {STORE, LDS, 8, .line = 5, .tag = 3, .group = 3, .distance = 0},
                                      {STORE, LDS, 8, .line = 5, .tag = 4, .group = 3, .distance = 1024},
                                      {STORE, LDS, 8, .line = 6, .tag = 5, .group = 1, .distance = 0},
                                      {STORE, LDS, 8, .line = 6, .tag = 6, .group = 1, .distance = 1024},
                                      {STORE, LDS, 8, .line = 6, .tag = 7, .group = 3, .distance = 0},
                                      {STORE, LDS, 8, .line = 6, .tag = 8, .group = 3, .distance = 1024}};
    struct code c[] = {
        {"ds_write2st64_b64 v1, v[2:3], v[6:7] offset1:2", .line = 5, .row = 8, .registers = 1},
        {"ds_write2st64_b64 v9, v[2:3], v[6:7] offset1:2", .line = 5, .row = 8, .registers = 2,
         .follows = true},
        {"ds_write2st64_b64 v1, v[2:3], v[6:7] offset1:2", .line = 6, .row = 9, .registers = 1},
        {"ds_write2st64_b64 v9, v[2:3], v[6:7] offset1:2", .line = 6, .row = 9, .registers = 2,
         .follows = true}};
    EXPECT(MADE_UP(a, c), "shared at 0, #0 0..7", "shared at 0, #0 0..7", "shared at 2, #1 0..7",
           "shared at 2, #1 0..7", "shared at 4, #2 0..7", "shared at 4, #2 0..7", "shared at 6, #3 0..7",
           "shared at 6, #3 0..7");
    c[1].row = c[3].row = 0;
    EXPECT(MADE_UP(a, c), "unclear", "unclear", "unclear", "unclear", "unclear", "unclear", "unclear",
           "unclear");
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

/* Three halves by a pointer to anything, loaded as 4 and 2 bytes from the same registers, and a load of global memory in the same
 * clause: the registers tell which is whose. */
static void flat_beside(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, FLAT, 4, .line = 5, .tag = 1, .together = 2, .group = 1},
        {LOAD, FLAT, 2, .line = 5, .tag = 2, .together = 2, .group = 1, .distance = 4},
        {LOAD, GLOBAL, 2, .line = 5, .tag = 3, .together = 2}};
    static const struct code c[] = {
        {"global_load_dword v4, v[2:3], off", .line = 5, .tag = 1, .together = 4, .registers = 1, .row = 8},
        {"global_load_ushort v9, v[2:3], off offset:4", .line = 5, .tag = 1, .together = 4, .registers = 1,
         .row = 8, .follows = true},
        {"global_load_ushort v7, v1, s[8:9]", .line = 5, .tag = 1, .together = 4, .registers = 2, .row = 8,
         .follows = true}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "exact, #1 0..1", "exact, #2 0..1");
}

/* Two loads of clauses, which have no place: one always executed, the other one in a condition. The load of a pointer to anything
 * (it is global in the machine code) is among those that they may do: they are no two copies of the other load. */
static void no_copies_of_a_neighbour(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1, .together = 2},
                                      {LOAD, GLOBAL, 2, .line = 5, .tag = 2, .together = 2},
                                      {LOAD, FLAT, 4, .line = 9, .tag = 3, .together = 1},
                                      {LOAD, FLAT, 2, .line = 9, .tag = 4, .together = 1}};
    struct code c[] = {
        {"global_load_dword v6, v1, s[8:9]", .line = 5, .tag = 1, .block = 1, .together = 1},
        {"global_load_ushort v7, v2, s[8:9]", .line = 5, .tag = 1, .block = 1, .together = 1,
         .follows = true},
        {"global_load_dword v4, v[2:3], off", .line = 9, .tag = 3, .block = 6},
        {"global_load_ushort v9, v[4:5], off", .line = 9, .tag = 3, .block = 6, .follows = true}};
    struct made_up *m = MADE_UP(a, c);
    assert_int_equal(made_up_counts(m, 3), 3);
    EXPECT(m, "exact, #0 0..3", "exact, #1 0..1", "exact, #2 0..3", "exact, #3 0..1");
}

/* The same, and the compiler found that one of both is not needed. Nothing tells which of them the one that is left does; but a load of
 * another width, one of another place, and one that stands with other accesses are not taken for it. */
static void left_for_a_neighbour(void **state)
{
    (void)state;
    struct access a[] = {{LOAD, GLOBAL, 2, .line = 5, .tag = 2}, {LOAD, FLAT, 2, .line = 9, .tag = 4}};
    struct code c[] = {{"global_load_ushort v7, v2, s[8:9]", .line = 5, .tag = 1, .follows = true}};
    EXPECT(MADE_UP(a, c), "unclear", "unclear");
    a[1].bytes = 1;
    EXPECT(MADE_UP(a, c), "exact, #0 0..1", "absent");
    a[1].bytes = 2;
    c[0].follows = false; /* and has the number of what is no access */
    c[0].tag = 0;
    c[0].line = 5;
    EXPECT(MADE_UP(a, c), "exact, #0 0..1", "absent");
}

/* Two pairs without places, of which code generation moved one, of line 6, into a condition. The one that stands where all
 * accesses are executed, behind one barrier, is that of line 5; not so if it shows another line, for it may have been moved, too. */
static void moved_into_a_condition(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, LDS, 4, .line = 5, .tag = 1, .together = 1, .group = 1, .barriers = 2},
        {LOAD, LDS, 4, .line = 5, .tag = 2, .together = 1, .group = 1, .distance = 32, .barriers = 2},
        {LOAD, LDS, 4, .line = 6, .tag = 3, .together = 1, .group = 2, .barriers = 3},
        {LOAD, LDS, 4, .line = 6, .tag = 4, .together = 1, .group = 2, .distance = 32, .barriers = 3}};
    struct code c[] = {{"ds_read2_b32 v[2:3], v1 offset1:8", .line = 5, .follows = true, .barriers = 2},
                       {"ds_read2_b32 v[4:5], v2 offset1:8", .block = 1, .together = 8, .barriers = 3}};
    EXPECT(MADE_UP(a, c), "shared at 0, #0 0..3", "shared at 0, #0 0..3", "unclear", "unclear");
    c[0].line = 9;
    EXPECT(MADE_UP(a, c), "unclear", "unclear", "unclear", "unclear");
}

/* Two instructions of clauses in two blocks, and an access whose own instruction has its number: either may be a copy of
 * that one, which is joined. */
static void copies_without_number(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, GLOBAL, 2, .line = 5, .tag = 1},
                                      {LOAD, GLOBAL, 2, .line = 6, .tag = 2}};
    static const struct code c[] = {
        {"global_load_ushort v7, v2, s[8:9]", .line = 9, .tag = 8, .block = 1, .follows = true},
        {"global_load_ushort v8, v3, s[8:9]", .line = 9, .tag = 8, .block = 2, .follows = true},
        {"global_load_ushort v9, v4, s[8:9]", .line = 6, .tag = 2, .block = 3}};
    struct made_up *m = MADE_UP(a, c);
    assert_int_equal(made_up_counts(m, 0), -1);
    assert_int_equal(made_up_counts(m, 1), -1);
    EXPECT(m, "unclear", "exact, #2 0..1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves),
        cmocka_unit_test(halves_of_either),
        cmocka_unit_test(pair),
        cmocka_unit_test(one_cover_only),
        cmocka_unit_test(neighbours_in_a_clause),
        cmocka_unit_test(clause_goes_on),
        cmocka_unit_test(twins),
        cmocka_unit_test(wider_in_a_clause),
        cmocka_unit_test(copies_in_clauses),
        cmocka_unit_test(no_copies_of_a_neighbour),
        cmocka_unit_test(flat_beside),
        cmocka_unit_test(left_for_a_neighbour),
        cmocka_unit_test(moved_into_a_condition),
        cmocka_unit_test(copies_without_number),
        cmocka_unit_test(barriers),
        cmocka_unit_test(evidence),
        cmocka_unit_test(context),
        cmocka_unit_test(row_of_another_memory),
        cmocka_unit_test(alike),
        cmocka_unit_test(alike_in_conditions),
        cmocka_unit_test(alike_alone_in_conditions),
        cmocka_unit_test(pairs_alone_in_conditions),
        cmocka_unit_test(in_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
