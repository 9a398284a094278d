// Reductions: trees in LDS, shuffles, atomics, vectors, rows.
#include "kinds.h"

template <int B> __global__ void tree(const int *in, int *out, int n)
{
    __shared__ int p[B];
    int t = threadIdx.x, s = 0;
    for (int i = blockIdx.x * B + t; i < n; i += gridDim.x * B)
        s += in[i];
    p[t] = s;
    for (int h = B / 2; h; h /= 2) {
        __syncthreads();
        if (t < h)
            p[t] += p[t + h];
    }
    if (!t)
        out[blockIdx.x] = p[0];
}

TEST(reduction_tree_8M)
{
    int n = 8 << 20;
    Buf<int> in(numbers(n)), o(256);
    tree<256><<<256, 256>>>(in, o, n);
    o.print("o");
}

TEST(reduction_tree_1024)
{
    int n = 8 << 20;
    Buf<int> in(numbers(n)), o(128);
    tree<1024><<<128, 1024>>>(in, o, n);
    o.print("o");
}

TEST(reduction_tree_odd)
{
    int n = 8000001;
    Buf<int> in(numbers(n)), o(200);
    tree<256><<<200, 256>>>(in, o, n);
    o.print("o");
}

TEST(reduction_tree_512K)
{
    int n = 1 << 19;
    Buf<int> in(numbers(n)), o(256);
    tree<256><<<256, 256>>>(in, o, n);
    o.print("o");
}

__global__ void two_each(const int *in, int *out)
{
    __shared__ int p[256];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    p[t] = in[i] + in[i + 256];
    __syncthreads();
    for (int h = 128; h; h >>= 1) {
        if (t < h)
            p[t] += p[t + h];
        __syncthreads();
    }
    if (!t)
        out[blockIdx.x] = p[0];
}

TEST(reduction_two_each)
{
    int n = 1 << 20;
    Buf<int> in(numbers(n)), o(n / 512);
    two_each<<<n / 512, 256>>>(in, o);
    o.print("o");
}

__global__ void interleaved(const int *in, int *out, int n)
{
    __shared__ int p[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    p[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        if (t % (2 * s) == 0)
            p[t] += p[t + s];
        __syncthreads();
    }
    if (!t)
        out[blockIdx.x] = p[0];
}

TEST(reduction_interleaved)
{
    int n = 1 << 20;
    Buf<int> in(numbers(n)), o(n / 256);
    interleaved<<<n / 256, 256>>>(in, o, n);
    o.print("o");
}

__device__ int wave_sum(int s)
{
    for (int d = warpSize / 2; d; d /= 2)
        s += __shfl_down(s, d);
    return s;
}

__global__ void shuffles(const int *in, int *out, int n)
{
    __shared__ int p[32];
    int t = threadIdx.x, s = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        s += in[i];
    s = wave_sum(s);
    if (t % warpSize == 0)
        p[t / warpSize] = s;
    __syncthreads();
    if (t < warpSize) {
        s = t < (int)blockDim.x / warpSize ? p[t] : 0;
        s = wave_sum(s);
        if (!t)
            out[blockIdx.x] = s;
    }
}

TEST(reduction_shuffle_8M)
{
    int n = 8 << 20;
    Buf<int> in(numbers(n)), o(256);
    shuffles<<<256, 256>>>(in, o, n);
    o.print("o");
}

TEST(reduction_shuffle_1M)
{
    int n = 1 << 20;
    Buf<int> in(numbers(n)), o(256);
    shuffles<<<256, 256>>>(in, o, n);
    o.print("o");
}

__global__ void atomics(const int *in, int *out, int n)
{
    int s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += in[i];
    s = wave_sum(s);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(out, s);
}

TEST(reduction_atomic_8M)
{
    int n = 8 << 20;
    Buf<int> in(numbers(n)), o(1);
    atomics<<<256, 256>>>(in, o, n);
    o.print("o");
}

__global__ void atomics_each(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(out, in[i]);
}

TEST(reduction_atomic_each)
{
    int n = 1 << 20;
    Buf<int> in(numbers(n)), o(1);
    atomics_each<<<n / 256, 256>>>(in, o, n);
    o.print("o");
}

__global__ void vectors(const float4 *in, float *out, int n)
{
    __shared__ float p[256];
    float s = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        float4 v = in[i];
        s += v.x + v.y + v.z + v.w;
    }
    p[threadIdx.x] = s;
    for (int h = 128; h; h /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < h)
            p[threadIdx.x] += p[threadIdx.x + h];
    }
    if (!threadIdx.x)
        atomicAdd(out, p[0]);
}

TEST(reduction_float4_8M)
{
    int n = 8 << 20;
    Buf<float> in(ints<float>(n, 3, 1)), o(1);
    vectors<<<256, 256>>>((float4 *)in.p, o, n / 4);
    o.print("o");
}

__global__ void dot(const double *a, const double *b, double *out, int n)
{
    __shared__ double p[256];
    double s = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        s += a[i] * b[i];
    p[threadIdx.x] = s;
    __syncthreads();
    for (int h = 128; h; h /= 2) {
        if ((int)threadIdx.x < h)
            p[threadIdx.x] += p[threadIdx.x + h];
        __syncthreads();
    }
    if (!threadIdx.x)
        out[blockIdx.x] = p[0];
}

TEST(reduction_dot_4M)
{
    int n = 4 << 20;
    Buf<double> a(ints<double>(n, 7, 3)), b(ints<double>(n, 5, 2)), o(256);
    dot<<<256, 256>>>(a, b, o, n);
    o.print("o");
}

__global__ void chunks(const int *in, int *out, int per)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    for (int k = 0; k < per; k++)
        s += in[t * per + k];
    out[t] = s;
}

TEST(reduction_chunked)
{
    int n = 4 << 20;
    Buf<int> in(numbers(n)), o(n / 64);
    chunks<<<n / 64 / 256, 256>>>(in, o, 64);
    o.print("o");
}

__global__ void rowmax(const float *in, float *out, int cols)
{
    __shared__ float p[128];
    float m = -1e30f;
    for (int i = threadIdx.x; i < cols; i += 128)
        m = fmaxf(m, in[blockIdx.x * cols + i]);
    p[threadIdx.x] = m;
    __syncthreads();
    for (int h = 64; h; h /= 2) {
        if ((int)threadIdx.x < h)
            p[threadIdx.x] = fmaxf(p[threadIdx.x], p[threadIdx.x + h]);
        __syncthreads();
    }
    if (!threadIdx.x)
        out[blockIdx.x] = p[0];
}

TEST(reduction_rows_1000)
{
    Buf<float> in(randoms<float>(1000 * 1000, 9999)), o(1000);
    rowmax<<<1000, 128>>>(in, o, 1000);
    o.print("o");
}
