#include "lds_run.h"

#include <stdio.h>
#include <string.h>

bool lds_run(const struct lds_runner *r, const char *way, const uint32_t *rounds, unsigned n,
             uint64_t *cycles)
{
    struct gpu *g = r->gpu;
    char name[32];
    struct gpu_kernel k;
    size_t bytes = (size_t)n * g->lanes * sizeof *rounds;
    uint32_t *in = gpu_alloc(g, g->host, bytes);
    uint64_t *out = gpu_alloc(g, g->host, n * sizeof *out);
    struct {
        const uint32_t *rounds;
        uint64_t *cycles;
        uint32_t n, tries;
    } *arguments = gpu_alloc(g, g->kernarg, sizeof *arguments);
    struct gpu_launch l = {.grid = {g->lanes}, .group = {(uint16_t)g->lanes}, .kernarg = arguments};
    snprintf(name, sizeof name, "lds_%s", way);
    bool ok = in && out && arguments && gpu_find(g, r->code, name, &k);
    if (ok) {
        memcpy(in, rounds, bytes);
        memset(out, 0, n * sizeof *out);
        arguments->rounds = in;
        arguments->cycles = out;
        arguments->n = n;
        arguments->tries = r->tries;
        ok = gpu_run(g, r->queue, &k, &l);
    }
    if (ok)
        memcpy(cycles, out, n * sizeof *cycles);
    gpu_free(in);
    gpu_free(out);
    gpu_free(arguments);
    return ok;
}
