// Kernels of test_messages.c. They read nothing hidden, and the compiler neither pairs nor scalarises their accesses.
#include <hip/hip_runtime.h>

#define KERNEL extern "C" __global__ void
#define ID (blockIdx.x * 64 + threadIdx.x)

KERNEL copy(int *out, const int *in, int n) { out[ID] = in[ID] + n; }
KERNEL partial(int *out, const int *in, int n)
{
    if (ID < (unsigned)n)
        out[ID] = in[ID];
}
KERNEL odd(int *out, const int *in, int n)
{
    if (threadIdx.x % 3 == 1)
        out[ID] = in[n - ID];
}
KERNEL every_fourth(int *out, const int *in, int n)
{
    if (threadIdx.x % 4 == 2)
        out[ID * 5] = n;
}
KERNEL backwards(double *out, const double *in, int n) { out[n - (int)ID * 3] = in[ID]; }
KERNEL same(int *out, const int *in, int n)
{
    if (out[threadIdx.x & 0] != -1)
        out[n + ID] = 1;
}
KERNEL gather(int *out, const int *in, int n) { out[ID] = in[(ID * 37 + ID / 3) % n]; }
KERNEL window(char *out, const char *in, int n) { out[(threadIdx.x & 1 ? 0xb0000000ul : 0ul) + ID * ID] = (char)n; }
KERNEL raw(char *out, const char *in, int n) { out[(threadIdx.x & 1 ? 0x150000000ul : 0ul) + ID * ID] = (char)n; }
// Rows of 16 lanes, the same with lanes and a row missing, of 2 lanes, and one address for each row of 16.
KERNEL rows(int *out, const int *in, int n)
{
    __shared__ int s[256];
    const unsigned t = threadIdx.x, x = t & 15, y = t >> 4;
    out += blockIdx.x * 16384;
    s[t] = n;
    __syncthreads();
    out[y * 100 + x] = n;
    if (x > 0 && x < 12 && y != 1)
        out[5000 + y * 50 - x] = n;
    out[9000 + (t >> 1) * 7 + (t & 1)] = n;
    out[12000 + t] = *(volatile int *)&s[y * 17];
}
KERNEL one_lane(int *out, const int *in, int n)
{
    if (threadIdx.x == 17)
        out[ID] = n;
}
KERNEL lds(int *out, const int *in, int n)
{
    __shared__ int s[1024];
    s[threadIdx.x * 5 & 1023] = n;
    __syncthreads();
    out[ID] = s[(threadIdx.x * 7 + threadIdx.x / 5) & 1023];
}
KERNEL lds_down(int *out, const int *in, int n)
{
    __shared__ int s[1024];
    s[threadIdx.x] = n;
    __syncthreads();
    if (threadIdx.x >= 9)
        out[ID] = s[63 - threadIdx.x];
}
KERNEL atomics(int *out, const int *in, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    atomicMax(&s[threadIdx.x * 3 & 63], n);
    atomicCAS(&out[ID & 7], (int)ID, n);
    __syncthreads();
    atomicExch(&out[64 + ID], s[threadIdx.x]);
}
KERNEL loop(int *out, const int *in, int n)
{
    int sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < threadIdx.x % 7; k++)
        sum += in[ID * 8 + k * (sum & 3)];
    out[ID] = sum;
}
__device__ __attribute__((noinline)) int helper(const int *in, unsigned i)
{
    return i % 2 ? in[i * 2] : 7;
}
KERNEL callee(int *out, const int *in, int n) { out[ID] = helper(in, ID + n % 2); }
__device__ __attribute__((noinline)) int walk(const int *in, int depth)
{
    return depth <= 0 ? 1 : in[depth * 3 + threadIdx.x] + walk(in, depth - 1);
}
KERNEL recursion(int *out, const int *in, int n) { out[ID] = walk(in, (int)(threadIdx.x & 3)); }
KERNEL early(int *out, const int *in, int n)
{
    if (threadIdx.x & 1)
        return;
    out[ID] = 1;
    if (in[ID] == 0 && threadIdx.x % 8)
        return;
    out[ID + 1] = 2;
}
KERNEL vectors(float4 *out, const float4 *in, int n) { out[ID] = in[ID * 2]; }
KERNEL adjacent(float *out, const float *in, int n)
{
    float *q = out + ID * 4;
    q[0] = 1, q[1] = 2, q[2] = 3, q[3] = (float)n;
}
KERNEL flat(int *out, const int *in, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    __syncthreads();
    int *p = in[ID] == n ? s : out;
    p[threadIdx.x] = 5;
}
KERNEL planes(int *out, const int *in, int n)
{
    int i = ((blockIdx.z * 2 + blockIdx.y) * 3 + blockIdx.x) * 256 + (threadIdx.z * 8 + threadIdx.y) * 16 + threadIdx.x;
    out[i] = n;
}
// No turn is a step behind the one before it.
KERNEL many(int *out, const int *in, int n)
{
#pragma unroll 1
    for (int k = 0; k < 200; k++)
        out[ID + (k ^ 1) * 64] = in[ID + (k & 7)];
}
// Messages of all sizes in one wavefront, by one site that all or any number of lanes execute: lines, rows and addresses on neither. So a
// line of the chunk is full in the middle of a message, and what waits for it leaves because another message does not wait.
KERNEL mixed(int *out, const int *in, int n)
{
    const unsigned t = threadIdx.x;
#pragma unroll 1
    for (unsigned k = 0; k < 400; k++) {
        const unsigned r = (k * 64 + blockIdx.x + n) * 2654435761u >> 12, shape = r & 15, lanes = r >> 4 & 3 ? 64 : 1 + (r >> 6) % 64;
        const unsigned index = shape < 9 ? t + (r >> 14) : shape < 13 ? (t & 15) + (t >> 4) * 33 : t * t % 97;
        if (t < lanes)
            out[blockIdx.x * 256 + index] = k;
    }
}
// Turns that one message tells: forwards, backwards, of rows, of addresses on no line, with lanes missing, in LDS.
KERNEL turns(int *out, const int *in, int n)
{
    __shared__ int s[256];
    const unsigned t = threadIdx.x;
    s[t * 2] = n;
    __syncthreads();
    if (t % 3 != 1)
#pragma unroll 1
        for (int k = 0; k < n; k++)
            out[ID + k * 64] = in[(t & 7) + (t >> 3) * 100 + k * 3] + in[(t * t & 127) - k * n + 100] + s[t + k];
}
// Turns of which one probe tells four accesses and another one the fifth, in rows and in LDS; lanes that leave a loop on different turns.
KERNEL together(int *out, const int *in, int n)
{
    __shared__ int s[256];
    const unsigned t = threadIdx.x;
    s[t * 2] = n;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < n; k++)
        out[ID + k * 256] = in[(t & 7) + (t >> 3) * 100 + k * 3] + in[4000 + ID - k * n] + s[t + k] + s[127 - t / 16];
#pragma unroll 1
    for (unsigned k = ID; k < 270; k += 64)
        out[4096 + k] = in[k];
}
KERNEL none() {}
KERNEL lengths(char *out, const char *in, int n) { __builtin_memcpy(out + ID * 64, in + ID * 64, threadIdx.x % 5 + n); }
