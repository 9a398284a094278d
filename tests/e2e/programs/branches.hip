// Accesses under conditions that each lane has for itself, so that there are more exec masks than summary mode has room for: dwords in LDS
// on lines and in rows, in memory on a line. The exit code is 0 when the results are right.
#include "../../../hip-examples/common/example.h"

constexpr int N = 256, GROUPS = 32, TURNS = 24;

__host__ __device__ static inline unsigned mixed(unsigned i, unsigned k)
{
    unsigned x = (i * 2654435761u) ^ (k * 2246822519u);
    x = (x ^ x >> 15) * 2654435769u;
    return x ^ x >> 13;
}

/* How far lanes lie apart, in dwords; rows of 16 lanes that leave as much room behind them. */
template <int APART> __device__ __host__ static inline int place(int t)
{
    return APART ? APART * t : 2 * t - (t & 15);
}

template <int APART> __global__ void in_lds(unsigned *out, int turns)
{
    __shared__ unsigned a[4 * N];
    int t = threadIdx.x;
    for (int i = t; i < 4 * N; i += N)
        a[i] = i;
    __syncthreads();
#pragma nounroll
    for (int k = 0; k < turns; k++) {
        if (mixed(blockIdx.x * N + t, k) & 1)
            a[place<APART>(t)] = k + 2 * t;
        __syncthreads();
    }
    out[blockIdx.x * N + t] = a[place<APART>(t)];
}

__global__ void in_memory(unsigned *out, int turns)
{
    unsigned i = blockIdx.x * N + threadIdx.x, *a = out + i;
    *a = place<1>(threadIdx.x);
#pragma nounroll
    for (int k = 0; k < turns; k++) {
        if (mixed(i, k) & 1)
            *a = k + 2 * threadIdx.x;
        __syncthreads();
    }
}

static std::vector<unsigned> expected(int (*at)(int))
{
    std::vector<unsigned> all;
    for (int i = 0; i < N * GROUPS; i++) {
        unsigned last = at(i % N);
        for (int k = 0; k < TURNS; k++)
            last = mixed(i, k) & 1 ? k + 2 * (i % N) : last;
        all.push_back(last);
    }
    return all;
}

static int run(const char *name, void (*kernel)(unsigned *, int), int (*at)(int))
{
    DeviceArray<unsigned> out(N * GROUPS);
    kernel<<<GROUPS, N>>>(out.get(), TURNS);
    finish_launch();
    return verdict(name, out.read(), expected(at));
}

int main()
{
    return run("stride 1", in_lds<1>, place<1>) | run("stride 2", in_lds<2>, place<2>) |
           run("stride 4", in_lds<4>, place<4>) | run("rows", in_lds<0>, place<0>) |
           run("memory", in_memory, place<1>);
}
