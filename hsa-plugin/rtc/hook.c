/*
 * hook.c - stands between the program's runtimes and comgr's only entry to the compiler, amd_comgr_do_action.
 *
 * HIP and OpenCL open comgr by name and ask dlsym for it: we answer. Libraries that are linked with comgr
 * find ours first. Several comgrs may be there (a wheel brings its own): each has an entry of its own.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "compile.h"
#include "hsa-plugin/log.h"
#include "hsa-plugin/preload/preload.h"
#include "prepare.h"
#include "settings/table.h"

#define PUBLIC __attribute__((visibility("default")))

static const char entry_name[] = "amd_comgr_do_action";

enum { COMGRS_MOST = 4 };
static struct rtc comgrs[COMGRS_MOST]; /* written once, under lock, before their entry is handed out */
static unsigned n_comgrs;              /* under lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define ENTRY(n)                                                                                             \
    static int entry_##n(int action, comgr_object info, comgr_object in, comgr_object out)                   \
    {                                                                                                        \
        return rtc_action(&comgrs[n], action, info, in, out);                                                \
    }
ENTRY(0)
ENTRY(1)
ENTRY(2)
ENTRY(3)
static const comgr_action entries[COMGRS_MOST] = {entry_0, entry_1, entry_2, entry_3};

static void fill(struct rtc *r, comgr_action action)
{
    r->known = comgr_load(&r->comgr, action);
    if (!r->known)
        ls_log(LS_LOG_WARNING, "kernels compiled at run time are not observed: this version of comgr lacks "
                               "functions that we need");
}

/* The entry that stands for `action`, a comgr's own; that itself when it is one of ours, or there are too
 * many. */
static comgr_action entry_of(comgr_action action)
{
    uint64_t level;
    unsigned i;
    for (i = 0; i < COMGRS_MOST; i++)
        if (action == entries[i])
            return action;
    pthread_mutex_lock(&lock);
    for (i = 0; i < n_comgrs && comgrs[i].comgr.action != action; i++)
        ;
    if (i == n_comgrs && i < COMGRS_MOST) {
        if (setting_number(SET_LOG_LEVEL, setting_text(SET_LOG_LEVEL), &level))
            ls_log_threshold((int)level);
        fill(&comgrs[n_comgrs++], action);
    }
    pthread_mutex_unlock(&lock);
    return i < COMGRS_MOST ? entries[i] : action;
}

/* ---- libraries that are linked with comgr ---- */

PUBLIC int amd_comgr_do_action(int action, comgr_object info, comgr_object in, comgr_object out);

/* comgr's own function, as the library around `caller` would find it without us. */
static comgr_action behind_us(const void *caller)
{
    Dl_info where;
    void *lib = dladdr(caller, &where) ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = lib ? dlsym(lib, entry_name) : NULL;
    if (!found || found == (void *)(uintptr_t)amd_comgr_do_action)
        found = dlsym(RTLD_NEXT, entry_name);
    if (lib)
        dlclose(lib);
    return (comgr_action)(uintptr_t)found;
}

int amd_comgr_do_action(int action, comgr_object info, comgr_object in, comgr_object out)
{
    comgr_action next = behind_us(__builtin_return_address(0));
    if (!next)
        return COMGR_ERROR;
    return (rtc_wanted() ? entry_of(next) : next)(action, info, in, out);
}

/* ---- dlsym ---- */

typedef void *(*dlsym_function)(void *, const char *);
/* Both are named by dlsym's assembly alone. */
__attribute__((used)) static dlsym_function lanescope_next_dlsym;

/* Our answer, or NULL: the next dlsym's. */
__attribute__((used)) static void *lanescope_answer(void *handle, const char *name)
{
    if (!lanescope_next_dlsym) { /* glibc 2.34 gave it a new version; any of them will do */
        void *next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
        if (!next)
            next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
        lanescope_next_dlsym = (dlsym_function)(uintptr_t)next;
    }
    if (name && !strncmp(name, "hip", 3) && handle != RTLD_NEXT) {
        void *hips = lanescope_next_dlsym(handle, name);
        return hips ? preload_stream_call(name, hips) : NULL;
    }
    if (!name || *name != 'a' || strcmp(name, entry_name) || handle == RTLD_NEXT || !rtc_wanted())
        return NULL;
    void *own = lanescope_next_dlsym(handle, name);
    if (!own || own == (void *)(uintptr_t)amd_comgr_do_action)
        return NULL;
    return (void *)(uintptr_t)entry_of((comgr_action)(uintptr_t)own);
}

#ifdef __x86_64__
/* RTLD_NEXT means the libraries behind the caller of dlsym, which is found by the return address: the next
 * dlsym must see our caller's, so we jump. */
PUBLIC __attribute__((naked)) void *dlsym(void *restrict handle, const char *restrict name)
{
    __asm__("push %rdi\n\t"
            ".cfi_adjust_cfa_offset 8\n\t"
            "push %rsi\n\t"
            ".cfi_adjust_cfa_offset 8\n\t"
            "sub $8, %rsp\n\t"
            ".cfi_adjust_cfa_offset 8\n\t"
            "call lanescope_answer\n\t"
            "add $8, %rsp\n\t"
            ".cfi_adjust_cfa_offset -8\n\t"
            "pop %rsi\n\t"
            ".cfi_adjust_cfa_offset -8\n\t"
            "pop %rdi\n\t"
            ".cfi_adjust_cfa_offset -8\n\t"
            "test %rax, %rax\n\t"
            "jnz 1f\n\t"
            "jmp *lanescope_next_dlsym(%rip)\n"
            "1:\n\t"
            "ret");
}
#endif
