// Matrix products without LDS, an element or four a work-item, and matrix times vector.
#include "kinds.h"

template <typename T> __global__ void naive(const T *a, const T *b, T *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n)
        return;
    T sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

template <typename T> void run_naive(int n, int w, int h)
{
    run_square<T>(naive<T>, n, dim3((n + w - 1) / w, (n + h - 1) / h), dim3(w, h));
}

TEST(matmul_16)
{
    run_naive<float>(256, 16, 16);
}

TEST(matmul_32x8)
{
    run_naive<float>(256, 32, 8);
}

TEST(matmul_8x8)
{
    run_naive<float>(256, 8, 8);
}

TEST(matmul_250)
{
    run_naive<float>(250, 16, 16);
}

TEST(matmul_double)
{
    run_naive<double>(256, 16, 16);
}

TEST(matmul_half)
{
    run_naive<_Float16>(256, 16, 16);
}

TEST(matmul_64)
{
    run_naive<float>(64, 16, 16);
}

// b is transposed.
__global__ void naive_bt(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[col * n + k];
    c[row * n + col] = sum;
}

// The x of a block is the row, so that neighbouring lanes lie n elements apart; indices of 64 bits.
__global__ void naive_swapped(const float *a, const float *b, float *c, size_t n)
{
    size_t row = blockIdx.x * (size_t)blockDim.x + threadIdx.x,
           col = blockIdx.y * (size_t)blockDim.y + threadIdx.y;
    float sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

TEST(matmul_bt)
{
    constexpr int n = 256;
    run_square<float>(naive_bt, n, dim3(16, 16), dim3(16, 16));
}

TEST(matmul_swapped)
{
    constexpr int n = 256;
    run_square<float>(naive_swapped, n, dim3(16, 16), dim3(16, 16));
}

// A one-dimensional index: a wavefront may have two rows.
__global__ void naive_1d(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / n, col = i % n;
    if (i >= n * n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[i] = sum;
}

TEST(matmul_1d)
{
    constexpr int n = 200;
    run_square<float>(naive_1d, n, (n * n + 255) / 256, 256);
}

// Four columns a work-item.
__global__ void naive_4(const float *a, const float4 *b, float4 *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float4 s = {};
    for (int k = 0; k < n; k++) {
        float x = a[row * n + k];
        float4 y = b[k * (n / 4) + col];
        s.x += x * y.x;
        s.y += x * y.y;
        s.z += x * y.z;
        s.w += x * y.w;
    }
    c[row * (n / 4) + col] = s;
}

TEST(matmul_float4)
{
    int n = 256;
    Buf<float> a(ints<float>(n * n, 7, 3)), b(ints<float>(n * n, 5, 2)), c(n * n);
    naive_4<<<dim3(n / 64, n / 16), dim3(16, 16)>>>(a, (float4 *)b.p, (float4 *)c.p, n);
    c.print("c");
}

// Matrix times vector: a row a work-item, a column's elements to neighbouring lanes, a row a wavefront.
__global__ void gemv_row(const float *a, const float *x, float *y, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += a[r * n + k] * x[k];
    y[r] = s;
}

__global__ void gemv_col(const float *a, const float *x, float *y, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += a[k * n + r] * x[k];
    y[r] = s;
}

__global__ void gemv_wave(const float *a, const float *x, float *y, int n)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, l = threadIdx.x % warpSize;
    if (r >= n)
        return;
    float s = 0;
    for (int k = l; k < n; k += warpSize)
        s += a[r * n + k] * x[k];
    for (int d = warpSize / 2; d; d /= 2)
        s += __shfl_down(s, d);
    if (l == 0)
        y[r] = s;
}

TEST(gemv_row)
{
    int n = 1024;
    Buf<float> a(ints<float>(n * n, 7, 3)), x(ints<float>(n, 5, 2)), y(n);
    gemv_row<<<n / 64, 64>>>(a, x, y, n);
    y.print("y");
}

TEST(gemv_col)
{
    int n = 1024;
    Buf<float> a(ints<float>(n * n, 7, 3)), x(ints<float>(n, 5, 2)), y(n);
    gemv_col<<<n / 64, 64>>>(a, x, y, n);
    y.print("y");
}

TEST(gemv_wave)
{
    int n = 1024;
    Buf<float> a(ints<float>(n * n, 7, 3)), x(ints<float>(n, 5, 2)), y(n);
    gemv_wave<<<n / 4, 256>>>(a, x, y, n);
    y.print("y");
}
