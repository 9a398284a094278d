/* What needs more registers than there are spills some: into scratch memory, which is no access of the source. */
#include <hip/hip_runtime.h>

enum { THREADS = 64, VALUES = 160 }; /* work-groups of 1024 leave 128 registers to a work-item of gfx90a */

__device__ __attribute__((noinline)) void mix(float *out, const float *in, int n)
{
    float v[VALUES];
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        v[i] = in[i * THREADS];
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < VALUES; i++)
            v[i] = v[i] * v[(i + 7) % VALUES] + 1;
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        out[i * THREADS] = v[i];
}

__global__ void spill(float *out, const float *in, int n)
{
    float v[VALUES];
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        v[i] = in[i * THREADS + threadIdx.x];
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < VALUES; i++)
            v[i] = v[i] * v[(i + 5) % VALUES] + 1;
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        out[i * THREADS + threadIdx.x] = v[i];
}

__global__ void spill_in_a_call(float *out, const float *in, int n)
{
    mix(out + threadIdx.x, in + threadIdx.x, n);
}

int main()
{
    float *in, *out;
    const size_t bytes = sizeof(float) * THREADS * VALUES;
    if (hipMalloc(&in, bytes) || hipMalloc(&out, bytes))
        return 1;
    (void)hipMemset(in, 0, bytes);
    spill<<<1, THREADS>>>(out, in, 3);
    spill_in_a_call<<<1, THREADS>>>(out, in, 3);
    return hipDeviceSynchronize() ? 2 : 0;
}
