/* Loads of which the program uses a part only: code generation may load less, or, of three bytes, four; of structures it
 * may load one member and a part of the next one. Loads that have the
 * place of a conversion. From memory, from LDS, and through values that
 * a loop hands on. */
#include <hip/hip_bfloat16.h>
#include <hip/hip_runtime.h>

typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f2 __attribute__((ext_vector_type(2)));
typedef short s8 __attribute__((ext_vector_type(8)));
typedef short s4 __attribute__((ext_vector_type(4)));
typedef unsigned char c4 __attribute__((ext_vector_type(4)));
typedef int i8 __attribute__((ext_vector_type(8)));
typedef double d4 __attribute__((ext_vector_type(4)));
typedef unsigned long u64;

/* Of longs, the lower halves: one load may do such a half and what stands beside it. */
struct beside {
    int i, j;
    long a, b;
    short s;
};
struct __attribute__((packed, aligned(4))) packed_beside {
    int i;
    long a, b, c;
};
struct bits {
    unsigned a : 5, b : 9, c : 18;
    u64 d : 33, e : 20, f : 11;
};
struct mixed {
    long a;
    char c;
    int i;
    long b[2];
    short s;
};

#define KERNELS                                                                                                \
    K(a, f4, v.x) K(b, f4, v.y) K(c, f4, v.w) K(d, f4, v.x + v.y) K(e, f4, v.z + v.w) K(f, f4, v.x + v.w)      \
    K(g, f4, v.y + v.z + v.w) K(h, f2, v.y) K(i, s8, v.s3) K(j, s8, v.s1 + v.s6) K(k, s4, v.w)                 \
    K(l, c4, v.x + v.w) K(m, i8, v.s0 + v.s5) K(n, i8, v.s6) K(o, d4, v.y) K(p, d4, v.x + v.w)                 \
    K(q, u64, v >> 32 & 0xff) K(r, u64, v & 0xff00) K(s, unsigned, v >> 16) K(t, unsigned, v >> 8 & 0xff)      \
    K(u, float4, v.y + v.w) K(v, uint4, v.y >> 16) K(w, ulong2, v.y >> 48) K(x, double2, v.y) \
    K(y, uchar4, v.x + v.y + v.z) K(z, hip_bfloat16, float(v))                                                  \
    K(halves, beside, v.i + v.j * (int)v.a + (int)v.b * v.s)                                                   \
    K(packed_halves, packed_beside, v.i * (int)v.a + (int)v.b * (int)v.c)                                      \
    K(mixed_halves, mixed, (int)v.a + v.c * v.i + (int)v.b[0] * (int)v.b[1] + v.s)     \
    K(shifted_up, u64, v << 40) K(shifted_down, u64, v >> 44 & 0xff)                                           \
    K(one_word, bits, v.f - v.d) K(two_words, bits, v.c * v.e) K(first_and_last, bits, v.a - v.f)

#define K(name, T, value)                                                                                      \
    __global__ void memory_##name(float *out, const T *in)                                                     \
    {                                                                                                          \
        T v = in[threadIdx.x];                                                                                 \
        out[threadIdx.x] = (float)(value);                                                                     \
    }                                                                                                          \
    __global__ void lds_##name(float *out, const T *in)                                                        \
    {                                                                                                          \
        __shared__ T l[64];                                                                                    \
        l[threadIdx.x ^ 3] = in[threadIdx.x];                                                                  \
        __syncthreads();                                                                                       \
        T v = l[threadIdx.x];                                                                                  \
        out[threadIdx.x] = (float)(value);                                                                     \
    }                                                                                                          \
    __global__ void loop_##name(float *out, const T *in, int n)                                                \
    {                                                                                                          \
        T v = in[threadIdx.x], next = in[threadIdx.x + n];                                                     \
        for (int i = 0; i < n; i++) {                                                                          \
            out[threadIdx.x + i * 64] = (float)(value);                                                        \
            v = next;                                                                                          \
            next = in[threadIdx.x + i];                                                                        \
        }                                                                                                      \
    }
KERNELS
#undef K

int main()
{
    char *m;
    hipMalloc((void **)&m, 1 << 16);
    hipMemset(m, 0, 1 << 16);
    float *out = (float *)m;
#define K(name, T, value)                                                                                      \
    memory_##name<<<1, 64>>>(out, (const T *)(m + 32768));                                                     \
    lds_##name<<<1, 64>>>(out, (const T *)(m + 32768));                                                        \
    loop_##name<<<1, 64>>>(out, (const T *)(m + 32768), 5);
    KERNELS
    return hipDeviceSynchronize();
}
