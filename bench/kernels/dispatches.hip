// Launches a small kernel many times and prints what one launch costs: bench/dispatches.py.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <unistd.h>

__global__ void small(int *out, int n)
{
    if (threadIdx.x < (unsigned)n)
        out[threadIdx.x] = n;
}

enum { BATCH = 1000 }; // many, for the runtime looks at a signal over and over while it waits for the last one

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool starts(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

// Seconds of the runtime's threads: not this one, not the software GPU's, not those that record.
static double runtime_threads()
{
    double sum = 0;
    DIR *tasks = opendir("/proc/self/task");
    while (dirent *e = tasks ? readdir(tasks) : nullptr) {
        char path[300], name[64] = "";
        unsigned long long ns = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
        if (FILE *f = fopen(path, "r")) {
            if (!fgets(name, sizeof name, f))
                name[0] = 0;
            fclose(f);
        }
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", e->d_name);
        FILE *f = *name && atoi(e->d_name) != getpid() && !starts(name, "lanescope") && !starts(name, "softgpu")
                      ? fopen(path, "r")
                      : nullptr;
        if (f) {
            if (fscanf(f, "%llu", &ns) == 1)
                sum += (double)ns * 1e-9;
            fclose(f);
        }
    }
    if (tasks)
        closedir(tasks);
    return sum;
}

// Microseconds per launch: of the threads through which it goes to the GPU, and of the whole process.
int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    int *out;
    if (hipMalloc(&out, 4096) != hipSuccess)
        return 1;
    double thread = 0, process = 0;
    for (int batch = -2; batch < n / BATCH; batch++) { // the first ones set everything up
        double others = runtime_threads();
        double start = seconds(CLOCK_THREAD_CPUTIME_ID), all = seconds(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < BATCH; i++)
            small<<<1, 64>>>(out, 64);
        // without the wait, in which the runtime looks at a signal over and over
        double launched = seconds(CLOCK_THREAD_CPUTIME_ID);
        if (hipDeviceSynchronize() != hipSuccess)
            return 1;
        if (batch < 0)
            continue;
        process += seconds(CLOCK_PROCESS_CPUTIME_ID) - all;
        thread += launched - start + runtime_threads() - others;
    }
    printf("%.2f %.2f\n", 1e6 * thread / n, 1e6 * process / n);
}
