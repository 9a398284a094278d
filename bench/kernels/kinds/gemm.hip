// GEMMs by tiles in LDS, an element of c a work-item: sizes, types, bounds, transposed operands, batches.
#include "kinds.h"

template <typename T, int S> __global__ void tiled(const T *a, const T *b, T *c, int n)
{
    __shared__ T as[S][S], bs[S][S];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * S + ty, col = blockIdx.x * S + tx;
    T sum = 0;
    for (int k0 = 0; k0 < n; k0 += S) {
        as[ty][tx] = a[row * n + k0 + tx];
        bs[ty][tx] = b[(k0 + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < S; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

template <typename T, int S> void run_tiled(int n = 512)
{
    run_square<T>(tiled<T, S>, n, dim3(n / S, n / S), dim3(S, S));
}

TEST(gemm_t16)
{
    run_tiled<float, 16>();
}

TEST(gemm_t32)
{
    run_tiled<float, 32>();
}

TEST(gemm_t8)
{
    run_tiled<float, 8>();
}

TEST(gemm_double16)
{
    run_tiled<double, 16>();
}

TEST(gemm_double32)
{
    run_tiled<double, 32>();
}

TEST(gemm_half32)
{
    run_tiled<_Float16, 32>(256);
}

TEST(gemm_half16)
{
    run_tiled<_Float16, 16>(256);
}

TEST(gemm_int8_32)
{
    run_tiled<signed char, 32>(256);
}

// M, N and K may be no multiples of S.
template <int S> __global__ void bounded(const float *a, const float *b, float *c, int M, int N, int K)
{
    __shared__ float as[S][S], bs[S][S];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * S + ty, col = blockIdx.x * S + tx;
    float sum = 0;
    for (int t = 0; t < (K + S - 1) / S; t++) {
        as[ty][tx] = row < M && t * S + tx < K ? a[row * K + t * S + tx] : 0;
        bs[ty][tx] = t * S + ty < K && col < N ? b[(t * S + ty) * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < S; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        c[row * N + col] = sum;
}

template <int S> void run_bounded(int M, int N, int K)
{
    Buf<float> a(ints<float>(M * K, 7, 3)), b(ints<float>(K * N, 5, 2)), c(M * N);
    bounded<S><<<dim3((N + S - 1) / S, (M + S - 1) / S), dim3(S, S)>>>(a, b, c, M, N, K);
    c.print("c");
}

TEST(gemm_bounds16_500)
{
    run_bounded<16>(500, 500, 500);
}

TEST(gemm_bounds32_500)
{
    run_bounded<32>(500, 500, 500);
}

TEST(gemm_bounds16_rect)
{
    run_bounded<16>(333, 217, 401);
}

TEST(gemm_bounds32_512)
{
    run_bounded<32>(512, 512, 512);
}

// Transposed operands and leading dimensions, alpha and beta.
template <bool TA, bool TB, int P>
__global__ void trans(const float *a, int lda, const float *b, int ldb, float *c, int ldc, int K, float alpha,
                      float beta)
{
    __shared__ float as[16][16 + P], bs[16][16 + P];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        if (TA)
            as[tx][ty] = a[(k0 + ty) * lda + blockIdx.y * 16 + tx];
        else
            as[ty][tx] = a[row * lda + k0 + tx];
        if (TB)
            bs[tx][ty] = b[(blockIdx.x * 16 + ty) * ldb + k0 + tx];
        else
            bs[ty][tx] = b[(k0 + ty) * ldb + col];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * ldc + col] = alpha * sum + beta * c[row * ldc + col];
}

template <bool TA, bool TB, int P> void run_trans()
{
    int n = 512, l = 520;
    Buf<float> a(ints<float>(l * l, 7, 3)), b(ints<float>(l * l, 5, 2)), c(l * l);
    trans<TA, TB, P><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, l, b, l, c, l, n, 2, 1);
    c.print("c");
}

TEST(gemm_nn_ld)
{
    run_trans<0, 0, 0>();
}

TEST(gemm_tn)
{
    run_trans<1, 0, 0>();
}

TEST(gemm_nt_pad)
{
    run_trans<0, 1, 1>();
}

TEST(gemm_tt)
{
    run_trans<1, 1, 1>();
}

// One-dimensional work-groups, batched.
__global__ void batched(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16 * 16], bs[16 * 16];
    int t = threadIdx.x, tx = t & 15, ty = t >> 4;
    size_t off = (size_t)blockIdx.z * n * n;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        as[t] = a[off + (blockIdx.y * 16 + ty) * n + k0 + tx];
        bs[t] = b[off + (k0 + ty) * n + blockIdx.x * 16 + tx];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += as[ty * 16 + k] * bs[k * 16 + tx];
        __syncthreads();
    }
    c[off + (blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = sum;
}

TEST(gemm_batched)
{
    int n = 128, B = 16;
    Buf<float> a(ints<float>(n * n * B, 7, 3)), b(ints<float>(n * n * B, 5, 2)), c(n * n * B);
    batched<<<dim3(n / 16, n / 16, B), 256>>>(a, b, c, n);
    c.print("c");
}
