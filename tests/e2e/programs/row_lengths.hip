// Loops whose two accesses lie in rows: of one length, or of two.
#include <hip/hip_runtime.h>

template <int OTHER> __device__ void copy_tile(const int *in, int *out, int n)
{
    unsigned t = threadIdx.x;
    for (int k = 0; k < n; k++)
        out[t % 16 + t / 16 * 100 + k * 400] = in[t % OTHER + t / OTHER * 200 + k * 3];
}

__global__ void one_length(const int *in, int *out, int n)
{
    copy_tile<16>(in, out, n);
}

__global__ void two_lengths(const int *in, int *out, int n)
{
    copy_tile<8>(in, out, n);
}

// One of three is on a line.
__global__ void line(const int *in, int *out, int n)
{
    unsigned t = threadIdx.x;
    for (int k = 0; k < n; k++)
        out[t % 16 + t / 16 * 100 + k * 400] = in[t % 32 + t / 32 * 200 + k * 3] + in[t + k];
}

int main()
{
    int *in, *out;
    if (hipMalloc((void **)&in, 1 << 20) || hipMalloc((void **)&out, 1 << 20))
        return 1;
    (void)hipMemset(in, 0, 1 << 20);
    one_length<<<600, 64>>>(in, out, 5);
    two_lengths<<<600, 64>>>(in, out, 5);
    line<<<600, 64>>>(in, out, 5);
    return hipDeviceSynchronize();
}
