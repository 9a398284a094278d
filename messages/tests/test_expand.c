/* One message stands for the accesses of several sites: which, in which order, at which addresses. */
#include "tests/check.h"
#include "messages/decode.h"

/* Sites 0 to 5 are one basic block: 0 leads 2 and 4, 1 leads 3, 5 is on its own. 6 and 7 are LDS. */
enum { SITES = 8, ROOM = 512 };
static const struct lanescope_site sites[SITES] = {
    {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4},  {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4},
    {.kind = LS_SITE_STORE, .space = 1, .bytes = 8}, {.kind = LS_SITE_LOAD, .space = 1, .bytes = 2},
    {.kind = LS_SITE_LOAD, .space = 1, .bytes = 16}, {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4},
    {.kind = LS_SITE_LOAD, .space = 3, .bytes = 4},  {.kind = LS_SITE_LOAD, .space = 3, .bytes = 8}};
static const struct ls_site_lead lead[] = {{0, 2, 4}, {0, 4, -12}, {1, 3, 1 << 30}, {6, 7, -16}};
static const uint32_t first[SITES + 1] = {0, 2, 3, 3, 3, 3, 3, 4, 4};
static const struct ls_unsaid leads = {.leads = {lead, first}};

/* What came out. */
struct seen {
    uint32_t site[ROOM];
    uint64_t exec[ROOM], length[ROOM], count[ROOM], addr[ROOM][64];
    unsigned n;
    unsigned n_evidence;
    struct decode_evidence evidence[4];
};

static void put(struct seen *s, const struct lanescope_access *a, uint64_t count)
{
    assert_true(s->n < ROOM);
    s->site[s->n] = a->site;
    s->exec[s->n] = a->exec;
    s->length[s->n] = a->length;
    s->count[s->n] = count;
    assert_int_equal(a->active, __builtin_popcountll(a->exec));
    lanescope_addresses(a, s->addr[s->n++]);
}

static void accesses(void *user, const struct lanescope_access *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(user, &a[i], 1);
}

static void repeated(void *user, const struct lanescope_access *a, uint64_t count)
{
    put(user, a, count);
}

static void evidence(void *user, const struct decode_evidence *e)
{
    struct seen *s = user;
    assert_true(s->n_evidence < 4);
    s->evidence[s->n_evidence++] = *e;
}

struct chunk {
    struct ls_chunk head;
    uint32_t words[2048];
    unsigned n;
};

static void say(struct chunk *c, const uint32_t *words, unsigned n)
{
    assert_true(c->n + n <= 2048);
    memcpy(c->words + c->n, words, n * sizeof *words);
    c->n += n;
}
#define SAY(c, ...) say(c, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* Lane i has base + i * stride; all lanes. */
static void say_line(struct chunk *c, uint32_t site, uint64_t base, int32_t stride)
{
    SAY(c, LS_HEAD(site, LS_KIND_STRIDED), (uint32_t)base, (uint32_t)(base >> 32), (uint32_t)stride);
}

static void decode_of(struct chunk *c, const struct lanescope_site *of, uint32_t n_sites,
                      const struct ls_unsaid *with, struct seen *s)
{
    const struct decode_sink sink = {
        .user = s, .accesses = accesses, .repeated = repeated, .evidence = evidence};
    struct ls_chunk_stats stats = {0};
    c->head =
        (struct ls_chunk){.magic = LS_CHUNK_MAGIC, .bytes = (uint32_t)sizeof c->head + c->n * 4, .lanes = 64};
    memset(s, 0, sizeof *s);
    ls_decode_chunk(c, sizeof c->head + sizeof c->words, of, n_sites, with, &sink, &stats);
    assert_int_equal(stats.bad_chunks + stats.bad_messages, 0);
}

static void decode(struct chunk *c, struct seen *s)
{
    decode_of(c, sites, SITES, &leads, s);
}

static void check_sites(const struct seen *s, const uint32_t *want, unsigned n)
{
    assert_int_equal(s->n, n);
    assert_memory_equal(s->site, want, n * sizeof *want);
}
#define CHECK_SITES(s, ...)                                                                                  \
    check_sites(s, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void one_block(void **state)
{
    (void)state;
    static struct seen s;
    struct chunk c = {0};
    say_line(&c, 0, 1000, 4);
    say_line(&c, 1, 0xffffffff00000000, -8);
    say_line(&c, 5, 77, 0);
    decode(&c, &s);
    CHECK_SITES(&s, 0, 1, 2, 3, 4, 5);
    for (unsigned lane = 0; lane < 64; lane++) {
        assert_int_equal(s.addr[0][lane], 1000 + 4 * lane);
        assert_int_equal(s.addr[2][lane], 1004 + 4 * lane);
        assert_int_equal(s.addr[4][lane], 988 + 4 * lane);
        assert_int_equal(s.addr[3][lane], 0xffffffff40000000 - 8 * lane); /* a GiB farther */
    }
    assert_int_equal(s.length[0], 4);
    assert_int_equal(s.length[2], 8);
    assert_int_equal(s.length[3], 2);
    assert_int_equal(s.length[4], 16);
}

/* A loop around the block, whose second turn ends with the chunk; and a way out of it in the middle is none:
 * what leads has been executed as often as what follows. */
static void turns(void **state)
{
    (void)state;
    static struct seen s;
    struct chunk c = {0};
    say_line(&c, 0, 1000, 4);
    say_line(&c, 1, 0, 4);
    say_line(&c, 0, 2000, 4);
    decode(&c, &s);
    CHECK_SITES(&s, 0, 1, 2, 3, 4, 0, 2, 4);
    assert_int_equal(s.addr[2][1], 1008);
    assert_int_equal(s.addr[6][1], 2008);
    /* another block's access between them */
    c.n = 0;
    say_line(&c, 0, 1000, 4);
    say_line(&c, 6, 64, 4);
    say_line(&c, 1, 0, 4);
    decode(&c, &s);
    CHECK_SITES(&s, 0, 2, 4, 6, 7, 1, 3);
}

/* What a loop tells: bytes from turn to turn; turns; the loop's number. */
#define TURNS(step, turns, loop)                                                                             \
    (uint32_t)(step), (uint32_t)((uint64_t)(int64_t)(step) >> 32), (turns) - 1, (uint32_t)(loop) << 16
#define TOLD(site, kind) (LS_HEAD(site, kind) | LS_HEAD_TURNS)

/* Two accesses of a loop, one of which leads two others, on three turns; then the same loop again, one turn. */
static void loops(void **state)
{
    (void)state;
    static struct seen s;
    struct chunk c = {0};
    SAY(&c, TOLD(0, LS_KIND_STRIDED), 1000, 0, 4, TURNS(256, 3, 1));
    SAY(&c, TOLD(1, LS_KIND_STRIDED), 0, 1, (uint32_t)-8, TURNS(-1024, 3, 1));
    SAY(&c, TOLD(0, LS_KIND_STRIDED), 5000, 0, 4, TURNS(256, 1, 1));
    SAY(&c, TOLD(5, LS_KIND_STRIDED), 0, 0, 0, TURNS(1, 2, 2));
    decode(&c, &s);
    CHECK_SITES(&s, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 2, 4, 5, 5);
    for (unsigned turn = 0; turn < 3; turn++)
        for (unsigned lane = 0; lane < 64; lane++) {
            assert_int_equal(s.addr[5 * turn][lane], 1000 + 256 * turn + 4 * lane);
            assert_int_equal(s.addr[5 * turn + 1][lane], (1ull << 32) - 1024 * turn - 8 * lane);
            assert_int_equal(s.addr[5 * turn + 2][lane], 1004 + 256 * turn + 4 * lane);
        }
    assert_int_equal(s.addr[19][7], 1);
}

/* Addresses in LDS wrap on the second turn, those of two lanes of 64 bits carry; rows move as a whole. */
static void turns_of_patterns(void **state)
{
    (void)state;
    static struct seen s;
    struct chunk c = {0};
    SAY(&c, TOLD(6, LS_KIND_STRIDED) | LS_HEAD_PARTIAL, 8, 0, 4, 3, 0, TURNS(-16, 2, 1));
    SAY(&c, TOLD(0, LS_KIND_RAW) | LS_HEAD_PARTIAL, 0, 0, 2, 0x12, 0, TURNS(4, 2, 2), 0xfffffffe, 8, 1, 2);
    SAY(&c, TOLD(5, LS_KIND_ROWS), 4096, 0, 4, TURNS(64, 2, 3), 100, 3);
    decode(&c, &s);
    CHECK_SITES(&s, 6, 7, 6, 7, 0, 2, 4, 0, 2, 4, 5, 5);
    assert_int_equal(s.addr[2][0], 0xfffffff8); /* 8 - 16 */
    assert_int_equal(s.addr[2][1], 0xfffffffc);
    assert_int_equal(s.addr[3][1], 0xffffffec); /* its follower 16 before it */
    assert_int_equal(s.addr[4][1], 0x1fffffffe);
    assert_int_equal(s.addr[7][1], 0x200000002);
    assert_int_equal(s.addr[8][4], 0x200000010); /* 0x200000008, 4, 4 */
    assert_int_equal(s.addr[11][9], 4096 + 64 + 100 + 4);
}

/* A message with more turns than one may tell is damaged, and so is one of a kind that tells none. */
static void damaged_turns(void **state)
{
    (void)state;
    static const uint32_t bad[2][8] = {{TOLD(5, LS_KIND_STRIDED), 0, 0, 0, TURNS(1, LS_TURNS_MOST + 1, 1)},
                                       {TOLD(5, LS_KIND_BLOCK), 0, 0, 0, TURNS(1, 1, 1)}};
    static struct seen s;
    const struct decode_sink sink = {.user = &s, .accesses = accesses};
    for (unsigned i = 0; i < 2; i++) {
        struct ls_chunk_stats stats = {0};
        struct chunk c = {0};
        say(&c, bad[i], 8);
        c.head = (struct ls_chunk){.magic = LS_CHUNK_MAGIC, .bytes = sizeof c.head + 32, .lanes = 64};
        ls_decode_chunk(&c, sizeof c.head + sizeof c.words, sites, SITES, NULL, &sink, &stats);
        assert_int_equal(stats.bad_messages, 1);
        assert_int_equal(s.n, 0);
    }
}

static void without_leads(void **state)
{
    (void)state;
    static struct seen s;
    struct chunk c = {0};
    say_line(&c, 0, 1000, 4);
    decode_of(&c, sites, SITES, NULL, &s);
    CHECK_SITES(&s, 0);
    decode_of(&c, sites, SITES, &(struct ls_unsaid){0}, &s);
    CHECK_SITES(&s, 0);
}

/* A kernel whose own sites are the last two of eight, beside two that functions share: numbers 0 to 3 are sites 0, 1, 6
 * and 7, and 6 leads 7. There is no number 4. */
static void numbers_of_a_kernel(void **state)
{
    (void)state;
    static struct seen s;
    const struct ls_unsaid unsaid = {.leads = {lead, first}, .numbers = {.n = 4, .shared = 2, .skip = 4}};
    const struct decode_sink sink = {.user = &s, .accesses = accesses};
    struct ls_chunk_stats stats = {0};
    struct chunk c = {0};
    say_line(&c, 2, 1000, 4);
    say_line(&c, 1, 2000, 4);
    say_line(&c, 3, 3000, 4);
    decode_of(&c, sites, SITES, &unsaid, &s);
    CHECK_SITES(&s, 6, 7, 1, 3, 7);
    c.n = 0;
    say_line(&c, 4, 1000, 4);
    c.head =
        (struct ls_chunk){.magic = LS_CHUNK_MAGIC, .bytes = (uint32_t)sizeof c.head + c.n * 4, .lanes = 64};
    memset(&s, 0, sizeof s);
    ls_decode_chunk(&c, sizeof c.head + sizeof c.words, sites, SITES, &unsaid, &sink, &stats);
    assert_int_equal(stats.bad_messages, 1);
    assert_int_equal(s.n, 0);
}

/* Lanes 1 and 4 only. The high words of a raw message take the carry of the low ones. */
static void patterns(void **state)
{
    (void)state;
    static struct seen s;
    struct chunk c = {0};
    SAY(&c, LS_HEAD(0, LS_KIND_DELTA) | LS_HEAD_PARTIAL, 500, 0, 2, 0x12, 0, 0, (uint32_t)-100);
    SAY(&c, LS_HEAD(0, LS_KIND_WINDOW) | LS_HEAD_PARTIAL, 0, 7, 2, 0x12, 0, 8, 0xffffffff);
    SAY(&c, LS_HEAD(0, LS_KIND_RAW) | LS_HEAD_PARTIAL, 0, 0, 2, 0x12, 0, 0xfffffffe, 8, 1, 2);
    SAY(&c, LS_HEAD(0, LS_KIND_STRIDED) | LS_HEAD_PARTIAL, 16, 0, 4, 0x12, 0);
    decode(&c, &s);
    CHECK_SITES(&s, 0, 2, 4, 0, 2, 4, 0, 2, 4, 0, 2, 4);
    for (unsigned i = 0; i < s.n; i++)
        assert_int_equal(s.exec[i], 0x12);
    assert_int_equal(s.addr[1][1], 504);
    assert_int_equal(s.addr[1][4], 404);
    assert_int_equal(s.addr[2][4], 388);
    assert_int_equal(s.addr[4][1], 0x70000000c);
    assert_int_equal(s.addr[4][4], 0x800000003);
    assert_int_equal(s.addr[5][1], 0x6fffffffc);
    assert_int_equal(s.addr[7][1], 0x200000002);
    assert_int_equal(s.addr[7][4], 0x20000000c);
    assert_int_equal(s.addr[8][4], 0x1fffffffc);
    assert_int_equal(s.addr[10][4], 16 + 16 + 4);
}

/* Addresses of LDS have 32 bits: 8 - 16 is 2^32 - 8, whatever else the lanes have. */
static void lds_wraps(void **state)
{
    (void)state;
    static struct seen s;
    struct chunk c = {0};
    say_line(&c, 6, 64, 4);
    say_line(&c, 6, 8, 4);
    SAY(&c, LS_HEAD(6, LS_KIND_DELTA) | LS_HEAD_PARTIAL, 100, 0, 2, 3, 0, 0, (uint32_t)-92);
    decode(&c, &s);
    CHECK_SITES(&s, 6, 7, 6, 7, 6, 7);
    for (unsigned lane = 0; lane < 64; lane++) {
        assert_int_equal(s.addr[1][lane], 48 + 4 * lane);
        assert_int_equal(s.addr[3][lane], (uint32_t)(8 + 4 * lane - 16));
    }
    assert_int_equal(s.addr[5][0], 84);
    assert_int_equal(s.addr[5][1], 0xfffffff8);
}

/* Bases are told modulo 128: what is asked for is where in such a block the others begin. */
static void counts(void **state)
{
    (void)state;
    static struct seen s;
    struct chunk c = {0};
    SAY(&c, LS_HEAD(0, LS_KIND_COUNT), 120, 0, 4, 9, 1);
    SAY(&c, LS_HEAD(0, LS_KIND_COUNT), 120, 0, 8, 0, 0); /* of nothing: no site has a row of it */
    SAY(&c, LS_HEAD(6, LS_KIND_COUNT) | LS_HEAD_PARTIAL, 2, 0, 8, 0xff, 0, 5, 0);
    decode(&c, &s);
    CHECK_SITES(&s, 0, 2, 4, 6, 7);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(s.count[i], 0x100000009);
    assert_int_equal(s.addr[1][0] % 128, 124);
    assert_int_equal(s.addr[1][1] - s.addr[1][0], 4);
    assert_int_equal(s.addr[2][0] % 128, 108);
    assert_int_equal(s.length[2], 16);
    assert_int_equal(s.count[4], 5);
    assert_int_equal(s.exec[4], 0xff);
    assert_int_equal(s.addr[4][3] % 4, 2);
    assert_int_equal(s.addr[4][3] - s.addr[4][0], 24);
}

static void evidences(void **state)
{
    (void)state;
    static struct seen s;
    static const uint32_t addresses[128] = {[1] = 8, [64 + 1] = 3};
    struct chunk c = {0};
    SAY(&c, LS_HEAD(0, LS_KIND_EVIDENCE) | LS_HEAD_PARTIAL, 9, 77, 0, 2, 0);
    say(&c, addresses, 128);
    decode(&c, &s);
    assert_int_equal(s.n_evidence, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(s.evidence[i].wave, 9);
        assert_int_equal(s.evidence[i].sum, 77);
        assert_int_equal(s.evidence[i].exec, 2);
    }
    assert_int_equal(s.evidence[1].site, 2);
    assert_int_equal(s.evidence[1].addr[1], 0x30000000c);
    assert_int_equal(s.evidence[2].site, 4);
    assert_int_equal(s.evidence[2].addr[1], 0x2fffffffc);
}

/* More leaders than are waited for: all of their accesses come, once each. */
static void many(void **state)
{
    (void)state;
    enum { PAIRS = 3 * EXPAND_WAITING / 2 };
    static struct lanescope_site all[2 * PAIRS];
    static struct ls_site_lead pairs[PAIRS];
    static uint32_t where[2 * PAIRS + 1];
    static struct seen s;
    struct chunk c = {0};
    unsigned times[2 * PAIRS] = {0};
    for (uint32_t i = 0; i < PAIRS; i++) {
        all[i] = all[PAIRS + i] = sites[0];
        pairs[i] = (struct ls_site_lead){i, PAIRS + i, 4};
        say_line(&c, i, 1000 * i, 4);
    }
    for (uint32_t i = 0; i <= 2 * PAIRS; i++)
        where[i] = i < PAIRS ? i : PAIRS;
    decode_of(&c, all, 2 * PAIRS, &(struct ls_unsaid){.leads = {pairs, where}}, &s);
    assert_int_equal(s.n, 2 * PAIRS);
    for (unsigned i = 0; i < s.n; i++) {
        times[s.site[i]]++;
        assert_int_equal(s.addr[i][0], s.site[i] < PAIRS ? 1000 * s.site[i] : 1000 * (s.site[i] - PAIRS) + 4);
    }
    for (unsigned i = 0; i < 2 * PAIRS; i++)
        assert_int_equal(times[i], 1);
}

/* What was reduced: site, offset, and all sums but those that tell the memory. */
struct costs {
    struct lanescope_reduced r[8];
    unsigned n;
};

static void reduced(void *user, const struct lanescope_reduced *r)
{
    struct costs *s = user;
    assert_true(s->n < 8);
    s->r[s->n++] = *r;
}

static void check_cost(const struct lanescope_reduced *r, uint32_t site, unsigned offset, uint64_t executions)
{
    assert_int_equal(r->site, site);
    assert_int_equal(r->offset, offset);
    assert_int_equal(r->bytes, 4);
    assert_true(r->lds);
    assert_int_equal(r->executions, executions);
    assert_int_equal(r->conflict_cycles, executions + 3);
}

/* Numbers 0 to 3 are sites 0, 1, 6 and 7. The second pass, of number 2, stands for 4 bytes at 4 of the same site and for number 3,
 * the third one for nothing else. Other bytes, or another memory, are another pass. */
static void shared_costs(void **state)
{
    (void)state;
    static const struct {
        struct ls_plan plan;
        uint32_t word[4];
        struct ls_plan_pass pass[3];
        struct ls_plan_shared shared[3];
    } p = {
        .plan = {.n_sites = 4, .n_passes = 3, .passes = 48, .shared = 108, .n_shared = 3},
        .word = {LS_PLAN_OF_SITE(0, 1), 0, LS_PLAN_OF_SITE(1, 2), LS_PLAN_OF_SITE(2, 1)},
        .pass = {{.site = 0, .bytes = 4, .memory = LS_PLAN_LDS},
                 {.site = 2, .bytes = 4, .memory = LS_PLAN_LDS},
                 {.site = 3, .offset = 8, .bytes = 4, .memory = LS_PLAN_LDS}},
        .shared = {{0, 1, 0}, {1, 2, 4}, {1, 3, 0}},
    };
    _Static_assert(offsetof(__typeof__(p), pass) == 48 && offsetof(__typeof__(p), shared) == 108, "offsets");
    struct costs s = {0};
    struct chunk c = {0};
    struct ls_unsaid unsaid = {.numbers = {.n = 4, .shared = 2, .skip = 4}, .plan = &p.plan};
    const struct decode_sink sink = {.user = &s, .accesses = accesses, .reduced = reduced};
    struct ls_chunk_stats stats = {0};
    static const uint32_t told[][2] = {{2, 4 << 16 | LS_PLAN_LDS << 24},
                                       {3, 8 | 4 << 16 | LS_PLAN_LDS << 24},
                                       {2, 8 << 16 | LS_PLAN_LDS << 24},
                                       {2, 4 << 16}};
    for (uint32_t i = 0; i < 4; i++)
        SAY(&c, LS_HEAD(told[i][0], LS_KIND_COST), told[i][1], 0, 0, 10 * i + 5, 0, 64, 0, 9, 0, 10 * i + 8,
            0, 1, 0, 0, 0, 0, 0, 0, 0);
    c.head =
        (struct ls_chunk){.magic = LS_CHUNK_MAGIC, .bytes = (uint32_t)sizeof c.head + c.n * 4, .lanes = 64};
    ls_decode_chunk(&c, sizeof c.head + sizeof c.words, sites, SITES, &unsaid, &sink, &stats);
    assert_int_equal(stats.bad_messages, 0);
    assert_int_equal(s.n, 3 + 1 + 1 + 1);
    check_cost(&s.r[0], 6, 0, 5);
    check_cost(&s.r[1], 6, 4, 5);
    check_cost(&s.r[2], 7, 0, 5);
    check_cost(&s.r[3], 7, 8, 15);
    unsaid.plan = NULL;
    s.n = 0;
    ls_decode_chunk(&c, sizeof c.head + sizeof c.words, sites, SITES, &unsaid, &sink, &stats);
    assert_int_equal(s.n, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block),
        cmocka_unit_test(turns),
        cmocka_unit_test(without_leads),
        cmocka_unit_test(numbers_of_a_kernel),
        cmocka_unit_test(patterns),
        cmocka_unit_test(lds_wraps),
        cmocka_unit_test(counts),
        cmocka_unit_test(evidences),
        cmocka_unit_test(many),
        cmocka_unit_test(loops),
        cmocka_unit_test(turns_of_patterns),
        cmocka_unit_test(damaged_turns),
        cmocka_unit_test(shared_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
