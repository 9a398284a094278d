// An atomic in LDS whose stride is another one nearly every turn, and that of part of a wavefront, too: more strides than a site
// has entries in summary mode.
#include <hip/hip_runtime.h>
#include <stdio.h>

__global__ void strides(int *out, int turns)
{
    __shared__ int s[2048];
    int t = threadIdx.x;
    for (int i = t; i < 2048; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = 0; i < turns; i++)
        atomicAdd(&s[(t * i * i) & 2047], 1);
    __syncthreads();
    for (int i = t; i < 2048; i += blockDim.x)
        out[blockIdx.x * 2048 + i] = s[i];
}

int main()
{
    static int host[3 * 2048];
    int *out;
    unsigned long sum = 0;
    if (hipMalloc(&out, sizeof host))
        return 1;
    for (int launches = 0; launches < 2; launches++)
        strides<<<3, 200>>>(out, 700);
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < 3 * 2048; i++)
        sum = sum * 31 + host[i];
    printf("%lu\n", sum);
    return 0;
}
