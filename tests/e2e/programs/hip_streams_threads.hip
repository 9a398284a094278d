/* Eight threads with a stream each, which share HIP's four queues, and a kernel each, launched as fast as they can. */
#include <hip/hip_runtime.h>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

enum { THREADS = 8, LAUNCHES = 60 };

template <int N> __global__ void mine(int *p)
{
    p[N * 64 + threadIdx.x]++;
}

static std::atomic<int> failed{0}, ready{0};

template <int N> void work(hipStream_t s, int *p)
{
    ready++;
    while (ready < THREADS)
        std::this_thread::yield();
    for (int i = 0; i < LAUNCHES; i++)
        mine<N><<<1, 64, 0, s>>>(p);
    failed += hipStreamSynchronize(s) != hipSuccess;
}

template <int N> void start(std::vector<std::thread> &threads, const hipStream_t *s, int *p)
{
    if constexpr (N < THREADS) {
        threads.emplace_back(work<N>, s[N], p);
        start<N + 1>(threads, s, p);
    }
}

int main()
{
    int *p, host[THREADS * 64], wrong = 0;
    hipStream_t s[THREADS];
    std::vector<std::thread> threads;
    if (hipMalloc(reinterpret_cast<void **>(&p), sizeof host) != hipSuccess ||
        hipMemset(p, 0, sizeof host) != hipSuccess)
        return 1;
    for (auto &each : s)
        if (hipStreamCreate(&each) != hipSuccess)
            return 1;
    start<0>(threads, s, p);
    for (auto &each : threads)
        each.join();
    if (hipMemcpy(host, p, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
        return 1;
    for (int each : host)
        wrong += each != LAUNCHES;
    std::printf("%s\n", failed || wrong ? "FAILED" : "PASSED");
    return failed || wrong;
}
