#include <hip/hip_runtime.h>
__device__ int other_file(int *p, int i) { return p[i * 2 + 1]; }
extern "C" __global__ void in_b(int *p) { p[threadIdx.x + 1] = 5; }
