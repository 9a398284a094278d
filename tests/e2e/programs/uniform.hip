/* Loads and atomics whose address is the same in all lanes: some are done by scalar memory, some by vector
 * instructions, and some atomics by one lane for all. Addresses do not depend on what earlier launches wrote. */
#include <hip/hip_runtime.h>

/* The base is read from LDS, so that the compiler does not know that it is the same in all lanes until it is told;
 * p[0] is loaded once, before the loop, by an instruction without line. */
__global__ void hoisted(size_t *pool, const int *off, int *out, int n)
{
    __shared__ long base;
    if (threadIdx.x == 0)
        base = off[blockIdx.x];
    __syncthreads();
    size_t *p = pool + base * 64;
    int different = 0;
    p[threadIdx.x] = n;
    __syncthreads();
    for (int i = 0; i < n; i++)
        if (p[0] != p[i])
            different++;
    out[blockIdx.x * blockDim.x + threadIdx.x] = different;
}

/* Neighbours in a loop of constant length: several loads make one of 16 bytes, which is no scalar one because of the
 * store before. */
__global__ void compared(size_t *a, int *out)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    int different = 0;
    a[t % 100] = t % 100;
    __syncthreads();
    for (int i = 0; i < 100; i++)
        if (a[i] != size_t(i))
            different++;
    out[t] = different;
}

/* As Kokkos's team_reduce: a tree in LDS, and what it comes to is read by all. */
__global__ void team_reduction(const double *in, double *out, double *partial, int n)
{
    __shared__ double sums[128];
    unsigned t = threadIdx.x;
    double sum = 0;
    for (int i = t; i < n; i += blockDim.x)
        sum += in[blockIdx.x * n + i] * in[i];
    sums[t] = sum;
    for (unsigned width = blockDim.x / 2; width; width /= 2) {
        __syncthreads();
        if (t < width)
            sums[t] += sums[t + width];
    }
    __syncthreads();
    if (t == 0)
        partial[blockIdx.x] = sums[0];
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = sums[0] + partial[blockIdx.x] + sum;
}

/* Of each kind one: scalar memory does the ones that nobody may write. */
__global__ void qualified(const int *__restrict__ a, const int *b, volatile int *c, int *__restrict__ out, int n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    int first = __builtin_amdgcn_readfirstlane(threadIdx.x / 64);
    int sum = a[n] + b[n + 1] + a[first + 3] + b[blockIdx.x * 3 + n];
    sum += c[n + 5] + __builtin_nontemporal_load(a + 9) + __builtin_nontemporal_load(b + blockIdx.x);
    if (a[n] > 2)
        sum += ((const long *)a)[n + 20] + ((const unsigned char *)a)[n + 400] + ((const short *)a)[t / 64 + 300];
    out[t] = sum;
    for (int i = 0; i < n; i++)
        out[t + 256] += a[n + i] * b[blockIdx.x + i];
}

__global__ void predicated(int *g)
{
    __shared__ int h[64], c;
    unsigned t = threadIdx.x;
    h[t & 63] = 0;
    if (t == 0)
        c = 0;
    __syncthreads();
    atomicAdd(&h[t * 2 & 63], 1);
    if (t % 3 == 0)
        atomicAdd(&c, 1);
    if (t % 5 < 2)
        g[512 + (atomicAdd(&c, 1) & 0)] = t;
    if (t % 7 == 0)
        atomicAdd(&g[0], 1);
    __syncthreads();
    g[t + 128] = c + h[t & 63];
}

__global__ void predicated_in_loop(int *g, int n)
{
    __shared__ int c;
    unsigned t = threadIdx.x;
    if (t == 0)
        c = 0;
    __syncthreads();
    for (int k = 0; k < n; k++)
        if (((t + k) & 7) == 0)
            atomicAdd(&c, k);
    for (int k = 0; k < n; k++)
        if ((t & 3) == 1 && k > 1)
            atomicMax(&g[k], (int)t);
    __syncthreads();
    g[t + 128] = c;
}

int main()
{
    char *in, *out;
    if (hipMalloc(&in, 1 << 16) || hipMalloc(&out, 1 << 16))
        return 1;
    for (int round = 0; round < 3; round++) {
        (void)hipMemset(in, 0, 1 << 16);
        (void)hipMemset(in, 1, 1 << 9);
        hoisted<<<2, 128>>>((size_t *)out, (const int *)in + 1024, (int *)out + 8192, 20);
        compared<<<2, 128>>>((size_t *)out, (int *)out + 4096);
        team_reduction<<<2, 128>>>((const double *)in, (double *)out, (double *)out + 4096, 300);
        qualified<<<2, 128>>>((const int *)in, (const int *)in + 64, (volatile int *)out + 8192, (int *)out, 4);
        predicated<<<2, 128>>>((int *)out);
        predicated_in_loop<<<2, 128>>>((int *)out, 9);
        if (hipDeviceSynchronize())
            return 2;
    }
    return 0;
}
