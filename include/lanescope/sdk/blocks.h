/* sdk/blocks.h - for handlers that need block probes: which they are, what is said of a dispatch that has none. */
#ifndef LANESCOPE_SDK_BLOCKS_H
#define LANESCOPE_SDK_BLOCKS_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "lanescope/handler.h"
#include "lanescope/sites.h"

/* Whether a site is a probe of that kind: "block", "end", "calibration". */
static inline bool lanescope_is_block(const struct lanescope_site *s, const char *kind)
{
    return s->kind == LS_SITE_BLOCK && !strcmp(s->instruction, kind);
}

/* What was said already. Starts as zeros. */
struct lanescope_blocks_told {
    bool compile, others;
};

/* Says it once for kernels of the user's and once for those that nobody can compile with block probes. Returns what
 * dispatch_begin returns then. */
static inline int lanescope_no_blocks(const struct lanescope_host *host, struct lanescope_blocks_told *told,
                                      const char *handler, const struct lanescope_dispatch *d)
{
    const bool others = lanescope_by_instructions(d);
    bool *said = others ? &told->others : &told->compile;
    if (!*said)
        host->log(host, LANESCOPE_LOG_WARNING, "%s: %s", handler,
                  others
                      ? "nothing on kernels that were compiled without Lanescope: they have no block probes"
                      : "no block probes: compile with --lanescope-blocks, or run with "
                        "LANESCOPE_PROBE_BLOCKS=true what is "
                        "compiled at run time");
    *said = true;
    return -ENOTSUP;
}

#endif
