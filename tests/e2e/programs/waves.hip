/* Kernels that depend on the size of wavefronts, as faults or on purpose, and kernels that do not. 512 work-items, of which
 * each third has an odd value in the last 32 of 64 lanes alone. */
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void right(int *out, const int *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] & 1)          // read by all
        out[i] = 2 * in[i]; // by some
}

/* The mask of 64 lanes is cut to 32 bits: lanes 32 to 63 look at the bits of lanes 0 to 31. */
__global__ void cut(int *out, const int *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned mask = (unsigned)__ballot(in[i] & 1);
    if (mask >> (threadIdx.x & 31) & 1)
        out[i] = 3; // cut
}

/* The number of the lane is taken modulo 64, whatever the size is. */
__global__ void lane_of_64(int *out, const int *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 63;
    if (__shfl(in[i], lane ^ 32) != in[i])
        out[i] = lane; // lane
}

/* On purpose: one addition for each wavefront. */
__global__ void by_wavefront(int *total, const int *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long mask = __ballot(in[i] & 1);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(total, __popcll(mask)); // leader
}

/* One lane does this, too, but in those wavefronts alone whose cut mask is not 0: with 64 lanes in none. */
__global__ void leader_of_cut(int *total, const int *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned mask = (unsigned)__ballot(in[i] & 1);
    if (mask && threadIdx.x % warpSize == 0)
        atomicAdd(total, 1); // some leaders
}

/* One of 64 lanes tells the sum of its wavefront, whatever the size of that is. */
__global__ void leader_of_64(int *out, const int *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = in[i];
    for (int d = 32; d; d /= 2)
        sum += __shfl_down(sum, d);
    if ((threadIdx.x & 63) == 0)
        out[i] = sum; // first of 64
}

/* On purpose: one work-item for each wavefront, all of them in the first one. */
__global__ void sums_of_wavefronts(int *total, const int *in)
{
    __shared__ int sums[128];
    sums[threadIdx.x / warpSize] = in[blockIdx.x * blockDim.x + threadIdx.x] != -1;
    __syncthreads();
    if (threadIdx.x < blockDim.x / warpSize)
        atomicAdd(total, sums[threadIdx.x]); // sums
}

/* Where a work-group has 64 work-items, its first one is nobody's leader. */
__global__ void first_of_group(int *out, const int *in)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = in[blockIdx.x]; // of a group
}

int main()
{
    const int n = 512;
    int host[n], *in, *out;
    for (int i = 0; i < n; i++)
        host[i] = i % 64 >= 32 && i % 3 == 0 ? i | 1 : i & ~1;
    if (hipMalloc(&in, sizeof host) || hipMalloc(&out, sizeof host) || hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice) ||
        hipMemset(out, 0, sizeof host))
        return 1;
    right<<<n / 128, 128>>>(out, in);
    first_of_group<<<n / 64, 64>>>(out, in);
#ifndef WITHOUT_FAULTS
    cut<<<n / 128, 128>>>(out, in);
    lane_of_64<<<n / 128, 128>>>(out, in);
    by_wavefront<<<n / 128, 128>>>(out, in);
    leader_of_cut<<<n / 128, 128>>>(out, in);
    leader_of_64<<<n / 128, 128>>>(out, in);
    sums_of_wavefronts<<<n / 128, 128>>>(out, in);
#endif
    return hipDeviceSynchronize() != hipSuccess;
}
