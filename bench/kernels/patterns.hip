// One store per loop turn, of one address pattern each: bench-probes.
#include <hip/hip_runtime.h>

#define KERNEL(name, condition, index)                                                                                 \
    extern "C" __global__ void name(char *out, int n)                                                                  \
    {                                                                                                                  \
        unsigned t = threadIdx.x;                                                                                      \
        _Pragma("unroll 1") for (int k = 0; k < n; k++)                                                                \
        {                                                                                                              \
            if (condition)                                                                                             \
                out[index] = (char)k;                                                                                  \
        }                                                                                                              \
    }
KERNEL(strided, true, (size_t)k * 256 + t * 4)
KERNEL(partial, t < 40, (size_t)k * 256 + t * 4)
KERNEL(irregular, true, (size_t)k * 64 + (size_t)(t * t) * 8)
KERNEL(irregular_partial, t != 9, (size_t)k * 64 + (size_t)(t * t) * 8)
KERNEL(any, true, (size_t)k * 64 + (size_t)(t * t) * 8 + (t & 1 ? 0x150000000ul : 0))
KERNEL(any_partial, t != 9, (size_t)k * 64 + (size_t)(t * t) * 8 + (t & 1 ? 0x150000000ul : 0))
