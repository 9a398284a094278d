/*
 * launch.c - kernel descriptors and packets that nobody has checked, launched on the software GPU: the first byte chooses the GPU, 64
 * are the descriptor, then come the packet's numbers. The code is the end of a kernel, wherever it begins.
 */
#include "engine.h"
#include "fuzz.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARENA = 1 << 16,
    GPU_ADDRESS = 1 << 20,
    DESCRIPTOR = 64,
    PACKET = 4096,
    QUEUE = 8192,
    SCRATCH = 16384
};
enum { GROUPS = 64 }; /* of a dispatch that is executed: more take long */

struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool finished;
};

static void on_done(void *user, const struct sg_fault *fault)
{
    struct waiter *w = user;
    (void)fault;
    pthread_mutex_lock(&w->lock);
    w->finished = true;
    pthread_cond_signal(&w->done);
    pthread_mutex_unlock(&w->lock);
}

static void run_and_wait(struct sg_engine *e, const struct sg_dispatch *d)
{
    struct waiter w = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    if (sg_engine_submit(e, d, on_done, &w))
        return;
    pthread_mutex_lock(&w.lock);
    while (!w.finished)
        pthread_cond_wait(&w.done, &w.lock);
    pthread_mutex_unlock(&w.lock);
}

/* All of it s_endpgm (SOPP 1), but for the descriptor in front. */
static void fill(uint8_t *arena, const struct ls_gpu *gpu, struct fuzz_input *in)
{
    const uint32_t end = gpu->family->encoding < 11 ? 0xbf810000 : 0xbfb00000;
    for (size_t i = 0; i < ARENA; i += sizeof end)
        memcpy(arena + i, &end, sizeof end);
    for (size_t i = 0; i < DESCRIPTOR; i++)
        arena[i] = (uint8_t)fuzz_take(in, 1);
}

/* Both compute units of a work-group processor or none, as the driver lets through. */
static uint32_t pairs(uint32_t mask)
{
    return (mask & 0x55555555) * 3;
}

static struct sg_dispatch take_dispatch(struct fuzz_input *in)
{
    struct sg_dispatch d = {.kernel_object = GPU_ADDRESS,
                            .packet = GPU_ADDRESS + PACKET,
                            .queue = GPU_ADDRESS + QUEUE,
                            .kernarg = fuzz_take(in, 4),
                            .shared_aperture = 1ull << 48,
                            .private_aperture = 2ull << 48};
    for (unsigned i = 0; i < 3; i++) {
        d.grid[i] = (uint32_t)fuzz_take(in, 4);
        d.workgroup[i] = (uint16_t)fuzz_take(in, 2);
    }
    d.group_bytes = (uint32_t)fuzz_take(in, 4);
    d.private_bytes = (uint32_t)fuzz_take(in, 4);
    d.scratch_base = GPU_ADDRESS + SCRATCH;
    d.scratch_bytes = fuzz_take(in, 5);
    d.observer = fuzz_take(in, 4);
    d.masked = fuzz_take(in, 1) & 1;
    for (unsigned i = 0; i < SG_UNIT_WORDS; i++)
        d.units[i] = pairs((uint32_t)fuzz_take(in, 4));
    d.units[0] |= 3; /* with none it waits, and the driver's watch tells */
    return d;
}

/* Whether it takes no long time; what the engine refuses takes none. */
static bool is_short(const struct sg_dispatch *d)
{
    uint64_t groups = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!d->grid[i] || !d->workgroup[i])
            return true;
        groups *= (d->grid[i] - 1ull) / d->workgroup[i] + 1;
        if (groups > GROUPS)
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    size_t n = 0;
    const char *why;
    struct sg_tlb tlb = {0};
    while (ls_gpu_emulated_at(n))
        n++;
    const struct ls_gpu *gpu = ls_gpu_emulated_at(fuzz_take(&in, 1) % n);
    uint8_t *arena = aligned_alloc(4096, ARENA);
    struct sg_mem *mem = sg_mem_create();
    const struct sg_engine_config config = {.arch = gpu, .mem = mem, .threads = 1};
    struct sg_engine *e = sg_engine_create(&config, &why);
    if (!arena || !mem || !e ||
        sg_mem_map(mem, GPU_ADDRESS, ARENA, arena, SG_RANGE_READ | SG_RANGE_WRITE | SG_RANGE_EXEC))
        abort();
    fill(arena, gpu, &in);
    const struct sg_dispatch d = take_dispatch(&in);
    sg_tlb_init(&tlb, mem);
    sg_engine_has_room(e, &tlb, &d);
    if (is_short(&d))
        run_and_wait(e, &d);
    sg_engine_destroy(e);
    sg_mem_destroy(mem);
    free(arena);
    return 0;
}
