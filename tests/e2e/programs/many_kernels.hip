/* Kernels by the dozen, with functions that all of them call and some that one alone calls. Kernel N reads a[i * 8 * (N + 1)]. */
#include <hip/hip_runtime.h>

#ifndef KERNELS
#define KERNELS 40
#endif

__device__ __noinline__ float of_all(const float *a, int i)
{
    return a[i * 2]; /* shared */
}

template <int N> __device__ __noinline__ float of_one(const float *a, int i)
{
    return a[i * 8 * (N + 1)]; /* own */
}

template <int N> __global__ void kernel(float *out, const float *a)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = of_all(a, t) + of_one<N>(a, t) + a[t];
    __syncthreads();
    out[t] = s[63 - t];
}

template <int N> static void launch(float *p)
{
    if constexpr (N > 0)
        launch<N - 1>(p);
    if (N == 0 || N == KERNELS / 2 || N == KERNELS - 1)
        kernel<N><<<1, 64>>>(p, p + 64);
    else if (!p) /* the others are there, and do not run */
        kernel<N><<<1, 64>>>(p, p);
}

int main(void)
{
    float *p;
    if (hipMalloc(&p, (64 + 64 * 8 * KERNELS) * sizeof *p) || hipMemset(p, 0, (64 + 64 * 8 * KERNELS) * sizeof *p))
        return 1;
    launch<KERNELS - 1>(p);
    return hipDeviceSynchronize();
}
