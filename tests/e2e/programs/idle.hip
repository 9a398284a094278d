/* Lanes that are idle, and why. */
#include <hip/hip_runtime.h>

__global__ void eighth(const float *a, float *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    if (i % 8 == 0)
        for (int k = 0; k < n; k++)
            s += a[i + k * 256]; // eighth
    o[i] = s;
}

__global__ void nested(const float *a, float *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 4 == 0) {
        o[i + 256] = 1;
        if (a[i] == 0)
            o[i] = a[i + 512] + n; // nested
    }
}

__global__ void leaves(const float *a, float *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 16)
        return;
    o[i] = a[i] + n; // leaves
}

__global__ void strided(const float *a, float *o)
{
    __shared__ float tile[64 * 32];
    int t = threadIdx.x;
    tile[t] = a[t];
    __syncthreads();
    if (t % 2)
        o[t] = a[t * 4] + tile[t]; // strided
}

__global__ void small(const float *a, float *o) { o[threadIdx.x] = a[threadIdx.x]; } // small

int main()
{
    float *a, *o;
    if (hipMalloc(&a, 1 << 16) || hipMalloc(&o, 1 << 16) || hipMemset(a, 0, 1 << 16))
        return 1;
    eighth<<<1, 256>>>(a, o, 32);
    nested<<<1, 256>>>(a, o, 32);
    leaves<<<1, 256>>>(a, o, 32);
    strided<<<1, 64>>>(a, o);
    small<<<4, 16>>>(a, o);
    return hipDeviceSynchronize();
}
