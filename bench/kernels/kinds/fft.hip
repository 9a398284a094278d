// Steps of fast Fourier transforms. The factors are small integers, so that sums are exact.
#include "kinds.h"

__global__ void fft_lds(const float2 *in, float2 *out, const float2 *tw)
{
    __shared__ float2 b[512];
    int t = threadIdx.x, g = blockIdx.x * 512;
    b[__brev(t) >> 23] = in[g + t];
    b[__brev(t + 256) >> 23] = in[g + t + 256];
    __syncthreads();
    for (int h = 1; h < 512; h *= 2) {
        int k = t & (h - 1), i = ((t - k) << 1) + k, j = i + h;
        float2 w = tw[k * (256 / h)], u = b[i], v = b[j];
        float2 x = {v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x};
        __syncthreads();
        b[i] = {u.x + x.x, u.y + x.y};
        b[j] = {u.x - x.x, u.y - x.y};
        __syncthreads();
    }
    out[g + t] = b[t];
    out[g + t + 256] = b[t + 256];
}

TEST(fft_lds_512)
{
    int n = 512 * 128;
    Buf<float> in(randoms<float>(2 * n, 16)), tw(ints<float>(512, 3, 1)), o(2 * n);
    fft_lds<<<128, 256>>>((float2 *)in.p, (float2 *)o.p, (float2 *)tw.p);
    o.print("o");
}

__global__ void fft_stage(float2 *d, const float2 *tw, int h, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, k = t & (h - 1), i = ((t - k) << 1) + k, j = i + h;
    float2 w = tw[k * (n / 2 / h)], u = d[i], v = d[j];
    float2 x = {v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x};
    d[i] = {u.x + x.x, u.y + x.y};
    d[j] = {u.x - x.x, u.y - x.y};
}

TEST(fft_global)
{
    int n = 1 << 16;
    Buf<float> d(randoms<float>(2 * n, 16)), tw(ints<float>(n, 3, 1));
    for (int h = 1; h < n; h *= 2)
        fft_stage<<<n / 512, 256>>>((float2 *)d.p, (float2 *)tw.p, h, n);
    d.print("d");
}

__global__ void fft4(const float2 *in, float2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, q = n / 4;
    float2 a = in[i], b = in[i + q], c = in[i + 2 * q], d = in[i + 3 * q];
    float2 s = {a.x + c.x, a.y + c.y}, t = {a.x - c.x, a.y - c.y}, u = {b.x + d.x, b.y + d.y},
           v = {b.y - d.y, d.x - b.x};
    out[4 * i] = {s.x + u.x, s.y + u.y};
    out[4 * i + 1] = {t.x + v.x, t.y + v.y};
    out[4 * i + 2] = {s.x - u.x, s.y - u.y};
    out[4 * i + 3] = {t.x - v.x, t.y - v.y};
}

TEST(fft_radix4)
{
    int n = 1 << 18;
    Buf<float> d(randoms<float>(2 * n, 16)), o(2 * n);
    fft4<<<n / 1024, 256>>>((float2 *)d.p, (float2 *)o.p, n);
    o.print("o");
}
