/*
 * bench/simulator - the software GPU against MGPUSim's emulation, on the same machine code.
 *
 *     bench-simulator PROGRAM CODE-OBJECT [size...]
 *
 * PROGRAM is a build of MGPUSim's sample `matrixmultiplication`, CODE-OBJECT its kernels_gfx942.hsaco, an object file,
 * linked by `ld.lld -shared`. Both sides run the kernel mmmKernel_local on one gfx942 with the same grid. The sample prints no time, so its is that
 * of the process, user and system, less that of the same process with the smallest matrices: what remains is the launch,
 * and the making of its input. The least of several runs counts on either side.
 */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/temporary.h"
#include "loader.h"

extern char **environ;

enum { SMALLEST = 32, LARGEST = 2048, REPEATS = 3 };

static void die(const char *what, const char *why)
{
    fprintf(stderr, "bench-simulator: %s: %s\n", what, why);
    exit(1);
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* ---- Theirs ---- */

/* It leaves a database in its working directory, so it gets one of its own. */
static double process_seconds(const char *program, unsigned n)
{
    char directory[PATH_MAX], size[16];
    snprintf(directory, sizeof directory, "%s/bench-simulator-XXXXXX", ls_temporary_folder());
    if (!mkdtemp(directory))
        die(directory, strerror(errno));
    snprintf(size, sizeof size, "%u", n);
    const char *const argv[] = {program, "-arch", "cdna3", "-disable-rtm", "-magic-memory-copy",
                                "-x",    size,    "-y",    size,           "-z",
                                size,    NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, directory);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    pid_t pid;
    const int error = posix_spawn(&pid, program, &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        die(program, strerror(error));
    int status;
    struct rusage used;
    if (wait4(pid, &status, 0, &used) != pid || status)
        die(program, "failed; is it a build of MGPUSim's matrixmultiplication that knows -arch cdna3?");
    ls_remove_folder(directory);
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

static double least_process_seconds(const char *program, unsigned n)
{
    double least = process_seconds(program, n);
    for (unsigned r = 1; r < REPEATS; r++) {
        const double s = process_seconds(program, n);
        least = s < least ? s : least;
    }
    return least;
}

/* ---- Ours ---- */

struct ours {
    struct sg_device *device;
    struct sg_object *object;
    float *a, *b, *c;
    void *scratch;
};

static struct ours open_ours(const char *code_object)
{
    struct sg_engine_config config = {.arch = ls_gpu_find_emulated("gfx942"), .threads = 1};
    const char *why;
    char text[256];
    struct ours o = {.device = sg_device_create(&config, &why)};
    if (!o.device)
        die("engine", why);
    o.object = sg_object_load(o.device, code_object, text, sizeof text);
    if (!o.object)
        die(code_object, text);
    const size_t bytes = sizeof(float) * LARGEST * LARGEST;
    o.a = sg_device_alloc(o.device, bytes);
    o.b = sg_device_alloc(o.device, bytes);
    o.c = sg_device_alloc(o.device, bytes);
    o.scratch = sg_device_alloc(o.device, sizeof(float) * 32 * 32);
    if (!o.a || !o.b || !o.c || !o.scratch)
        die("memory", "none left");
    return o;
}

/*
 * Small whole numbers, whose sums of products are exact in any order. In this code object all work-groups keep their
 * tile of A in one buffer, and so overwrite each other's: A is one number everywhere.
 */
static void fill(struct ours *o, unsigned n)
{
    for (size_t i = 0; i < (size_t)n * n; i++) {
        o->a[i] = 3;
        o->b[i] = (float)(i % 5);
    }
    memset(o->c, 0, sizeof(float) * n * n);
}

static void check(const struct ours *o, unsigned n)
{
    for (unsigned row = 0; row < n; row += n / 4 + 1)
        for (unsigned column = 0; column < n; column++) {
            float sum = 0;
            for (unsigned k = 0; k < n; k++)
                sum += o->a[(size_t)row * n + k] * o->b[(size_t)k * n + column];
            if (o->c[(size_t)row * n + column] != sum)
                die("mmmKernel_local", "the product is wrong");
        }
}

static double launch_seconds(struct ours *o, unsigned n)
{
    const struct {
        void *a, *b, *c;
        unsigned n, zero;
        void *block;
    } arguments = {o->a, o->b, o->c, n, 0, o->scratch};
    const struct sg_launch l = {.kernel = "mmmKernel_local",
                                .grid = {n / 4, n / 4},
                                .workgroup = {8, 8},
                                .arguments = &arguments,
                                .argument_bytes = sizeof arguments};
    struct timespec before, after;
    struct sg_fault fault;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    if (sg_object_launch(o->device, o->object, &l, &fault))
        die(l.kernel, fault.message);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    return (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
}

struct measured {
    double seconds, instructions;
};

static struct measured measure(struct ours *o, unsigned n)
{
    uint64_t instructions[2], lanes;
    fill(o, n);
    sg_engine_counters(sg_device_engine(o->device), &instructions[0], &lanes);
    struct measured m = {.seconds = launch_seconds(o, n)};
    sg_engine_counters(sg_device_engine(o->device), &instructions[1], &lanes);
    m.instructions = (double)(instructions[1] - instructions[0]);
    check(o, n);
    for (unsigned r = 1; r < REPEATS; r++) {
        const double s = launch_seconds(o, n);
        m.seconds = s < m.seconds ? s : m.seconds;
    }
    return m;
}

/* ---- Both ---- */

static unsigned size_of(const char *text)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);
    if (*end || n <= SMALLEST || n > LARGEST || n % SMALLEST)
        die(text, "sizes are multiples of 32 from 64 to 2048");
    return (unsigned)n;
}

static void compare(struct ours *o, const char *program, double base, unsigned n)
{
    const struct measured ours = measure(o, n);
    const double theirs = least_process_seconds(program, n) - base;
    printf("%5u %14.0f %12.4f %12.4f %9.1f %9.1f %8.1f\n", n, ours.instructions, theirs, ours.seconds,
           1e-6 * ours.instructions / theirs, 1e-6 * ours.instructions / ours.seconds, theirs / ours.seconds);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench-simulator PROGRAM CODE-OBJECT [size...]\n");
        return 2;
    }
    struct ours o = open_ours(argv[2]);
    const double base = least_process_seconds(argv[1], SMALLEST);
    printf("Matrix product, gfx942, functional emulation, one thread of ours. MGPUSim starts in %.3f s.\n"
           " size   instructions   CPU seconds      CPU seconds   million instructions   times\n"
           "         (wavefront)       MGPUSim       Lanescope   a second: theirs, ours  faster\n",
           base);
    static const unsigned usual[] = {128, 256, 512};
    if (argc == 3)
        for (unsigned i = 0; i < sizeof usual / sizeof *usual; i++)
            compare(&o, argv[1], base, usual[i]);
    for (int i = 3; i < argc; i++)
        compare(&o, argv[1], base, size_of(argv[i]));
    sg_device_destroy(o.device);
    return 0;
}
