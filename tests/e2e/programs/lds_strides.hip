/* One wavefront reads LDS 64 times at a fixed byte stride per lane, as the published MI300X measurement does. The
 * index is opaque to the compiler, so that each access stays one instruction of its width. */
#include <hip/hip_runtime.h>
#include <cstdio>

template <typename T, int STRIDE> __global__ void strided_reads(T *out, int zero)
{
    extern __shared__ __attribute__((aligned(16))) char lds[];
    for (unsigned i = threadIdx.x; i < 64 * 512 / 4; i += 64)
        ((unsigned *)lds)[i] = i;
    __syncthreads();
    T sum{};
    int at = threadIdx.x * STRIDE;
#pragma unroll 1
    for (int i = 0; i < 64; i++) {
        const T *p = (const T *)(lds + at);
        T x = *p; // MEASURED
        sum += x;
        at += zero;
    }
    out[threadIdx.x] = sum;
}


template <typename T, int STRIDE> bool run()
{
    T *out;
    unsigned host[64 * 4];
    if (hipMalloc(&out, 64 * sizeof(T)) != hipSuccess)
        return false;
    strided_reads<T, STRIDE><<<1, 64, 64 * 512>>>(out, 0);
    bool ok = hipMemcpy(host, out, 64 * sizeof(T), hipMemcpyDeviceToHost) == hipSuccess;
    for (unsigned lane = 0; lane < 64; lane++) /* each dword was read 64 times; carries reach no further than 64 bits */
        if (sizeof(T) == 4 && host[lane] != 64u * (lane * STRIDE / 4))
            ok = false;
    return ok && hipFree(out) == hipSuccess;
}

int main()
{
    bool ok = run<unsigned, 4>() && run<unsigned, 8>() && run<unsigned, 16>() && run<unsigned, 32>() &&
              run<unsigned, 64>() && run<unsigned, 128>() && run<unsigned, 256>() && run<unsigned, 512>();
    ok = ok && run<uint2, 8>() && run<uint2, 16>() && run<uint2, 32>() && run<uint2, 64>() && run<uint2, 128>() &&
         run<uint2, 256>() && run<uint2, 512>();
    ok = ok && run<uint4, 16>() && run<uint4, 32>() && run<uint4, 64>() && run<uint4, 128>() && run<uint4, 256>() &&
         run<uint4, 512>();
    std::printf("%s\n", ok ? "PASSED" : "FAILED");
    return !ok;
}
