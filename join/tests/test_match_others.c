/* test_match_others.c - as test_match.c: the rules for what has no cover of its own, from lines to copies to LDS. */
#include "tests/check.h"
#include "made_up.h"

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

/* Two instructions of one access that stand in two blocks share its executions. Where one of both is executed together with another
 * access's, as the access is, the other one would be one too many; or where one is always executed, as the access is not. */
static void copies_share(void **state)
{
    (void)state;
    struct access a[] = {{LOAD, GLOBAL, 4, .line = 5, .tag = 1, .together = 2},
                         {STORE, GLOBAL, 4, .line = 6, .tag = 2, .together = 2}};
    struct code c[] = {
        {"global_load_dword v1, v[2:3], off", .line = 5, .tag = 1, .block = 1, .together = 4},
        {"global_load_dword v1, v[2:3], off", .line = 5, .tag = 1, .block = 2, .together = 5},
        {"global_store_dword v[2:3], v1, off", .line = 6, .tag = 2, .block = 3, .together = 6}};
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "exact, #2 0..3");
    c[1].together = 6;
    struct made_up *m = MADE_UP(a, c);
    assert_int_equal(made_up_counts(m, 0), -1);
    assert_int_equal(made_up_counts(m, 1), -1);
    EXPECT(m, "moved", "exact, #2 0..3");
    c[1].together = 0;
    EXPECT(MADE_UP(a, c), "moved", "exact, #2 0..3");
    a[0].loops = 1; /* a loop whose first round stands before it */
    c[0].loops = 1;
    EXPECT(MADE_UP(a, c), "exact, #0 0..3", "exact, #2 0..3");
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

/* Of the hidden arguments clang reads whether the last work-group is a smaller one by a scalar load, and then, at an address
 * that depends on it, the work-group's size: by each lane, which no access of the program explains. */
static void arguments(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, CONSTANT, 4, .line = 5, .tag = 1, .reason = LS_REASON_KERNARG},
                                      {LOAD, CONSTANT, 2, .line = 5, .tag = 2, .reason = LS_REASON_KERNARG},
                                      {LOAD, GLOBAL, 4, .line = 6, .tag = 3}};
    static const struct code c[] = {{"s_load_dword s6, s[0:1], 0x18", .line = 5, .tag = 1},
                                    {"global_load_ushort v1, v1, s[0:1]", .line = 5, .tag = 2},
                                    {"global_load_dword v2, v[2:3], off", .line = 6, .tag = 3}};
    struct made_up *m = MADE_UP(a, c);
    assert_int_equal(made_up_counts(m, 0), -1);
    assert_int_equal(made_up_counts(m, 1), 1);
    assert_int_equal(made_up_counts(m, 2), 2);
    assert_false(ls_match_tells(made_up_match(m), 1));
    EXPECT(m, "unclear", "unclear", "exact, #2 0..3");
}

/* What stands in the row of arguments and is not what reads them: of another width, a store, beside the scalar load that does
 * read them, in LDS. Nobody knows whose they are. */
static void beside_arguments(void **state)
{
    (void)state;
    static const struct access a[] = {{LOAD, CONSTANT, 2, .line = 5, .tag = 1, .reason = LS_REASON_KERNARG},
                                      {LOAD, CONSTANT, 4, .line = 5, .tag = 2, .reason = LS_REASON_KERNARG}};
    static const struct code c[] = {{"global_load_dword v2, v[2:3], off", .line = 5, .tag = 1},
                                    {"global_store_short v[2:3], v2, off", .line = 5, .tag = 1},
                                    {"ds_read_u16 v2, v3", .line = 5, .tag = 1},
                                    {"s_load_dword s6, s[0:1], 0x18", .line = 5, .tag = 2},
                                    {"global_load_dword v3, v[2:3], off", .line = 5, .tag = 2}};
    struct made_up *m = MADE_UP(a, c);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(made_up_counts(m, i), -1);
    made_up_free(m);
}

/* Unoptimised code keeps its variables in memory of the lane, and reaches them by flat pointers: of `f(p[i])` the load of p has the place of
 * the whole, that of the element none of its own. */
static void variables_by_flat_pointers(void **state)
{
    (void)state;
    static const struct access a[] = {
        {LOAD, FLAT, 8, .line = 3, .column = 7, .tag = 1, .reason = LS_REASON_PRIVATE},
        {LOAD, FLAT, 8, .line = 3, .column = 7, .tag = 2}};
    static const struct code c[] = {{"flat_load_dwordx2 v[6:7], v[0:1]", .line = 3, .column = 7, .tag = 1},
                                    {"flat_load_dwordx2 v[0:1], v[0:1]", .line = 3, .column = 5}};
    struct made_up *m = MADE_UP(a, c);
    assert_int_equal(made_up_counts(m, 0), 0);
    assert_int_equal(made_up_counts(m, 1), 1);
    EXPECT(m, "unclear", "exact, #1 0..7");
}

/* More than half of what 32 bits hold. */
static void a_copy_of_3_gib(void **state)
{
    (void)state;
    static const struct access a[] = {
        {.kind = STORE, .space = GLOBAL, .bytes = 3u << 30, .line = 1, .align = 4}};
    static const struct code c[] = {{.text = "global_store_dword v0, v1, s[0:1]", .line = 1}};
    EXPECT(MADE_UP(a, c), "unclear");
}

/* ---- atomics that became loops around a compare-and-swap ---- */

/* Two atomics of 4 bytes and one of 8, each a load and a loop, in another order than in the program. A loop's compare-and-swap stands
 * in the row of its load, which has the atomic's number: so each is known. With two in one row, one has no place. Nor has any
 * without numbers: then it does not matter which of the two does which access, but it is not known, and neither tells how often
 * the other instructions of its block are executed. The one of 8 bytes is the only one, and tells it. */
static void loops_of_atomics(void **state)
{
    (void)state;
    enum { SWAP = LS_SITE_CMPXCHG };
    static const struct access a[] = {
        {LOAD, GLOBAL, 4, .line = 9, .tag = 1, .together = 1},
        {SWAP, GLOBAL, 4, .line = 9, .tag = 1, .together = 2, .loops = 1},
        {LOAD, GLOBAL, 4, .line = 9, .tag = 2, .together = 1},
        {SWAP, GLOBAL, 4, .line = 9, .tag = 2, .together = 3, .loops = 1},
        {LOAD, GLOBAL, 8, .line = 9, .tag = 3, .together = 1},
        {SWAP, GLOBAL, 8, .line = 9, .tag = 3, .together = 4, .loops = 1},
    };
    static const char swap[] = "global_atomic_cmpswap v3, v[1:2], v[3:4], off glc";
    struct code c[] = {
        {"global_load_dword v4, v[1:2], off", .line = 9, .tag = 2, .row = 8, .registers = 1},
        {swap, .line = 9, .tag = 2, .row = 8, .registers = 1, .block = 1, .together = 1, .loops = 1,
         .follows = true},
        {"global_load_dword v4, v[1:2], off", .line = 9, .tag = 1, .row = 16, .registers = 2, .block = 2},
        {swap, .line = 9, .tag = 1, .row = 16, .registers = 2, .block = 3, .together = 3, .loops = 1,
         .follows = true},
        {"global_load_dwordx2 v[4:5], v[1:2], off", .line = 9, .tag = 3, .row = 24, .registers = 3,
         .block = 4},
        {"global_atomic_cmpswap_x2 v[0:1], v[4:5], v[0:3], off glc", .line = 9, .tag = 3, .row = 24,
         .registers = 3, .block = 5, .together = 5, .loops = 1, .follows = true}};
    struct made_up *m = MADE_UP(a, c);
    for (uint32_t k = 0; k < 6; k++)
        assert_true(ls_match_tells(made_up_match(m), k));
    EXPECT(m, "exact, #2 0..3", "exact, #3 0..3", "exact, #0 0..3", "exact, #1 0..3", "exact, #4 0..7",
           "exact, #5 0..7");
    c[3].row = c[2].row = 8;
    m = MADE_UP(a, c);
    assert_false(ls_match_tells(made_up_match(m), 1) || ls_match_tells(made_up_match(m), 3));
    assert_true(ls_match_tells(made_up_match(m), 5));
    made_up_free(m);
    for (uint32_t k = 1; k < 6; k += 2)
        c[k].row = c[k].tag = 0;
    m = MADE_UP(a, c);
    assert_false(ls_match_tells(made_up_match(m), 1) || ls_match_tells(made_up_match(m), 3));
    assert_true(ls_match_tells(made_up_match(m), 5));
    made_up_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(place_of_conversion),
        cmocka_unit_test(bytes_without_number),
        cmocka_unit_test(other_line),
        cmocka_unit_test(uniform),
        cmocka_unit_test(claimed_once),
        cmocka_unit_test(left_to_scalar),
        cmocka_unit_test(left_over),
        cmocka_unit_test(out_of_a_loop),
        cmocka_unit_test(with_what_it_shares),
        cmocka_unit_test(copies_are_exempt),
        cmocka_unit_test(copies_share),
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
        cmocka_unit_test(arguments),
        cmocka_unit_test(beside_arguments),
        cmocka_unit_test(variables_by_flat_pointers),
        cmocka_unit_test(a_copy_of_3_gib),
        cmocka_unit_test(loops_of_atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
