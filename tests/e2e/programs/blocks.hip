// Blocks whose executions are known by hand: test_blocks.py.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void blocks(int *out, int n)
{
    int sum = (int)threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum = sum * 7 ^ out[k]; // LOOP
    if (threadIdx.x < 16)
        out[n + 500] = sum; // SOME
    if (blockIdx.x == 1)
        out[n + 600] = sum; // ONE
    out[threadIdx.x + 300] = sum;
}

int main()
{
    int *out;
    if (hipMalloc(&out, 1 << 16) != hipSuccess || hipMemset(out, 0, 1 << 16) != hipSuccess)
        return 1;
    blocks<<<4, 128>>>(out, 10);
    if (hipDeviceSynchronize() != hipSuccess)
        return 1;
    printf("PASSED\n");
}
