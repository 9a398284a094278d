// Stencils in two dimensions and one: edges left out, clamped, periodic, zero; with a halo in LDS.
#include "kinds.h"

__global__ void five_points(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
        out[y * nx + x] = 4 * in[y * nx + x] - in[y * nx + x - 1] - in[y * nx + x + 1] -
                          in[(y - 1) * nx + x] - in[(y + 1) * nx + x];
}

TEST(stencil_5_32x8)
{
    run_stencil<five_points>(512, 512, 32, 8);
}

TEST(stencil_5_64x4)
{
    run_stencil<five_points>(512, 512, 64, 4);
}

TEST(stencil_5_16x16)
{
    run_stencil<five_points>(512, 512, 16, 16);
}

TEST(stencil_5_256x1)
{
    run_stencil<five_points>(1024, 512, 256, 1);
}

TEST(stencil_5_500)
{
    run_stencil<five_points>(500, 500, 32, 8);
}

__global__ void nine_points(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    float s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            s += in[(y + dy) * nx + x + dx];
    out[y * nx + x] = s;
}

TEST(stencil_9_32x8)
{
    run_stencil<nine_points>(512, 512, 32, 8);
}

TEST(stencil_9_64x4)
{
    run_stencil<nine_points>(512, 512, 64, 4);
}

TEST(stencil_9_16x16)
{
    run_stencil<nine_points>(512, 512, 16, 16);
}

__global__ void thirteen_points(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 3 || y < 3 || x >= nx - 3 || y >= ny - 3)
        return;
    float s = in[y * nx + x];
    for (int d = 1; d <= 3; d++)
        s += in[(y + d) * nx + x] + in[(y - d) * nx + x] + in[y * nx + x + d] + in[y * nx + x - d];
    out[y * nx + x] = s;
}

TEST(stencil_13_32x8)
{
    run_stencil<thirteen_points>(512, 512, 32, 8);
}

__global__ void clamped(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    int l = max(x - 1, 0), r = min(x + 1, nx - 1), u = max(y - 1, 0), d = min(y + 1, ny - 1);
    out[y * nx + x] = in[y * nx + x] + in[y * nx + l] + in[y * nx + r] + in[u * nx + x] + in[d * nx + x];
}

TEST(stencil_clamped_32x8)
{
    run_stencil<clamped>(512, 512, 32, 8);
}

__global__ void periodic(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int l = (x + nx - 1) % nx, r = (x + 1) % nx, u = (y + ny - 1) % ny, d = (y + 1) % ny;
    out[y * nx + x] = in[y * nx + x] + in[y * nx + l] + in[y * nx + r] + in[u * nx + x] + in[d * nx + x];
}

TEST(stencil_periodic_32x8)
{
    run_stencil<periodic>(512, 512, 32, 8);
}

__global__ void zero_outside(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float c = in[y * nx + x], l = x > 0 ? in[y * nx + x - 1] : 0, r = x < nx - 1 ? in[y * nx + x + 1] : 0,
          u = y > 0 ? in[(y - 1) * nx + x] : 0, d = y < ny - 1 ? in[(y + 1) * nx + x] : 0;
    out[y * nx + x] = c + l + r + u + d;
}

TEST(stencil_zero_32x8)
{
    run_stencil<zero_outside>(512, 512, 32, 8);
}

TEST(stencil_zero_64x4)
{
    run_stencil<zero_outside>(512, 512, 64, 4);
}

template <int W, int H> __global__ void halo(const float *in, float *out, int nx, int ny)
{
    __shared__ float t[H + 2][W + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * W + threadIdx.x,
        y = blockIdx.y * H + threadIdx.y;
    t[ty][tx] = in[y * nx + x];
    if (tx == 1)
        t[ty][0] = x > 0 ? in[y * nx + x - 1] : 0;
    if (tx == W)
        t[ty][W + 1] = x < nx - 1 ? in[y * nx + x + 1] : 0;
    if (ty == 1)
        t[0][tx] = y > 0 ? in[(y - 1) * nx + x] : 0;
    if (ty == H)
        t[H + 1][tx] = y < ny - 1 ? in[(y + 1) * nx + x] : 0;
    __syncthreads();
    out[y * nx + x] = t[ty][tx] + t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx];
}

TEST(stencil_lds_32x8)
{
    run_stencil<halo<32, 8>>(512, 512, 32, 8);
}

TEST(stencil_lds_16x16)
{
    run_stencil<halo<16, 16>>(512, 512, 16, 16);
}

TEST(stencil_lds_64x4)
{
    run_stencil<halo<64, 4>>(512, 512, 64, 4);
}

__global__ void halo_1d(const float *in, float *out, int n)
{
    __shared__ float t[256 + 6];
    int i = blockIdx.x * 256 + threadIdx.x, l = threadIdx.x + 3;
    t[l] = in[i];
    if (threadIdx.x < 3) {
        t[l - 3] = i >= 3 ? in[i - 3] : 0;
        t[l + 256] = i + 256 < n ? in[i + 256] : 0;
    }
    __syncthreads();
    float s = 0;
    for (int d = -3; d <= 3; d++)
        s += t[l + d];
    out[i] = s;
}

TEST(stencil_1d_lds)
{
    int n = 1 << 19;
    Buf<float> in(ints<float>(n, 11, 0)), out(n);
    halo_1d<<<n / 256, 256>>>(in, out, n);
    out.print("out");
}
