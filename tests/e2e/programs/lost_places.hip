/* Accesses whose instructions have another source place than the access, or none. */
#include <hip/hip_runtime.h>

enum { SIDE = 16, THREADS = SIDE * SIDE };

/* The loads of both branches become one, which is on no line. The loop is unrolled, and what is left of it is another
 * loop: two loads stand in that, eight of them in the first. */
__global__ void either_table(float *out, const float *in, const float *a, const float *b, unsigned n, int second)
{
    __shared__ float part[THREADS];
    unsigned x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    float sum = 0;
    for (unsigned k = 0; k < n; k++)
        if (second)
            sum += a[y * n + k] * in[k * SIDE + x];
        else
            sum += b[y * n + k] * in[k * SIDE + x];
    part[y * SIDE + x] = sum;
    __syncthreads();
    sum = 0;
    for (unsigned k = 0; k < n; k++)
        if (second)
            sum += part[y * n + k] * b[k * SIDE + x];
        else
            sum += part[y * n + k] * a[k * SIDE + x];
    out[threadIdx.x] = sum;
}

/* A vector of bytes is loaded as the store of it is done: in one integer, at the place of the store. */
__global__ void pixels(uchar4 *out, const uchar4 *in)
{
    __shared__ uchar4 tile[THREADS];
    unsigned x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    tile[y * SIDE + x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[x * SIDE + y];
}

/* The same with other loads of their form beside them, some of which are in a condition. */
__global__ void some_pixels(uchar4 *out, const uchar4 *in, const int *which, int n)
{
    unsigned t = threadIdx.x;
    out[t] = in[t + 64];
    int from = which[t] & 127;
    out[t + THREADS] = in[from];
    if (t % 3 == 0)
        out[t + 2 * THREADS] = in[t * 2];
    for (int i = 0; i < n; i++)
        out[t + (3 + i) * THREADS] = in[which[t + i] & 63];
}

/* The compiler makes one store of four members, which is on no line, and brings another one before it: its instructions stand
 * in the row of that one in the line table, to which they do not belong. */
struct Eight {
    unsigned m[8];
    __device__ static Eight make(unsigned x)
    {
        Eight v;
        v.m[0] = x;
        v.m[1] = x + 1;
        v.m[2] = x + 2;
        v.m[3] = x + 3;
        v.m[4] = x + 4;
        v.m[5] = x + 5;
        v.m[6] = x + 6;
        v.m[7] = x + 7;
        return v;
    }
};
__global__ void behind_another(unsigned *out, const unsigned *in)
{
    __shared__ Eight wide[THREADS];
    __shared__ unsigned words[2 * THREADS];
    unsigned t = threadIdx.x, sum = in[t];
    wide[t * 4 % THREADS] = Eight::make(sum);
    words[t * 2] = sum;
    __syncthreads();
    out[t] = words[(t ^ 35) % THREADS] + wide[t].m[t & 7];
}

int main()
{
    enum { BYTES = 1 << 16 };
    float *a, *b, *in, *out;
    if (hipMalloc(&a, BYTES) || hipMalloc(&b, BYTES) || hipMalloc(&in, BYTES) || hipMalloc(&out, BYTES))
        return 1;
    (void)hipMemset(a, 0, BYTES);
    (void)hipMemset(b, 0, BYTES);
    (void)hipMemset(in, 5, BYTES);
    either_table<<<2, THREADS>>>(out, in, a, b, 11, 0);
    pixels<<<2, THREADS>>>((uchar4 *)out, (const uchar4 *)in);
    some_pixels<<<2, THREADS>>>((uchar4 *)out, (const uchar4 *)in, (const int *)in, 3);
    behind_another<<<2, THREADS>>>((unsigned *)out, (const unsigned *)in);
    return hipDeviceSynchronize() ? 2 : 0;
}
