/* Kernels as people write them: all of their accesses are exact. */
#include <hip/hip_runtime.h>

/* The size of the work-group is read on two ways, and behind them. */
__global__ void histogram(unsigned *out, const unsigned *in)
{
    __shared__ unsigned bins[512];
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] % 8], 1);
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x % 512];
}

__global__ void strided(float *out, const float *in, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int i = threadIdx.y; i < 4; i += blockDim.y)
        out[(blockIdx.x * 4 + i) * blockDim.x + threadIdx.x] = sum;
}

struct Particle {
    float x[3], v[3], mass;
    int id, cell, kind, age;
};
struct __attribute__((packed)) Record {
    short key;
    char text[28];
};
struct Three {
    float x, y, z;
};

/* Copies, several in a line, of which parts overlap; one is changed on the way, and one member stored twice. */
__global__ void records(Particle *p, Record *r, Three *a, const Particle *from, const Record *r2, const Three *b)
{
    int t = threadIdx.x;
    Particle moved = from[t];
    moved.x[0] += 1;
    p[t] = moved;
    r[t] = r2[t], a[t] = b[t + 1], a[t + 64] = b[t], r[t + 64] = r2[63 - t];
    p[t].kind = 3;
    p[t + 64] = from[t];
    a[t + 128].x = 2, a[t + 128].y = 3;
    a[t + 128].x = 2;
}

int main()
{
    unsigned *in, *out;
    if (hipMalloc(&in, 1 << 16) || hipMalloc(&out, 1 << 16) || hipMemset(in, 3, 1 << 16))
        return 1;
    histogram<<<4, 256>>>(out, in);
    strided<<<2, dim3(32, 4)>>>((float *)out, (float *)in, 1000);
    records<<<1, 64>>>((Particle *)out, (Record *)(out + 4096), (Three *)(out + 8192), (Particle *)in, (Record *)(in + 4096),
                       (Three *)(in + 8192));
    return hipDeviceSynchronize();
}
