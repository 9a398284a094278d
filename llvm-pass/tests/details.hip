/* Variables in LDS as they are declared, and branches around accesses. The tests know the lines. */
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

struct pair { float a, b; };
extern __shared__ double dynamic[];

extern "C" __global__ void declared(float *out, int i)
{
    __shared__ float tile[4][33];
    __shared__ __half halves[2][3][64];
    __shared__ pair pairs[64];
    __shared__ float4 wide[8][8];
    tile[i][threadIdx.x & 31] = 1;
    halves[i & 1][i % 3][threadIdx.x] = (__half)out[0];
    pairs[threadIdx.x].b = 2;
    wide[i][threadIdx.x & 7].y = 3;
    dynamic[threadIdx.x] = 4;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x & 3][i] + (float)halves[0][1][threadIdx.x ^ i] + pairs[threadIdx.x ^ i].b +
                       wide[threadIdx.x & 7][i].y + (float)dynamic[threadIdx.x ^ i];
}

extern "C" __global__ void branches(float *out, const float *in, int n)
{
    int i = threadIdx.x;
    out[i] = 1;
    if (n > 3) /* the same in all lanes */
        out[i + 64] = 2;
    if (i % 8 == 0) {
        out[i + 128] = 3;
        if (in[i] > 0)
            out[i + 192] = 4;
    }
    for (int k = 0; k < i; k++)
        __hip_atomic_store(&out[i + 256], 5.0f, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (i > 60)
        return;
    out[i + 320] = 6;
}
