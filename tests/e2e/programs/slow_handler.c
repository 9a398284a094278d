/* A handler that counts accesses and cannot keep up: it sleeps for a second once, then a millisecond a batch. With BUSY, seconds,
 * it computes for so long at the end of a dispatch instead, and with ASLEEP it sleeps for so long there. */
#include <stdlib.h>
#include <time.h>

#include <lanescope/handler.h>

#ifndef BUSY
#define BUSY 0
#endif

#ifndef ASLEEP
#define ASLEEP 0
#endif

static const struct lanescope_host *host;
static uint32_t metric;

static int open_handler(const struct lanescope_host *h, const char *options, void **self)
{
    (void)options, (void)self;
    host = h;
    metric = h->metric(h, "Seen", "accesses", "accesses that came through");
    return 0;
}

static int begin(void *self, const struct lanescope_dispatch *d, void **state)
{
    (void)self, (void)d;
    *state = calloc(1, sizeof(int64_t));
    return *state ? 0 : -12;
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    int64_t *seen = state;
    struct timespec nap = {*seen ? 0 : 1, *seen ? 1000000 : 500000000};
    (void)a;
    *seen += (int64_t)n;
    if (!BUSY && !ASLEEP)
        nanosleep(&nap, NULL);
}

static void compute(void)
{
    struct timespec t;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while (t.tv_sec < BUSY);
    t = (struct timespec){ASLEEP, 0};
    nanosleep(&t, NULL);
}

static void end(void *state, struct lanescope_results *r)
{
    compute();
    host->add(r, LANESCOPE_NO_SITE, metric, *(int64_t *)state);
    free(state);
}

static void close_handler(void *self)
{
    (void)self;
}

__attribute__((visibility("default"))) const struct lanescope_handler lanescope_handler = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "slow",
    .version = "1",
    .description = "sleeps",
    .open = open_handler,
    .dispatch_begin = begin,
    .accesses = accesses,
    .dispatch_end = end,
    .close = close_handler,
};
