// Transposes: tiles in LDS with and without padding, bounds checks, swizzled columns; and without LDS.
#include "kinds.h"

template <typename T, int S, int H, int P> __global__ void tiles(const T *in, T *out, int n)
{
    __shared__ T t[S][S + P];
    int x = blockIdx.x * S + threadIdx.x, y = blockIdx.y * S + threadIdx.y;
    for (int j = 0; j < S; j += H)
        t[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * S + threadIdx.x;
    y = blockIdx.x * S + threadIdx.y;
    for (int j = 0; j < S; j += H)
        out[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}

template <typename T, int S, int H, int P> void run_tiles()
{
    int n = 1024;
    Buf<T> in(randoms<T>(n * n, 1000)), out(n * n);
    tiles<T, S, H, P><<<dim3(n / S, n / S), dim3(S, H)>>>(in, out, n);
    out.print("t");
}

TEST(transpose_pad_32x8)
{
    run_tiles<float, 32, 8, 1>();
}

TEST(transpose_nopad_32x8)
{
    run_tiles<float, 32, 8, 0>();
}

TEST(transpose_pad_32x32)
{
    run_tiles<float, 32, 32, 1>();
}

TEST(transpose_pad_16)
{
    run_tiles<float, 16, 16, 1>();
}

TEST(transpose_nopad_16)
{
    run_tiles<float, 16, 16, 0>();
}

TEST(transpose_64x4)
{
    run_tiles<float, 64, 4, 1>();
}

TEST(transpose_double)
{
    run_tiles<double, 32, 8, 1>();
}

TEST(transpose_half)
{
    run_tiles<_Float16, 32, 8, 2>();
}

__global__ void bounds(const float *in, float *out, int w, int h)
{
    __shared__ float t[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < w && y + j < h)
            t[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < h && y + j < w)
            out[(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j];
}

TEST(transpose_bounds)
{
    int w = 1000, h = 777;
    Buf<float> in(randoms<float>(w * h, 1000)), out(w * h);
    bounds<<<dim3(32, 25), dim3(32, 8)>>>(in, out, w, h);
    out.print("t");
}

__global__ void without_lds(const float *in, float *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

TEST(transpose_naive)
{
    int n = 1024;
    Buf<float> in(randoms<float>(n * n, 1000)), out(n * n);
    without_lds<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in, out, n);
    out.print("t");
}

// Each row of the tile begins at another bank.
__global__ void swizzled(const float *in, float *out, int n)
{
    __shared__ float t[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    for (int j = 0; j < 32; j += 8)
        t[ty + j][(tx + ty + j) & 31] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + tx;
    y = blockIdx.x * 32 + ty;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] = t[tx][(tx + ty + j) & 31];
}

TEST(transpose_swizzled)
{
    int n = 1024;
    Buf<float> in(randoms<float>(n * n, 1000)), out(n * n);
    swizzled<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n);
    out.print("t");
}
