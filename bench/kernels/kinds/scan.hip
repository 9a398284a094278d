// Prefix sums of a work-group's elements.
#include "kinds.h"

// Hillis and Steele: each step adds from twice as far; two buffers.
__global__ void hillis(const int *in, int *out)
{
    __shared__ int b[2][256];
    int t = threadIdx.x, at = 0;
    b[0][t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        b[at ^ 1][t] = b[at][t] + (t >= d ? b[at][t - d] : 0);
        at ^= 1;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = b[at][t];
}

TEST(scan_hillis)
{
    int n = 1 << 18;
    Buf<int> in(numbers(n)), o(n);
    hillis<<<n / 256, 256>>>(in, o);
    o.print("o");
}

// Blelloch: up a tree and down; P: a column of padding after each 32.
template <int P> __global__ void blelloch(const int *in, int *out)
{
    __shared__ int b[512 + P * 16];
    auto c = [](int i) { return P ? i + (i >> 5) : i; };
    int t = threadIdx.x, g = blockIdx.x * 512;
    b[c(t)] = in[g + t];
    b[c(t + 256)] = in[g + t + 256];
    int o = 1;
    for (int d = 256; d; d >>= 1) {
        __syncthreads();
        if (t < d)
            b[c(o * (2 * t + 2) - 1)] += b[c(o * (2 * t + 1) - 1)];
        o *= 2;
    }
    if (!t)
        b[c(511)] = 0;
    for (int d = 1; d < 512; d *= 2) {
        o >>= 1;
        __syncthreads();
        if (t < d) {
            int i = c(o * (2 * t + 1) - 1), j = c(o * (2 * t + 2) - 1), x = b[i];
            b[i] = b[j];
            b[j] += x;
        }
    }
    __syncthreads();
    out[g + t] = b[c(t)];
    out[g + t + 256] = b[c(t + 256)];
}

TEST(scan_blelloch)
{
    int n = 1 << 18;
    Buf<int> in(numbers(n)), o(n);
    blelloch<0><<<n / 512, 256>>>(in, o);
    o.print("o");
}

TEST(scan_blelloch_pad)
{
    int n = 1 << 18;
    Buf<int> in(numbers(n)), o(n);
    blelloch<1><<<n / 512, 256>>>(in, o);
    o.print("o");
}

__global__ void scan_wave(const int *in, int *out)
{
    __shared__ int w[32];
    int t = threadIdx.x, l = t % warpSize, v = in[blockIdx.x * 256 + t];
    for (int d = 1; d < warpSize; d *= 2) {
        int o = __shfl_up(v, d);
        if (l >= d)
            v += o;
    }
    if (l == warpSize - 1)
        w[t / warpSize] = v;
    __syncthreads();
    int s = 0;
    for (int k = 0; k < t / warpSize; k++)
        s += w[k];
    out[blockIdx.x * 256 + t] = v + s;
}

TEST(scan_wave)
{
    int n = 1 << 19;
    Buf<int> in(numbers(n)), o(n);
    scan_wave<<<n / 256, 256>>>(in, o);
    o.print("o");
}
