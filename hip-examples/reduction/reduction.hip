/* reduction - sum of a row of integers per work-group, with interleaved and with sequential addressing in LDS. */
#include "../common/example.h"

constexpr int SIZE = 256;

__global__ void reduce_interleaved(const int *in, int *out)
{
    __shared__ int s[SIZE];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * SIZE + t];
    __syncthreads();
    for (int step = 1; step < SIZE; step *= 2) {
        int i = 2 * step * t;
        if (i < SIZE)
            s[i] += s[i + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void reduce_sequential(const int *in, int *out)
{
    __shared__ int s[SIZE];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * SIZE + t];
    __syncthreads();
    for (int step = SIZE / 2; step > 0; step /= 2) {
        if (t < step)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

int main()
{
    const int groups = 8;
    std::vector<int> in(groups * SIZE), expected(groups, 0);
    for (int i = 0; i < groups * SIZE; i++) {
        in[i] = i % 1000 - 300;
        expected[i / SIZE] += in[i];
    }
    DeviceArray<int> din(in), dout(groups);
    reduce_interleaved<<<groups, SIZE>>>(din.get(), dout.get());
    finish_launch();
    int failed = verdict("reduce_interleaved", dout.read(), expected);
    dout.clear();
    reduce_sequential<<<groups, SIZE>>>(din.get(), dout.get());
    finish_launch();
    return failed | verdict("reduce_sequential", dout.read(), expected);
}
