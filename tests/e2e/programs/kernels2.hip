/* A second translation unit of kernels.hip, linked without -fgpu-rdc, with a static kernel of the same name. */
#include <hip/hip_runtime.h>
#include <cstdio>

static __global__ void static_kernel(int *out)
{
    out[threadIdx.x] = 1000 - threadIdx.x;
}

int second_file(int *device)
{
    int host[64];
    static_kernel<<<1, 64>>>(device);
    if (hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
        return 1;
    for (int i = 0; i < 64; i++)
        if (host[i] != 1000 - i)
            return 1;
    std::printf("second file: PASSED\n");
    return 0;
}
