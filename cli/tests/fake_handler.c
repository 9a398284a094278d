/* A handler with one metric and one ratio, for `lanescope list`. */
#include "lanescope/handler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int open_handler(const struct lanescope_host *host, const char *options, void **self)
{
    *self = 0;
    if (!strncmp(options, "bad", 3)) {
        host->log(host, LANESCOPE_LOG_ERROR, "fake: '%s' is no option of mine", options);
        fclose(fopen("left-behind", "w"));
        return -EINVAL;
    }
    uint32_t m = host->metric(host, "Things", "things", "what was counted");
    return m ? host->ratio(host, &(struct lanescope_ratio){"Things/Thing", "1", "", 1.0, m, 0, m, 0})
             : -ENOMEM;
}

static int begin(void *self, const struct lanescope_dispatch *d, void **state)
{
    (void)self, (void)d;
    *state = 0;
    return 0;
}

#ifndef NEEDS_EACH_ACCESS
static void repeated(void *state, const struct lanescope_access *a, uint64_t count)
{
    (void)state, (void)a, (void)count;
}
#endif

static void end(void *state, struct lanescope_results *r)
{
    (void)state, (void)r;
}

__attribute__((visibility("default"))) struct lanescope_handler lanescope_handler = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "fake",
    .version = "1",
    .description = "counts nothing",
    .open = open_handler,
    .dispatch_begin = begin,
    .dispatch_end = end,
#ifndef NEEDS_EACH_ACCESS
    .repeated = repeated,
#endif
};
