/* vectors - float4 values copied through LDS, every second one read. Since HIP 5.7 such a copy is a memcpy for the compiler
 * and one instruction of 16 bytes for the hardware. */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

__global__ void vectors(float4 *out, const float4 *in)
{
    __shared__ float4 tile[128];
    tile[threadIdx.x] = in[threadIdx.x];
    tile[threadIdx.x + 64] = in[threadIdx.x + 64];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x * 2]; /* MEASURED */
}

int main()
{
    std::vector<float> in(512), out(256);
    for (int i = 0; i < 512; i++)
        in[i] = (float)i;
    float4 *din, *dout;
    if (hipMalloc(&din, 2048) != hipSuccess || hipMalloc(&dout, 1024) != hipSuccess ||
        hipMemcpy(din, in.data(), 2048, hipMemcpyHostToDevice) != hipSuccess)
        return 2;
    vectors<<<1, 64>>>(dout, din);
    if (hipMemcpy(out.data(), dout, 1024, hipMemcpyDeviceToHost) != hipSuccess)
        return 2;
    for (int i = 0; i < 256; i++)
        if (out[i] != i / 4 * 8 + i % 4) {
            std::printf("vectors: FAILED at %d: got %g\n", i, out[i]);
            return 1;
        }
    std::printf("vectors: PASSED\n");
    return 0;
}
