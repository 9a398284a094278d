// Kernels and clones that share variables: their code comes from two processes (test_two_processes.py).
#include <hip/hip_runtime.h>

#include <cstdio>

static __device__ int calls[4];                      // private to the file
__device__ int visible[64];                          // the host reads it
__constant__ int factors[8] = {1, 2, 3, 4, 5, 6, 7, 8};
namespace
{
__device__ const char letters[] = "abcdefgh"; // read by index
}

#if __clang_major__ < 17 // a function with LDS of its own keeps all in one process
#define HOW __attribute__((always_inline))
#else
#define HOW __attribute__((noinline))
#endif
template <int N> __device__ HOW int through_lds(int v)
{
    __shared__ int s[64 * N];
    s[threadIdx.x * N] = v;
    __syncthreads();
    return s[(63 - threadIdx.x) * N];
}

template <int N> __global__ void work(int *out, const int *in)
{
    __shared__ int own[64];
    extern __shared__ int dynamic[];
    own[threadIdx.x] = in[threadIdx.x] * factors[N];
    dynamic[threadIdx.x] = letters[(threadIdx.x + N) & 7];
    __syncthreads();
    out[threadIdx.x] = through_lds<N>(own[threadIdx.x ^ 1]) + dynamic[63 - threadIdx.x];
    if (threadIdx.x == 0)
        atomicAdd(&calls[N & 3], 1);
    visible[threadIdx.x] += N;
}

__global__ void count(int *out)
{
    if (threadIdx.x < 4)
        out[threadIdx.x] = calls[threadIdx.x];
}

int main()
{
    int *out, *in, host[64], sum = 0;
    if (hipMalloc(&out, sizeof host) || hipMalloc(&in, sizeof host))
        return 1;
    for (int i = 0; i < 64; i++)
        host[i] = 3 * i + 1;
    if (hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice))
        return 1;
    work<1><<<1, 64, 256>>>(out, in);
    work<2><<<1, 64, 256>>>(out, out);
    work<3><<<1, 64, 256>>>(out, out);
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < 64; i++)
        sum = 31 * sum + host[i];
    printf("out %d\n", sum);
    count<<<1, 64>>>(out);
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost))
        return 1;
    printf("calls %d %d %d %d\n", host[0], host[1], host[2], host[3]);
    if (hipMemcpyFromSymbol(host, HIP_SYMBOL(visible), sizeof host))
        return 1;
    printf("visible %d %d\n", host[0], host[63]);
    return 0;
}
