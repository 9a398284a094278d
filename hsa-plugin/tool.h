/* tool.h - the tool library's state and its life: installed, started, finished. */
#ifndef HSA_PLUGIN_TOOL_H
#define HSA_PLUGIN_TOOL_H

#include <stdbool.h>
#include "api_tables.h"
#include "config.h"

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

#endif
