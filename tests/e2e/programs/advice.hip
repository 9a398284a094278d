// Accesses whose advice depends on what one instruction does.
#include <hip/hip_runtime.h>
#include <cstdio>

struct three { float x, y, z; };

__global__ void merged(three *p)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i].x = i;
    p[i].y = i + 1;
    p[i].z = i + 2;
}

// Rows of 32 bytes, the first 5 of 8 elements of each.
__global__ void short_rows(float *p)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i / 5 * 8 + i % 5] = i;
}

// A 16-byte row of structures is read by columns: ds_read2_b64, or one of 16 bytes.
__global__ void columns(float4 *p)
{
    __shared__ float4 rows[16][16];
    rows[threadIdx.y][threadIdx.x] = p[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    p[threadIdx.y * 16 + threadIdx.x] = rows[threadIdx.x][threadIdx.y];
}

int main()
{
    three *d;
    if (hipMalloc(&d, 1 << 16) != hipSuccess)
        return 1;
    merged<<<4, 64>>>(d);
    short_rows<<<4, 64>>>(&d->x);
    columns<<<1, dim3(16, 16)>>>((float4 *)d);
    if (hipDeviceSynchronize() != hipSuccess)
        return 1;
    printf("PASSED\n");
    return 0;
}
