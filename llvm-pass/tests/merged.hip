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

extern "C" __global__ void turns(int *out, const int *in, int n) // of a loop: other values count its turns when they are merged
{
    for (int j = 0; j < n; j++) {
        int x = in[64 * j + threadIdx.x]; // turns
        if (x & 1)
            out[64 * j + threadIdx.x] = x; // turns
        else
            out[64 * j + threadIdx.x] = 0; // turns
    }
}

extern "C" __global__ void known(int *out, const int *in) // likewise of one that has no turns any more
{
    for (int j = 0; j < 4; j++) {
        int x = in[4 * threadIdx.x + j]; // known
        if (x & 1)
            out[8 * threadIdx.x + j] = x; // known
        else
            out[8 * threadIdx.x + j] = 0; // known
        if (x & 2)
            out[8 * threadIdx.x + j + 4] = x; // known
        else
            out[8 * threadIdx.x + j + 4] = 7; // known
    }
}

extern "C" __global__ void atomics(unsigned *out, int n)
{
    if (n > 3)
        __hip_atomic_fetch_or(out + threadIdx.x, 3u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); // atomics
    else
        __hip_atomic_fetch_or(out + threadIdx.x, 5u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); // atomics
}

struct large {
    int v[12];
};

extern "C" __global__ void copies(large *out, const large *in, int n)
{
    if (threadIdx.x & n)
        out[threadIdx.x] = in[threadIdx.x]; // copies
    else
        out[threadIdx.x] = in[threadIdx.x + 64]; // copies
}

__device__ inline void pick(int *p, int v) // merged before it is inlined
{
    if (v & 1)
        *p = v; // within
    else
        *p = v * 3; // within
}

extern "C" __global__ void within(int *out, const int *in)
{
    int v = in[threadIdx.x]; // within
    pick(out + threadIdx.x, v);
    pick(out + threadIdx.x + 64, v + 1);
}

extern "C" __global__ void apart(int *out, int *other, const int *in, int n) // two merged stores of one block
{
    for (int j = 0; j < n; j++) {
        int x = in[64 * j + threadIdx.x]; // apart
        if (x & 1)
            out[64 * j + threadIdx.x] = x; // apart out
        else
            out[64 * j + threadIdx.x] = 0; // apart out
        if (x & 2)
            other[64 * j + threadIdx.x] = x; // apart other
        else
            other[64 * j + threadIdx.x] = 7; // apart other
    }
}
