// A kernel, twice; between them the process stores into Lanescope's memory, as a kernel that stores far beside its buffers might: it
// hands over a chunk that there is none of. The context of the first dispatch tells where.
#include "check.h"

#include <lanescope/wire.h>
#include <stdio.h>
#include <string.h>

__global__ void add(int *p)
{
    p[threadIdx.x] += 1;
}

static const ls_ctx *find_context()
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096], what[5];
    unsigned long begin, end;
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx %4s", &begin, &end, what) != 3 || strncmp(what, "rw", 2) ||
            strstr(line, "[stack]"))
            continue;
        for (unsigned long at = begin; at + sizeof(ls_ctx) <= end; at += 64) {
            auto *c = (const ls_ctx *)at;
            if (c->magic == LS_CTX_MAGIC && c->version == LS_WIRE_VERSION && c->ring && c->done &&
                c->list_mask)
                return c;
        }
    }
    return NULL;
}

int main()
{
    int *p;
    HIP(hipMalloc(&p, 64 * sizeof *p));
    add<<<1, 64>>>(p);
    HIP(hipDeviceSynchronize());
    const ls_ctx *c = find_context();
    if (!c)
        return 9;
    const uint32_t ticket = __atomic_fetch_add(&((ls_ring *)c->ring)->done_head, 1, __ATOMIC_RELAXED);
    __atomic_store_n((uint32_t *)c->done + (ticket & c->list_mask), LS_DONE(c->chunks, 0), __ATOMIC_RELEASE);
    add<<<1, 64>>>(p);
    HIP(hipDeviceSynchronize());
    return 0;
}
