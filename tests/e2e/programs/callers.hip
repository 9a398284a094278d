// Two kernels that reach one function: the second one's own access and the function's cost different numbers of lines.
#include <hip/hip_runtime.h>

__device__ __attribute__((noinline)) void put(int *p, int value)
{
    p[threadIdx.x] = value; // put
}

__global__ void first_caller(int *p)
{
    put(p, 1);
}

__global__ void second_caller(int *p)
{
    put(p, p[threadIdx.x * 2]); // every second
}

int main()
{
    int *p;
    if (hipMalloc(&p, 4096) != hipSuccess)
        return 1;
    first_caller<<<1, 64>>>(p);
    second_caller<<<1, 64>>>(p);
    return hipDeviceSynchronize() != hipSuccess;
}
