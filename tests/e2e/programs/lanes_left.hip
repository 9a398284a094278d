// Values that lanes keep in registers after they have left a loop in which the others go on to access memory.
// The exit code is 0 when the results are right.
#include "../../../hip-examples/common/example.h"

constexpr int N = 256, KINDS = 4;

template <int KIND> __device__ int access(int *shared, const int *in, int *out, int t, int j)
{
    switch (KIND) {
    case 0: // irregular in LDS
        return shared[(t * t * 37 + j * j * 5) & 1023];
    case 1: // in memory
        return in[(t * t * 37 + j * j * 5) & 1023];
    case 2: // regular, with another mask each turn
        out[N + t + j * j] = j;
        return 0;
    default: // elements of 8 bytes
        return (int)((long long *)shared)[(t * t * 37 + j * j * 5) & 511];
    }
}

template <int KIND> __global__ void work(const int *in, int *out, int n, int mode)
{
    __shared__ __attribute__((aligned(8))) int shared[1024];
    int t = threadIdx.x, x = 7 * t, y = 3 * t, last = 0, sum = 0;
    for (int i = t; i < 1024; i += N)
        shared[i] = i;
    __syncthreads();
    int turns = mode == 0 ? t & 7 : mode == 1 ? t & 31 : (t * 29 >> 2) & 15;
#pragma unroll 1
    for (int j = 0; j <= turns; j++) {
        sum += access<KIND>(shared, in, out, t, j);
        last = x ^ j ^ y;
        x += n;
        y += x;
    }
    out[t] = last + 0 * sum;
    if (sum == -1)
        out[t] = sum;
}

static int expected(int mode, int t, int n)
{
    int x = 7 * t, y = 3 * t, last = 0, turns = mode == 0 ? t & 7 : mode == 1 ? t & 31 : (t * 29 >> 2) & 15;
    for (int j = 0; j <= turns; j++) {
        last = x ^ j ^ y;
        x += n;
        y += x;
    }
    return last;
}

int main()
{
    void (*const kernels[KINDS])(const int *, int *, int, int) = {work<0>, work<1>, work<2>, work<3>};
    int wrong = 0;
    for (auto kernel : kernels)
        for (int mode = 0; mode < 3; mode++) {
            DeviceArray<int> in(std::vector<int>(1024, 1)), out(std::vector<int>(N + N + 1024));
            kernel<<<1, N>>>(in.get(), out.get(), 5, mode);
            finish_launch();
            std::vector<int> host = out.read(), right(N);
            host.resize(N);
            for (int t = 0; t < N; t++)
                right[t] = expected(mode, t, 5);
            wrong |= verdict("lanes_left", host, right);
        }
    return wrong;
}
