/* transpose - three ways to transpose a matrix of floats: straight from global memory, through an LDS tile, and through
 * an LDS tile with one column of padding. Same result, very different memory traffic. */
#include "../common/example.h"

constexpr int TILE = 32;

__global__ void transpose_naive(const float *in, float *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

__global__ void transpose_lds(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    int tx = blockIdx.y * TILE + threadIdx.x, ty = blockIdx.x * TILE + threadIdx.y;
    out[ty * n + tx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_lds_padded(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    int tx = blockIdx.y * TILE + threadIdx.x, ty = blockIdx.x * TILE + threadIdx.y;
    out[ty * n + tx] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    const int n = 128;
    std::vector<float> in(n * n), expected(n * n);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            in[y * n + x] = (float)(y * n + x);
            expected[x * n + y] = in[y * n + x];
        }
    DeviceArray<float> din(in), dout(n * n);
    const dim3 grid(n / TILE, n / TILE), block(TILE, TILE);
    int failed = 0;

    transpose_naive<<<grid, block>>>(din.get(), dout.get(), n);
    finish_launch();
    failed |= verdict("transpose_naive", dout.read(), expected);

    dout.clear();
    transpose_lds<<<grid, block>>>(din.get(), dout.get(), n);
    finish_launch();
    failed |= verdict("transpose_lds", dout.read(), expected);

    dout.clear();
    transpose_lds_padded<<<grid, block>>>(din.get(), dout.get(), n);
    finish_launch();
    failed |= verdict("transpose_lds_padded", dout.read(), expected);
    return failed;
}
