// Stencils in three dimensions.
#include "kinds.h"
__global__ void seven_points(const float *in, float *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    int i = (z * ny + y) * nx + x;
    out[i] = in[i] + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny];
}

TEST(stencil_3d7_32x4x2)
{
    int n = 64;
    Buf<float> in(ints<float>(n * n * n, 11, 0)), out(n * n * n);
    seven_points<<<dim3(2, 16, 32), dim3(32, 4, 2)>>>(in, out, n, n, n);
    out.print("s");
}

TEST(stencil_3d7_8x8x4)
{
    int n = 64;
    Buf<float> in(ints<float>(n * n * n, 11, 0)), out(n * n * n);
    seven_points<<<dim3(8, 8, 16), dim3(8, 8, 4)>>>(in, out, n, n, n);
    out.print("s");
}

TEST(stencil_3d7_64x4)
{
    int n = 64;
    Buf<float> in(ints<float>(n * n * n, 11, 0)), out(n * n * n);
    seven_points<<<dim3(1, 16, 64), dim3(64, 4, 1)>>>(in, out, n, n, n);
    out.print("s");
}

// A column in z a work-item, which keeps the last planes in registers.
__global__ void marching(const float *in, float *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    int i = y * nx + x, p = nx * ny;
    float b = in[i], c = in[i + p];
    for (int z = 1; z < nz - 1; z++) {
        i += p;
        float f = in[i + p];
        out[i] = b + c + f + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx];
        b = c;
        c = f;
    }
}

TEST(stencil_3d_march)
{
    int n = 128;
    Buf<float> in(ints<float>(n * n * 64, 11, 0)), out(n * n * 64);
    marching<<<dim3(4, 16), dim3(32, 8)>>>(in, out, n, n, 64);
    out.print("s");
}

__global__ void all_neighbours(const float *in, float *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    float s = 0;
    for (int a = -1; a <= 1; a++)
        for (int b = -1; b <= 1; b++)
            for (int c = -1; c <= 1; c++)
                s += in[((z + a) * ny + y + b) * nx + x + c];
    out[(z * ny + y) * nx + x] = s;
}

TEST(stencil_3d27)
{
    int n = 64;
    Buf<float> in(ints<float>(n * n * n, 11, 0)), out(n * n * n);
    all_neighbours<<<dim3(2, 16, 32), dim3(32, 4, 2)>>>(in, out, n, n, n);
    out.print("s");
}
