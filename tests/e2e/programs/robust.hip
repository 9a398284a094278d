/* What a profiler must survive; argv[1] names it. Each mode that ends by itself prints "PASSED" and exits with 3. */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *p, int v) /* one atomic per wavefront of a work-group of 64 */
{
    atomicAdd(p + threadIdx.x, v); // ADD
}

__global__ void flood(int *p, int n) /* n stores of each wavefront, each of which has a message of its own */
{
    for (int i = 0; i < n; i++) {
        int lane = threadIdx.x;
        __asm__ volatile("" : "+v"(lane));
        *static_cast<volatile int *>(p + blockIdx.x * 64 + lane) = i; // FLOOD
    }
}

/* n copies of each wavefront, each of which has four messages: what is read, what is written, and how long both are. */
__global__ void copy(int *p, int n)
{
    for (int i = 0; i < n; i++) {
        int bytes = 4;
        __asm__ volatile("" : "+v"(bytes));
        int *mine = p + blockIdx.x * 64;
        __builtin_memcpy(mine + threadIdx.x, mine + 63 - threadIdx.x, bytes);
    }
}

/* Tells the host that it runs, then stores until the host lets it go. */
__global__ void spin(int *p, volatile int *started, volatile int *stop)
{
    *started = 1;
    while (!*stop)
        static_cast<volatile int *>(p)[threadIdx.x] = 1;
}

#define CHECK(x)                                                                                             \
    if ((x) != hipSuccess)                                                                                   \
    return std::printf("failed: %s\n", #x), std::fflush(stdout), 99

static int *device;

static int expect(int value)
{
    int host[64];
    CHECK(hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        if (host[i] != value)
            return std::printf("%d: %d, not %d\n", i, host[i], value), 98;
    return 0;
}

static int launch(int times)
{
    for (int i = 0; i < times; i++)
        add<<<1, 64>>>(device, 1);
    CHECK(hipDeviceSynchronize());
    return 0;
}

static int streams(int n, int times)
{
    hipStream_t s[16];
    for (int i = 0; i < n; i++)
        CHECK(hipStreamCreateWithFlags(&s[i], hipStreamNonBlocking));
    for (int k = 0; k < times; k++)
        for (int i = 0; i < n; i++)
            add<<<1, 64, 0, s[i]>>>(device, 1);
    for (int i = 0; i < n; i++)
        CHECK(hipStreamSynchronize(s[i]));
    return expect(n * times);
}

/* One of the kernel per stream, three times. */
static int floods(void (*kernel)(int *, int), int groups, int n)
{
    hipStream_t s[4];
    int *p;
    CHECK(hipMalloc(&p, groups * 256));
    for (int i = 0; i < 4; i++)
        CHECK(hipStreamCreateWithFlags(&s[i], hipStreamNonBlocking));
    for (int k = 0; k < 12; k++)
        kernel<<<groups, 64, 0, s[k % 4]>>>(p, n);
    CHECK(hipDeviceSynchronize());
    return 0;
}

static int stores(int groups, int n)
{
    int *p, *host;
    CHECK(hipMalloc(&p, groups * 256));
    CHECK(hipHostMalloc(&host, 256));
    flood<<<groups, 64>>>(p, n);
    CHECK(hipDeviceSynchronize());
    /* Not by a kernel, as it is pinned. */
    CHECK(hipMemcpyAsync(host, p, 256, hipMemcpyDeviceToHost, nullptr));
    CHECK(hipDeviceSynchronize());
    return 0;
}

/* Ten dispatches that complete, and one that never does. */
static int forever()
{
    int *flags, *on_device;
    CHECK(hipHostMalloc(&flags, 128, hipHostMallocCoherent | hipHostMallocMapped));
    CHECK(hipHostGetDevicePointer(reinterpret_cast<void **>(&on_device), flags, 0));
    volatile int *started = flags;
    flags[0] = flags[16] = 0;
    if (int rc = launch(10))
        return rc;
    spin<<<4, 64>>>(device, on_device, on_device + 16);
    while (!*started)
        usleep(1000);
    std::printf("%d\n", getpid());
    std::fflush(stdout);
    return hipDeviceSynchronize();
}

/* A limit on the size of files that comes when the GPU's memory, which the software GPU keeps in files, is there. */
static int limited(int kilobytes, int times)
{
    struct rlimit limit = {kilobytes * 1024ul, kilobytes * 1024ul};
    if (int rc = launch(1))
        return rc;
    if (setrlimit(RLIMIT_FSIZE, &limit))
        return 92;
    return launch(times) ? 91 : expect(times + 1);
}

/* Goes on when its standard input ends. */
static int halves(int times)
{
    if (int rc = launch(times))
        return rc;
    while (std::getchar() != EOF)
        ;
    return launch(times) ? 93 : expect(2 * times);
}

static int wait_for(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 97;
    return WEXITSTATUS(status);
}

/* One child only computes, one runs this program anew; the parent works on the GPU before, between and after. */
static int forks(char *self)
{
    if (int rc = launch(5))
        return rc;
    pid_t child = fork();
    if (!child)
        _exit(41); /* after exit(), HIP 5 ends in an assertion of its own: a child has no GPU */
    if (wait_for(child) != 41 || launch(5))
        return 96;
    child = fork();
    if (!child) {
        execl(self, self, "launch", "7", static_cast<char *>(nullptr));
        _exit(1);
    }
    if (wait_for(child) != 3 || launch(5))
        return 95;
    return expect(15);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int a = argc > 2 ? std::atoi(argv[2]) : 1, b = argc > 3 ? std::atoi(argv[3]) : 1, rc = 94;
    CHECK(hipMalloc(&device, 256));
    CHECK(hipMemset(device, 0, 256));
    if (!std::strcmp(how, "launch"))
        rc = launch(a) ? 93 : expect(a);
    else if (!std::strcmp(how, "halves"))
        rc = halves(a);
    else if (!std::strcmp(how, "streams"))
        rc = streams(a, b);
    else if (!std::strcmp(how, "stores"))
        rc = stores(a, b);
    else if (!std::strcmp(how, "floods"))
        rc = floods(flood, a, b);
    else if (!std::strcmp(how, "copies"))
        rc = floods(copy, a, b);
    else if (!std::strcmp(how, "forever"))
        rc = forever();
    else if (!std::strcmp(how, "limited"))
        rc = limited(a, b);
    else if (!std::strcmp(how, "fork"))
        rc = forks(argv[0]);
    if (rc)
        return rc;
    std::printf("PASSED\n");
    return 3;
}
