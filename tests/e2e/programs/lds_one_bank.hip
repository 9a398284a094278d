/* The kernel of ROCm Compute Profiler's lds.hip sample, once with each number of work-items from 1 to 64. */
#include <hip/hip_runtime.h>
#include <cstdio>

template <int N> __global__ void one_bank(int *out)
{
    __shared__ int array[64 * 32];
    for (int i = threadIdx.x; i < 64 * 32; i += N)
        array[i] = i;
    __syncthreads();
    int x = array[threadIdx.x * 32]; // MEASURED
    out[threadIdx.x] = x;
}

template <int N> int run(int *device)
{
    int host[64];
    one_bank<N><<<1, N>>>(device);
    if (hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
        return 1;
    for (int i = 0; i < N; i++)
        if (host[i] != i * 32)
            return 1;
    if constexpr (N < 64)
        return run<N + 1>(device);
    return 0;
}

int main()
{
    int *device;
    if (hipMalloc(&device, 64 * sizeof(int)) != hipSuccess)
        return 2;
    int rc = run<1>(device);
    std::printf("%s\n", rc ? "FAILED" : "PASSED");
    return rc;
}
