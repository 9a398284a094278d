/*
 * atomics.c - whether atomic operations of the GPU arrive in memory of the host and of the device, and whether host and
 * running kernel see each other's stores. The profiler's rings rest on all of it.
 */
#include "parts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TURNS = 100, GROUPS = 8, GROUP = 64, SECONDS = 20, POLLS = 50000000 };

struct words {
    uint64_t sum, bits;
};

/* Work-items x turns additions of 1, and a bit of each lane. */
static void check_words(json_t *part, const char *where, const struct words *w)
{
    uint64_t want = (uint64_t)GROUPS * GROUP * TURNS;
    if (w->sum != want || w->bits != ~0ull)
        problem(part,
                "atomic operations on memory of the %s: %llu additions of %llu arrived, and bits 0x%llx",
                where, (unsigned long long)w->sum, (unsigned long long)want, (unsigned long long)w->bits);
}

static bool add_up(struct gpu *g, hsa_queue_t *q, hsa_executable_t code, const char *kernel,
                   struct words *where)
{
    struct gpu_kernel k;
    struct {
        uint64_t *sum, *bits;
        uint32_t turns;
    } *arguments = gpu_alloc(g, g->kernarg, sizeof *arguments);
    struct gpu_launch l = {.grid = {GROUPS * GROUP}, .group = {GROUP}, .kernarg = arguments};
    bool ok = arguments && gpu_find(g, code, kernel, &k);
    if (ok) {
        arguments->sum = &where->sum;
        arguments->bits = &where->bits;
        arguments->turns = TURNS;
        ok = gpu_run(g, q, &k, &l);
    }
    gpu_free(arguments);
    return ok;
}

static bool host_words(struct gpu *g, hsa_queue_t *q, hsa_executable_t code, json_t *part)
{
    struct words *w = gpu_alloc(g, g->host, sizeof *w);
    if (!w)
        return false;
    memset(w, 0, sizeof *w);
    bool ok = add_up(g, q, code, "atomics_system", w);
    if (ok)
        check_words(part, "host", w);
    gpu_free(w);
    return ok;
}

static bool device_words(struct gpu *g, hsa_queue_t *q, hsa_executable_t code, json_t *part)
{
    struct words *host = gpu_alloc(g, g->host, sizeof *host),
                 *device = gpu_alloc(g, g->device, sizeof *device);
    bool ok = host && device;
    if (ok) {
        memset(host, 0, sizeof *host);
        ok = gpu_copy(g, device, host, sizeof *host) && add_up(g, q, code, "atomics_device", device) &&
             gpu_copy(g, host, device, sizeof *host);
    }
    if (ok)
        check_words(part, "device", host);
    gpu_free(host);
    gpu_free(device);
    return ok;
}

/* Waits until the word is not `old`; false after SECONDS, times the patience. */
static bool changes(const struct gpu *g, const uint32_t *word, uint32_t old)
{
    struct timespec start, now, nap = {0, 100000};
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != old)
            return true;
        nanosleep(&nap, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - start.tv_sec < (time_t)SECONDS * g->patience);
    return false;
}

static void talk(const struct gpu *g, uint32_t *words, json_t *part)
{
    if (!changes(g, &words[1], 0)) {
        problem(part, "the host does not see what a running kernel stores");
        return;
    }
    __atomic_store_n(&words[0], 1, __ATOMIC_RELEASE);
    if (!changes(g, &words[1], 1) || __atomic_load_n(&words[1], __ATOMIC_ACQUIRE) != 2)
        problem(part, "a running kernel does not see what the host stores");
}

static bool conversation(struct gpu *g, hsa_queue_t *q, hsa_executable_t code, json_t *part)
{
    struct gpu_kernel k;
    hsa_signal_t done;
    uint32_t *words = gpu_alloc(g, g->host, 64);
    struct {
        uint32_t *go, *answer, turns;
    } *arguments = gpu_alloc(g, g->kernarg, sizeof *arguments);
    struct gpu_launch l = {.grid = {1}, .group = {1}, .kernarg = arguments};
    bool ok = words && arguments && gpu_find(g, code, "atomics_answer", &k) &&
              hsa_signal_create(1, 0, NULL, &done) == HSA_STATUS_SUCCESS;
    if (ok) {
        memset(words, 0, 64);
        arguments->go = &words[0];
        arguments->answer = &words[1];
        arguments->turns = POLLS;
        gpu_submit(q, &k, &l, done);
        talk(g, words, part);
        ok = gpu_wait(g, done, SECONDS);
        if (ok)
            hsa_signal_destroy(done);
    }
    gpu_free(words);
    gpu_free(arguments);
    return ok;
}

void part_atomics(struct gpu *g, json_t *part)
{
    hsa_executable_t code;
    hsa_queue_t *q = NULL;
    bool ok = load_code(g, CODE_PLAIN, &code) && (q = gpu_queue(g)) && host_words(g, q, code, part) &&
              device_words(g, q, code, part) && conversation(g, q, code, part);
    if (!ok)
        problem(part, "%s", g->problem);
    if (q)
        hsa_queue_destroy(q);
}
