/* modules.h - the installed handlers. */
#ifndef CLI_MODULES_H
#define CLI_MODULES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct module {
    char *file; /* name without .so */
    char *name, *version, *description;
    char *problem; /* why it cannot be used, or NULL */
};

/* Handlers in the installation, in order of name; malloc'd. Loads each to ask for its name. */
struct module *list_modules(size_t *n);
void free_modules(struct module *m, size_t n);
/* Why the tool library could not use the handler; NULL: it can. malloc'd. Loads it in a child process,
 * because it is code that may crash; opens it there with `options`, unless there are none ("") or they name a file.
 * `counted`: in summary mode. */
char *module_problem(const char *path, const char *options, bool counted);
/* The metrics of a handler ("file" of list_modules): an array of objects with handler, name, unit, description
 * and ratio, a new reference; NULL: it tells none without options. Opens the handler in a child process and an
 * empty directory, because opening may create files. */
json_t *module_metrics(const char *file);

#endif
