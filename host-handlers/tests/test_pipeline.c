/*
 * test_pipeline.c - chunks written by hand after lanescope/wire.h go through the real handler modules;
 * damaged chunks are counted and harm nothing. argv[1]: directory of the handlers.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lanescope/sdk/rows.h"
#include "lanescope/sites.h"
#include "host-handlers/pipeline/pipeline.h"

static const char *module_dir;

enum { LOAD_GLOBAL, STORE_LDS, COPY, CALL, SITES };
static const struct lanescope_site sites[SITES] = {
    [LOAD_GLOBAL] = {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4, .align = 4, .instruction = "load"},
    [STORE_LDS] = {.kind = LS_SITE_STORE, .space = 3, .bytes = 4, .align = 4, .instruction = "store"},
    [COPY] = {.kind = LS_SITE_COPY_READ, .space = 1, .bytes = 0, .align = 16, .instruction = "llvm.memcpy"},
    [CALL] = {.kind = LS_SITE_CALL, .flags = LS_SITE_OBSERVED, .instruction = "call"},
};
static const struct lanescope_dispatch dispatch = {
    .size = sizeof dispatch,
    .id = 1,
    .kernel = "k",
    .mangled = "k",
    .arch = "gfx90a",
    .lanes = 64,
    .grid = {64, 1, 1},
    .workgroup = {64, 1, 1},
    .n_sites = SITES,
    .sites = sites,
};

union buffer {
    struct ls_chunk chunk;
    uint32_t word[1024];
};

static void begin(union buffer *b)
{
    memset(b, 0, sizeof *b);
    b->chunk = (struct ls_chunk){.magic = LS_CHUNK_MAGIC, .bytes = sizeof(struct ls_chunk), .lanes = 64};
}

static void put(union buffer *b, unsigned n, const uint32_t *words)
{
    memcpy((char *)b + b->chunk.bytes, words, n * 4);
    b->chunk.bytes += n * 4;
}

/* Sums of all values by metric name, per handler ("handler/metric"), at a site. */
struct sums {
    const struct ls_metric_info *metrics;
    struct {
        char name[96];
        uint32_t site;
        int64_t value;
    } row[128];
    unsigned n;
    struct {
        uint32_t site;
        uint64_t executions, lanes;
    } call[4];
    unsigned n_calls;
};

static void value(void *user, uint32_t site, uint32_t metric, int64_t v)
{
    struct sums *s = user;
    const struct ls_metric_info *m = &s->metrics[metric - 1];
    snprintf(s->row[s->n].name, sizeof s->row[0].name, "%s/%s", m->handler, m->name);
    s->row[s->n].site = site;
    s->row[s->n++].value = v;
}

static void call(void *user, uint32_t site, uint64_t executions, uint64_t lanes)
{
    struct sums *s = user;
    s->call[s->n_calls].site = site;
    s->call[s->n_calls].executions = executions;
    s->call[s->n_calls++].lanes = lanes;
}

static int64_t get(const struct sums *s, uint32_t site, const char *name)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->row[i].site == site && !strcmp(s->row[i].name, name))
            return s->row[i].value;
    return -1;
}

static struct ls_chunk_stats run(union buffer *chunks, unsigned n, struct sums *out)
{
    char *error = NULL;
    struct ls_pipeline *p = ls_pipeline_create(NULL, NULL);
    assert_non_null(p);
    assert_int_equal(ls_pipeline_load(p, module_dir, "lds_bank_conflicts", &error), 0);
    assert_int_equal(ls_pipeline_load(p, module_dir, "memory_coalescing", &error), 0);
    memset(out, 0, sizeof *out);
    ls_pipeline_metrics(p, &out->metrics);
    struct ls_work *w = ls_pipeline_begin(p, &dispatch, NULL);
    assert_non_null(w);
    for (unsigned i = 0; i < n; i++)
        ls_pipeline_chunk(w, &chunks[i], sizeof chunks[i]);
    struct ls_chunk_stats stats;
    const struct ls_result_sink sink = {.user = out, .value = value, .call = call};
    ls_pipeline_end(w, &sink, &stats);
    out->metrics = NULL;
    ls_pipeline_destroy(p);
    return stats;
}

enum { SHARED_CHUNKS = 24, SHARED_PARTS = 3 };

/* What one thread does with its part of the chunks. */
struct sharer {
    struct ls_work *work;
    const union buffer *chunks;
    unsigned first;
};

static void *decode_share(void *user)
{
    const struct sharer *s = user;
    for (unsigned i = s->first; i < SHARED_CHUNKS; i += SHARED_PARTS)
        ls_pipeline_chunk(s->work, &s->chunks[i], sizeof s->chunks[i]);
    return NULL;
}

/* The dispatch in so many parts, each on a thread of its own; then, on one, what is left for handlers without merge. */
static struct ls_chunk_stats share(const union buffer *chunks, unsigned n_parts, struct sums *out)
{
    char *error = NULL;
    struct ls_pipeline *p = ls_pipeline_create(NULL, NULL);
    struct sharer sharer[SHARED_PARTS];
    pthread_t thread[SHARED_PARTS];
    assert_int_equal(ls_pipeline_load(p, module_dir, "memory_coalescing", &error), 0);
    assert_int_equal(ls_pipeline_load(p, module_dir, "advice", &error), 0);
    assert_false(ls_pipeline_has_ordered(p));
    assert_int_equal(ls_pipeline_load(p, module_dir, "redundancy", &error), 0);
    assert_true(ls_pipeline_has_ordered(p));
    memset(out, 0, sizeof *out);
    ls_pipeline_metrics(p, &out->metrics);
    struct ls_work *w = ls_pipeline_begin(p, &dispatch, NULL);
    for (unsigned i = 0; i < SHARED_PARTS; i++) {
        sharer[i] = (struct sharer){i && n_parts > 1 ? ls_pipeline_part(w) : w, chunks, i};
        assert_non_null(sharer[i].work);
        assert_false(ls_pipeline_lacks(sharer[i].work));
        if (n_parts == 1)
            decode_share(&sharer[i]);
        else
            assert_int_equal(pthread_create(&thread[i], NULL, decode_share, &sharer[i]), 0);
    }
    for (unsigned i = 0; n_parts > 1 && i < SHARED_PARTS; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; n_parts > 1 && i < SHARED_CHUNKS; i++)
        if (i % SHARED_PARTS)
            ls_pipeline_ordered(w, &chunks[i], sizeof chunks[i]);
    for (unsigned i = 1; n_parts > 1 && i < SHARED_PARTS; i++)
        ls_pipeline_join(w, sharer[i].work);
    struct ls_chunk_stats stats;
    const struct ls_result_sink sink = {.user = out, .value = value, .call = call};
    ls_pipeline_end(w, &sink, &stats);
    out->metrics = NULL;
    ls_pipeline_destroy(p);
    return stats;
}

/* Each value is the one of a single part; 24 chunks, one of them with a damaged message. */
static void parts(void **state)
{
    (void)state;
    static union buffer chunks[SHARED_CHUNKS];
    struct sums one, three;
    for (uint32_t i = 0; i < SHARED_CHUNKS; i++) {
        begin(&chunks[i]);
        chunks[i].chunk.wave = i;
        for (uint32_t k = 0; k <= i; k++)
            put(&chunks[i], 4, (uint32_t[]){LS_HEAD(LOAD_GLOBAL, LS_KIND_STRIDED), 256 * k, 2, 4 * (i + 1)});
    }
    put(&chunks[7], 4, (uint32_t[]){~0u, ~0u, ~0u, ~0u});
    const struct ls_chunk_stats a = share(chunks, 1, &one), b = share(chunks, SHARED_PARTS, &three);
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(a.chunks, SHARED_CHUNKS);
    assert_int_equal(a.messages, SHARED_CHUNKS * (SHARED_CHUNKS + 1) / 2);
    assert_int_equal(a.bad_messages, 1);
    assert_int_equal(get(&three, LOAD_GLOBAL, "memory_coalescing/Executions"), a.messages);
    assert_true(get(&three, LOAD_GLOBAL, "redundancy/Bytes Loaded") > 0);
    assert_int_equal(one.n, three.n);
    for (unsigned i = 0; i < one.n; i++)
        assert_int_equal(get(&three, one.row[i].site, one.row[i].name), one.row[i].value);
}

static void each_encoding(void **state)
{
    (void)state;
    union buffer b;
    struct sums s;
    begin(&b);
    /* all 64 lanes, 4 bytes apart from 0x200000000: 4 lines of 64 bytes */
    put(&b, 4, (uint32_t[]){LS_HEAD(LOAD_GLOBAL, LS_KIND_STRIDED), 0, 2, 4});
    /* lanes 0, 1, 2 at base + {0, 64, -64}: 3 lines */
    put(&b, 10,
        (uint32_t[]){LS_HEAD(LOAD_GLOBAL, LS_KIND_DELTA) | LS_HEAD_PARTIAL, 0x1000, 0, 3, 7, 0, 0, 64,
                     (uint32_t)-64, 0});
    /* lanes 62, 63 at base + {0, 0xfffffff0}: 2 lines */
    put(&b, 8,
        (uint32_t[]){LS_HEAD(LOAD_GLOBAL, LS_KIND_WINDOW) | LS_HEAD_PARTIAL, 0, 1, 2, 0, 0xc0000000u, 0,
                     0xfffffff0u});
    /* lane 5 alone, raw */
    put(&b, 8,
        (uint32_t[]){LS_HEAD(LOAD_GLOBAL, LS_KIND_RAW) | LS_HEAD_PARTIAL, 0, 0, 1, 1u << 5, 0, 0x40, 0x7f});
    /* LDS, stride 128: 31 conflicts in each half */
    put(&b, 4, (uint32_t[]){LS_HEAD(STORE_LDS, LS_KIND_STRIDED), 0, 0, 128});
    /* memcpy of 32 bytes in lane 0: two pieces of 16 bytes, both in one line of 64: 2 touched, 2 needed */
    put(&b, 6, (uint32_t[]){LS_HEAD(COPY, LS_KIND_STRIDED) | LS_HEAD_PARTIAL, 0, 3, 0, 1, 0});
    put(&b, 6, (uint32_t[]){LS_HEAD(COPY, LS_KIND_LENGTH) | LS_HEAD_PARTIAL, 32, 0, 0, 1, 0});
    struct ls_chunk_stats stats = run(&b, 1, &s);
    assert_int_equal(stats.chunks, 1);
    assert_int_equal(stats.messages, 7);
    assert_int_equal(stats.bad_chunks + stats.bad_messages, 0);
    assert_int_equal(get(&s, LOAD_GLOBAL, "memory_coalescing/Executions"), 4);
    assert_int_equal(get(&s, LOAD_GLOBAL, "memory_coalescing/Active Lanes"), 64 + 3 + 2 + 1);
    assert_int_equal(get(&s, LOAD_GLOBAL, "memory_coalescing/Cache Lines"), 4 + 3 + 2 + 1);
    assert_int_equal(get(&s, LOAD_GLOBAL, "memory_coalescing/Cache Lines Needed"), 4 + 1 + 1 + 1);
    assert_int_equal(get(&s, STORE_LDS, "lds_bank_conflicts/Executions"), 1);
    assert_int_equal(get(&s, STORE_LDS, "lds_bank_conflicts/Bank Conflict"), 62);
    assert_int_equal(get(&s, STORE_LDS, "lds_bank_conflicts/Index Accesses"), 64);
    assert_int_equal(get(&s, STORE_LDS, "memory_coalescing/Executions"), -1);
    assert_int_equal(get(&s, LOAD_GLOBAL, "lds_bank_conflicts/Executions"), -1);
    assert_int_equal(get(&s, COPY, "memory_coalescing/Executions"), 1);
    assert_int_equal(get(&s, COPY, "memory_coalescing/Wavefronts"), 2);
    assert_int_equal(get(&s, COPY, "memory_coalescing/Bytes"), 32);
}

/* Calls of functions without probes: no handler sees them, they are counted. */
static void calls(void **state)
{
    (void)state;
    union buffer b[2];
    struct sums s;
    begin(&b[0]);
    begin(&b[1]);
    /* all 64 lanes call one function; lanes 0 to 2 call three */
    put(&b[0], 4, (uint32_t[]){LS_HEAD(CALL, LS_KIND_STRIDED), 0x7f00, 1, 0});
    put(&b[0], 10,
        (uint32_t[]){LS_HEAD(CALL, LS_KIND_DELTA) | LS_HEAD_PARTIAL, 0x7f00, 1, 3, 7, 0, 0, 64, 128, 0});
    /* summary mode: 2^32 + 5 executions with lanes 0 to 2 */
    put(&b[1], 8, (uint32_t[]){LS_HEAD(CALL, LS_KIND_COUNT) | LS_HEAD_PARTIAL, 0x20, 0, 0, 7, 0, 5, 1});
    put(&b[1], 4, (uint32_t[]){LS_HEAD(CALL, LS_KIND_BLOCK), 0, 0, 0}); /* no message of a call */
    struct ls_chunk_stats stats = run(b, 2, &s);
    assert_int_equal(stats.messages, 3);
    assert_int_equal(stats.bad_messages, 1);
    assert_int_equal(s.n, 0);
    assert_int_equal(s.n_calls, 1);
    assert_int_equal(s.call[0].site, CALL);
    assert_int_equal(s.call[0].executions, 1 + 1 + (1ull << 32) + 5);
    assert_int_equal(s.call[0].lanes, 64 + 3 + 3 * ((1ull << 32) + 5));
}

static void damaged(void **state)
{
    (void)state;
    union buffer b[8];
    struct sums s;
    for (unsigned i = 0; i < 8; i++)
        begin(&b[i]);
    b[0].chunk.magic++;                                                    /* bad chunk */
    b[1].chunk.bytes = sizeof b[1] + 8;                                    /* bad chunk */
    b[2].chunk.lanes = 63;                                                 /* bad chunk */
    put(&b[3], 4, (uint32_t[]){LS_HEAD(SITES, LS_KIND_STRIDED), 0, 0, 0}); /* no such site */
    put(&b[4], 4, (uint32_t[]){LS_HEAD(0, LS_KIND_RAW), 0, 0, 64});        /* words missing */
    put(&b[5], 4, (uint32_t[]){LS_HEAD(0, 15), 0, 0, 64});                 /* no such kind */
    put(&b[6], 4, (uint32_t[]){LS_HEAD(COPY, LS_KIND_LENGTH), 0, 0, 0});   /* length of nothing */
    put(&b[7], 6,
        (uint32_t[]){LS_HEAD(0, LS_KIND_STRIDED) | LS_HEAD_PARTIAL, 0, 0, 0, 0, 0}); /* no active lane */
    struct ls_chunk_stats stats = run(b, 8, &s);
    assert_int_equal(stats.chunks, 8);
    assert_int_equal(stats.bad_chunks, 3);
    assert_int_equal(stats.bad_messages, 5);
    assert_int_equal(stats.messages, 0);
    assert_int_equal(s.n, 0);
}

/* Of every kind: of no lane, of a lane that the wavefront has not, of no site. Handlers see none of them. */
static void refused(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 16; kind++)
        for (unsigned what = 0; what < 3; what++) {
            union buffer b;
            struct sums s;
            const uint64_t exec = what == 0 ? 0 : what == 1 ? 1ull << 40 : 1;
            const uint32_t site = what == 2 ? SITES : LOAD_GLOBAL;
            begin(&b);
            b.chunk.lanes = 32;
            put(&b, 160,
                (uint32_t[160]){LS_HEAD(site, kind) | LS_HEAD_PARTIAL, 0x1000, 0, what != 0, (uint32_t)exec,
                                (uint32_t)(exec >> 32), 1, 1});
            struct ls_chunk_stats stats = run(&b, 1, &s);
            assert_int_equal(stats.bad_messages, 1);
            assert_int_equal(stats.messages, 0);
            assert_int_equal(s.n, 0);
        }
}

/* A copy of more bytes than any memory has: 2^48 and one. */
static void too_long(void **state)
{
    (void)state;
    union buffer b;
    struct sums s;
    for (uint32_t more = 0; more < 2; more++) {
        begin(&b);
        put(&b, 6, (uint32_t[]){LS_HEAD(COPY, LS_KIND_STRIDED) | LS_HEAD_PARTIAL, 0, 3, 0, 1, 0});
        put(&b, 6, (uint32_t[]){LS_HEAD(COPY, LS_KIND_LENGTH) | LS_HEAD_PARTIAL, more, 1 << 16, 0, 1, 0});
        struct ls_chunk_stats stats = run(&b, 1, &s);
        assert_int_equal(stats.bad_messages, more);
        if (!more)
            assert_int_equal(get(&s, COPY, "memory_coalescing/Bytes"), 1ll << 48);
    }
}

/* Random bytes and random mutations of a good chunk: no crash, and what is counted adds up. */
static void fuzz(void **state)
{
    (void)state;
    union buffer good, *b = calloc(256, sizeof *b);
    struct sums *s = calloc(1, sizeof *s);
    uint32_t seed = 1;
    begin(&good);
    for (unsigned i = 0; i < 20; i++)
        put(&good, 10,
            (uint32_t[]){LS_HEAD(i % SITES, LS_KIND_DELTA) | LS_HEAD_PARTIAL, 0x1000, 0, 3, 7, 0, 0, 64, 8,
                         0});
    for (unsigned round = 0; round < 40; round++) {
        for (unsigned i = 0; i < 256; i++) {
            b[i] = good;
            for (unsigned k = 0; k < 1 + round % 4; k++) {
                seed = seed * 1664525u + 1013904223u;
                b[i].word[(seed >> 12) % (good.chunk.bytes / 4)] ^= 1u << (seed & 31);
            }
        }
        struct ls_chunk_stats stats = run(b, 256, s);
        assert_int_equal(stats.chunks, 256);
        assert_true(stats.bad_chunks + stats.bad_messages <= 256);
        assert_true(stats.messages <= 256 * 20 * 3);
    }
    free(b);
    free(s);
}

static void bad_modules(void **state)
{
    (void)state;
    struct ls_pipeline *p = ls_pipeline_create(NULL, NULL);
    char *error = NULL;
    assert_int_equal(ls_pipeline_load(p, module_dir, "no_such_handler", &error), -1);
    assert_non_null(strstr(error, "no_such_handler"));
    free(error);
    assert_int_equal(ls_pipeline_load(p, module_dir, "memory_coalescing:bogus", &error), -1);
    assert_non_null(strstr(error, "memory_coalescing"));
    free(error);
    assert_int_equal(ls_pipeline_load(p, module_dir, "libc.so.6/x", &error), -1);
    free(error);
    ls_pipeline_destroy(p);
}

/* What the default handlers say of their numbers. */
static void views(void **state)
{
    (void)state;
    char *error = NULL;
    const struct ls_metric_info *m;
    const struct ls_title_info *t;
    struct ls_pipeline *p = ls_pipeline_create(NULL, NULL);
    assert_int_equal(ls_pipeline_load(p, module_dir, "memory_coalescing", &error), 0);
    assert_int_equal(ls_pipeline_titles(p, &t), 1);
    assert_string_equal(t[0].title, "Memory coalescing");
    size_t n = ls_pipeline_metrics(p, &m);
    unsigned found = 0;
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(m[i].name, "Cache Lines Needed")) {
            assert_string_equal(m[i].view.title, "Lines Needed");
            assert_int_equal(m[i].view.excess, -1);
            found++;
        } else if (!strcmp(m[i].name, "Cache Lines")) {
            assert_int_equal(m[i].view.direction, LANESCOPE_MORE_IS_WORSE);
            assert_true(m[i].view.cost && m[i].view.position);
            found++;
        } else if (!strcmp(m[i].name, "Atomic Lanes")) {
            assert_int_equal(m[i].view.role, LANESCOPE_ROLE_CONTENTION);
            found++;
        } else if (!strcmp(m[i].name, "Bytes")) {
            assert_int_equal(m[i].view.position, 0); /* nothing is said of it */
            found++;
        }
    }
    assert_int_equal(found, 4);
    ls_pipeline_destroy(p);
}

static void no_log(const struct lanescope_host *h, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void no_log(const struct lanescope_host *h, int level, const char *format, ...)
{
    (void)h, (void)level, (void)format;
}

static char last_row[256];
static void keep_row(struct lanescope_results *r, const char *table, uint32_t site, const char *json)
{
    (void)r, (void)table, (void)site;
    snprintf(last_row, sizeof last_row, "%s", json);
}

/* A host of the first version ends with `row`; texts cannot break a row; a value of another type makes none. */
static void rows_of_a_first_host(void **state)
{
    (void)state;
    static const struct lanescope_column columns[] = {{"a\"b", LANESCOPE_TEXT}, {"hex", LANESCOPE_HEX},
                                                      {"i", LANESCOPE_INTEGER}, {"u", LANESCOPE_UNSIGNED},
                                                      {"yes", LANESCOPE_BOOL},  {"no", LANESCOPE_TEXT}};
    static const struct lanescope_table table = {"t", columns, 6};
    const struct lanescope_host host = {.size = offsetof(struct lanescope_host, view),
                                        .abi = LANESCOPE_HANDLER_ABI,
                                        .log = no_log,
                                        .row = keep_row};
    const struct lanescope_view view = {.size = sizeof view};
    struct lanescope_value row[] = {lanescope_text("q\" b\\ n\n \xff \xc3\xa9"),
                                    lanescope_unsigned(0xf00d),
                                    lanescope_integer(-5),
                                    lanescope_unsigned(UINT64_MAX),
                                    lanescope_bool(true),
                                    lanescope_none()};
    assert_int_equal(lanescope_set_view(&host, "any", &view), 0);
    assert_int_equal(lanescope_set_title(&host, "any", NULL), 0);
    assert_int_equal(lanescope_add_row(&host, NULL, &table, 0, row), 0);
    assert_string_equal(last_row,
                        "{\"a\\\"b\":\"q\\\" b\\\\ n\\u000a \\ufffd \xc3\xa9\",\"hex\":\"0xf00d\",\"i\":-5,"
                        "\"u\":18446744073709551615,\"yes\":true,\"no\":null}");
    *last_row = 0;
    row[2] = lanescope_text("5");
    assert_int_equal(lanescope_add_row(&host, NULL, &table, 0, row), -EINVAL);
    assert_string_equal(last_row, "");
}

int main(int argc, char **argv)
{
    module_dir = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_encoding), cmocka_unit_test(calls),
        cmocka_unit_test(parts),         cmocka_unit_test(damaged),
        cmocka_unit_test(refused),       cmocka_unit_test(too_long),
        cmocka_unit_test(fuzz),          cmocka_unit_test(bad_modules),
        cmocka_unit_test(views),         cmocka_unit_test(rows_of_a_first_host)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
