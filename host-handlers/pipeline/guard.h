/*
 * guard.h - calls of handlers that survive a crash, an uncaught exception or an endless loop of the handler.
 *
 * A call is left with siglongjmp from a signal handler, which is sound as long as the interrupted code holds
 * no lock of the process and is in the middle of no structure that others use. So:
 * - The handler's own structures are never used again: it is disabled, not closed and not unloaded.
 * - Everything that a handler calls of ours runs outside the guard (ls_guard_pause): our locks are never left
 * held.
 * - abort() is left only when it is an uncaught exception or a failed assertion. When the C library itself
 * aborts, it found its heap damaged and holds its lock: then the process ends, as it would without Lanescope.
 * - An endless loop is left when the watchdog finds it in the handler's own code; a call that is stuck
 * elsewhere (asleep, waiting) is left after twice the time. A handler that overwrites the process's memory
 * without crashing cannot be contained in one process.
 *
 * The signal handlers are installed when the first pipeline is created and pass on to earlier ones whatever
 * does not come from a guarded call. A guarded call costs a few nanoseconds.
 */
#ifndef HOST_HANDLERS_GUARD_H
#define HOST_HANDLERS_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Puts the signal handlers in place, also when the program has replaced them since. */
void ls_guard_install(void);
/* The same, but once in each tick of the system's clock, a few milliseconds: asking the system for each of many small dispatches would
 * take longer than these. */
void ls_guard_renew(void);
/* Seconds that a call may take; 0: any time. For all calls that begin from now on. */
void ls_guard_timeout(double seconds);

/* Where a handler's own code lies. */
struct ls_guard_code {
    const char *start, *end;
};
/* The code of the loaded object that contains `symbol`. */
struct ls_guard_code ls_guard_code_of(const void *symbol);

/* Calls call(arg). True when it returned; false when it was left, then `why` says why. Calls do not nest. */
bool ls_guard_call(const struct ls_guard_code *code, void (*call)(void *arg), void *arg, char *why,
                   size_t why_size);

/* Around calls back into Lanescope: nothing between these two is ever left. */
void ls_guard_pause(void);
void ls_guard_resume(void);

#endif
