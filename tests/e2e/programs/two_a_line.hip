/* Accesses of each kind and memory, two of them on one line. */
#include <hip/hip_runtime.h>

__global__ void two_a_line(int *out, const int *in, int *counters)
{
    __shared__ int l[256];
    int t = threadIdx.x;
    l[t] = in[t] + in[t * 3];
    __syncthreads();
    atomicAdd(&l[t & 7], 1);
    atomicAdd(&counters[t & 3], 2);
    __syncthreads();
    out[t] = l[t * 9 & 255] + l[t * 32 & 255];
}

int main()
{
    int *memory;
    if (hipMalloc(&memory, 1 << 16) || hipMemset(memory, 0, 1 << 16))
        return 1;
    two_a_line<<<2, 256>>>(memory, memory + 4096, memory + 8192);
    return hipDeviceSynchronize();
}
