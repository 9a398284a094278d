/* Copies that the HIP of ROCm 5 does byte by byte: what the compiler makes of the pieces has places of which several
 * instructions share one row of the line table, though they belong to different accesses. */
#include <hip/hip_runtime.h>
#include <string.h>

#define KERNEL(N, A)                                                                                           \
    __global__ void pieces##N##_##A(char *o, const char *in)                                                   \
    {                                                                                                          \
        __shared__ __attribute__((aligned(16))) char l[64 * N + 64];                                           \
        char *lo = l + threadIdx.x * N + A, *go = o + threadIdx.x * N + A;                                     \
        const char *gi = in + threadIdx.x * N + A, *li = l + (63 - threadIdx.x) * N + A;                       \
        memcpy(__builtin_assume_aligned(lo, A), __builtin_assume_aligned(gi, A), N);                           \
        __syncthreads();                                                                                       \
        memcpy(__builtin_assume_aligned(go, A), __builtin_assume_aligned(li, A), N);                           \
        memset(o + 8192 + threadIdx.x * N, 3, N);                                                              \
    }
KERNEL(20, 1)
KERNEL(20, 2)
KERNEL(20, 4)
KERNEL(36, 1)
KERNEL(36, 2)
KERNEL(36, 4)

int main()
{
    char *in, *out;
    hipMalloc((void **)&in, 65536);
    hipMalloc((void **)&out, 65536);
    hipMemset(in, 1, 65536);
    pieces20_1<<<1, 64>>>(out, in);
    pieces20_2<<<1, 64>>>(out, in);
    pieces20_4<<<1, 64>>>(out, in);
    pieces36_1<<<1, 64>>>(out, in);
    pieces36_2<<<1, 64>>>(out, in);
    pieces36_4<<<1, 64>>>(out, in);
    return hipDeviceSynchronize();
}
