// Sorting networks in LDS and in memory.
#include "kinds.h"

__global__ void bitonic_lds(int *d)
{
    __shared__ int s[1024];
    int t = threadIdx.x, g = blockIdx.x * 1024;
    s[t] = d[g + t];
    s[t + 512] = d[g + t + 512];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (j - 1));
            bool up = (i & k) == 0;
            int a = s[i], b = s[i + j];
            if ((a > b) == up) {
                s[i] = b;
                s[i + j] = a;
            }
        }
    __syncthreads();
    d[g + t] = s[t];
    d[g + t + 512] = s[t + 512];
}

TEST(bitonic_lds_1024)
{
    int n = 1 << 17;
    Buf<int> d(randoms<int>(n, 1 << 20));
    bitonic_lds<<<n / 1024, 512>>>(d);
    d.print("d");
}

__global__ void bitonic_xor(int *d, int j, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i ^ j;
    if (x > i) {
        int a = d[i], b = d[x];
        if ((i & k) == 0 ? a > b : a < b) {
            d[i] = b;
            d[x] = a;
        }
    }
}

TEST(bitonic_global)
{
    int n = 1 << 14;
    Buf<int> d(randoms<int>(n, 1 << 20));
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j; j /= 2)
            bitonic_xor<<<n / 256, 256>>>(d, j, k);
    d.print("d");
}

// Neighbours are swapped, in turns of even and odd places.
__global__ void oddeven(int *d)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = d[blockIdx.x * 256 + t];
    for (int p = 0; p < 256; p++) {
        __syncthreads();
        if (t % 2 == p % 2 && t < 255) {
            int a = s[t], b = s[t + 1];
            if (a > b) {
                s[t] = b;
                s[t + 1] = a;
            }
        }
    }
    __syncthreads();
    d[blockIdx.x * 256 + t] = s[t];
}

TEST(sort_oddeven)
{
    int n = 1 << 14;
    Buf<int> d(randoms<int>(n, 1 << 20));
    oddeven<<<n / 256, 256>>>(d);
    d.print("d");
}
