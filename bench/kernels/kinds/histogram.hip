// Histograms: counters in LDS, in memory, a copy a wavefront, a copy a work-item.
#include "kinds.h"

template <typename T> __global__ void hist(const T *in, unsigned *bins, int n)
{
    __shared__ unsigned m[256];
    m[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&m[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], m[threadIdx.x]);
}

TEST(histogram_uchar_2M)
{
    int n = 2 << 20;
    Buf<unsigned char> in(randoms<unsigned char>(n, 256));
    Buf<unsigned> o(256);
    hist<<<256, 256>>>(in.p, o.p, n);
    o.print("o");
}

TEST(histogram_int_2M)
{
    int n = 2 << 20;
    Buf<unsigned> in(randoms<unsigned>(n, 256));
    Buf<unsigned> o(256);
    hist<<<256, 256>>>(in.p, o.p, n);
    o.print("o");
}

TEST(histogram_skewed_2M)
{
    int n = 2 << 20;
    auto v = randoms<unsigned>(n, 256);
    for (auto &x : v)
        x = x < 200 ? 7 : x;
    Buf<unsigned> in(v);
    Buf<unsigned> o(256);
    hist<<<256, 256>>>(in.p, o.p, n);
    o.print("o");
}

TEST(histogram_constant_2M)
{
    int n = 2 << 20;
    Buf<unsigned> in(std::vector<unsigned>(n, 5));
    Buf<unsigned> o(256);
    hist<<<256, 256>>>(in.p, o.p, n);
    o.print("o");
}

__global__ void hist4(const uchar4 *in, unsigned *bins, int n)
{
    __shared__ unsigned m[256];
    m[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        uchar4 v = in[i];
        atomicAdd(&m[v.x], 1u);
        atomicAdd(&m[v.y], 1u);
        atomicAdd(&m[v.z], 1u);
        atomicAdd(&m[v.w], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], m[threadIdx.x]);
}

TEST(histogram_uchar4_2M)
{
    int n = 2 << 20;
    Buf<unsigned char> in(randoms<unsigned char>(n, 256));
    Buf<unsigned> o(256);
    hist4<<<256, 256>>>((uchar4 *)in.p, o, n / 4);
    o.print("o");
}

__global__ void hist_global(const unsigned *in, unsigned *bins, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i]], 1u);
}

TEST(histogram_global_1M)
{
    int n = 1 << 20;
    Buf<unsigned> in(randoms<unsigned>(n, 4096));
    Buf<unsigned> o(4096);
    hist_global<<<n / 256, 256>>>(in, o, n);
    o.print("o");
}

// Counters for each wavefront of 64 lanes.
__global__ void hist_waves(const unsigned *in, unsigned *bins, int n)
{
    __shared__ unsigned m[4][256];
    int t = threadIdx.x, w = t / 64;
    for (int k = 0; k < 4; k++)
        m[k][t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        atomicAdd(&m[w][in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[t], m[0][t] + m[1][t] + m[2][t] + m[3][t]);
}

TEST(histogram_waves_2M)
{
    int n = 2 << 20;
    Buf<unsigned> in(randoms<unsigned>(n, 256));
    Buf<unsigned> o(256);
    hist_waves<<<256, 256>>>(in, o, n);
    o.print("o");
}

// A counter of 16 bits for each work-item and bin.
__global__ void hist_private(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned short m[32][128];
    int t = threadIdx.x;
    for (int b = 0; b < 32; b++)
        m[b][t] = 0;
    for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128)
        m[in[i] & 31][t]++;
    __syncthreads();
    if (t < 32) {
        unsigned s = 0;
        for (int k = 0; k < 128; k++)
            s += m[t][(k + t) & 127];
        atomicAdd(&bins[t], s);
    }
}

TEST(histogram_private_2M)
{
    int n = 2 << 20;
    Buf<unsigned char> in(randoms<unsigned char>(n, 256));
    Buf<unsigned> o(32);
    hist_private<<<256, 128>>>(in, o, n);
    o.print("o");
}

__global__ void hist_float(const float *in, unsigned *bins, int n, float lo, float scale)
{
    __shared__ unsigned m[64];
    if (threadIdx.x < 64)
        m[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        int b = (int)((in[i] - lo) * scale);
        if (b >= 0 && b < 64)
            atomicAdd(&m[b], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], m[threadIdx.x]);
}

TEST(histogram_float_2M)
{
    int n = 2 << 20;
    Buf<float> in(randoms<float>(n, 1000));
    Buf<unsigned> o(64);
    hist_float<<<256, 256>>>(in, o, n, 100, 0.08f);
    o.print("o");
}
