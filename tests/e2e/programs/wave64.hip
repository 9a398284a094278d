/* One work-group of 256 work-items: four wavefronts of 64 lanes, also on a GPU whose wavefronts have 32 otherwise. HIP 5.2.3
 * refuses that size where it sees the GPU's macro (-U__gfx1030__). */
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void turn(int *out, const int *in)
{
    __shared__ int tile[256];
    tile[threadIdx.x] = in[threadIdx.x]; // copy
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x] + warpSize; // turned
}

int main()
{
    int *in, *out, host[256];
    for (int i = 0; i < 256; i++)
        host[i] = i;
    if (hipMalloc(&in, sizeof host) || hipMalloc(&out, sizeof host) || hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice))
        return 1;
    turn<<<1, 256>>>(out, in);
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost))
        return 1;
    std::printf("%d lanes\n", host[255]);
    return host[0] != host[255] + 255;
}
