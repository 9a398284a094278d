/* A library whose destructor uses the GPU once more: it comes after main and before those of HIP and ROCr, which do so, too (HIP 7.2
 * waits for its queues there). With PROGRAM, the program that is linked with it. */
#include "check.h"

void use_library(const char *who);

#ifdef PROGRAM
int main()
{
    use_library("main");
}
#else
static int *memory;

__global__ void late(int *p)
{
    p[threadIdx.x]++;
}

void use_library(const char *who)
{
    static int times;
    int host[64];
    if (!times++) {
        HIP(hipMalloc(&memory, sizeof host));
        HIP(hipMemset(memory, 0, sizeof host));
    }
    late<<<1, 64>>>(memory);
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpy(host, memory, sizeof host, hipMemcpyDeviceToHost));
    CHECK(host[0] == times && host[63] == times);
    std::printf("PASSED %s\n", who);
    std::fflush(stdout);
}

__attribute__((destructor)) static void at_end()
{
    use_library("destructor");
}
#endif
