// Forces of all bodies on each: tiles in LDS or not, arrays of structs and structs of arrays.
#include "kinds.h"

__device__ inline void pull(float4 me, float4 it, float4 &s)
{
    float dx = it.x - me.x, dy = it.y - me.y, dz = it.z - me.z, r = dx * dx + dy * dy + dz * dz + 1.0f,
          w = it.w / (r * sqrtf(r));
    s.x += dx * w;
    s.y += dy * w;
    s.z += dz * w;
}

template <int B> __global__ void tiles(const float4 *p, float4 *f, int n)
{
    __shared__ float4 t[B];
    int me = blockIdx.x * B + threadIdx.x;
    float4 m = p[me], s = {};
    for (int j = 0; j < n; j += B) {
        t[threadIdx.x] = p[j + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < B; i++)
            pull(m, t[i], s);
        __syncthreads();
    }
    f[me] = s;
}

static std::vector<float4> bodies(int n)
{
    std::vector<float4> v(n);
    for (auto &b : v)
        b = {(float)(rnd() % 64), (float)(rnd() % 64), (float)(rnd() % 64), 1};
    return v;
}

TEST(nbody_lds256)
{
    int n = 2048;
    Buf<float4> p(bodies(n)), f(n);
    tiles<256><<<n / 256, 256>>>(p, f, n);
    f.print("f");
}

TEST(nbody_lds64)
{
    int n = 2048;
    Buf<float4> p(bodies(n)), f(n);
    tiles<64><<<n / 64, 64>>>(p, f, n);
    f.print("f");
}

__global__ void plain(const float4 *p, float4 *f, int n)
{
    int me = blockIdx.x * 256 + threadIdx.x;
    if (me >= n)
        return;
    float4 m = p[me], s = {};
    for (int i = 0; i < n; i++)
        pull(m, p[i], s);
    f[me] = s;
}

TEST(nbody_plain)
{
    int n = 2048;
    Buf<float4> p(bodies(n)), f(n);
    plain<<<n / 256, 256>>>(p, f, n);
    f.print("f");
}

TEST(nbody_plain_2000)
{
    int n = 2000;
    Buf<float4> p(bodies(n)), f(n);
    plain<<<(n + 255) / 256, 256>>>(p, f, n);
    f.print("f");
}

__global__ void arrays(const float *x, const float *y, const float *z, const float *w, float *f, int n)
{
    int me = blockIdx.x * 256 + threadIdx.x;
    float4 m = {x[me], y[me], z[me], 0}, s = {};
    for (int i = 0; i < n; i++) {
        float4 it = {x[i], y[i], z[i], w[i]};
        pull(m, it, s);
    }
    f[me] = s.x;
    f[n + me] = s.y;
    f[2 * n + me] = s.z;
}

TEST(nbody_soa)
{
    int n = 2048;
    Buf<float> x(randoms<float>(n, 64)), y(randoms<float>(n, 64)), z(randoms<float>(n, 64)),
        w(randoms<float>(n, 5)), f(3 * n);
    arrays<<<n / 256, 256>>>(x, y, z, w, f, n);
    f.print("f");
}

__global__ void array_tiles(const float *x, const float *y, const float *z, const float *w, float *f, int n)
{
    __shared__ float sx[256], sy[256], sz[256], sw[256];
    int t = threadIdx.x, me = blockIdx.x * 256 + t;
    float4 m = {x[me], y[me], z[me], 0}, s = {};
    for (int j = 0; j < n; j += 256) {
        sx[t] = x[j + t];
        sy[t] = y[j + t];
        sz[t] = z[j + t];
        sw[t] = w[j + t];
        __syncthreads();
        for (int i = 0; i < 256; i++) {
            float4 it = {sx[i], sy[i], sz[i], sw[i]};
            pull(m, it, s);
        }
        __syncthreads();
    }
    f[me] = s.x;
    f[n + me] = s.y;
    f[2 * n + me] = s.z;
}

TEST(nbody_soa_lds)
{
    int n = 2048;
    Buf<float> x(randoms<float>(n, 64)), y(randoms<float>(n, 64)), z(randoms<float>(n, 64)),
        w(randoms<float>(n, 5)), f(3 * n);
    array_tiles<<<n / 256, 256>>>(x, y, z, w, f, n);
    f.print("f");
}

__global__ void edge_tiles(const float4 *p, float4 *f, int n)
{
    __shared__ float4 t[256];
    int me = blockIdx.x * 256 + threadIdx.x;
    float4 m = {}, s = {};
    if (me < n)
        m = p[me];
    for (int j = 0; j < n; j += 256) {
        if (j + (int)threadIdx.x < n)
            t[threadIdx.x] = p[j + threadIdx.x];
        __syncthreads();
        int e = min(256, n - j);
        for (int i = 0; i < e; i++)
            pull(m, t[i], s);
        __syncthreads();
    }
    if (me < n)
        f[me] = s;
}

TEST(nbody_edge_2000)
{
    int n = 2000;
    Buf<float4> p(bodies(n)), f(n);
    edge_tiles<<<(n + 255) / 256, 256>>>(p, f, n);
    f.print("f");
}

struct Body {
    float x, y, z, vx, vy, vz, m;
};

__global__ void structs(const Body *p, float *f, int n)
{
    __shared__ float4 t[128];
    int me = blockIdx.x * 128 + threadIdx.x;
    float4 m = {p[me].x, p[me].y, p[me].z, 0}, s = {};
    for (int j = 0; j < n; j += 128) {
        const Body &b = p[j + threadIdx.x];
        t[threadIdx.x] = {b.x, b.y, b.z, b.m};
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < 128; i++)
            pull(m, t[i], s);
        __syncthreads();
    }
    f[3 * me] = s.x;
    f[3 * me + 1] = s.y;
    f[3 * me + 2] = s.z;
}

TEST(nbody_aos)
{
    int n = 2048;
    std::vector<Body> v(n);
    for (auto &b : v)
        b = {(float)(rnd() % 64), (float)(rnd() % 64), (float)(rnd() % 64), 0, 0, 0, 1};
    Buf<Body> p(v);
    Buf<float> f(3 * n);
    structs<<<n / 128, 128>>>(p, f, n);
    f.print("f");
}
