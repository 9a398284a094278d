/* code.c - the code objects that were built with the program, one of each kind for each GPU (embed.cmake). */
#include <stdio.h>
#include <string.h>
#include "parts.h"
#include "selftest_code.h"

static const struct selftest_code *find(struct gpu *g, enum code_kind kind)
{
    for (unsigned i = 0; i < sizeof selftest_code / sizeof *selftest_code; i++) {
        const struct selftest_code *c = &selftest_code[i];
        if (c->kind == kind && !strcmp(c->gpu, g->name))
            return c;
    }
    snprintf(g->problem, sizeof g->problem, "the self-test was not built for %s", g->name);
    return NULL;
}

const void *find_code(struct gpu *g, enum code_kind kind)
{
    const struct selftest_code *c = find(g, kind);
    return c ? c->bytes : NULL;
}

bool load_code(struct gpu *g, enum code_kind kind, hsa_executable_t *out)
{
    const struct selftest_code *c = find(g, kind);
    return c && gpu_load(g, c->bytes, c->size, out);
}
