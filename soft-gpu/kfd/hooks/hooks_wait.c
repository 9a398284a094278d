/*
 * hooks_wait.c - lets a thread that waits for the GPU sleep.
 *
 * HIP asks ROCr to wait actively, without a limit, in hipDeviceSynchronize and its relatives. On a real GPU
 * that burns a core to save microseconds; here the core is one of those that execute the kernel. The last
 * argument of hsa_signal_wait_* is a hint by the HSA specification ("wait_state_hint: Hint used by the
 * application to indicate the preferred waiting state"), so changing it changes no result. But ROCr lets only
 * one thread sleep for a signal, the others spin ("Allow only the first waiter to sleep",
 * core/runtime/signal.cpp), and its own thread waits for the signals of HIP's events. So we wait before ROCr
 * does: until the signal has the value, woken by every KFD event, because the GPU sets one after each
 * completion. A signal that the host itself sets is seen a little later.
 *
 * HIP reaches these functions through the dynamic linker, and so comes here first; ROCr itself does not.
 */
#include <stdatomic.h>
#include <stdint.h>

#include "soft-gpu/kfd/driver/driver.h"
#include "soft-gpu/kfd/events/events.h"
#include "hooks.h"

/* hsa.h of any ROCr; its headers are no dependency of the software GPU. */
typedef struct {
    uint64_t handle;
} hsa_signal_t;
typedef int64_t (*wait_fn)(hsa_signal_t, int, int64_t, uint64_t, int);
enum { HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_NE, HSA_SIGNAL_CONDITION_LT, HSA_SIGNAL_CONDITION_GTE };

/* The start of amd_signal_t (amd_hsa_signal.h), which a handle points at. */
struct amd_signal {
    int64_t kind;
    _Atomic int64_t value;
};
enum { AMD_SIGNAL_KIND_USER = 1 };

enum {
    LOOKS = 200,        /* at the value, before the thread sleeps */
    LOOK_AGAIN_MS = 1,  /* when no event comes; doubles each time, ... */
    LOOK_SELDOM_MS = 8, /* ... up to this */
};

/* ROCr may have been loaded by dlopen, out of RTLD_NEXT's sight. Without it nobody can have a signal. */
static wait_fn find(const char *name)
{
    void *next = dlsym(RTLD_NEXT, name);
    void *rocr = next ? NULL : dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return (wait_fn)(rocr ? dlsym(rocr, name) : next);
}

static bool satisfied(hsa_signal_t signal, int condition, int64_t wanted)
{
    struct amd_signal *s = (struct amd_signal *)(uintptr_t)signal.handle;
    int64_t value = atomic_load_explicit(&s->value, memory_order_acquire);
    switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ:
        return value == wanted;
    case HSA_SIGNAL_CONDITION_NE:
        return value != wanted;
    case HSA_SIGNAL_CONDITION_LT:
        return value < wanted;
    case HSA_SIGNAL_CONDITION_GTE:
        return value >= wanted;
    default:
        return true; /* ROCr's affair */
    }
}

static void sleep_first(hsa_signal_t signal, int condition, int64_t value, uint64_t timeout)
{
    struct driver *d = driver_peek();
    const struct amd_signal *s = (const struct amd_signal *)(uintptr_t)signal.handle;
    if (timeout != UINT64_MAX || !d || !s || s->kind != AMD_SIGNAL_KIND_USER)
        return;
    for (unsigned i = 0; i < LOOKS; i++) {
        if (satisfied(signal, condition, value))
            return;
        __builtin_ia32_pause();
    }
    for (uint32_t ms = LOOK_AGAIN_MS;; ms = ms < LOOK_SELDOM_MS ? 2 * ms : ms) {
        uint64_t sets = events_sets(d->events);
        if (satisfied(signal, condition, value))
            return;
        events_watch(d->events, sets, ms);
    }
}

#define WAIT(NAME)                                                                                           \
    HOOK int64_t NAME(hsa_signal_t signal, int condition, int64_t value, uint64_t timeout, int hint);        \
    HOOK int64_t NAME(hsa_signal_t signal, int condition, int64_t value, uint64_t timeout, int hint)         \
    {                                                                                                        \
        static _Atomic(wait_fn) real;                                                                        \
        wait_fn f = real;                                                                                    \
        if (!f)                                                                                              \
            real = f = find(#NAME);                                                                          \
        sleep_first(signal, condition, value, timeout);                                                      \
        return f(signal, condition, value, timeout, hint);                                                   \
    }
WAIT(hsa_signal_wait_scacquire)
WAIT(hsa_signal_wait_relaxed)
