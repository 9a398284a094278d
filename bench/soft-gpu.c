/*
 * bench/soft-gpu - how fast the software GPU runs kernels, against the same source compiled for the host, and
 * how long programs take to start on it.
 *
 *     bench-soft-gpu [-g gpu] [-r repeats] [kernel...]
 *
 * gpu: gfx90a, or gfx1030, whose wavefronts have 32 lanes.
 * Kernels run through the code-object loader, without ROCr. A lane-operation is an active lane of a vector
 * instruction (sg_engine_counters). The machine may be shared: a figure is that of the fastest of the
 * repeats, and each is given for CPU time and for wall time.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loader.h"

enum {
    N = 512,
    ITEMS = 1 << 20,
    FILL_BYTES = 256 << 20,
    WIDTH = 4096, /* of a rectangle, in bytes */
    HEIGHT = 16384,
    PITCH = WIDTH + 200,
    LARGE = 16 << 20, /* work-items of a large saxpy */
};

/* ---- Kernels and their arguments. Both sides get the same buffers. ---- */

struct data {
    void *a, *b, *c;
    unsigned n; /* size of the problem: rows, or work-items */
};

struct kernel {
    const char *name;
    unsigned n;
    uint32_t grid[3];
    uint16_t group[3];
    size_t (*arguments)(const struct data *d, void *out);
    void (*native)(const struct data *d, unsigned x, unsigned y);
    size_t out_words; /* of c, compared with the host's result */
    bool is_float;
    double bar;  /* wanted, in `unit` */
    double work; /* in 1e9 units per launch; 0: lane-operations */
    const char *unit;
    bool interpret; /* do not let the engine do the dispatch as a whole (soft-gpu/isa/bulk/bulk.h) */
};

#define NATIVE(name, ...) extern void native_##name(unsigned, unsigned, __VA_ARGS__);
NATIVE(saxpy, const float *, float *, float, unsigned)
NATIVE(matmul, const float *, const float *, float *, unsigned)
NATIVE(sgemm, const float *, const float *, float *, unsigned)
NATIVE(mandelbrot, unsigned *, unsigned)
NATIVE(histogram, const unsigned *, unsigned *)
NATIVE(mfma_gemm, const float *, const float *, float *, unsigned)
NATIVE(valu, unsigned *, unsigned, unsigned, unsigned, unsigned)
NATIVE(atomics, const unsigned *, unsigned *)
NATIVE(fill, void *, unsigned, unsigned)
NATIVE(copy, const void *, void *, unsigned)
NATIVE(fill_rect, void *, unsigned, unsigned)
NATIVE(copy_rect, const void *, void *, unsigned)
NATIVE(nothing, unsigned)

/* The argument block as the kernel ABI lays it out, and the same call on the host. */
#define KERNEL_CALL(NAME, FIELDS, VALUES, ...)                                                               \
    static size_t NAME##_arguments(const struct data *d, void *out)                                          \
    {                                                                                                        \
        (void)d;                                                                                             \
        struct FIELDS block = VALUES;                                                                        \
        memcpy(out, &block, sizeof block);                                                                   \
        return sizeof block;                                                                                 \
    }                                                                                                        \
    static void NAME##_native(const struct data *d, unsigned x, unsigned y)                                  \
    {                                                                                                        \
        (void)d;                                                                                             \
        native_##NAME(x, y, __VA_ARGS__);                                                                    \
    }
#define LIST(...) {__VA_ARGS__}
KERNEL_CALL(saxpy, LIST(void *x; void *y; float a; unsigned n;), LIST(d->a, d->c, 2.5f, d->n), d->a, d->c,
            2.5f, d->n)
KERNEL_CALL(matmul, LIST(void *a; void *b; void *c; unsigned n;), LIST(d->a, d->b, d->c, d->n), d->a, d->b,
            d->c, d->n)
KERNEL_CALL(sgemm, LIST(void *a; void *b; void *c; unsigned n;), LIST(d->a, d->b, d->c, d->n), d->a, d->b,
            d->c, d->n)
KERNEL_CALL(mandelbrot, LIST(void *c; unsigned n;), LIST(d->c, d->n), d->c, d->n)
KERNEL_CALL(histogram, LIST(void *a; void *c;), LIST(d->a, d->c), d->a, d->c)
KERNEL_CALL(mfma_gemm, LIST(void *a; void *b; void *c; unsigned n;), LIST(d->a, d->b, d->c, d->n), d->a, d->b,
            d->c, d->n)
KERNEL_CALL(valu, LIST(void *c; unsigned b, m, d, n;), LIST(d->c, 0x55555555, 3, 7, 64), d->c, 0x55555555, 3,
            7, 64)
KERNEL_CALL(atomics, LIST(void *a; void *c;), LIST(d->a, d->c), d->a, d->c)
KERNEL_CALL(fill, LIST(void *c; unsigned value, n;), LIST(d->c, 0xabcdef01, 16), d->c, 0xabcdef01, 16)
KERNEL_CALL(copy, LIST(void *a; void *c; unsigned n;), LIST(d->a, d->c, 16), d->a, d->c, 16)
KERNEL_CALL(fill_rect, LIST(void *c; unsigned value, pitch;), LIST(d->c, 0x5a, PITCH), d->c, 0x5a, PITCH)
KERNEL_CALL(copy_rect, LIST(void *a; void *c; unsigned pitch;), LIST(d->a, d->c, PITCH), d->a, d->c, PITCH)
KERNEL_CALL(nothing, LIST(unsigned n;), LIST(0), 0)

#define CALLS(NAME) NAME##_arguments, NAME##_native
#define LANE_OPS "G lane-ops/s"
/* Lane-operations; a bar. */
#define OPS(NAME, N_, GRID, GROUP, WORDS, IS_FLOAT, BAR)                                                     \
    {#NAME, N_, GRID, GROUP, CALLS(NAME), WORDS, IS_FLOAT, BAR, 0, LANE_OPS, false}
#define BYTES(NAME, GRID, GROUP, SIZE, EACH)                                                                 \
    {#NAME, 0, GRID, GROUP, CALLS(NAME), FILL_BYTES / 4, false, 0, 1e-9 * (SIZE), "GB/s", EACH}
#define MFMA(N_)                                                                                             \
    {"mfma_gemm",                                                                                            \
     N_,                                                                                                     \
     {(N_) * 4, (N_) / 64},                                                                                  \
     {256},                                                                                                  \
     CALLS(mfma_gemm),                                                                                       \
     (N_) * (N_),                                                                                            \
     true,                                                                                                   \
     4,                                                                                                      \
     1e-9 * (N_) * (N_) * (N_),                                                                              \
     "GMAC/s",                                                                                               \
     false}
static const struct kernel kernels[] = {
    OPS(saxpy, ITEMS, {ITEMS}, {256}, ITEMS, true, 1),
    OPS(matmul, N, LIST(N, N), LIST(16, 16), N *N, true, 1),
    OPS(sgemm, N, LIST(N / 4, N / 4), LIST(16, 16), N *N, true, 1),
    OPS(mandelbrot, N, LIST(N, N), LIST(16, 16), N *N, false, 1),
    OPS(histogram, 0, {ITEMS / 4}, {256}, 256, false, 1),
    OPS(valu, 0, {1 << 14}, {256}, 1 << 14, false, 5),
    MFMA(N),
    {"atomics", 0, {ITEMS / 16}, {256}, CALLS(atomics), 4096, false, 0, 1e-9 * ITEMS, "G atomics/s", false},
    BYTES(fill, {FILL_BYTES / 256}, {256}, FILL_BYTES, false),
    BYTES(fill, {FILL_BYTES / 256}, {256}, FILL_BYTES, true),
    BYTES(copy, {FILL_BYTES / 256}, {256}, FILL_BYTES, false),
    BYTES(copy, {FILL_BYTES / 256}, {256}, FILL_BYTES, true),
    BYTES(fill_rect, LIST(WIDTH, HEIGHT), LIST(16, 16), WIDTH *HEIGHT, false),
    BYTES(fill_rect, LIST(WIDTH, HEIGHT), LIST(16, 16), WIDTH *HEIGHT, true),
    BYTES(copy_rect, LIST(WIDTH, HEIGHT), LIST(16, 16), WIDTH *HEIGHT, false),
    BYTES(copy_rect, LIST(WIDTH, HEIGHT), LIST(16, 16), WIDTH *HEIGHT, true),
    {"nothing", 0, {ITEMS}, {64}, CALLS(nothing), 0, false, 0, 1e-9 * ITEMS / 64, "G groups/s", true},
};

/* The same for two threads against one: 50 to 100 ms on one thread, so that starting a thread is nothing. */
static const struct kernel large[] = {
    OPS(saxpy, LARGE, {LARGE}, {256}, LARGE, true, 1.8),
    OPS(matmul, N, LIST(N, N), LIST(16, 16), N *N, true, 1.8),
    OPS(sgemm, 768, LIST(192, 192), LIST(16, 16), 768 * 768, true, 1.8),
    OPS(mandelbrot, 1024, LIST(1024, 1024), LIST(16, 16), 1024 * 1024, false, 1.8),
    OPS(histogram, 0, {ITEMS * 2}, {256}, 256, false, 1.8),
    OPS(valu, 0, {1 << 17}, {256}, 1 << 17, false, 1.8),
    MFMA(832),
};
enum { N_KERNELS = sizeof kernels / sizeof kernels[0], N_LARGE = sizeof large / sizeof large[0] };

static void prepare(struct data *d, bool is_float)
{
    static const size_t words[2] = {2 * LARGE, 4 * ITEMS};
    void *const at[2] = {d->a, d->b};
    uint32_t state = 12345;
    for (unsigned k = 0; k < 2; k++)
        for (size_t i = 0; i < words[k]; i++) {
            state = state * 1664525u + 1013904223u;
            if (is_float)
                ((float *)at[k])[i] = (float)(state >> 8) / (1 << 24) - 0.5f;
            else
                ((uint32_t *)at[k])[i] = state;
        }
}

/* ---- Time ---- */

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU seconds of this process's other threads: those of the engine. */
enum { THREADS = 8 };
static void thread_times(double cpu[THREADS])
{
    char path[300];
    unsigned n = 0;
    memset(cpu, 0, THREADS * sizeof *cpu);
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *e; dir && (e = readdir(dir)) && n < THREADS;) {
        unsigned long long ns;
        if (e->d_name[0] == '.' || atoi(e->d_name) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", e->d_name);
        FILE *f = fopen(path, "r");
        if (f && fscanf(f, "%llu", &ns) == 1)
            cpu[n++] = 1e-9 * (double)ns;
        if (f)
            fclose(f);
    }
    if (dir)
        closedir(dir);
}

struct time {
    double cpu, wall;
};

static void keep_least(struct time *least, struct time t)
{
    if (!least->wall || t.cpu < least->cpu)
        least->cpu = t.cpu;
    if (!least->wall || t.wall < least->wall)
        least->wall = t.wall;
}

/* ---- Kernels ---- */

static void die(const char *what, const char *why)
{
    fprintf(stderr, "bench-soft-gpu: %s: %s\n", what, why);
    exit(1);
}

struct device {
    struct sg_device *device;
    struct sg_object *object;
};

static const char *gpu = "gfx90a";

/* Matrix instructions are gfx90a's alone. */
static bool has(const struct kernel *k)
{
    return !strcmp(gpu, "gfx90a") || strcmp(k->name, "mfma_gemm") != 0;
}

static struct device open_device(unsigned threads, bool interpret)
{
    struct sg_engine_config config = {
        .arch = ls_gpu_find_emulated(gpu), .threads = threads, .interpret_all = interpret};
    const char *why;
    char text[256], path[4096];
    struct device d = {.device = sg_device_create(&config, &why)};
    if (!d.device)
        die("engine", why);
    snprintf(path, sizeof path, "%s%s.co", BENCH_KERNELS, gpu);
    d.object = sg_object_load(d.device, path, text, sizeof text);
    if (!d.object)
        die(path, text);
    return d;
}

static struct data device_data(struct sg_device *d)
{
    struct data data = {sg_device_alloc(d, FILL_BYTES), sg_device_alloc(d, 16 << 20),
                        sg_device_alloc(d, FILL_BYTES), 0};
    if (!data.a || !data.b || !data.c)
        die("memory", "none left");
    return data;
}

static struct time launch(const struct device *d, const struct kernel *k, const struct data *data)
{
    uint64_t arguments[16];
    struct sg_launch l = {.kernel = k->name, .arguments = arguments};
    struct sg_fault fault;
    memcpy(l.grid, k->grid, sizeof l.grid);
    memcpy(l.workgroup, k->group, sizeof l.workgroup);
    struct data sized = *data;
    sized.n = k->n;
    l.argument_bytes = k->arguments(&sized, arguments);
    double cpu = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
    if (sg_object_launch(d->device, d->object, &l, &fault))
        die(k->name, fault.message);
    return (struct time){now(CLOCK_PROCESS_CPUTIME_ID) - cpu, now(CLOCK_MONOTONIC) - wall};
}

/* Work-groups on the host, taken by one or more threads in pieces. */
struct native {
    const struct kernel *kernel;
    struct data data;
    unsigned columns, groups, piece;
    atomic_uint next;
};

static void *native_thread(void *argument)
{
    struct native *n = argument;
    for (unsigned from; (from = atomic_fetch_add(&n->next, n->piece)) < n->groups;)
        for (unsigned i = from; i < from + n->piece && i < n->groups; i++)
            n->kernel->native(&n->data, i % n->columns, i / n->columns);
    return NULL;
}

static struct time run_native(const struct kernel *k, const struct data *data, unsigned threads)
{
    struct native n = {.kernel = k, .data = *data, .columns = k->grid[0] / k->group[0]};
    n.data.n = k->n;
    n.groups = n.columns * (k->grid[1] ? k->grid[1] / (k->group[1] ? k->group[1] : 1) : 1);
    n.piece = threads > 1 ? n.groups / 64 + 1 : n.groups;
    pthread_t second;
    double cpu = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
    if (threads > 1 && pthread_create(&second, NULL, native_thread, &n))
        die("thread", strerror(errno));
    native_thread(&n);
    if (threads > 1)
        pthread_join(second, NULL);
    return (struct time){now(CLOCK_PROCESS_CPUTIME_ID) - cpu, now(CLOCK_MONOTONIC) - wall};
}

/* Enough launches for a time that the clock can resolve. */
static struct time many(const struct device *d, const struct kernel *k, const struct data *data)
{
    struct time sum = {0, 0};
    unsigned n = 0;
    do {
        struct time t = launch(d, k, data);
        sum.cpu += t.cpu;
        sum.wall += t.wall;
    } while (++n < 64 && sum.wall < 0.1);
    return (struct time){sum.cpu / n, sum.wall / n};
}

/* Launches the kernel once: its instructions, and its lane-operations in 1e9. */
static double launch_counted(const struct device *d, const struct kernel *k, struct data *data,
                             uint64_t *instructions)
{
    uint64_t before[2], after[2];
    sg_engine_counters(sg_device_engine(d->device), &before[0], &before[1]);
    launch(d, k, data);
    sg_engine_counters(sg_device_engine(d->device), &after[0], &after[1]);
    *instructions = after[0] - before[0];
    return 1e-9 * (double)(after[1] - before[1]);
}

static void measure(const struct device *d, const struct kernel *k, struct data *data, unsigned repeats)
{
    struct time soft = {0, 0}, native = {0, 0};
    prepare(data, k->is_float);
    memset(data->c, 0, FILL_BYTES);
    run_native(k, data, 1);
    uint32_t *expected = malloc(k->out_words * 4 + 1);
    if (!expected)
        die("memory", "none left");
    memcpy(expected, data->c, k->out_words * 4);
    memset(data->c, 0, FILL_BYTES);
    uint64_t instructions;
    const double ops = launch_counted(d, k, data, &instructions);
    if (memcmp(data->c, expected, k->out_words * 4))
        die(k->name, "the result differs from the host's");
    for (unsigned r = 0; r < repeats; r++) {
        keep_least(&soft, many(d, k, data));
        keep_least(&native, run_native(k, data, 1));
    }
    const double work = k->work ? k->work : ops;
    char label[32];
    snprintf(label, sizeof label, "%s%s", k->name, k->interpret ? ", each" : "");
    printf("%-14s %7.1f %9.3f %9.3f   %6.2f %6.2f %-13s %9.3f %8.1f", label, 1e3 * ops,
           1e-6 * (double)instructions, 1e3 * soft.cpu, work / soft.cpu, work / soft.wall, k->unit,
           1e3 * native.cpu, soft.cpu / native.cpu);
    if (k->bar)
        printf("   bar %g: %s", k->bar, work / soft.cpu >= k->bar ? "met" : "MISSED");
    putchar('\n');
    fflush(stdout);
    free(expected);
}

static bool wanted(char **names, const char *name)
{
    if (!*names)
        return true;
    for (; *names; names++)
        if (!strcmp(*names, name))
            return true;
    return false;
}

static void kernels_on_one_thread(unsigned repeats, char **names)
{
    struct device device[2] = {open_device(1, false), open_device(1, true)};
    struct data data[2] = {device_data(device[0].device), device_data(device[1].device)};
    printf("One engine thread; native: the same source, clang -O3 -march=x86-64-v3, one core.\n"
           "               M lane-   M inst-   ms CPU   per CPU  per wall              native    times\n"
           "kernel         operat.  ructions               second  second                ms     native\n");
    for (unsigned i = 0; i < N_KERNELS; i++)
        if (wanted(names, kernels[i].name) && has(&kernels[i]))
            measure(&device[kernels[i].interpret], &kernels[i], &data[kernels[i].interpret], repeats);
    sg_device_destroy(device[0].device);
    sg_device_destroy(device[1].device);
}

/* Seconds of one launch: wall time, CPU time of the thread that had most of it; wall time on the host. */
struct spread {
    double wall, busiest, native;
};

static void least_of(double *least, double value)
{
    if (!*least || value < *least)
        *least = value;
}

/* One round with one and one with two threads, alternately, because a machine's speed changes with time. The
 * least of each in `repeats` rounds. */
static void spread(const struct kernel *k, unsigned repeats, struct spread least[2])
{
    struct device d[2] = {open_device(1, false), open_device(2, false)};
    struct data data[2] = {device_data(d[0].device), device_data(d[1].device)};
    memset(least, 0, 2 * sizeof *least);
    for (unsigned i = 0; i < 2; i++) {
        prepare(&data[i], k->is_float);
        launch(&d[i], k, &data[i]);
        run_native(k, &data[i], i + 1);
    }
    for (unsigned r = 0; r < 2 * repeats; r++) {
        const unsigned i = r % 2;
        double before[THREADS], after[THREADS], wall, busiest = 0;
        thread_times(before);
        wall = launch(&d[i], k, &data[i]).wall;
        thread_times(after);
        for (unsigned t = 0; t < THREADS; t++)
            if (after[t] - before[t] > busiest)
                busiest = after[t] - before[t];
        least_of(&least[i].wall, wall);
        least_of(&least[i].busiest, busiest);
        least_of(&least[i].native, run_native(k, &data[i], i + 1).wall);
    }
    sg_device_destroy(d[0].device);
    sg_device_destroy(d[1].device);
}

static void two_threads(unsigned repeats, char **names)
{
    double load = 0;
    getloadavg(&load, 1);
    printf("\nTwo engine threads against one, load average %.1f. wall: by wall time, which needs two idle "
           "cores.\n"
           "busier: by the CPU time of the busier thread. native: by wall time, the same work-groups as host "
           "code,\n"
           "what this machine gives to two threads. The bar is on the first five; the others are held to it, "
           "too.\n"
           "             one, ms  two, ms     wall  busier   native   wall/native\n",
           load);
    for (unsigned i = 0; i < N_LARGE; i++) {
        const struct kernel *k = &large[i];
        if (!wanted(names, k->name) || !has(k))
            continue;
        struct spread t[2];
        spread(k, repeats, t);
        double wall = t[0].wall / t[1].wall, busier = t[0].busiest / t[1].busiest,
               native = t[0].native / t[1].native;
        printf("%-11s %8.1f %8.1f   %6.2f  %6.2f   %6.2f        %6.2f   bar 1.8: %s\n", k->name,
               1e3 * t[0].wall, 1e3 * t[1].wall, wall, busier, native, wall / native,
               wall >= 1.8     ? "met"
               : busier >= 1.8 ? "met by the busier thread"
                               : "MISSED");
        fflush(stdout);
    }
}

/* ---- Wavefronts of 32 lanes against those of 64 ---- */

/* The fastest of the repeats of each GPU, in turns: CPU seconds, and lane-operations in 1e9. */
static void both_sizes(const struct kernel *k, unsigned repeats, double seconds[2], double ops[2])
{
    static const char *const names[] = {"gfx90a", "gfx1030"};
    const char *chosen = gpu;
    struct device d[2];
    struct data data[2];
    for (unsigned i = 0; i < 2; i++) {
        uint64_t instructions;
        gpu = names[i];
        d[i] = open_device(1, false);
        data[i] = device_data(d[i].device);
        prepare(&data[i], k->is_float);
        ops[i] = launch_counted(&d[i], k, &data[i], &instructions);
        seconds[i] = 0;
    }
    for (unsigned r = 0; r < 4 * repeats; r++)
        least_of(&seconds[r % 2], many(&d[r % 2], k, &data[r % 2]).cpu);
    for (unsigned i = 0; i < 2; i++)
        sg_device_destroy(d[i].device);
    gpu = chosen;
}

static void sizes_compared(unsigned repeats, char **names)
{
    const double bar = 0.7;
    printf("\nG lane-ops of one CPU second, with wavefronts of 64 lanes (gfx90a) and of 32 (gfx1030), in "
           "turns:\n");
    for (unsigned i = 0; i < N_KERNELS; i++) {
        double seconds[2], ops[2];
        if (!wanted(names, kernels[i].name) || strcmp(kernels[i].unit, LANE_OPS) != 0)
            continue;
        both_sizes(&kernels[i], repeats, seconds, ops);
        const double rate[] = {ops[0] / seconds[0], ops[1] / seconds[1]};
        printf("%-11s %6.2f %6.2f   %5.2f   bar %g: %s\n", kernels[i].name, rate[0], rate[1],
               rate[1] / rate[0], bar, rate[1] >= bar * rate[0] ? "met" : "MISSED");
        fflush(stdout);
    }
}

/* ---- Programs on the unmodified runtime ---- */

/* Runs a program with the software GPU preloaded, standard output into `out`. */
static struct time run_program(const char *const argv[], char *out, size_t size)
{
    int ends[2];
    pid_t pid;
    struct rusage r;
    int status;
    size_t n = 0;
    ssize_t got;
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC))
        die("pipe", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    double wall = now(CLOCK_MONOTONIC);
    setenv("LD_PRELOAD", BENCH_SOFT_GPU, 1);
    int error = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    unsetenv("LD_PRELOAD");
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error)
        die(argv[0], strerror(error));
    char rest[4096];
    while ((got = n + 1 < size ? read(ends[0], out + n, size - 1 - n) : read(ends[0], rest, sizeof rest)) > 0)
        n += n + 1 < size ? (size_t)got : 0;
    out[n] = 0;
    close(ends[0]);
    if (wait4(pid, &status, 0, &r) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
        die(argv[0], "failed");
    return (struct time){(double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
                             1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec),
                         now(CLOCK_MONOTONIC) - wall};
}

static void program(const char *what, const char *const argv[], double bar, unsigned repeats)
{
    char out[64];
    struct time least = {0, 0};
    for (unsigned i = 0; i < 2 * repeats; i++)
        keep_least(&least, run_program(argv, out, sizeof out));
    printf("%-34s %6.3f s wall %6.3f s CPU   bar %g: %s\n", what, least.wall, least.cpu, bar,
           least.wall < bar ? "met" : "MISSED");
}

static void programs(unsigned repeats)
{
    const char *const info[] = {"rocminfo", NULL}, *const empty[] = {BENCH_EMPTY, NULL},
                      *const idle[] = {BENCH_EMPTY, "idle", NULL};
    char out[64];
    printf("\nPrograms on the unmodified runtime, from start to exit:\n");
    program("rocminfo", info, 0.15, repeats);
    if (access(BENCH_EMPTY, X_OK)) {
        printf("no hipcc when this was built: no HIP program to measure\n");
        return;
    }
    program("HIP program, one empty kernel", empty, 0.6, repeats);
    run_program(idle, out, sizeof out);
    printf("%-34s %6.2f %% of a core             bar 1: %s\n", "the same, idle for two seconds", atof(out),
           atof(out) < 1 ? "met" : "MISSED");
}

int main(int argc, char **argv)
{
    unsigned repeats = 5;
    int option;
    while ((option = getopt(argc, argv, "g:r:")) != -1) {
        if (option == 'g' && (!strcmp(optarg, "gfx90a") || !strcmp(optarg, "gfx1030"))) {
            gpu = optarg;
        } else if (option == 'r' && atoi(optarg) > 0) {
            repeats = (unsigned)atoi(optarg);
        } else {
            fprintf(stderr, "usage: bench-soft-gpu [-g gfx90a|gfx1030] [-r repeats] [kernel...]\n");
            return 2;
        }
    }
    char **names = argv + optind;
    kernels_on_one_thread(repeats, names);
    two_threads(repeats, names);
    sizes_compared(repeats, names);
    if (!*names && !strcmp(gpu, "gfx90a"))
        programs(repeats);
    return 0;
}
