/* test_hostile.c - messages and tables that no compiler and no GPU of today makes: each handler comes to an end, with numbers that follow
 * from what was said. gfx90a: 32 banks of 4 bytes, two phases of 32 lanes, cache lines of 64 bytes. */
#include "harness.h"

static struct harness h;

static void begin(const char *handler, const struct lanescope_dispatch *d)
{
    assert_int_equal(harness_open(&h, handler), 0);
    harness_begin(&h, d);
}

/* The site's row in the table has this text. */
static void has(const char *table, uint32_t site, const char *text)
{
    const char *row = harness_row(&h, table, site, 0);
    assert_non_null(row);
    if (!strstr(row, text))
        fail_msg("%s lacks %s", row, text);
}

/* A kernel without accesses, also in two states: no handler has anything to say. */
static void no_sites(void **state)
{
    (void)state;
    static const char *const handlers[] = {"lds_bank_conflicts", "memory_coalescing", "advice",
                                           "alignment",          "heatmap",           "redundancy",
                                           "wave_timeline"};
    const struct lanescope_dispatch d = {
        .size = sizeof d, .id = 1, .kernel = "k", .mangled = "k", .arch = "gfx90a", .lanes = 64};
    for (unsigned i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        void *other;
        begin(handlers[i], &d);
        if (h.handler->merge) {
            assert_int_equal(h.handler->dispatch_begin(h.self, &d, &other), 0);
            h.handler->merge(h.state, other);
        }
        harness_end(&h);
        assert_int_equal(h.n_values + h.n_rows, 0);
        harness_close(&h);
    }
}

/* ---- accesses and elements of no bytes ---- */

enum { COPY, LOAD, ADD, SITES };
static const struct lanescope_site in_lds[SITES] = {
    [COPY] = {.kind = LS_SITE_COPY_READ, .space = 3, .align = 4, .instruction = "llvm.memcpy"},
    [LOAD] = {.kind = LS_SITE_LOAD, .space = 3, .bytes = 4, .align = 4, .instruction = "load"},
    [ADD] = {.kind = LS_SITE_RMW, .space = 3, .bytes = 4, .align = 4, .instruction = "atomicrmw"},
};

/* What 128 bytes from lane to lane cost: all of a phase are in one bank. Rows that are a dword longer put each lane
 * into a bank of its own. */
#define IN_ONE_BANK "\"conflicts\":62,"
#define PADDED                                                                                               \
    "{\"kind\":\"pad\",\"dimension\":0,\"pitch\":128,\"to\":132,\"unit\":0,\"conflicts\":0,\"array_"         \
    "conflicts\":0,"

/* The instruction of a load belongs to a copy of any length, whose accesses have no bytes in the site table. */
static void advice_of_a_site_without_length(void **state)
{
    (void)state;
    static const struct lanescope_pass pass = {COPY, 0, 4, 1};
    static const struct lanescope_isa isa[SITES] = {[LOAD] = {LANESCOPE_ISA_VECTOR, 1, &pass}};
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(in_lds), .isa = isa};
    begin("advice", &d);
    harness_strided(&h, LOAD, 0, 0, ~0ull, 0, 128, 4);
    harness_end(&h);
    has("lds", COPY, IN_ONE_BANK);
    has("lds", COPY, PADDED);
    harness_close(&h);
}

/* Passes of no bytes are no accesses; those beside them are. */
static void advice_of_passes_of_no_bytes(void **state)
{
    (void)state;
    static const struct lanescope_pass pass[] = {{LOAD, 0, 0, 1}, {LOAD, 0, 4, 1}, {LOAD, 4, 0, 0}};
    for (unsigned n = 1; n <= 3; n++) {
        const struct lanescope_isa isa[SITES] = {[LOAD] = {LANESCOPE_ISA_VECTOR, (uint8_t)n, pass}};
        const struct lanescope_dispatch d = {HARNESS_DISPATCH(in_lds), .isa = isa};
        begin("advice", &d);
        for (unsigned i = 0; i < 2; i++)
            harness_strided(&h, LOAD, 0, 0, ~0ull, 0, 128, 4);
        harness_end(&h);
        if (n == 1) {
            assert_int_equal(h.n_rows, 0);
        } else {
            has("lds", LOAD, "\"executions\":2,");
            has("lds", LOAD, PADDED);
        }
        harness_close(&h);
    }
}

/* The source's variable has elements of no bytes: then the accesses tell what rows are counted in. */
static void advice_of_elements_of_no_bytes(void **state)
{
    (void)state;
    for (uint32_t dimensions = 1; dimensions <= 2; dimensions++) {
        const struct lanescope_variable v = {
            .name = "v", .type = "", .bytes = 8192, .n_dimensions = dimensions, .dimension = {64, 32}};
        const struct lanescope_detail details[SITES] = {{&v, NULL}, {&v, NULL}, {&v, NULL}};
        const struct lanescope_dispatch d = {HARNESS_DISPATCH(in_lds), .details = details};
        begin("advice", &d);
        harness_strided(&h, LOAD, 0, 0, ~0ull, 0, 128, 4);
        harness_strided(&h, ADD, 0, 0, ~0ull, 0, 0, 4);
        harness_end(&h);
        has("lds", LOAD, PADDED);
        has("lds", ADD, "\"copies\":"); /* of what all lanes update */
        harness_close(&h);
    }
}

/* What has no bytes has none to be aligned: of two passes the one of 4 bytes is an access. */
static void alignment_of_no_bytes(void **state)
{
    (void)state;
    static const struct lanescope_pass pass[] = {{LOAD, 1, 0, 1}, {LOAD, 0, 4, 1}};
    static const struct lanescope_isa isa[SITES] = {[LOAD] = {LANESCOPE_ISA_VECTOR, 2, pass}};
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(in_lds), .isa = isa};
    begin("alignment", &d);
    harness_strided(&h, LOAD, 0, 0, ~0ull, 0, 128, 4);
    harness_end(&h);
    assert_int_equal(harness_value(&h, LOAD, "Executions"), 1);
    assert_int_equal(harness_value(&h, LOAD, "Unaligned Lanes"), 0);
    harness_close(&h);
}

/* ---- many passes ---- */

/* As many passes of `bytes` bytes as an access can have but one, and a last one of `last` bytes. */
enum { MOST_PASSES = UINT8_MAX };
static void make_passes(struct lanescope_pass pass[MOST_PASSES], uint32_t site, uint8_t bytes, uint8_t last)
{
    for (unsigned i = 0; i < MOST_PASSES; i++)
        pass[i] = (struct lanescope_pass){site, (uint16_t)(i * bytes), i + 1 < MOST_PASSES ? bytes : last, 1};
}

/* Each pass has what it costs itself, whichever sites and passes came before in the same lanes. Lane 0 alone: what it
 * writes takes 2 cycles for 4 bytes, 4 for 8. */
static void many_passes_in_lds(void **state)
{
    (void)state;
    enum { WRITERS = 8 };
    static struct lanescope_site sites[WRITERS];
    static struct lanescope_pass pass[WRITERS][MOST_PASSES];
    static struct lanescope_isa isa[WRITERS];
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(sites), .isa = isa};
    for (uint32_t i = 0; i < WRITERS; i++) {
        sites[i] = (struct lanescope_site){.kind = LS_SITE_STORE, .space = 3, .bytes = 1024};
        make_passes(pass[i], i, 4, 8);
        isa[i] = (struct lanescope_isa){LANESCOPE_ISA_VECTOR, MOST_PASSES, pass[i]};
    }
    begin("lds_bank_conflicts", &d);
    for (uint32_t i = 0; i < 2 * WRITERS; i++)
        harness_strided(&h, i % WRITERS, 0, 0, 1, 0, 4, 1024);
    harness_end(&h);
    for (uint32_t i = 0; i < WRITERS; i++)
        assert_int_equal(harness_value(&h, i, "Index Accesses"), 2 * (254 * 2 + 4));
    harness_close(&h);
}

/* Structures of 254 * 16 + 4 bytes, side by side: each byte is touched once. */
static void many_passes_in_global_memory(void **state)
{
    (void)state;
    enum { READERS = 8, STRUCTURE = 254 * 16 + 4 };
    static struct lanescope_site sites[READERS];
    static struct lanescope_pass pass[READERS][MOST_PASSES];
    static struct lanescope_isa isa[READERS];
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(sites), .isa = isa};
    for (uint32_t i = 0; i < READERS; i++) {
        sites[i] = (struct lanescope_site){.kind = LS_SITE_LOAD, .space = 1, .bytes = STRUCTURE};
        make_passes(pass[i], i, 16, 4);
        isa[i] = (struct lanescope_isa){LANESCOPE_ISA_VECTOR, MOST_PASSES, pass[i]};
    }
    begin("memory_coalescing", &d);
    for (uint32_t i = 0; i < 2 * READERS; i++)
        harness_strided(&h, i % READERS, 0, 0, ~0ull, 0x10000, STRUCTURE, STRUCTURE);
    harness_end(&h);
    for (uint32_t i = 0; i < READERS; i++)
        assert_int_equal(harness_value(&h, i, "Bytes"), 2 * 64 * STRUCTURE);
    harness_close(&h);
}

/* ---- addresses ---- */

/* Structures of 20 bytes side by side from address 0 on, each in a piece of 16 bytes and one of 4 as no instructions are known: 1,280 bytes
 * are 20 lines, of which the pieces of 16 touch all and those of 4 touch all: 40. All of it is one piece. */
static void advice_at_address_0(void **state)
{
    (void)state;
    static const struct lanescope_site sites[] = {
        {.kind = LS_SITE_LOAD, .space = 1, .bytes = 20, .instruction = "load"}};
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(sites)};
    uint64_t addr[64];
    for (unsigned i = 0; i < 64; i++)
        addr[i] = 20 * i;
    begin("advice", &d);
    harness_lanes(&h, 0, 0, 0, ~0ull, addr, 20);
    harness_end(&h);
    has("global", 0, "\"lines\":40,");
    has("global", 0, "\"pieces\":1,\"piece_bytes\":1280,");
    harness_close(&h);
}

/* Lanes as far apart as two addresses can be: a distance that has no opposite. */
static void advice_as_far_apart_as_can_be(void **state)
{
    (void)state;
    static const struct lanescope_site sites[] = {
        {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4, .instruction = "load"}};
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(sites)};
    uint64_t addr[64];
    for (unsigned i = 0; i < 64; i++)
        addr[i] = 0x10000 + (i % 2 ? 1ull << 63 : 0);
    begin("advice", &d);
    harness_lanes(&h, 0, 0, 0, ~0ull, addr, 4);
    harness_end(&h);
    has("global", 0, "\"kind\":\"stride\",\"stride\":-9223372036854775808,");
    harness_close(&h);
}

/* The last 4 bytes of the address space and its first 4: one access over its end, and one of those at its begin. Lines of 64 bytes at both
 * ends; of the 8 bytes and the 4 the latter were loaded before. */
static void over_the_end(void **state)
{
    (void)state;
    static const struct lanescope_site sites[] = {
        {.kind = LS_SITE_LOAD, .space = 1, .bytes = 8, .instruction = "load"},
        {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4, .instruction = "load"}};
    static const struct {
        const char *handler, *metric;
        uint32_t site;
        int64_t value;
    } expected[] = {{"memory_coalescing", "Bytes", 0, 8},
                    {"memory_coalescing", "Cache Lines", 0, 2},
                    {"heatmap", "Distinct Lines", LANESCOPE_NO_SITE, 2},
                    {"heatmap", "Pages", LANESCOPE_NO_SITE, 2},
                    {"heatmap", "Lane Accesses", LANESCOPE_NO_SITE, 2},
                    {"redundancy", "Bytes Loaded", 0, 8},
                    {"redundancy", "Bytes Loaded", LANESCOPE_NO_SITE, 12},
                    {"redundancy", "Bytes Loaded Again", LANESCOPE_NO_SITE, 4}};
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(sites)};
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        begin(expected[i].handler, &d);
        harness_strided(&h, 0, 0, 0, 1, 0ull - 4, 0, 8);
        harness_strided(&h, 1, 0, 0, 1, 0, 0, 4);
        harness_end(&h);
        assert_int_equal(harness_value(&h, expected[i].site, expected[i].metric), expected[i].value);
        harness_close(&h);
    }
}

/* ---- many patterns ---- */

/* Of 18 distances between lanes, one each but for the last one, which is that of all other accesses: rows of that length are tried, also
 * when threads share the wavefronts out, and all else is what one thread says. */
static void advice_of_many_distances(void **state)
{
    (void)state;
    enum { DISTANCES = 17, OFTEN = 100, HEAVY = 4096 };
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(in_lds)};
    char *alone = NULL;
    for (unsigned states = 1; states <= 2; states++) {
        void *other = NULL;
        begin("advice", &d);
        void *const first = h.state;
        assert_int_equal(h.handler->dispatch_begin(h.self, &d, &other), 0);
        for (unsigned i = 0; i < DISTANCES + OFTEN; i++) {
            h.state = states > 1 && i % 2 ? other : first;
            harness_strided(&h, LOAD, 0, i % 2, ~0ull, 0, i < DISTANCES ? 128 * (i + 1) : HEAVY, 4);
        }
        h.state = first;
        h.handler->merge(h.state, other);
        harness_end(&h);
        has("lds", LOAD, "\"pitch\":4096,\"to\":4100,");
        if (alone)
            has("lds", LOAD, alone);
        free(alone);
        alone = strdup(harness_row(&h, "lds", LOAD, 0));
        harness_close(&h);
    }
    free(alone);
}

/* 100 sites of structures of 4,096 bytes a lane, each at as many places as are kept, in an array that is also accessed by dwords a few of them
 * apart: many layouts of 1,024 parts each. The search comes to an end; what it found before stays. */
static void advice_of_long_structures(void **state)
{
    (void)state;
    enum { LONG_SITES = 100, PATTERNS = 256 };
    static struct lanescope_site sites[LONG_SITES + 1];
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(sites)};
    for (unsigned i = 0; i <= LONG_SITES; i++)
        sites[i] = (struct lanescope_site){.kind = LS_SITE_COPY_READ,
                                           .space = 3,
                                           .bytes = i < LONG_SITES ? 4096 : 4,
                                           .align = 4,
                                           .instruction = "llvm.memcpy"};
    begin("advice", &d);
    for (unsigned i = 0; i < PATTERNS; i++) {
        uint64_t addr[64];
        for (unsigned k = 0; k < 64; k++)
            addr[k] = k * 48 + i * 4;
        for (uint32_t site = 0; site < LONG_SITES; site++)
            harness_lanes(&h, site, 0, 0, ~0ull, addr, 4096);
        for (unsigned k = 0; k < 64; k++)
            addr[k] = k * 4 * (i % 16 + 2) + i * 4;
        harness_lanes(&h, LONG_SITES, 0, 0, ~0ull, addr, 4);
    }
    harness_end(&h);
    assert_int_equal(h.n_rows, LONG_SITES + 1);
    harness_close(&h);
}

/* ---- sums ---- */

/* Three times 2^62 of everything, which is -2^62 in 64 bits with sign: nonsense, as what was said, and no more. A read of 4 bytes by one lane takes
 * 2 cycles; two of the states are merged. */
static void sums_wrap(void **state)
{
    (void)state;
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(in_lds)};
    const struct lanescope_access a = {
        .site = LOAD, .pattern = LANESCOPE_STRIDED, .active = 1, .exec = 1, .stride = 4, .length = 4};
    const struct lanescope_reduced r = {.site = ADD,
                                        .bytes = 4,
                                        .lds = 1,
                                        .executions = 1ull << 62,
                                        .lanes = 1ull << 62,
                                        .index_cycles = 1ull << 62};
    void *other;
    begin("lds_bank_conflicts", &d);
    assert_int_equal(h.handler->dispatch_begin(h.self, &d, &other), 0);
    for (unsigned i = 0; i < 3; i++) {
        h.handler->repeated(i ? h.state : other, &a, 1ull << 61);
        h.handler->reduced(i ? h.state : other, &r);
    }
    h.handler->merge(h.state, other);
    harness_end(&h);
    assert_int_equal(harness_value(&h, LOAD, "Executions"), 3ll << 61);
    assert_int_equal(harness_value(&h, LOAD, "Index Accesses"), -(1ll << 62));
    assert_int_equal(harness_value(&h, LOAD, "LDS Cycles"), -(1ll << 62));
    assert_int_equal(harness_value(&h, ADD, "Executions"), -(1ll << 62));
    assert_int_equal(harness_value(&h, ADD, "Index Accesses"), -(1ll << 62));
    harness_close(&h);
}

/* One lane that copies 2^62 bytes, and 2^62 - 8, and loads 16: 2^63 + 8. */
static void bytes_wrap(void **state)
{
    (void)state;
    static const struct lanescope_site sites[] = {
        {.kind = LS_SITE_COPY_READ, .space = 1, .instruction = "llvm.memcpy"},
        {.kind = LS_SITE_LOAD, .space = 1, .bytes = 16, .instruction = "load"}};
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(sites)};
    begin("redundancy:blocks=1", &d);
    harness_strided(&h, 0, 0, 0, 1, 0, 0, 1ull << 62);
    harness_strided(&h, 0, 0, 0, 1, 0, 0, (1ull << 62) - 8);
    harness_strided(&h, 1, 0, 0, 1, 0, 0, 16);
    harness_end(&h);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Bytes Loaded"), INT64_MIN + 8);
    harness_close(&h);
}

int main(int argc, char **argv)
{
    harness_directory = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_sites),
        cmocka_unit_test(advice_of_a_site_without_length),
        cmocka_unit_test(advice_of_passes_of_no_bytes),
        cmocka_unit_test(advice_of_elements_of_no_bytes),
        cmocka_unit_test(many_passes_in_lds),
        cmocka_unit_test(many_passes_in_global_memory),
        cmocka_unit_test(advice_at_address_0),
        cmocka_unit_test(advice_as_far_apart_as_can_be),
        cmocka_unit_test(over_the_end),
        cmocka_unit_test(alignment_of_no_bytes),
        cmocka_unit_test(advice_of_many_distances),
        cmocka_unit_test(advice_of_long_structures),
        cmocka_unit_test(sums_wrap),
        cmocka_unit_test(bytes_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
