// Kernels that change what they have read, or read beside it, at places that form neither lines nor rows: one probe stands for
// accesses that cost the same. The exit code is 0 when the results are right.
#include "../../../hip-examples/common/example.h"

constexpr int N = 256, GROUPS = 64, TURNS = 16;

/* Another order of 0 to N - 1 for each k: a product with an odd number, then what each bit is mixed with a higher one. */
__host__ __device__ static inline int place(int t, int k)
{
    int p = (t * (77 + 2 * k) + 13 * k) & (N - 1);
    return p ^ p >> 3;
}

__global__ void in_lds(unsigned *out)
{
    __shared__ unsigned a[N];
    a[threadIdx.x] = threadIdx.x;
    for (int k = 0; k < TURNS; k++) {
        __syncthreads();
        a[place(threadIdx.x, k)] += k;
    }
    __syncthreads();
    out[blockIdx.x * N + threadIdx.x] = a[threadIdx.x];
}

__global__ void in_memory(unsigned *out)
{
    unsigned *a = out + blockIdx.x * N;
    a[threadIdx.x] = threadIdx.x;
    for (int k = 0; k < TURNS; k++) {
        __syncthreads();
        a[place(threadIdx.x, k)] += k;
    }
}

__global__ void beside(unsigned *out)
{
    __shared__ unsigned a[N + 1];
    unsigned sum = 0;
    a[threadIdx.x] = threadIdx.x;
    a[N] = N;
    __syncthreads();
    for (int k = 0; k < TURNS; k++)
        sum += a[place(threadIdx.x, k)] * a[place(threadIdx.x, k) + 1];
    out[blockIdx.x * N + threadIdx.x] = sum;
}

int main()
{
    std::vector<unsigned> added(N * GROUPS), sums(N * GROUPS);
    for (int i = 0; i < N * GROUPS; i++) {
        added[i] = i % N + TURNS * (TURNS - 1) / 2;
        for (int k = 0; k < TURNS; k++)
            sums[i] += place(i % N, k) * (place(i % N, k) + 1);
    }
    int wrong = 0;
    for (auto kernel : {in_lds, in_memory, beside}) {
        DeviceArray<unsigned> out(N * GROUPS);
        kernel<<<GROUPS, N>>>(out.get());
        finish_launch();
        wrong |= verdict("changes", out.read(), kernel == beside ? sums : added);
    }
    return wrong;
}
