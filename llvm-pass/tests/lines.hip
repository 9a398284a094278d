// The numbers in test_sites.py are the lines and columns of this file: do not reformat.
#include <hip/hip_runtime.h>

struct pair { int a, b; };

__device__ inline int inner(const int *p, int i) {
    return p[i * 7];
}
__device__ inline int outer(const int *p, int i) {
    return inner(p, i) + 1;
}
__device__ __attribute__((noinline)) int kept(int *p, int i) {
    p[i] = 3;
    return i;
}
extern "C" __global__ void chain(int *out, const int *in) {
    int i = threadIdx.x;
    out[i] = outer(in, i);
}
extern "C" __global__ void two(int *out, int n) {
    out[threadIdx.x * 3] = kept(out, n);
    atomicAdd(out + n, 1);
}
extern "C" __global__ void calls(int *out, int n) {
    kept(out, n);
}
