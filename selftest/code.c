/* code.c - the code objects that were built with the program, one of each kind for each GPU (embed.cmake). */
#include <stdio.h>
#include <string.h>
#include "parts.h"
#include "selftest_code.h"

bool load_code(struct gpu *g, enum code_kind kind, hsa_executable_t *out)
{
    for (unsigned i = 0; i < sizeof selftest_code / sizeof *selftest_code; i++) {
        const struct selftest_code *c = &selftest_code[i];
        if (c->kind == kind && !strcmp(c->gpu, g->name))
            return gpu_load(g, c->bytes, c->size, out);
    }
    snprintf(g->problem, sizeof g->problem, "the self-test was not built for %s", g->name);
    return false;
}
