/* modules.c - see modules.h. */
#include "modules.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ls_module {
    void *library;
    const struct lanescope_handler *handler;
    char *options;
};

/* Splits "name:options" at the first colon; a path cannot hold one. */
static char *file_of(const char *dir, const char *spec, const char **options)
{
    const char *colon = strchr(spec, ':');
    int length = colon ? (int)(colon - spec) : (int)strlen(spec);
    bool slash = memchr(spec, '/', (size_t)length);
    char *file = NULL;
    *options = colon ? colon + 1 : "";
    int rc = slash ? asprintf(&file, "%.*s", length, spec) : asprintf(&file, "%s/%.*s.so", dir, length, spec);
    return rc < 0 ? NULL : file;
}

static const char *why_unusable(const struct lanescope_handler *h)
{
    if (!h)
        return "it does not export 'lanescope_handler': is it a Lanescope handler?";
    if (h->abi != LANESCOPE_HANDLER_ABI)
        return "it was built for another handler ABI: rebuild it against this version's lanescope/handler.h";
    if (h->size < offsetof(struct lanescope_handler, repeated))
        return "its handler structure is too short: rebuild it against this version's lanescope/handler.h";
    if (!h->name || !*h->name || !h->dispatch_begin || !h->dispatch_end)
        return "name, dispatch_begin and dispatch_end must be set";
    if (strchr(h->name, LS_AS_MARK))
        return "its name holds the '@' that stands before the name of a GPU (run --as)";
    return NULL;
}

struct ls_module *ls_module_open(const char *dir, const char *spec, char **error)
{
    const char *options, *why = "out of memory";
    char *file = file_of(dir, spec, &options);
    struct ls_module *m = calloc(1, sizeof *m);
    if (!file || !m || !(m->options = strdup(options)))
        goto failed;
    m->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!m->library) {
        why = dlerror();
        goto failed;
    }
    m->handler = dlsym(m->library, LANESCOPE_HANDLER_SYMBOL);
    why = why_unusable(m->handler);
    if (why)
        goto failed;
    free(file);
    return m;
failed:
    if (asprintf(error, "cannot load handler '%s': %s", file ? file : spec, why) < 0)
        *error = NULL;
    free(file);
    ls_module_close(m);
    return NULL;
}

const struct lanescope_handler *ls_module_handler(const struct ls_module *m)
{
    return m->handler;
}

bool ls_module_counts(const struct ls_module *m)
{
    return m->handler->size >= offsetof(struct lanescope_handler, needs) && m->handler->repeated;
}

bool ls_module_reduces(const struct ls_module *m)
{
    return m->handler->size >= offsetof(struct lanescope_handler, reduced) + sizeof m->handler->reduced &&
           m->handler->reduced;
}

uint32_t ls_module_needs(const struct ls_module *m)
{
    return m->handler->size > offsetof(struct lanescope_handler, needs) ? m->handler->needs : 0;
}

const char *ls_module_options(const struct ls_module *m)
{
    return m->options;
}

void ls_module_close(struct ls_module *m)
{
    if (!m)
        return;
    if (m->library)
        dlclose(m->library);
    free(m->options);
    free(m);
}
