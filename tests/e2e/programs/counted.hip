/* counted - a kernel without branches: each wavefront executes each of its instructions once. */
#include <hip/hip_runtime.h>

__global__ void straight(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 3 + 1;
}

int main()
{
    int *p;
    if (hipMalloc(&p, 8192) != hipSuccess)
        return 1;
    for (int launch = 0; launch < 3; launch++)
        straight<<<5, 128>>>(p, p + 1024);
    return hipDeviceSynchronize() != hipSuccess;
}
