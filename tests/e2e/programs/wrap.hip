// Atomic increments and decrements that wrap around, in global and in group memory.
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void count(unsigned *out)
{
    __shared__ unsigned local;
    if (threadIdx.x == 0)
        local = 0;
    __syncthreads();
    atomicInc(&out[0], 9);
    atomicDec(&out[1], 9);
    atomicInc(&local, 6);
    __syncthreads();
    if (threadIdx.x == 0)
        out[2 + blockIdx.x] = local;
}

int main()
{
    unsigned *out;
    if (hipMallocManaged(&out, 4 * sizeof(*out)) != hipSuccess)
        return 1;
    out[0] = 0;
    out[1] = 3;
    count<<<2, 64>>>(out);
    if (hipDeviceSynchronize() != hipSuccess)
        return 1;
    printf("%u %u %u %u\n", out[0], out[1], out[2], out[3]);
}
