/* guard.c - see guard.h. */
#include "guard.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* One per thread that calls handlers; in a list that the watchdog reads. Never freed: workers live long and
 * are few. */
struct guard {
    struct guard *next;
    pthread_t thread;
    sigjmp_buf back;
    atomic_int active;          /* inside a guarded call and not paused */
    atomic_bool inside;         /* inside a guarded call */
    _Atomic int64_t since;      /* milliseconds; when the call began, 0: none */
    atomic_int sent;            /* signals of the watchdog that have not arrived */
    atomic_bool overdue, force; /* leave when in the handler's code; leave anywhere */
    atomic_bool gone;           /* the thread has ended */
    const struct ls_guard_code *code;
    int signal;
    uintptr_t address;
};

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { CAUGHT = sizeof caught / sizeof caught[0], ALTERNATE_STACK = 64 * 1024, TICK_MS = 50 };

static struct sigaction previous[CAUGHT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of installing and of the list's head */
static _Atomic(struct guard *) guards;
static _Atomic int64_t limit_ms = 30000;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread struct guard *mine;

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 + 1;
}

/* ---- signals ---- */

/* What the C library noted before it aborted; NULL for a plain abort(), as std::terminate calls it. */
static const char *abort_message(void)
{
    struct note {
        unsigned size;
        char text[];
    } **note = dlvsym(RTLD_DEFAULT, "__abort_msg", "GLIBC_PRIVATE");
    return note && *note ? (*note)->text : NULL;
}

static bool may_leave(int signal, const struct guard *g, uintptr_t pc)
{
    if (signal == SIGABRT) {
        const char *message = abort_message();
        return !message || strstr(message, "Assertion");
    }
    if (!g->overdue)
        return true;
    return g->force || (pc >= (uintptr_t)g->code->start && pc < (uintptr_t)g->code->end);
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction *p = NULL;
    for (unsigned i = 0; i < CAUGHT; i++)
        if (caught[i] == number)
            p = &previous[i];
    if (p->sa_flags & SA_SIGINFO) {
        p->sa_sigaction(number, info, context);
    } else if (p->sa_handler != SIG_DFL && p->sa_handler != SIG_IGN) {
        p->sa_handler(number);
    } else if (p->sa_handler == SIG_DFL || info->si_code > 0) {
        /* The default, when the instruction runs again or at once: the process ends as without us. */
        signal(number, SIG_DFL);
        if (info->si_code <= 0)
            raise(number);
    }
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    struct guard *g = mine;
    bool watchdog =
        g && number == SIGSEGV && info->si_code == SI_TKILL && info->si_pid == getpid() && g->sent;
    uintptr_t pc = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (watchdog) {
        g->sent--;
        if (!g->active || !g->overdue || !may_leave(number, g, pc))
            return;
    } else if (!g || !g->active || !may_leave(number, g, pc)) {
        pass_on(number, info, context);
        return;
    }
    g->signal = watchdog ? 0 : number;
    g->address = (uintptr_t)info->si_addr;
    g->active = 0;
    siglongjmp(g->back, 1);
}

void ls_guard_install(void)
{
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER},
                     now;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < CAUGHT; i++)
        if (!sigaction(caught[i], NULL, &now) && now.sa_sigaction != on_signal) {
            previous[i] = now;
            sigaction(caught[i], &ours, NULL);
        }
    pthread_mutex_unlock(&lock);
}

void ls_guard_renew(void)
{
    static _Atomic int64_t renewed;
    const int64_t now = now_ms();
    if (atomic_exchange(&renewed, now) != now)
        ls_guard_install();
}

/* ---- the watchdog ---- */

static void look_after(struct guard *g)
{
    int64_t limit = limit_ms, since = g->since, spent = since ? now_ms() - since : 0;
    if (g->gone || !since || !limit || spent < limit)
        return;
    g->overdue = true;
    g->force = spent >= 2 * limit;
    if (g->active && g->since == since && !g->sent) {
        g->sent++;
        pthread_kill(g->thread, SIGSEGV); /* not for the program: on_signal takes it */
    }
}

static void *watch(void *unused)
{
    (void)unused;
    for (;;) {
        usleep(TICK_MS * 1000);
        for (struct guard *g = guards; g; g = g->next)
            look_after(g);
    }
    return NULL;
}

static void thread_ended(void *guard)
{
    ((struct guard *)guard)->gone = true;
}

static void start(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, old;
    pthread_key_create(&key, thread_ended);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, 256 * 1024);
    sigfillset(&all); /* the program's signals are for its own threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_create(&thread, &attr, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
}

/* ---- calls ---- */

/* A stack for signal handlers, so that an overflow of the thread's own can be reported. */
static void alternate_stack(void)
{
    stack_t stack;
    if (sigaltstack(NULL, &stack) || !(stack.ss_flags & SS_DISABLE))
        return;
    void *memory = mmap(NULL, ALTERNATE_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack = (stack_t){.ss_sp = memory, .ss_size = ALTERNATE_STACK};
    if (memory != MAP_FAILED)
        sigaltstack(&stack, NULL);
}

/* Workers block all signals, so that the program's own go to its own threads. A fault that is blocked ends
 * the process, whatever handler there is. */
static void unblock_faults(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (unsigned i = 0; i < CAUGHT; i++)
        sigaddset(&set, caught[i]);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static struct guard *my_guard(void)
{
    if (mine)
        return mine;
    struct guard *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    pthread_once(&once, start);
    alternate_stack();
    unblock_faults();
    g->thread = pthread_self();
    pthread_setspecific(key, g);
    pthread_mutex_lock(&lock);
    g->next = guards;
    guards = g;
    pthread_mutex_unlock(&lock);
    return mine = g;
}

static void explain(const struct guard *g, char *why, size_t size)
{
    if (g->overdue && !g->signal)
        snprintf(why, size, "did not return within %g s", (double)limit_ms / 1000);
    else if (g->signal == SIGABRT)
        snprintf(why, size, "aborted (an exception that nobody caught, or a failed assertion)");
    else
        snprintf(why, size, "crashed (%s at address 0x%llx)", strsignal(g->signal),
                 (unsigned long long)g->address);
}

bool ls_guard_call(const struct ls_guard_code *code, void (*call)(void *arg), void *arg, char *why,
                   size_t why_size)
{
    struct guard *g = my_guard();
    if (!g) { /* no memory for a guard: better unguarded than not at all */
        call(arg);
        return true;
    }
    g->code = code;
    g->overdue = g->force = false;
    if (sigsetjmp(g->back, 0)) {
        g->inside = false;
        g->since = 0;
        explain(g, why, why_size);
        return false;
    }
    g->inside = true;
    atomic_store_explicit(&g->since, now_ms(), memory_order_relaxed);
    atomic_store_explicit(&g->active, 1, memory_order_release);
    call(arg);
    atomic_store_explicit(&g->active, 0, memory_order_release);
    atomic_store_explicit(&g->since, 0, memory_order_relaxed);
    g->inside = false;
    return true;
}

void ls_guard_pause(void)
{
    if (mine)
        mine->active = 0;
}

void ls_guard_resume(void)
{
    if (mine && mine->inside)
        mine->active = 1;
}

void ls_guard_timeout(double seconds)
{
    limit_ms = (int64_t)(seconds * 1000);
}

/* ---- code ---- */

struct lookup {
    uintptr_t symbol;
    struct ls_guard_code code;
};

static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
    struct lookup *l = data;
    struct ls_guard_code code = {0};
    bool here = false;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD)
            continue;
        here |= l->symbol >= start && l->symbol < start + p->p_memsz;
        if (p->p_flags & PF_X)
            code = (struct ls_guard_code){(const char *)start, (const char *)start + p->p_memsz};
    }
    if (here)
        l->code = code;
    return here;
}

struct ls_guard_code ls_guard_code_of(const void *symbol)
{
    struct lookup l = {.symbol = (uintptr_t)symbol};
    dl_iterate_phdr(find_code, &l);
    return l.code;
}
