// GEMMs with several elements of c a work-item, or two buffers: register blocks, float4, matrix instructions.
#include "kinds.h"

// Register blocks R x R, 16 x 16 threads, tile 16R x 16R, K tile KT.
template <int R, int KT>
__global__ void blocked(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                        int n)
{
    constexpr int S = 16 * R;
    __shared__ float as[KT][S], bs[KT][S];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, r0 = blockIdx.y * S, c0 = blockIdx.x * S;
    float acc[R][R] = {};
    for (int k0 = 0; k0 < n; k0 += KT) {
        for (int i = t; i < S * KT; i += 256) {
            as[i % KT][i / KT] = a[(r0 + i / KT) * n + k0 + i % KT];
            bs[i / S][i % S] = b[(k0 + i / S) * n + c0 + i % S];
        }
        __syncthreads();
        for (int k = 0; k < KT; k++) {
            float x[R], y[R];
            for (int i = 0; i < R; i++) {
                x[i] = as[k][ty * R + i];
                y[i] = bs[k][tx * R + i];
            }
            for (int i = 0; i < R; i++)
                for (int j = 0; j < R; j++)
                    acc[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++)
            c[(r0 + ty * R + i) * n + c0 + tx * R + j] = acc[i][j];
}

template <int R, int KT> void run_blocked(int n = 512)
{
    run_square<float>(blocked<R, KT>, n, dim3(n / 16 / R, n / 16 / R), dim3(16, 16));
}

TEST(gemm_rb2)
{
    run_blocked<2, 16>();
}

TEST(gemm_rb4)
{
    run_blocked<4, 16>();
}

TEST(gemm_rb4_k8)
{
    run_blocked<4, 8>();
}

TEST(gemm_rb8)
{
    run_blocked<8, 8>();
}

// Strided register blocks: thread owns columns tx + 16 j.
template <int R> __global__ void blocked_strided(const float *a, const float *b, float *c, int n)
{
    constexpr int S = 16 * R, KT = 16;
    __shared__ float as[S][KT + 1], bs[KT][S];
    int tx = threadIdx.x, ty = threadIdx.y, r0 = blockIdx.y * S, c0 = blockIdx.x * S;
    float acc[R][R] = {};
    for (int k0 = 0; k0 < n; k0 += KT) {
#pragma unroll
        for (int i = 0; i < R; i++) {
            as[ty + 16 * i][tx] = a[(r0 + ty + 16 * i) * n + k0 + tx];
            bs[ty][tx + 16 * i] = b[(k0 + ty) * n + c0 + tx + 16 * i];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < KT; k++)
            for (int i = 0; i < R; i++)
                for (int j = 0; j < R; j++)
                    acc[i][j] += as[ty + 16 * i][k] * bs[k][tx + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++)
            c[(r0 + ty + 16 * i) * n + c0 + tx + 16 * j] = acc[i][j];
}

TEST(gemm_rb4_strided)
{
    constexpr int n = 512;
    run_square<float>(blocked_strided<4>, n, dim3(n / 64, n / 64), dim3(16, 16));
}

// float4 loads from memory and LDS, 4 x 4 a thread.
__global__ void vec4(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
    __shared__ __attribute__((aligned(16))) float as[16][64], bs[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    float4 acc[4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        float4 v = *(const float4 *)&a[(r0 + t / 4) * n + k0 + t % 4 * 4];
        as[t % 4 * 4][t / 4] = v.x;
        as[t % 4 * 4 + 1][t / 4] = v.y;
        as[t % 4 * 4 + 2][t / 4] = v.z;
        as[t % 4 * 4 + 3][t / 4] = v.w;
        *(float4 *)&bs[t / 16][t % 16 * 4] = *(const float4 *)&b[(k0 + t / 16) * n + c0 + t % 16 * 4];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 x = *(float4 *)&as[k][ty * 4], y = *(float4 *)&bs[k][tx * 4];
            float xs[4] = {x.x, x.y, x.z, x.w};
            for (int i = 0; i < 4; i++) {
                acc[i].x += xs[i] * y.x;
                acc[i].y += xs[i] * y.y;
                acc[i].z += xs[i] * y.z;
                acc[i].w += xs[i] * y.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *(float4 *)&c[(r0 + ty * 4 + i) * n + c0 + tx * 4] = acc[i];
}

TEST(gemm_float4)
{
    constexpr int n = 512;
    run_square<float>(vec4, n, dim3(n / 64, n / 64), 256);
}

// Double buffer, tile 32.
__global__ void twofold(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[2][32][32], bs[2][32][32];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx, at = 0;
    float sum = 0;
    as[0][ty][tx] = a[row * n + tx];
    bs[0][ty][tx] = b[ty * n + col];
    __syncthreads();
    for (int k0 = 0; k0 < n; k0 += 32) {
        float x = 0, y = 0;
        if (k0 + 32 < n) {
            x = a[row * n + k0 + 32 + tx];
            y = b[(k0 + 32 + ty) * n + col];
        }
        for (int k = 0; k < 32; k++)
            sum += as[at][ty][k] * bs[at][k][tx];
        if (k0 + 32 < n) {
            as[at ^ 1][ty][tx] = x;
            bs[at ^ 1][ty][tx] = y;
        }
        __syncthreads();
        at ^= 1;
    }
    c[row * n + col] = sum;
}

TEST(gemm_dbuf32)
{
    constexpr int n = 512;
    run_square<float>(twofold, n, dim3(n / 32, n / 32), dim3(32, 32));
}

// Double buffer with 4 x 4 and float4.
__global__ void twofold4(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                         int n)
{
    __shared__ __attribute__((aligned(16))) float as[2][16][64], bs[2][16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64, at = 0;
    float acc[4][4] = {};
    auto put = [&](int at, float4 v, float4 w) {
        as[at][t % 4 * 4][t / 4] = v.x;
        as[at][t % 4 * 4 + 1][t / 4] = v.y;
        as[at][t % 4 * 4 + 2][t / 4] = v.z;
        as[at][t % 4 * 4 + 3][t / 4] = v.w;
        *(float4 *)&bs[at][t / 16][t % 16 * 4] = w;
    };
    const float *pa = &a[(r0 + t / 4) * n + t % 4 * 4], *pb = &b[(t / 16) * n + c0 + t % 16 * 4];
    put(0, *(const float4 *)pa, *(const float4 *)pb);
    __syncthreads();
    for (int k0 = 16; k0 <= n; k0 += 16) {
        float4 v, w;
        if (k0 < n) {
            v = *(const float4 *)(pa + k0);
            w = *(const float4 *)(pb + (size_t)k0 * n);
        }
#pragma unroll
        for (int k = 0; k < 16; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    acc[i][j] += as[at][k][ty * 4 + i] * bs[at][k][tx * 4 + j];
        at ^= 1;
        if (k0 < n)
            put(at, v, w);
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *(float4 *)&c[(r0 + ty * 4 + i) * n + c0 + tx * 4] =
            float4{acc[i][0], acc[i][1], acc[i][2], acc[i][3]};
}

TEST(gemm_dbuf_rb4)
{
    constexpr int n = 512;
    run_square<float>(twofold4, n, dim3(n / 64, n / 64), 256);
}

// A wavefront has 16 rows of a tile of 64 x 64.
typedef float f4 __attribute__((ext_vector_type(4)));

__global__ void mfma(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[64][17], bs[16][64];
    int t = threadIdx.x, l = t & 63, w = t >> 6, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    f4 acc[4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = t; i < 1024; i += 256) {
            as[i / 16][i % 16] = a[(r0 + i / 16) * n + k0 + i % 16];
            bs[i / 64][i % 64] = b[(k0 + i / 64) * n + c0 + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k += 4)
            for (int j = 0; j < 4; j++)
                acc[j] = __builtin_amdgcn_mfma_f32_16x16x4f32(
                    as[w * 16 + l % 16][k + l / 16], bs[k + l / 16][j * 16 + l % 16], acc[j], 0, 0, 0);
        __syncthreads();
    }
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++)
            c[(r0 + w * 16 + l / 16 * 4 + i) * n + c0 + j * 16 + l % 16] = acc[j][i];
}

TEST(gemm_mfma)
{
    constexpr int n = 512;
    run_square<float>(mfma, n, dim3(n / 64, n / 64), 256);
}
