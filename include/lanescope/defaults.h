/* defaults.h - what the launcher and the tool library must agree on. */
#ifndef LANESCOPE_DEFAULTS_H
#define LANESCOPE_DEFAULTS_H

#include <stdbool.h>
#include <string.h>

/* The handlers that price LDS and global memory, and count what the GPU has summed up. Others are known by what they declare of
 * themselves (lanescope/handler.h). These have names where one of several that count the same accesses is meant, and where the
 * handler `advice` explains their numbers. */
#define LS_LDS_HANDLER "lds_bank_conflicts"
#define LS_GLOBAL_HANDLER "memory_coalescing"
#define LS_COUNTING_HANDLERS LS_LDS_HANDLER "," LS_GLOBAL_HANDLER

/* Handlers that run when none are named. lanescope-run(1) tells it to the user. */
#define LS_DEFAULT_HANDLERS LS_COUNTING_HANDLERS ",advice"

/* Which source files' text a recording stores (setting "sources"). */
enum ls_sources {
    LS_SOURCES_SHARED, /* those that others than their owner can read */
    LS_SOURCES_ALL,    /* all that the recorded process can read */
    LS_SOURCES_NONE,
};

/* Why a kernel is not instrumented whose code object has no site table. */
#define LS_COMPILED_WITHOUT "compiled without Lanescope"
/* The same of a kernel that --lanescope-kernels did not name. */
#define LS_COMPILED_LEFT_OUT "left out when it was compiled (--lanescope-kernels)"

/* How the software GPU is chosen, and how recordings call it: "soft", "soft:gfx942", "soft:gfx942x2" (settings/parse.h).
 * NULL is no GPU. */
static inline bool ls_is_software_gpu(const char *gpu)
{
    return gpu && !strncmp(gpu, "soft", sizeof "soft" - 1);
}

/* How access logs begin, those that are marked as unusable, too (soft-gpu/isa/log/log.h). */
#define LS_ACCESS_LOG_MARK "LSGPU"

#endif
