/*
 * What HIP streams do, with kernels of a name for each and copies of a size for each, so that a recording can be compared with
 * what is written here. `held` waits for the host, which lets it go on when the copy on another stream is there: both
 * ran at the same time for all of the copy, and nothing else ever does, as the host waits for everything.
 * Streams are numbered as they are made: 1 to 4, then the thread's own, then those of one handle.
 */
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <thread>

#define CHECK(x)                                                                                             \
    if ((x) != hipSuccess)                                                                                   \
    return std::printf("failed: %s\n", #x), 1

__global__ void held(volatile int *go, volatile int *runs)
{
    if (!threadIdx.x)
        *runs = 1;
    while (!*go)
        __builtin_amdgcn_s_sleep(8);
}

template <int N> __global__ void touch(int *p)
{
    p[threadIdx.x] += N;
}

typedef hipError_t (*launch_t)(const void *, dim3, dim3, void **, size_t, hipStream_t);

static int graph(int *p, char *host, char *device, hipStream_t capture, hipStream_t run)
{
    hipGraph_t g;
    hipGraphExec_t e;
    CHECK(hipStreamBeginCapture(capture, hipStreamCaptureModeGlobal));
    touch<40><<<1, 64, 0, capture>>>(p);
    CHECK(hipMemcpyAsync(device, host, 4000, hipMemcpyHostToDevice, capture));
    touch<41><<<1, 64, 0, capture>>>(p);
    CHECK(hipStreamEndCapture(capture, &g));
    CHECK(hipGraphInstantiate(&e, g, nullptr, nullptr, 0));
    CHECK(hipGraphLaunch(e, run));
    CHECK(hipStreamSynchronize(run));
    CHECK(hipGraphExecDestroy(e));
    CHECK(hipGraphDestroy(g));
    return 0;
}

static int own_stream(int *p, char *host, char *device)
{
    touch<50><<<1, 64, 0, hipStreamPerThread>>>(p);
    CHECK(hipMemcpyAsync(device, host, 5000, hipMemcpyHostToDevice, hipStreamPerThread));
    CHECK(hipStreamSynchronize(hipStreamPerThread));
    return 0;
}

int main()
{
    const size_t bytes = 1 << 20;
    char *host, *device;
    int *p, failed = 0;
    hipStream_t s[5];
    CHECK(hipHostMalloc(reinterpret_cast<void **>(&host), bytes, 0));
    CHECK(hipMalloc(reinterpret_cast<void **>(&device), bytes));
    CHECK(hipMalloc(reinterpret_cast<void **>(&p), 64 * sizeof *p));
    std::memset(host, 0, bytes);
    for (int i = 1; i < 5; i++)
        CHECK(hipStreamCreateWithFlags(&s[i], i & 1 ? hipStreamDefault : hipStreamNonBlocking));
    CHECK(hipMemset(p, 0, 64 * sizeof *p)); /* the null stream */
    CHECK(hipDeviceSynchronize());

    volatile int *flags = reinterpret_cast<volatile int *>(host); /* go, runs */
    held<<<1, 64, 0, s[1]>>>(flags, flags + 1);
    while (!flags[1])
        std::this_thread::yield();
    CHECK(hipMemcpyAsync(device, host + 4096, bytes - 4096, hipMemcpyHostToDevice, s[2]));
    CHECK(hipStreamSynchronize(s[2]));
    flags[0] = 1;
    CHECK(hipDeviceSynchronize());

    /* stream 3: never at the same time */
    CHECK(hipMemcpyAsync(host + 4096, device, 3000, hipMemcpyDeviceToHost, s[3]));
    CHECK(hipDeviceSynchronize());
    touch<3><<<1, 64, 0, s[3]>>>(p);
    CHECK(hipDeviceSynchronize());

    /* the null stream */
    touch<0><<<1, 64>>>(p);
    CHECK(hipMemcpy(host + 4096, device, 100, hipMemcpyDeviceToHost));

    failed |= graph(p, host + 4096, device, s[4], s[2]);
    std::thread([&] { failed |= own_stream(p, host + 4096, device); }).join();

    /* two streams, maybe with one handle, that are gone */
    for (int i = 0; i < 2; i++) {
        hipStream_t t;
        CHECK(hipStreamCreate(&t));
        if (i)
            touch<7><<<1, 64, 0, t>>>(p);
        else
            hipExtLaunchKernelGGL(touch<6>, dim3(1), dim3(64), 0, t, nullptr, nullptr, 0, p);
        CHECK(hipStreamSynchronize(t));
        CHECK(hipStreamDestroy(t));
    }

    /* a function that was asked for by name */
    void *args[] = {&p}, *hip = dlopen("libamdhip64.so.5", RTLD_LAZY | RTLD_NOLOAD);
    launch_t launch = hip ? reinterpret_cast<launch_t>(dlsym(hip, "hipLaunchKernel")) : nullptr;
    if (!launch)
        return std::printf("no hipLaunchKernel\n"), 1;
    CHECK(launch(reinterpret_cast<const void *>(touch<4>), dim3(1), dim3(64), args, 0, s[4]));
    CHECK(hipDeviceSynchronize());

    int sum = 0;
    CHECK(hipMemcpy(&sum, p + 63, sizeof sum, hipMemcpyDeviceToHost));
    std::printf("%s\n", !failed && sum == 3 + 40 + 41 + 50 + 6 + 7 + 4 ? "PASSED" : "FAILED");
    return failed;
}
