/*
 * hooks_wait.c - lets a thread that waits for the GPU sleep.
 *
 * HIP asks ROCr to wait actively, without a limit, in hipDeviceSynchronize and its relatives. On a real GPU
 * that burns a core to save microseconds; here the core is one of those that execute the kernel. The last
 * argument of hsa_signal_wait_* is a hint by the HSA specification ("wait_state_hint: Hint used by the
 * application to indicate the preferred waiting state"), so changing it changes no result. ROCr then still
 * spins for 200 microseconds before it sleeps until the signal's event.
 *
 * HIP reaches these functions through the dynamic linker, and so comes here first; ROCr itself does not.
 */
#include <stdint.h>

#include "driver.h"
#include "hooks.h"

/* hsa.h of any ROCr; its headers are no dependency of the software GPU. */
typedef struct {
    uint64_t handle;
} hsa_signal_t;
typedef int64_t (*wait_fn)(hsa_signal_t, int, int64_t, uint64_t, int);
enum { HSA_WAIT_STATE_BLOCKED = 0 };

/* ROCr may have been loaded by dlopen, out of RTLD_NEXT's sight. Without it nobody can have a signal. */
static wait_fn find(const char *name)
{
    void *next = dlsym(RTLD_NEXT, name);
    void *rocr = next ? NULL : dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return (wait_fn)(rocr ? dlsym(rocr, name) : next);
}

static int patient(uint64_t timeout, int hint)
{
    return timeout == UINT64_MAX && driver_peek() ? HSA_WAIT_STATE_BLOCKED : hint;
}

#define WAIT(NAME)                                                                                           \
    HOOK int64_t NAME(hsa_signal_t signal, int condition, int64_t value, uint64_t timeout, int hint);        \
    HOOK int64_t NAME(hsa_signal_t signal, int condition, int64_t value, uint64_t timeout, int hint)         \
    {                                                                                                        \
        static _Atomic(wait_fn) real;                                                                        \
        wait_fn f = real;                                                                                    \
        if (!f)                                                                                              \
            real = f = find(#NAME);                                                                          \
        return f(signal, condition, value, timeout, patient(timeout, hint));                                 \
    }
WAIT(hsa_signal_wait_scacquire)
WAIT(hsa_signal_wait_relaxed)
