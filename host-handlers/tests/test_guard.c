/*
 * test_guard.c - handlers that crash, hang or throw are named and disabled, the others' numbers stay right,
 * and the program's own signal handlers keep working. argv: directory of the handlers, directory of the bad
 * ones.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "host-handlers/pipeline/guard.h"
#include "lanescope/sites.h"
#include "host-handlers/pipeline/pipeline.h"

static const char *module_dir, *bad_dir;
static char messages[4096];

static const struct lanescope_site site = {
    .kind = LS_SITE_LOAD, .space = 1, .bytes = 4, .align = 4, .instruction = "load"};
static const struct lanescope_dispatch dispatch = {.size = sizeof dispatch,
                                                   .id = 1,
                                                   .kernel = "k",
                                                   .mangled = "k",
                                                   .arch = "gfx90a",
                                                   .lanes = 64,
                                                   .n_sites = 1,
                                                   .sites = &site};

static void take_line(void *user, int level, const char *line)
{
    (void)user;
    if (level == 0)
        snprintf(messages + strlen(messages), sizeof messages - strlen(messages), "%s\n", line);
}

static void take_value(void *user, uint32_t where, uint32_t metric, int64_t value)
{
    const struct ls_metric_info *m;
    (void)where;
    assert_true(ls_pipeline_metrics(((void **)user)[0], &m) >= metric);
    if (!strcmp(m[metric - 1].handler, "memory_coalescing") && !strcmp(m[metric - 1].name, "Executions"))
        *(int64_t *)((void **)user)[1] += value;
}

/* A chunk of one access; `times` chunks in each of `dispatches`. Returns what memory_coalescing counted. */
static int64_t run(struct ls_pipeline *p, unsigned dispatches, unsigned times)
{
    union {
        struct ls_chunk chunk;
        uint32_t word[256];
    } b = {.chunk = {.magic = LS_CHUNK_MAGIC, .bytes = sizeof(struct ls_chunk) + 16, .lanes = 64}};
    int64_t executions = 0;
    void *user[] = {p, &executions};
    b.word[sizeof(struct ls_chunk) / 4] = LS_HEAD(0, LS_KIND_STRIDED);
    b.word[sizeof(struct ls_chunk) / 4 + 3] = 4;
    for (unsigned d = 0; d < dispatches; d++) {
        struct ls_work *w = ls_pipeline_begin(p, &dispatch, NULL);
        assert_non_null(w);
        for (unsigned i = 0; i < times; i++)
            ls_pipeline_chunk(w, &b, sizeof b);
        ls_pipeline_end(w, &(struct ls_result_sink){.user = user, .value = take_value}, NULL);
    }
    return executions;
}

static int load(struct ls_pipeline *p, const char *module, const char *option)
{
    char spec[4096], *error = NULL;
    snprintf(spec, sizeof spec, "%s/%s.so:%s", bad_dir, module, option);
    int rc = ls_pipeline_load(p, module_dir, spec, &error);
    if (rc)
        snprintf(messages + strlen(messages), sizeof messages - strlen(messages), "%s\n", error);
    free(error);
    return rc;
}

static struct ls_pipeline *create(void)
{
    char *error;
    messages[0] = 0;
    struct ls_pipeline *p = ls_pipeline_create(take_line, NULL);
    assert_non_null(p);
    assert_int_equal(ls_pipeline_load(p, module_dir, "memory_coalescing", &error), 0);
    return p;
}

/* Each way in each call: named once, and the good handler counts all 3 * 4 accesses. */
static void each_way(void **state)
{
    (void)state;
    static const struct {
        const char *option, *call, *says;
    } way[] = {
        {"begin=crash", "dispatch_begin", "crashed (Segmentation fault at address 0x10)"},
        {"accesses=crash", "accesses", "crashed (Segmentation fault at address 0x10)"},
        {"end=crash", "dispatch_end", "crashed (Segmentation fault at address 0x10)"},
        {"close=crash", "close", "crashed (Segmentation fault at address 0x10)"},
        {"accesses=divide", "accesses", "crashed (Floating point exception"},
        {"accesses=abort", "accesses", "aborted"},
        {"accesses=text", "accesses", "crashed (Segmentation fault"},
        {"accesses=overflow", "accesses", "crashed (Segmentation fault"},
        {"accesses=loop", "accesses", "did not return within 1 s"},
        {"end=loop", "dispatch_end", "did not return within 1 s"},
        {"accesses=sleep", "accesses", "did not return within 1 s"},
    };
    for (unsigned i = 0; i < sizeof way / sizeof way[0]; i++) {
        struct ls_pipeline *p = create();
        char expected[160];
        ls_guard_timeout(strstr(way[i].says, "return") ? 1 : 30);
        assert_int_equal(load(p, "bad_handler", way[i].option), 0);
        assert_int_equal(run(p, 3, 4), 12);
        ls_pipeline_destroy(p);
        snprintf(expected, sizeof expected, " in %s and is disabled", way[i].call);
        if (!strstr(messages, "handler 'bad' ") || !strstr(messages, way[i].says) ||
            !strstr(messages, expected))
            fail_msg("%s: %s", way[i].option, messages);
        assert_ptr_equal(strchr(messages, '\n'), strrchr(messages, '\n')); /* one line */
    }
    ls_guard_timeout(30);
}

static void exceptions(void **state)
{
    (void)state;
    struct ls_pipeline *p = create();
    assert_int_equal(load(p, "throwing_handler", ""), 0);
    assert_int_equal(run(p, 3, 4), 12);
    ls_pipeline_destroy(p);
    assert_non_null(strstr(messages, "handler 'throwing' aborted (an exception"));
}

static void open_that_crashes(void **state)
{
    (void)state;
    struct ls_pipeline *p = create();
    assert_int_equal(load(p, "bad_handler", "open=crash"), -1);
    assert_non_null(strstr(messages, "handler 'bad' refused to open: it crashed"));
    assert_int_equal(run(p, 3, 4), 12);
    ls_pipeline_destroy(p);
}

/* Two threads, each with its own dispatches, and a handler that crashes in both. */
static void *one_thread(void *p)
{
    sigset_t all; /* as the workers of the tool library do */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    return (void *)(intptr_t)run(p, 50, 4);
}

static void threads(void **state)
{
    (void)state;
    struct ls_pipeline *p = create();
    pthread_t t[2];
    void *count;
    assert_int_equal(load(p, "bad_handler", "accesses=crash"), 0);
    for (unsigned i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, one_thread, p);
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(t[i], &count);
        assert_int_equal((intptr_t)count, 200);
    }
    ls_pipeline_destroy(p);
}

/* The program's own faults reach the program's own handler, or its death, whatever handlers did before. */
static sigjmp_buf back;
static void on_segv(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

static void faults_of_the_program(void **state)
{
    (void)state;
    signal(SIGSEGV, on_segv);
    struct ls_pipeline *p = create();
    assert_int_equal(load(p, "bad_handler", "accesses=crash"), 0);
    assert_int_equal(run(p, 1, 1), 1);
    assert_non_null(strstr(messages, "crashed"));
    if (!sigsetjmp(back, 1)) {
        *(volatile char *volatile)16 = 1;
        fail();
    }
    ls_pipeline_destroy(p);
    pid_t child = fork();
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        ls_guard_install();
        *(volatile char *volatile)16 = 1;
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void wrong_abi(void **state)
{
    (void)state;
    struct ls_pipeline *p = create();
    assert_int_equal(load(p, "other_abi_handler", ""), -1);
    assert_non_null(strstr(messages, "it was built for another handler ABI: rebuild it"));
    messages[0] = 0;
    assert_int_equal(load(p, "short_handler", ""), -1);
    assert_non_null(strstr(messages, "its handler structure is too short"));
    messages[0] = 0;
    assert_int_equal(load(p, "longer_handler", ""), 0); /* of a later version: what we know of it works */
    assert_int_equal(run(p, 3, 4), 12);
    ls_pipeline_destroy(p);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    module_dir = argv[1];
    bad_dir = argv[2];
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_way),
                                       cmocka_unit_test(exceptions),
                                       cmocka_unit_test(open_that_crashes),
                                       cmocka_unit_test(threads),
                                       cmocka_unit_test(faults_of_the_program),
                                       cmocka_unit_test(wrong_abi)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
