/* Several threads, each with its own stream and buffers, launch kernels and copy concurrently; events time them. */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <thread>
#include <vector>

__global__ void scale(const int *in, int *out, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * by;
}

static void worker(int id, int *failures)
{
    const int n = 1000, rounds = 10;
    std::vector<int> host(n), back(n);
    int *in, *out;
    hipStream_t stream;
    hipEvent_t start, stop;
    bool ok = hipStreamCreate(&stream) == hipSuccess && hipEventCreate(&start) == hipSuccess &&
              hipEventCreate(&stop) == hipSuccess && hipMalloc(&in, n * 4) == hipSuccess &&
              hipMalloc(&out, n * 4) == hipSuccess;
    for (int r = 0; ok && r < rounds; r++) {
        for (int i = 0; i < n; i++)
            host[i] = i + r * id;
        ok = hipMemcpyAsync(in, host.data(), n * 4, hipMemcpyHostToDevice, stream) == hipSuccess &&
             hipEventRecord(start, stream) == hipSuccess;
        scale<<<(n + 127) / 128, 128, 0, stream>>>(in, out, n, r + 2);
        float ms = -1;
        ok = ok && hipEventRecord(stop, stream) == hipSuccess &&
             hipMemcpyAsync(back.data(), out, n * 4, hipMemcpyDeviceToHost, stream) == hipSuccess &&
             hipStreamSynchronize(stream) == hipSuccess && hipEventElapsedTime(&ms, start, stop) == hipSuccess && ms >= 0;
        for (int i = 0; ok && i < n; i++)
            ok = back[i] == (i + r * id) * (r + 2);
    }
    *failures = !ok;
}

int main()
{
    const int threads = 4;
    int failures[threads];
    std::vector<std::thread> all;
    for (int t = 0; t < threads; t++)
        all.emplace_back(worker, t, &failures[t]);
    for (auto &t : all)
        t.join();
    int sum = 0;
    for (int f : failures)
        sum += f;
    std::printf("%s\n", sum ? "FAILED" : "PASSED");
    return sum != 0;
}
