/* The other file of rdc_main.hip. */
#include <hip/hip_runtime.h>

__device__ int offset = 1000;

__device__ __attribute__((noinline)) int elsewhere(const int *p, int i)
{
    return p[i ^ 1]; // ELSEWHERE
}

__global__ void add_five(int *p)
{
    p[threadIdx.x] += 5;
}

int other_kernel(int *p)
{
    add_five<<<1, 64>>>(p);
    return hipDeviceSynchronize() != hipSuccess;
}
