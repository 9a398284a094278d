/* Kernels that fail as on hardware, one per run: errors MODE.
 * Prints how the runtime tells the application. */
#include "check.h"
#include <hip/hip_cooperative_groups.h>
#include <cassert>

__global__ void write_to(int *p)
{
    p[threadIdx.x] = 1; // PAGE
}

__global__ void read_from(const int *p, int *out)
{
    out[threadIdx.x] = p[threadIdx.x + 16]; // READ
}

__device__ __noinline__ int load_flat(const int *p)
{
    return *(const volatile int *)p; // FLAT
}

__global__ void beyond_aperture(int *out, int offset)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = load_flat((const int *)((const char *)tile + offset));
}

__global__ void beyond_private(int *out, long offset)
{
    volatile int mine[16];
    mine[threadIdx.x & 15] = out[0];
    out[threadIdx.x] = load_flat((const int *)((const char *)&mine[0] + offset));
}

__global__ void illegal(int *p)
{
    p[0] = 1;
    asm volatile(".long 0xbfff0000"); // ILLEGAL: SOPP has no opcode 0x7f
}

/* An instruction of the hardware that the software GPU does not have: there are no images. */
__global__ void unimplemented(int *p)
{
    p[0] = 1;
    asm volatile("image_load v0, v0, s[0:7] dmask:0x1 unorm\n s_waitcnt vmcnt(0)" ::: "v0"); // IMAGE
}

__global__ void uses_scratch(int *out, int by)
{
    volatile int big[16384]; // 64 KiB for each lane
    for (int i = 0; i < 16384; i += 256)
        big[i] = i + by;
    out[threadIdx.x] = big[(threadIdx.x * 256) & 16383];
}

/* Half of the work-groups leave before the barrier of the grid: on hardware it hangs. */
__global__ void leaves_the_grid(int *p)
{
    if (blockIdx.x % 2)
        return;
    cooperative_groups::this_grid().sync(); // GRID
    p[0] = 1;
}

/* Wavefronts that have ended do not count at a barrier: legal on this hardware. */
__global__ void leaves_the_group(int *p)
{
    if (threadIdx.x >= 64)
        return;
    p[threadIdx.x] = 3;
    __syncthreads();
    p[threadIdx.x + 64] = p[63 - threadIdx.x] + threadIdx.x;
}

/* Element 5 of p is 5. */
__global__ void asserts(const int *p)
{
    assert(p[threadIdx.x] != 5);
}

__global__ void aborts(const int *p)
{
    if (p[threadIdx.x] == 5)
        abort(); // ABORT
}

__global__ void traps(const int *p)
{
    if (p[threadIdx.x] == 5)
        __builtin_trap(); // TRAP
}

static int *device, host[128];

static void launch(const char *mode)
{
    if (!std::strcmp(mode, "page"))
        write_to<<<1, 64>>>(reinterpret_cast<int *>(0x123456000));
    else if (!std::strcmp(mode, "null"))
        write_to<<<1, 64>>>(nullptr);
    else if (!std::strcmp(mode, "host"))
        read_from<<<1, 64>>>(reinterpret_cast<const int *>(0x10000), device);
    else if (!std::strcmp(mode, "freed")) {
        int *p;
        HIP(hipMalloc(&p, 64 << 20));
        HIP(hipFree(p));
        write_to<<<1, 64>>>(p + 4096);
    } else if (!std::strcmp(mode, "lds"))
        beyond_aperture<<<1, 64>>>(device, 1 << 20);
    else if (!std::strcmp(mode, "private"))
        beyond_private<<<1, 64>>>(device, 1l << 31);
    else if (!std::strcmp(mode, "illegal"))
        illegal<<<1, 64>>>(device);
    else if (!std::strcmp(mode, "assert"))
        asserts<<<1, 64>>>(device);
    else if (!std::strcmp(mode, "abort"))
        aborts<<<1, 64>>>(device);
    else if (!std::strcmp(mode, "trap"))
        traps<<<1, 64>>>(device);
    else if (!std::strcmp(mode, "unimplemented"))
        unimplemented<<<1, 64>>>(device);
    else if (!std::strcmp(mode, "no_scratch")) {
        void *all;
        write_to<<<1, 64>>>(device); /* makes the queue */
        HIP(hipDeviceSynchronize());
        for (size_t size = 1ull << 36; size >= 4096; size /= 2)
            while (hipMalloc(&all, size) == hipSuccess)
                ;
        (void)hipGetLastError();
        uses_scratch<<<4096, 256>>>(device, 1);
    } else if (!std::strcmp(mode, "grid")) {
        void *arguments[] = {&device};
        HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(leaves_the_grid), dim3(8), dim3(64),
                                       arguments, 0, 0));
    } else if (!std::strcmp(mode, "scratch"))
        uses_scratch<<<4096, 256>>>(device, 1);
    else
        std::exit(2);
}

/* Errors that the runtime finds itself, and after which the process goes on. */
static void launch_errors()
{
    write_to<<<1, 2048>>>(device);
    std::printf("2048 work-items: %s\n", hipGetErrorName(hipGetLastError()));
    write_to<<<0, 64>>>(device);
    std::printf("no work-group: %s\n", hipGetErrorName(hipGetLastError()));
    write_to<<<1, 0>>>(device);
    std::printf("no work-item: %s\n", hipGetErrorName(hipGetLastError()));
    write_to<<<1, 64, 65 << 10>>>(device);
    std::printf("65 KiB of LDS: %s\n", hipGetErrorName(hipGetLastError()));
    void *none;
    std::printf("huge: %s\n", hipGetErrorName(hipMalloc(&none, 1ull << 46)));
    (void)hipGetLastError();
    std::printf("device 7: %s\n", hipGetErrorName(hipSetDevice(7)));
    (void)hipGetLastError();
    leaves_the_group<<<1, 256>>>(device);
    HIP(hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        CHECK(host[64 + i] == 3 + i);
    std::printf("PASSED\n");
}

int main(int, char **argv)
{
    HIP(hipMalloc(&device, 4096));
    if (!std::strcmp(argv[1], "launch")) {
        launch_errors();
        return 0;
    }
    for (int i = 0; i < 128; i++)
        host[i] = i;
    HIP(hipMemcpy(device, host, sizeof host, hipMemcpyHostToDevice));
    std::printf("launching\n"); /* before, as the fault ends the process at any time after */
    std::fflush(stdout);
    launch(argv[1]);
    hipError_t e = hipDeviceSynchronize();
    std::printf("synchronised: %s\n", hipGetErrorName(e));
    return e != hipSuccess;
}
