// Atomics of the hash of each index: with few BINS lanes wait for each other, with many they are spread.
#include <hip/hip_runtime.h>

#ifndef BINS
#define BINS 256
#endif

__global__ void in_lds(unsigned long long *out, const unsigned *in)
{
    __shared__ unsigned long long bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] % BINS], 1ull); // lds
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void in_memory(unsigned *out, const unsigned *in)
{
    atomicAdd(&out[in[threadIdx.x] % BINS], 1u); // memory
}

int main()
{
    static unsigned hash[256];
    unsigned *in, *out;
    for (unsigned i = 0; i < 256; i++)
        hash[i] = i * 2654435761u >> 20;
    if (hipMalloc(&in, sizeof hash) || hipMalloc(&out, 4096) || hipMemset(out, 0, 4096) ||
        hipMemcpy(in, hash, sizeof hash, hipMemcpyHostToDevice))
        return 1;
    in_lds<<<1, 256>>>((unsigned long long *)out, in);
    in_memory<<<1, 256>>>(out, in);
    return hipDeviceSynchronize();
}
