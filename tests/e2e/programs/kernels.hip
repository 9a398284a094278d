/* Kernels of every shape that a program may have: static, template, without parameters, with dynamic LDS, with several
 * arrays, in a second file, called through a device function that is not inlined. */
#include <hip/hip_runtime.h>
#include <cstdio>

__device__ int global_value;
int second_file(int *device); /* kernels2.hip */

static __global__ void static_kernel(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

namespace
{
__global__ void anonymous_kernel(int *out)
{
    out[threadIdx.x] = 2 * threadIdx.x;
}
} // namespace

template <typename T> __global__ void template_kernel(T *out, T scale)
{
    out[threadIdx.x] = scale * (T)threadIdx.x;
}

__global__ void no_parameters()
{
    if (threadIdx.x == 0)
        global_value = 1234;
}

__global__ void dynamic_lds(int *out, int n)
{
    extern __shared__ int buffer[];
    __shared__ int fixed[64];
    buffer[n - 1 - threadIdx.x] = threadIdx.x;
    fixed[threadIdx.x] = 100;
    __syncthreads();
    out[threadIdx.x] = buffer[threadIdx.x] + fixed[63 - threadIdx.x];
}

__device__ __attribute__((noinline)) int not_inlined(const int *in, int i)
{
    return in[i] + 1; // CALLEE
}

__global__ void calls(int *out, const int *in)
{
    out[threadIdx.x] = not_inlined(in, threadIdx.x);
}

__global__ void shape_of_grid(int *out)
{
    out[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = blockDim.x * 100 + blockDim.y * 10 + gridDim.z;
}

static bool expect(const int *device, int n, int (*f)(int), const char *name)
{
    static int host[4096];
    bool ok = hipMemcpy(host, device, n * sizeof(int), hipMemcpyDeviceToHost) == hipSuccess;
    for (int i = 0; i < n; i++)
        ok = ok && host[i] == f(i);
    std::printf("%s: %s\n", name, ok ? "PASSED" : "FAILED");
    return ok;
}

int main()
{
    int *a, *b, value = 0;
    if (hipMalloc(&a, 4096 * sizeof(int)) != hipSuccess || hipMalloc(&b, 4096 * sizeof(int)) != hipSuccess)
        return 2;
    bool ok = true;
    static_kernel<<<1, 64>>>(a);
    ok &= expect(a, 64, [](int i) { return i; }, "static_kernel");
    anonymous_kernel<<<1, 64>>>(b);
    ok &= expect(b, 64, [](int i) { return 2 * i; }, "anonymous_kernel");
    calls<<<1, 64>>>(b, a);
    ok &= expect(b, 64, [](int i) { return i + 1; }, "calls");
    template_kernel<int><<<1, 64>>>(a, 3);
    ok &= expect(a, 64, [](int i) { return 3 * i; }, "template_kernel");
    no_parameters<<<1, 64>>>();
    ok &= hipMemcpyFromSymbol(&value, HIP_SYMBOL(global_value), sizeof value) == hipSuccess && value == 1234;
    std::printf("no_parameters: %s\n", value == 1234 ? "PASSED" : "FAILED");
    dynamic_lds<<<1, 64, 64 * sizeof(int)>>>(a, 64);
    ok &= expect(a, 64, [](int i) { return 163 - i; }, "dynamic_lds");
    shape_of_grid<<<dim3(3, 4, 5), dim3(8, 2)>>>(a);
    ok &= expect(a, 60, [](int) { return 825; }, "shape_of_grid");
    ok &= second_file(a) == 0;
    return ok ? 0 : 1;
}
