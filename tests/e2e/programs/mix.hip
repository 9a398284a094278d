// Kernels of many forms of control flow, all (int *memory, int n): test_instruction_mix.py.
#include <hip/hip_runtime.h>

#include <cstdio>

extern "C" {

// A uniform loop, a divergent branch, a uniform one; the compiler copies the end of the function.
__global__ void branches(int *m, int n)
{
    int sum = (int)threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum = sum * 7 ^ m[k];
    if (threadIdx.x < 16)
        m[n + 500] = sum;
    if (blockIdx.x == 1)
        m[n + 600] = sum;
    m[threadIdx.x + 300] = sum;
}

// Lanes leave the loop at different times.
__global__ void divergent_loop(int *m, int n)
{
    int i = (int)threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < i % (n + 1); k++) {
        sum += m[k + i];
        if ((sum + k) % 3 == 0)
            m[i + 1000] = k;
    }
    m[i + 2000] = sum;
}

// Loops in loops, with a jump out of the inner one.
__global__ void nested(int *m, int n)
{
    int sum = 0;
#pragma unroll 1
    for (int a = 0; a < n; a++) {
#pragma unroll 1
        for (int b = 0; b < a; b++) {
            sum += m[a * 16 + b];
            if (b == 5)
                break;
        }
        m[threadIdx.x + 1000] = sum + a;
    }
}

// Some wavefronts leave at once.
__global__ void early(int *m, int n)
{
    if (blockIdx.x >= 3)
        return;
    int t = (int)threadIdx.x;
    if (t >= 64)
        m[t + 1000] = n;
    else
        m[t + 2000] = n * 3;
    if (t % 2)
        m[t + 3000] = t;
    else
        m[t + 4000] = t * t;
}

__global__ void reduce(int *m, int n)
{
    __shared__ int s[128];
    int t = (int)threadIdx.x;
    s[t] = m[t] + n;
    __syncthreads();
#pragma unroll 1
    for (int step = 64; step > 0; step >>= 1) {
        if (t < step)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(&m[1000], s[0]);
}

__global__ void choice(int *m, int n)
{
    int t = (int)threadIdx.x, b = (int)blockIdx.x;
    switch (b) {
    case 0:
        m[t + 100] = n;
        break;
    case 1:
        m[t + 300] = t * 3;
        break;
    case 2:
        atomicMax(&m[t % 7], n);
        break;
    default:
        m[t + 500] = m[t + 700] + 1;
    }
}
}

int main()
{
    int *m;
    if (hipMalloc(&m, 1 << 16) != hipSuccess)
        return 1;
    void (*const kernels[])(int *, int) = {branches, divergent_loop, nested, early, reduce, choice};
    for (auto k : kernels) {
        if (hipMemset(m, 0, 1 << 16) != hipSuccess)
            return 1;
        k<<<4, 128>>>(m, 10);
    }
    if (hipDeviceSynchronize() != hipSuccess)
        return 1;
    printf("PASSED\n");
}
