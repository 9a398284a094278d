/* two_gpus - the same kernel on each device at once, each with its own data; a transposed read through LDS, so that there
 * are conflicts to count. Prints one line per device. */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

__global__ void column(unsigned *out, unsigned seed)
{
    __shared__ unsigned tile[32][32];
    tile[threadIdx.y][threadIdx.x] = seed + 32 * threadIdx.y + threadIdx.x;
    __syncthreads();
    out[32 * threadIdx.y + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; /* MEASURED */
}

int main()
{
    int n = 0, failed = 0;
    if (hipGetDeviceCount(&n) != hipSuccess || !n)
        return 2;
    std::vector<unsigned *> out(n);
    for (int d = 0; d < n; d++) {
        if (hipSetDevice(d) != hipSuccess || hipMalloc(&out[d], 4096) != hipSuccess)
            return 2;
        column<<<1, dim3(32, 32)>>>(out[d], 1000 * (d + 1));
    }
    for (int d = 0; d < n; d++) {
        std::vector<unsigned> got(1024);
        bool ok = hipSetDevice(d) == hipSuccess &&
                  hipMemcpy(got.data(), out[d], 4096, hipMemcpyDeviceToHost) == hipSuccess;
        for (unsigned i = 0; ok && i < 1024; i++)
            ok = got[i] == 1000u * (d + 1) + 32 * (i % 32) + i / 32;
        std::printf("device %d: %s\n", d, ok ? "PASSED" : "FAILED");
        failed |= !ok;
    }
    return failed;
}
