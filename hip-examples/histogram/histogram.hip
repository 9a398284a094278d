/* histogram - 64 bins: with global atomics only, and with LDS atomics per work-group first. */
#include "../common/example.h"

constexpr int BINS = 64;

__global__ void histogram_global(const unsigned char *in, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i] % BINS], 1u);
}

__global__ void histogram_lds(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned local[BINS];
    if (threadIdx.x < BINS)
        local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&local[in[i] % BINS], 1u);
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    const int n = 8192;
    std::vector<unsigned char> in(n);
    std::vector<unsigned> expected(BINS, 0);
    unsigned seed = 12345;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        in[i] = (unsigned char)(seed >> 24);
        expected[in[i] % BINS]++;
    }
    DeviceArray<unsigned char> din(in);
    DeviceArray<unsigned> dbins(BINS);
    dbins.clear();
    histogram_global<<<n / 256, 256>>>(din.get(), dbins.get(), n);
    finish_launch();
    int failed = verdict("histogram_global", dbins.read(), expected);
    dbins.clear();
    histogram_lds<<<n / 256, 256>>>(din.get(), dbins.get(), n);
    finish_launch();
    return failed | verdict("histogram_lds", dbins.read(), expected);
}
