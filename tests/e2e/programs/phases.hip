// Loops whose turns begin at many places of a cache line: in wavefronts that have parts of two rows, with lanes missing, by bytes.
// The exit code is 0 when the results are right.
#include "../../../hip-examples/common/example.h"

constexpr int N = 100, TURNS = 50;

__global__ void two_rows(const int *in, int *out, int n, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / N, column = i % N, sum = 0;
    if (i >= N * N)
        return;
#pragma nounroll
    for (int k = 0; k < turns; k++)
        sum += in[row * n + k] ^ in[k * n + column];
    out[i] = sum;
}

__global__ void edges(const int *in, int *out, int n, int turns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, sum = 0;
    if (column >= N || row >= N)
        return;
#pragma nounroll
    for (int k = 0; k < turns; k++)
        sum += in[row * n + k] ^ in[k * n + column];
    out[row * N + column] = sum;
}

__global__ void bytes(const int *in, int *out, int, int turns)
{
    __shared__ unsigned char own[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    own[threadIdx.x] = (unsigned char)threadIdx.x;
    __syncthreads();
    if (i >= N * N || threadIdx.x % 5 == 3)
        return;
#pragma nounroll
    for (int k = 0; k < turns; k++)
        sum += ((const unsigned char *)in)[i + k] + own[threadIdx.x * 3 % 64 + k];
    out[i] = sum;
}

static int expected(const std::vector<int> &in, int kernel, int i)
{
    int sum = 0, thread = i % 256;
    if (kernel == 2 && thread % 5 == 3)
        return 0;
    for (int k = 0; k < TURNS; k++)
        sum += kernel < 2 ? in[i / N * N + k] ^ in[k * N + i % N]
                          : ((const unsigned char *)in.data())[i + k] + thread * 3 % 64 + k;
    return sum;
}

int main()
{
    int wrong = 0;
    std::vector<int> in(N * N), out(N * N);
    for (int i = 0; i < N * N; i++)
        in[i] = i * 7 ^ i >> 3;
    for (int kernel = 0; kernel < 3; kernel++) {
        DeviceArray<int> device_in(in), device_out(std::vector<int>(N * N));
        if (kernel == 1)
            edges<<<dim3((N + 15) / 16, (N + 15) / 16), dim3(16, 16)>>>(device_in.get(), device_out.get(), N,
                                                                        TURNS);
        else
            (kernel ? bytes : two_rows)<<<(N * N + 255) / 256, 256>>>(device_in.get(), device_out.get(), N,
                                                                      TURNS);
        finish_launch();
        for (int i = 0; i < N * N; i++)
            out[i] = expected(in, kernel, i);
        wrong |= verdict("phases", device_out.read(), out);
    }
    return wrong;
}
