// 4 x 3 x 2 work-groups of 2 wavefronts, each of which stores once; 3 launches, and one of another kernel.
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void box(int *p)
{
    unsigned group = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    p[group * 128 + threadIdx.x] = group;
}

template <typename T> __global__ void other(T *p) { p[threadIdx.x] = T(1); }

int main()
{
    int *d;
    if (hipMalloc(&d, 1 << 16) != hipSuccess)
        return 1;
    for (int i = 0; i < 3; i++)
        box<<<dim3(4, 3, 2), 128>>>(d);
    other<<<1, 64>>>(d);
    if (hipDeviceSynchronize() != hipSuccess)
        return 1;
    printf("PASSED\n");
    return 0;
}
