/* A kernel whose device function and device variable are in another file: -fgpu-rdc. */
#include <hip/hip_runtime.h>
#include <cstdio>

extern __device__ int offset;
__device__ int elsewhere(const int *p, int i);

__global__ void across(int *out, const int *in)
{
    out[threadIdx.x] = elsewhere(in, threadIdx.x) + offset; // HERE
}

int other_kernel(int *p);

int main()
{
    int host[64], *in, *out;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    if (hipMalloc(&in, sizeof host) != hipSuccess || hipMalloc(&out, sizeof host) != hipSuccess ||
        hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice) != hipSuccess)
        return 2;
    across<<<1, 64>>>(out, in);
    if (other_kernel(out) || hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
        return 3;
    for (int i = 0; i < 64; i++)
        if (host[i] != (i ^ 1) + 1000 + 5)
            return std::printf("%d: %d\n", i, host[i]), 1;
    std::printf("PASSED\n");
    return 0;
}
