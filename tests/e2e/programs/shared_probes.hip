/* Accesses at constant distances, which may share a probe, among much that makes it look as if they could, or could not:
 * the numbers of each must be those of its own instructions. 64 threads in a work-group but where another size is said. */
#include <hip/hip_runtime.h>

typedef float f4 __attribute__((ext_vector_type(4)));
typedef unsigned long long u64;

/* 1: a load and a store of one element, in both memories. */
__global__ void same_element(int *p)
{
    __shared__ int s[64];
    s[threadIdx.x * 5 & 63] = p[threadIdx.x];
    s[threadIdx.x * 5 & 63] += 3;
    p[threadIdx.x] = s[threadIdx.x * 5 & 63];
}

/* 2: widths of one row of bytes that overlap. */
__global__ void widths(char *p, u64 *out)
{
    volatile char *q = p + threadIdx.x * 24;
    u64 sum = *(volatile u64 *)(q + 8) + *(volatile int *)(q + 12) + *(volatile short *)(q + 14) + *(volatile char *)(q + 15);
    *(volatile int *)(q + 4) = (int)sum;
    *(volatile short *)(q + 6) = 7;
    out[threadIdx.x] = sum + *(volatile u64 *)(q + 4);
}

/* 3: below the first access, and past the end of what it loads. */
__global__ void negative(float *p)
{
    float *q = p + 64 + threadIdx.x * 7;
    float a = q[0], b = q[-3], c = q[-64], d = q[5];
    q[-1] = a + b;
    q[-2] = c - d;
}

/* 4: one index in two memories. */
__global__ void both_memories(float *p, const float *in)
{
    __shared__ float s[2][130];
    unsigned t = threadIdx.x;
    s[0][2 * t] = in[2 * t];
    s[0][2 * t + 1] = in[2 * t + 1];
    s[1][2 * t] = in[2 * t + 128];
    __syncthreads();
    p[2 * t] = s[0][2 * t + 1] + s[1][t];
    p[2 * t + 1] = s[0][2 * t] * s[1][t + 1];
}

/* 5: lanes come and go. */
__global__ void conditions(int *p, int n)
{
    int t = threadIdx.x;
    if (t % 3 == 0) {
        p[t] += 1;
        if (p[t + 64] > n)
            p[t + 65] += p[t + 128];
        p[t + 1] = p[t + 2];
    } else if (t > 50) {
        p[t + 200] = p[t + 201] + p[t + 199];
    }
    p[t + 300] = p[t + 301];
}

/* 6: each in its turn. */
__global__ void in_order(volatile int *p)
{
    volatile int *q = p + 3 * threadIdx.x;
    q[0] = q[1];
    q[1] = q[0];
    q[2] = q[1] + q[0];
}

/* 7: atomics of both memories between, and as neighbours. */
__global__ void atomics(int *p)
{
    __shared__ int s[66];
    int *q = p + 4 * threadIdx.x;
    s[threadIdx.x] = q[0];
    s[threadIdx.x + 1] = q[1];
    atomicAdd(&q[2], 5);
    q[1] = q[3];
    atomicAdd(&s[threadIdx.x / 2], 2);
    q[0] = s[threadIdx.x] + s[threadIdx.x + 1];
    q[3] = atomicExch(&q[2], 1);
}

/* 8: 256 threads. */
__global__ void barriers(int *p)
{
    __shared__ int s[512];
    unsigned t = threadIdx.x;
    s[t] = p[t];
    __syncthreads();
    int before = s[t ^ 1];
    __syncthreads();
    s[t] = before + s[t + 256 - t % 256];
    __threadfence();
    p[t] = s[t];
    __syncthreads();
    p[t] += s[t];
}

/* 9: an array of each lane. */
__global__ void own_array(int *p, int n)
{
    int a[8];
    for (int i = 0; i < 8; i++)
        a[i] = p[threadIdx.x + i * 64];
    for (int i = 0; i < n; i++)
        a[p[threadIdx.x + i] & 7] += a[(i + 1) & 7];
    p[threadIdx.x] = a[n & 7];
    p[threadIdx.x + 64] = a[(n + 1) & 7];
}

/* 10: pointers that lead to either memory, also in one wavefront. */
__global__ void either_memory(int *p, int n)
{
    __shared__ int s[128];
    s[threadIdx.x] = p[threadIdx.x];
    s[threadIdx.x + 64] = p[threadIdx.x + 64];
    __syncthreads();
    volatile int *q = threadIdx.x % 4 < (unsigned)n ? s + threadIdx.x : p + 2 * threadIdx.x;
    q[0] = q[1] + 1;
    q[1] = q[0];
}

/* 11: constants of more than 32 bits, which the caller's pointer makes up for. */
__global__ void far_away(char *p)
{
    int *q = (int *)(p + (5ll << 32) + threadIdx.x * 8);
    q[0] = q[1];
    *(int *)(p + (5ll << 32) + 1024 + threadIdx.x * 8) += 2;
    *(int *)(p + (5ll << 32) - 4 + 1024) = 1;
}

/* 12: indices of 8 and 32 bits that wrap in some lanes. */
__global__ void wraps(int *p, unsigned n)
{
    unsigned char a = (unsigned char)(threadIdx.x * 4 + 250), b = (unsigned char)(a + 3);
    unsigned c = (threadIdx.x - 5u) % 64u, d = (threadIdx.x - n) & 63u;
    p[a] += p[b];
    p[c + 256] = p[d + 256] + p[c + 257];
}

struct particle {
    float x, y, z, w;
    char kind;
    double mass;
};

/* 13: fields through an index: no line, and no rows. */
__global__ void fields(struct particle *all, const int *index, float *out)
{
    struct particle *one = all + index[threadIdx.x];
    one->x += one->y * one->z;
    one->mass = one->w + one->kind;
    if (threadIdx.x & 1)
        one->y = one->x;
    out[threadIdx.x] = one->x + (float)one->mass;
}

/* 14: another number of turns in each lane. */
__global__ void turns(float *p, const float *in)
{
    float sum = 0;
    for (unsigned i = 0; i <= threadIdx.x % 11; i++) {
        sum += in[i * 65 + threadIdx.x] * in[i * 65 + threadIdx.x + 1];
        p[threadIdx.x + 64 * i] = sum;
        p[threadIdx.x + 64 * i + 1] += sum;
    }
}

/* 15: tiles of 16 x 16, unrolled. */
__global__ void tiles(float *c, const float *a, const float *b)
{
    __shared__ float x[16][16], y[16][17];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    for (unsigned t = 0; t < 32; t += 16) {
        x[ty][tx] = a[ty * 32 + t + tx];
        y[ty][tx] = b[(ty + t) * 32 + tx];
        __syncthreads();
        for (unsigned k = 0; k < 16; k++)
            sum += x[ty][k] * y[k][tx];
        __syncthreads();
    }
    c[ty * 32 + tx] = sum;
}

struct five {
    int v[5];
};

/* 16: copies of 20 bytes and their parts. */
__global__ void parts(struct five *p)
{
    struct five *q = p + 2 * threadIdx.x, one = q[0];
    q[1] = one;
    q[0].v[3] = q[1].v[4] + one.v[0];
}

__device__ __attribute__((noinline)) int across(int *p, int v)
{
    p[0] += v;
    return p[1] + p[2];
}

/* 17: a function that is called between, and has such accesses itself. */
__global__ void calls(int *p)
{
    int *q = p + 4 * threadIdx.x, v = q[0];
    q[3] = across(q, v);
    q[0] = across(q + 1, q[3]) + q[2];
}

/* 18: values of other lanes between; the same address in all lanes. */
__global__ void lanes(int *p)
{
    int v = p[threadIdx.x], first = __builtin_amdgcn_readfirstlane(v);
    u64 some = __ballot(v & 1);
    p[threadIdx.x] = first + p[threadIdx.x + 1] + __popcll(some);
    p[200] = p[201];
}

/* 19: pairs and quads in LDS, and rows that conflict. */
__global__ void lds_pairs(f4 *p)
{
    __shared__ f4 s[160];
    unsigned t = threadIdx.x;
    s[t] = p[t];
    s[t + 64] = p[t + 64];
    ((float *)s)[t * 8 + 1] = ((float *)s)[t * 8 + 3];
    double *d = (double *)s + t;
    d[0] = d[64] + d[100];
    p[t].x = s[t].y + s[t * 2].z + s[t * 2 + 1].w;
}

int main()
{
    enum { BYTES = 1 << 16 };
    char *a, *b;
    int *index;
    if (hipMalloc(&a, BYTES) || hipMalloc(&b, BYTES) || hipMalloc(&index, 256))
        return 1;
    int host[64];
    for (int i = 0; i < 64; i++)
        host[i] = i * 37 % 64;
    (void)hipMemset(a, 3, BYTES);
    (void)hipMemset(b, 0, BYTES);
    (void)hipMemcpy(index, host, sizeof host, hipMemcpyHostToDevice);
    int *p = (int *)a;
    float *f = (float *)a, *in = (float *)b;
    same_element<<<2, 64>>>(p);
    widths<<<2, 64>>>(a, (u64 *)b);
    negative<<<1, 64>>>(f);
    both_memories<<<1, 64>>>(f, in);
    conditions<<<2, 64>>>(p, 1);
    in_order<<<1, 64>>>(p);
    atomics<<<2, 64>>>(p);
    barriers<<<2, 256>>>(p);
    own_array<<<1, 64>>>(p, 5);
    either_memory<<<1, 64>>>(p, 2);
    far_away<<<1, 64>>>(a - (5ll << 32));
    wraps<<<1, 64>>>(p, 9);
    fields<<<1, 64>>>((struct particle *)a, index, in);
    turns<<<2, 64>>>(f, in);
    tiles<<<2, dim3(16, 16)>>>(f, in, in + 4096);
    parts<<<1, 64>>>((struct five *)a);
    calls<<<1, 50>>>(p);
    lanes<<<1, 64>>>(p);
    lds_pairs<<<1, 64>>>((f4 *)a);
    return hipDeviceSynchronize();
}
