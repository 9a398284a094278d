/* Private arrays that the compiler puts into LDS, leaves in memory, or in registers. */
#include <hip/hip_runtime.h>

struct Pair {
    int x, y;
};
struct Wide {
    float a[3];
    double b;
};

__global__ __launch_bounds__(64) void pairs(int *out, int n)
{
    Pair a[4];
    int t = threadIdx.x;
    for (int i = 0; i < n; i++) {
        a[i & 3].x = t * i;
        a[i & 3].y = i;
    }
    out[t] = a[n & 3].x + a[(n + 1) & 3].y;
}

/* The index is the lane's own. */
__global__ __launch_bounds__(64) void by_lane(int *out, const int *in, int n)
{
    int a[17], t = threadIdx.x;
    for (int i = 0; i < 17; i++)
        a[i] = in[t + i];
    for (int i = 0; i < n; i++)
        a[(t * 3 + i) % 17] += a[(t + i * 5) % 17];
    out[t] = a[t % 17] + a[(t + 1) % 17];
}

/* Two arrays, and LDS of the kernel's own. */
__global__ __launch_bounds__(128) void beside(float *out, const float *in, int n)
{
    __shared__ float l[130];
    __shared__ double d[3];
    float a[6];
    short b[10];
    int t = threadIdx.x;
    if (t < 3)
        d[t] = in[t];
    l[t] = in[t];
    for (int i = 0; i < 6; i++)
        a[i] = in[i * 4];
    for (int i = 0; i < 10; i++)
        b[i] = (short)(t + i);
    __syncthreads();
    for (int i = 0; i < n; i++) {
        a[(i + t) % 6] += l[(t + i) & 127];
        b[(i * 3 + t) % 10] ^= (short)a[i % 6];
    }
    out[t] = a[t % 6] + b[t % 10] + (float)d[t % 3] + l[t ^ 1];
}

/* LDS whose size the launch tells lies behind all of it. */
__global__ __launch_bounds__(64) void dynamic(double *out, int n)
{
    extern __shared__ double tail[];
    Wide w[2];
    int t = threadIdx.x;
    tail[t] = t;
    w[0] = Wide{{1, 2, 3}, 4}, w[1] = Wide{{5, 6, 7}, 8};
    for (int i = 0; i < n; i++) {
        w[(t + i) & 1].a[i % 3] += tail[(t + i) & 63];
        w[i & 1].b *= 2;
    }
    out[t] = w[n & 1].a[t % 3] + w[t & 1].b;
}

__device__ __attribute__((noinline)) int helper(const int *p, int i)
{
    __shared__ int mine[8];
    mine[i & 7] = i;
    return p[i & 7] + mine[(i + 1) & 7];
}

/* Functions that are not inlined, one of which gets the array's address: it must stay in memory then. */
__global__ __launch_bounds__(64) void calls(int *out, const int *in, int n)
{
    int a[4], b[8], t = threadIdx.x;
    for (int i = 0; i < n; i++)
        a[(i + t) & 3] = i;
    for (int i = 0; i < 8; i++)
        b[i] = in[i];
    out[t] = helper(in, t) + a[t & 3] + (n > 100 ? helper(b, n) : 0);
}

/* Three dimensions: a lane finds its part by the size of the work-group. */
__global__ __launch_bounds__(128) void cube(int *out, int n)
{
    int a[5], t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; i++)
        a[(t + i) % 5] = i + t;
    out[t] = a[(t + 1) % 5] - a[n % 5];
}

/* Copies and fills of whole arrays. */
__global__ __launch_bounds__(64) void whole(int *out, const int *in, int n)
{
    int a[8] = {}, b[8], t = threadIdx.x;
    __builtin_memcpy(b, in + t * 8, sizeof b);
    for (int i = 0; i < n; i++)
        a[(t + i) & 7] += b[(t * i) & 7];
    __builtin_memcpy(out + t * 8, a, sizeof a);
}

/* Too large for LDS. */
__global__ __launch_bounds__(256) void large(int *out, int n)
{
    int a[300], t = threadIdx.x;
    for (int i = 0; i < n; i++)
        a[(t + i * 7) % 300] = i;
    out[t] = a[(t + n) % 300];
}

/* A rotation of bodies, with points and matrices in private arrays. */
__global__ __launch_bounds__(64) void rotate(float *out, const float *in, int axis)
{
    float m[3][3], v[3], r[3], t = in[threadIdx.x];
    for (int i = 0; i < 3; i++) {
        v[i] = in[threadIdx.x * 3 + i];
        for (int k = 0; k < 3; k++)
            m[i][k] = i == k;
    }
    int i = axis % 3, k = (axis + 1) % 3;
    m[i][i] = m[k][k] = 1 - t * t / 2;
    m[i][k] = t;
    m[k][i] = -t;
    for (int a = 0; a < 3; a++) {
        r[a] = 0;
        for (int b = 0; b < 3; b++)
            r[a] += m[a][b] * v[b];
    }
    for (int a = 0; a < 3; a++)
        out[threadIdx.x * 3 + a] = r[(a + axis) % 3];
}

int main()
{
    char *m, *out;
    hipMalloc((void **)&m, 8192);
    hipMalloc((void **)&out, 8192);
    hipMemset(m, 1, 8192);
    pairs<<<1, 64>>>((int *)out, 6);
    by_lane<<<1, 64>>>((int *)out, (int *)m, 5);
    beside<<<2, 128>>>((float *)out, (float *)m, 7);
    dynamic<<<1, 64, 512>>>((double *)out, 5);
    calls<<<1, 64>>>((int *)out, (int *)m, 6);
    cube<<<2, dim3(4, 8, 4)>>>((int *)out, 9);
    whole<<<1, 64>>>((int *)out, (int *)m, 5);
    large<<<1, 256>>>((int *)out, 5);
    rotate<<<1, 64>>>((float *)out, (float *)m, 1);
    return hipDeviceSynchronize();
}
