/* Kernels whose launches or calls need care: cooperative ones, calls through pointers, also into another module, recursion,
 * modules in memory; argv[1] names one. Each prints "PASSED". */
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(x)                                                                                             \
    if ((x) != hipSuccess)                                                                                   \
    return std::printf("failed: %s\n", #x), 1

/* Each work-group adds what another one stored before the barrier of the whole grid. */
__global__ void rotate(int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    cooperative_groups::this_grid().sync();
    b[i] = a[(i + blockDim.x) % n] + 1;
}

static int cooperative(int per_unit, int size)
{
    int units = 0;
    CHECK(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
    int groups = units * per_unit, n = groups * size, *a, *b;
    CHECK(hipMalloc(&a, n * sizeof(int)));
    CHECK(hipMalloc(&b, n * sizeof(int)));
    void *arguments[] = {&a, &b, &n};
    CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void *>(rotate), dim3(groups), dim3(size), arguments, 0, 0));
    std::vector<int> host(n);
    CHECK(hipMemcpy(host.data(), b, n * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (host[i] != (i + size) % n + 1)
            return std::printf("%d: %d\n", i, host[i]), 1;
    return 0;
}

typedef int (*function)(const int *, int);
__device__ __attribute__((noinline)) int twice(const int *p, int i)
{
    return 2 * p[i]; // TWICE
}
__device__ __attribute__((noinline)) int thrice(const int *p, int i)
{
    return 3 * p[63 - i]; // THRICE
}
__device__ function table[2] = {twice, thrice};

__global__ void indirect(int *out, const int *in, int which)
{
    function f = *const_cast<function volatile *>(&table[which]);
    out[threadIdx.x] = f(in, threadIdx.x); // INDIRECT
}

/* A quarter of the lanes calls a function of this module, the others one that is given from outside. */
__global__ void borrow(int *out, const int *in, function given)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    function f = threadIdx.x < 16 ? *const_cast<function volatile *>(&table[0]) : given;
    out[i] = f(in, i); // BORROWED
}

/* No function of this type is in the module: what is called there would run unobserved. */
__global__ void unknown(int *out, double (*f)(double), int n)
{
    out[threadIdx.x] = n ? static_cast<int>(f(n)) : 7; // UNKNOWN
}

__device__ __attribute__((noinline)) int sum(const int *p, int n)
{
    return n < 0 ? 0 : p[n] - 3 * sum(p, n - 1); // RECURSION: not associative, so no loop can replace it
}
__global__ void recursive(int *out, const int *in)
{
    out[threadIdx.x] = sum(in, threadIdx.x & 3);
}

static int calls(bool recursion, int which)
{
    int host[64], *in, *out;
    for (int i = 0; i < 64; i++)
        host[i] = i + 1;
    CHECK(hipMalloc(&in, sizeof host));
    CHECK(hipMalloc(&out, sizeof host));
    CHECK(hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice));
    if (recursion)
        recursive<<<1, 64>>>(out, in);
    else {
        unknown<<<1, 64>>>(out, nullptr, 0);
        indirect<<<1, 64>>>(out, in, which);
    }
    CHECK(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    static const int sums[] = {1, 2 - 3 * 1, 3 - 3 * -1, 4 - 3 * 6};
    for (int i = 0; i < 64; i++) {
        int k = i & 3, want = recursion ? sums[k] : which ? 3 * (64 - i) : 2 * (i + 1);
        if (host[i] != want)
            return std::printf("%d: %d, not %d\n", i, host[i], want), 1;
    }
    return 0;
}

/* A function's address, from a variable of another module. */
static int look_up(hipModule_t module, const char *name, void *f, size_t size)
{
    hipDeviceptr_t variable;
    size_t bytes;
    CHECK(hipModuleGetGlobal(&variable, &bytes, module, name));
    CHECK(hipMemcpyDtoH(f, variable, size));
    return bytes != size;
}

/* Calls functions of the module in that file. */
static int borrowed(const char *path)
{
    hipModule_t module;
    function f;
    double (*g)(double);
    int host[256], *in, *out;
    for (int i = 0; i < 256; i++)
        host[i] = i + 1;
    CHECK(hipMalloc(&in, sizeof host));
    CHECK(hipMalloc(&out, sizeof host));
    CHECK(hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice));
    CHECK(hipModuleLoad(&module, path));
    if (look_up(module, "entry", &f, sizeof f) || look_up(module, "halve", &g, sizeof g))
        return 1;
    for (int i = 0; i < 2; i++) {
        borrow<<<4, 64>>>(out, in, f);
        CHECK(hipDeviceSynchronize());
    }
    CHECK(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++)
        if (host[i] != (i % 64 < 16 ? 2 : 5) * (i + 1))
            return std::printf("%d: %d\n", i, host[i]), 1;
    unknown<<<3, 64>>>(out, g, 8);
    CHECK(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    return host[63] == 4 ? 0 : (std::printf("%d\n", host[63]), 1);
}

/* A code object in memory, as a run-time compiler leaves it there; twice, with another one in between unloaded. */
static int in_memory(const char *path)
{
    std::vector<char> image;
    FILE *f = std::fopen(path, "rb");
    for (int c; f && (c = std::fgetc(f)) != EOF;)
        image.push_back(static_cast<char>(c));
    int host[256], *p;
    CHECK(hipMalloc(&p, sizeof host));
    CHECK(hipMemset(p, 0, sizeof host));
    for (int i = 0; i < 2; i++) {
        hipModule_t module;
        hipFunction_t function;
        void *arguments[] = {&p};
        CHECK(hipModuleLoadData(&module, image.data()));
        CHECK(hipModuleGetFunction(&function, module, "inc"));
        CHECK(hipModuleLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
        CHECK(hipDeviceSynchronize());
        CHECK(hipModuleUnload(module));
    }
    CHECK(hipMemcpy(host, p, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++)
        if (host[i] != 2)
            return std::printf("%d: %d\n", i, host[i]), 1;
    return 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int a = argc > 2 ? std::atoi(argv[2]) : 0, b = argc > 3 ? std::atoi(argv[3]) : 0, rc = 1;
    if (!std::strcmp(how, "cooperative"))
        rc = cooperative(a, b);
    else if (!std::strcmp(how, "indirect"))
        rc = calls(false, a);
    else if (!std::strcmp(how, "recursion"))
        rc = calls(true, 0);
    else if (!std::strcmp(how, "borrowed"))
        rc = borrowed(argv[2]);
    else if (!std::strcmp(how, "memory"))
        rc = in_memory(argv[2]);
    if (!rc)
        std::printf("PASSED\n");
    return rc;
}
