// Accesses whose addresses no formula describes, in global memory and in LDS: all widths, aligned and not, some lanes,
// atomics, pairs. Arguments: numbers of work-groups; each kernel is launched with each of them.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK_HIP(e)                                                                                                   \
    do {                                                                                                               \
        if ((e) != hipSuccess)                                                                                         \
            return printf("FAILED %s\n", #e), 1;                                                                       \
    } while (0)

enum { THREADS = 128, BYTES = 1 << 16, LDS_BYTES = 8192 };

template <int N, int A> struct __attribute__((packed, aligned(A))) Words {
    unsigned v[N];
};

__device__ unsigned mix(unsigned x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}
__device__ unsigned fold(unsigned char x) { return x; }
__device__ unsigned fold(unsigned short x) { return x; }
__device__ unsigned fold(unsigned x) { return x; }
__device__ unsigned fold(uint2 x) { return x.x + 3 * x.y; }
__device__ unsigned fold(uint4 x) { return x.x + 3 * x.y + 5 * x.z + 7 * x.w; }
template <int N, int A> __device__ unsigned fold(const Words<N, A> &x)
{
    unsigned sum = 0;
    for (int i = 0; i < N; i++)
        sum += x.v[i] * (i + 1);
    return sum;
}
template <typename T> struct Make { static __device__ T of(unsigned x) { return (T)x; } };
template <> struct Make<uint2> { static __device__ uint2 of(unsigned x) { return make_uint2(x, x + 1); } };
template <> struct Make<uint4> { static __device__ uint4 of(unsigned x) { return make_uint4(x, x + 1, x, x + 2); } };
template <int N, int A> struct Make<Words<N, A>> {
    static __device__ Words<N, A> of(unsigned x)
    {
        Words<N, A> w;
        for (int i = 0; i < N; i++)
            w.v[i] = x + i;
        return w;
    }
};

// Gathers and scatters of T, `step` bytes apart at least; the second half by some lanes only.
template <typename T> __global__ void global_access(unsigned char *out, const unsigned char *in, unsigned step, unsigned seed)
{
    unsigned t = blockIdx.x * THREADS + threadIdx.x, room = (BYTES - sizeof(T)) / step;
    unsigned sum = fold(*(const T *)(in + mix(t + seed) % room * step));
    sum += fold(*(const T *)(in + (mix(t / 5) % 64 + 7) * step));
    if (mix(t) & 3)
        sum += fold(*(const T *)(in + mix(t ^ seed) % 97 * step));
    *(T *)(out + mix(t * 3 + seed) % room * step) = Make<T>::of(seed);
    if (threadIdx.x % 7 < 2)
        *(T *)(out + (threadIdx.x ^ 21) * step) = Make<T>::of(seed);
    // Where lanes go is read; the second access lies whole lines farther, and those of some lanes half a line.
    const unsigned char *p = in + mix(in[t % 1024] + t) % 300 * step, *q = p + seed * 128;
    sum += fold(*(const T *)p) + fold(*(const T *)q);
    if (mix(t + 2) & 1)
        sum += fold(*(const T *)(q + 64)) ^ fold(*(const T *)p);
    ((unsigned *)(out + 2 * BYTES))[t] = sum;
}

template <typename T> __global__ void lds_access(unsigned *out, unsigned step, unsigned seed)
{
    __shared__ __attribute__((aligned(16))) unsigned char lds[LDS_BYTES];
    unsigned t = threadIdx.x, room = (LDS_BYTES - sizeof(T)) / step;
    for (unsigned i = t; i < LDS_BYTES / 4; i += THREADS)
        ((unsigned *)lds)[i] = seed;
    __syncthreads();
    unsigned sum = fold(*(const T *)(lds + mix(t + seed) % room * step));
    sum += fold(*(const T *)(lds + (t ^ t >> 3 ^ 5) * step % (LDS_BYTES - 16)));
    if (mix(t + 1) & 1)
        sum += fold(*(const T *)(lds + mix(t) % 50 * step));
    __syncthreads();
    *(T *)(lds + mix(t * 5) % room * step) = Make<T>::of(seed);
    if (mix(t + 9) % 5 < 3)
        *(T *)(lds + mix(t * 7) % room * step) = Make<T>::of(seed);
    __syncthreads();
    out[blockIdx.x * THREADS + t] = sum;
}

__global__ void atomics(unsigned *out, unsigned *bins, unsigned seed)
{
    __shared__ unsigned s[512];
    __shared__ unsigned long long wide[128];
    unsigned t = threadIdx.x, all = blockIdx.x * THREADS + t;
    s[t] = s[t + 128] = s[t + 256] = s[t + 384] = wide[t] = 0;
    __syncthreads();
    atomicAdd(&s[mix(all) % 512], 1);
    atomicAdd(&s[mix(t) % 20], 1);
    atomicMax(&wide[mix(t + seed) % 128], (unsigned long long)seed);
    if (mix(t) & 1)
        atomicCAS(&s[mix(t + 4) % 33], 1u, 2u);
    atomicAdd(&bins[mix(all) % 4096], 1);
    atomicAdd(&bins[mix(t) % 9], 1);
    __syncthreads();
    out[all] = s[t] + (unsigned)wide[t];
}

// Two accesses of one instruction: ds_read2_b32, ds_write2st64_b32, ds_read2_b64.
__global__ void pairs(unsigned *out, unsigned seed)
{
    __shared__ unsigned s[1024];
    __shared__ unsigned long long wide[512];
    unsigned t = threadIdx.x, h = mix(t + seed);
    s[h % 512] = seed;
    s[h % 512 + 256] = t;
    wide[h % 256] = seed;
    wide[h % 256 + 17] = t;
    __syncthreads();
    unsigned sum = s[mix(h) % 700] + s[mix(h) % 700 + 9];
    sum += (unsigned)(wide[mix(h + 1) % 300] + wide[mix(h + 1) % 300 + 5]);
    if (h & 2)
        sum += s[mix(h) % 300] + s[mix(h) % 300 + 64];
    out[blockIdx.x * THREADS + t] = sum;
}

// Some lanes go to LDS, some to global memory.
__global__ void flat(unsigned *out, unsigned *in, unsigned seed)
{
    __shared__ unsigned s[512];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 512; i += THREADS)
        s[i] = seed;
    __syncthreads();
    unsigned *p = mix(t + seed) & 1 ? s : in;
    unsigned sum = p[mix(t) % 512] + p[t];
    p[mix(t + 3) % 512] = seed;
    atomicAdd(p + mix(t + 5) % 40, 1);
    out[blockIdx.x * THREADS + t] = sum;
}

template <typename T> static void widths(unsigned groups, unsigned char *a, unsigned char *b, unsigned step)
{
    global_access<T><<<groups, THREADS>>>(a, b, step, 11);
    lds_access<T><<<groups, THREADS>>>((unsigned *)a, step, 12);
}

int main(int argc, char **argv)
{
    unsigned char *a, *b;
    CHECK_HIP(hipMalloc(&a, 1 << 20));
    CHECK_HIP(hipMalloc(&b, 1 << 20));
    CHECK_HIP(hipMemset(b, 0, 1 << 20));
    for (int i = 1; i < argc; i++) {
        unsigned groups = (unsigned)atoi(argv[i]);
        widths<unsigned char>(groups, a, b, 1);
        widths<unsigned short>(groups, a, b, 2);
        widths<unsigned>(groups, a, b, 4);
        widths<uint2>(groups, a, b, 8);
        widths<Words<3, 4>>(groups, a, b, 12);
        widths<uint4>(groups, a, b, 16);
        widths<Words<1, 1>>(groups, a, b, 3);  // not aligned, across lines
        widths<Words<4, 4>>(groups, a, b, 20);
        widths<Words<4, 8>>(groups, a, b, 24);
        widths<Words<5, 4>>(groups, a, b, 4);
        atomics<<<groups, THREADS>>>((unsigned *)a, (unsigned *)b, 5);
        pairs<<<groups, THREADS>>>((unsigned *)a, 6);
        flat<<<groups, THREADS>>>((unsigned *)a, (unsigned *)b, 7);
    }
    CHECK_HIP(hipDeviceSynchronize());
    printf("PASSED\n");
}
