/*
 * driver.c - making the emulated driver, giving out its descriptors, and starting afresh after fork.
 *
 * The device files are memfds: what an allocation returns as mmap offset is the offset in the file, so the
 * application's mmap, dup, close and poll need no help. A descriptor is known by its inode.
 */
#include "driver.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soft-gpu/mem/file_size.h"
#include "soft-gpu/kfd/findings/counts.h"
#include "soft-gpu/kfd/findings/findings.h"
#include "soft-gpu/kfd/config/held.h"
#include "soft-gpu/kfd/raw.h"
#include "soft-gpu/kfd/report/report.h"
#include "soft-gpu/kfd/config/runtime.h"

/* Offsets of one GPU's memory: far more than its size, because every allocation takes a multiple of 2 MiB.
   Where the address space is limited (ulimit -v) less must do. */
#define VRAM_SPACE (1ull << 40)
#define VRAM_SPACE_MIN (1ull << 30)

static struct driver *_Atomic current;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static bool failed; /* to make it, in this process; under `making` */
/* The driver of the process that we were forked from: its descriptors may still be cached by the thunk. */
static struct driver *inherited;

/* ---- Services for the command processor and the engine ---- */

static void op_set_event(void *user, uint32_t id)
{
    struct gpu *g = user;
    (void)events_set(g->driver->events, id);
}

static void op_memory_fault(void *user, uint64_t va, bool is_write)
{
    struct gpu *g = user;
    struct sg_range r;
    bool present = sg_mem_lookup(g->mem, va, &r);
    struct kfd_memory_exception x = {
        .not_present = !present,
        .read_only = present && is_write,
        .va = va & ~4095ull,
        .gpu_id = gpu_id_of(g->index),
    };
    events_memory_fault(g->driver->events, &x);
}

static void op_report(void *user, const struct sg_cp_fault *fault)
{
    struct gpu *g = user;
    fault_report(g->index, fault);
}

static uint64_t op_ticks(void *user)
{
    (void)user;
    return sg_ticks();
}

static void op_found(void *user, const struct sg_check_report *report)
{
    struct gpu *g = user;
    struct sg_range r = {.lo = 0};
    if (report->finding && report->finding->space == SG_CHECK_MEMORY)
        (void)sg_mem_lookup(g->mem, report->finding->address, &r);
    findings_take(g->index, report, r.lo);
}

static const struct sg_cp_ops cp_ops = {
    .set_event = op_set_event,
    .memory_fault = op_memory_fault,
    .report = op_report,
    .ticks = op_ticks,
};

static void op_stalled(void *user, const struct sg_dispatch *d, const struct sg_fault *where)
{
    struct gpu *g = user;
    stall_report(g->index, d, where);
}

static void op_ended(void *user, const struct sg_dispatch *d, uint64_t instructions)
{
    (void)user;
    counts_take(d->kernel_object, instructions);
}

static const struct sg_engine_ops engine_ops = {
    .raise_event = op_set_event,
    .found = op_found,
    .stalled = op_stalled,
    .ended = op_ended,
};

int driver_start_gpu(struct gpu *g)
{
    const struct soft_config *c = g->driver->config;
    const char *why = "out of memory";
    char log[600];
    if (g->cp)
        return 0;
    if (!soft_config_log(c, g->index, log, sizeof log)) {
        report_line("LANESCOPE_SOFT_ACCESS_LOG=%s: name too long", c->access_log);
        return -EINVAL;
    }
    struct sg_engine_config config = {
        .arch = c->arch,
        .mem = g->mem,
        .ops = &engine_ops,
        .user = g,
        .threads = c->threads,
        .access_log = log[0] ? log : NULL,
        .poison = c->poison,
        .seed = c->seed,
        .shuffle_waves = c->shuffle,
        .interpret_all = c->interpret_all,
        .check = c->check,
        .exact_matrix = c->exact_matrix,
        .stall_seconds = c->stall_seconds,
        .stall_stops = c->stall_stops,
        .weak = c->weak,
        .weak_seed = c->weak_seed,
        .count_dispatches = c->counts[0] != 0,
    };
    g->engine = sg_engine_create(&config, &why);
    if (g->engine) {
        struct sg_cp_config cp = {
            .mem = g->mem, .engine = g->engine, .arch = c->arch, .ops = &cp_ops, .user = g};
        g->cp = sg_cp_create(&cp);
        if (g->cp)
            return 0;
        sg_engine_destroy(g->engine);
        g->engine = NULL;
    }
    report_line("the software GPU cannot start: %s", why);
    return -ENOMEM;
}

/* ---- Making it ---- */

/* Low numbers stay free for the application, which may expect 3 or close everything above 2 in vain. */
static int move_high(int fd)
{
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 600);
    if (high < 0)
        return fd;
    close(fd);
    return high;
}

static ino_t inode_of(int fd, dev_t *device)
{
    struct stat st;
    if (raw_fstat(fd, &st) != 0)
        return 0;
    *device = st.st_dev;
    return st.st_ino;
}

static bool make_gpu(struct driver *d, unsigned i)
{
    struct gpu *g = &d->gpu[i];
    char name[64];
    g->index = i;
    g->driver = d;
    g->card = d->config->arch->card;
    snprintf(name, sizeof name, "lanescope-vram%u", i);
    g->mem = sg_mem_create();
    for (uint64_t space = VRAM_SPACE; !g->vram && space >= VRAM_SPACE_MIN; space /= 2)
        g->vram = sg_vram_create(name, space);
    if (!g->mem || !g->vram)
        return false;
    d->render_inode[i] = inode_of(sg_vram_fd(g->vram), &d->device);
    void *page =
        mmap(NULL, DOORBELL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, d->kfd_fd, (off_t)DOORBELL_OFFSET(i));
    g->mmio = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, d->kfd_fd, (off_t)MMIO_OFFSET(i));
    if (page == MAP_FAILED || g->mmio == MAP_FAILED)
        return false;
    g->doorbell = page;
    return true;
}

static struct driver *make(void)
{
    struct driver *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->config = soft_config();
    d->gpus = d->config->gpus;
    d->next_handle = 1;
    pthread_mutex_init(&d->lock, NULL);
    d->events = events_create();
    d->kfd_fd = move_high(memfd_create("lanescope-kfd", MFD_CLOEXEC));
    bool ok = d->events && d->kfd_fd >= 0 && sg_set_file_size(d->kfd_fd, DOORBELL_OFFSET(GPUS_MAX)) == 0;
    if (ok)
        d->kfd_inode = inode_of(d->kfd_fd, &d->device);
    for (unsigned i = 0; ok && i < d->gpus; i++)
        ok = make_gpu(d, i);
    if (ok)
        return d;
    /* A process that cannot make it is out of memory or descriptors; what was made stays until it ends, so there is no second attempt. */
    report_line("the software GPU cannot start: %s%s", strerror(errno),
                errno == EFBIG
                    ? "; the limit of file sizes also holds for its memory, raise it (ulimit -f unlimited)"
                    : "");
    return NULL;
}

/* ---- Fork ---- */

/* In the child there is no command processor and no engine thread, and the parent's memory is not ours. The
 * driver is made anew when the child first uses it. */
static void after_fork(void)
{
    struct driver *d = atomic_load(&current);
    pthread_mutex_init(&making, NULL);
    failed = false;
    findings_forget();
    counts_forget();
    if (d)
        inherited = d;
    atomic_store(&current, NULL);
}

/* Replaces every descriptor of the parent's devices by ours: the thunk caches them across fork. */
static void adopt_descriptors(struct driver *d, const struct driver *old)
{
    for (int fd = 0, missed = 0; missed < 256; fd++) {
        struct stat st;
        if (raw_fstat(fd, &st) != 0) {
            missed++;
            continue;
        }
        missed = 0;
        if (st.st_dev != old->device)
            continue;
        int flags = fcntl(fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0;
        if (st.st_ino == old->kfd_inode)
            dup3(d->kfd_fd, fd, flags);
        for (unsigned i = 0; i < d->gpus; i++)
            if (st.st_ino == old->render_inode[i])
                dup3(sg_vram_fd(d->gpu[i].vram), fd, flags);
    }
}

/* ---- The end ---- */

/* Threads of HIP and ROCr run on: what they unmap finds no engine any more. */
static void stop_gpu(struct gpu *g)
{
    sg_cp_stop(g->cp);
    pthread_mutex_lock(&g->driver->lock);
    struct sg_engine *engine = g->engine;
    g->engine = NULL;
    pthread_mutex_unlock(&g->driver->lock);
    sg_engine_destroy(engine);
}

/* At exit the command processor and the engine stop before their memory and the access log are torn down. */
static void at_exit(void *unused)
{
    (void)unused;
    struct driver *d = atomic_load(&current);
    for (unsigned i = 0; d && i < d->gpus; i++)
        if (d->gpu[i].cp)
            stop_gpu(&d->gpu[i]);
    findings_finish();
    if (d && d->config->counts[0])
        counts_finish(d->config->counts);
}

int __cxa_atexit(void (*function)(void *), void *argument, void *library);

/* Destructors of the program's libraries, of HIP and of ROCr still use the GPU, and a destructor of ours, a preloaded
 * library's, comes before theirs. So the end is a function of no library's, noted before the loader notes that it runs
 * destructors: noted functions run backwards. */
__attribute__((constructor)) static void watch_process(void)
{
    pthread_atfork(NULL, NULL, after_fork);
    __cxa_atexit(at_exit, NULL, NULL);
}

struct driver *driver_peek(void)
{
    return atomic_load_explicit(&current, memory_order_acquire);
}

struct driver *driver_get(void)
{
    struct driver *d = driver_peek();
    if (d)
        return d;
    pthread_mutex_lock(&making);
    d = driver_peek();
    if (!d && !failed) {
        d = make();
        failed = !d;
        if (d && inherited) {
            adopt_descriptors(d, inherited);
            inherited = NULL;
        }
        atomic_store_explicit(&current, d, memory_order_release);
    }
    pthread_mutex_unlock(&making);
    if (!d)
        errno = ENODEV;
    return d;
}

int driver_open(enum device_kind kind, unsigned gpu, int flags)
{
    struct driver *d = driver_get();
    if (!d)
        return -1;
    if (kind == DEVICE_KFD && !runtime_knows(d->config->arch->name)) {
        errno = ENODEV;
        return -1;
    }
    if (kind == DEVICE_KFD)
        tell_other_code(d->config->arch->name);
    int fd = kind == DEVICE_KFD ? d->kfd_fd : sg_vram_fd(d->gpu[gpu].vram);
    return fcntl(fd, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
}

static enum device_kind identify(const struct driver *d, const struct stat *st, unsigned *gpu)
{
    if (st->st_dev != d->device)
        return DEVICE_NONE;
    if (st->st_ino == d->kfd_inode)
        return DEVICE_KFD;
    for (unsigned i = 0; i < d->gpus; i++) {
        if (st->st_ino == d->render_inode[i]) {
            *gpu = i;
            return DEVICE_RENDER;
        }
    }
    return DEVICE_NONE;
}

enum device_kind driver_identify(int fd, unsigned *gpu)
{
    struct driver *d = driver_peek();
    struct stat st;
    int saved = errno;
    enum device_kind kind = DEVICE_NONE;
    if ((d || inherited) && raw_fstat(fd, &st) == 0) {
        if (d)
            kind = identify(d, &st, gpu);
        else if (identify(inherited, &st, gpu) != DEVICE_NONE && driver_get())
            return driver_identify(fd, gpu); /* a cached descriptor in a forked child */
    }
    errno = saved;
    return kind;
}

uint64_t driver_live(enum topology_live what, unsigned gpu)
{
    struct driver *d = driver_peek();
    if (!d || what == LIVE_NONE)
        return 0;
    pthread_mutex_lock(&d->lock);
    const uint64_t bytes = what == LIVE_VRAM_USED ? d->gpu[gpu].used : d->gpu[gpu].host_used;
    pthread_mutex_unlock(&d->lock);
    return bytes;
}

struct gpu *driver_gpu(struct driver *d, uint32_t gpu_id)
{
    for (unsigned i = 0; i < d->gpus; i++)
        if (gpu_id_of(i) == gpu_id)
            return &d->gpu[i];
    return NULL;
}
