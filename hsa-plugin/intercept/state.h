/* state.h - the tool library's state: installed, running, finished. The hooks ask it; tool.c changes it. */
#ifndef HSA_PLUGIN_STATE_H
#define HSA_PLUGIN_STATE_H

#include <stdbool.h>
#include "hsa-plugin/runtime/api_tables.h"
#include "hsa-plugin/config.h"

struct ls_tool {
    struct ls_config config;
    struct ls_api api; /* the functions that were in the tables before us */
    bool observing;    /* kernels are swapped */
};

/* The state when this process is recorded, started if it was not; NULL before OnLoad, after the end, in a
 * forked child, and when nothing can be recorded. For the hooks. */
struct ls_tool *ls_tool_get(void);
/* Where the originals are, always valid once a hook is installed. */
struct ls_tool *ls_tool_originals(void);
/* Whether something is or may yet be recorded in this process; starts nothing. */
bool ls_tool_records(void);

/* Whether the program's kernels run as they are for now: an autotuner measures them. */
bool ls_tool_is_paused(void);

/* Which part of the program is to be observed, as it says by roctxProfilerPause and roctxProfilerResume. */
enum ls_region {
    LS_REGION_WANTED,
    LS_REGION_PAUSED,     /* after a Pause */
    LS_REGION_NOT_CHOSEN, /* with --selected-regions: before a Resume, or after a Pause */
};
void ls_tool_region(enum ls_region region);
/* Why dispatches are not observed for now (static text); NULL: they are. */
const char *ls_tool_region_reason(void);

/* ---- for tool.c ---- */

void ls_tool_pause(bool yes);

/* Whether hooks were installed, however it went on. */
bool ls_tool_is_installed(void);
/* Hooks are in place. The first ls_tool_get calls start(), once, under a lock; false: nothing can be
 * recorded. */
void ls_tool_install(bool (*start)(struct ls_tool *t));
/* The process that was installed in: not a child of it. */
bool ls_tool_is_owner(void);
/* From running to finished. True for the one caller that ends it. */
bool ls_tool_finish(void);

#endif
