/* Three kernels, one in each file; each adds one to 64 numbers. */
#include <hip/hip_runtime.h>
#include <stdio.h>

void add_in_more(int *p);
void add_in_parts(int *p);

__global__ void in_main(int *p)
{
    p[threadIdx.x] += 1;
}

int main()
{
    int *p, last = 0;
    if (hipMalloc((void **)&p, 64 * sizeof(int)) || hipMemset(p, 0, 64 * sizeof(int)))
        return 1;
    hipLaunchKernelGGL(in_main, dim3(1), dim3(64), 0, 0, p);
    add_in_more(p);
    add_in_parts(p);
    if (hipMemcpy(&last, p + 63, sizeof last, hipMemcpyDeviceToHost))
        return 1;
    printf("%d\n", last);
    return 0;
}
