/* zero.c - see zero.h. */
#include "zero.h"

#include <string.h>
#include <time.h>

enum { ZEROS = 1 << 20, NAP_NS = 20000, NAPS = 15000 };

void ls_zeroer_init(struct ls_zeroer *z, hsa_agent_t gpu, hsa_agent_t cpu, struct ls_arena *host,
                    struct ls_arena *device)
{
    *z = (struct ls_zeroer){.gpu = gpu, .cpu = cpu, .host = host, .device = device};
    pthread_mutex_init(&z->lock, NULL);
}

/* Under lock. */
static bool prepare(const struct ls_api *api, struct ls_zeroer *z)
{
    if (!z->zeros && (z->zeros = ls_arena_get(api, z->host, ZEROS)))
        memset(z->zeros, 0, ZEROS);
    if (!z->has_signal)
        z->has_signal = api->amd_tail.signal_create(0, 0, NULL, 0, &z->signal) == HSA_STATUS_SUCCESS;
    return z->zeros && z->has_signal;
}

/* Under lock: whether all copies are done. */
static bool all_done(const struct ls_api *api, struct ls_zeroer *z)
{
    if (api->core.signal_load_scacquire(z->signal) > 0)
        return false;
    ls_arena_put(api, z->device, z->late);
    z->late = NULL;
    return true;
}

/* Under lock: gives the copies to the runtime. False when it takes not all of them. */
static bool begin(const struct ls_api *api, struct ls_zeroer *z, char *memory, uint64_t bytes)
{
    uint64_t left = (bytes + ZEROS - 1) / ZEROS;
    api->core.signal_store_relaxed(z->signal, (hsa_signal_value_t)left);
    for (uint64_t at = 0; at < bytes; at += ZEROS, left--) {
        const uint64_t n = bytes - at < ZEROS ? bytes - at : ZEROS;
        if (api->amd.memory_async_copy(memory + at, z->gpu, z->zeros, z->cpu, n, 0, NULL, z->signal) !=
            HSA_STATUS_SUCCESS) {
            api->core.signal_subtract_screlease(z->signal, (hsa_signal_value_t)left);
            return false;
        }
    }
    return true;
}

/* Under lock: waits until the copies are done. False when that takes too long. */
static bool wait(const struct ls_api *api, struct ls_zeroer *z)
{
    const struct timespec nap = {0, NAP_NS};
    for (int i = 0; i < NAPS; i++) {
        if (all_done(api, z))
            return true;
        nanosleep(&nap, NULL);
    }
    return false;
}

bool ls_zero(const struct ls_api *api, struct ls_zeroer *z, void *memory, uint64_t bytes, bool whole_piece)
{
    bool zeroed = false, under_way = false;
    pthread_mutex_lock(&z->lock);
    if (prepare(api, z) && all_done(api, z)) {
        zeroed = begin(api, z, memory, bytes);
        under_way = !wait(api, z);
        if (under_way)
            z->late = whole_piece ? memory : NULL;
    }
    pthread_mutex_unlock(&z->lock);
    if (!zeroed && !under_way && whole_piece)
        ls_arena_put(api, z->device, memory);
    return zeroed && !under_way;
}

void ls_zeroer_release(const struct ls_api *api, struct ls_zeroer *z)
{
    if (!z->has_signal || !all_done(api, z))
        return;
    api->core.signal_destroy(z->signal);
    ls_arena_put(api, z->host, z->zeros);
    z->has_signal = false;
    z->zeros = NULL;
}
