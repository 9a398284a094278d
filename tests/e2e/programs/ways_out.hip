/* Ends in the way that argv[1] names, right after work of the GPU whose results a profiler must not lose. */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__global__ void fill(int *out, int value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "return";
    int *device, host[256];
    if (hipMalloc(&device, sizeof host) != hipSuccess)
        return 99;
    fill<<<4, 64>>>(device, 42);
    if (!strcmp(how, "never_sync"))
        return 7;
    if (hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost) != hipSuccess || host[255] != 42)
        return 98;
    std::printf("done\n");
    std::fflush(stdout);
    if (!strcmp(how, "exit"))
        std::exit(5);
    if (!strcmp(how, "_exit"))
        _exit(6);
    if (!strcmp(how, "daemon"))
        _exit(daemon(1, 1) ? 96 : 0);
    if (!strcmp(how, "abort"))
        std::abort();
    if (!strcmp(how, "reset"))
        return hipDeviceReset() == hipSuccess ? 8 : 97;
    return 3;
}
