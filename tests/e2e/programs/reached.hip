// Kernels that call: which functions may run, what has no symbol, and two functions of one name (the test renames one).
#include "check.h"

using function = int (*)(const int *, int);
// No function is ever called by itself, but each could be: hipcc inlines all others.
__device__ int near_by(const int *p, int i)
{
    return i > 999 ? p[near_by(p, i / 2) & 63] : p[i] + 1;
}
__device__ int by_another(const int *p, int i)
{
    return i > 999 ? p[by_another(p, i / 2) & 63] : near_by(p, i + 1) + p[i + 2];
}
__device__ int elsewhere(const int *p, int i)
{
    return p[2 * i] * p[3 * i];
}
__device__ function pointers[2] = {near_by, elsewhere};

__global__ void calls_none(const int *p, int *o)
{
    o[threadIdx.x] = p[threadIdx.x];
}
__global__ void calls_directly(const int *p, int *o)
{
    o[threadIdx.x] = by_another(p, threadIdx.x);
}
__global__ void calls_pointers(const int *p, int *o)
{
    o[threadIdx.x] = pointers[p[0]](p, threadIdx.x);
}

// An instruction of a function that no symbol names: 1 load per wavefront.
__global__ void calls_unnamed(const int *p, int *o)
{
    int value;
    asm volatile(".pushsection .text.unnamed,\"ax\",@progbits\n"
                 "unnamed:\n"
                 "global_load_dword %0, %1, off\n"
                 "s_waitcnt vmcnt(0)\n"
                 "s_setpc_b64 s[44:45]\n"
                 ".popsection\n"
                 "s_getpc_b64 s[42:43]\n"
                 "s_add_u32 s42, s42, unnamed@rel32@lo+4\n"
                 "s_addc_u32 s43, s43, unnamed@rel32@hi+12\n"
                 "s_swappc_b64 s[44:45], s[42:43]\n"
                 : "=&v"(value)
                 : "v"(p + threadIdx.x)
                 : "s42", "s43", "s44", "s45", "memory");
    o[threadIdx.x] = value;
}

static __device__ int twin_one(const int *p, int i)
{
    if (i > 999)
        return p[twin_one(p, i / 2) & 63];
    for (int k = 0; k < 5; k++)
        i = ((const volatile int *)p)[i & 63];
    return i;
}
static __device__ int twin_two(const int *p, int i)
{
    return i > 999 ? p[twin_two(p, i / 2) & 31] : ((const volatile unsigned char *)p)[i & 31] + i;
}
__global__ void calls_twins(const int *p, int *o)
{
    o[threadIdx.x] = twin_one(p, threadIdx.x) + twin_two(p, threadIdx.x);
}

int main()
{
    int *p, *o, result[64];
    HIP(hipMalloc(&p, 4096));
    HIP(hipMalloc(&o, 4096));
    HIP(hipMemset(p, 0, 4096));
    calls_none<<<1, 64>>>(p, o);
    calls_directly<<<1, 64>>>(p, o);
    calls_pointers<<<1, 64>>>(p, o);
    calls_unnamed<<<1, 64>>>(p, o);
    calls_twins<<<1, 64>>>(p, o);
    HIP(hipMemcpy(result, o, sizeof result, hipMemcpyDeviceToHost));
    printf("%d %d\n", result[0], result[63]);
}
