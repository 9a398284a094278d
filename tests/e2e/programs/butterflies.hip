// Pairs of elements as in a Fourier transform: the lanes of a wavefront form rows of 2 and 4, then longer ones, in LDS and in memory;
// and elements of 8 bytes in the order of reversed bits, which form none. The exit code is 0 when the results are right.
#include "../../../hip-examples/common/example.h"

constexpr int N = 512, GROUPS = 64;

__device__ __host__ static inline int upper(int t, int h)
{
    return 2 * t - (t & (h - 1));
}

__device__ __host__ static inline int reversed(int t)
{
    int r = 0;
    for (int bit = 1; bit < N; bit *= 2)
        r = r * 2 + !!(t & bit);
    return r;
}

__global__ void in_lds(int *out, int longest)
{
    __shared__ int a[N];
    int t = threadIdx.x;
    a[t] = t;
    a[t + N / 2] = t + N / 2;
    for (int h = 2; h <= longest; h *= 2) {
        __syncthreads();
        int i = upper(t, h), u = a[i], v = a[i + h];
        a[i] = u + v;
        a[i + h] = u - v;
    }
    __syncthreads();
    out[blockIdx.x * N + t] = a[t];
    out[blockIdx.x * N + t + N / 2] = a[t + N / 2];
}

__global__ void in_memory(int *out, int longest)
{
    int t = threadIdx.x, *a = out + blockIdx.x * N;
    a[t] = t;
    a[t + N / 2] = t + N / 2;
    for (int h = 2; h <= longest; h *= 2) {
        __syncthreads();
        int i = upper(t, h), u = a[i], v = a[i + h];
        a[i] = u + v;
        a[i + h] = u - v;
    }
}

__global__ void in_pairs(int *out, int longest)
{
    __shared__ int2 a[N];
    int t = threadIdx.x, from = __brev(t) >> 23;
    a[t] = make_int2(t, 0);
    a[t + N / 2] = make_int2(t + N / 2, 0);
    for (int h = 2; h <= longest; h *= 2) {
        __syncthreads();
        int2 u = a[from], v = a[from + 1];
        a[from] = make_int2(u.x + v.x, u.y + h);
        a[from + 1] = make_int2(u.x - v.x, v.y + h);
    }
    __syncthreads();
    for (int i = t; i < N; i += N / 2)
        out[blockIdx.x * N + i] = a[i].x + a[i].y;
}

static std::vector<int> expected(bool pairs, int longest)
{
    std::vector<int> a(N), all;
    int added = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
    for (int h = 2; h <= longest; h *= 2, added += pairs ? h / 2 : 0)
        for (int t = 0; t < N / 2; t++) {
            int i = pairs ? reversed(t) : upper(t, h), j = pairs ? i + 1 : i + h, u = a[i], v = a[j];
            a[i] = u + v;
            a[j] = u - v;
        }
    for (int i = 0; i < N * GROUPS; i++)
        all.push_back(a[i % N] + added);
    return all;
}

int main()
{
    int wrong = 0;
    for (auto kernel : {in_lds, in_memory, in_pairs}) {
        DeviceArray<int> out(N * GROUPS);
        int longest = kernel == in_pairs ? 32 : 4;
        kernel<<<GROUPS, N / 2>>>(out.get(), longest);
        finish_launch();
        wrong |= verdict("butterflies", out.read(), expected(kernel == in_pairs, longest));
    }
    return wrong;
}
