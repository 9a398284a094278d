/* Device side of module.hip: its code object is loaded at run time. */
#include <hip/hip_runtime.h>

__device__ int bias;

extern "C" __global__ void fill(int *out, int first, float unused, char step)
{
    extern __shared__ int shared[];
    int t = threadIdx.x;
    shared[t] = first + t * step + (unused > 1e30f);
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = shared[blockDim.x - 1 - t] + bias;
}
