/* Kernels that wait for ever, or seem to, one per run: endless MODE. Where the host can end it, it does so
 * after the software GPU has said on stderr that there is no progress. */
#include "check.h"
#include <unistd.h>

/* The flag is read once, as compilers do with one that is not volatile: the loop cannot see a change. */
__global__ void reads_once(const int *flag, int *out)
{
    int seen = *flag;
    while (seen != 77)
        asm volatile("s_sleep 1"); // ONCE
    out[0] = 1;
}

/* Wavefront 0 waits for what wavefront 1 would write behind a barrier. */
__global__ void waits_before_barrier(int *out)
{
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x < 64)
        while (!ready) // BEFORE
            ;
    __syncthreads();
    if (threadIdx.x >= 64)
        ready = 1;
    out[threadIdx.x] = 1;
}

/* Each work-group waits for a number that only the host writes, and sleeps or not. */
__global__ void waits_for_host(volatile int *flag, int *out)
{
    if (blockIdx.x % 2)
        while (*flag == 0) // SLEEP
            __builtin_amdgcn_s_sleep(1);
    else
        while (*flag == 0) // HOST
            ;
    out[blockIdx.x * blockDim.x + threadIdx.x] = *flag;
}

/* The same, counting how often it has looked, and when it last did. */
__global__ void waits_and_counts(volatile int *flag, int *out)
{
    int looks = 0;
    unsigned long long last = 0;
    while (*flag == 0) { // COUNT
        looks++;
        last = __builtin_readcyclecounter();
        asm volatile("" : "+v"(looks), "+v"(last));
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = looks > 0 && last > 0 ? *flag : 0;
}

/* The lock was never free. */
__global__ void takes_lock(int *lock, int *out)
{
    while (atomicCAS(lock, 0, 1) != 0) // LOCK
        ;
    out[blockIdx.x] = 1;
    atomicExch(lock, 0);
}

/* Works for ever. */
__global__ void has_no_end(volatile int *p)
{
    for (;;)
        p[threadIdx.x] = p[threadIdx.x] + 1; // ENDLESS
}

static int messages = -1, terminal;

/* From here on stderr is a pipe, which hear() empties to the real one. */
static void listen()
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    messages = ends[0];
    terminal = dup(2);
    dup2(ends[1], 2);
}

static void hear_one_line()
{
    char byte;
    do {
        CHECK(read(messages, &byte, 1) == 1);
        CHECK(write(terminal, &byte, 1) == 1);
    } while (byte != '\n');
}

int main(int, char **argv)
{
    int *out, *shared;
    HIP(hipMalloc(&out, 4096));
    HIP(hipMemset(out, 0, 4096));
    HIP(hipHostMalloc(reinterpret_cast<void **>(&shared), 4096, hipHostMallocCoherent));
    shared[0] = 0;
    shared[1] = 1;
    HIP(hipDeviceSynchronize());
    std::printf("launching\n"); /* before, as a kernel that is stopped ends the process at any time after */
    std::fflush(stdout);
    if (!std::strcmp(argv[1], "once"))
        reads_once<<<1, 64>>>(shared, out);
    else if (!std::strcmp(argv[1], "before"))
        waits_before_barrier<<<2, 256>>>(out);
    else {
        listen();
        if (!std::strcmp(argv[1], "host"))
            waits_for_host<<<6, 128>>>(shared, out);
        else if (!std::strcmp(argv[1], "count"))
            waits_and_counts<<<6, 128>>>(shared, out);
        else if (!std::strcmp(argv[1], "lock"))
            takes_lock<<<4, 1>>>(shared + 1, out);
        else if (!std::strcmp(argv[1], "endless"))
            has_no_end<<<1, 64>>>(out);
        hear_one_line();
        shared[0] = 33;
        shared[1] = 0;
    }
    if (!std::strcmp(argv[1], "endless"))
        _exit(0);
    hipError_t e = hipDeviceSynchronize();
    std::printf("synchronised: %s\n", hipGetErrorName(e));
    int host[6 * 128];
    HIP(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    const bool host_ends = !std::strcmp(argv[1], "host") || !std::strcmp(argv[1], "count");
    for (int i = 0; host_ends && i < 6 * 128; i++)
        CHECK(host[i] == 33);
    for (int i = 0; !std::strcmp(argv[1], "lock") && i < 4; i++)
        CHECK(host[i] == 1);
    return e != hipSuccess;
}
