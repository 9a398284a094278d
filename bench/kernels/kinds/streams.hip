// Arrays read and written once, element by element.
#include "kinds.h"

__global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

TEST(simple_saxpy)
{
    int n = (1 << 20) - 37;
    Buf<float> x(ints<float>(n, 11, 3)), y(ints<float>(n, 7, 3));
    saxpy<<<(n + 255) / 256, 256>>>(2, x, y, n);
    y.print("y");
}

__global__ void triad(const double4 *a, const double4 *b, double4 *c, double s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double4 x = a[i], y = b[i];
        c[i] = {x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w};
    }
}

TEST(simple_triad4)
{
    int n = 1 << 18;
    Buf<double> a(ints<double>(4 * n, 11, 3)), b(ints<double>(4 * n, 7, 3)), c(4 * n);
    triad<<<n / 256, 256>>>((double4 *)a.p, (double4 *)b.p, (double4 *)c.p, 3, n);
    c.print("c");
}

__global__ void copy_grid(const float4 *a, float4 *b, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x)
        b[i] = a[i];
}

TEST(simple_copy_grid)
{
    int n = 1 << 20;
    Buf<float> a(randoms<float>(4 * n, 99)), b(4 * n);
    copy_grid<<<128, 256>>>((float4 *)a.p, (float4 *)b.p, n);
    b.print("b");
}
