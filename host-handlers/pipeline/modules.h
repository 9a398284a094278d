/* modules.h - finds, checks and opens the shared object of a handler. */
#ifndef HOST_HANDLERS_MODULES_H
#define HOST_HANDLERS_MODULES_H

#include <stdbool.h>
#include "lanescope/handler.h"

struct ls_module;

/* Stands between a handler's name and the GPU that it prices accesses on instead of the one that made them. */
enum { LS_AS_MARK = '@' };

/* spec: "path-or-name[:options]"; a name without '/' is <dir>/<name>.so. NULL with *error (malloc'd) on
 * failure. */
struct ls_module *ls_module_open(const char *dir, const char *spec, char **error);
const struct lanescope_handler *ls_module_handler(const struct ls_module *m);
/* Whether it works in summary mode. */
bool ls_module_counts(const struct ls_module *m);
/* Whether it takes irregular accesses as sums that the GPU made. */
bool ls_module_reduces(const struct ls_module *m);
/* What it asks for: enum lanescope_needs. */
uint32_t ls_module_needs(const struct ls_module *m);
const char *ls_module_options(const struct ls_module *m); /* "" when there are none */
void ls_module_close(struct ls_module *m);                /* NULL allowed */

#endif
