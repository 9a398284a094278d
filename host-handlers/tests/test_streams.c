/* test_streams.c - the same accesses said in different ways: by messages that stand for several accesses (of lines, rows, turns of a loop, sites
 * that follow another one) and lane by lane, by one thread and by three, one by one and counted. Handlers find the same numbers. Addresses are
 * worked out here after lanescope/wire.h, many of them odd: far strides, the ends of the 32 and 64 bits, apertures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/numbers.h"
#include "host-handlers/pipeline/pipeline.h"
#include "lanescope/sites.h"

static const char *module_dir;

#define SITE(kind_, space_, bytes_)                                                                          \
    {.kind = LS_SITE_##kind_, .space = space_, .bytes = bytes_, .flags = LS_SITE_OBSERVED, .instruction = ""}
enum {
    LDS_LEADER,
    LDS_FIRST,
    LDS_SECOND,
    LEADER,
    FOLLOWER,
    FLAT,
    FLAT_ADD,
    WIDE,
    LDS_ADD,
    COPY,
    LDS_COPY,
    SITES
};
static const struct lanescope_site sites[SITES] = {
    SITE(LOAD, 3, 4),  SITE(STORE, 3, 8),     SITE(LOAD, 3, 16),      SITE(LOAD, 1, 4),
    SITE(STORE, 1, 8), SITE(LOAD, 0, 4),      SITE(RMW, 0, 4),        SITE(LOAD, 1, 20),
    SITE(RMW, 3, 4),   SITE(COPY_READ, 1, 0), SITE(COPY_WRITE, 3, 0),
};
static const struct ls_site_lead lead[] = {
    {LDS_LEADER, LDS_FIRST, -64}, {LDS_LEADER, LDS_SECOND, 1028}, {LEADER, FOLLOWER, -4}};
static const uint32_t first_lead[SITES + 1] = {0, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3};
static const struct ls_unsaid unsaid = {.leads = {lead, first_lead}};

static struct lanescope_dispatch dispatch = {.size = sizeof dispatch,
                                             .id = 1,
                                             .kernel = "k",
                                             .mangled = "k",
                                             .grid = {1024, 1, 1},
                                             .workgroup = {256, 1, 1},
                                             .n_sites = SITES,
                                             .sites = sites};

static uint64_t seed;

/* Knuth's generator (MMIX). */
static uint32_t chance(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* ---- chunks ---- */

enum { CHUNKS = 12, CHUNK_WORDS = 16384, LONGEST = 8192 };
union chunk {
    struct ls_chunk head;
    uint32_t word[CHUNK_WORDS];
};
struct stream {
    union chunk chunk[CHUNKS];
    unsigned n;
};

static void begin_chunk(struct stream *s)
{
    struct ls_chunk *c = &s->chunk[s->n].head;
    *c = (struct ls_chunk){
        .magic = LS_CHUNK_MAGIC, .bytes = sizeof *c, .lanes = (uint8_t)dispatch.lanes, .wave = s->n++};
}

static void put(struct stream *s, const uint32_t *words, unsigned n)
{
    union chunk *c = &s->chunk[s->n - 1];
    assert_true(c->head.bytes + 4 * n <= sizeof *c);
    memcpy((char *)c + c->head.bytes, words, 4ul * n);
    c->head.bytes += 4 * n;
}

/* ---- one message ---- */

struct said {
    uint32_t site, kind, word3, pitch, shift;
    uint64_t exec, base, step, more;
    uint32_t loop;
    uint64_t addr[64]; /* of the first turn */
    uint64_t length;   /* of a copy; all lanes the same, or */
    uint32_t lengths[64];
    bool own_lengths;
};

static int64_t signed_of(uint32_t word)
{
    return (int32_t)word;
}

static uint64_t odd_base(void)
{
    static const uint64_t bases[] = {0,           4,
                                     0x20,        0x1fff0,
                                     0xfffffff0u, 1ull << 32,
                                     1ull << 48,  (1ull << 48) + 0x40,
                                     1ull << 49,  0x7f0000000038,
                                     1ull << 63,  0ull - 64,
                                     0ull - 4,    0x10000};
    return bases[chance(sizeof bases / sizeof *bases)];
}

static uint32_t odd_distance(void)
{
    static const uint32_t distances[] = {0,   1,      4,        4,        4,         8,    16,   128,
                                         132, 0u - 4, 0u - 128, 1u << 31, INT32_MAX, 4096, 65536};
    return distances[chance(sizeof distances / sizeof *distances)];
}

/* What the message says of each lane. */
static void find_addresses(struct said *m)
{
    for (unsigned lane = 0; lane < 64; lane++) {
        const int64_t column = lane & ((1u << m->shift) - 1), row = lane >> m->shift;
        const uint64_t delta = m->kind == LS_KIND_WINDOW
                                   ? (uint64_t)odd_distance() + chance(64) * 4
                                   : (uint64_t)signed_of(odd_distance() + chance(64) * 4);
        if (m->kind == LS_KIND_STRIDED)
            m->addr[lane] = m->base + (uint64_t)(lane * signed_of(m->word3));
        else if (m->kind == LS_KIND_ROWS)
            m->addr[lane] = m->base + (uint64_t)(column * signed_of(m->word3) + row * signed_of(m->pitch));
        else if (m->kind == LS_KIND_RAW)
            m->addr[lane] = odd_base() + chance(64) * 4;
        else
            m->addr[lane] =
                m->base + (m->kind == LS_KIND_WINDOW ? (uint32_t)delta : (uint64_t)(int32_t)delta);
    }
}

/* Sites that send messages: followers have none. */
static uint32_t speaker(void)
{
    static const uint32_t of[] = {LDS_LEADER, LEADER, FLAT, FLAT_ADD, WIDE, LDS_ADD, COPY, LDS_COPY};
    return of[chance(sizeof of / sizeof *of)];
}

static struct said make_message(void)
{
    static const uint32_t kinds[] = {LS_KIND_STRIDED, LS_KIND_STRIDED, LS_KIND_DELTA,
                                     LS_KIND_WINDOW,  LS_KIND_RAW,     LS_KIND_ROWS};
    static const uint64_t masks[] = {~0ull,      ~0ull,      1,      1ull << 31,
                                     0x80000001, 0x55555555, 0xffff, 0xfff000000000fff0};
    struct said m = {.site = speaker(),
                     .kind = kinds[chance(6)],
                     .word3 = odd_distance(),
                     .pitch = odd_distance(),
                     .shift = 1 + chance(5),
                     .exec = masks[chance(8)] & ls_low_bits(dispatch.lanes),
                     .base = odd_base()};
    find_addresses(&m);
    m.length = chance(3) ? chance(200) : 0;
    m.own_lengths = chance(2);
    for (unsigned lane = 0; lane < 64; lane++)
        m.lengths[lane] = m.own_lengths ? chance(3) * chance(40) : (uint32_t)m.length;
    if (sites[m.site].bytes && chance(2)) {
        m.more = chance(4);
        m.step = (uint64_t)signed_of(odd_distance());
        m.loop = chance(3);
    }
    return m;
}

static unsigned put_head(uint32_t *w, const struct said *m, uint32_t site, uint32_t kind, uint64_t word12,
                         uint32_t word3, bool turns)
{
    unsigned n = 4;
    w[0] = LS_HEAD(site, kind) | LS_HEAD_PARTIAL | (turns ? LS_HEAD_TURNS : 0);
    w[1] = (uint32_t)word12;
    w[2] = (uint32_t)(word12 >> 32);
    w[3] = word3;
    if (m->exec == ls_low_bits(dispatch.lanes))
        w[0] &= ~LS_HEAD_PARTIAL;
    else
        memcpy(w + n, &m->exec, 8), n += 2;
    if (turns) {
        const uint64_t more = m->more | (uint64_t)m->loop << LS_TURNS_BITS;
        memcpy(w + n, &m->step, 8);
        memcpy(w + n + 2, &more, 8);
        n += 4;
    }
    return n;
}

static void put_length(struct stream *s, const struct said *m)
{
    uint32_t w[6 + 64];
    const uint32_t active = (uint32_t)__builtin_popcountll(m->exec);
    unsigned n = put_head(w, m, m->site, LS_KIND_LENGTH, m->lengths[__builtin_ctzll(m->exec)],
                          m->own_lengths ? active : 0, false);
    for (uint64_t lanes = m->own_lengths ? m->exec : 0; lanes; lanes &= lanes - 1)
        w[n++] = m->lengths[__builtin_ctzll(lanes)];
    w[n] = 0;
    put(s, w, n + n % 2);
}

/* Each lane's address. */
static void put_lanes(struct stream *s, const struct said *m, uint32_t site, uint64_t distance)
{
    uint32_t w[10 + 128];
    const uint32_t active = (uint32_t)__builtin_popcountll(m->exec);
    unsigned n = put_head(w, m, site, LS_KIND_RAW, 0, active, false), k = 0;
    for (uint64_t lanes = m->exec; lanes; lanes &= lanes - 1, k++) {
        const uint64_t sum = m->addr[__builtin_ctzll(lanes)] + distance,
                       at = sites[site].space == 3 ? (uint32_t)sum : sum;
        w[n + k] = (uint32_t)at;
        w[n + active + k] = (uint32_t)(at >> 32);
    }
    put(s, w, n + 2 * active);
}

/* All that the message stands for. */
static void put_plainly(struct stream *s, const struct said *m)
{
    for (uint64_t turn = 0; turn <= m->more; turn++) {
        put_lanes(s, m, m->site, turn * m->step);
        for (uint32_t k = first_lead[m->site]; k < first_lead[m->site + 1]; k++)
            put_lanes(s, m, lead[k].follower, turn * m->step + (uint64_t)(int64_t)lead[k].distance);
    }
    if (!sites[m->site].bytes)
        put_length(s, m);
}

static void put_shortly(struct stream *s, const struct said *m)
{
    uint32_t w[10 + 128];
    const uint32_t active = (uint32_t)__builtin_popcountll(m->exec);
    const bool lanes = m->kind != LS_KIND_STRIDED && m->kind != LS_KIND_ROWS;
    unsigned n = put_head(w, m, m->site, m->kind, m->kind == LS_KIND_RAW ? 0 : m->base,
                          lanes ? active : m->word3, m->more),
             k = 0;
    if (m->kind == LS_KIND_ROWS) {
        w[n++] = m->pitch;
        w[n++] = m->shift;
    }
    for (uint64_t left = lanes ? m->exec : 0; left; left &= left - 1, k++) {
        const uint64_t at = m->addr[__builtin_ctzll(left)];
        w[n + k] = (uint32_t)(m->kind == LS_KIND_RAW ? at : at - m->base);
        if (m->kind == LS_KIND_RAW)
            w[n + active + k] = (uint32_t)(at >> 32);
    }
    n += lanes ? (m->kind == LS_KIND_RAW ? 2 : 1) * active : 0;
    w[n] = 0;
    put(s, w, n + n % 2);
    if (!sites[m->site].bytes)
        put_length(s, m);
}

/* ---- what handlers make of it ---- */

struct sums {
    int64_t value[SITES + 1][80]; /* by site, the last of none, and metric */
    struct ls_chunk_stats stats;
};

static void take_value(void *user, uint32_t site, uint32_t metric, int64_t value)
{
    struct sums *s = user;
    assert_true(metric < 80);
    s->value[site < SITES ? site : SITES][metric] += value;
}

static void no_row(void *user, const char *handler, const char *table, uint32_t site, const char *json)
{
    (void)user, (void)handler, (void)table, (void)site, (void)json;
}

static struct ls_pipeline *load(bool summary)
{
    static const char *const names[] = {
        "lds_bank_conflicts", "memory_coalescing", "alignment", "advice", "heatmap", "redundancy"};
    char *error = NULL;
    struct ls_pipeline *p = ls_pipeline_create(NULL, NULL);
    assert_non_null(p);
    if (summary)
        ls_pipeline_summary(p);
    for (unsigned i = 0; i < (summary ? 2u : 6u); i++)
        assert_int_equal(ls_pipeline_load(p, module_dir, names[i], &error), 0);
    return p;
}

/* `parts`: on how many states the chunks are spread. */
static void run(struct ls_pipeline *p, const struct stream *s, const struct ls_unsaid *u, unsigned parts,
                struct sums *out)
{
    struct ls_work *work[3] = {ls_pipeline_begin(p, &dispatch, u)};
    const struct ls_result_sink sink = {.user = out, .value = take_value, .row = no_row};
    memset(out, 0, sizeof *out);
    for (unsigned i = 1; i < parts; i++)
        assert_non_null(work[i] = ls_pipeline_part(work[0]));
    for (unsigned i = 0; i < s->n; i++) {
        ls_pipeline_chunk(work[i % parts], &s->chunk[i], sizeof s->chunk[i]);
        if (i % parts)
            ls_pipeline_ordered(work[0], &s->chunk[i], sizeof s->chunk[i]);
    }
    for (unsigned i = 1; i < parts; i++)
        ls_pipeline_join(work[0], work[i]);
    ls_pipeline_end(work[0], &sink, &out->stats);
    assert_int_equal(out->stats.bad_messages + out->stats.bad_chunks, 0);
}

static void compare(struct ls_pipeline *p, const char *how, uint64_t round, const struct sums *a,
                    const struct sums *b)
{
    const struct ls_metric_info *info;
    const size_t n = ls_pipeline_metrics(p, &info);
    for (unsigned site = 0; site <= SITES; site++)
        for (size_t k = 0; k < n; k++)
            if (a->value[site][k + 1] != b->value[site][k + 1])
                fail_msg("round %llu, %s: site %u, %s of %s: %lld, not %lld", (unsigned long long)round, how,
                         site, info[k].name, info[k].handler, (long long)b->value[site][k + 1],
                         (long long)a->value[site][k + 1]);
}

enum { ROUNDS = 60 };

static void begin_round(uint64_t round, struct stream *shortly, struct stream *plainly)
{
    seed = round;
    dispatch.arch = round % 2 ? "gfx1030" : "gfx90a";
    dispatch.lanes = round % 2 ? 32 : 64;
    shortly->n = plainly->n = 0;
}

static void streams(void **state)
{
    (void)state;
    struct stream *shortly = calloc(1, sizeof *shortly), *plainly = calloc(1, sizeof *plainly);
    struct sums *sums = calloc(3, sizeof *sums);
    struct ls_pipeline *p = load(false);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        begin_round(round, shortly, plainly);
        while (plainly->n < CHUNKS) {
            begin_chunk(shortly);
            begin_chunk(plainly);
            while (plainly->chunk[plainly->n - 1].head.bytes + LONGEST <= sizeof plainly->chunk[0]) {
                const struct said m = make_message();
                for (unsigned i = chance(3) ? 1 : 1 + chance(20); i; i--) {
                    put_shortly(shortly, &m);
                    put_plainly(plainly, &m);
                    if (plainly->chunk[plainly->n - 1].head.bytes + LONGEST > sizeof plainly->chunk[0])
                        break;
                }
            }
        }
        run(p, plainly, NULL, 1, &sums[0]);
        run(p, shortly, &unsaid, 1, &sums[1]);
        run(p, shortly, &unsaid, 3, &sums[2]);
        compare(p, "shortly", round, &sums[0], &sums[1]);
        compare(p, "in three parts", round, &sums[0], &sums[2]);
    }
    ls_pipeline_destroy(p);
    free(sums);
    free(shortly);
    free(plainly);
}

/* ---- counted ---- */

/* What summary mode counts of sites whose memory and width are known: the base modulo 128 and how often, from 1 to 5 times. */
static void put_counted(struct stream *s, const struct said *m, uint64_t times)
{
    uint32_t w[10];
    const bool rows = m->kind == LS_KIND_ROWS;
    const uint32_t word1 = (uint32_t)(m->base % LS_SUMMARY_PERIOD) | (rows ? 6 - m->shift : 0) << 8;
    unsigned n = put_head(w, m, m->site, LS_KIND_COUNT, word1 | (uint64_t)(rows ? m->pitch : 0) << 32,
                          m->word3, false);
    memcpy(w + n, &times, 8);
    put(s, w, n + 2);
}

static void counted(void **state)
{
    (void)state;
    struct stream *shortly = calloc(1, sizeof *shortly), *plainly = calloc(1, sizeof *plainly);
    struct sums *sums = calloc(2, sizeof *sums);
    struct ls_pipeline *p = load(true);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        begin_round(round, shortly, plainly);
        begin_chunk(shortly);
        begin_chunk(plainly);
        while (plainly->chunk[0].head.bytes + LONGEST <= sizeof plainly->chunk[0]) {
            struct said m = make_message();
            if ((m.kind != LS_KIND_STRIDED && m.kind != LS_KIND_ROWS) || !sites[m.site].space ||
                !sites[m.site].bytes)
                continue;
            if (m.kind == LS_KIND_ROWS && m.shift < 3) /* two bits say 8 to 32 lanes */
                continue;
            m.more = 0;
            const unsigned times = 1 + chance(5);
            put_counted(shortly, &m, times);
            for (unsigned i = 0;
                 i < times && plainly->chunk[0].head.bytes + LONGEST / 4 <= sizeof plainly->chunk[0]; i++)
                put_plainly(plainly, &m);
        }
        run(p, plainly, NULL, 1, &sums[0]);
        run(p, shortly, &unsaid, 1, &sums[1]);
        compare(p, "counted", round, &sums[0], &sums[1]);
    }
    ls_pipeline_destroy(p);
    free(sums);
    free(shortly);
    free(plainly);
}

int main(int argc, char **argv)
{
    module_dir = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {cmocka_unit_test(streams), cmocka_unit_test(counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
