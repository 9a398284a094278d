// Short dispatches whose accesses are mostly those of loops: by one lane, by some lanes, with other numbers of turns in each
// lane, and so many loops that their messages do not fit into a chunk.
#include <hip/hip_runtime.h>
#include <stdio.h>

__global__ void one_lane(const unsigned char *in, unsigned char *out, int n)
{
    if (threadIdx.x)
        return;
    for (int i = 0; i < n; i++)
        out[i] = in[i] ^ 0x5a;
}

__global__ void some_lanes(const unsigned char *in, unsigned char *out, int n)
{
    if (threadIdx.x % 3 == 1)
        for (int i = 0; i < n; i++)
            out[threadIdx.x * n + i] = in[i * 7 + threadIdx.x];
}

__global__ void apart(const int *in, int *out, int n)
{
    int sum = 0;
    for (unsigned i = 0; i < threadIdx.x % n; i++)
        sum += in[i * 3 + threadIdx.x];
    out[threadIdx.x] = sum;
}

__global__ void many_loops(const int *in, int *out, int n)
{
    int sum = 0;
    for (int k = 0; k < 60; k++)
        if (threadIdx.x % 5 != 2)
            for (int i = 0; i < n; i++)
                sum += in[i * 64 + threadIdx.x + k];
    out[threadIdx.x] = sum;
}

int main()
{
    const int bytes = 1 << 16;
    static unsigned char host[1 << 16];
    unsigned char *in, *out;
    unsigned long sum = 0;
    for (int i = 0; i < bytes; i++)
        host[i] = (unsigned char)(i * 31 >> 3);
    if (hipMalloc(&in, bytes) || hipMalloc(&out, bytes) || hipMemcpy(in, host, bytes, hipMemcpyHostToDevice) ||
        hipMemset(out, 0, bytes))
        return 1;
    for (int launches = 0; launches < 2; launches++) {
        one_lane<<<1, 256>>>(in, out, 162);
        some_lanes<<<1, 192>>>(in, out, 100);
        apart<<<2, 64>>>((int *)in, (int *)out, 17);
        many_loops<<<1, 64>>>((int *)in, (int *)out, 9);
    }
    if (hipMemcpy(host, out, bytes, hipMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < bytes; i++)
        sum = sum * 31 + host[i];
    printf("%lu\n", sum);
    return 0;
}
