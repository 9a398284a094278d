// Accesses of every kind that summary mode treats in its own way.
#include <hip/hip_runtime.h>

#include <cstdio>

#define CHECK_HIP(e)                                                                                                   \
    do {                                                                                                               \
        if ((e) != hipSuccess)                                                                                         \
            return printf("FAILED %s\n", #e), 1;                                                                       \
    } while (0)

// More strides than a site has counters: the rest goes out as messages.
__global__ void many_strides(int *out, const int *in)
{
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < 300; k++)
        sum += in[(threadIdx.x & 63) * k + k % 32];
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// More exec masks than there are numbers for.
__global__ void many_masks(int *out, const int *in)
{
    int sum = 0;
#pragma unroll 1
    for (unsigned k = 1; k < 600; k++)
        if (((threadIdx.x + 1) * 2654435761u * k) >> 31)
            sum += in[threadIdx.x];
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

__global__ void gather_and_lds(int *out, const int *in, int n)
{
    __shared__ int s[256];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    s[t] = in[(t * 37 + blockIdx.x) % n];
    __syncthreads();
    int *p = in[t] == -1 ? s : out; // flat
    p[t] = s[255 - t] + s[t * 5 & 255];
    __builtin_memcpy(out + 1024 + t * 4, in + t * 4, t % 5 + n % 2);
}

__global__ void down(double *out, const double *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[n - 1 - i] = in[i * 3];
}

int main()
{
    int *out, *in;
    CHECK_HIP(hipMalloc(&out, 1 << 20));
    CHECK_HIP(hipMalloc(&in, 1 << 20));
    CHECK_HIP(hipMemset(in, 0, 1 << 20));
    for (int i = 0; i < 3; i++) {
        many_strides<<<4, 64>>>(out, in);
        many_masks<<<4, 64>>>(out, in);
        gather_and_lds<<<dim3(3, 2), dim3(32, 8)>>>(out, in, 999);
        down<<<5, 100>>>((double *)out, (const double *)in, 450);
    }
    CHECK_HIP(hipDeviceSynchronize());
    printf("PASSED\n");
}
