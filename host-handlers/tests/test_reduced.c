/*
 * test_reduced.c - what the GPU sends in summary mode: messages written by hand after lanescope/wire.h, and
 * what the two default handlers make of sums.
 */
#include "messages/decode.h"
#include "harness.h"
#include "lanescope/wire.h"

enum { LOAD, FLAT, COPY, LDS_COPY, SITES };
static const struct lanescope_site sites[SITES] = {
    [LOAD] = {.kind = LS_SITE_LOAD, .space = 1, .bytes = 20, .align = 4},
    [FLAT] = {.kind = LS_SITE_RMW, .space = 0, .bytes = 4, .align = 4},
    [COPY] = {.kind = LS_SITE_COPY_READ, .space = 1, .bytes = 0, .align = 1},
    [LDS_COPY] = {.kind = LS_SITE_COPY_WRITE, .space = 3, .bytes = 100, .align = 8},
};

struct seen {
    struct lanescope_reduced reduced[8];
    struct decode_evidence evidence[8];
    struct lanescope_access repeated[8];
    uint64_t count[8], last[8]; /* the address of the last active lane */
    unsigned n_reduced, n_evidence, n_repeated;
};

static void accesses(void *user, const struct lanescope_access *a, size_t n)
{
    (void)user, (void)a, (void)n;
    fail();
}

static void repeated(void *user, const struct lanescope_access *a, uint64_t count)
{
    struct seen *s = user;
    uint64_t addr[64];
    lanescope_addresses(a, addr);
    s->last[s->n_repeated] = addr[63 - __builtin_clzll(a->exec)];
    s->count[s->n_repeated] = count;
    s->repeated[s->n_repeated++] = *a;
}

static void reduced(void *user, const struct lanescope_reduced *r)
{
    struct seen *s = user;
    s->reduced[s->n_reduced++] = *r;
}

static void evidence(void *user, const struct decode_evidence *e)
{
    struct seen *s = user;
    s->evidence[s->n_evidence++] = *e;
}

static void events(void *user, const struct lanescope_event *e, size_t n)
{
    (void)user, (void)e, (void)n;
    fail();
}

/* Decodes a chunk of these words. */
static struct ls_chunk_stats decode(const uint32_t *words, unsigned n, struct seen *s)
{
    struct {
        struct ls_chunk head;
        uint32_t words[512];
    } chunk = {
        .head = {.magic = LS_CHUNK_MAGIC, .bytes = (uint32_t)sizeof(struct ls_chunk) + n * 4, .lanes = 64}};
    const struct decode_sink sink = {.user = s,
                                     .accesses = accesses,
                                     .repeated = repeated,
                                     .reduced = reduced,
                                     .evidence = evidence,
                                     .events = events};
    struct ls_chunk_stats stats = {0};
    memcpy(chunk.words, words, n * 4);
    memset(s, 0, sizeof *s);
    ls_decode_chunk(&chunk, sizeof chunk, sites, SITES, NULL, &sink, &stats);
    return stats;
}

#define COST(site, offset, bytes, memory)                                                                    \
    LS_HEAD(site, LS_KIND_COST), (offset) | (bytes) << 16 | (uint32_t)(memory) << 24, 0, 0

/* The eight sums are 64-bit numbers, low word first. */
static void costs(void **state)
{
    (void)state;
    struct seen s;
    const uint32_t words[] = {
        COST(LOAD, 16, 4, LS_PLAN_GLOBAL),
        7,
        0,
        448,
        0,
        1,
        2,
        30,
        0,
        20,
        0,
        9,
        0,
        8,
        0,
        112,
        0, /* */
        COST(FLAT, 0, 4, LS_PLAN_LDS | LS_PLAN_FLAT),
        3,
        0,
        10,
        0,
        8,
        0,
        2,
        0,
        5,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    };
    struct ls_chunk_stats stats = decode(words, sizeof words / 4, &s);
    assert_int_equal(stats.messages, 2);
    assert_int_equal(stats.bad_messages, 0);
    assert_int_equal(s.n_reduced, 2);
    const struct lanescope_reduced *g = &s.reduced[0], *l = &s.reduced[1];
    assert_int_equal(g->site, LOAD);
    assert_int_equal(g->offset, 16);
    assert_int_equal(g->bytes, 4);
    assert_int_equal(g->lds, 0);
    assert_int_equal(g->executions, 7);
    assert_int_equal(g->lanes, 448);
    assert_int_equal(g->distinct_bytes, 1 + (2ull << 32));
    assert_int_equal(g->lines_64, 30);
    assert_int_equal(g->lines_128, 20);
    assert_int_equal(g->needed_64, 9);
    assert_int_equal(g->needed_128, 8);
    assert_int_equal(g->requests, 112);
    assert_int_equal(g->index_cycles + g->conflict_cycles + g->address_conflict, 0);
    assert_int_equal(l->site, FLAT);
    assert_int_equal(l->lds, 1);
    assert_int_equal(l->executions, 3);
    assert_int_equal(l->lanes, 10);
    assert_int_equal(l->index_cycles, 8);
    assert_int_equal(l->conflict_cycles, 2);
    assert_int_equal(l->address_conflict, 5);
    assert_int_equal(l->distinct_bytes + l->requests, 0);
}

/* No bytes, too many, no such memory, sums missing. */
static void damaged_costs(void **state)
{
    (void)state;
    struct seen s;
    const uint32_t bad[][20] = {{COST(LOAD, 0, 0, 0)}, {COST(LOAD, 0, 17, 0)}, {COST(LOAD, 0, 4, 4)}};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(decode(bad[i], 20, &s).bad_messages, 1);
    const uint32_t good[20] = {COST(LOAD, 0, 16, 0)};
    assert_int_equal(decode(good, 18, &s).bad_messages, 1);
    assert_int_equal(s.n_reduced, 0);
    assert_int_equal(decode(good, 20, &s).messages, 1);
    assert_int_equal(s.n_reduced, 1);
}

/* 5 accesses of lanes 0 and 2, 8 bytes apart; 3 of all lanes, in rows of 16, 4 bytes apart, rows 256. */
static void counts(void **state)
{
    (void)state;
    struct seen s;
    const uint32_t words[] = {LS_HEAD(LOAD, LS_KIND_COUNT) | LS_HEAD_PARTIAL,
                              12,
                              0,
                              8,
                              5,
                              0,
                              5,
                              0, /* */
                              LS_HEAD(LOAD, LS_KIND_COUNT),
                              64 | 2 << 8,
                              256,
                              4,
                              3,
                              0};
    assert_int_equal(decode(words, sizeof words / 4, &s).bad_messages, 0);
    assert_int_equal(s.n_repeated, 2);
    assert_int_equal(s.count[0], 5);
    assert_int_equal(s.repeated[0].pattern, LANESCOPE_STRIDED);
    assert_int_equal(s.repeated[0].exec, 5);
    assert_int_equal(s.repeated[0].active, 2);
    assert_int_equal(s.repeated[0].base % 128, 12);
    assert_int_equal(s.repeated[0].stride, 8);
    assert_int_equal(s.count[1], 3);
    assert_int_equal(s.repeated[1].pattern, LANESCOPE_DELTA);
    assert_int_equal(s.repeated[1].base % 128, 64);
}

/* Two accesses of all lanes in rows of 16, 4 bytes apart, and the rows 2^31 - 16: the last lane is 3 rows from the first one, more than 32 bits
 * can say. Distances from lane 0 tell lines. */
static void far_counts(void **state)
{
    (void)state;
    struct seen s;
    const uint32_t pitch = 0x7ffffff0;
    const uint32_t words[] = {LS_HEAD(LOAD, LS_KIND_COUNT), 64 | 2 << 8, pitch, 4, 2, 0};
    assert_int_equal(decode(words, sizeof words / 4, &s).bad_messages, 0);
    assert_int_equal(s.n_repeated, 1);
    assert_int_equal(s.count[0], 2);
    assert_int_equal(s.repeated[0].pattern, LANESCOPE_RAW);
    assert_int_equal(s.last[0] % 128, (64 + 15 * 4 + 3ull * pitch) % 128);
    assert_true(s.last[0] >= 3ull * pitch);
}

static void evidence_messages(void **state)
{
    (void)state;
    struct seen s;
    uint32_t words[6 + 128] = {
        LS_HEAD(LOAD, LS_KIND_EVIDENCE) | LS_HEAD_PARTIAL, 41, 0xdeadbeef, 0, 1 << 3, 1 << 8};
    words[6 + 3] = 0x1000; /* lane 3: 0x200001000, lane 40: 0x7fff80000000 */
    words[6 + 64 + 3] = 2;
    words[6 + 40] = 0x80000000;
    words[6 + 64 + 40] = 0x7fff;
    assert_int_equal(decode(words, 6 + 128, &s).messages, 1);
    assert_int_equal(s.n_evidence, 1);
    assert_int_equal(s.evidence[0].site, LOAD);
    assert_int_equal(s.evidence[0].wave, 41);
    assert_int_equal(s.evidence[0].sum, 0xdeadbeef);
    assert_int_equal(s.evidence[0].exec, 1ull << 40 | 1 << 3);
    assert_int_equal(s.evidence[0].addr[3], 0x200001000);
    assert_int_equal(s.evidence[0].addr[40], 0x7fff80000000);
    assert_int_equal(decode(words, 6 + 126, &s).bad_messages, 1);
    words[0] &= ~LS_HEAD_PARTIAL;
    assert_int_equal(decode(words, 6 + 128, &s).bad_messages, 1);
}

/*
 * Copies of 100 bytes per lane. LDS aligned to 8: while 16 are left pieces of 8, (100 - 16) / 8 + 1 = 11 of
 * them, and a rest of
 * 12. On gfx90a a write of 8 bytes takes 4 cycles without conflicts, one of 12 bytes 8: 11 * 4 + 8. Global
 * memory: 6 pieces of 16 and one of 4; one access, seven instructions.
 */
static void long_copies(void **state)
{
    (void)state;
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(sites)};
    const struct lanescope_reduced lds[] = {
        {.site = LDS_COPY, .bytes = 8, .lds = 1, .executions = 1, .lanes = 64, .index_cycles = 4},
        {.site = LDS_COPY,
         .offset = 16,
         .bytes = 8,
         .lds = 1,
         .executions = 10,
         .lanes = 640,
         .index_cycles = 40},
        {.site = LDS_COPY,
         .offset = 16,
         .bytes = 12,
         .lds = 1,
         .executions = 1,
         .lanes = 64,
         .index_cycles = 8}};
    const struct lanescope_reduced global[] = {
        {.site = COPY, .bytes = 16, .executions = 1, .lanes = 64, .distinct_bytes = 1024, .requests = 64},
        {.site = COPY,
         .offset = 16,
         .bytes = 16,
         .executions = 6,
         .lanes = 384,
         .distinct_bytes = 5376,
         .requests = 384}};
    struct harness h;
    assert_int_equal(harness_open(&h, "lds_bank_conflicts"), 0);
    harness_begin(&h, &d);
    for (unsigned i = 0; i < 3; i++)
        h.handler->reduced(h.state, &lds[i]);
    harness_end(&h);
    assert_int_equal(harness_value(&h, LDS_COPY, "Executions"), 1);
    assert_int_equal(harness_value(&h, LDS_COPY, "Active Lanes"), 64);
    assert_int_equal(harness_value(&h, LDS_COPY, "Index Accesses"), 52);
    harness_close(&h);
    assert_int_equal(harness_open(&h, "memory_coalescing"), 0);
    harness_begin(&h, &d);
    for (unsigned i = 0; i < 2; i++)
        h.handler->reduced(h.state, &global[i]);
    harness_end(&h);
    assert_int_equal(harness_value(&h, COPY, "Executions"), 1);
    assert_int_equal(harness_value(&h, COPY, "Active Lanes"), 64);
    assert_int_equal(harness_value(&h, COPY, "Wavefronts"), 7);
    assert_int_equal(harness_value(&h, COPY, "Bytes"), 6400);
    assert_int_equal(harness_value(&h, COPY, "TA Requests"), 448);
    harness_close(&h);
}

/* Of the candidates of an open site only those that the instructions turned out to be count. */
static void candidates(void **state)
{
    (void)state;
    static const struct lanescope_pass passes[] = {{LOAD, 0, 16, 1}, {LOAD, 16, 4, 1}};
    static const struct lanescope_isa isa[SITES] = {[LOAD] = {LANESCOPE_ISA_VECTOR, 2, passes}};
    const struct lanescope_dispatch d = {HARNESS_DISPATCH(sites), .isa = isa};
    const struct lanescope_reduced r[] = {
        {.site = LOAD, .offset = 0, .bytes = 16, .executions = 2, .lanes = 128, .distinct_bytes = 2048},
        {.site = LOAD, .offset = 4, .bytes = 16, .executions = 2, .lanes = 128, .distinct_bytes = 2048},
        {.site = LOAD, .offset = 16, .bytes = 4, .executions = 2, .lanes = 128, .distinct_bytes = 512},
        {.site = LOAD, .offset = 16, .bytes = 8, .executions = 2, .lanes = 128, .distinct_bytes = 1024}};
    struct harness h;
    assert_int_equal(harness_open(&h, "memory_coalescing"), 0);
    harness_begin(&h, &d);
    for (unsigned i = 0; i < 4; i++)
        h.handler->reduced(h.state, &r[i]);
    harness_end(&h);
    assert_int_equal(harness_value(&h, LOAD, "Bytes"), 2048 + 512);
    assert_int_equal(harness_value(&h, LOAD, "Wavefronts"), 4);
    harness_close(&h);
}

int main(int argc, char **argv)
{
    harness_directory = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs),      cmocka_unit_test(damaged_costs),     cmocka_unit_test(counts),
        cmocka_unit_test(far_counts), cmocka_unit_test(evidence_messages), cmocka_unit_test(long_copies),
        cmocka_unit_test(candidates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
