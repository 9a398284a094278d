/* Tiles in LDS that many unrolled stores fill, in kernels of up to 1024 work-items. Accesses of three parts (char3,
 * short3) become instructions of two widths that may stand in many ways. */
#include <hip/hip_runtime.h>

template <typename T, int N> __global__ void __launch_bounds__(1024) computed(float *o, int a, int b, int c)
{
    __shared__ T tile[64][32];
    int x = threadIdx.x, y = threadIdx.y;
    float s = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        tile[y + i][x].x = a + i;
        tile[y + i][x].y = b * i;
        tile[y + i][x].z = c;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++)
        s += tile[x][(y + i) & 31].x + tile[x + 1][i].y;
    o[threadIdx.y * blockDim.x + threadIdx.x] = s;
}

template <typename T, int N> __global__ void __launch_bounds__(1024) arguments(float *o, T a, T b)
{
    __shared__ T tile[64][32];
    int x = threadIdx.x, y = threadIdx.y;
    float s = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        tile[y + i][x] = i & 1 ? a : b;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++)
        s += tile[x][(y + i) & 31].x;
    o[threadIdx.y * blockDim.x + threadIdx.x] = s;
}

template <typename T, int N> __global__ void __launch_bounds__(1024) copied(float *o, const T *p)
{
    __shared__ T tile[64][32];
    int x = threadIdx.x;
    float s = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        tile[i][x] = p[i * 32 + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++)
        s += tile[x][i & 31].x;
    o[threadIdx.y * blockDim.x + threadIdx.x] = s;
}

int main()
{
    const dim3 block(32, 8);
    float *o;
    void *p;
    if (hipMalloc((void **)&o, 65536) || hipMalloc(&p, 1 << 16) || hipMemset(p, 1, 1 << 16))
        return 1;
    for (int round = 0; round < 3; round++) {
        computed<char3, 32><<<1, block>>>(o, 1, 2, 3);
        computed<char3, 56><<<1, block>>>(o, 1, 2, 3);
        computed<short3, 48><<<1, block>>>(o, 1, 2, 3);
        arguments<char3, 56><<<1, block>>>(o, char3{1, 2, 3}, char3{4, 5, 6});
        arguments<float2, 32><<<1, block>>>(o, float2{1, 2}, float2{3, 4});
        arguments<short2, 56><<<1, block>>>(o, short2{1, 2}, short2{3, 4});
        copied<char3, 64><<<1, block>>>(o, (const char3 *)p);
        copied<short3, 64><<<1, block>>>(o, (const short3 *)p);
        copied<float2, 64><<<1, block>>>(o, (const float2 *)p);
    }
    return hipDeviceSynchronize();
}
