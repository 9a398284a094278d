/* matmul - C = A * B with 16 x 16 tiles in LDS: the textbook kernel, and the same with the tile of B transposed in LDS,
 * a mistake that costs bank conflicts and nothing else. */
#include "../common/example.h"

constexpr int TILE = 16;

__global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        as[ty][tx] = a[row * n + k0 + tx];
        bs[ty][tx] = b[(k0 + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void matmul_tiled_transposed(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        as[ty][tx] = a[row * n + k0 + tx];
        bt[tx][ty] = b[(k0 + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bt[tx][k];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

int main()
{
    const int n = 64;
    std::vector<float> a(n * n), b(n * n), expected(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 7 - 3);
        b[i] = (float)(i % 5 - 2);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0; /* small integers: exact in any order */
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            expected[i * n + j] = sum;
        }
    DeviceArray<float> da(a), db(b), dc(n * n);
    const dim3 grid(n / TILE, n / TILE), block(TILE, TILE);
    matmul_tiled<<<grid, block>>>(da.get(), db.get(), dc.get(), n);
    finish_launch();
    int failed = verdict("matmul_tiled", dc.read(), expected);
    dc.clear();
    matmul_tiled_transposed<<<grid, block>>>(da.get(), db.get(), dc.get(), n);
    finish_launch();
    return failed | verdict("matmul_tiled_transposed", dc.read(), expected);
}
