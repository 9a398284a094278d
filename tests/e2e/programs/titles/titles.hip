// What rows are called: accesses in headers of HIP and of a library belong to the line that calls them.
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
#include <cstdio>
#include <view.hpp>

struct Body {
    mylib::View<float, 2> in, out;
    unsigned *count;
    __device__ float twice(int i) const { return in.get(i) + in.get(i + 256); } // VIEW
    __device__ void operator()(int i) const
    {
        float x = __shfl(twice(i), 3);
        out.set(i, x); // SET
        cooperative_groups::this_thread_block().sync();
        atomicAdd(count, 1u); // ATOMIC
    }
};

__global__ void pairs(float *out)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    tile[t] = t;
    tile[t + 64] = -t;
    __syncthreads();
    float a = tile[63 - t]; // FIRST
    float b = tile[127 - t]; // SECOND
    out[t] = a * b;
}

__global__ void parts(float *out, const float *in)
{
    const float *from = in + 2 * threadIdx.x;
    float *to = out + 2 * threadIdx.x;
    float a = from[0]; // THE FROM
    float b = from[1]; // WITH FROM
    to[0] = a < b; // THE TO
    to[1] = 1; // WITH TO
    out[4096] = a; // BEHIND BOTH
}

// Instructions of a copy whose length is not known when compiling are in a loop, which no join follows.
__global__ void copies(char *out, const char *in, unsigned n)
{
    __builtin_memcpy(out + 16 * threadIdx.x, in + 16 * threadIdx.x, n); // COPY
}

int main()
{
    float *in, *out;
    unsigned *count, counted = 0;
    if (hipMalloc(&in, 4096) || hipMalloc(&out, 32768) || hipMalloc(&count, 4) || hipMemset(count, 0, 4) ||
        hipMemset(in, 0, 4096))
        return 1;
    mylib::parallel_for(256, Body{{in}, {out}, count});
    pairs<<<1, 64>>>(out);
    parts<<<1, 64>>>(out, in);
    copies<<<1, 64>>>((char *)out, (const char *)in, 9);
    if (hipMemcpy(&counted, count, 4, hipMemcpyDeviceToHost))
        return 1;
    puts(counted == 256 ? "PASSED" : "FAILED");
    return counted != 256;
}
