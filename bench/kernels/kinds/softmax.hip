// Softmax and norms of rows, a work-group or a wavefront a row.
#include "kinds.h"

__device__ float block_max(float m, float *p)
{
    int t = threadIdx.x;
    p[t] = m;
    __syncthreads();
    for (int h = blockDim.x / 2; h; h /= 2) {
        if (t < h)
            p[t] = fmaxf(p[t], p[t + h]);
        __syncthreads();
    }
    m = p[0];
    __syncthreads();
    return m;
}

__device__ float block_sum(float m, float *p)
{
    int t = threadIdx.x;
    p[t] = m;
    __syncthreads();
    for (int h = blockDim.x / 2; h; h /= 2) {
        if (t < h)
            p[t] += p[t + h];
        __syncthreads();
    }
    m = p[0];
    __syncthreads();
    return m;
}

__global__ void softmax_block(const float *in, float *out, int cols)
{
    __shared__ float p[256];
    const float *r = in + (size_t)blockIdx.x * cols;
    float m = -1e30f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        m = fmaxf(m, r[i]);
    m = block_max(m, p);
    float s = 0;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        s += __expf(r[i] - m);
    s = block_sum(s, p);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        out[(size_t)blockIdx.x * cols + i] = __expf(r[i] - m) / s;
}

TEST(softmax_block_1024)
{
    Buf<float> in(randoms<float>(512 * 1024, 16)), o(512 * 1024);
    softmax_block<<<512, 256>>>(in, o, 1024);
    o.print("o");
}

TEST(softmax_block_1000)
{
    Buf<float> in(randoms<float>(512 * 1000, 16)), o(512 * 1000);
    softmax_block<<<512, 256>>>(in, o, 1000);
    o.print("o");
}

TEST(softmax_block_8192)
{
    Buf<float> in(randoms<float>(64 * 8192, 16)), o(64 * 8192);
    softmax_block<<<64, 256>>>(in, o, 8192);
    o.print("o");
}

__global__ void softmax_wave(const float *in, float *out, int cols, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, l = threadIdx.x % warpSize;
    if (r >= rows)
        return;
    float m = -1e30f, s = 0;
    for (int i = l; i < cols; i += warpSize)
        m = fmaxf(m, in[r * cols + i]);
    for (int d = warpSize / 2; d; d /= 2)
        m = fmaxf(m, __shfl_xor(m, d));
    for (int i = l; i < cols; i += warpSize)
        s += __expf(in[r * cols + i] - m);
    for (int d = warpSize / 2; d; d /= 2)
        s += __shfl_xor(s, d);
    for (int i = l; i < cols; i += warpSize)
        out[r * cols + i] = __expf(in[r * cols + i] - m) / s;
}

TEST(softmax_wave_512)
{
    Buf<float> in(randoms<float>(1024 * 512, 16)), o(1024 * 512);
    softmax_wave<<<256, 256>>>(in, o, 512, 1024);
    o.print("o");
}

TEST(softmax_wave_100)
{
    Buf<float> in(randoms<float>(1024 * 100, 16)), o(1024 * 100);
    softmax_wave<<<256, 256>>>(in, o, 100, 1024);
    o.print("o");
}

__global__ void layernorm(const float *in, const float *g, const float *b, float *out, int cols)
{
    __shared__ float p[256];
    const float *r = in + blockIdx.x * cols;
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        float v = r[i];
        s += v;
        q += v * v;
    }
    s = block_sum(s, p) / cols;
    q = block_sum(q, p) / cols;
    float d = rsqrtf(q - s * s + 1e-5f);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        out[blockIdx.x * cols + i] = (r[i] - s) * d * g[i] + b[i];
}

TEST(layernorm_768)
{
    Buf<float> in(randoms<float>(512 * 768, 16)), g(randoms<float>(768, 3)), b(randoms<float>(768, 3)),
        o(512 * 768);
    layernorm<<<512, 256>>>(in, g, b, o, 768);
    o.print("o");
}

__global__ void rms_norm(const float4 *in, const float4 *g, float4 *out, int c4, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, l = threadIdx.x % warpSize;
    if (r >= rows)
        return;
    float q = 0;
    for (int i = l; i < c4; i += warpSize) {
        float4 v = in[r * c4 + i];
        q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int d = warpSize / 2; d; d /= 2)
        q += __shfl_xor(q, d);
    float s = rsqrtf(q / (4 * c4) + 1e-5f);
    for (int i = l; i < c4; i += warpSize) {
        float4 v = in[r * c4 + i], w = g[i];
        out[r * c4 + i] = {v.x * s * w.x, v.y * s * w.y, v.z * s * w.z, v.w * s * w.w};
    }
}

TEST(layernorm_rms4)
{
    int c = 2048, r = 256;
    Buf<float> in(randoms<float>(c * r, 16)), g(randoms<float>(c, 3)), o(c * r);
    rms_norm<<<r / 4, 256>>>((float4 *)in.p, (float4 *)g.p, (float4 *)o.p, c / 4, r);
    o.print("o");
}
