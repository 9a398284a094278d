/* Kernels as people write them: all of their accesses are exact. */
#include <hip/hip_runtime.h>

/* The size of the work-group is read on two ways, and behind them. */
__global__ void histogram(unsigned *out, const unsigned *in)
{
    __shared__ unsigned bins[512];
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] % 8], 1);
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x % 512];
}

__global__ void strided(float *out, const float *in, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int i = threadIdx.y; i < 4; i += blockDim.y)
        out[(blockIdx.x * 4 + i) * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    unsigned *in, *out;
    if (hipMalloc(&in, 1 << 16) || hipMalloc(&out, 1 << 16) || hipMemset(in, 3, 1 << 16))
        return 1;
    histogram<<<4, 256>>>(out, in);
    strided<<<2, dim3(32, 4)>>>((float *)out, (float *)in, 1000);
    return hipDeviceSynchronize();
}
