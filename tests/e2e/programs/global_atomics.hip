/* Atomics on global memory, of which lanes share addresses. */
#include <hip/hip_runtime.h>

__global__ void quarters(unsigned *out) { atomicAdd(&out[threadIdx.x / 4], 1u); }
__global__ void squares(unsigned *out) { atomicMax(&out[threadIdx.x * threadIdx.x % 16], threadIdx.x); }
__global__ void apart(unsigned long long *out) { atomicAdd(&out[threadIdx.x * 5], 1ull); }
__global__ void half(unsigned *out)
{
    if (threadIdx.x % 64 < 32)
        atomicCAS(&out[threadIdx.x % 7], 0u, threadIdx.x);
}

int main()
{
    void *out;
    if (hipMalloc(&out, 1 << 16) || hipMemset(out, 0, 1 << 16))
        return 1;
    for (int i = 0; i < 3; i++) {
        quarters<<<2, 128>>>((unsigned *)out);
        squares<<<2, 128>>>((unsigned *)out);
        apart<<<2, 128>>>((unsigned long long *)out);
        half<<<2, 128>>>((unsigned *)out);
    }
    return hipDeviceSynchronize();
}
