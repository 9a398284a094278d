/* streams.c - see streams.h. */
#include "streams.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
#include "hsa-plugin/preload/preload.h"
#include "state.h"

/* What stood at a place long ago is overwritten: a packet is handled soon after its place was taken. */
enum { PLACES = 1 << 13 };

static struct place {
    atomic_bool busy;
    const hsa_queue_t *queue;
    uint64_t place;
    struct ls_giver giver;
} places[PLACES];

/* Asking for it costs a system call. (Forked children are not recorded.) */
static int64_t own_thread(void)
{
    static _Thread_local int64_t number;
    if (!number)
        number = gettid();
    return number;
}

struct ls_giver ls_giver(void)
{
    static _Atomic(ls_preload_stream) ask;
    static atomic_bool looked;
    if (!atomic_load(&looked)) {
        atomic_store(&ask, (ls_preload_stream)dlsym(RTLD_DEFAULT, LS_PRELOAD_STREAM));
        atomic_store(&looked, true);
    }
    ls_preload_stream f = atomic_load(&ask);
    return (struct ls_giver){own_thread(), f ? f() : (struct ls_stream){LS_STREAM_UNKNOWN, 0}};
}

static struct place *lock_place(const hsa_queue_t *queue, uint64_t place)
{
    const uint64_t golden = 0x9e3779b97f4a7c15u; /* spreads the queues */
    struct place *p = &places[(place + ((uint64_t)(uintptr_t)queue * golden >> 40)) % PLACES];
    while (atomic_exchange_explicit(&p->busy, true, memory_order_acquire))
        sched_yield();
    return p;
}

static void unlock_place(struct place *p)
{
    atomic_store_explicit(&p->busy, false, memory_order_release);
}

struct ls_giver ls_giver_of(const hsa_queue_t *queue, uint64_t place)
{
    struct place *p = lock_place(queue, place);
    bool known = p->queue == queue && p->place == place;
    struct ls_giver g = p->giver;
    unlock_place(p);
    return known ? g : ls_giver();
}

static uint64_t taken(const hsa_queue_t *queue, uint64_t first, uint64_t n)
{
    if (!ls_tool_get())
        return first;
    const struct ls_giver g = ls_giver();
    for (uint64_t i = 0; i < n && i < PLACES; i++) {
        struct place *p = lock_place(queue, first + i);
        p->queue = queue;
        p->place = first + i;
        p->giver = g;
        unlock_place(p);
    }
    return first;
}

#define TAKE(order)                                                                                          \
    static uint64_t take_##order(const hsa_queue_t *queue, uint64_t n)                                       \
    {                                                                                                        \
        const struct ls_core_table *core = &ls_tool_originals()->api.core;                                   \
        return taken(queue, core->queue_add_write_index_##order(queue, n), n);                               \
    }
TAKE(scacq_screl)
TAKE(scacquire)
TAKE(relaxed)
TAKE(screlease)

void ls_streams_hooks(struct ls_core_table *core)
{
    core->queue_add_write_index_scacq_screl = take_scacq_screl;
    core->queue_add_write_index_scacquire = take_scacquire;
    core->queue_add_write_index_relaxed = take_relaxed;
    core->queue_add_write_index_screlease = take_screlease;
}
