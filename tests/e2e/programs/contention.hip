/* A histogram with BINS bins in LDS. WAYS 1: as it comes; 2: one lane of each wavefront adds for all that have its bin;
 * 3: COPIES copies of the bins, PITCH elements apart, by lane. */
#include <hip/hip_runtime.h>

#ifndef BINS
#define BINS 256
#endif
#ifndef WAYS
#define WAYS 1
#endif
#ifndef COPIES
#define COPIES 1
#define PITCH 256
#endif

/* Lanes of a full wavefront with this lane's bin. */
__device__ unsigned long long peers_of(unsigned bin)
{
    unsigned long long peers = 0;
    for (int lane = 0; lane < 64; lane++)
        peers |= (unsigned long long)(__builtin_amdgcn_readlane(bin, lane) == (int)bin) << lane;
    return peers;
}

__global__ void histogram(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned local[COPIES * PITCH];
    for (int i = threadIdx.x; i < COPIES * PITCH; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    const unsigned lane = threadIdx.x % 64;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned bin = in[i] % BINS;
        if (WAYS == 2) {
            const unsigned long long peers = peers_of(bin);
            if (__ffsll(peers) - 1 == lane)
                atomicAdd(&local[bin], (unsigned)__popcll(peers)); // add
        } else {
            atomicAdd(&local[lane % COPIES * PITCH + bin], 1u); // add
        }
    }
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < COPIES; k++)
        sum += local[k * PITCH + threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}

int main()
{
    const int n = 1 << 14;
    static unsigned char in[n];
    unsigned *bins, sum[256];
    unsigned char *device;
    for (int i = 0; i < n; i++)
        in[i] = i;
    if (hipMalloc(&device, n) || hipMalloc(&bins, sizeof sum) || hipMemset(bins, 0, sizeof sum) ||
        hipMemcpy(device, in, n, hipMemcpyHostToDevice))
        return 1;
    histogram<<<4, 256>>>(device, bins, n);
    if (hipMemcpy(sum, bins, sizeof sum, hipMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < BINS; i++)
        if (sum[i] != n / BINS)
            return 2;
    return 0;
}
