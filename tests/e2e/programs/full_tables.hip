// What summary mode has to send or to count in other ways than most accesses.
#include <hip/hip_runtime.h>
#include <stdio.h>

// An atomic whose stride is another one nearly every turn, and that of part of a wavefront, too: more than a site has entries.
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

// The wavefront that ends last has half its lanes, and more counters to send than fit into one message.
__global__ void part(int *out, int turns)
{
    __shared__ int s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        s[i] = i;
    __syncthreads();
    for (int i = 0; i < turns; i++) {
        atomicAdd(&s[(threadIdx.x * i) & 4095], i);
        if (threadIdx.x & (1 << i % 6))
            atomicXor(&s[(threadIdx.x * 3 + i * 64) & 4095], i);
    }
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

// Wavefronts that wait for each other between atomics whose addresses are those of no shape.
__global__ void meet(int *out, int turns)
{
    for (int i = 0; i < turns; i++) {
        atomicAdd(&out[(threadIdx.x * threadIdx.x * 7 + i) & 1023], 1);
        __syncthreads();
    }
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
    for (int launches = 0; launches < 2; launches++)
        part<<<1, 96>>>(out, 80);
    for (int launches = 0; launches < 2; launches++)
        meet<<<1, 256>>>(out, 2);
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < 3 * 2048; i++)
        sum = sum * 31 + host[i];
    printf("%lu\n", sum);
    return 0;
}
