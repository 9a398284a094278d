// Convolutions and a pooling: direct, with tiles in LDS, separable, with channels.
#include "kinds.h"

__constant__ float mask[81];

static void set_mask()
{
    std::vector<float> v = ints<float>(81, 5, 2);
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(mask), v.data(), 81 * 4));
}

__global__ void conv1d(const float *in, float *out, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 9; k++) {
        int j = i + k - 4;
        if (j >= 0 && j < n)
            s += in[j] * mask[k];
    }
    out[i] = s;
}

TEST(conv_1d)
{
    set_mask();
    int n = 1 << 18;
    Buf<float> in(ints<float>(n, 11, 0)), out(n);
    conv1d<<<n / 256, 256>>>(in, out, n);
    out.print("o");
}

template <int R> __global__ void conv2d(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int a = -R; a <= R; a++)
        for (int b = -R; b <= R; b++) {
            int xx = x + b, yy = y + a;
            if (xx >= 0 && xx < nx && yy >= 0 && yy < ny)
                s += in[yy * nx + xx] * mask[(a + R) * (2 * R + 1) + b + R];
        }
    out[y * nx + x] = s;
}

TEST(conv_2d_3x3)
{
    set_mask();
    run_stencil<conv2d<1>>(512, 512, 32, 8);
}

TEST(conv_2d_5x5)
{
    set_mask();
    run_stencil<conv2d<2>>(512, 512, 16, 16);
}

template <int R> __global__ void conv2d_lds(const float *in, float *out, int nx, int ny)
{
    __shared__ float t[16 + 2 * R][16 + 2 * R];
    int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < (16 + 2 * R) * (16 + 2 * R); i += 256) {
        int lx = i % (16 + 2 * R), ly = i / (16 + 2 * R), x = x0 + lx - R, y = y0 + ly - R;
        t[ly][lx] = x >= 0 && x < nx && y >= 0 && y < ny ? in[y * nx + x] : 0;
    }
    __syncthreads();
    float s = 0;
    for (int a = 0; a <= 2 * R; a++)
        for (int b = 0; b <= 2 * R; b++)
            s += t[threadIdx.y + a][threadIdx.x + b] * mask[a * (2 * R + 1) + b];
    out[(y0 + threadIdx.y) * nx + x0 + threadIdx.x] = s;
}

TEST(conv_2d_lds_3)
{
    set_mask();
    run_stencil<conv2d_lds<1>>(512, 512, 16, 16);
}

TEST(conv_2d_lds_5)
{
    set_mask();
    run_stencil<conv2d_lds<2>>(512, 512, 16, 16);
}

TEST(conv_2d_lds_9)
{
    set_mask();
    run_stencil<conv2d_lds<4>>(512, 512, 16, 16);
}

__global__ void conv_row(const float *in, float *out, int nx, int)
{
    __shared__ float t[4][64 + 16];
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    for (int i = threadIdx.x; i < 80; i += 64) {
        int xx = blockIdx.x * 64 + i - 8;
        t[threadIdx.y][i] = xx >= 0 && xx < nx ? in[y * nx + xx] : 0;
    }
    __syncthreads();
    float s = 0;
    for (int k = -8; k <= 8; k++)
        s += t[threadIdx.y][threadIdx.x + 8 + k] * mask[k + 8];
    out[y * nx + x] = s;
}

TEST(conv_separable_row)
{
    set_mask();
    run_stencil<conv_row>(512, 512, 64, 4);
}

// NCHW, 3 x 3, channels; weights from memory.
__global__ void conv_nchw(const float *in, const float *w, float *out, int C, int H, int W)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
    if (x >= W - 2 || y >= H - 2)
        return;
    float s = 0;
    for (int c = 0; c < C; c++)
        for (int r = 0; r < 3; r++)
            for (int q = 0; q < 3; q++)
                s += in[(c * H + y + r) * W + x + q] * w[((k * C + c) * 3 + r) * 3 + q];
    out[(k * (H - 2) + y) * (W - 2) + x] = s;
}

TEST(conv_nchw)
{
    int C = 16, H = 66, W = 66, K = 8;
    Buf<float> in(ints<float>(C * H * W, 7, 3)), w(ints<float>(K * C * 9, 5, 2)), o(K * 64 * 64);
    conv_nchw<<<dim3(2, 8, K), dim3(32, 8)>>>(in, w, o, C, H, W);
    o.print("o");
}

// NHWC depthwise, one channel a lane.
__global__ void conv_depth(const float *in, const float *w, float *out, int C, int W)
{
    int c = threadIdx.x, x = blockIdx.x, y = blockIdx.y;
    float s = 0;
    for (int r = 0; r < 3; r++)
        for (int q = 0; q < 3; q++)
            s += in[((y + r) * W + x + q) * C + c] * w[(r * 3 + q) * C + c];
    out[(y * (W - 2) + x) * C + c] = s;
}

TEST(conv_depthwise)
{
    int C = 64, H = 66, W = 66;
    Buf<float> in(ints<float>(C * H * W, 7, 3)), w(ints<float>(C * 9, 5, 2)), o(C * 64 * 64);
    conv_depth<<<dim3(64, 64), C>>>(in, w, o, C, W);
    o.print("o");
}

__global__ void pool(const float *in, float *out, int W)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float m = in[2 * y * W + 2 * x];
    m = fmaxf(m, in[2 * y * W + 2 * x + 1]);
    m = fmaxf(m, in[(2 * y + 1) * W + 2 * x]);
    m = fmaxf(m, in[(2 * y + 1) * W + 2 * x + 1]);
    out[y * (W / 2) + x] = m;
}

TEST(pool_2x2)
{
    int W = 1024;
    Buf<float> in(randoms<float>(W * W, 99)), o(W * W / 4);
    pool<<<dim3(16, 64), dim3(32, 8)>>>(in, o, W);
    o.print("o");
}
