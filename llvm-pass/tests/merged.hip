/* Accesses of 4 bytes, a line each, which the compiler merges. The tests know the lines by their marks. */
#include <hip/hip_runtime.h>

extern "C" __global__ void loads(float *out, const float *in)
{
    const float *from = in + 4 * threadIdx.x;
    float a = from[0]; // loads
    float b = from[1]; // loads
    float c = from[2]; // loads
    float d = from[3]; // loads
    out[threadIdx.x] = a * b + c / d; // loads
}

extern "C" __global__ void equal(float *out) // nothing but where they stand tells the values apart
{
    float *to = out + 4 * threadIdx.x;
    to[0] = 0; // equal
    to[1] = 0; // equal
    to[2] = 0; // equal
    to[3] = 0; // equal
    out[4096] = 1; // equal
}

extern "C" __global__ void other(int *out, int n)
{
    int *to = out + 4 * threadIdx.x;
    to[0] = n; // other
    to[1] = n * threadIdx.x; // other
    to[2] = threadIdx.x + 7; // other
    to[3] = 9; // other
}

__device__ __forceinline__ void put(float *p, float x)
{
    *p = x;
}

extern "C" __global__ void called(float *out, float x)
{
    put(out + 2 * threadIdx.x, x); // called
    put(out + 2 * threadIdx.x + 1, x + 1); // called
}

extern "C" __global__ void shared(float *out)
{
    __shared__ __attribute__((aligned(16))) float t[256];
    int i = threadIdx.x;
    t[4 * i] = i; // shared
    t[4 * i + 1] = i * i; // shared
    t[4 * i + 2] = i + i; // shared
    t[4 * i + 3] = 1; // shared
    __builtin_amdgcn_s_barrier();
    float a = t[4 * (63 - i)]; // shared
    float b = t[4 * (63 - i) + 1]; // shared
    float c = t[4 * (63 - i) + 2]; // shared
    out[i] = a + b * c; // shared
}

extern "C" __global__ void ways(float *out, const float *in, int n) // either, or: one access for both
{
    __shared__ float tile[256];
    int i = threadIdx.x;
    float x;
    if (i < n)
        tile[i] = in[i]; // ways
    else
        tile[i] = 0; // ways
    __builtin_amdgcn_s_barrier();
    float y = tile[i ^ 1]; // ways
    if (y > 0)
        x = in[i + 64]; // ways
    else
        x = in[i + 128]; // ways
    if (n > 3)
        out[i] = x * y; // ways
    else
        out[i] = x - y; // ways
}

extern "C" __global__ void through(float *out, int n) // in functions that are inlined
{
    int i = threadIdx.x;
    if (i < n)
        put(out + i, 1); // through
    else
        put(out + i, 2); // through
}

extern "C" __global__ void unrolled(float *out, const float *in, const float *mask, int n) // copies of one access for both
{
    int i = threadIdx.x;
    float s = 0;
    for (int j = 0; j < n; j++)
        if (i + j < 64)
            s += in[i + j] // unrolled
                 * mask[j]; // unrolled
        else
            s -= in[i - j] // unrolled
                 * mask[j]; // unrolled
    out[i] = s; // unrolled
}

extern "C" __global__ void hoisted(float *out, const float *in, int n) // moved out of the loop, where it has no line
{
    const int k = n * n;
    for (int i = threadIdx.x; i < n; i += 64)
        out[i] = out[i + n] // hoisted
                 + in[k]; // hoisted
}
