// Accesses whose hardware instructions only their addresses tell (docs/internals/join.md, "Evidence"), executed first by work-groups
// that are not the first one, and by some wavefronts only. Argument: number of work-groups.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK_HIP(e)                                                                                                   \
    do {                                                                                                               \
        if ((e) != hipSuccess)                                                                                         \
            return printf("FAILED %s\n", #e), 1;                                                                       \
    } while (0)

enum { THREADS = 256 };

__device__ unsigned mix(unsigned x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

// More addresses than the compiler plugin compares with each other: that the second load of an index lies behind the first
// one only evidence tells, and code generation makes one instruction of both.
template <int N> __device__ unsigned both_parts(const unsigned *s, unsigned h)
{
    unsigned at[N], first[N], sum = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        at[i] = mix(h + i) % 200;
#pragma unroll
    for (int i = 0; i < N; i++)
        first[i] = s[at[i]]; // first
#pragma unroll
    for (int i = 0; i < N; i++)
        sum += first[i] * s[at[i] + 9]; // second
    return sum;
}

__global__ void later(unsigned *out, unsigned seed)
{
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, h = mix(t + seed + blockIdx.x), sum = 0;
    s[t] = t;
    __syncthreads();
    if (blockIdx.x > 2)
        sum += both_parts<40>(s, h);
    if (t / 64 == 2 && blockIdx.x % 4 == 1 && h & 3)
        sum += both_parts<36>(s, h + 100);
    __syncthreads();
    out[blockIdx.x * THREADS + t] = sum;
}

int main(int argc, char **argv)
{
    unsigned *out, groups = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    CHECK_HIP(hipMalloc(&out, groups * THREADS * sizeof *out));
    later<<<groups, THREADS>>>(out, 6);
    later<<<groups, THREADS>>>(out, 7);
    CHECK_HIP(hipDeviceSynchronize());
    printf("PASSED\n");
}
