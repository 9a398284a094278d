// Elements read and written by an index from memory.
#include "kinds.h"

__global__ void gather(const int *ix, const float *a, float *b, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        b[i] = a[ix[i]];
}

__global__ void scatter(const int *ix, const float *a, float *b, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        b[ix[i]] = a[i];
}

static std::vector<int> permutation(int n)
{
    std::vector<int> v(n);
    for (int i = 0; i < n; i++)
        v[i] = i;
    for (int i = n - 1; i > 0; i--)
        std::swap(v[i], v[rnd() % (i + 1)]);
    return v;
}

TEST(gather_random)
{
    int n = 1 << 18;
    Buf<int> ix(permutation(n));
    Buf<float> a(ints<float>(n, 1000, 0)), b(n);
    gather<<<n / 256, 256>>>(ix, a, b, n);
    b.print("b");
}

TEST(scatter_random)
{
    int n = 1 << 18;
    Buf<int> ix(permutation(n));
    Buf<float> a(ints<float>(n, 1000, 0)), b(n);
    scatter<<<n / 256, 256>>>(ix, a, b, n);
    b.print("b");
}

__global__ void embed(const int *ids, const float *table, float *out, int d)
{
    for (int i = threadIdx.x; i < d; i += blockDim.x)
        out[blockIdx.x * d + i] = table[ids[blockIdx.x] * d + i];
}

TEST(gather_embedding)
{
    int n = 2048, d = 256;
    Buf<int> ids(randoms<int>(n, 1000));
    Buf<float> t(ints<float>(1000 * d, 1000, 0)), o(n * d);
    embed<<<n, 64>>>(ids, t, o, d);
    o.print("o");
}
