// Reads two allocations in turn and a variable of the device; prints where the allocations are.
#include <hip/hip_runtime.h>
#include <cstdio>

__device__ __attribute__((aligned(64))) int table[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

__global__ void odd(const int *in, int *out)
{
    int i = threadIdx.x;
    int value = in[2 * (i & 63) + 1]; // both wavefronts the same
    out[i] = value + table[i & 15];   // 16 words
}

static int *filled(size_t bytes, int first)
{
    int *p = nullptr, host[128];
    for (int i = 0; i < 128; i++)
        host[i] = first + i;
    if (hipMalloc(&p, bytes) != hipSuccess || hipMemcpy(p, host, sizeof host, hipMemcpyHostToDevice) != hipSuccess)
        return nullptr;
    return p;
}

static bool run(const int *in, int *out, int first)
{
    int host[128];
    odd<<<1, 128>>>(in, out);
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
        return false;
    for (int i = 0; i < 128; i++)
        if (host[i] != first + 2 * (i & 63) + 1 + (i & 15) + 1)
            return false;
    printf("%p %p\n", (const void *)in, (void *)out);
    return true;
}

int main()
{
    int *out = filled(8192, 0), *in = filled(12288, 100);
    if (!in || !out || !run(in, out, 100) || hipFree(in) != hipSuccess)
        return 1;
    in = filled(20480, 500);
    return in && run(in, out, 500) ? 0 : 1;
}
