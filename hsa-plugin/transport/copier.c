/* copier.c - see copier.h. */
#include "copier.h"

#include <string.h>
#include <time.h>

enum { ZEROS = 1 << 20, NAP_NS = 20000, NAPS = 15000 };

enum outcome {
    REFUSED, /* nothing is under way */
    LATE,    /* somebody may still read and write, nobody waits */
    DONE
};

/* `from` has `step` bytes, which are repeated. */
struct filling {
    char *to;
    void *from;
    uint64_t bytes, step;
};

void ls_copier_init(struct ls_copier *c, hsa_agent_t gpu, hsa_agent_t cpu, struct ls_arena *host,
                    struct ls_arena *device)
{
    *c = (struct ls_copier){.gpu = gpu, .cpu = cpu, .host = host, .device = device};
    pthread_mutex_init(&c->lock, NULL);
}

/* Under lock: whether all copies are done. */
static bool all_done(const struct ls_api *api, struct ls_copier *c)
{
    if (api->core.signal_load_scacquire(c->signal) > 0)
        return false;
    ls_arena_put(api, c->device, c->late);
    ls_arena_put(api, c->host, c->late_source);
    c->late = c->late_source = NULL;
    return true;
}

/* Under lock. */
static bool is_idle(const struct ls_api *api, struct ls_copier *c)
{
    if (!c->has_signal)
        c->has_signal = api->amd_tail.signal_create(0, 0, NULL, 0, &c->signal) == HSA_STATUS_SUCCESS;
    return c->has_signal && all_done(api, c);
}

/* Under lock: gives the copies to the runtime. False when it takes not all of them. */
static bool begin(const struct ls_api *api, struct ls_copier *c, const struct filling *f)
{
    uint64_t left = (f->bytes + f->step - 1) / f->step;
    api->core.signal_store_relaxed(c->signal, (hsa_signal_value_t)left);
    for (uint64_t at = 0; at < f->bytes; at += f->step, left--) {
        const uint64_t n = f->bytes - at < f->step ? f->bytes - at : f->step;
        if (api->amd.memory_async_copy(f->to + at, c->gpu, f->from, c->cpu, n, 0, NULL, c->signal) !=
            HSA_STATUS_SUCCESS) {
            api->core.signal_subtract_screlease(c->signal, (hsa_signal_value_t)left);
            return false;
        }
    }
    return true;
}

/* Under lock: waits until the copies are done. False when that takes too long. */
static bool wait(const struct ls_api *api, struct ls_copier *c)
{
    const struct timespec nap = {0, NAP_NS};
    for (int i = 0; i < NAPS; i++) {
        if (all_done(api, c))
            return true;
        nanosleep(&nap, NULL);
    }
    return false;
}

/* Under lock. */
static enum outcome fill(const struct ls_api *api, struct ls_copier *c, const struct filling *f)
{
    if (!is_idle(api, c))
        return REFUSED;
    const bool all_taken = begin(api, c, f);
    if (!wait(api, c))
        return LATE;
    return all_taken ? DONE : REFUSED;
}

/* Under lock. NULL: no memory. */
static void *zeros_of(const struct ls_api *api, struct ls_copier *c)
{
    if (!c->zeros && (c->zeros = ls_arena_get(api, c->host, ZEROS)))
        memset(c->zeros, 0, ZEROS);
    return c->zeros;
}

bool ls_copier_zero(const struct ls_api *api, struct ls_copier *c, void *memory, uint64_t bytes,
                    bool whole_piece)
{
    pthread_mutex_lock(&c->lock);
    const struct filling f = {memory, zeros_of(api, c), bytes, ZEROS};
    const enum outcome o = f.from ? fill(api, c, &f) : REFUSED;
    if (o == LATE && whole_piece)
        c->late = memory;
    pthread_mutex_unlock(&c->lock);
    if (o == REFUSED && whole_piece)
        ls_arena_put(api, c->device, memory);
    return o == DONE;
}

void *ls_copier_place(const struct ls_api *api, struct ls_copier *c, const void *data, uint64_t bytes)
{
    void *source = ls_arena_get(api, c->host, bytes), *memory = ls_arena_get(api, c->device, bytes);
    enum outcome o = REFUSED;
    if (source && memory) {
        memcpy(source, data, bytes);
        pthread_mutex_lock(&c->lock);
        o = fill(api, c, &(struct filling){memory, source, bytes, bytes});
        if (o == LATE) {
            c->late = memory;
            c->late_source = source;
        }
        pthread_mutex_unlock(&c->lock);
    }
    if (o != LATE)
        ls_arena_put(api, c->host, source);
    if (o == REFUSED)
        ls_arena_put(api, c->device, memory);
    return o == DONE ? memory : NULL;
}

void ls_copier_release(const struct ls_api *api, struct ls_copier *c)
{
    if (!c->has_signal || !all_done(api, c))
        return;
    api->core.signal_destroy(c->signal);
    ls_arena_put(api, c->host, c->zeros);
    c->has_signal = false;
    c->zeros = NULL;
}
