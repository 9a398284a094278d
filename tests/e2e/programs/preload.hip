/* preload - arguments of all sizes and a hidden one (blockDim), for -mllvm -amdgpu-kernarg-preload-count. */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

__global__ void scale(unsigned *out, const unsigned *in, unsigned short a, unsigned b, unsigned long long c)
{
    __shared__ unsigned tile[32][32];
    unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[y][x] = in[i] * a + b;
    __syncthreads();
    out[i] = tile[x][y] + (unsigned)(c >> 32); /* MEASURED */
}

/* So few arguments that the clone's extra one fits behind them. */
__global__ void count(unsigned *out)
{
    out[blockIdx.x * 64 + threadIdx.x] += 1 + threadIdx.x; /* COUNTED */
}

int main()
{
    const unsigned groups = 3, n = 1024 * groups;
    std::vector<unsigned> in(n), got(n);
    for (unsigned i = 0; i < n; i++)
        in[i] = i;
    unsigned *din, *dout;
    if (hipMalloc(&din, 4 * n) != hipSuccess || hipMalloc(&dout, 4 * n) != hipSuccess ||
        hipMemcpy(din, in.data(), 4 * n, hipMemcpyHostToDevice) != hipSuccess)
        return 2;
    scale<<<groups, 1024>>>(dout, din, 3, 100, 7ull << 32);
    if (hipMemcpy(got.data(), dout, 4 * n, hipMemcpyDeviceToHost) != hipSuccess)
        return 2;
    for (unsigned i = 0; i < n; i++) {
        unsigned from = i / 1024 * 1024 + i % 32 * 32 + i % 1024 / 32;
        if (got[i] != from * 3 + 100 + 7) {
            std::printf("scale: FAILED at %u: got %u\n", i, got[i]);
            return 1;
        }
    }
    std::printf("scale: PASSED\n");

    count<<<n / 64, 64>>>(dout);
    if (hipMemcpy(din, dout, 4 * n, hipMemcpyDeviceToDevice) != hipSuccess ||
        hipMemcpy(in.data(), din, 4 * n, hipMemcpyDeviceToHost) != hipSuccess)
        return 2;
    for (unsigned i = 0; i < n; i++)
        if (in[i] != got[i] + 1 + i % 64) {
            std::printf("count: FAILED at %u: got %u\n", i, in[i]);
            return 1;
        }
    std::printf("count: PASSED\n");
    return 0;
}
