// Copies of a length known at run time only, and long ones, between all memories. Arguments: number of work-groups, lengths.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK_HIP(e)                                                                                                   \
    do {                                                                                                               \
        if ((e) != hipSuccess)                                                                                         \
            return printf("FAILED %s\n", #e), 1;                                                                       \
    } while (0)

enum { THREADS = 128, ROOM = 1024 };

struct __attribute__((aligned(8))) Block {
    unsigned long long v[25];
};
struct Bytes {
    unsigned char v[77];
};

__device__ unsigned mix(unsigned x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

// Each lane its own length, 0 among them, from addresses that no formula describes.
__global__ void in_global(unsigned char *out, const unsigned char *in, unsigned longest)
{
    unsigned t = blockIdx.x * THREADS + threadIdx.x, h = mix(t);
    __builtin_memcpy(out + t * ROOM, in + h % 5000, h % longest);
    if (h & 4)
        __builtin_memset(out + t * ROOM + 3, 7, mix(h) % (longest / 2));
    __builtin_memmove(out + t * ROOM + 5, out + t * ROOM, longest);
    if (t % 9 == 1) // aligned, all lanes the same length
        __builtin_memcpy(__builtin_assume_aligned(out + t * ROOM, 16), __builtin_assume_aligned(in + h % 64 * 16, 16),
                         longest & ~15u);
}

__global__ void in_lds(unsigned char *out, unsigned longest)
{
    __shared__ __attribute__((aligned(16))) unsigned char s[16384];
    unsigned t = threadIdx.x, h = mix(t);
    for (unsigned i = t; i < sizeof s; i += THREADS)
        s[i] = t;
    __syncthreads();
    __builtin_memcpy(out + (blockIdx.x * THREADS + t) * ROOM, s + h % 8000, h % longest);
    __syncthreads();
    __builtin_memset(s + t * 100 + h % 7, 1, h % 90);
    __builtin_memcpy(__builtin_assume_aligned(s + t * 72, 8), __builtin_assume_aligned(out + t * 8, 8), longest / 2 + 13);
    if (h & 1)
        __builtin_memcpy(s + mix(h) % 60 * 17, out, longest / 3);
}

// Some lanes in LDS, some in global memory.
__global__ void flat(unsigned char *out, unsigned longest)
{
    __shared__ unsigned char s[8192];
    unsigned t = threadIdx.x, h = mix(t + 77);
    for (unsigned i = t; i < sizeof s; i += THREADS)
        s[i] = t;
    __syncthreads();
    unsigned char *p = h & 8 ? s : out;
    __builtin_memcpy(out + (blockIdx.x * THREADS + t + 1) * ROOM, p + mix(h) % 900, h % longest);
    __syncthreads();
    __builtin_memset(p + mix(h + 1) % 900, 2, h % 70);
}

__global__ void constant(Block *blocks, Bytes *bytes, const Block *from)
{
    __shared__ Block s[64];
    unsigned t = blockIdx.x * THREADS + threadIdx.x, h = mix(t);
    blocks[t] = from[h % 30];
    bytes[t] = *(const Bytes *)((const unsigned char *)from + h % 300);
    s[threadIdx.x % 64] = from[t % 7];
    __syncthreads();
    blocks[t + 20000] = s[h % 64];
}

int main(int argc, char **argv)
{
    unsigned char *a, *b;
    unsigned groups = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    CHECK_HIP(hipMalloc(&a, 16 << 20));
    CHECK_HIP(hipMalloc(&b, 1 << 20));
    CHECK_HIP(hipMemset(a, 0, 16 << 20));
    CHECK_HIP(hipMemset(b, 0, 1 << 20));
    for (int i = 2; i < argc; i++) {
        unsigned longest = (unsigned)atoi(argv[i]);
        in_global<<<groups, THREADS>>>(a, b, longest);
        in_lds<<<groups, THREADS>>>(a, longest);
        flat<<<groups, THREADS>>>(a, longest);
    }
    constant<<<groups, THREADS>>>((Block *)a, (Bytes *)a + 100000, (const Block *)b);
    CHECK_HIP(hipDeviceSynchronize());
    printf("PASSED\n");
}
