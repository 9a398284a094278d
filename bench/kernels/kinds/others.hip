// Attention, shortest paths and nearest centres: kernels of no kind above.
#include "kinds.h"

// A query a work-item; softmax goes along with the tiles of keys and values.
__global__ void attention(const float *q, const float *k, const float *v, float *o, int n)
{
    __shared__ float ks[32][64], vs[32][64];
    int t = threadIdx.x, row = blockIdx.x * 64 + t;
    float qr[64], acc[64] = {};
    for (int i = 0; i < 64; i++)
        qr[i] = q[row * 64 + i];
    float m = -1e30f, l = 0;
    for (int j0 = 0; j0 < n; j0 += 32) {
        for (int i = t; i < 32 * 64; i += 64) {
            ks[i / 64][i % 64] = k[j0 * 64 + i];
            vs[i / 64][i % 64] = v[j0 * 64 + i];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float s = 0;
            for (int i = 0; i < 64; i++)
                s += qr[i] * ks[j][i];
            float mm = fmaxf(m, s), e = __expf(s - mm), f = __expf(m - mm);
            m = mm;
            l = l * f + e;
            for (int i = 0; i < 64; i++)
                acc[i] = acc[i] * f + e * vs[j][i];
        }
        __syncthreads();
    }
    for (int i = 0; i < 64; i++)
        o[row * 64 + i] = acc[i] / l;
}

TEST(attention)
{
    int n = 256;
    Buf<float> q(ints<float>(n * 64, 3, 1)), k(ints<float>(n * 64, 5, 2)), v(ints<float>(n * 64, 7, 3)),
        o(n * 64);
    attention<<<n / 64, 64>>>(q, k, v, o, n);
    o.print("o");
}

__global__ void floyd(int *d, int n, int k)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    int a = d[y * n + k] + d[k * n + x];
    if (a < d[y * n + x])
        d[y * n + x] = a;
}

TEST(floyd)
{
    int n = 256;
    Buf<int> d(randoms<int>(n * n, 1000));
    for (int k = 0; k < 4; k++)
        floyd<<<dim3(16, 16), dim3(16, 16)>>>(d, n, k);
    d.print("d");
}

__global__ void kmeans(const float *p, const float *c, int *a, int n, int k, int dim)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    int best = 0;
    float bd = 1e30f;
    for (int j = 0; j < k; j++) {
        float d = 0;
        for (int q = 0; q < dim; q++) {
            float e = p[i * dim + q] - c[j * dim + q];
            d += e * e;
        }
        if (d < bd) {
            bd = d;
            best = j;
        }
    }
    a[i] = best;
}

TEST(kmeans_aos)
{
    int n = 16384;
    Buf<float> p(randoms<float>(n * 8, 100)), c(randoms<float>(16 * 8, 100));
    Buf<int> a(n);
    kmeans<<<n / 256, 256>>>(p, c, a, n, 16, 8);
    a.print("a");
}
