/* Accesses in rows, as the decoder gives them, against the formula of the wire format. */
#include "tests/check.h"
#include "messages/decode.h"

enum { MANY = 400 };
static const struct lanescope_site sites[2] = {{.kind = LS_SITE_LOAD, .space = 1, .bytes = 4},
                                               {.kind = LS_SITE_STORE, .space = 3, .bytes = 8}};

struct seen {
    unsigned n;
    uint64_t exec[MANY], addr[MANY][64];
    uint8_t pattern[MANY];
};

static void accesses(void *user, const struct lanescope_access *a, size_t n)
{
    struct seen *s = user;
    for (size_t i = 0; i < n; i++, s->n++) {
        assert_true(s->n < MANY);
        s->exec[s->n] = a[i].exec;
        s->pattern[s->n] = a[i].pattern;
        lanescope_addresses(&a[i], s->addr[s->n]);
    }
}

static void repeated(void *user, const struct lanescope_access *a, uint64_t count)
{
    for (; count; count--)
        accesses(user, a, 1);
}

struct chunk {
    struct ls_chunk head;
    uint32_t words[16384];
    unsigned n;
};

struct shape {
    uint32_t site;
    uint64_t exec, base;
    int32_t stride, pitch;
    uint32_t shift;
};

static void say(struct chunk *c, struct shape s)
{
    uint32_t m[] = {LS_HEAD(s.site, LS_KIND_ROWS) | (~s.exec ? LS_HEAD_PARTIAL : 0), (uint32_t)s.base,
                    (uint32_t)(s.base >> 32), (uint32_t)s.stride};
    uint32_t mask[] = {(uint32_t)s.exec, (uint32_t)(s.exec >> 32)}, rows[] = {(uint32_t)s.pitch, s.shift};
    memcpy(c->words + c->n, m, sizeof m);
    c->n += 4;
    if (~s.exec) {
        memcpy(c->words + c->n, mask, sizeof mask);
        c->n += 2;
    }
    memcpy(c->words + c->n, rows, sizeof rows);
    c->n += 2;
}

static struct ls_chunk_stats decode(struct chunk *c, const struct ls_unsaid *leads, struct seen *s)
{
    const struct decode_sink sink = {.user = s, .accesses = accesses, .repeated = repeated};
    struct ls_chunk_stats stats = {0};
    c->head =
        (struct ls_chunk){.magic = LS_CHUNK_MAGIC, .bytes = (uint32_t)sizeof c->head + c->n * 4, .lanes = 64};
    s->n = 0;
    ls_decode_chunk(c, sizeof c->head + sizeof c->words, sites, 2, leads, &sink, &stats);
    return stats;
}

static void check(const struct seen *s, unsigned i, struct shape want)
{
    assert_int_equal(s->exec[i], want.exec);
    for (uint64_t m = want.exec; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m), row = lane / (1u << want.shift),
                 column = lane % (1u << want.shift);
        assert_int_equal(s->addr[i][lane],
                         want.base + (uint64_t)((int64_t)want.stride * column + (int64_t)want.pitch * row));
    }
}

static void shapes(void **state)
{
    (void)state;
    static struct seen s;
    static struct chunk c;
    const struct shape all[] = {
        {0, ~0ull, 0x7f0000001000, 4, 4000, 4},                     /* 16 x 4 work-items */
        {0, ~0ull, 0x7f0000001000, 4, -64, 5},                      /* backwards */
        {1, ~0ull, 128, 0, 8, 3},                                   /* one address for each row */
        {1, 0x00ff00ff00ff00ff, 64, 8, 0, 3},                       /* all rows the same */
        {0, 0xfffffffefffffffe, 0xfffffffffffffff8, 4, 1 << 20, 5}, /* base before address 0 */
        {0, ~0ull, 0x7f0000001000, 1 << 30, 1 << 30, 1},            /* distances of more than 32 bits */
        {0, 0x8000000000000001, 5, -(1 << 30), -(1 << 30), 3},
    };
    const unsigned n = sizeof all / sizeof *all;
    memset(&c, 0, sizeof c);
    for (unsigned i = 0; i < n; i++)
        say(&c, all[i]);
    struct ls_chunk_stats stats = decode(&c, NULL, &s);
    assert_int_equal(stats.bad_messages, 0);
    assert_int_equal(s.n, n);
    for (unsigned i = 0; i < n; i++)
        check(&s, i, all[i]);
    /* 31 * 2^30 + 2^30 is more than 2^31. */
    assert_int_equal(s.pattern[0], LANESCOPE_DELTA);
    assert_int_equal(s.pattern[5], LANESCOPE_RAW);
}

/* More rows than are kept, behind leaders whose words are wanted at the end. */
static void many_shapes(void **state)
{
    (void)state;
    static const struct ls_site_lead lead[] = {{0, 1, 16}};
    static const uint32_t first[3] = {0, 1, 1};
    const struct ls_unsaid leads = {.leads = {lead, first}};
    static struct seen s;
    static struct chunk c;
    memset(&c, 0, sizeof c);
    for (unsigned i = 0; i < MANY / 2; i++)
        say(&c, (struct shape){0, ~0ull, 1024, 4, 1000 + (int32_t)i, 4});
    assert_int_equal(decode(&c, &leads, &s).bad_messages, 0);
    assert_int_equal(s.n, MANY);
    for (unsigned i = 0; i < MANY / 2; i++) {
        check(&s, 2 * i, (struct shape){0, ~0ull, 1024, 4, 1000 + (int32_t)i, 4});
        check(&s, 2 * i + 1, (struct shape){1, ~0ull, 1024 + 16, 4, 1000 + (int32_t)i, 4});
    }
}

/* Rows of 16 lanes, of which the first and the third are active: distances are of active lanes. */
static void counted(void **state)
{
    (void)state;
    static struct seen s;
    static struct chunk c;
    const uint64_t exec = 0x0000ffff0000ffff;
    const uint32_t m[] = {LS_HEAD(0, LS_KIND_COUNT) | LS_HEAD_PARTIAL,
                          4 | 2 << 8,
                          4096,
                          4,
                          (uint32_t)exec,
                          (uint32_t)(exec >> 32),
                          1,
                          0};
    memset(&c, 0, sizeof c);
    memcpy(c.words, m, sizeof m);
    c.n = sizeof m / 4;
    assert_int_equal(decode(&c, NULL, &s).bad_messages, 0);
    assert_int_equal(s.n, 1);
    check(&s, 0, (struct shape){0, exec, (1ull << 44) + 4, 4, 4096, 4});
    for (unsigned shift = 1; shift < 6; shift++) { /* the longest rows first in the message's numbers */
        c.words[1] = 4 | (6 - shift) << 8;
        assert_int_equal(decode(&c, NULL, &s).bad_messages, 0);
        check(&s, 0, (struct shape){0, exec, (1ull << 44) + 4, 4, 4096, shift});
    }
    c.words[1] = 4 | 6 << 8;
    assert_int_equal(decode(&c, NULL, &s).bad_messages, 1);
}

static void damaged(void **state)
{
    (void)state;
    static struct seen s;
    static struct chunk c;
    const uint32_t bad[] = {0, 6, 32, ~0u};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(&c, 0, sizeof c);
        say(&c, (struct shape){0, ~0ull, 0, 4, 4, bad[i]});
        assert_int_equal(decode(&c, NULL, &s).bad_messages, 1);
        assert_int_equal(s.n, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes), cmocka_unit_test(many_shapes),
                                       cmocka_unit_test(counted), cmocka_unit_test(damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
