/* test_advice.c - what the advice handler finds, against numbers worked out by hand. gfx90a: 32 banks of 4
 * bytes, two phases of 32 lanes, cache lines of 64 bytes. */
#include "advice_test.h"
#include "host-handlers/models/lds_model.h"

/*
 * A 32x32 tile of floats, written by rows and read by columns by 16 wavefronts of 32x2 work-items: lane l of
 * wavefront w has tx = l % 32, ty = 2 w + l / 32. Read: address 128 tx + 4 ty: the 32 lanes of a half in one
 * bank, 31 conflicts each, 62 per wavefront, 992 in all. Pitch 33: bank (33 tx + ty) % 32 = (tx + ty) % 32,
 * all different: 0. XOR: bank ty ^ tx, all different: 0. Written: 32 dwords of one row, whatever the layout:
 * 0. Without conflicts an access takes its two phases: 16 * 2 cycles for the reads, and for the writes.
 */
static void transpose(void **state)
{
    (void)state;
    begin();
    for (uint32_t wave = 0; wave < 16; wave++) {
        uint64_t row[64], column[64];
        for (unsigned l = 0; l < 64; l++) {
            unsigned tx = l % 32, ty = 2 * wave + l / 32;
            row[l] = 128 * ty + 4 * tx;
            column[l] = 128 * tx + 4 * ty;
        }
        harness_lanes(&h, STORE, 0, wave, ~0ull, row, 4);
        harness_lanes(&h, LOAD, 0, wave, ~0ull, column, 4);
    }
    harness_end(&h);
    has("lds", STORE, "\"conflicts\":0,\"array_conflicts\":992,"); /* it may stand on the load's line */
    has("lds", LOAD,
        "\"executions\":16,\"replayed\":16,\"bytes\":4,\"conflicts\":992,\"array_conflicts\":992,\"cycles\":"
        "1024,"
        "\"array_cycles\":1056,\"step\":128,\"step_executions\":16,\"banks\":32,\"piece\":4,"
        "\"step_pairs\":992,\"pairs\":1008,\"row\":64");
    has("lds", LOAD,
        "{\"kind\":\"pad\",\"dimension\":0,\"pitch\":128,\"to\":132,\"unit\":0,\"conflicts\":0,"
        "\"array_conflicts\":0,\"cycles\":32,\"array_cycles\":64}");
    has("lds", LOAD,
        "{\"kind\":\"xor\",\"dimension\":0,\"pitch\":128,\"to\":128,\"unit\":4,\"conflicts\":0,"
        "\"array_conflicts\":0,\"cycles\":32,\"array_cycles\":64}");
    harness_close(&h);
}

/*
 * Doubles by columns, pitch 32 elements of 8 bytes: lane l reads element [l][0]. A phase is 16 lanes, all on
 * banks 0 and 1: 15 conflicts, four phases: 60. Padding must be 2 or 4 dwords, or elements would not be
 * aligned: with 2, lane l lies on banks 2 l and 2 l + 1: 16 lanes on 32 banks, 0 conflicts.
 */
static void doubles(void **state)
{
    (void)state;
    begin();
    harness_strided(&h, OTHER, 0, 0, ~0ull, 0, 256, 8);
    harness_end(&h);
    has("lds", OTHER, "\"conflicts\":60,");
    has("lds", OTHER,
        "{\"kind\":\"pad\",\"dimension\":0,\"pitch\":256,\"to\":264,\"unit\":0,\"conflicts\":0,");
    has("lds", OTHER,
        "{\"kind\":\"xor\",\"dimension\":0,\"pitch\":256,\"to\":256,\"unit\":8,\"conflicts\":0,");
    harness_close(&h);
}

/*
 * A distance that only some executions have. LDS: 8 of 40 read columns, 62 conflicts each; the others have one active
 * lane, or read 64 dwords side by side. Global memory: 2 of 5 executions are 512 bytes apart, and have all but one of
 * the pairs of lanes (126 of 127); two have one lane, one has two lanes that are 4 bytes apart.
 */
static void distance_of_some(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 40; i++)
        harness_strided(&h, LOAD, 0, 0, i < 8 || i % 2 ? ~0ull : 1, 0, i < 8 ? 128 : 4, 4);
    const uint64_t exec[] = {~0ull, 1, 3, 1, ~0ull};
    for (int i = 0; i < 5; i++)
        harness_strided(&h, X, 0, 0, exec[i], 0x7f0000001000, exec[i] == ~0ull ? 512 : 4, 4);
    harness_end(&h);
    has("lds", LOAD, "\"conflicts\":496,");
    has("lds", LOAD, "\"step\":128,\"step_executions\":8,");
    has("global", X, "\"stride\":512,\"idle\":1,\"step_executions\":2,");
    harness_close(&h);
}

/* Addresses without order: the number of conflicts is the model's, and no layout halves them by chance. */
static void irregular(void **state)
{
    (void)state;
    uint64_t sum = 0;
    uint32_t seed = 7;
    char text[64];
    begin();
    for (unsigned wave = 0; wave < 100; wave++) {
        uint64_t addr[64];
        uint32_t offset[64];
        for (unsigned l = 0; l < 64; l++) {
            seed = seed * 1664525u + 1013904223u;
            addr[l] = offset[l] = (seed >> 12) % 4096 * 4;
        }
        sum += ls_lds_access(ls_gpu_with_lds("gfx90a"), false, false, 4, ~0ull, offset).conflict_cycles;
        harness_lanes(&h, LOAD, 0, wave, ~0ull, addr, 4);
    }
    harness_end(&h);
    snprintf(text, sizeof text, "\"conflicts\":%llu,", (unsigned long long)sum);
    has("lds", LOAD, text);
    has("lds", LOAD, "\"step\":0,");
    const char *change = strstr(harness_row(&h, "lds", LOAD, 0), "\"changes\":");
    assert_non_null(change);
    for (; (change = strstr(change, "\"conflicts\":")); change++)
        assert_true(strtoull(change + strlen("\"conflicts\":"), NULL, 10) > sum / 2);
    harness_close(&h);
}

/* 300 patterns: 256 are kept with exact counts, the others only counted. Pattern i: lanes 128 bytes apart
 * from dword i on, 62 conflicts each. The first one comes twice more at the end. */
static void bounded(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < 300; i++)
        harness_strided(&h, LOAD, 0, 0, ~0ull, 4 * i, 128, 4);
    harness_strided(&h, LOAD, 0, 0, ~0ull, 0, 128, 4);
    harness_strided(&h, LOAD, 0, 0, ~0ull, 0, 128, 4);
    harness_end(&h);
    has("lds", LOAD, "\"executions\":302,\"replayed\":258,\"bytes\":4,\"conflicts\":15996,"); /* 258 * 62 */
    harness_close(&h);
}

/* Patterns in turn, the same again, and out of turn, at two places and of two sites. In each group of 32 lanes, 128 bytes apart are 31 conflicts, 8
 * bytes 1, 4 bytes none: of site LOAD 4 * 62 + 3 * 2 = 254. Of the other, which has some of the patterns, 62. */
static void in_turn(void **state)
{
    static const int64_t apart[] = {128, 4, 8, 128, 4, 8, 128, 128, 8, 4};
    (void)state;
    begin();
    for (unsigned i = 0; i < 10; i++) {
        harness_strided(&h, LOAD, 0, 0, ~0ull, i == 7 ? 4 : 0, apart[i], 4);
        if (i < 2)
            harness_strided(&h, STORE, 0, 0, ~0ull, 0, apart[i], 4);
    }
    harness_end(&h);
    has("lds", LOAD, "\"executions\":10,\"replayed\":10,\"bytes\":4,\"conflicts\":254,");
    has("lds", STORE, "\"executions\":2,\"replayed\":2,\"bytes\":4,\"conflicts\":62,");
    harness_close(&h);
}

/* 512 bytes apart: 64 lines, side by side 256 bytes: 4 lines. */
static void stride(void **state)
{
    (void)state;
    begin();
    harness_strided(&h, X, 0, 0, ~0ull, 0x7f0000001000, 512, 4);
    harness_strided(&h, X, 0, 1, ~0ull, 0x7f0000001004, 512, 4);
    harness_end(&h);
    has("global", X,
        "\"executions\":2,\"replayed\":2,\"bytes\":4,\"lines\":128,\"needed\":8,\"kind\":\"stride\","
        "\"stride\":512,\"step_executions\":2,\"line_bytes\":64,\"after\":8,\"fields\":[]");
    harness_close(&h);
}

/* Structures of 16 bytes, fields at 0, 4 and 12: 64 * 16 bytes are 16 lines each, side by side 4. */
static void structures(void **state)
{
    (void)state;
    begin();
    harness_strided(&h, Y, 0, 0, ~0ull, 0x7f000000100c, 16, 4);
    harness_strided(&h, X, 0, 0, ~0ull, 0x7f0000001000, 16, 4);
    harness_strided(&h, Z, 0, 0, ~0ull, 0x7f0000001004, 16, 4);
    harness_end(&h);
    for (uint32_t site = X; site <= Z; site++)
        has("global", site,
            "\"lines\":16,\"needed\":4,\"kind\":\"structures\",\"stride\":16,\"step_executions\":1,\"line_"
            "bytes\":64,"
            "\"after\":4,\"fields\":[0,4,12]");
    harness_close(&h);
}

/* Of one place in the source where all are on one line and column. */
static void parts_of_one_access(void **state)
{
    static const struct lanescope_frame here = {"k.py", 5, 9, "k"}, there = {"k.py", 5, 12, "k"};
    struct lanescope_site placed[SITES];
    struct lanescope_dispatch known = dispatch;
    (void)state;
    memcpy(placed, sites, sizeof placed);
    known.sites = placed;
    for (int i = 0; i < 2; i++) {
        placed[X].n_frames = placed[Y].n_frames = 1;
        placed[X].frames = &here;
        placed[Y].frames = i ? &there : &here;
        assert_int_equal(harness_open(&h, "advice"), 0);
        harness_begin(&h, &known);
        harness_strided(&h, X, 0, 0, ~0ull, 0x7f0000001000, 16, 4);
        harness_strided(&h, Y, 0, 0, ~0ull, 0x7f0000001008, 16, 4);
        harness_end(&h);
        has("global", X,
            i ? "\"field_bytes\":[4,4],\"pieces\"" : "\"field_bytes\":[4,4],\"one_place\":1,\"pieces\"");
        harness_close(&h);
    }
}

/* Each lane walks a row of a matrix of 64 floats by four: X and Y, of one turn of an unrolled loop, lie at other places of the row in the
 * next turn, so that 256 bytes are no structure. 64 rows are 64 lines, side by side 4, in each of two turns. */
static void rows_of_a_matrix(void **state)
{
    (void)state;
    begin();
    for (uint64_t turn = 0; turn < 2; turn++) {
        harness_strided(&h, X, 0, 0, ~0ull, 0x7f0000001000 + 8 * turn, 256, 4);
        harness_strided(&h, Y, 0, 0, ~0ull, 0x7f0000001004 + 8 * turn, 256, 4);
    }
    harness_end(&h);
    for (uint32_t site = X; site <= Y; site++)
        has("global", site,
            "\"lines\":128,\"needed\":8,\"kind\":\"stride\",\"stride\":256,\"step_executions\":2,\"line_"
            "bytes\":64,\"after\":8,\"fields\":[]");
    harness_close(&h);
}

/* 256 bytes from offset 4 of a line: 5 lines instead of 4; aligned ones are not mentioned. */
static void misaligned(void **state)
{
    (void)state;
    begin();
    harness_strided(&h, X, 0, 0, ~0ull, 0x7f0000001004, 4, 4);
    harness_strided(&h, Y, 0, 0, ~0ull, 0x7f0000001040, 4, 4);
    harness_end(&h);
    has("global", X,
        "\"lines\":5,\"needed\":4,\"kind\":\"misaligned\",\"stride\":4,\"step_executions\":1,\"line_bytes\":"
        "64,\"after\":4");
    assert_null(harness_row(&h, "global", Y, 0));
    harness_close(&h);
}

/* Every other lane works, at 4 bytes per lane, from byte 4 to 255, in 4 lines where 128 bytes side by side
 * fill 2: the data of all lanes lie side by side already. At 16 bytes per lane they are in 16 lines; side by
 * side, with those of the idle ones between them, in 4. */
static void every_other_lane(void **state)
{
    (void)state;
    begin();
    harness_strided(&h, X, 0, 0, 0xaaaaaaaaaaaaaaaaull, 0x7f0000001000, 4, 4);
    harness_strided(&h, Y, 0, 0, 0xaaaaaaaaaaaaaaaaull, 0x7f0000001000, 16, 4);
    harness_end(&h);
    has("global", X,
        "\"lines\":4,\"needed\":2,\"kind\":\"idle\",\"stride\":4,\"idle\":1,\"step_executions\":1,\"line_"
        "bytes\":64,"
        "\"after\":4");
    has("global", Y,
        "\"lines\":16,\"needed\":2,\"kind\":\"stride\",\"stride\":16,\"idle\":1,\"step_executions\":1,\"line_"
        "bytes\":64,"
        "\"after\":4");
    harness_close(&h);
}

/*
 * Both rows of a wavefront of 32x2 work-items read one column: 32 elements 256 bytes apart, each twice. Side by side they are 128
 * bytes, 2 lines, as many as needed. Of the other one every second lane works: 16 elements, in the place of lanes 0 to 30, bytes 0
 * to 123: 2 lines, where the 64 bytes alone need 1.
 */
static void rows_that_read_the_same(void **state)
{
    (void)state;
    uint64_t addr[64];
    begin();
    for (unsigned l = 0; l < 64; l++)
        addr[l] = 0x7f0000001000 + 256 * (l % 32);
    harness_lanes(&h, X, 0, 0, ~0ull, addr, 4);
    harness_lanes(&h, Y, 0, 0, 0x5555555555555555ull, addr, 4);
    harness_end(&h);
    has("global", X, "\"lines\":32,\"needed\":2,\"kind\":\"stride\",\"stride\":256,");
    has("global", X, "\"after\":2,");
    has("global", Y, "\"lines\":16,\"needed\":1,\"kind\":\"stride\",\"stride\":256,");
    has("global", Y, "\"after\":2,");
    harness_close(&h);
}

static const struct lanescope_frame inner = {"a.hip", 14, 9, "k"}, outer = {"a.hip", 12, 7, "k"};
static const struct lanescope_branch branches[] = {
    {&outer, NULL, 0}, {&inner, &branches[0], 0}, {&inner, &branches[1], 1}};

/* 8 of 64 lanes twice, of a site that an `if` and a loop are around, which has two branches; 48 of 64 is the
 * most that is told, 49 is not. */
static void idle_lanes(void **state)
{
    (void)state;
    static const struct lanescope_detail details[SITES] = {[X] = {NULL, &branches[2]}};
    struct lanescope_dispatch known = dispatch;
    known.details = details;
    assert_int_equal(harness_open(&h, "advice"), 0);
    harness_begin(&h, &known);
    for (int i = 0; i < 2; i++)
        harness_strided(&h, X, 0, 0, 0x0101010101010101ull, 0x7f0000001000, 4, 4);
    harness_strided(&h, Y, 0, 0, (1ull << 48) - 1, 0x7f0000001000, 4, 4);
    harness_strided(&h, Z, 0, 0, (1ull << 49) - 1, 0x7f0000001000, 4, 4);
    harness_end(&h);
    has("lanes", X,
        "{\"executions\":2,\"active\":16,\"empty\":0,\"lanes\":64,\"workgroup\":64,\"branches\":["
        "{\"file\":\"a.hip\",\"line\":14,\"column\":9,\"loop\":1},"
        "{\"file\":\"a.hip\",\"line\":12,\"column\":7,\"loop\":0}]}");
    has("lanes", Y, "\"active\":48,\"empty\":0,\"lanes\":64,\"workgroup\":64,\"branches\":[]");
    assert_null(harness_row(&h, "lanes", Z, 0));
    harness_close(&h);
}

/*
 * A declared array of structures of 8 bytes, [64][16], whose columns are read by dwords: 128 bytes apart, 62
 * conflicts. It can grow by whole structures only: with 17 in a row lane l is at dword 34 l, 16 banks, 2
 * lanes on each: 2.
 */
static void declared(void **state)
{
    (void)state;
    static const struct lanescope_variable pairs = {"pairs", "pair", 8, 64 * 16 * 8, 1, 2, {64, 16}, 4};
    static const struct lanescope_detail details[SITES] = {[LOAD] = {&pairs, NULL}};
    struct lanescope_dispatch known = dispatch;
    known.details = details;
    assert_int_equal(harness_open(&h, "advice"), 0);
    harness_begin(&h, &known);
    harness_strided(&h, LOAD, 0, 0, ~0ull, 0, 128, 4);
    harness_end(&h);
    has("lds", LOAD, "\"element\":8,\"variable\":\"pairs\",\"type\":\"pair\",\"dimensions\":[64,16]");
    has("lds", LOAD,
        "{\"kind\":\"pad\",\"dimension\":1,\"pitch\":128,\"to\":136,\"unit\":0,\"conflicts\":2,"
        "\"array_conflicts\":2,\"cycles\":4,\"array_cycles\":4}");
    assert_null(strstr(harness_row(&h, "lds", LOAD, 0), "\"to\":132"));
    harness_close(&h);
}

/*
 * Atomics. 64 lanes on one dword: 31 of each phase of 32 wait, 62, and two cycles for the phases. One lane of
 * them alone: 2. Of 32 copies, each a dword further than the array's one dword, that is 2 dwords apart: lanes
 * l and l + 16 of a phase are on one bank, 1 conflict each. 16 copies: two lanes of each phase on each of 16
 * even banks: waits 1 + 1. So both are 4 cycles, and the first of them, 16, stays.
 */
static void contention(void **state)
{
    (void)state;
    static const struct lanescope_site atomic[] = {
        {.kind = LS_SITE_RMW, .space = 3, .bytes = 4, .align = 4, .instruction = "atomicrmw"}};
    static const struct lanescope_variable counter = {"counter", "int", 4, 4, 0, 1, {1}, 4};
    static const struct lanescope_detail details[] = {{&counter, NULL}};
    const struct lanescope_dispatch known = {HARNESS_DISPATCH(atomic), .grid = {64, 1, 1},
                                             .workgroup = {64, 1, 1}, .details = details};
    assert_int_equal(harness_open(&h, "advice"), 0);
    harness_begin(&h, &known);
    harness_strided(&h, 0, 0, 0, ~0ull, 0, 0, 4);
    harness_end(&h);
    has("lds", 0,
        "\"conflicts\":0,\"array_conflicts\":0,\"cycles\":64,\"array_cycles\":64,\"step\":0,\"step_"
        "executions\":0,\"banks\":32,");
    has("lds", 0,
        "\"address\":62,\"aggregated\":2,\"aggregated_address\":0,\"copies\":16,\"copy_pitch\":8,\"copied\":"
        "4,"
        "\"copied_address\":2,\"changes\":[]}");
    harness_close(&h);
}

static void scattered(void **state)
{
    (void)state;
    uint64_t addr[64];
    begin();
    for (unsigned l = 0; l < 64; l++) /* 64 different lines without order */
        addr[l] = 0x7f0000000000 + (l * l * 37 % 4096) * 64 + l * 262144;
    harness_lanes(&h, X, 0, 0, ~0ull, addr, 4);
    harness_end(&h);
    has("global", X,
        "\"lines\":64,\"needed\":4,\"kind\":\"irregular\",\"stride\":0,\"step_executions\":0,\"line_bytes\":"
        "64,\"after\":64");
    harness_close(&h);
}

/*
 * Rows of 5 lanes of 4 bytes, 1024 bytes apart, from byte 48 of a line on: 13 rows (the last of 4 lanes), of
 * which each touches 2 lines (bytes 48 to 67), the last one 1 (48 to 63): 25. Shifted by 48 bytes each row is
 * in one line: 13, which is more than half of what is too much (25 - 4). From byte 44 of a line on the same
 * with 2 lines for each row: 26 and 13. With rows of 21 lanes (84 bytes) from byte 0 on there are 4 rows (the
 * last has one lane): 2 + 2 + 2 + 1 lines, and no shift helps; side by side 4. Pieces of 256 / 4 bytes.
 */
static void rows(uint64_t addr[64], unsigned lanes, unsigned from)
{
    for (unsigned l = 0; l < 64; l++)
        addr[l] = 0x7f0000000000 + l / lanes * 1024 + l % lanes * 4 + from;
}

static void pieces(void **state)
{
    (void)state;
    uint64_t addr[64];
    begin();
    rows(addr, 5, 48);
    harness_lanes(&h, X, 0, 0, ~0ull, addr, 4);
    rows(addr, 21, 0);
    harness_lanes(&h, Y, 0, 0, ~0ull, addr, 4);
    harness_end(&h);
    has("global", X,
        "\"lines\":25,\"needed\":4,\"kind\":\"misaligned\",\"stride\":4,\"step_executions\":1,\"line_bytes\":"
        "64,\"after\":13,");
    has("global", Y,
        "\"lines\":7,\"needed\":4,\"kind\":\"pieces\",\"stride\":4,\"step_executions\":1,\"line_bytes\":64,"
        "\"after\":4,"
        "\"fields\":[],\"field_bytes\":[],\"pieces\":4,\"piece_bytes\":64,");
    harness_close(&h);
}

/*
 * Structures of 16 bytes again, but one instruction loads X and Y (8 bytes at 0): 16 lines where 8 would do,
 * at X, and nothing at Y. The fields are those of the source. Of 8-byte structures the instruction loads all:
 * 64 * 8 bytes in 8 lines, nothing to say, where the accesses by themselves would touch 8 instead of 4.
 */
static void joined(void **state)
{
    (void)state;
    static const struct lanescope_pass passes[] = {{X, 0, 8, 1}}, own[] = {{Z, 0, 4, 1}};
    static const struct lanescope_isa isa[SITES] = {[X] = {LANESCOPE_ISA_VECTOR, 1, passes},
                                                    [Y] = {LANESCOPE_ISA_VECTOR, 0, NULL},
                                                    [Z] = {LANESCOPE_ISA_VECTOR, 1, own}};
    struct lanescope_dispatch known = dispatch;
    known.isa = isa;
    for (int64_t step = 16; step >= 8; step -= 8) {
        assert_int_equal(harness_open(&h, "advice"), 0);
        harness_begin(&h, &known);
        harness_strided(&h, X, 0, 0, ~0ull, 0x7f0000001000, step, 4);
        harness_strided(&h, Y, 0, 0, ~0ull, 0x7f0000001004, step, 4);
        if (step == 16)
            harness_strided(&h, Z, 0, 0, ~0ull, 0x7f000000100c, step, 4);
        harness_end(&h);
        assert_null(harness_row(&h, "global", Y, 0));
        if (step == 16) {
            has("global", X,
                "\"bytes\":8,\"lines\":16,\"needed\":8,\"kind\":\"structures\",\"stride\":16,"
                "\"step_executions\":1,\"line_bytes\":64,\"after\":8,\"fields\":[0,4,12],\"field_bytes\":[4,"
                "4,4]");
            has("global", Z, "\"bytes\":4,\"lines\":16,\"needed\":4,");
        } else {
            assert_null(harness_row(&h, "global", X, 0));
        }
        harness_close(&h);
    }
}

/*
 * ds_read2_b32 of columns 0 and 1 of rows of 128 bytes: two passes, whose cycles count at LOAD; 64 lanes in
 * one bank each: 62 conflicts, twice. One ds_read_b64 instead: 16 lanes a phase, 15 conflicts, four phases.
 */
static void joined_lds(void **state)
{
    (void)state;
    static const struct lanescope_pass two[] = {{LOAD, 0, 4, 1}, {LOAD, 4, 4, 0}}, one[] = {{LOAD, 0, 8, 1}};
    struct lanescope_isa isa[SITES] = {[OTHER] = {LANESCOPE_ISA_VECTOR, 2, two},
                                       [LOAD] = {LANESCOPE_ISA_VECTOR, 0, NULL}};
    struct lanescope_dispatch known = dispatch;
    known.isa = isa;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(harness_open(&h, "advice"), 0);
        harness_begin(&h, &known);
        harness_strided(&h, OTHER, 0, 0, ~0ull, 0, 128, 8);
        harness_end(&h);
        assert_null(harness_row(&h, "lds", OTHER, 0));
        has("lds", LOAD, i == 0 ? "\"conflicts\":124," : "\"conflicts\":60,");
        harness_close(&h);
        isa[OTHER] = (struct lanescope_isa){LANESCOPE_ISA_VECTOR, 1, one};
    }
}

/*
 * Structures of 16 bytes in LDS; one field is read: 64 lanes 16 bytes apart, 8 of 32 banks, 32 lanes of a
 * phase: 3 conflicts each, 6. Taken apart, 64 dwords side by side: 0. Structures of 8 bytes are written whole
 * (b64, no conflicts) and their second field is read: 32 lanes on 16 banks, 1 conflict a phase, 2. Taken
 * apart the write becomes two of dwords side by side: 0. The write takes 4 phases, apart twice 2.
 */
static void structures_in_lds(void **state)
{
    (void)state;
    begin();
    harness_strided(&h, LOAD, 0, 0, ~0ull, 4, 16, 4);
    harness_end(&h);
    has("lds", LOAD,
        "{\"kind\":\"split\",\"dimension\":0,\"pitch\":16,\"to\":16,\"unit\":4,\"conflicts\":0,\"array_"
        "conflicts\":0,"
        "\"cycles\":2,\"array_cycles\":2}");
    harness_close(&h);
    begin();
    harness_strided(&h, OTHER, 0, 0, ~0ull, 0, 8, 8);
    harness_strided(&h, LOAD, 0, 0, ~0ull, 4, 8, 4);
    harness_end(&h);
    has("lds", OTHER, "\"conflicts\":0,\"array_conflicts\":2,");
    has("lds", LOAD, "\"conflicts\":2,\"array_conflicts\":2,\"cycles\":4,\"array_cycles\":8,\"step\":8,");
    has("lds", LOAD,
        "{\"kind\":\"split\",\"dimension\":0,\"pitch\":8,\"to\":8,\"unit\":4,\"conflicts\":0,\"array_"
        "conflicts\":0,"
        "\"cycles\":2,\"array_cycles\":6}");
    harness_close(&h);
}

/*
 * An array of float4, whose first elements are read backwards: 16 bytes apart as above, 6 conflicts. A vector has no fields to the
 * debug information, but elements, and arrays of these have none. Doubles have none either: nothing is taken apart.
 */
static void vectors_in_lds(void **state)
{
    (void)state;
    static const struct lanescope_variable vectors = {"s", "float4", 16, 1024, 0, 1, {64}, 16},
                                           doubles = {"d", "double", 8, 1024, 0, 1, {128}, 8};
    static const struct lanescope_detail details[SITES] = {[LOAD] = {&vectors, NULL},
                                                           [OTHER] = {&doubles, NULL}};
    struct lanescope_dispatch known = dispatch;
    known.details = details;
    assert_int_equal(harness_open(&h, "advice"), 0);
    harness_begin(&h, &known);
    harness_strided(&h, LOAD, 0, 0, ~0ull, 1008, -16, 4);
    harness_strided(&h, OTHER, 0, 0, ~0ull, 4096, 16, 8);
    harness_end(&h);
    has("lds", LOAD, "\"conflicts\":6,");
    has("lds", LOAD, "\"step\":-16,");
    has("lds", LOAD,
        "{\"kind\":\"split\",\"dimension\":0,\"pitch\":16,\"to\":16,\"unit\":4,\"conflicts\":0,");
    has("lds", OTHER, "\"step\":16,");
    assert_null(strstr(harness_row(&h, "lds", OTHER, 0), "\"split\""));
    harness_close(&h);
}

/* Two states of one dispatch: as if one had seen everything. */
static void merged(void **state)
{
    (void)state;
    void *other;
    begin();
    harness_strided(&h, LOAD, 0, 0, ~0ull, 0, 128, 4);
    other = h.state;
    harness_begin(&h, &dispatch);
    harness_strided(&h, LOAD, 0, 0, ~0ull, 0, 128, 4);
    harness_strided(&h, X, 0, 0, ~0ull, 0x7f0000001004, 4, 4);
    h.handler->merge(h.state, other);
    harness_end(&h);
    has("lds", LOAD, "\"executions\":2,\"replayed\":2,\"bytes\":4,\"conflicts\":124,");
    has("global", X, "\"lines\":5,");
    harness_close(&h);
}

static void options(void **state)
{
    (void)state;
    assert_true(harness_open(&h, "advice:x") < 0);
    assert_int_equal(h.errors, 1);
    harness_close(&h);
}

int main(int argc, char **argv)
{
    harness_directory = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transpose),
        cmocka_unit_test(doubles),
        cmocka_unit_test(distance_of_some),
        cmocka_unit_test(irregular),
        cmocka_unit_test(bounded),
        cmocka_unit_test(in_turn),
        cmocka_unit_test(stride),
        cmocka_unit_test(structures),
        cmocka_unit_test(parts_of_one_access),
        cmocka_unit_test(misaligned),
        cmocka_unit_test(scattered),
        cmocka_unit_test(merged),
        cmocka_unit_test(options),
        cmocka_unit_test(pieces),
        cmocka_unit_test(joined),
        cmocka_unit_test(joined_lds),
        cmocka_unit_test(structures_in_lds),
        cmocka_unit_test(vectors_in_lds),
        cmocka_unit_test(every_other_lane),
        cmocka_unit_test(rows_that_read_the_same),
        cmocka_unit_test(idle_lanes),
        cmocka_unit_test(declared),
        cmocka_unit_test(contention),
        cmocka_unit_test(rows_of_a_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
