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
// A line, too, but where it lies nobody can tell for more than one turn.
KERNEL(alone, true, (((size_t)k * k & 1023) * 64 + t) * 4)
KERNEL(partial, t < 40, (size_t)k * 256 + t * 4)
KERNEL(irregular, true, (size_t)k * 64 + (size_t)(t * t) * 8)
KERNEL(irregular_partial, t != 9, (size_t)k * 64 + (size_t)(t * t) * 8)
KERNEL(any, true, (size_t)k * 64 + (size_t)(t * t) * 8 + (t & 1 ? 0x150000000ul : 0))
KERNEL(any_partial, t != 9, (size_t)k * 64 + (size_t)(t * t) * 8 + (t & 1 ? 0x150000000ul : 0))

// No access: what is left is the beginning and the end of a wavefront.
extern "C" __global__ void none(char *, int)
{
}

// The same for LDS, 4 and 16 bytes; a volatile access through a plain pointer would be a flat one.
#define LDS_KERNEL(name, type, index)                                                                                  \
    extern "C" __global__ void name(char *out, int n)                                                                  \
    {                                                                                                                  \
        __shared__ type s[1024];                                                                                       \
        unsigned t = threadIdx.x;                                                                                      \
        _Pragma("unroll 1") for (int k = 0; k < n; k++)                                                                \
            *(volatile __attribute__((address_space(3))) type *)(s + ((index) & 1023)) = (type)k;                      \
    }
typedef unsigned quad __attribute__((ext_vector_type(4)));
LDS_KERNEL(lds_gather, unsigned, (t * t * 37 + k) * 2654435761u >> 13)
LDS_KERNEL(lds_swizzle, unsigned, (t ^ t >> 3) + k)
LDS_KERNEL(lds_gather_16, quad, (t * t * 37 + k) * 2654435761u >> 13)
KERNEL(dense, true, (size_t)k * 64 + (t ^ t >> 3))
// A ring of 1024 elements: a wavefront's addresses are regular but where it is wrapped around.
KERNEL(ring, true, ((t + k) & 1023) * 4)
