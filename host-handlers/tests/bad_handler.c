/* bad_handler.c - a handler that misbehaves where its option says: "CALL=HOW", as "accesses=crash". Built
 * several times, also with a wrong ABI. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lanescope/handler.h"

#ifndef BAD_ABI
#define BAD_ABI LANESCOPE_HANDLER_ABI
#endif
#ifndef BAD_SIZE
#define BAD_SIZE sizeof(struct lanescope_handler)
#endif

static const struct lanescope_host *host;
static char where[64];
static uint32_t metric;
static volatile int zero, sink;
static volatile char *volatile nowhere = (char *)16;

__attribute__((noinline)) static int deep(int n)
{
    volatile char page[4096];
    page[n % 4096] = (char)n;
    return n ? deep(n + 1) + page[0] : 0;
}

static void misbehave(const char *call)
{
    size_t n = strlen(call);
    if (strncmp(where, call, n) || where[n] != '=')
        return;
    const char *how = where + n + 1;
    if (!strcmp(how, "crash"))
        *nowhere = 1;
    if (!strcmp(how, "divide"))
        sink = 100 / zero;
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "text"))
        host->log(host, 0, "%s", (const char *)nowhere);
    if (!strcmp(how, "overflow"))
        sink = deep(1);
    while (!strcmp(how, "loop"))
        sink++;
    while (!strcmp(how, "sleep"))
        pause();
}

static int open_handler(const struct lanescope_host *h, const char *options, void **self)
{
    host = h;
    *self = NULL;
    strncpy(where, options, sizeof where - 1);
    metric = h->metric(h, "Batches", "batches", "batches of accesses");
    misbehave("open");
    return 0;
}

static int begin(void *self, const struct lanescope_dispatch *d, void **state)
{
    (void)self;
    (void)d;
    *state = calloc(1, sizeof(int64_t));
    misbehave("begin");
    return 0;
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    (void)a;
    (void)n;
    ++*(int64_t *)state;
    misbehave("accesses");
}

static void end(void *state, struct lanescope_results *r)
{
    host->add(r, LANESCOPE_NO_SITE, metric, *(int64_t *)state);
    misbehave("end");
    free(state);
}

static void close_handler(void *self)
{
    (void)self;
    misbehave("close");
}

__attribute__((visibility("default"))) const struct lanescope_handler lanescope_handler = {
    .abi = BAD_ABI,
    .size = BAD_SIZE,
    .name = "bad",
    .version = "1",
    .description = "misbehaves",
    .open = open_handler,
    .dispatch_begin = begin,
    .accesses = accesses,
    .dispatch_end = end,
    .close = close_handler,
};
