// Lanes that branches, and lanes that work-groups leave idle: which of them it was, and where it stands on its line.
#include <hip/hip_runtime.h>

__global__ void guarded(float *o, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = a[i]; // guarded
}

__global__ void both(float *o, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == n)
        o[i] = a[i]; // both
}

__global__ void branches(float *o, const float *a, int n)
{
    int i = threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++) if (i % 8 == 0) s += a[k * 64 + i]; // one line
    o[i] = s;
    o[i + 64] = i % 4 == 0 ? a[i * 3 + 512] : 1.0f; // ternary
    float all = a[i + 1200]; if (i % 8 == 0) all += a[i + 1400]; // together
    o[i + 192] = all;
    if (a[i + 900] == 0 && i > 40 && a[i + 964] == 0)
        o[i + 128] = a[i + 1024]; // chain
}

int main()
{
    float *a, *o;
    if (hipMalloc(&a, 16384) || hipMalloc(&o, 16384) || hipMemset(a, 0, 16384))
        return 1;
    guarded<<<4, 32>>>(o, a, 1000);
    guarded<<<4, 48>>>(o, a, 1000);
    both<<<2, 100>>>(o, a, 1);
    branches<<<1, 64>>>(o, a, 3);
    return hipDeviceSynchronize();
}
