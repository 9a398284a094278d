/*
 * preload_streams.c - stands in front of HIP's functions that launch or copy, and remembers for the thread
 * which stream it was asked for while HIP's own function runs: HIP hands packets and copies to ROCr on that
 * thread, where the tool library asks for the stream.
 *
 * Our functions have the versions of HIP's linker script, and hidden ones: they answer for references of
 * programs and libraries that were linked with HIP alone, never for weak references of others, nor for dlsym.
 * A pointer to HIP's function that a program asks dlsym for is answered by hook.c with one of ours. A HIP that
 * is linked statically is not seen; then nobody knows streams.
 */
#include "preload.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "hip_calls.h"

#define PUBLIC __attribute__((visibility("default")))

/* ---- numbers ---- */

struct known {
    hipStream_t handle; /* key */
    int64_t number;
    UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *streams; /* under lock */
static int64_t n_streams;     /* under lock */
static __thread struct ls_stream current;
static __thread int64_t own_number;

PUBLIC struct ls_stream lanescope_preload_stream(void)
{
    return current;
}

static struct ls_stream null_stream(void)
{
    return (struct ls_stream){LS_STREAM_NULL, 0};
}

static struct ls_stream own_stream(void)
{
    if (!own_number) {
        pthread_mutex_lock(&lock);
        own_number = ++n_streams;
        pthread_mutex_unlock(&lock);
    }
    return (struct ls_stream){LS_STREAM_PER_THREAD, own_number};
}

/* Under lock. NULL: out of memory. */
static struct known *new_number(hipStream_t s)
{
    struct known *k;
    HASH_FIND_PTR(streams, &s, k);
    if (!k && (k = calloc(1, sizeof *k))) {
        k->handle = s;
        HASH_ADD_PTR(streams, handle, k);
    }
    n_streams++;
    if (k)
        k->number = n_streams;
    return k;
}

/* hip_runtime_api.h: NULL and hipStreamLegacy (HIP 7) are the null stream, hipStreamPerThread the thread's own. */
static struct ls_stream given(hipStream_t s)
{
    enum { LEGACY = 1, PER_THREAD = 2 };
    struct known *k;
    if (!s || (uintptr_t)s == LEGACY)
        return null_stream();
    if ((uintptr_t)s == PER_THREAD)
        return own_stream();
    pthread_mutex_lock(&lock);
    HASH_FIND_PTR(streams, &s, k);
    if (!k) /* made by a way that we do not watch */
        k = new_number(s);
    struct ls_stream found = {k ? LS_STREAM_CREATED : LS_STREAM_UNKNOWN, k ? k->number : 0};
    pthread_mutex_unlock(&lock);
    return found;
}

static struct ls_stream given_or_own(hipStream_t s)
{
    return s ? given(s) : own_stream();
}

/* hipLaunchConfig_t (two dim3, size_t) and HIP_LAUNCH_CONFIG (seven unsigned) of HIP 6.5. */
static struct ls_stream configured(const void *config)
{
    enum { STREAM_AT = 32 };
    hipStream_t s = NULL;
    if (!config)
        return (struct ls_stream){LS_STREAM_UNKNOWN, 0};
    memcpy(&s, (const char *)config + STREAM_AT, sizeof s);
    return given(s);
}

static void born(hipStream_t s)
{
    pthread_mutex_lock(&lock);
    new_number(s);
    pthread_mutex_unlock(&lock);
}

/* 0: none. */
static int64_t number_of(hipStream_t s)
{
    struct known *k;
    pthread_mutex_lock(&lock);
    HASH_FIND_PTR(streams, &s, k);
    const int64_t number = k ? k->number : 0;
    pthread_mutex_unlock(&lock);
    return number;
}

/* Unless HIP has given the handle away again meanwhile, to a stream of another number. */
static void gone(hipStream_t s, int64_t number)
{
    struct known *k;
    pthread_mutex_lock(&lock);
    HASH_FIND_PTR(streams, &s, k);
    if (k && k->number == number) {
        HASH_DEL(streams, k);
        free(k);
    }
    pthread_mutex_unlock(&lock);
}

/* Only the forking thread exists in the child, and the lock is as it happened to be. */
static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void at_start(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

/* ---- HIP's own functions ---- */

#define ALL_CALLS(X)                                                                                         \
    HIP_CALLS(X)                                                                                             \
    HIP_CALLS_NULL(X)                                                                                        \
    HIP_CALLS_PER_THREAD(X)                                                                                  \
    HIP_CALLS_LATER(X)                                                                                       \
    HIP_CALLS_EXT(X)                                                                                         \
    HIP_CALLS_CREATE(X)                                                                                      \
    HIP_CALLS_DESTROY(X)                                                                                     \
    HIP_CALLS_PROC(X)

struct call {
    const char *name, *version;
    void *ours;                      /* for who asked dlsym */
    _Atomic(void *) linked, by_name; /* HIP's: behind us in the loader's order; as dlsym answered first */
};

#define DECLARE(name, version, params, args, stream) static hipError_t asked_##name params;
ALL_CALLS(DECLARE)
#define INDEX(name, version, params, args, stream) AT_##name,
enum { ALL_CALLS(INDEX) N_CALLS };
#define ROW(name, version, params, args, stream)                                                             \
    {#name, version, (void *)(uintptr_t)asked_##name, NULL, NULL},
static struct call calls[] = {ALL_CALLS(ROW)};

static void *find(void *handle, const struct call *c)
{
    void *found = dlvsym(handle, c->name, c->version);
    return found ? found : dlsym(handle, c->name);
}

static bool is_hip(const char *path)
{
    return path && strstr(path, "libamdhip64");
}

static void *find_in(const char *path, const struct call *c)
{
    void *lib = path && *path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = lib ? find(lib, c) : NULL;
    if (lib)
        dlclose(lib);
    return found;
}

/* The path of the first HIP that is loaded, malloc'd. The loader is locked meanwhile, in another order than dlopen
 * locks it. */
static int look(struct dl_phdr_info *info, size_t size, void *path)
{
    char **found = path;
    (void)size;
    *found = is_hip(info->dlpi_name) ? strdup(info->dlpi_name) : NULL;
    return *found != NULL;
}

static void *find_anywhere(const struct call *c)
{
    char *path = NULL;
    dl_iterate_phdr(look, &path);
    void *found = find_in(path, c);
    free(path);
    return found;
}

/* ---- what was found for whom ----
 * dlopen's own lock is held while constructors run, which may take long or wait for a launch; so a caller's HIP is looked for
 * once, and again when some library was unloaded: another one may stand there now. */

enum { CALLERS = 8 };
struct answer {
    const void *caller;
    void *found;
};
static struct answer answers[N_CALLS][CALLERS]; /* under lock */
static unsigned long long unloaded;             /* under lock: libraries when the answers were found */

static int count_unloaded(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = info->dlpi_subs;
    return 1;
}

static struct answer *answer_for(const struct call *c, const void *caller)
{
    return &answers[c - calls][((uintptr_t)caller >> 2) % CALLERS];
}

/* NULL: it has to be looked for; then `now` goes with what is found. */
static void *found_before(const struct call *c, const void *caller, unsigned long long *now)
{
    dl_iterate_phdr(count_unloaded, now);
    pthread_mutex_lock(&lock);
    if (unloaded != *now)
        memset(answers, 0, sizeof answers);
    unloaded = *now;
    const struct answer *a = answer_for(c, caller);
    void *found = a->caller == caller ? a->found : NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

static void keep_answer(const struct call *c, const void *caller, void *found, unsigned long long then)
{
    pthread_mutex_lock(&lock);
    if (unloaded == then)
        *answer_for(c, caller) = (struct answer){caller, found};
    pthread_mutex_unlock(&lock);
}

/* As the library around `caller` would find it without us: behind us, else among what it was loaded with (libraries
 * that dlopen keeps to themselves). */
static void *behind_us(struct call *c, const void *caller)
{
    Dl_info where;
    unsigned long long now = 0;
    void *found = atomic_load(&c->linked);
    if (found)
        return found;
    found = found_before(c, caller, &now);
    if (found)
        return found;
    found = find(RTLD_NEXT, c);
    if (found) { /* and it stays there */
        if (dladdr(found, &where) && dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
            atomic_store(&c->linked, found);
        return found;
    }
    if (dladdr(caller, &where))
        found = find_in(where.dli_fname, c);
    found = found ? found : find_anywhere(c);
    if (found)
        keep_answer(c, caller, found, now);
    return found;
}

/* What HIP says of functions that it cannot find. */
enum { NOT_FOUND = 302 };

#define LINKED(name) behind_us(&calls[AT_##name], __builtin_return_address(0))
#define BY_NAME(name) atomic_load(&calls[AT_##name].by_name)

#define BODY(next, params, args, before, after)                                                              \
    {                                                                                                        \
        hipError_t(*call) params = (hipError_t(*) params)(uintptr_t)(next);                                  \
        if (!call)                                                                                           \
            return (hipError_t)NOT_FOUND;                                                                    \
        before;                                                                                              \
        hipError_t rc = call args;                                                                           \
        after;                                                                                               \
        return rc;                                                                                           \
    }
/* Ours has another name in C, and HIP's, with a version that must be asked for, in the library. */
#define BOTH(name, version, params, args, before, after)                                                     \
    static hipError_t asked_##name params BODY(BY_NAME(name), params, args, before, after)                   \
    PUBLIC hipError_t stream_##name params;                                                                  \
    __asm__(".symver stream_" #name ", " #name "@" version);                                                 \
    hipError_t stream_##name params BODY(LINKED(name), params, args, before, after)

#define WORK(name, version, params, args, stream)                                                            \
    BOTH(name, version, params, args, struct ls_stream was = current; current = stream, current = was)
#define CREATE(name, version, params, args, stream)                                                          \
    BOTH(name, version, params, args, , if (!rc && s) born(*s))
#define DESTROY(name, version, params, args, stream)                                                         \
    BOTH(name, version, params, args, const int64_t number = number_of(s), if (!rc) gone(s, number))

/* What HIP answered, or what stands in front of it. */
static void answered(const char *name, void **f, uint64_t flags)
{
    enum { PER_THREAD = 2, NAME_MOST = 64 };
    static const char suffix[] = "_spt";
    char of_thread[NAME_MOST + sizeof suffix] = "";
    if (!name || !f || !*f || strlen(name) >= NAME_MOST)
        return;
    strcpy(of_thread, name);
    strcat(of_thread, suffix);
    void *ours = flags == PER_THREAD ? preload_stream_call(of_thread, *f) : NULL;
    if (!ours)
        ours = preload_stream_call(name, *f);
    if (ours)
        *f = ours;
}
#define PROC(name, version, params, args, stream)                                                            \
    BOTH(name, version, params, args, , if (!rc) answered(symbol, f, flags))

HIP_CALLS(WORK)
HIP_CALLS_NULL(WORK)
HIP_CALLS_PER_THREAD(WORK)
HIP_CALLS_LATER(WORK)
HIP_CALLS_EXT(WORK)
HIP_CALLS_CREATE(CREATE)
HIP_CALLS_DESTROY(DESTROY)
HIP_CALLS_PROC(PROC)

void *preload_stream_call(const char *name, void *own)
{
    Dl_info where;
    void *none = NULL;
    for (int i = 0; i < N_CALLS; i++)
        if (!strcmp(calls[i].name, name)) {
            if (!dladdr(own, &where) || !is_hip(where.dli_fname))
                return NULL; /* another's function of this name may have other arguments */
            atomic_compare_exchange_strong(&calls[i].by_name, &none, own);
            return !none || none == own ? calls[i].ours : NULL; /* of a second HIP: its own */
        }
    return NULL;
}
