// Private arrays that become LDS: a lane finds its part by the size of the work-group, in the packet of the dispatch.
#include <hip/hip_runtime.h>

struct Pair {
    int x, y;
};

__global__ __launch_bounds__(64) void one(int *out, int n)
{
    Pair a[2];
    for (int i = 0; i < n; i++)
        a[i & 1].x = n * i, a[i & 1].y = i;
    out[threadIdx.x] = a[n & 1].x;
}

__global__ __launch_bounds__(64) void two(int *out, int n)
{
    Pair a[2], b[2];
    for (int i = 0; i < n; i++) {
        a[i & 1].x = n * i, a[i & 1].y = i;
        b[~i & 1].x = n + i, b[~i & 1].y = n;
    }
    out[threadIdx.x] = a[n & 1].x - b[n & 1].y;
}

// Reads another word of the packet.
__global__ __launch_bounds__(64) void other(int *out, int n)
{
    const unsigned *packet = (const unsigned *)__builtin_amdgcn_dispatch_ptr();
    Pair a[2];
    for (int i = 0; i < n; i++)
        a[i & 1].x = n * i, a[i & 1].y = i;
    out[threadIdx.x] = a[n & 1].x + (int)packet[3];
}

// Reads the same word.
__global__ __launch_bounds__(64) void same(int *out, int n)
{
    const unsigned *packet = (const unsigned *)__builtin_amdgcn_dispatch_ptr();
    Pair a[2];
    for (int i = 0; i < n; i++)
        a[i & 1].x = n * i, a[i & 1].y = i;
    out[threadIdx.x] = a[n & 1].x + (int)(packet[1] >> 16);
}
