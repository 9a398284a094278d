/* A module with a function that another module's kernel gets the address of. */
#include <hip/hip_runtime.h>

__device__ __attribute__((noinline)) int fivefold(const int *p, int i)
{
    return 5 * p[i];
}
__device__ __attribute__((noinline)) double half(double x)
{
    return x / 2;
}
extern "C" {
__device__ double (*halve)(double) = half;
__device__ int (*entry)(const int *, int) = fivefold;

__global__ void own(int *out, const int *in)
{
    out[threadIdx.x] = fivefold(in, threadIdx.x);
}
}
