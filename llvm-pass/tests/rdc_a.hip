#include <hip/hip_runtime.h>
__device__ int other_file(int *p, int i);
extern "C" __global__ void in_a(int *p) { p[threadIdx.x] = other_file(p, threadIdx.x); }
int main() { return 0; }
